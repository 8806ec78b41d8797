// A game against the machine, which thinks in a worker, so that the page answers meanwhile; and a look back at a game that is over.
const machine = {
  // How long an entry is thought about at most; then the level below is asked.
  PATIENCE: 20000,

  worker: null,
  is_blocked: false,
  asked: 0,
  waiting: new Map(),
  // What is thought about now: whatever comes later takes its place.
  turn: 0,
  level: 0,
  expected: null,
  told: null,

  // What the worker runs: an instance of the module of its own, which answers one request after another.
  source() {
    return "const referee = { module: null, instance: null, " + (referee.alone || referee.ask) + " };\n" +
      "onmessage = ({ data }) => {\n" +
      "if (data.module) { referee.module = data.module; referee.instance = new WebAssembly.Instance(data.module, {}); }\n" +
      "else { const since = performance.now(); const answer = referee.ask(data.request); postMessage({ id: data.id, answer, took: performance.now() - since, memory: referee.instance.exports.memory.buffer.byteLength }); }\n" +
      "};";
  },

  // Asks the worker. Where a browser has none for such a page, the page answers itself.
  ask(request) {
    return new Promise((done) => {
      const id = (this.asked += 1);
      this.waiting.set(id, { request, done });
      if (!this.worker && !this.is_blocked) this.start();
      if (this.is_blocked) this.here();
      else this.worker.postMessage({ id, request });
    });
  },

  start() {
    try {
      this.worker = new Worker(URL.createObjectURL(new Blob([this.source()], { type: "text/javascript" })));
    } catch {
      this.is_blocked = true;
      return;
    }
    this.worker.onmessage = ({ data }) => {
      const { done } = this.waiting.get(data.id) || {};
      this.waiting.delete(data.id);
      if (Number.isInteger(data.answer.expects)) Object.assign(this, { took: data.took, memory: data.memory });
      if (done) done(data.answer);
    };
    this.worker.onerror = () => {
      this.is_blocked = true;
      this.worker = null;
      this.here();
    };
    this.worker.postMessage({ module: referee.module });
  },

  here() {
    setTimeout(() => {
      for (const [id, { request, done }] of this.waiting) {
        this.waiting.delete(id);
        done(referee.ask(request));
      }
    }, 30);
  },

  // Ends whatever is being thought about. Nobody waits for it any more.
  stop() {
    this.turn += 1;
    if (this.worker && this.waiting.size) {
      this.worker.terminate();
      this.worker = null;
    }
    this.waiting.clear();
  },

  // Whether the page shows a game against the machine, and whether the machine is due in it.
  is_on() {
    return !!app.opened && !!app.opened.practice && !app.lesson;
  },

  is_due() {
    return this.is_on() && app.opened.standing.due === app.opened.practice.side;
  },

  // Asks for what comes next without the player, after a record was taken: an entry of the machine, or a throw.
  async go() {
    this.told = null;
    if (!this.is_on() || !app.opened.playable) return;
    this.turn += 1;
    const { turn } = this;
    const { record } = app;
    const answer = await this.patiently(turn, record, this.level || app.opened.practice.level);
    if (turn !== this.turn || record !== app.record) return;
    if (answer.error || answer.refused) {
      this.told = answer.error || answer.refused.message;
      return app.drawn();
    }
    if (!answer.record) return;
    if (!(await app.stores(answer.record)) || turn !== this.turn || record !== app.record) return;
    if (answer.expects !== null) this.expected = answer.expects;
    app.take(answer.record, true);
    say(answer.side + " " + answer.actions + (answer.outcome ? ". " + answer.outcome : ""));
  },

  patiently(turn, record, level) {
    return new Promise((done) => {
      const timer = setTimeout(() => {
        if (turn !== this.turn || level <= 1 || this.is_blocked) return;
        this.worker.terminate();
        this.worker = null;
        this.waiting.clear();
        this.patiently(turn, record, level - 1).then(done);
      }, this.PATIENCE);
      this.ask({ call: "answer", record, level }).then((answer) => {
        clearTimeout(timer);
        done(answer);
      });
    });
  },

  async hint() {
    this.turn += 1;
    const { turn } = this;
    const { record } = app;
    this.told = "The machine is thinking about it \u2026";
    app.drawn();
    const answer = await this.ask({ call: "choose", record });
    if (turn !== this.turn || record !== app.record) return;
    const message = answer.error || (answer.refused && answer.refused.message);
    this.told = message || (answer.actions ? ["For instance ", make("b", {}, answer.actions), ` (expected: ${answer.expects}%) `, button("Do it", () => play.take(answer.actions), { id: "do-it" })] : "There is nothing to enter.");
    app.drawn();
    say(answer.actions ? `For instance ${answer.actions}, expected: ${answer.expects}%` : "There is nothing to enter.");
  },

  why() {
    const level = machine.level || app.opened.practice.level;
    const { playouts } = tools.levels().find((one) => one.number === level);
    this.told = this.expected === null ? "The machine has not played yet." : `The machine expects ${this.expected}% of the point for itself. Level ${level} plays ${playouts} games on in its head for each entry.`;
    app.drawn();
    say(this.told);
  },

  // Takes the player's last entry back, with the answers to it.
  async undo() {
    this.stop();
    const answer = referee.ask({ call: "undo", record: app.record });
    if (answer.record) {
      if (!(await app.stores(answer.record))) return null;
      app.take(answer.record, true);
      app.heading.focus({ preventScroll: true });
      return say("Taken back");
    }
    this.told = "There is no entry of yours to take back.";
    app.drawn();
    say(this.told);
    return this.go();
  },

  // What can be done beside playing.
  panel() {
    if (!this.is_on()) return null;
    const { practice, entries, standing } = app.opened;
    const level = make("select", { id: "level" }, tools.levels().map((one) => make("option", { value: one.number, selected: one.number === (this.level || practice.level) }, `${one.number}: ${one.name}`)));
    level.addEventListener("change", () => {
      this.level = Number(level.value);
      say(`Level ${this.level}`);
    });
    const bar = make("div", { class: "bar" });
    if (!standing.outcome && !this.is_due()) bar.append(button("Hint", () => this.hint(), { id: "ask-hint" }));
    bar.append(button("Why", () => this.why(), { id: "ask-why" }), button("Take back", () => this.undo(), { id: "take-back", disabled: !entries.some((entry) => entry.side === practice.own) }), button(app.home ? "Back to the game" : "All games", () => app.leave(), { id: "leave" }));
    return make("section", { class: "note tools", id: "practice-panel", "aria-label": "The machine" },
      make("p", {}, this.is_due() ? "The machine is thinking \u2026" : `You play the ${practice.own}.`),
      this.told ? make("p", { id: "told" }, this.told) : null, bar, make("label", {}, "Level of the machine ", level));
  },

  // Begins a game against the machine.
  beginning(chosen) {
    const { games } = tools.about();
    const game = make("select", { id: "practice-game" }, games.map((one) => make("option", { value: one.name, selected: one.name === chosen }, one.title)));
    const rest = make("div");
    const form = make("form", { onsubmit: (event) => event.preventDefault() }, make("label", {}, "Game ", game), rest);
    const fill = () => {
      const one = games.find((one) => one.name === game.value);
      const side = make("select", { id: "practice-side" }, one.sides.map((side) => make("option", {}, side)));
      const level = make("select", { id: "practice-level" }, tools.levels().map(({ number, name, about }) => make("option", { value: number, selected: number === 2 }, `${number}: ${name}, ${about}`)));
      const seed = make("input", { type: "text", id: "practice-seed", inputmode: "numeric", autocomplete: "off", size: "12" });
      const refused = make("div");
      rest.replaceChildren(make("label", {}, "Your side ", side), make("label", {}, "Level ", level),
        make("details", {}, make("summary", {}, "Seed and options"),
          make("label", {}, "Seed: the same one gives the same dice, cards and answers again ", seed), tools.options(one, "practice-")),
        refused,
        button("Begin", () => {
          const given = seed.value.trim();
          const failed = (text) => {
            refused.replaceChildren(make("div", { class: "bad" }, make("p", {}, prose(text))));
            say(text);
          };
          if (given && !/^[0-9]{1,15}$/.test(given)) return failed("a seed is a whole number of at most 15 digits");
          const answer = referee.ask({
            call: "practice", game: one.name, side: side.value, level: Number(level.value), started: new Date().toISOString().slice(0, 10),
            seed: given ? Number(given) : crypto.getRandomValues(new Uint32Array(1))[0] >>> 8, options: tools.chosen(one, form),
          });
          if (!answer.record) return failed(answer.error || answer.refused.message);
          this.play(answer.record);
        }, { class: "main", id: "practice-begin" }));
    };
    game.addEventListener("change", fill);
    fill();
    return form;
  },

  async play(record) {
    this.stop();
    Object.assign(this, { level: 0, expected: null });
    Object.assign(app, { kept: "", history: [] });
    if (!(await app.begins(record))) return;
    scrollTo(0, 0);
    app.heading.focus({ preventScroll: true });
  },

  // A look back at a game that is over, part by part, so that one sees how far it is.
  look_back() {
    const { standing, verdict, entries } = app.opened;
    if (app.lesson || !standing.outcome || verdict.report.verdict !== "legal" || !entries.length) return null;
    const found = make("ol", { class: "turns" });
    const state = make("p", { role: "status" });
    const begin = button("Look back", () => this.review(begin, state, found), { id: "look-back" });
    return make("section", { class: "facts wide", id: "review", "aria-labelledby": "reviewed" },
      make("h2", { id: "reviewed" }, "Where the game turned"),
      make("p", { class: "tools" }, "The machine plays each position on in its head, and shows what would have been better. Of what was hidden it knows what each side knew."),
      make("div", { class: "bar tools" }, begin), state, found);
  },

  async review(begin, state, found) {
    if (begin.textContent === "Stop") {
      this.stop();
      begin.textContent = "Look back";
      state.textContent = "Stopped.";
      return;
    }
    this.stop();
    const { turn } = this;
    const { record } = app;
    begin.textContent = "Stop";
    found.replaceChildren();
    let [first, of, carried, turned, hidden] = [1, app.opened.entries.length, null, 0, 0];
    let untold = [];
    while (first <= of) {
      state.textContent = `${first - 1} of ${of} entries \u2026`;
      const part = { call: "review", record, first, last: first + 1, ...(carried === null ? {} : { carried }) };
      const answer = await this.ask(part);
      if (turn !== this.turn || record !== app.record) return;
      if (answer.error || answer.refused) {
        begin.textContent = "Look back";
        state.textContent = answer.error || answer.refused.message;
        return;
      }
      of = answer.of;
      carried = answer.carried;
      hidden += answer.hidden;
      untold = untold.concat(answer.untold.filter((side) => !untold.includes(side)));
      first = Math.max(first + 2, answer.passed_over + 1);
      for (const { number, headline, says } of answer.entries) {
        if (!headline) continue;
        turned += 1;
        found.append(make("li", {}, make("a", { href: "#e" + (number - 1) }, headline), says.map((line) => make("p", {}, line))));
      }
    }
    begin.textContent = "Look back";
    state.textContent = [
      `${of === 1 ? "1 entry" : of + " entries"}; the game turned at ${turned || "none"} of them.`,
      ...untold.map((side) => `The secret of ${side} is not published, so what only that side knew is guessed.`),
      hidden ? `Of ${hidden === 1 ? "1 entry" : hidden + " entries"} nothing is said, because something was hidden.` : "",
    ].join(" ");
    say(state.textContent);
  },
};
