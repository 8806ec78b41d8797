// The page with the referee, which verifies the record inside it, and any other that is put into it.
const app = {
  record: "",
  at: 0,
  opened: null,
  history: [],
  names: [],
  playing: 0,
  // The lesson that is shown, and the record that the page brought.
  lesson: null,
  home: "",
  // Whether the board is seen from the other side.
  turned: false,
  // The list of entries: its element, its items, and what is in each.
  listed: make("div"),
  items: [],
  known: [],
  // Whether a record is being stored.
  storing: false,
  // The games whose taps are prepared.
  prepared: new Set(),

  // The time for an entry, to the second; undefined in a record without times.
  time() {
    return this.opened && this.opened.standing.timed ? new Date().toISOString().slice(0, 19) + "Z" : undefined;
  },

  // Verifies a record and shows it, up to the first fault if there is one. `own`: it was made in this page. `lesson`: it is that of a lesson.
  take(record, own, lesson = null) {
    const opened = referee.ask({ call: "open", record });
    if (opened.error || !opened.game) {
      this.refuse(opened);
      return false;
    }
    stepper.stop();
    this.stop();
    if (!own) {
      machine.stop();
      machine.level = 0;
      this.turned = false;
      this.history = [];
      this.kept = "";
      const game = kept.get(opened.id);
      if (game && game.record !== record) {
        if (record.startsWith(game.record)) kept.put(opened.id, { record, last: null }, game.record);
        else if (game.record.startsWith(record)) return this.take_up(game);
        else this.kept = "differs";
      }
    }
    Object.assign(this, { record, opened, lesson, at: opened.entries.length, part: 0, seen: null });
    play.reset();
    if (location.hash.startsWith("#e") && !own) {
      const at = Number(location.hash.slice(2));
      if (Number.isInteger(at) && at <= this.at) this.at = at;
    } else if (location.hash) this.mark(this.at);
    this.build();
    this.prepare();
    machine.go();
    return true;
  },

  // Goes back from a lesson or a game to what the page began with.
  leave() {
    machine.stop();
    if (this.home && this.take(this.home)) return scrollTo(0, 0);
    Object.assign(this, { opened: null, lesson: null, record: "" });
    tools.made = null;
    front.show();
    scrollTo(0, 0);
  },

  // Shows a game as it was last played on in this browser.
  take_up(game) {
    if (game.last && typeof game.last.record === "string" && game.last.answer) this.history = [game.last];
    this.kept = "here";
    return this.take(game.record, true);
  },

  // Keeps another record of the game that is shown, before it is shown, so that what was entered is there again when the page is opened
  // again. `last`: the last entry, which can be taken back. Returns whether it may be shown: not if another tab was faster, which is shown then.
  async stores(record, last = null) {
    if (this.storing) return false;
    this.storing = true;
    const { id } = this.opened;
    // What the page itself has need not be kept.
    const is_kept = await kept.put(id, record === this.home ? null : { record, last }, this.record);
    this.storing = false;
    if (is_kept) return true;
    const told = this.kept === "differs" ? "nothing was entered: this browser keeps another course of this game; first show that one, or forget it" : "nothing was entered: another tab of this browser has played on, and what it has made is shown here now";
    if (this.kept !== "differs" && kept.get(id)) this.take_up(kept.get(id));
    play.explained = { message: told };
    this.drawn();
    say(told);
    return false;
  },

  // Keeps a new game, and shows it.
  async begins(record) {
    const opened = referee.ask({ call: "open", record });
    if (opened.game) await kept.put(opened.id, { record, last: null }, null);
    return this.take(record, true);
  },

  // Another tab has played on, or taken something back.
  followed() {
    if (!this.opened) return front.show();
    if (this.lesson || this.storing || (home.game && this.record === home.game.record)) return null;
    const game = kept.get(this.opened.id);
    if (!game || game.record === this.record || !(game.record.startsWith(this.record) || this.record.startsWith(game.record))) return null;
    machine.stop();
    this.history = [];
    return this.take_up(game);
  },

  // What is said of a game that was played on in this browser before.
  remembered() {
    if (!this.kept) return null;
    const { id } = this.opened;
    const differs = this.kept === "differs";
    const forget = async () => {
      await kept.put(id, null, kept.get(id)?.record);
      location.reload();
    };
    return make("section", { class: "note wide tools", id: "remembered", "aria-label": "Played on in this browser" },
      make("p", {}, differs ? "This browser keeps another course of this game, which does not go on from this record." : "You have played on in this browser: what you entered is here again."),
      make("div", { class: "bar" }, differs ? button("Show the other", () => this.take_up(kept.get(id))) : null, button(differs ? "Forget the other" : "Forget what I entered", forget, { id: "forget" })));
  },

  // Browsers translate a function of the module where it is first called. What a tap will call is called before, a little at a time, so that
  // the first tap of a game is answered as soon as the others.
  prepare() {
    const [action] = play.actions;
    if (!this.playing_here || !action || this.prepared.has(this.opened.game.name)) return;
    this.prepared.add(this.opened.game.name);
    const { record } = this;
    const calls = [{ call: "judge", typed: action }, { call: "next", begun: action }, { call: "position", begun: action, look: "classes" }, { call: "append", typed: action }];
    const call = () => {
      referee.ask({ record, ...calls.shift() });
      if (calls.length) setTimeout(call, 30);
    };
    setTimeout(call, 30);
  },

  // Says what is wrong with something that is not a record. The page stays as it is.
  refuse(opened) {
    const box = document.getElementById("refused");
    const verdict = opened.verdict;
    box.replaceChildren(make("div", { class: "bad" },
      make("p", {}, make("b", {}, prose(opened.error || verdict.summary))),
      verdict ? verdict.excerpts.map((text) => make("pre", { tabindex: "0" }, text)) : null));
    say(opened.error || verdict.summary);
    box.scrollIntoView({ block: "nearest" });
  },

  build() {
    const { opened } = this;
    const { game, players } = opened;
    const page = document.getElementById("page");
    page.className = "";
    const [first, second] = players;
    const title = opened.title || `${first.name} against ${second.name}`;
    document.title = `${game.title}: ${title}`;
    // Seals, openings and keys are shown by their beginnings.
    for (const entry of opened.entries) entry.brief = entry.brief.replace(/([0-9a-f]{8})[0-9a-f]{16,}/g, "$1\u2026").replace(/\bkey ([A-Za-z0-9+/]{8})[A-Za-z0-9+/]{30,}=*/g, "key $1\u2026");
    const list = this.list(opened.entries);
    const { lesson } = this;
    this.holder = make("div", { class: "svg" });
    this.heading = make("h2", { id: "now", tabindex: "-1" });
    this.about = make("div");
    this.words = make("p", { class: "words" });
    this.panel = make("div");
    this.dock = make("div");
    const steps = make("div", { class: "bar tools", role: "group", "aria-label": "Step" },
      button("First", () => this.go(0)), button("Previous", () => this.go(this.at - 1)),
      (this.auto = button("Play", () => this.autoplay(), { "aria-pressed": "false" })),
      button("Next", () => this.go(this.part ? this.at : this.at + 1)), button("Last", () => this.go(opened.entries.length)),
      (this.turn = button("Turn the board", () => {
        this.turned = !this.turned;
        this.turn.setAttribute("aria-pressed", String(this.turned));
        this.draw();
      }, { id: "turn", "aria-pressed": String(this.turned) })));
    if (lesson) document.title = `${game.title}, lesson ${lesson.number}: ${lesson.title}`;
    page.replaceChildren(
      ...(lesson ? learn.parts() : [
        make("header", {}, make("h1", {}, title), make("p", {}, `${game.title}: ${first.name} (${first.side}) against ${second.name} (${second.side})`)),
        this.remembered(),
      ]).filter(Boolean),
      make("main", {},
        make("section", { class: "board now", "aria-labelledby": "now" }, this.heading, this.about, this.holder, lesson ? null : steps,
          make("details", {}, make("summary", {}, "The position in words"), this.words)),
        this.panel, this.dock),
      lesson ? learn.list() : make("nav", { class: "entries", "aria-label": "Entries" }, make("h2", {}, "Entries"), list),
      ...(lesson ? [] : [machine.look_back(), this.verdict()]).filter(Boolean),
      tools.section());
    this.draw();
  },

  // Returns the list of entries, in lists of a hundred, of which only the visible ones are laid out. Those already in it are kept, so an
  // entry takes no longer in a long game than in a short one.
  list(entries) {
    const text = ({ number, side, brief, message }) => JSON.stringify([number, side, brief, message]);
    const texts = ["start", ...entries.map(text)];
    let same = 0;
    while (same < texts.length && this.known[same] === texts[same]) same += 1;
    for (const item of this.items.splice(same)) {
      if (item.parentNode.firstChild === item) item.parentNode.remove();
      item.remove();
    }
    this.known = texts;
    for (let at = same; at < texts.length; at += 1) {
      const { number, side, brief, message } = entries[at - 1] || {};
      const link = make("a", { href: "#e" + at }, at ? [make("b", {}, String(number)), ` ${side} ${brief}`] : "The start");
      this.items.push(make("li", {}, link, message ? [" ", make("q", {}, message)] : null));
      if (at % 100 === 0) this.listed.append(make("ol"));
      this.listed.lastChild.append(this.items[at]);
    }
    return this.listed;
  },

  // What the referee in this page says about the record.
  verdict() {
    const { verdict, players, id, started, options, standing } = this.opened;
    const legal = verdict.report.verdict === "legal";
    const fact = (name, text) => make("div", {}, make("dt", {}, name), make("dd", {}, text));
    const chosen = Object.entries(options).map(([name, value]) => `${name}: ${value}`).join(", ");
    const signed = players.filter((player) => player.key).map(({ side, key, signed }) => signed === false ? `${side} declared, nothing signed (${key})` : `${side} by ${key}`).join(", ");
    return make("section", { class: "facts wide", "aria-labelledby": "facts" },
      make("h2", { id: "facts" }, "The verdict"),
      make("div", { class: legal ? "good" : "bad", id: "verdict" },
        make("p", {}, make("b", {}, legal ? "Legal" : prose(verdict.summary)), legal ? `: this page replayed all ${verdict.report.entries} entries just now. ${standing.outcome || standing.due + " due"}.` : ""),
        verdict.excerpts.map((text) => make("pre", { tabindex: "0" }, text)),
        make("p", {}, "A page cannot vouch for whoever made it: a forged page could say the same. To be certain, save the record and run ", make("code", {}, "postrider verify"), " on it.")),
      make("dl", {}, fact("Id", id), fact("Began", started), chosen ? fact("Options", chosen) : null, signed ? fact("Signed", signed) : null,
        standing.clocks && !standing.outcome ? fact("Clocks", standing.clocks.left.map(({ side, left }) => `${side} ${left} left`).join(", ") + (standing.clocks.deadline ? `; the next entry is due by ${standing.clocks.deadline}` : "")) : null),
      make("div", { class: "bar tools" }, this.download({ id: "record" })));
  },

  // A link to the record. The one with the id is what a saved copy of the page reads.
  download(more) {
    return make("a", { class: "button", download: this.opened.id + ".pbem", href: "data:text/plain;charset=utf-8;base64," + base64(new TextEncoder().encode(this.record)), ...more }, "Save the record");
  },

  // Shows the board after an entry, or after the first `part` actions of it.
  go(at, part = 0) {
    at = Math.max(0, Math.min(this.opened.entries.length, at));
    this.mark(at);
    this.show(at, part);
  },

  // Goes on to what can be seen next: of a turn of many actions each, of any other entry the whole.
  onward() {
    for (;;) {
      const before = this.seen && this.seen.svg;
      const at = this.part ? this.at : this.at + 1;
      const count = this.opened.game.stepwise ? this.opened.entries[at - 1].actions.split("; ").length : 1;
      this.go(at, this.part + 1 < count ? this.part + 1 : 0);
      if (!this.part || (!this.seen.error && this.seen.svg !== before)) return;
    }
  },

  // Puts the entry that is shown into the page's address, if the browser allows that.
  mark(at) {
    try {
      history.replaceState(null, "", "#e" + at);
    } catch {
      // The page is inside another one.
    }
  },

  show(at, part = 0) {
    this.at = Math.max(0, Math.min(this.opened.entries.length, at));
    this.part = part;
    play.reset();
    this.draw();
    const marks = this.seen && this.seen.words ? (this.seen.words.match(/^Last entry:.*$/m) || [""])[0] : "";
    say(this.heading.textContent + ". " + marks);
  },

  // Returns as many of an entry's actions as a heading has room for; the list of entries has them all.
  headed(actions) {
    if (actions.length <= 60) return actions;
    let end = actions.indexOf("; ");
    for (let at = end; at >= 0 && at <= 60; at = actions.indexOf("; ", at + 1)) end = at;
    return end < 0 ? actions : actions.slice(0, end) + "; \u2026";
  },

  // Draws the board and everything that belongs to it.
  draw() {
    const { entries, standing, playable } = this.opened;
    const entry = entries[this.at - 1];
    const { lesson, part } = this;
    const is_last = this.at === entries.length && !part;
    const told = entry && part ? entry.brief.split("; ")[part - 1] : "";
    this.heading.textContent = lesson ? learn.heading() : told ? `${entry.number}. ${entry.side}, action ${part}: ${told}` : entry ? `${entry.number}. ${entry.side} ${this.headed(entry.brief)}` : "The start";
    this.about.replaceChildren(...(lesson ? learn.about() : [
      entry && entry.time ? make("p", { class: "when" }, entry.time + (entry.left ? `, ${entry.left} left on the clock of ${entry.side}` : "")) : "",
      entry && entry.message ? make("blockquote", {}, entry.message) : "",
      is_last ? make("p", { class: "end" }, standing.outcome || (this.opened.verdict.report.verdict === "legal" ? `${standing.due} due: ${standing.what}` : "the next entry is refused")) : "",
    ]));
    if (this.current) this.current.removeAttribute("aria-current");
    this.current = this.items[this.at].firstChild;
    this.current.setAttribute("aria-current", "true");
    if (!lesson) scrollList(this.current);
    this.playing_here = is_last && playable && !machine.is_due() && !(lesson && lesson.solved);
    const look = part ? { at: this.at - 1, begun: entry.actions.split("; ").slice(0, part).join("; ") } : { at: this.at };
    this.see(board.show(this.holder, { record: this.record, from: this.from(), ...look }, new Map(), this.playing_here ? play : null));
    this.shown = "";
    this.words.textContent = this.seen.words || "";
    if (this.playing_here) play.look();
    this.drawn();
  },

  // Takes what the board shows now, with the places that can be named.
  see(seen) {
    this.seen = seen;
    this.names = (seen.targets || []).map((target) => target.name);
  },

  // The side at the bottom of the board; the other one if the board was turned.
  from() {
    const side = this.usual();
    return this.turned ? this.opened.game.sides.find((other) => other !== side) : side;
  },

  // The side at the bottom if the board is not turned: the player's, otherwise the one that is to move, until something was entered in
  // this page.
  usual() {
    const { standing, game, practice } = this.opened;
    if (practice) return practice.own;
    if (home.game && this.record === home.game.record && home.game.own) return home.game.own;
    return this.opened.playable && this.history.length === 0 && this.at === this.opened.entries.length && standing.due ? standing.due : game.sides[0];
  },

  // Shows what was tapped. The board is drawn again only if the position has changed.
  drawn() {
    const focus = document.activeElement && document.activeElement.id;
    const action = document.activeElement && document.activeElement.dataset.action !== undefined;
    if (this.playing_here) {
      // Of a long turn what it has done so far is seen, of any other entry the whole.
      const begun = play.whole || this.opened.game.stepwise ? play.begun.join("; ") : "";
      if (begun !== this.shown) {
        const shown = (begun) => board.show(this.holder, { record: this.record, at: this.at, from: this.from(), begun }, play.marks(), play);
        const seen = shown(begun);
        this.shown = begun;
        this.see(seen.error ? { ...shown(""), words: "" } : seen);
        play.find();
      }
      const marks = play.marks();
      for (const place of this.holder.querySelectorAll(".tap")) place.setAttribute("class", "tap " + (marks.get(place.dataset.name) || ""));
      this.panel.replaceChildren(...[home.panel(), play.sent(), learn.said(), play.panel(), learn.panel(), machine.panel()].filter(Boolean));
      this.dock.replaceWith((this.dock = play.dock()));
    } else {
      const is_last = this.at === this.opened.entries.length && !this.part;
      this.panel.replaceChildren(...(is_last ? [home.panel(), play.sent(), learn.panel(), this.lesson || machine.is_due() ? null : play.panel(), machine.panel()] : []).filter(Boolean));
      this.dock.replaceWith((this.dock = make("div")));
    }
    const again = focus && document.getElementById(focus);
    if (again) again.focus();
    else if (action) (document.querySelector(".choices [data-action]") || document.getElementById("enter") || document.body).focus();
  },

  stop() {
    clearInterval(this.playing);
    this.playing = 0;
    if (this.auto) {
      this.auto.textContent = "Play";
      this.auto.setAttribute("aria-pressed", "false");
    }
  },

  autoplay() {
    if (this.playing) return this.stop();
    if (this.at === this.opened.entries.length) this.go(0);
    this.playing = setInterval(() => (this.at >= this.opened.entries.length && !this.part ? this.stop() : this.onward()), 1200);
    this.auto.textContent = "Stop";
    this.auto.setAttribute("aria-pressed", "true");
  },
};

// Puts another record into the page, and begins games.
const tools = {
  section() {
    if (this.made) {
      this.made.querySelector("#refused").replaceChildren();
      for (const details of this.made.querySelectorAll("details")) details.open = false;
      return this.made;
    }
    const text = make("textarea", { id: "paste", rows: "4", "aria-label": "A record, pasted", spellcheck: "false" });
    const file = make("input", { type: "file", id: "file", "aria-label": "A record from a file" });
    file.addEventListener("change", () => file.files[0] && reader.file(file.files[0]));
    this.made = make("section", { class: "wide tools", "aria-labelledby": "others", "data-made": true },
      make("h2", { id: "others" }, "Another record, or a new game"),
      make("div", { id: "refused" }),
      this.games(),
      make("details", { id: "load" }, make("summary", {}, "Put a record into this page"),
        make("p", {}, "Drop a file anywhere on the page, choose one, or paste its text. Nothing is sent anywhere."),
        make("label", {}, "File ", file), make("label", {}, "Or the text of a record", text),
        button("Verify", () => text.value.trim() && reader.text(text.value), { id: "verify" })),
      make("details", { id: "begin", ontoggle: ({ target }) => target.children.length < 2 && target.append(this.beginning()) },
        make("summary", {}, "Begin a game")),
      make("details", { id: "practise", ontoggle: ({ target }) => target.children.length < 2 && target.append(machine.beginning()) },
        make("summary", {}, "Play against the machine")),
      make("details", { id: "learn", ontoggle: ({ target }) => target.open && target.replaceChildren(target.firstChild, learn.section()) },
        make("summary", {}, "Learn a game")));
    return this.made;
  },

  // Opens the form that begins a game, with this game chosen: against the machine, or with a person.
  practise(game) {
    this.form("practise", machine.beginning(game));
  },

  begin_with(game) {
    if (home.begins(game)) return;
    this.form("begin", this.beginning(game));
  },

  form(id, form) {
    const details = document.getElementById(id);
    details.replaceChildren(details.firstChild, form);
    details.open = true;
    details.scrollIntoView();
    form.querySelector("select").focus({ preventScroll: true });
  },

  // What the module says of the games and of the levels of the machine.
  about() {
    return (this.known ||= referee.ask({ call: "about" }));
  },

  levels() {
    return this.about().levels;
  },

  // The options of a game as fields, and what was chosen in them.
  options(game, prefix = "") {
    if (!game.options.length) return "";
    return make("fieldset", {}, make("legend", {}, "Options"), game.options.map((option) => {
      const id = prefix + "option-" + option.name;
      const input = option.words.length
        ? make("select", { id, "data-option": option.name }, option.words.map((word) => make("option", { value: word, selected: word === option.default }, word)))
        : make("input", { type: "text", id, "data-option": option.name, value: option.default, size: "8" });
      return make("label", {}, make("b", {}, option.name), " ", input, " ", make("small", {}, prose(`${option.about} (${option.values})`)));
    }));
  },

  chosen(game, form) {
    const options = {};
    for (const input of form.querySelectorAll("[data-option]")) {
      const option = game.options.find((one) => one.name === input.dataset.option);
      if (input.value.trim() !== option.default) options[option.name] = input.value.trim();
    }
    return options;
  },

  // The games that this browser keeps, where the page brings none of its own.
  games() {
    const ids = app.opened ? [] : kept.ids();
    if (!ids.length) return null;
    return make("div", { id: "games" }, make("p", {}, "Games that you have played on in this browser:"),
      make("div", { class: "bar" }, ids.map((id) => button(id, () => app.take_up(kept.get(id)) && scrollTo(0, 0)))));
  },

  beginning(chosen) {
    const { games } = this.about();
    const game = make("select", { id: "game" }, games.map((one) => make("option", { value: one.name, selected: one.name === chosen }, one.title)));
    const rest = make("div");
    const form = make("form", { onsubmit: (event) => event.preventDefault() }, make("label", {}, "Game ", game), rest);
    const fill = () => {
      const one = games.find((one) => one.name === game.value);
      const field = (name, label, hint) => make("label", {}, label, make("input", { type: "text", id: "new-" + name, autocomplete: "off", placeholder: hint || "" }));
      rest.replaceChildren(
        make("p", {}, prose(one.about) , (one.sealable ? ". A game begun here is open: the players state dice and hidden things themselves, as at a table. To begin a sealed game, use the program." : "")),
        ...one.sides.flatMap((side) => [field("name-" + side, `${side}: name`), field("mail-" + side, `${side}: mail address (optional)`)]),
        field("title", "Title (optional)"), field("clock", "Clock (optional)", "5d, 50d/10, 30d+1d"), field("setup", "Starting position (optional)"),
        this.options(one),
        make("div", { id: "not-begun" }),
        button("Begin", () => this.begin(one, form), { class: "main", id: "begin-it" }));
    };
    game.addEventListener("change", fill);
    fill();
    return form;
  },

  async begin(game, form) {
    const value = (id) => form.querySelector("#" + id).value.trim();
    const day = new Date().toISOString().slice(0, 10);
    const letters = "0123456789abcdefghjkmnpqrstvwxyz";
    const random = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => letters[byte % 32]).join("");
    const players = {};
    for (const side of game.sides) {
      players[side] = { name: value("new-name-" + side) || side };
      if (value("new-mail-" + side)) players[side].email = value("new-mail-" + side);
    }
    const options = this.chosen(game, form);
    const answer = referee.ask({
      call: "begin", game: game.name, id: `${game.name}-${day.replace(/-/g, "")}-${random}`, started: day, players, options,
      title: value("new-title") || null, clock: value("new-clock") || null, setup: value("new-setup") || null,
    });
    const box = form.querySelector("#not-begun");
    if (!answer.record) {
      const text = answer.error || answer.refused.message;
      box.replaceChildren(make("div", { class: "bad" }, make("p", {}, prose(text)), answer.verdict ? answer.verdict.excerpts.map((text) => make("pre", {}, text)) : null));
      return say(text);
    }
    app.kept = "";
    app.history = [];
    if (!(await app.begins(answer.record))) return null;
    scrollTo(0, 0);
    return app.heading.focus({ preventScroll: true });
  },
};

// One reader for all ways in: what is chosen, dropped or pasted, what another program shares, and what the installed app opens.
const reader = {
  // The longest file that is read, in bytes: a message.
  MOST: 24 * 1024 * 1024,

  async file(file) {
    if (file.size > this.MOST) return app.refuse({ error: "the file is over 24 MiB" });
    return this.bytes(new Uint8Array(await file.arrayBuffer()));
  },

  text(text) {
    return this.bytes(new TextEncoder().encode(text));
  },

  // A record is judged and shown, or taken where it belongs to a kept game; whatever else a letter may be is read where letters are.
  bytes(bytes) {
    let text = null;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      // A letter may have any bytes.
    }
    const record = text !== null && /^\s*---\r?\n/.test(text) ? text.replace(/^\s+/, "") : null;
    if (home.reads(bytes, record)) return null;
    if (record !== null) return app.take(record) && scrollTo(0, 0);
    if (text !== null && /^[\w-]+:|BEGIN PBEM/m.test(text)) return app.refuse({ error: "this is a letter, or a part of one. This page reads records alone: save the record that is attached to the letter, and open that here. A page of your own without a game reads letters too" });
    return app.refuse({ verdict: referee.ask({ call: "verify", base64: base64(bytes) }) });
  },
};

// All boards are printed, as far as that takes no longer than a reader waits.
const print = {
  MOST: 400,

  before() {
    const { opened, record } = app;
    if (!opened || opened.entries.length > print.MOST) return;
    const { game } = opened;
    const sections = Array.from({ length: opened.entries.length + 1 }, (_, at) => {
      const entry = opened.entries[at - 1];
      const holder = make("div", { class: "svg" });
      board.show(holder, { record, at, from: game.sides[0] }, new Map(), null);
      const heading = entry ? `${entry.number}. ${entry.side} ${app.headed(entry.brief)}` : "The start";
      const is_last = at === opened.entries.length;
      return make("section", { class: is_last ? "board last" : "board" }, make("h2", {}, heading), entry && entry.message ? make("blockquote", {}, entry.message) : null, holder);
    });
    document.querySelector("#page > main").replaceChildren(...sections);
  },

  after() {
    if (app.opened && !document.querySelector("#page > main .board.now")) app.build();
  },
};

(async () => {
  const page = document.getElementById("page");
  try {
    // The board of the page is painted before the module is unpacked. A page in the background is never painted.
    await new Promise((done) => {
      requestAnimationFrame(() => setTimeout(done));
      setTimeout(done, 100);
    });
    await referee.load(await referee.bytes(document.getElementById("module")));
    await kept.open();
    kept.changed = () => app.followed();
    await home.start();
  } catch (error) {
    page.append(make("p", { class: "bad wide", "data-made": true }, "The referee in this page cannot be started by this browser: " + error.message));
    return;
  }
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (file) reader.file(file);
    else if (event.dataTransfer.getData("text").trim()) reader.text(event.dataTransfer.getData("text"));
  });
  addEventListener("hashchange", () => {
    if (!app.opened || !/^#e[0-9]+$/.test(location.hash)) return;
    app.show(Number(location.hash.slice(2)));
    // From the list of entries on a small screen the board may be out of sight.
    const { top } = app.heading.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) app.heading.scrollIntoView();
  });
  document.addEventListener("keydown", (event) => {
    if (!app.opened || event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const to = { ArrowLeft: app.at - 1, ArrowRight: app.at + 1, Home: 0, End: app.opened.entries.length }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    app.stop();
    app.go(to);
  });
  addEventListener("beforeprint", () => print.before());
  addEventListener("afterprint", () => print.after());
  addEventListener("beforeunload", (event) => kept.lost && event.preventDefault());
  let from = null;
  document.addEventListener("touchstart", (event) => {
    from = event.touches.length === 1 && event.target.closest(".svg svg") ? event.touches[0] : null;
  }, { passive: true });
  document.addEventListener("touchend", (event) => {
    if (!app.opened || !from) return;
    const to = event.changedTouches[0];
    const dx = to.clientX - from.clientX;
    if (Math.abs(dx) > 60 && Math.abs(dx) > 2 * Math.abs(to.clientY - from.clientY)) app.go(app.at + (dx < 0 ? 1 : -1));
    from = null;
  }, { passive: true });
  const link = document.getElementById("record");
  if (link) app.home = referee.file(link.getAttribute("href"));
  if (!link || !app.take(app.home)) {
    if (document.querySelector("[data-game]")) front.show();
    else page.append(tools.section());
  }
  installed.start();
  performance.measure("ready");
  document.documentElement.dataset.ready = "yes";
})();
