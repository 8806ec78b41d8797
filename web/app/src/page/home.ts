// The player's games, kept in this browser. Everything is asked of the module; what a game, a letter or a name says is shown as text.
import type { ComponentChildren } from "preact";
import type { Deed } from "../deeds";
import { base64 } from "../store/base64";
import { Keep } from "../store/keep";
import { Apart } from "./apart";
import { app } from "./app";
import { drafts } from "./drafts";
import { letters } from "./letters";
import { machine } from "./machine";
import { play } from "./play";
import { type Answer, referee } from "./referee";
import { capital, entry_words, short, when } from "./words";
import { type Asking, focus_on, type HomeLike, type Said, say } from "./world";

export const keep = new Keep(
  (request) => referee.alone(request),
  (request) => new Apart().once(request),
);

/** What begins a text that is locked: a backup, a game that was handed over, a key. */
const LOCKED = /^\s*-----BEGIN OPENSSH PRIVATE KEY-----/;

/** The locked text that bytes are, if they are one. */
const locked_text = (bytes: Uint8Array): string | null => {
  const text = new TextDecoder().decode(bytes);
  return LOCKED.test(text) ? text : null;
};

/** What a deed is done with once its passphrase was typed: that of what is opened, or of the player's own key. */
const phrased = (deed: Answer, phrase: string): object => {
  if (deed.do === "restore" || deed.do === "secrets") return { passphrase: phrase };
  if (deed.do === "key" && deed.what === "import") return { opens: phrase };
  keep.passphrase = phrase;
  return {};
};

/** What may be insisted on, and how that is said. */
export const INSIST: Record<string, string> = {
  "accept-rewritten": "Take the game as it is",
  "despite-key": "Go on in spite of the key",
  "only-here": "I have made no moves elsewhere",
  untaken: "No other machine has opened it",
  "despite-entries": "Accept it with these moves",
  unsent: "Take it back: it was not sent",
  agreed: "Yes, sign my games here",
};

/** Why something was refused, what may be insisted on, and how it is done again. */
export interface Trouble {
  acts: string[];
  /** Whether it is a game that was handed over by a machine with another key. */
  is_carried: boolean;
  /** The game that could go on here by the player's word, although its file is lost. */
  stay: string | null;
  again: ((more: object) => unknown) | null;
  /** What is done once a passphrase was typed, if one is asked for; and whose it is. */
  phrase: ((typed: string) => unknown) | null;
  of_key: boolean;
}

class Home implements HomeLike {
  /** The game that is shown, with what only its player may know; and whether everybody's view is shown. */
  game: Answer = null;
  public = false;
  said: Said | null = null;
  trouble: Trouble | null = null;
  state: Answer = null;
  /** A file that was made and can be saved. */
  file: { name: string; text: string } | null = null;
  /** What is to be read once the player's games are open: bytes, and the record that they are, if they are one. */
  private waiting: [Uint8Array<ArrayBuffer>, string | null] | null = null;
  /** A record that is only looked at, and could be kept. */
  looked = "";
  /** What was audited. */
  audited: Answer = null;
  /** What the views of this file are; the entry point sets them. */
  views: { dock: () => ComponentChildren; details: () => ComponentChildren; front: () => ComponentChildren } = {
    dock: () => null,
    details: () => null,
    front: () => null,
  };

  dock(): ComponentChildren {
    return this.views.dock();
  }

  details(): ComponentChildren {
    return this.views.details();
  }

  front(): ComponentChildren {
    return this.views.front();
  }

  is_new(): boolean {
    if (this.said || keep.refused) return false;
    if (keep.locked()) return !keep.lock;
    return Boolean(this.state) && !this.state.fault && !this.state.games?.length && !this.state.invitations?.length && !this.state.name;
  }

  is_shown(): boolean {
    return Boolean(this.game && app.record === this.game.record && !app.lesson);
  }

  /** What each kept game is called in the list: by its opponent, and what is played. */
  private names(): Map<string, string> {
    const { games = [], invitations = [] } = this.state || {};
    return new Map(
      [...games, ...invitations]
        .filter(({ id, players }: Answer) => id && players)
        .map(({ id, players, sides, own, title }: Answer) => {
          const all = players.map((one: Answer, nth: number) => [one.side || sides[nth], short(one.name || one)]);
          const others = all.filter(([side]: [string, string]) => side !== own);
          return [id, `${others.map(([, name]: [string, string]) => name).join(" \u2013 ")} (${title})`];
        }),
    );
  }

  /** A sentence in which games are called as in the list, and not by their ids; the game that is shown need not be named. */
  private in_words(text: string): string {
    const shown = `${this.game?.game}: `;
    if (text.startsWith(shown)) return capital(text.slice(shown.length));
    const names = this.names();
    return text.replace(/[\w-]+(\.?[\w-]+)*/g, (word, _, at) => {
      const name = names.get(word);
      return name ? `${at ? "the game with " : ""}${name}` : word;
    });
  }

  /** The other player of the game that is shown. */
  opponent(): { side: string; name: string; email: string | null } {
    return app.opened.players.find(({ side }: { side: string }) => side !== this.game.own) || app.opened.players[1];
  }

  /** Whether the game that is shown was begun here, and its opponent has not heard of it. */
  is_uninvited(): boolean {
    return !app.opened.entries.length && Boolean(this.game.own) && !this.game.invited;
  }

  sends_first(): boolean {
    return this.is_shown() && letters.waits(this.game.game);
  }

  status(): string | null {
    if (!this.is_shown()) return null;
    const { waits, own, over, own_last: mine, sent, handed, twice, is_mine: turn } = this.game;
    const name = short(this.opponent().name);
    if (handed) return "Handed over: you play it on another machine";
    if (twice) return "Two of your machines go on with this game";
    if (waits) return "An invitation: accept or decline";
    if (over) return null;
    if (!own) return "Which side is yours?";
    if (letters.waits(app.opened.id) || (mine && !sent)) return `Now send it to ${name}`;
    if (this.is_uninvited() && !turn) return `Now invite ${name}`;
    return null;
  }

  /** Reads what came in, unless it is a record that has nothing to do with the games kept here; that is only shown. */
  reads(bytes: Uint8Array<ArrayBuffer>, record: string | null): boolean {
    if (keep.refused) return false;
    const locked = locked_text(bytes);
    if (locked && !keep.locked()) {
      if (app.opened) this.leave();
      app.door = "games";
      this.restore(locked);
      return true;
    }
    if (keep.locked() || !this.state?.name) {
      if (record !== null) return false;
      this.waiting = [bytes, record];
      if (app.opened) this.leave();
      app.door = "games";
      this.tells(
        [
          keep.locked()
            ? `${keep.lock ? "Open your games" : "Choose a passphrase"} first: then the letter is read.`
            : "Say first who you are: then the letter is read.",
        ],
        true,
      );
      return true;
    }
    if (record !== null && !this.concerns(record)) {
      this.looks(record);
      return true;
    }
    letters.read({ base64: base64(bytes) }, this.game?.game, record);
    return true;
  }

  /** Reads what has waited. */
  resumed(): void {
    if (!this.waiting || keep.locked()) return;
    const [bytes, record] = this.waiting;
    if (!this.state?.name && !locked_text(bytes)) return;
    this.waiting = null;
    this.reads(bytes, record);
  }

  /** Shows a record that is not kept. */
  looks(record: string): void {
    Object.assign(this, { game: null, public: false, said: null, trouble: null, looked: record });
    app.take(record);
  }

  /** Whether a record is of a kept game, or of the player. */
  private concerns(record: string): boolean {
    const { id, game, players } = referee.alone({ call: "open", record });
    if (!game) return false;
    const is_here = [...keep.files.keys()].some((path) => /^data\/(games|invitations|known)/.test(path) && path.includes(id));
    const mine = this.state.email?.toLowerCase();
    type Player = { email: string | null; key: string | null };
    return (
      is_here ||
      players.some(
        ({ email, key }: Player) =>
          (email && email.toLowerCase() === mine) || (key && this.state.key && key === this.state.key.fingerprint),
      )
    );
  }

  async start(): Promise<void> {
    // A copy that was saved with a game in it may have come from somebody, who could have changed what it does.
    if (document.getElementById("record"))
      keep.refused =
        "this page came with a game, so whoever sent it could have changed it, and it asks for no secret, key or passphrase; make a page of your own with `postrider page --referee`";
    else await keep.open();
    keep.changed = () => this.followed();
    referee.home = (request, ask) => (this.game && request.record === this.game.record ? this.asked(request, ask) : ask(request));
    this.refresh_state();
  }

  /** Looks anew at what is kept. */
  refresh_state(): void {
    if (keep.refused || keep.locked()) {
      this.state = null;
      return;
    }
    const answer: Answer = keep.look({ do: "look" });
    this.state = answer.done || { fault: (answer.refused || { message: answer.error }).message };
  }

  /** Another tab has changed something. */
  private followed(): unknown {
    this.refresh_state();
    if (keep.locked()) {
      drafts.lock();
      if (app.opened && this.game) return this.leave();
    } else if (this.is_shown()) {
      // What is being made stays, unless this game has changed.
      const { done }: Answer = keep.look({ do: "game", game: this.game.game });
      const is_same = done && ["record", "is_mine", "waits", "own", "forced"].every((part) => done[part] === this.game[part]);
      if (!is_same) return this.show(this.game.game);
      this.game = done;
    }
    app.drawn();
  }

  /** What the page asks about the record of a kept game is answered as its player may know it. */
  private asked(request: Answer, ask: (request: object) => Answer): Answer {
    const { game } = this.game;
    const answered = (answer: Answer): Answer => (answer.error ? answer : answer.refused ? { refused: answer.refused } : answer.done);
    switch (request.call) {
      case "open": {
        const opened = ask(request);
        if (!opened.game) return opened;
        const { is_mine: mine, own, over, waits, handed, twice } = this.game;
        const due = opened.standing.due;
        const why = waits
          ? "it is an invitation that you have not accepted"
          : handed
            ? "it was handed over to another machine of yours"
            : twice
              ? "another machine of yours goes on with it"
              : own
                ? `it is the turn of ${due}: read the letter that brings the next move`
                : "it is not known which side is yours";
        return { ...opened, playable: mine, why_not: mine || over ? null : why };
      }
      case "position": {
        // Of an invitation there is nothing that its player alone may know.
        if (this.game.waits) return ask(request);
        const { at, begun, from, look, mark } = request;
        const answer = answered(
          keep.look({
            do: "view",
            game,
            at,
            begun: begun || "",
            from,
            look: look || "classes",
            public: this.public,
            ...(mark ? { mark } : {}),
          }),
        );
        return answer.refused ? { error: answer.refused.message } : answer;
      }
      case "next":
        return answered(keep.look({ do: "next", game, begun: request.begun || "", seed: request.seed || 0 }));
      case "judge":
      case "append": {
        const answer = answered(
          keep.look({ do: "judge", game, typed: request.typed, ...(request.message ? { message: request.message } : {}) }),
        );
        return answer.choose || answer.stands ? { refused: { message: "this is only a part of the turn" } } : answer;
      }
      default:
        return ask(request);
    }
  }

  /** Shows a kept game, or an invitation. */
  show(game: string): void {
    const answer: Answer = keep.look({ do: "game", game });
    if (!answer.done) {
      this.tell(answer.refused || { message: answer.error, acts: [] });
      return;
    }
    Object.assign(this, { said: null, trouble: null, audited: null });
    this.game = answer.done;
    letters.still(game, this.game.record);
    app.history = [];
    app.kept = "";
    if (!app.opened || app.opened.id !== game) app.turned = false;
    machine.stop();
    machine.level = 0;
    app.take(this.game.record, true);
  }

  leave(): void {
    Object.assign(this, { game: null, public: false, said: null, trouble: null, looked: "", file: null });
    this.refresh_state();
    app.leave();
  }

  hush(): void {
    Object.assign(this, { said: null, trouble: null, file: null });
  }

  /** Pages on a disk share what they store, and a passphrase is there for what nobody else may know. */
  is_private(): boolean {
    return this.is_shown() && Boolean(this.game.sealed || keep.lock || keep.shared);
  }

  advice(): ComponentChildren {
    if (!app.needs_secret()) return null;
    if (keep.refused) return `No games by mail here: ${keep.refused}.`;
    if (keep.locked()) return "If it is a game of yours, open your games first.";
    return this.state?.name ? null : "If it is a game of yours, say first who you are.";
  }

  /** Says something, where the player looks. */
  tells(lines: string[], bad = false, more?: () => ComponentChildren, asking?: Asking, aside?: string[]): void {
    const told = lines.map((line) => this.in_words(line));
    this.said = { lines: told, bad, more, asking, aside: aside?.map((line) => this.in_words(line)) };
    this.trouble = null;
    app.drawn();
    say(told.join(". "));
  }

  /** Says why something was not done, with what may be insisted on. */
  tell(refused: Answer, again: ((more: object) => unknown) | null = null, deed: Answer = {}): false {
    const acts = (refused.acts || []).filter((act: unknown) => again && typeof act === "string" && INSIST[act]);
    const phrase = again && (refused.acts || []).includes("passphrase") ? (typed: string) => again(phrased(deed, typed)) : null;
    // Where a passphrase is asked for, the field says what helps.
    // Whoever carries a game to a machine that has never signed meets this, and it is as it should be.
    const is_carried = deed.do === "restore" && acts.includes("despite-key");
    const advice = is_carried
      ? "If you wrote this file yourself, on your other machine, that is as it should be: take it. If you did not, leave it: whoever wrote it could sign moves as you."
      : refused.advice;
    const lines = [refused.message, phrase ? null : advice].filter(Boolean).map((line: string) => this.in_words(line));
    this.said = { lines, bad: true, rule: refused.rule, text: refused.text };
    const stay = (refused.acts || []).find((act: Answer) => act?.stay)?.stay || null;
    this.trouble = { acts, is_carried, stay, again, phrase, of_key: !["restore", "secrets"].includes(deed.do) && deed.what !== "import" };
    app.drawn();
    say(lines.join(". "));
    document.getElementById("said")?.scrollIntoView({ block: "nearest" });
    return false;
  }

  /** Does something about the game that is shown, and shows it as it is then. */
  async act(deed: Answer): Promise<Answer> {
    const { game } = this.game;
    const answer: Answer = await keep.change({ game, ...deed });
    if (answer.error || answer.refused)
      return this.tell(answer.refused || { message: answer.error, acts: [] }, (more) => this.act({ ...deed, ...more }), deed);
    for (const letter of answer.letters) letters.take(game, letter);
    if (!answer.letters.length && ["enter", "answer", "undo", "date-anew"].includes(deed.do)) letters.forget(game);
    if (["enter", "answer"].includes(deed.do)) {
      drafts.clear(`message/${game}`, `begun/${game}`);
    }
    this.show(game);
    const { done } = answer;
    // What was entered is told in words, and not once more as it is written.
    const [written = ""] = done.line ? (app.opened.entries.at(-1)?.actions || "").split(/ ?(?:seal|open|salt):/) : [];
    const lines: string[] = answer.notices
      .map(({ text }: { text: string }) => text)
      .filter((text: string) => !written || !text.includes(written));
    if (done.line && deed.do !== "undo")
      lines.unshift(
        `Entered: ${entry_words(app.opened.entries.at(-1)?.actions || done.line, true)}${done.outcome ? `. ${app.outcome()}` : ""}`,
      );
    if (done.thrown?.length) lines.push(`thrown: ${done.thrown.map((faces: string[]) => faces.join(" ")).join("; ")}`);
    if (done.secret)
      lines.push("A secret was made for this game: without it you cannot go on. Make a backup, and again when games have changed.");
    if (lines.length) this.said = { lines: lines.map((line) => this.in_words(line)), bad: false };
    this.refresh_state();
    app.drawn();
    say(lines[0] || "Done");
    focus_on("said");
    return done;
  }

  enter(typed: string): Promise<Answer> {
    const message = play.said();
    return this.act({ do: "enter", typed, ...(message ? { message } : {}) });
  }

  async trust(who: string, key: string): Promise<void> {
    const answer: Answer = await keep.change({ do: "key", what: "trust", who, key });
    if (!answer.done) {
      this.tell(answer.refused || { message: answer.error, acts: [] });
      return;
    }
    this.show(this.game.game);
    this.tells([`${who} is trusted to sign by ${key}`]);
  }

  async decline(game: string): Promise<void> {
    const answer: Answer = await keep.change({ do: "decline", game, tell: true });
    if (answer.error || answer.refused) {
      this.tell(answer.refused || { message: answer.error, acts: [] });
      return;
    }
    const name = this.names().get(game) || game;
    this.leave();
    const [letter] = answer.letters;
    this.tells([`The game with ${name} is declined.`], false, letter ? () => letters.declined(letter) : undefined);
  }

  audit(): void {
    const answer: Answer = keep.look({ do: "audit", game: this.game.game });
    if (!answer.done) {
      this.tell(answer.refused || { message: answer.error, acts: [] });
      return;
    }
    const { sound, proof } = answer.done;
    this.audited = answer.done;
    this.tells([sound ? "Nothing speaks against either player." : "Something is wrong: Details has it.", `The result: ${proof}`], !sound);
  }

  /** Does something on the first screen, and shows what came of it. */
  async settle(deed: Deed, told?: (done: Answer) => string | string[]): Promise<Answer> {
    const answer: Answer = await keep.change(deed);
    if (answer.error || answer.refused)
      return this.tell(
        answer.refused || { message: answer.error, acts: [] },
        (more) => this.settle({ ...deed, ...more } as Deed, told),
        deed,
      );
    this.refresh_state();
    this.file = null;
    // What a file brought along beside the game is said.
    const brought = deed.do === "restore" ? answer.notices.map(({ text }: { text: string }) => text) : [];
    if (told) this.tells([told(answer.done), brought].flat());
    else {
      this.said = null;
      this.trouble = null;
      app.drawn();
      say("Done");
    }
    return answer.done;
  }

  async begin(deed: Deed): Promise<void> {
    const answer: Answer = await keep.change(deed);
    if (!answer.done) {
      this.tell(answer.refused || { message: answer.error, acts: [] }, (more) => this.begin({ ...deed, ...more } as Deed), deed);
      return;
    }
    drafts.clear("mail-name", "mail-mail", "mail-title", "mail-clock");
    this.refresh_state();
    this.show(answer.done.game);
  }

  /** Has a file made, to be saved. What was made before can no longer be saved meanwhile: it is another file. */
  async made(deed: Deed, name: string | null, what: (done: Answer) => string): Promise<void> {
    Object.assign(this, { said: null, file: null, trouble: null });
    app.drawn();
    const answer: Answer = await keep.change(deed);
    if (!answer.done) {
      this.tell(answer.refused || { message: answer.error, acts: [] });
      return;
    }
    this.file = { name: name || answer.done.name, text: answer.done.text };
    this.tells([what(answer.done)]);
  }

  /** Brings back what a backup has, or takes a game that another machine has handed over. Its passphrase is asked for until it opens. */
  restore(backup: string): Promise<Answer> {
    return this.settle({ do: "restore", backup, passphrase: "" }, ({ game, entries, taken, restored, here, doubtful }) => {
      if (game)
        return [
          `The game with ${this.names().get(game) || game} is here, with ${entries} ${entries === 1 ? "move" : "moves"}: it goes on here, and nowhere else.`,
          "Delete the file: whoever opens it has your key.",
        ];
      const lines = [`The backup of ${when(taken)}: ${restored} files restored, ${here} were here already.`];
      if (doubtful.length)
        lines.push(
          `Moves made since then are not in it: read the newest letters of these games before you sign anything: ${doubtful.map((game: string) => this.names().get(game) || game).join(", ")}`,
        );
      return lines;
    });
  }

  /** Hands the game that is shown over to another machine: from then on nothing of it is signed here. */
  async hand_over(passphrase: string, more: { only_here?: boolean } = {}): Promise<void> {
    const { game } = this.game;
    const answer: Answer = await keep.change({ do: "hand-over", game, passphrase, ...more });
    if (!answer.done) {
      this.tell(answer.refused || { message: answer.error, acts: [] }, (said) => this.hand_over(passphrase, said));
      return;
    }
    this.refresh_state();
    this.show(game);
    this.file = { name: answer.done.name, text: answer.done.text };
    this.tells([
      "The game is handed over: save the file, and open it on your other machine, in this page or with `postrider restore`.",
      "Nothing of it is signed here until you take it back.",
    ]);
  }

  /** Goes on here with a game although its file, or the machine that has it, is lost. */
  async stay(game: string): Promise<void> {
    const answer: Answer = await keep.change({ do: "stay", game });
    if (!answer.done) {
      this.tell(answer.refused || { message: answer.error, acts: [] });
      return;
    }
    this.refresh_state();
    this.show(game);
    this.tells(["The game goes on here. Your first move asks once more whether you have made others elsewhere."]);
  }

  /** What is stored was last backed up at this turn of the store. */
  private backed = -1;

  /** Whether something has changed since the last backup. */
  owes_backup(): boolean {
    return keep.turn !== this.backed;
  }

  /** Makes a backup and saves it at once, with the passphrase of the one before; `ask` asks for it the first time. */
  async back_up(ask: () => ComponentChildren, typed: string | null = null): Promise<void> {
    const phrase = typed ?? (await keep.kept_phrase());
    if (!phrase) {
      this.tells(["Choose a passphrase for your backups: from then on one tap makes one."], false, ask);
      return;
    }
    const { turn } = keep;
    await this.made({ do: "backup", passphrase: phrase }, null, ({ records }) => {
      this.backed = turn;
      return `A backup of ${records} ${records === 1 ? "game" : "games"} is ready: keep it where this browser is not.`;
    });
    if (!this.file) return;
    if (typed) await keep.keep_phrase(typed).catch(() => {});
    document.getElementById("save-file")?.click();
  }

  /** Opens with the passphrase what is private, or chooses it; returns what is wrong, if anything. */
  async unlock(phrase: string): Promise<string> {
    const fault = await keep.unlock(phrase);
    if (!fault) {
      this.said = null;
      this.refresh_state();
      app.drawn();
      this.resumed();
    }
    return fault;
  }

  /** Says who the player is. */
  async known_as(name: string, email: string | null): Promise<void> {
    if (!(await this.settle({ do: "settle", name, email }))) return;
    drafts.clear("my-name", "my-mail");
    this.resumed();
    if (!(await keep.persist()) && !this.said)
      this.tells(["This browser does not promise to keep what is stored here: make a backup when games have changed."]);
  }
}

export const home = new Home();
