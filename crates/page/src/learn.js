// Lessons: a position with one thing to do in each, judged by the referee. Which are done is kept in this browser, where it keeps anything.
const learn = {
  prefix: "postrider/lessons/",
  lists: new Map(),

  done(game) {
    try {
      const kept = JSON.parse(localStorage.getItem(this.prefix + game));
      return new Set(Array.isArray(kept) ? kept.filter(Number.isInteger) : []);
    } catch {
      return new Set();
    }
  },

  note(game, number) {
    try {
      localStorage.setItem(this.prefix + game, JSON.stringify([...this.done(game).add(number)].sort((one, other) => one - other)));
    } catch {
      // It is not kept.
    }
  },

  of(game) {
    if (!this.lists.has(game)) this.lists.set(game, referee.ask({ call: "lessons", game }));
    return this.lists.get(game);
  },

  // The first lesson that is not done.
  next(game) {
    const done = this.done(game);
    const open = this.of(game).lessons.find((lesson) => !done.has(lesson.number));
    return open ? open.number : 1;
  },

  // Shows a lesson.
  open(game, number) {
    const { title, lessons } = this.of(game);
    const lesson = { ...lessons[number - 1], game, of: lessons.length, game_title: title, said: null, solved: null };
    machine.stop();
    app.history = [];
    app.kept = "";
    if (!app.take(lesson.record, true, lesson)) return;
    scrollTo(0, 0);
    app.heading.focus({ preventScroll: true });
    say(`${title}, lesson ${number}: ${lesson.title}. ${lesson.text} ${lesson.task}`);
  },

  // What the page has of a lesson beside the board.
  parts() {
    const { lesson } = app;
    const rule = (number) => {
      const details = make("details", { ontoggle: () => {
        if (details.children.length > 1) return;
        const answer = referee.ask({ call: "rule", book: lesson.game, number });
        details.append(make("div", { class: "rule", tabindex: "0" }, answer.text || answer.error));
      } }, make("summary", {}, "Rule " + number));
      return details;
    };
    return [
      make("header", {}, make("h1", {}, `${lesson.game_title}, lesson ${lesson.number} of ${lesson.of}: ${lesson.title}`)),
      make("section", { class: "wide", id: "lesson", "aria-label": "The lesson" }, make("p", {}, lesson.text), lesson.rules.map(rule)),
    ];
  },

  // The lessons of the game, as a list beside the board.
  list() {
    const { game, number } = app.lesson;
    const done = this.done(game);
    return make("nav", { class: "entries", "aria-label": "Lessons" }, make("h2", {}, "Lessons"), make("ol", {}, this.of(game).lessons.map((lesson) =>
      make("li", {}, button(`${lesson.number}. ${lesson.title}` + (done.has(lesson.number) ? " \u2713" : ""), () => this.open(game, lesson.number), { "aria-current": lesson.number === number && "true", "aria-label": `${lesson.number}. ${lesson.title}` + (done.has(lesson.number) ? ", done" : "") })))));
  },

  heading() {
    return app.lesson.solved ? "Right." : "Your task";
  },

  about() {
    const { lesson } = app;
    if (lesson.solved) return [make("p", { class: "when" }, lesson.solved.actions), make("p", { id: "lesson-done" }, lesson.done)];
    return [make("p", { class: "end", id: "task" }, lesson.task)];
  },

  enter(typed) {
    const { lesson } = app;
    const answer = referee.ask({ call: "lesson", game: lesson.game, number: lesson.number, typed });
    if (answer.refused || answer.error) {
      play.explained = answer.refused || { message: answer.error };
      say(play.explained.message);
      return app.drawn();
    }
    if (!answer.solved) {
      lesson.said = { actions: answer.actions, says: answer.says };
      play.reset();
      play.look();
      app.drawn();
      return say(answer.says);
    }
    this.note(lesson.game, lesson.number);
    app.take(answer.record, true, { ...lesson, said: null, solved: answer });
    app.heading.focus({ preventScroll: true });
    say("Right. " + lesson.done);
  },

  // What there is to say of an entry that is legal and beside the task.
  said() {
    const said = app.lesson && app.lesson.said;
    return said ? make("div", { class: "note", id: "beside" }, make("p", {}, make("b", {}, said.actions)), make("p", {}, said.says)) : null;
  },

  panel() {
    const { lesson } = app;
    if (!lesson) return null;
    const { game, number, of } = lesson;
    const bar = make("div", { class: "bar" });
    if (lesson.solved && number < of) bar.append(button("Next lesson", () => this.open(game, number + 1), { class: "main", id: "next-lesson" }));
    if (lesson.solved && number === of) bar.append(button("Play your first game", () => this.first(game), { class: "main", id: "first-game" }));
    if (lesson.solved) bar.append(button("Once more", () => this.open(game, number)));
    else bar.append(button("Show a solution", () => play.take(lesson.solution), { id: "solution" }));
    if (!lesson.solved && number < of) bar.append(button("Skip", () => this.open(game, number + 1), { id: "skip" }));
    bar.append(button(app.home ? "Back to the game" : "All games", () => app.leave(), { id: "leave" }));
    return make("div", { class: "note tools", id: "lesson-panel" },
      lesson.solved && number === of ? make("p", {}, "That was the last lesson.") : null, bar);
  },

  // The first game, against level 1.
  first(game) {
    const [side] = tools.about().games.find((one) => one.name === game).sides;
    const answer = referee.ask({ call: "practice", game, side, level: 1, seed: crypto.getRandomValues(new Uint32Array(1))[0] >>> 8, started: new Date().toISOString().slice(0, 10) });
    if (answer.record) machine.play(answer.record);
  },

  // How far one is in each game.
  section() {
    const bar = make("div", { class: "bar" }, tools.about().games.map(({ name, title }) => {
      const [done, count] = [this.done(name).size, this.of(name).lessons.length];
      return button(title + (done ? `: ${done} of ${count} done` : `: ${count} lessons`), () => this.open(name, this.next(name)), { "data-learn": name });
    }));
    return make("div", {}, make("p", {}, "Short lessons, a position and one thing to do in each; the referee judges what you enter."), bar);
  },
};

// The page without a game: each game with its picture, a minute of rules, and what can be done with it.
const front = {
  parts: null,

  show() {
    const page = document.getElementById("page");
    if (!this.parts) this.parts = [...page.childNodes];
    page.replaceChildren(...this.parts);
    page.className = "index";
    page.append(tools.section());
    home.front();
    document.title = "postrider: a referee for games by mail";
    const left = [...page.querySelectorAll("[data-game]")].filter((section) => !section.dataset.filled);
    // One at a time, so that the page answers meanwhile.
    const next = () => {
      const section = left.shift();
      if (!section) return;
      this.fill(section);
      setTimeout(next);
    };
    next();
  },

  fill(section) {
    const game = section.dataset.game;
    section.dataset.filled = "yes";
    const pictures = () => (pictures.made ||= referee.ask({ call: "minute", game }).pictures || []);
    const holders = [...section.querySelectorAll(".svg")];
    const draw = (nth) => {
      const picture = pictures()[nth];
      if (picture && !holders[nth].firstChild) holders[nth].append(board.picture(picture.svg), ...(picture.entry ? [make("p", { class: "when" }, picture.entry)] : []));
    };
    draw(0);
    section.querySelector("details").addEventListener("toggle", () => holders.forEach((_, nth) => draw(nth)));
    section.append(make("div", { class: "bar tools", "data-made": true },
      button("Play against the machine", () => tools.practise(game), { class: "main", "data-practise": game }),
      button("Learn", () => learn.open(game, learn.next(game)), { "data-learn": game }),
      button("Play with somebody", () => tools.begin_with(game), { "data-begin": game })));
  },
};
