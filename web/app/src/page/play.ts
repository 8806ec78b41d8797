// Makes an entry from taps, action by action. Only the module judges what is typed or tapped; no rule is known here.
import { app } from "./app";
import { board, type Over, places } from "./board";
import { drafts } from "./drafts";
import { learn } from "./learn";
import { machine } from "./machine";
import { type Answer, referee } from "./referee";
import { action_words } from "./words";
import { focus_on, say, world } from "./world";

/** Pieces that are put on the board together, or dice that the players throw themselves. */
interface Arranged {
  word: string;
  examples: string[];
  left: string[];
  done: [string, string][];
  numbers: string[];
  squares: string[];
  names: Record<string, string>;
}
/** Damage that is given to several units. */
export interface Shares {
  begins: string;
  of: number;
  most: Map<string, number>;
  given: Map<string, number>;
}

class Play {
  actions: string[] = [];
  sequences: string[][] = [];
  begun: string[] = [];
  picked: string[] = [];
  arranged: Arranged | null = null;
  shares: Shares | null = null;
  message = "";
  offers = false;
  whole = false;
  explained: Answer = null;
  next: Answer = {};
  /** What was noted last of what is being made. */
  private noted: string | null = null;

  reset(): void {
    Object.assign(this, {
      begun: [],
      picked: [],
      arranged: null,
      shares: null,
      message: drafts.get(this.draft("message")),
      offers: false,
      explained: null,
      noted: null,
    });
  }

  draft(what: string): string {
    return `${what}/${app.opened?.id || ""}`;
  }

  /** Asks which actions may come next, and finds the places that each of them names. */
  look(): void {
    this.next = referee.ask({
      call: "next",
      record: app.record,
      begun: this.begun.join("; "),
      seed: crypto.getRandomValues(new Uint32Array(1))[0],
    });
    this.actions = this.next.actions || [];
    this.find();
    this.whole = this.begun.length > 0 && !this.ask("judge", this.entry()).refused;
    // Where nothing can follow, that is said.
    if (this.begun.length && this.next.refused) this.explained = this.next.refused;
  }

  /** Notes what is being made, so that it can be taken up again; in a sealed game only as long as the tab is there. */
  note(): void {
    if (!this.playing()) return;
    const { arranged, shares, picked, offers } = this;
    const more = {
      ...(arranged ? { word: arranged.word, done: arranged.done } : {}),
      ...(shares ? { picked, given: [...shares.given] } : {}),
      ...(offers ? { offers } : {}),
    };
    const is_begun = this.begun.length || Object.keys(more).length;
    const text = is_begun ? JSON.stringify([app.opened.entries.length, this.begun.join("; "), more]) : "";
    if (text === this.noted) return;
    this.noted = text;
    drafts.set(this.draft("begun"), text, world.home.is_private());
  }

  private playing(): boolean {
    return app.playing_here && !app.lesson;
  }

  /** Takes up what was begun before the page was left, and looks what may follow. */
  resume(): void {
    const more = this.undoes() || !this.playing() ? null : this.resumed();
    this.look();
    if (!more) {
      this.begin_alone();
      return;
    }
    if (more.offers === true) {
      this.offers = true;
      this.look();
    }
    if (typeof more.word === "string" && this.next.words?.[more.word]) {
      this.arrange_as(more.word);
      this.arranged_before(more.done);
    }
    if (!Array.isArray(more.picked) || !Array.isArray(more.given)) return;
    this.picked = more.picked.filter((name): name is string => app.names.includes(name));
    if (this.picked.length === more.picked.length && this.sharing(this.matching())) this.shared_before(more.given);
    else this.picked = [];
  }

  /** Where nothing can be done but put pieces on the board, that is begun: each piece is a tap, and then they are entered. */
  private begin_alone(): void {
    const [only = ""] = this.actions;
    // What is forced is one button, and nothing is put down for it.
    if (
      (world.home.is_shown() && world.home.game.forced) ||
      this.undoes() ||
      this.actions.length !== 1 ||
      !this.playing() ||
      !this.next.placing?.[only]
    )
      return;
    this.arrange_as(only);
  }

  /** Puts down again what was put down before, as far as it can stand there. */
  private arranged_before(done: unknown): void {
    const here = this.arranged;
    if (!here || !Array.isArray(done)) return;
    for (const pair of done) {
      const [piece, square]: unknown[] = Array.isArray(pair) ? pair : [];
      const at = here.left.indexOf(String(piece));
      const is_free = typeof square === "string" && !here.done.some(([, taken]) => taken === square);
      if (at < 0 || !is_free || !(here.squares.length ? here.squares : app.names).includes(square)) continue;
      here.done.push([here.left.splice(at, 1).join(""), square]);
    }
  }

  /** Gives again what was given before, as far as there is so much. */
  private shared_before(given: unknown[]): void {
    const { shares } = this;
    if (!shares) return;
    for (const name of shares.given.keys()) shares.given.set(name, 0);
    for (const pair of given) {
      const [name, damage]: unknown[] = Array.isArray(pair) ? pair : [];
      const most = typeof name === "string" ? shares.most.get(name) : undefined;
      if (most === undefined || !Number.isInteger(damage)) continue;
      const rest = shares.of - [...shares.given.values()].reduce((sum, one) => sum + one, 0);
      shares.given.set(String(name), Math.max(0, Math.min(most, rest, Number(damage))));
    }
  }

  /** Finds what was begun, and returns what else was noted of it. */
  private resumed(): Record<string, unknown> | null {
    let kept: unknown = null;
    try {
      kept = JSON.parse(drafts.get(this.draft("begun")) || "null");
    } catch {
      // Nothing was begun.
    }
    if (!Array.isArray(kept) || kept[0] !== app.opened.entries.length || typeof kept[1] !== "string") return null;
    const more = typeof kept[2] === "object" ? kept[2] : null;
    if (!kept[1]) return more;
    const next = referee.ask({ call: "next", record: app.record, begun: kept[1], seed: 1 });
    if (next.refused || next.error) return null;
    this.begun = kept[1]
      .split(";")
      .map((part) => part.trim())
      .filter(Boolean);
    return more;
  }

  /** Finds the places that the actions name. */
  find(): void {
    this.sequences = this.actions.map((action) => places(action, app.names));
  }

  said(): string {
    return this.message.trim().replace(/\s+/g, " ");
  }

  entry(): string {
    return this.begun.join("; ") + (this.offers && this.begun.length ? "; draw?" : "");
  }

  ask(call: string, typed: string): Answer {
    return referee.ask({ call, record: app.record, typed, time: app.time(), ...(this.said() ? { message: this.said() } : {}) });
  }

  /** Whether an action begins with these places, or, if `any`, names them in whatever order. */
  private fits(sequence: string[], names: string[], any: boolean): boolean {
    if (!any) return names.every((name, nth) => sequence[nth] === name);
    const left = [...sequence];
    return names.every((name) => left.includes(name) && left.splice(left.indexOf(name), 1));
  }

  private places_of(action: string): string[] {
    return this.sequences[this.actions.indexOf(action)] || [];
  }

  /** The actions that begin with the places tapped so far; if none does, those that name them in another order. */
  matching(names = this.picked): string[] {
    const found = (any: boolean) => this.actions.filter((_, at) => this.fits(this.sequences[at] || [], names, any));
    const first = found(false);
    return first.length ? first : found(true);
  }

  /** Whether a further place can be tapped after those that are held. */
  leads_on(): boolean {
    return this.matching().some((action) => this.places_of(action).length > this.picked.length);
  }

  marks(): Map<string, string> {
    const marks = new Map<string, string>();
    if (this.arranged) {
      if (this.arranged.left.length) for (const square of this.arranged.squares) marks.set(square, "to");
      for (const [, square] of this.arranged.done) marks.set(square, "from");
      return marks;
    }
    if (this.shares) {
      for (const name of this.shares.most.keys()) marks.set(name, "to");
      return marks;
    }
    for (const action of this.matching()) {
      const sequence = this.places_of(action);
      const next = this.fits(sequence, this.picked, false) ? [sequence[this.picked.length]] : sequence;
      for (const name of next) if (name) marks.set(name, this.picked.length ? "to" : "may");
    }
    for (const name of this.picked) marks.set(name, "from");
    return marks;
  }

  /** What is drawn over the board: what was put down and is not entered, and damage that is given. */
  over(): Over[] {
    if (this.arranged) return this.arranged.done.map(([piece, place]) => ({ place, text: piece, kind: "placed" }));
    if (this.shares)
      return [...this.shares.given].filter(([, given]) => given).map(([place, given]) => ({ place, text: String(given), kind: "badge" }));
    return [];
  }

  tapped(names: string[]): unknown {
    this.explained = null;
    if (this.arranged) return this.arrange(names);
    if (this.shares) return this.share(names.find((name) => this.shares?.most.has(name)) || "", 1);
    const goes = [false, true]
      .map((any) =>
        names.find(
          (name) =>
            !(any && this.picked.includes(name)) && this.sequences.some((sequence) => this.fits(sequence, [...this.picked, name], any)),
        ),
      )
      .find(Boolean);
    if (goes) {
      this.picked.push(goes);
      const left = this.matching();
      const done = left.filter((action) => this.places_of(action).length === this.picked.length);
      if (left.length === 1 && done[0]) return this.choose(done[0]);
      if (this.sharing(left)) return app.drawn();
      say(`${this.picked.join(", ")}: ${left.length}${left.length === 1 ? " action is" : " actions are"} possible`);
    } else if (this.picked.length && names.includes(this.picked[0] || "")) {
      this.picked = [];
    } else if (this.sequences.some((sequence) => names.includes(sequence[0] || ""))) {
      this.picked = [names.find((name) => this.sequences.some((sequence) => sequence[0] === name)) || ""];
      const left = this.matching();
      if (left.length === 1 && left[0] && this.places_of(left[0]).length === 1) return this.choose(left[0]);
    } else if (this.picked[0]) {
      this.explain(this.picked[0], names);
    } else if (names.some((name) => /^[A-Z]{2}$/.test(name))) {
      board.zoomed = board.zoomed ? "" : names.find((name) => /^[A-Z]{2}$/.test(name)) || "";
      return app.redraw();
    } else {
      this.picked = [names[0] || ""];
      say(names[0] || "");
    }
    app.drawn();
  }

  /** What is dragged: picked like by a tap, whatever was picked before. Returns whether something is held now. */
  lifted(names: string[]): boolean {
    if (this.arranged || this.shares) return false;
    this.picked = [];
    this.tapped(names);
    return this.picked.length > 0;
  }

  /** Puts down what is held; outside the board, or where it was, it is let go. */
  dropped(names: string[], from: string[]): unknown {
    if (!this.picked.length) return;
    if (names.length && !names.some((name) => from.includes(name))) return this.tapped(names);
    this.picked = [];
    app.drawn();
  }

  /** Explains why an action is not possible: judges the forms that it could have, and shows the first rule that is broken. */
  explain(from: string, names: string[]): unknown {
    const piece = app.seen.pieces.find((piece: { place: string }) => piece.place === from);
    const tries: string[] = [];
    for (const to of names) {
      for (const [at, action] of this.actions.entries()) {
        const [first, second] = this.sequences[at] || [];
        if (first === from && second) tries.push(action.slice(0, action.lastIndexOf(second)) + to);
      }
      // First as the game writes its actions.
      const letters = this.actions.some((action) => /^[A-Z]/.test(action)) ? [piece?.letter || "", ""] : ["", piece?.letter || ""];
      for (const letter of letters) for (const sign of ["-", "x", "*"]) tries.push(letter + from + sign + to);
      tries.push(`move ${from}>${to}`, `play ${from}@${to}`, `attack ${from} ${to}`);
    }
    const begun = this.begun.map((action) => `${action}; `).join("");
    let best: Answer = null;
    const since = performance.now();
    for (const [nth, action] of [...new Set(tries)].slice(0, 60).entries()) {
      const judged = this.ask("judge", begun + action);
      if (judged.number) return this.choose(action);
      if (judged.refused && (!best || (judged.refused.rule && !best.rule))) best = judged.refused;
      if (best && (best.rule || (nth >= 8 && performance.now() - since > 30))) break;
    }
    // What is held stays so, with what it can do.
    this.picked = this.sequences.some((sequence) => sequence[0] === from) ? [from] : [];
    this.explained = { ...(best || { message: `nothing goes from ${from} to ${names[0]}` }), at: names[0] };
    say(this.explained.message);
  }

  choose(action: string): unknown {
    this.picked = [];
    this.explained = null;
    this.shares = null;
    if (this.next.words?.[action]) this.arrange_as(action);
    else this.begun.push(action);
    const is_thrown = (this.next.thrown || []).includes(action);
    this.look();
    // What is thrown or drawn is entered before it is seen.
    if (is_thrown && this.whole && !app.lesson) return this.enter(this.entry());
    app.drawn();
    say(this.arranged ? `${action}: tap a square for each piece` : `${this.told()}${this.whole ? ". This can be entered." : ""}`);
  }

  /** Begins an arrangement: pieces that are put down together, or dice. */
  private arrange_as(action: string): void {
    const examples: string[] = this.next.words[action];
    const placing = this.next.placing?.[action] || {};
    const parts = (examples[0] || "").slice(action.length).trim().split(" ");
    const squares = parts.filter((part) => app.names.includes(part.slice(-2)));
    this.arranged = {
      word: action,
      examples,
      left: squares.map((part) => part.slice(0, -2)),
      done: [],
      numbers: parts.filter((part) => /^[0-9]+$/.test(part)),
      squares: placing.squares || [],
      names: placing.pieces || {},
    };
  }

  /** Where only shares of damage are left to choose, they are counted out. */
  private sharing(left: string[]): boolean {
    const parts = left.map((action) => action.match(/^((?:attack|event) \S+) (\S+:\d+(?: \S+:\d+)*)$/));
    const begins = parts[0]?.[1];
    if (left.length < 3 || !begins || !parts.every((found) => found?.[1] === begins)) return false;
    const most = new Map<string, number>();
    let of = 0;
    for (const found of parts) {
      let sum = 0;
      for (const share of (found?.[2] || "").split(" ")) {
        const [name = "", damage = "0"] = share.split(":");
        most.set(name, Math.max(most.get(name) || 0, Number(damage)));
        sum += Number(damage);
      }
      of = Math.max(of, sum);
    }
    const given = new Map<string, number>();
    let rest = of;
    for (const [name, can] of most) {
      given.set(name, Math.min(rest, can));
      rest -= Math.min(rest, can);
    }
    this.shares = { begins, of, most, given };
    return true;
  }

  /** Gives so much more damage to a unit, as far as there is some. */
  share(name: string, more: number): void {
    const { shares } = this;
    if (!shares) return;
    const now = shares.given.get(name) || 0;
    const rest = shares.of - [...shares.given.values()].reduce((sum, given) => sum + given, 0);
    shares.given.set(name, Math.max(0, Math.min(shares.most.get(name) || 0, now + Math.min(more, rest))));
    app.drawn();
  }

  shared(): unknown {
    if (!this.shares) return;
    const { begins, given } = this.shares;
    const action = `${begins} ${[...given]
      .filter(([, damage]) => damage)
      .map((share) => share.join(":"))
      .join(" ")}`;
    this.shares = null;
    this.picked = [];
    return this.take(action);
  }

  /** Puts the next piece of an arrangement on a square. */
  arrange(names: string[]): void {
    const square = names.find((name) => /^[a-z][0-9]$/.test(name));
    const here = this.arranged;
    if (!square || !here) return;
    const there = here.done.findIndex(([, taken]) => taken === square);
    const [back] = there >= 0 ? here.done.splice(there, 1) : [];
    if (back) here.left.unshift(back[0]);
    else if (here.squares.length && !here.squares.includes(square))
      this.explained = { message: `Not ${square}: pieces are placed on ${here.squares.join(", ")}` };
    else {
      const piece = here.left.shift();
      if (piece) here.done.push([piece, square]);
    }
    if (this.explained) say(this.explained.message);
    else say(here.left[0] ? `${here.names[here.left[0]] || here.left[0]}: tap a square` : "All are placed. This can be entered.");
    app.drawn();
  }

  /** Puts the rest of an arrangement where there is room. */
  rest(): void {
    const here = this.arranged;
    if (!here) return;
    const free = here.squares.filter((square) => !here.done.some(([, taken]) => taken === square));
    for (const piece of here.left.splice(0)) here.done.push([piece, free.shift() || ""]);
    app.drawn();
    say("All are placed. This can be entered.");
  }

  /** The whole action that was arranged, once every piece is placed. */
  arrangement(): string {
    const here = this.arranged;
    return here && !here.left.length && here.done.length ? `${here.word} ${here.done.map((pair) => pair.join("")).join(" ")}` : "";
  }

  /** Takes a whole action that was typed or arranged. */
  take(typed: string): unknown {
    const begun = [...this.begun, typed.trim()].join("; ");
    const judged = this.ask("judge", begun);
    if (judged.refused) {
      // It may be the beginning of a longer entry.
      const next = referee.ask({ call: "next", record: app.record, begun });
      if (next.refused || !next.actions || (!next.actions.length && !next.whole)) {
        this.explained = judged.refused;
        say(judged.refused.message);
        return app.drawn();
      }
    }
    this.arranged = null;
    this.begun = begun
      .split(";")
      .map((part) => part.trim())
      .filter(Boolean);
    this.explained = null;
    this.look();
    app.drawn();
  }

  /** Whether the dock's *Enter* does something now. */
  ready(): boolean {
    return this.whole || this.arrangement() !== "";
  }

  /** Enters what is made. Why that cannot be yet is said. */
  async go(): Promise<unknown> {
    if (this.arrangement()) {
      this.take(this.arrangement());
      if (!this.whole) return null;
    }
    if (this.whole) return this.enter(this.entry());
    this.explained = {
      message: this.begun.length
        ? "The turn is not complete yet: something has to follow."
        : "Nothing is made yet: tap the board, or choose below.",
    };
    say(this.explained.message);
    return app.drawn();
  }

  async enter(typed: string): Promise<unknown> {
    if (app.lesson) return learn.enter(typed);
    if (world.home.is_shown()) return world.home.enter(typed);
    if (app.storing) return null;
    const answer = this.ask("append", typed);
    if (answer.refused || answer.error) {
      this.explained = answer.refused || { message: answer.error };
      say(this.explained.message);
      return app.drawn();
    }
    const last = app.opened.practice ? null : { record: app.record, answer };
    if (!(await app.stores(answer.record, last))) return null;
    drafts.clear(this.draft("message"), this.draft("begun"));
    if (last) app.history.push(last);
    app.take(answer.record, true);
    focus_on("sent");
    return say(`Entered: ${answer.line}${answer.outcome ? `. ${app.outcome()}` : ""}`);
  }

  undo(): void {
    this.explained = null;
    if (this.shares) {
      this.shares = null;
      this.picked.pop();
    } else if (this.arranged) {
      const back = this.arranged.done.pop();
      if (back) this.arranged.left.unshift(back[0]);
      else if (this.actions.length !== 1) this.arranged = null;
    } else if (this.picked.length) this.picked = [];
    else this.begun.pop();
    this.look();
    this.begin_alone();
    app.drawn();
    say(this.told() || "Nothing has been begun");
  }

  /** What is begun, in words to who does it. */
  private told(): string {
    return this.begun.map((action) => action_words(action, true)).join("; ");
  }

  /** Whether there is something to take back before it is entered. */
  undoes(): boolean {
    const has_arranged = this.arranged && (this.arranged.done.length || this.actions.length !== 1);
    return Boolean(this.begun.length || this.picked.length || has_arranged || this.shares);
  }

  /** Where the board is tapped only to look, nothing is due. */
  idle(): boolean {
    return machine.is_due();
  }
}

export const play = new Play();
