// Letters in and out, in the page.
import { type ComponentChildren, h } from "preact";
import { app } from "./app";
import { drafts } from "./drafts";
import { home, keep } from "./home";
import { LONGEST_LINK, mail_link } from "./links";
import type { Answer } from "./referee";
import { ended, entry_words, short } from "./words";
import { focus_on, say, value_of } from "./world";

class Letters {
  /** The letter that was written last, by game. */
  written = new Map<string, Answer>();

  /** Notes a letter that was written: until the player says that it is sent, it waits, also behind a reload. */
  take(game: string, letter: Answer): void {
    // A mail program opens what says this as a letter to be sent.
    this.written.set(game, { ...letter, message: btoa(`X-Unsent: 1\r\n${atob(letter.message)}`) });
    drafts.set(`unsent/${game}`, String(keep.files.get(`data/games/${game}.pbem`) ?? "").length.toString());
  }

  forget(game: string): void {
    this.written.delete(game);
    drafts.clear(`unsent/${game}`);
  }

  /** Whether a letter about the record as it is now was written, and the player has not said that it is sent. */
  waits(game: string): boolean {
    const noted = drafts.get(`unsent/${game}`);
    return noted !== "" && noted === String(String(keep.files.get(`data/games/${game}.pbem`) ?? "").length);
  }

  /** A letter is about the record that was there: once the game has gone on in another tab, it is no longer the one to send. */
  still(game: string, record: string): void {
    const letter = this.written.get(game);
    if (letter && letter.of === undefined) letter.of = record;
    else if (letter && letter.of !== record) this.written.delete(game);
  }

  /** Reads a letter, and says what came of it. `record`: its text, if it is nothing but a record. */
  async read(letter: object, game?: string, record: string | null = null): Promise<void> {
    const answer: Answer = await keep.change({ do: "receive", ...letter, ...(game ? { game } : {}) });
    if (answer.error || answer.refused) {
      home.tell(answer.refused || { message: answer.error, acts: [] });
      return;
    }
    home.refresh_state();
    const { events, fates, other, refused, held_back: held, strangers } = answer.done;
    type Event = { game: string | null; text: string; kind: string; shows?: boolean };
    const about = fates.find((fate: Answer) => fate.game);
    const is_taken = about?.fate === "accepted";
    const is_shown = is_taken && keep.files.has(`data/games/${about.game}.pbem`);
    // Moves that the board and the status show are told in words, and whose turn it is stands above the board.
    const is_move = ({ kind, shows, game }: Event) => is_shown && game === about.game && kind === "entry" && shows === true;
    const moves = events.filter(is_move).length;
    // How a game ended is told to its player as in the list of games.
    const told_of = ({ game, kind, text }: Event): string => {
      const row = kind === "over" ? home.state?.games.find(({ id }: Answer) => id === game) : null;
      return row?.end && row.own ? ended(row.end, row.own) : text;
    };
    const is_invited = about?.fate === "invitation" && keep.files.has(`data/invitations/${about.game}.pbem`);
    const lines: string[] = [
      ...events
        .filter(
          (one: Event) =>
            !is_move(one) &&
            !(is_invited && one.kind === "invited" && one.game === about.game) &&
            !(is_shown && one.game === about.game && ["due", "over"].includes(one.kind)),
        )
        .map((one: Event) => (one.game && !(is_shown && one.game === about.game) ? `${one.game}: ` : "") + told_of(one)),
      ...answer.notices.map(({ text }: Event) => text),
    ];
    if (other) lines.push("there is neither a game nor a move in this letter");
    const bad = refused || events.some(({ kind }: Event) => kind === "failed" || kind === "illegal");
    // Each held entry stands among the lines; its button takes that one and no other.
    const agreed = answer.notices.flatMap(({ acts }: Answer) => acts || []).filter((act: Answer) => held && act.digits);
    const unknown = strangers.filter((one: Answer) => !is_taken || one.game !== about.game);
    const looks = is_taken || about?.fate === "invitation" ? null : record;
    const asking = agreed.length || unknown.length || looks ? { agreed, strangers: unknown, letter, of: game, record: looks } : undefined;
    if (!refused && !other && !strangers.length) drafts.clear("letter", `letter-here/${game || ""}`);
    if (is_taken) this.forget(about.game);
    // An invitation is answered below its board.
    if (is_shown || is_invited) home.show(about.game);
    else if (app.opened && !home.game) home.leave();
    app.tab = "board";
    if (!app.opened) app.door = "games";
    if (is_invited && home.is_shown())
      lines.unshift(`By this letter you are invited to a game of ${app.opened.game.title} by ${short(home.opponent().name)}.`);
    const made: Answer[] = moves ? app.opened.entries.slice(-moves) : [];
    const taken = made.length
      ? [`The letter from ${short(home.opponent().name)} is accepted: ${made.map(({ told }) => entry_words(told)).join("; then ")}`]
      : [];
    // Beside a move that was taken, what else the letter brought can wait; what is asked, or is wrong, cannot.
    const waits = taken.length && lines.length && !bad && !asking;
    home.tells(waits ? taken : [...taken, ...lines], bad, undefined, asking, waits ? lines : undefined);
  }

  /** Writes the letter about the newest entry, and notes that it goes out. */
  async write(game: string, force: boolean): Promise<void> {
    const to = value_of("letter-to");
    const address = this.address();
    const answer: Answer = await keep.change({
      do: "letter",
      game,
      force,
      ...(to ? { to } : {}),
      ...(address ? { page_at: address } : {}),
    });
    if (answer.error || answer.refused) {
      home.tell(answer.refused || { message: answer.error, acts: [] });
      return;
    }
    const [letter] = answer.letters;
    if (letter) this.take(game, { ...letter, block: answer.done.block });
    else if (!force) return this.write(game, true);
    home.refresh_state();
    home.show(game);
    focus_on("letter-out");
  }

  /** Where others find this page, if it came from the web. */
  private address(): string | null {
    return location.protocol.startsWith("http") ? `${location.origin}${location.pathname}` : null;
  }

  /** What a letter says in the text of a mail, and the address that opens it in a mail program, if it fits one. */
  told(game: string): { body: string; link: string | null } {
    const { to, subject, text, block } = this.written.get(game);
    const last = app.opened.entries.at(-1);
    // Whoever has a record goes on with what is in it, to the second: a block. Only who has nothing but mail reads the line itself.
    const begins = `${last ? "My move in" : "This begins"} our game ${game}.`;
    // Whoever has not answered yet may never have heard of the page.
    const is_stranger = !app.opened.entries.some(({ side }: { side: string }) => side !== home.game.own);
    const address = is_stranger && this.address() ? ` at ${this.address()}` : "";
    const lines = block && `${begins} Give this letter, or its text, to the page${address} or the program:\n\n${block}`;
    const bare = home.game.by_mail
      ? last
        ? `${last.number} ${last.side} ${last.actions}\n${last.message ? `\n${last.message}\n` : ""}`
        : text
      : null;
    const body = bare || lines || text || "";
    const link = mail_link(to, subject || "", body);
    return { body, link: (bare || lines) && link.length <= LONGEST_LINK ? link : null };
  }

  /** The player has sent the letter. */
  sent(game: string): void {
    drafts.clear(`unsent/${game}`);
    say("Sent");
    app.drawn();
  }

  declined(letter: Answer): ComponentChildren {
    return h("a", { class: "button", href: mail_link(letter.to, letter.subject || "", letter.text || "") }, `Tell ${letter.to}`);
  }
}

export const letters = new Letters();
