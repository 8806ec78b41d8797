// Makes an entry from taps, action by action. Only the module judges what is typed or tapped; no rule is known here.
const play = {
  actions: [],
  begun: [],
  picked: [],
  arranged: null,
  message: "",
  offers: false,
  explained: null,

  reset() {
    Object.assign(this, { begun: [], picked: [], arranged: null, message: "", offers: false, explained: null });
  },

  // Asks which actions may come next, and finds the places that each of them names.
  look() {
    this.next = referee.ask({ call: "next", record: app.record, begun: this.begun.join("; "), seed: crypto.getRandomValues(new Uint32Array(1))[0] });
    this.actions = this.next.actions || [];
    this.find();
    this.whole = this.begun.length > 0 && !this.ask("judge", this.entry()).refused;
  },

  // Finds the places that the actions name.
  find() {
    this.sequences = this.actions.map((action) => places(action, app.names));
  },

  said() {
    return this.message.trim().replace(/\s+/g, " ");
  },

  entry() {
    return this.begun.join("; ") + (this.offers && this.begun.length ? "; draw?" : "");
  },

  ask(call, typed) {
    return referee.ask({ call, record: app.record, typed, time: app.time(), ...(this.said() ? { message: this.said() } : {}) });
  },

  // Returns whether an action begins with these places, or, if `any`, names them in whatever order.
  fits(sequence, names, any) {
    if (!any) return names.every((name, nth) => sequence[nth] === name);
    const left = [...sequence];
    return names.every((name) => left.includes(name) && left.splice(left.indexOf(name), 1));
  },

  // The actions that begin with the places tapped so far; if none does, those that name them in another order.
  matching(names = this.picked) {
    const found = (any) => this.actions.filter((_, at) => this.fits(this.sequences[at], names, any));
    const first = found(false);
    return first.length ? first : found(true);
  },

  marks() {
    const marks = new Map();
    if (this.arranged) {
      for (const [, square] of this.arranged.done) marks.set(square, "from");
      return marks;
    }
    for (const action of this.matching()) {
      const sequence = this.sequences[this.actions.indexOf(action)];
      const next = this.fits(sequence, this.picked, false) ? [sequence[this.picked.length]] : sequence;
      for (const name of next) if (name) marks.set(name, this.picked.length ? "to" : "may");
    }
    for (const name of this.picked) marks.set(name, "from");
    return marks;
  },

  tapped(names) {
    this.explained = null;
    if (this.arranged) return this.arrange(names);
    const goes = [false, true].map((any) => names.find((name) => !(any && this.picked.includes(name)) &&
      this.sequences.some((sequence) => this.fits(sequence, [...this.picked, name], any)))).find(Boolean);
    if (goes) {
      this.picked.push(goes);
      const left = this.matching();
      const done = left.filter((action) => this.sequences[this.actions.indexOf(action)].length === this.picked.length);
      if (left.length === 1 && done.length === 1) return this.choose(done[0]);
      say(this.picked.join(", ") + ": " + left.length + (left.length === 1 ? " action is" : " actions are") + " possible");
    } else if (this.picked.length && names.includes(this.picked[0])) {
      this.picked = [];
    } else if (this.sequences.some((sequence) => names.includes(sequence[0]))) {
      this.picked = [names.find((name) => this.sequences.some((sequence) => sequence[0] === name))];
      const left = this.matching();
      if (left.length === 1 && this.sequences[this.actions.indexOf(left[0])].length === 1) return this.choose(left[0]);
    } else if (this.picked.length) {
      this.explain(this.picked[0], names);
    } else {
      this.picked = [names[0]];
      say(names[0]);
    }
    app.drawn();
  },

  // What is dragged: picked like by a tap, whatever was picked before. Returns whether something is held now.
  lifted(names) {
    if (this.arranged) return false;
    this.picked = [];
    this.tapped(names);
    return this.picked.length > 0;
  },

  // Puts down what is held; outside the board, or where it was, it is let go.
  dropped(names, from) {
    if (!this.picked.length) return;
    if (names.length && !names.some((name) => from.includes(name))) return this.tapped(names);
    this.picked = [];
    app.drawn();
  },

  // Explains why an action is not possible: judges the forms that it could have, and shows the first rule that is broken.
  explain(from, names) {
    const piece = app.seen.pieces.find((piece) => piece.place === from);
    const tries = [];
    for (const to of names) {
      for (const [at, action] of this.actions.entries()) {
        const [first, second] = this.sequences[at];
        if (first === from && second) tries.push(action.slice(0, action.lastIndexOf(second)) + to);
      }
      // First as the game writes its actions.
      const letters = this.actions.some((action) => /^[A-Z]/.test(action)) ? [piece?.letter || "", ""] : ["", piece?.letter || ""];
      for (const letter of letters) {
        for (const sign of ["-", "x", "*"]) tries.push(letter + from + sign + to);
      }
      tries.push(`move ${from}>${to}`, `play ${from}@${to}`, `attack ${from} ${to}`);
    }
    const begun = this.begun.map((action) => action + "; ").join("");
    let best = null;
    const since = performance.now();
    for (const [nth, action] of [...new Set(tries)].slice(0, 60).entries()) {
      const judged = this.ask("judge", begun + action);
      if (judged.number) return this.choose(action);
      if (judged.refused && (!best || (judged.refused.rule && !best.rule))) best = judged.refused;
      if (best && (best.rule || (nth >= 8 && performance.now() - since > 30))) break;
    }
    this.picked = [];
    this.explained = best || { message: `nothing goes from ${from} to ${names[0]}` };
    say(this.explained.message);
  },

  choose(action) {
    this.picked = [];
    this.explained = null;
    const examples = this.next.words && this.next.words[action];
    if (examples) {
      const parts = examples[0].slice(action.length).trim().split(" ");
      const squares = parts.filter((part) => app.names.includes(part.slice(-2)));
      this.arranged = { word: action, examples, left: squares.map((part) => part.slice(0, -2)), done: [], numbers: parts.filter((part) => /^[0-9]+$/.test(part)) };
    } else this.begun.push(action);
    const is_thrown = (this.next.thrown || []).includes(action);
    this.look();
    // What is thrown or drawn is entered before it is seen.
    if (is_thrown && this.whole && !app.lesson) return this.enter(this.entry());
    app.drawn();
    say(this.arranged ? action + ": tap a square for each piece" : this.begun.join("; ") + (this.whole ? ". This can be entered." : ""));
  },

  // Puts the next piece of an arrangement on a square.
  arrange(names) {
    const square = names.find((name) => /^[a-z][0-9]$/.test(name));
    const here = this.arranged;
    if (!square || !here.left.length) return;
    const there = here.done.findIndex(([, taken]) => taken === square);
    if (there >= 0) here.left.unshift(here.done.splice(there, 1)[0][0]);
    else here.done.push([here.left.shift(), square]);
    if (!here.left.length) this.take(here.word + " " + here.done.map((pair) => pair.join("")).join(" "));
    app.drawn();
  },

  // Takes a whole action that was typed or arranged.
  take(typed) {
    const begun = [...this.begun, typed.trim()].join("; ");
    const judged = this.ask("judge", begun);
    if (judged.refused) {
      // It may be the beginning of a longer entry.
      const next = referee.ask({ call: "next", record: app.record, begun });
      if (next.refused || !next.actions || (!next.actions.length && !next.whole)) {
        this.explained = judged.refused;
        this.arranged = null;
        say(judged.refused.message);
        return app.drawn();
      }
    }
    this.arranged = null;
    this.begun = begun.split(";").map((part) => part.trim()).filter(Boolean);
    this.explained = null;
    this.look();
    app.drawn();
  },

  async enter(typed) {
    if (app.lesson) return learn.enter(typed);
    if (home.game && app.record === home.game.record) return home.enter(typed);
    if (app.storing) return null;
    const answer = this.ask("append", typed);
    if (answer.refused || answer.error) {
      this.explained = answer.refused || { message: answer.error };
      say(this.explained.message);
      return app.drawn();
    }
    const last = app.opened.practice ? null : { record: app.record, answer };
    if (!(await app.stores(answer.record, last))) return null;
    if (last) app.history.push(last);
    app.take(answer.record, true);
    document.getElementById("sent")?.focus({ preventScroll: true });
    return say("Entered: " + answer.line + (answer.outcome ? ". " + answer.outcome : ""));
  },

  // Says what is wrong with what was tapped or typed, with the text of the rule.
  explanation() {
    const why = this.explained;
    if (!why) return null;
    return make("div", { class: "bad", id: "why" },
      make("p", {}, make("b", {}, why.rule ? `Not legal (${why.rule}): ` : "Not possible: "), prose(why.message)),
      why.text ? make("details", { open: true }, make("summary", {}, `The rule ${why.rule}`), make("div", { class: "rule", tabindex: "0" }, why.text)) : null);
  },

  panel() {
    const { standing, players } = app.opened;
    if (!app.opened.playable) {
      return standing.outcome ? null : make("div", { class: "note" }, make("p", {}, home.game ? "" : "This game cannot be played in the page: ", prose(app.opened.why_not), "."));
    }
    const form = make("form", { class: "tools", onsubmit: (event) => event.preventDefault() });
    const player = players.find((player) => player.side === standing.due);
    const { practice } = app.opened;
    form.append(make("h2", {}, practice ? `Your move: ${standing.what}` : `${player.name} (${standing.due}) to move: ${standing.what}`));
    if (standing.offer) form.append(make("p", { class: "note" }, `${standing.offer} offered a draw.`));
    if (this.arranged) form.append(this.arranging());
    else {
      const left = this.matching();
      const list = left.slice(0, 400).map((action) => this.offer(action));
      if (this.here()) {
        form.append(make("p", {}, "What can be done there stands below the board."));
      } else if (list.length) {
        form.append(make("p", { id: "hint" }, this.picked.length ? `From ${this.picked.join(", ")}: tap where it goes, or choose.` : "Tap a place on the board, or choose."));
        form.append(make("div", { class: "choices", role: "group", "aria-labelledby": "hint", tabindex: "0" }, list));
        if (left.length > 400) form.append(make("p", {}, `and ${left.length - 400} more: tap a place first`));
      } else if (this.picked.length) {
        form.append(make("p", {}, `Nothing can be done with ${this.picked[0]} now. Tap where it should go to see which rule forbids it.`));
      }
    }
    const why = this.explanation();
    if (why) form.append(why);
    form.append(this.details());
    return form;
  },

  // Whether the few actions that are left after a tap stand in sight below the board.
  here() {
    return this.picked.length > 0 && !this.arranged && this.matching().length > 0 && this.matching().length <= 24;
  },

  // A button for an action, which says what it takes where the action itself does not.
  offer(action) {
    const says = this.next.says && this.next.says[action];
    const made = button(action, () => this.choose(action), { "data-action": action });
    if (says) made.append(" ", make("small", {}, says));
    return made;
  },

  // What was begun does, as the description of the board has it: where from, where to, what is taken.
  does() {
    if (!app.shown || !app.seen || !app.seen.words) return "";
    const told = app.seen.words.match(/^Last entry: (.*)\.$/m);
    return told ? ` (${told[1]})` : "";
  },

  // What has been begun, and the buttons that enter it or take it back. While there is something, they stay in sight below the board.
  dock() {
    const { standing } = app.opened;
    const bar = make("div", { class: "bar" });
    const choices = this.here() && [
      make("p", { id: "hint" }, `From ${this.picked.join(", ")}: tap where it goes, or choose.`),
      make("div", { class: "choices", role: "group", "aria-labelledby": "hint", tabindex: "0" }, this.matching().map((action) => this.offer(action))),
    ];
    bar.append(button("Enter", () => this.enter(this.entry()), { class: "main", id: "enter", disabled: !this.whole }));
    bar.append(button("Undo", () => this.undo(), { id: "undo", disabled: !this.begun.length && !this.picked.length && !this.arranged }));
    if (standing.offer && standing.offer !== standing.due) bar.append(button("Accept the draw", () => this.enter("draw!")));
    const begun = this.begun.length ? make("p", { id: "begun" }, "So far: ", make("b", {}, this.begun.join("; ")), this.does()) : "";
    return make("div", { class: begun || choices ? "tools dock" : "tools" }, begun, choices || "", bar);
  },

  details() {
    const typed = make("input", { type: "text", id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    typed.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && typed.value.trim()) {
        event.preventDefault();
        this.take(typed.value);
      }
    });
    const message = make("input", { type: "text", id: "message", autocomplete: "off", maxlength: "500" });
    message.value = this.message;
    message.addEventListener("input", () => (this.message = message.value));
    const offers = make("input", { type: "checkbox", id: "offers" });
    offers.checked = this.offers;
    offers.addEventListener("change", () => {
      this.offers = offers.checked;
      this.look();
      app.drawn();
    });
    const claim = (text, words) => button(text, () => this.enter(words));
    const label = make("label", {}, "Type an action or a whole entry, then press Enter", typed);
    if (app.lesson) return make("details", {}, make("summary", {}, "Type an entry"), label);
    if (app.opened.practice) {
      return make("details", {}, make("summary", {}, "Type an entry, claim or resign"), label,
        make("div", { class: "bar" }, claim("Claim repetition", "claim repetition"), claim("Claim quiet", "claim quiet"), claim("Resign", "resign")));
    }
    return make("details", { open: this.begun.length > 0 || this.message !== "" },
      make("summary", {}, "Type an entry, add a message, offer a draw, claim or resign"),
      label,
      make("label", {}, "A message to the opponent", message),
      make("label", {}, offers, " Offer a draw with the entry"),
      make("div", { class: "bar" }, claim("Claim repetition", "claim repetition"), claim("Claim quiet", "claim quiet"),
        claim("Claim time", "claim time"), button("Resign", (event) => {
          if (event.target.textContent === "Resign") event.target.textContent = "Really resign?";
          else this.enter("resign");
        })));
  },

  // The panel for pieces that are put on the board together, and for dice that the players throw themselves.
  arranging() {
    const { word, examples, left, done, numbers } = this.arranged;
    if (!numbers.length) {
      const last = done.map((pair) => pair.join("")).join(" ");
      return make("div", {}, make("p", { id: "hint" }, `${word} ${last}: tap a square for `, make("b", {}, left[0] || ""), `, then for ${left.slice(1).join(", ") || "nothing more"}.`),
        make("div", { class: "bar" }, examples.slice(0, 1).map((example) => button("Arrange for me: " + example.slice(word.length + 1), () => this.take(example)))));
    }
    const dice = numbers.map((number, nth) => make("input", { type: "number", min: "1", value: number, "aria-label": `Die ${nth + 1}` }));
    const begins = examples[0].slice(0, examples[0].search(/ [0-9]/));
    return make("div", {}, make("p", { id: "hint" }, `${begins}: throw the dice and enter what they show. Or let the page throw them, but it cannot prove that the throw was fair.`),
      make("div", { class: "bar" }, dice,
        button("Throw here", () => {
          const random = crypto.getRandomValues(new Uint32Array(dice.length));
          dice.forEach((die, nth) => (die.value = 1 + (random[nth] % 10)));
        }),
        button("Use these", () => this.take(begins + " " + dice.map((die) => die.value).join(" ")), { id: "take" })));
  },

  undo() {
    if (this.arranged) {
      if (this.arranged.done.length) this.arranged.left.unshift(this.arranged.done.pop()[0]);
      else this.arranged = null;
    } else if (this.picked.length) this.picked = [];
    else this.begun.pop();
    this.explained = null;
    this.look();
    app.drawn();
    say(this.begun.join("; ") || "Nothing has been begun");
  },

  // The panel for what was entered here, which can be taken back until it is sent: the reply, the line, the record.
  sent() {
    const last = app.history[app.history.length - 1];
    if (!last || last.answer.record !== app.record) return null;
    const { answer } = last;
    const { to, subject, block } = answer.reply;
    // With its time and what it follows, so that both have the same record afterwards.
    const body = block && `${answer.line}\n\nGive this letter, or its text, to the page or the program:\n\n${block}`;
    const link = to && body ? "mailto:" + encodeURIComponent(to).replace(/%40/g, "@") + "?subject=" + encodeURIComponent(subject) + "&body=" + encodeURIComponent(body.replace(/\n/g, "\r\n")) : null;
    const fits = link && link.length <= LONGEST_LINK;
    const panel = make("div", { class: "good tools", id: "sent", tabindex: "-1", role: "group", "aria-label": "What was entered" }, make("p", {}, "Entered: ", make("b", {}, answer.line), answer.outcome ? ` (${answer.outcome})` : ""));
    const bar = make("div", { class: "bar" });
    if (fits) bar.append(make("a", { class: "button", id: "mail", href: link }, "Reply by mail"));
    bar.append(button("Copy the text", async (event) => {
      const { target } = event;
      try {
        await navigator.clipboard.writeText(body || answer.line);
        target.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(panel.querySelector("b"));
      }
    }));
    bar.append(app.download());
    if (navigator.canShare) {
      const file = new File([app.record], app.opened.id + ".txt", { type: "text/plain" });
      if (navigator.canShare({ files: [file] })) bar.append(button("Share the record", () => navigator.share({ files: [file], title: subject }).catch(() => {})));
    }
    bar.append(button("Take back", async () => {
      const { record } = last;
      if (!(await app.stores(record, app.history.at(-2) || null))) return;
      app.history.pop();
      app.take(record, true);
      app.kept = "";
      document.getElementById("remembered")?.remove();
      app.heading.focus({ preventScroll: true });
      say("Taken back");
    }, { id: "back" }));
    panel.append(bar);
    if (to && !fits) panel.append(make("p", {}, "It is too long for a link: share or copy the text, or send the record as an attachment."));
    if (!to) panel.append(make("p", {}, "The record has no mail address for the opponent: send it another way, or hand over this device."));
    return panel;
  },
};
