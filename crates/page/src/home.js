// The player's games, kept in this browser: the front page with them, and what stands beside the board of one of them. Everything is asked
// of the module; what a game, a letter or a name says is put into the page as text.
const home = {
  // The game that is shown, with what only its player may know; and whether everybody's view is shown.
  game: null,
  public: false,
  // What was said last: lines, and whether they are bad news.
  said: null,
  state: null,
  // What was typed to prepare replies and was refused: theirs, and the answers.
  foreseen: ["", ""],

  // What is to be read once the player's games are open: bytes, and the record that they are, if they are one.
  waiting: null,
  // A record that is only looked at, and could be kept.
  looked: "",

  // Reads what came in, unless it is a record that has nothing to do with the games kept here; that is only shown. Returns whether it does.
  reads(bytes, record) {
    if (keep.refused) return false;
    if (keep.locked() || !this.state?.name) {
      if (record !== null) return false;
      this.waiting = [bytes, record];
      if (app.opened) this.leave();
      this.said = { lines: [keep.locked() ? "Open your games first: then the letter is read." : "Say first who you are: then the letter is read."], bad: true };
      this.front();
      say(this.said.lines[0]);
      document.getElementById("home")?.scrollIntoView();
      return true;
    }
    if (record !== null && !this.concerns(record)) {
      this.looks(record);
      return true;
    }
    letters.read({ base64: base64(bytes) }, this.game && this.game.game, record);
    return true;
  },

  // Reads what has waited.
  resumed() {
    if (!this.waiting || keep.locked() || !this.state?.name) return;
    const [bytes, record] = this.waiting;
    this.waiting = null;
    this.reads(bytes, record);
  },

  // Shows a record that is not kept.
  looks(record) {
    Object.assign(this, { game: null, public: false, said: null, looked: record });
    if (app.take(record)) scrollTo(0, 0);
  },

  // Whether a record is of a kept game, or of the player.
  concerns(record) {
    const { id, game, players } = referee.ask({ call: "open", record });
    if (!game) return false;
    const is_here = [...keep.files.keys()].some((path) => /^data\/(games|invitations|known)/.test(path) && path.includes(id));
    const mine = this.state.email && this.state.email.toLowerCase();
    return is_here || players.some(({ email, key }) => (email && email.toLowerCase() === mine) || (key && this.state.key && key === this.state.key.fingerprint));
  },

  async start() {
    // A copy that was saved with a game in it may have come from somebody, who could have changed what it does.
    if (document.getElementById("record")) keep.refused = "this page came with a game, so whoever sent it could have changed it, and it asks for no secret, key or passphrase; make a page of your own with `postrider page --referee`";
    else await keep.open();
    keep.changed = () => this.followed();
    // The machine asks the referee alone: what it is given is no kept game.
    referee.alone = referee.ask;
    const ask = referee.ask.bind(referee);
    referee.ask = (request) => (this.game && request.record === this.game.record ? this.asked(request, ask) : ask(request));
  },

  // Another tab has changed something.
  followed() {
    if (keep.locked()) return app.opened && this.game ? this.leave() : this.front();
    if (this.game && app.opened && app.record === this.game.record) this.show(this.game.game);
    else if (!app.opened) this.front();
  },

  // What the page asks about the record of a kept game is answered as its player may know it.
  asked(request, ask) {
    const { game } = this.game;
    const answered = (answer) => (answer.error ? answer : answer.refused ? { refused: answer.refused } : answer.done);
    switch (request.call) {
      case "open": {
        const opened = ask(request);
        if (!opened.game) return opened;
        const { is_mine: mine, own, over, waits } = this.game;
        const due = opened.standing.due;
        return { ...opened, playable: mine, why_not: mine || over ? null : waits ? "it is an invitation that you have not accepted" : own ? `it is the turn of ${due}: read the letter that brings the next entry` : "it is not known which side is yours" };
      }
      case "position": {
        const { at, begun, from, look } = request;
        const answer = answered(keep.look({ do: "view", game, at, begun: begun || "", from, look: look || "classes", public: this.public }));
        return answer.refused ? { error: answer.refused.message } : answer;
      }
      case "next":
        return answered(keep.look({ do: "next", game, begun: request.begun || "", seed: request.seed || 0 }));
      case "judge":
      case "append": {
        const answer = answered(keep.look({ do: "judge", game, typed: request.typed, ...(request.message ? { message: request.message } : {}) }));
        return answer.choose || answer.stands ? { refused: { message: "this is only a part of the entry" } } : answer;
      }
      default:
        return ask(request);
    }
  },

  // Shows a kept game, or an invitation.
  show(game) {
    const answer = keep.look({ do: "game", game });
    if (!answer.done) return this.tell(answer.refused || { message: answer.error, acts: [] });
    this.said = null;
    this.game = answer.done;
    letters.still(game, this.game.record);
    app.history = [];
    app.kept = "";
    if (!app.opened || app.opened.id !== game) app.turned = false;
    machine.stop();
    machine.level = 0;
    return app.take(this.game.record, true);
  },

  leave() {
    this.foreseen = ["", ""];
    this.game = null;
    this.public = false;
    this.said = null;
    app.leave();
    this.front();
  },

  // Says why something was not done, with what may be insisted on.
  tell(refused, again) {
    const lines = [refused.message, refused.advice].filter(Boolean);
    const more = (refused.acts || []).map((act) => again && typeof act === "string" && this.INSIST[act] ? button(this.INSIST[act], () => again({ [act.replace(/-/g, "_")]: true }), { "data-insist": act }) : null).filter(Boolean);
    if (again && /passphrase|locked/.test(refused.message)) {
      const phrase = make("input", { type: "password", id: "key-phrase", autocomplete: "current-password", "aria-label": "The passphrase of your key" });
      more.push(phrase, button("Use it", () => {
        keep.passphrase = phrase.value;
        again({});
      }));
    }
    this.said = { lines, bad: true, more, rule: refused.rule, text: refused.text };
    say(lines.join(". "));
    if (this.game) this.refresh();
    else this.front();
    return false;
  },

  INSIST: {
    "accept-rewritten": "Take the record as it is", "despite-key": "Go on in spite of the key", "only-here": "I have made no entries elsewhere",
    "despite-entries": "Accept it with these entries", unsent: "Take it back: it was not sent", agreed: "Yes, sign my games here",
  },

  // What was said, as a part of the page.
  told() {
    if (!this.said) return null;
    const { lines, bad, more, rule, text } = this.said;
    return make("div", { class: (bad ? "bad" : "good") + " tools", id: "said", tabindex: "-1" }, lines.map((line) => make("p", {}, prose(line))),
      rule && text ? make("details", {}, make("summary", {}, "The rule " + rule), make("div", { class: "rule", tabindex: "0" }, text)) : null,
      more && more.length ? make("div", { class: "bar" }, more) : null);
  },

  refresh() {
    if (!app.opened) return;
    app.drawn();
    document.getElementById("said")?.scrollIntoView({ block: "nearest" });
  },

  // Does something about the game that is shown, and shows it as it is then.
  async act(deed) {
    const { game } = this.game;
    const answer = await keep.change({ game, ...deed });
    const again = (more) => this.act({ ...deed, ...more });
    if (answer.error || answer.refused) return this.tell(answer.refused || { message: answer.error, acts: [] }, again);
    for (const letter of answer.letters) letters.written.set(game, letter);
    if (!answer.letters.length && ["enter", "answer", "undo", "date-anew"].includes(deed.do)) letters.written.delete(game);
    this.show(game);
    const lines = answer.notices.map(({ text }) => text);
    const done = answer.done;
    if (done.line && deed.do !== "undo") lines.unshift(`Entered: ${done.line}` + (done.outcome ? ` (${done.outcome})` : ""));
    if (done.thrown && done.thrown.length) lines.push("thrown: " + done.thrown.map((faces) => faces.join(" ")).join("; "));
    if (done.secret) lines.push("A secret was made for this game: without it you cannot go on. Make a backup (front page), and again when games have changed.");
    if (lines.length) this.said = { lines, bad: false };
    this.refresh();
    say(lines[0] || "Done");
    document.getElementById("said")?.focus({ preventScroll: true });
    return done;
  },

  enter(typed) {
    const message = play.said();
    return this.act({ do: "enter", typed, ...(message ? { message } : {}) });
  },

  // What stands beside the board of a kept game.
  panel() {
    if (!app.opened) return null;
    if (!this.game && this.looked === app.record && this.state?.name && !app.opened.practice) {
      return make("section", { class: "note tools", id: "looked", "aria-label": "This record" }, make("p", {}, "You only look at this record: it is not one of your games."),
        make("div", { class: "bar" }, button("My games", () => this.leave(), { id: "my-games" }), app.opened.standing.outcome ? null : button("I play in it: keep it", () => letters.read({ letter: app.record, vouched: true }), { id: "keep-it" })));
    }
    if (!this.game || app.record !== this.game.record) return null;
    const { game, own, own_last: mine, sent, forced, hidden, keys, sealed, over, publishable, waits, warning, reply, invited, is_mine: turn, asked_back: back } = this.game;
    const { entries, players } = app.opened;
    const parts = [make("div", { class: "bar" }, button("My games", () => this.leave(), { id: "my-games" }),
      sealed && own ? button(this.public ? "Show what I see" : "Show what all see", () => {
        this.public = !this.public;
        app.draw();
      }, { id: "eyes", "aria-pressed": String(this.public) }) : null)];
    parts.push(keep.altered ? make("p", { class: "bad" }, keep.altered) : null, this.told());
    if (waits) {
      parts.push(make("p", {}, "You are invited to this game."), make("div", { class: "bar" },
        button("Accept", () => this.act({ do: "accept" }), { class: "main", id: "accept" }),
        button("Decline", () => this.decline(game), { id: "decline" })));
      return make("section", { class: "tools", id: "kept-game", "aria-label": "This game" }, parts);
    }
    if (!own && !over) {
      parts.push(make("p", {}, "Which side is yours?"), make("div", { class: "bar" }, players.map(({ side, name }) => button(`${side} (${name})`, () => this.act({ do: "own", side })))));
    }
    if (warning) parts.push(make("p", { class: "bad" }, warning));
    if (hidden.length && !this.public) parts.push(make("ul", { id: "hidden", "aria-label": "What only you see" }, hidden.map((line) => make("li", {}, line))));
    // What the opponent did since the player's own last entry, step by step.
    const since = entries.findLastIndex(({ side }) => side === own) + 1;
    if (own && since < entries.length) {
      parts.push(make("div", { class: "bar" }, button(entries.length - since === 1 ? "Show what happened" : `Show what happened: ${entries.length - since} entries`, () => {
        app.go(since);
        app.autoplay();
      }, { id: "since" })));
    }
    if (forced) parts.push(make("p", {}, "What you have to enter is forced."), make("div", { class: "bar" }, button("Make the forced entry", () => this.act({ do: "answer" }), { class: "main", id: "forced" })));
    if (reply) parts.push(make("p", {}, `You foresaw ${reply.theirs}, and prepared ${reply.mine}.`), make("div", { class: "bar" }, button("Make the prepared reply", () => this.act({ do: "answer" }), { class: "main", id: "prepared" })));
    if (back) parts.push(make("p", { class: "bad" }, `The host has not entered your entry ${back}, because of its time. The same entry with the present time is to be sent.`), make("div", { class: "bar" }, button("Date it anew", () => this.act({ do: "date-anew" }), { class: "main", id: "date-anew" })));
    parts.push(letters.panel(game));
    const signed = keys.some(({ side }) => side === own);
    if (invited && !entries.length && own && !turn) parts.push(make("p", { id: "accepted" }, `You have accepted. ${players.find(({ side }) => side !== own).name} makes the first entry; until then there is nothing to send.`));
    if (mine || (!entries.length && own && !invited)) {
      const to = players.find(({ side }) => side !== own)?.email;
      if (!letters.written.has(game)) {
        parts.push(make("p", {}, sent ? "The letter about this was written before." : entries.length ? "Your entry is made; your opponent does not have it yet." : "Your opponent is not invited yet."),
          to ? null : make("label", {}, "Your opponent's mail address", make("input", { type: "email", id: "letter-to", autocomplete: "off" })),
          make("div", { class: "bar" }, button(sent ? "The letter again" : "The letter", () => letters.write(game, sent), { class: sent ? null : "main", id: "write" }),
            mine && !over && !signed ? button("Take the entry back", () => this.act({ do: "undo" }), { id: "take-back" }) : null));
      } else if (mine && !over && !signed) parts.push(make("div", { class: "bar" }, button("Take the entry back", () => this.act({ do: "undo" }), { id: "take-back" })));
    }
    if (publishable) parts.push(make("p", {}, "The game is over. When both have published their secrets, everybody can check that all was fair."),
      make("div", { class: "bar" }, button("Publish the secret", () => this.act({ do: "publish" }), { id: "publish" }), button("Audit", () => this.audit(), { id: "audit" })));
    for (const { side, fingerprint, told, trusted } of keys) {
      const who = players.find((player) => player.side === side);
      parts.push(make("p", { class: "key" }, side === own ? "You sign with " : `${who.name} signs with `, make("code", {}, fingerprint), side === own ? "" : ": " + told),
        side === own || trusted || !own ? null : make("div", { class: "bar" }, button("It is the right one: trust it", () => this.trust(who.email || who.name, fingerprint), { "data-trust": side })));
    }
    if (own && !over) parts.push(this.replies());
    if (!over) parts.push(make("details", { id: "letter-in" }, make("summary", {}, "A letter came"), letters.form(game)));
    return make("section", { class: "tools", id: "kept-game", "aria-label": "This game" }, parts.filter(Boolean));
  },

  // Replies that the player prepares: if they enter this, I answer that. They stay here.
  replies() {
    const { game, conditions, elsewhere, is_mine: turn } = this.game;
    if (turn && !conditions.length) return null;
    const prepare = async (deed) => {
      const answer = await keep.change({ game, ...deed });
      if (!answer.done) return this.tell(answer.refused || { message: answer.error, acts: [] });
      this.foreseen = ["", ""];
      this.show(game);
      this.said = { lines: [deed.do === "prepare" ? "The reply is prepared. It stays here: nobody sees it before it is made." : "The reply is taken back."], bad: false };
      this.refresh();
      document.getElementById("replies").open = true;
      return say(this.said.lines[0]);
    };
    const tree = (branches, above) => make("ul", {}, branches.map(({ if: theirs, then: mine, next }) => {
      const path = [...above, theirs];
      return make("li", {}, `${theirs}: I answer ${mine} `, button("Take back", () => prepare({ do: "unprepare", path }), { "aria-label": `Take back the reply to ${path.join(", ")}` }), next ? tree(next, path) : null);
    }));
    const field = (id, label, value) => make("label", {}, label, make("input", { type: "text", id, value, autocomplete: "off", autocapitalize: "none", spellcheck: "false" }));
    const box = make("details", { id: "replies", ...(this.foreseen.join("") ? { open: true } : {}) }, make("summary", {}, conditions.length ? "Prepared replies" : "Prepare replies"));
    if (elsewhere) box.append(make("p", { class: "bad" }, "They are for another record of this game, and are not used with this one."));
    if (conditions.length) box.append(tree(conditions, []));
    if (!turn) {
      box.append(make("p", {}, "More of them in turn stand in each field behind commas. Each is judged now, as if it were made; the reply is made when you say so, and only in that position."),
        field("if-they", "If they enter", this.foreseen[0]), field("then-mine", "I answer", this.foreseen[1]),
        button("Prepare", () => {
          this.foreseen = ["if-they", "then-mine"].map((id) => box.querySelector("#" + id).value);
          const [theirs, mine] = this.foreseen.map((typed) => typed.split(",").map((text) => text.trim()));
          if (theirs.length !== mine.length) return this.tell({ message: "each of their entries needs a reply", acts: [] });
          return prepare({ do: "prepare", entries: theirs.flatMap((one, nth) => [one, mine[nth]]) });
        }, { id: "prepare" }));
    }
    return box;
  },

  async trust(who, key) {
    const answer = await keep.change({ do: "key", what: "trust", who, key });
    if (!answer.done) return this.tell(answer.refused || { message: answer.error, acts: [] });
    this.show(this.game.game);
    this.said = { lines: [`${who} is trusted to sign by ${key}`], bad: false };
    return this.refresh();
  },

  async decline(game) {
    const answer = await keep.change({ do: "decline", game, tell: true });
    if (answer.error || answer.refused) return this.tell(answer.refused || { message: answer.error, acts: [] });
    this.leave();
    const [letter] = answer.letters;
    this.said = { lines: [`${game} is declined.`], bad: false, more: letter ? [make("a", { class: "button", href: `mailto:${encodeURIComponent(letter.to).replace(/%40/g, "@")}?subject=${encodeURIComponent(letter.subject)}&body=${encodeURIComponent(letter.text)}` }, "Tell " + letter.to)] : [] };
    this.front();
  },

  audit() {
    const answer = keep.look({ do: "audit", game: this.game.game });
    if (!answer.done) return this.tell(answer.refused || { message: answer.error, acts: [] });
    const { sound, proof, text } = answer.done;
    this.said = { lines: [sound ? "Nothing speaks against either player." : "Something is wrong: read below."], bad: !sound, more: [make("p", {}, "The result: " + proof), make("pre", { id: "audited", tabindex: "0" }, text)] };
    this.refresh();
  },

  // The front page: what is kept, at its top.
  front() {
    if (app.opened) return;
    const page = document.getElementById("page");
    document.getElementById("home")?.remove();
    const section = make("section", { id: "home", class: "wide tools", "data-made": true, "aria-labelledby": "home-title" }, make("h2", { id: "home-title" }, "My games"),
      keep.altered ? make("p", { class: "bad", id: "altered" }, keep.altered) : "", this.told() || "", ...this.parts());
    page.querySelector("header").after(section);
  },

  parts() {
    if (keep.refused) return [make("p", { class: "note" }, prose("No games by mail here: " + keep.refused + "."))];
    if (keep.locked()) return [this.opening()];
    const answer = keep.look({ do: "look" });
    if (!answer.done) return [make("p", { class: "bad" }, (answer.refused || { message: answer.error }).message), this.backups()];
    const state = (this.state = answer.done);
    if (!state.name) return [this.who(state), this.backups()];
    const row = (one) => {
      const against = one.players && one.own ? one.players[one.sides[0] === one.own ? 1 : 0] : (one.players || []).join(" – ");
      const what = one.why || one.outcome || (one.rank === "yours" ? (one.forced ? "forced: " : "your turn: ") + one.what : `waits for ${one.due}`);
      const left = one.left && !one.outcome ? `, ${one.left} left` : "";
      const owed = one.letter === "owed" && !one.outcome ? "; the letter is not written yet" : "";
      return make("li", {}, one.id ? button(`${one.title} against ${against}`, () => this.show(one.id) && scrollTo(0, 0), { class: one.rank === "yours" ? "main" : null, "data-id": one.id }) : make("b", {}, one.file), " ", what + left + owed);
    };
    const invited = state.invitations.map((one) => make("li", {}, button(`${one.title}: you are invited by ${one.players.filter(({ side }) => side !== one.own).map(({ name }) => name).join(", ")}`, () => this.show(one.id) && scrollTo(0, 0), { class: "main", "data-id": one.id })));
    return [
      state.games.length || invited.length ? make("ul", { id: "kept", class: "kept" }, invited, state.games.map(row)) : make("p", {}, "None yet. Begin one, or read the letter that invites you."),
      make("details", { id: "came" }, make("summary", {}, "A letter came"), letters.form()),
      make("details", { id: "begin-mail" }, make("summary", {}, "Begin a game by mail"), this.beginning()),
      this.keys(state),
      this.backups(),
      this.evidence(),
      make("details", { id: "me" }, make("summary", {}, `I am ${state.name}${state.email ? ` <${state.email}>` : ""}`), this.who(state)),
      this.phrases(),
    ];
  },

  // Another passphrase for what this browser stores.
  phrases() {
    const phrase = (id, label, auto) => make("label", {}, label, make("input", { type: "password", id, autocomplete: auto }));
    const box = make("details", { id: "phrases" }, make("summary", {}, keep.lock ? "Change the passphrase" : "Protect my games with a passphrase"));
    const value = (id) => box.querySelector("#" + id).value;
    box.append(make("p", {}, keep.lock ? "Secrets and keys are locked anew. Backups that were made before open with the passphrase that they were made with." : "Secrets and keys are stored in this browser only under the passphrase, and each time that the page is opened it asks for it. Nobody can tell it to you if you forget it."),
      keep.lock ? phrase("old-phrase", "The passphrase until now", "current-password") : "", phrase("new-phrase", "The new passphrase", "new-password"), phrase("new-again", "Once more", "new-password"),
      button(keep.lock ? "Change it" : "Use it", async () => {
        const wrong = value("new-phrase") !== value("new-again") ? "the two new passphrases differ" : await keep.relock(keep.lock ? value("old-phrase") : "", value("new-phrase"));
        if (wrong) return this.tell({ message: wrong, acts: [] });
        this.said = { lines: ["From now on this page opens with the new passphrase."], bad: false };
        this.front();
        return say(this.said.lines[0]);
      }, { id: "relock" }));
    return box;
  },

  // Asks for the passphrase that protects what is private.
  opening() {
    const phrase = make("input", { type: "password", id: "phrase", autocomplete: keep.lock ? "current-password" : "new-password" });
    const wrong = make("p", { class: "bad", hidden: true });
    const open = async () => {
      wrong.hidden = true;
      const fault = await keep.unlock(phrase.value);
      if (!fault) {
        this.said = null;
        this.front();
        return this.resumed();
      }
      wrong.hidden = false;
      wrong.textContent = fault;
      say(fault);
    };
    const form = make("form", { onsubmit: (event) => event.preventDefault() },
      make("p", {}, keep.lock ? "Your games are here. Their secrets and your key are locked." : "Play by mail, with dice and hidden things that nobody can cheat with: this browser keeps your games. The page was opened from a disk, where other pages could read what it stores, so choose a passphrase: secrets and keys are stored only under it."),
      make("label", {}, "Passphrase", phrase), wrong,
      button(keep.lock ? "Open" : "Use this passphrase", open, { class: "main", id: "unlock" }));
    phrase.addEventListener("keydown", (event) => event.key === "Enter" && (event.preventDefault(), open()));
    return form;
  },

  // Opens the form that begins a game by mail, if the player is known.
  begins(game) {
    const form = document.getElementById("begin-mail");
    if (!form) return false;
    form.open = true;
    const choice = form.querySelector("#mail-game");
    choice.value = game;
    choice.dispatchEvent(new Event("change"));
    form.scrollIntoView();
    choice.focus({ preventScroll: true });
    return true;
  },

  // Does something on the front page, and shows what came of it.
  async settle(deed, told) {
    const answer = await keep.change(deed);
    if (answer.error || answer.refused) return this.tell(answer.refused || { message: answer.error, acts: [] }, (more) => this.settle({ ...deed, ...more }, told));
    this.said = told ? { lines: [].concat(told(answer.done)), bad: false } : null;
    this.front();
    say(this.said ? this.said.lines[0] : "Done");
    return answer.done;
  },

  who(state) {
    const field = (id, label, type, value) => make("label", {}, label, make("input", { type, id, value: value || "", autocomplete: "off" }));
    const form = make("form", { onsubmit: (event) => event.preventDefault() },
      state.name ? null : make("p", {}, "Play by mail, with dice and hidden things that nobody can cheat with. Say who you are, as your opponents know you; it stays in this browser and in your games."),
      field("my-name", "My name", "text", state.name), field("my-mail", "My mail address", "email", state.email),
      button(state.name ? "Change" : "Begin", async () => {
        const value = (id) => form.querySelector("#" + id).value.trim();
        if (await this.settle({ do: "settle", name: value("my-name"), email: value("my-mail") || null })) {
          this.resumed();
          if (!(await keep.persist())) {
            this.said = { lines: ["This browser does not promise to keep what is stored here: make a backup when games have changed."], bad: false };
            this.front();
          }
        }
      }, { class: "main", id: "settle" }));
    return form;
  },

  beginning() {
    const { games } = tools.about();
    const game = make("select", { id: "mail-game" }, games.map((one) => make("option", { value: one.name }, one.title)));
    const rest = make("div");
    const form = make("form", { onsubmit: (event) => event.preventDefault() }, make("label", {}, "Game ", game), rest);
    const fill = () => {
      const one = games.find((one) => one.name === game.value);
      const field = (id, label, type, hint) => make("label", {}, label, make("input", { type, id, autocomplete: "off", placeholder: hint || "" }));
      const check = (id, label) => make("label", {}, make("input", { type: "checkbox", id }), " ", label);
      rest.replaceChildren(make("p", {}, prose(one.about)),
        make("label", {}, "My side ", make("select", { id: "mail-side" }, one.sides.map((side) => make("option", { value: side }, side)))),
        field("mail-name", "Opponent's name", "text"), field("mail-mail", "Opponent's mail address", "email"),
        field("mail-title", "Title (optional)", "text"), field("mail-clock", "Clock (optional)", "text", "5d, 50d/10, 30d+1d"),
        one.sealable ? check("mail-open", "Play openly: dice and hidden things as at a table, by trust") : check("mail-plain", "My opponent has only a mail program"),
        tools.options(one, "mail-"),
        button("Begin", () => {
          const value = (id) => form.querySelector("#" + id)?.value.trim() || null;
          const open = Boolean(form.querySelector("#mail-open")?.checked);
          return this.begin({ do: "begin", game: one.name, side: value("mail-side"), name: value("mail-name") || "", email: value("mail-mail"), title: value("mail-title"),
            clock: value("mail-clock"), options: tools.chosen(one, form), open, by_mail: Boolean(form.querySelector("#mail-plain")?.checked) });
        }, { class: "main", id: "mail-begin" }));
    };
    game.addEventListener("change", fill);
    fill();
    return form;
  },

  async begin(deed) {
    const answer = await keep.change(deed);
    if (!answer.done) return this.tell(answer.refused || { message: answer.error, acts: [] }, (more) => this.begin({ ...deed, ...more }));
    this.show(answer.done.game);
    return scrollTo(0, 0);
  },

  // Has a file made, to be saved. What was made before can no longer be saved meanwhile: it is another file.
  async made(deed, name, what) {
    this.said = null;
    document.getElementById("said")?.remove();
    const answer = await keep.change(deed);
    if (!answer.done) return this.tell(answer.refused || { message: answer.error, acts: [] });
    this.said = { lines: [what(answer.done)], bad: false, more: [this.saved(name || answer.done.name, answer.done.text)] };
    this.front();
    return true;
  },

  // A file to save.
  saved(name, text) {
    return make("a", { class: "button main", id: "save-file", download: name, href: "data:text/plain;base64," + base64(new TextEncoder().encode(text)) }, "Save " + name);
  },

  // Reads a chosen file as text.
  chosen(input) {
    const file = input.files[0];
    return file && file.size < 64 * 1024 * 1024 ? file.text() : null;
  },

  keys(state) {
    const phrase = (id, label) => make("label", {}, label, make("input", { type: "password", id, autocomplete: "off" }));
    const box = make("details", { id: "keys" }, make("summary", {}, state.key ? "Keys" : "Keys: sign your entries"));
    const value = (id) => box.querySelector("#" + id).value;
    const file = (id) => make("input", { type: "file", id });
    if (!state.key) {
      box.append(make("p", {}, "With a key, your opponent and everybody else can be sure that your entries are yours. Games that you begin or enter from then on declare it. Without the key such a game cannot go on: make a backup."),
        button("Make a key", () => this.settle({ do: "key", what: "make", passphrase: null }, ({ fingerprint }) => ["Your key is made. Its fingerprint, to read out to your opponents: " + fingerprint]), { class: "main", id: "make-key" }),
        make("label", {}, "Or import one (a backup of the program or this page, or OpenSSH's Ed25519)", file("import-key")), phrase("import-phrase", "Its passphrase, if it has one"),
        button("Import a key", async () => {
          const text = await this.chosen(box.querySelector("#import-key"));
          if (text) this.settle({ do: "key", what: "import", key: text, opens: value("import-phrase") || null, passphrase: null }, ({ fingerprint }) => ["Your key is " + fingerprint]);
        }, { id: "import-it" }));
    } else {
      box.append(make("p", {}, "My key: ", make("code", { id: "fingerprint" }, state.key.fingerprint), state.key.locked ? " (locked with a passphrase)" : "", state.key.withdrawn ? ", " + state.key.withdrawn : ""),
        phrase("export-phrase", "A passphrase for the copy"),
        button("Export the key", () => this.made({ do: "key", what: "export", passphrase: value("export-phrase") }, "postrider-key.pem", () => "The copy opens only with its passphrase; `postrider key import` reads it too."), { id: "export-key" }),
        phrase("key-own-phrase", state.key.locked ? "Another passphrase of its own; empty for none" : "A passphrase of its own, which is asked for before the key signs"),
        button(state.key.locked ? "Change its passphrase" : "Lock the key", () => {
          const own = value("key-own-phrase");
          return this.settle({ do: "key", what: "lock", passphrase: own || null }, () => {
            keep.passphrase = null;
            return own ? "From now on the key signs only with its own passphrase." : "The key has no passphrase of its own now.";
          });
        }, { id: "lock-key" }));
    }
    if (state.key) {
      box.append(make("label", {}, "The code of a host that asks whether the key is mine", make("input", { type: "text", id: "prove-code", autocomplete: "off" })),
        button("Sign that it is", () => this.settle({ do: "key", what: "prove", code: value("prove-code") }, ({ line }) => ["Reply to the host's letter with this line:", line]), { id: "prove-it" }),
        this.ending(state.key));
    }
    box.append(make("h3", {}, "Opponents' keys"), state.trusted.length ? make("ul", {}, state.trusted.map(({ who, fingerprint, confirmed, withdrawn }) => make("li", {}, `${who}: `, make("code", {}, fingerprint), withdrawn ? `, ${withdrawn} ` : confirmed ? ", trusted " : ", seen first ",
      confirmed || withdrawn ? button("No longer", () => this.settle({ do: "key", what: "untrust", who })) : button("It is the right one", () => this.settle({ do: "key", what: "trust", who, key: fingerprint }))))) : make("p", {}, "None yet."),
      make("label", {}, "Whose (mail address)", make("input", { type: "text", id: "trust-who", autocomplete: "off" })), make("label", {}, "Fingerprint or key, as read out to you", make("input", { type: "text", id: "trust-key", autocomplete: "off" })),
      button("Trust", () => this.settle({ do: "key", what: "trust", who: value("trust-who"), key: value("trust-key") }, ({ who, fingerprint }) => [`${who} is trusted to sign by ${fingerprint}`]), { id: "trust-it" }));
    return box;
  },

  // A key that somebody else may have, or that is to be replaced.
  ending(key) {
    const box = make("details", { id: "key-end" }, make("summary", {}, "Replace or withdraw my key"));
    const phrase = make("input", { type: "password", id: "new-key-phrase", autocomplete: "new-password" });
    const sure = make("input", { type: "checkbox", id: "withdraw-sure" });
    const statement = ({ statement }) => (statement ? ["These lines say it in any other mail, whoever sends it:", ...statement.split("\n")] : []);
    const withdraw = button("Withdraw it now", () => this.settle({ do: "key", what: "withdraw" }, (done) => ["Your key is withdrawn for good: no new game declares it, and each letter that you send from now on says so. Your opponents must agree to each further entry that it signs.", ...statement(done)]), { id: "withdraw-key" });
    withdraw.disabled = true;
    sure.addEventListener("change", () => { withdraw.disabled = !sure.checked; });
    box.append(make("p", {}, "New games declare the new key; those that declare the old one go on with that, which is kept. The old key signs that the new one follows it, unless it is withdrawn."),
      key.locked ? make("label", {}, "A passphrase for the new key", phrase) : "",
      button("Make a new key", () => this.settle({ do: "key", what: "rotate", passphrase: phrase.value || null }, (done) => {
        // That of the old one.
        keep.passphrase = null;
        return ["New games declare your new key. Its fingerprint, to read out to your opponents: " + done.fingerprint, ...statement(done)];
      }), { id: "rotate-key" }),
      ...(key.withdrawn ? [] : [make("p", {}, "If somebody else may have your key, withdraw it. That cannot be taken back."), make("label", {}, sure, " Withdraw my key for good"), withdraw]));
    return box;
  },

  backups() {
    const box = make("details", { id: "backups" }, make("summary", {}, "Back up and restore"));
    const value = (id) => box.querySelector("#" + id).value;
    const phrase = (id, label, auto) => make("label", {}, label, make("input", { type: "password", id, autocomplete: auto }));
    box.append(make("p", {}, "One file with everything: games, secrets, keys, and what was signed. It opens only with its passphrase, here and with `postrider restore`; this page opens those of `postrider backup`."),
      phrase("backup-phrase", "A passphrase for the backup", "new-password"),
      button("Back up", () => this.made({ do: "backup", passphrase: value("backup-phrase") }, null, ({ records }) => `A backup of ${records} ${records === 1 ? "game" : "games"} is ready.`), { id: "back-up" }),
      make("label", {}, "A backup", make("input", { type: "file", id: "restore-file" })), phrase("restore-phrase", "Its passphrase", "off"),
      button("Restore", async () => {
        const text = await this.chosen(box.querySelector("#restore-file"));
        if (text) this.settle({ do: "restore", backup: text, passphrase: value("restore-phrase") }, ({ taken, restored, here, doubtful }) => [`The backup of ${taken}: ${restored} files restored, ${here} were here already.`,
          ...(doubtful.length ? ["Entries made since then are not in it: read the newest letters of these games before you sign anything: " + doubtful.join(", ")] : [])]);
      }, { id: "restore" }),
      make("h3", {}, "Secrets of sealed games alone"),
      make("p", {}, "Without its secret a sealed game can only be resigned. `postrider secret import` reads what is saved here, and the other way round."),
      phrase("secrets-phrase", "A passphrase for the copy, or that of the copy", "off"),
      button("Export secrets", () => this.made({ do: "secrets", what: "export", passphrase: value("secrets-phrase") }, "postrider-secrets.txt", ({ count }) => `${count} ${count === 1 ? "secret is" : "secrets are"} ready to be saved.`), { id: "secrets-out" }),
      make("label", {}, "A copy of secrets", make("input", { type: "file", id: "secrets-file" })),
      button("Import secrets", async () => {
        const text = await this.chosen(box.querySelector("#secrets-file"));
        if (text) this.settle({ do: "secrets", what: "import", text, passphrase: value("secrets-phrase") || null }, ({ new: fresh, all }) => [`${all} ${all === 1 ? "secret" : "secrets"} read, ${fresh} of them new.`]);
      }, { id: "secrets-in" }));
    return box;
  },

  // Two copies of a game, to see whether somebody has signed twice for one turn.
  evidence() {
    const box = make("details", { id: "compare" }, make("summary", {}, "Two copies of one game: who signed what"));
    box.append(make("p", {}, "Where two records of a game disagree, the signatures tell whether a player has signed two entries for one turn."),
      make("label", {}, "One record", make("input", { type: "file", id: "one-record", accept: ".pbem,.txt" })),
      make("label", {}, "The other", make("input", { type: "file", id: "other-record", accept: ".pbem,.txt" })),
      button("Compare", async () => {
        const [one, other] = await Promise.all(["#one-record", "#other-record"].map((id) => this.chosen(box.querySelector(id))));
        if (typeof one !== "string" || typeof other !== "string") return this.tell({ message: "choose two records", acts: [] });
        const answer = keep.look({ do: "evidence", one, other });
        if (!answer.done) return this.tell(answer.refused || { message: answer.error, acts: [] });
        this.said = { lines: answer.done.text.split("\n"), bad: answer.done.against };
        this.front();
        say(this.said.lines[0]);
      }, { id: "compare-them" }));
    return box;
  },
};
