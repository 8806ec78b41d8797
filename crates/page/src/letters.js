// Letters in and out, in the page.
const letters = {
  // The letter that was written last, by game.
  written: new Map(),

  // A letter is about the record that was there: once the game has gone on in another tab, it is no longer the one to send.
  still(game, record) {
    const letter = this.written.get(game);
    if (letter && letter.of === undefined) letter.of = record;
    else if (letter && letter.of !== record) this.written.delete(game);
  },

  // A form that takes a letter: a file, or text. `game`: the game whose opponent wrote what is nothing but text.
  form(game) {
    const id = game ? "letter-here" : "letter";
    const text = make("textarea", { id, rows: "4", "aria-label": "The letter, pasted", spellcheck: "false" });
    const file = make("input", { type: "file", id: id + "-file", accept: ".pbem,.eml,.txt,message/rfc822,text/plain", "aria-label": "The letter from a file" });
    file.addEventListener("change", () => file.files[0] && reader.file(file.files[0]));
    return make("div", {},
      make("p", {}, "Drop the letter anywhere on the page, choose its file (.eml or .pbem), or paste its text."),
      make("label", {}, "File ", file), make("label", {}, game ? "Or what your opponent wrote" : "Or its text", text),
      button("Read it", () => text.value.trim() && reader.text(text.value), { class: "main", id: id + "-read" }));
  },

  // Reads a letter, and says what came of it. `record`: its text, if it is nothing but a record. What may not simply be taken is asked.
  async read(letter, game, record) {
    const answer = await keep.change({ do: "receive", ...letter, ...(game ? { game } : {}) });
    if (answer.error || answer.refused) return home.tell(answer.refused || { message: answer.error, acts: [] });
    const { events, fates, other, refused, held_back: held, strangers } = answer.done;
    const lines = [...events.map(({ game, text }) => (game ? game + ": " : "") + text), ...answer.notices.map(({ text }) => text)];
    if (other) lines.push("there is neither a game nor a move in this letter");
    const about = fates.find((fate) => fate.game);
    const bad = refused || events.some(({ kind }) => kind === "failed" || kind === "illegal");
    const more = [];
    // Each held entry stands among the lines; its button takes that one and no other.
    const agreed = answer.notices.flatMap(({ acts }) => acts || []).filter((act) => held && act.digits);
    for (const { agree, digits } of agreed) more.push(button("Take it all the same" + (agreed.length > 1 ? ": " + digits : ""), () => this.read({ agree, digits }), { id: agreed.length > 1 ? "agree-" + digits : "agree" }));
    for (const { game: of, newest } of strangers) {
      const what = newest ? `With it the newest entry of ${of} would be ${newest}. ` : "";
      more.push(make("p", {}, `Nobody can tell who sent this. ${what}Take it only if you know that it came from your opponent.`),
        button("It came from my opponent: take it", () => this.read({ ...letter, vouched: true }, game, record), { id: "vouched" }));
    }
    if (record) more.push(button("Only look at it", () => home.looks(record), { id: "only-look" }));
    if (about && about.fate === "accepted") this.written.delete(about.game);
    if (about && about.fate === "accepted" && keep.files.has(`data/games/${about.game}.pbem`)) {
      home.show(about.game);
      home.said = { lines, bad };
      home.refresh();
    } else {
      if (app.opened && !home.game) home.leave();
      home.said = { lines, bad, more };
      if (home.game) home.refresh();
      else home.front();
    }
    say(lines.join(". "));
  },

  // Writes the letter about the newest entry, and notes that it goes out.
  async write(game, force) {
    const to = document.getElementById("letter-to");
    const answer = await keep.change({ do: "letter", game, force, ...(to && to.value.trim() ? { to: to.value.trim() } : {}) });
    if (answer.error || answer.refused) return home.tell(answer.refused || { message: answer.error, acts: [] });
    const [letter] = answer.letters;
    if (letter) this.written.set(game, { ...letter, block: answer.done.block });
    else if (!force) return this.write(game, true);
    home.show(game);
    const panel = document.getElementById("letter-out");
    if (panel) panel.focus({ preventScroll: true });
  },

  // The letter that was written, and the ways in which it can go.
  panel(game) {
    const letter = this.written.get(game);
    if (!letter) return null;
    const { to, subject, text, name, message, block } = letter;
    const { opened, record } = app;
    const last = opened.entries.at(-1);
    // Whoever has a record goes on with what is in it, to the second: a block. Only who has nothing but mail reads the line itself.
    const lines = block && `${last ? "My entry in" : "This begins"} our game ${game}. Give this letter, or its text, to the page or the program:\n\n${block}`;
    const bare = home.game.by_mail ? (last ? `${last.number} ${last.side} ${last.actions}\n${last.message ? "\n" + last.message + "\n" : ""}` : text) : null;
    const body = bare || lines || text;
    const address = "mailto:" + encodeURIComponent(to).replace(/%40/g, "@") + "?subject=" + encodeURIComponent(subject) + "&body=" + encodeURIComponent(body.replace(/\r?\n/g, "\r\n"));
    const fits = (bare || lines) && address.length <= LONGEST_LINK;
    const bytes = unbase64(message);
    const bar = make("div", { class: "bar" });
    if (fits) bar.append(make("a", { class: "button", id: "mail", href: address }, "Open in the mail program"));
    bar.append(make("a", { class: fits ? "button" : "button main", id: "eml", download: `${game}-${opened.entries.length}.eml`, href: "data:message/rfc822;base64," + message }, "Save the letter (.eml)"));
    bar.append(app.download({ id: "attachment" }));
    bar.append(button("Copy the text", async ({ target }) => {
      try {
        await navigator.clipboard.writeText(body);
        target.textContent = "Copied";
      } catch {
        target.textContent = "This browser does not let the page copy";
      }
    }));
    if (navigator.canShare) {
      const file = new File([record], game + ".txt", { type: "text/plain" });
      if (navigator.canShare({ files: [file] })) bar.append(button("Share", () => navigator.share({ files: [file], title: subject, text: body.slice(0, 1500) }).catch(() => {})));
    }
    return make("div", { class: "good tools", id: "letter-out", tabindex: "-1", role: "group", "aria-label": "The letter" },
      make("p", {}, "To ", make("b", {}, to), ": ", subject), bar,
      make("p", {}, fits ? "Or send the record as an attachment." : "Open the saved letter in your mail program and send it; or write one yourself and attach the record."),
      make("details", {}, make("summary", {}, "What it says"), make("pre", { tabindex: "0", id: "letter-body" }, (fits ? body : text) || "")), bytes.length > 7000000 ? make("p", {}, "It is large.") : null);
  },
};
