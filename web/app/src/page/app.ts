// The state of the page: the record that is shown, where in it, and which of the screens. The screen is a function of it.
import { kept } from "../store/kept";
import { board } from "./board";
import { machine } from "./machine";
import { play } from "./play";
import { type Answer, referee } from "./referee";
import { capital, ended, entry_words, short } from "./words";
import { say, world } from "./world";

declare const stepper: { stop(): void };

/** What is shown instead of a game. */
export type Door = "games" | "new" | "letter" | "more";

/** An entry that was made in this page and can be taken back. */
interface Made {
  record: string;
  answer: Answer;
}

class App {
  record = "";
  at = 0;
  /** How many actions of the entry after `at` are shown. */
  part = 0;
  opened: Answer = null;
  seen: Answer = null;
  shown = "";
  pointed = "";
  history: Made[] = [];
  names: string[] = [];
  playing = 0;
  /** The lesson that is shown, and the record that the page brought. */
  lesson: Answer = null;
  home = "";
  kept: "" | "here" | "differs" = "";
  /** Whether the board is seen from the other side. */
  turned = false;
  /** Whether a record is being stored. */
  storing = false;
  playing_here = false;
  /** What the screen shows beside the board: the dock, or the details; what of the dock is unfolded; and the door, where no game is shown. */
  tab: "board" | "details" = "board";
  more = false;
  door: Door = "games";
  /** Why something that was put into the page is no record. */
  refused: Answer = null;
  /** Where every board is printed. */
  printing = false;
  /** Whether a newer version waits. */
  newer = false;
  readonly holder = document.createElement("div");
  private prepared = new Set<string>();
  /** Whether the browser is asked to go back to the first screen. */
  private returning = false;

  constructor() {
    this.holder.className = "svg";
  }

  /** The time for an entry, to the second; undefined in a record without times. */
  time(): string | undefined {
    return this.opened?.standing.timed ? `${new Date().toISOString().slice(0, 19)}Z` : undefined;
  }

  /** Verifies a record and shows it, up to the first fault if there is one. `own`: it was made in this page. */
  take(record: string, own = false, lesson: Answer = null): boolean {
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
        if (record.startsWith(game.record)) kept.put(opened.id, { record }, game.record);
        else if (game.record.startsWith(record)) return this.take_up(game);
        else this.kept = "differs";
      }
    }
    const is_same = this.opened?.id === opened.id && Boolean(this.lesson) === Boolean(lesson);
    if (!is_same) {
      board.forget();
      this.tab = "board";
    }
    if (!this.opened) this.entered_screen();
    Object.assign(this, { record, opened, lesson, at: opened.entries.length, part: 0, seen: null, refused: null, more: false });
    if (!world.home.is_shown()) world.home.hush();
    play.reset();
    if (location.hash.startsWith("#e") && !own) {
      const at = Number(location.hash.slice(2));
      if (Number.isInteger(at) && at <= this.at) this.at = at;
    } else if (location.hash) this.mark(this.at);
    document.title = `${opened.game.title}: ${lesson ? `lesson ${lesson.number}, ${lesson.title}` : this.title()}`;
    this.draw();
    this.prepare();
    machine.go();
    return true;
  }

  title(): string {
    const [first, second] = this.opened.players;
    return this.opened.title || `${first.name} against ${second.name}`;
  }

  /** Whether the game that is shown needs a secret or a key, which the record alone has not. */
  needs_secret(): boolean {
    const { playable, sealed, hosted, players, verdict, standing } = this.opened;
    const is_closed = sealed || players.some(({ key }: { key: string | null }) => key);
    const is_legal = verdict.report.verdict === "legal";
    return !playable && !standing.outcome && is_closed && is_legal && !hosted && !world.home.is_shown();
  }

  /** The browser's Back leaves a game for the first screen. */
  entered_screen(): void {
    if (this.home) return;
    try {
      history.pushState({ game: true }, "");
    } catch {
      // The page is inside another one.
    }
  }

  /** Goes back from a lesson or a game to what the page began with. */
  leave(): void {
    machine.stop();
    this.stop();
    if (this.home && this.take(this.home)) return;
    Object.assign(this, { opened: null, lesson: null, record: "", seen: null, tab: "board", door: "games", refused: null });
    world.home.game = null;
    document.title = "postrider: games by mail";
    if (location.hash) this.mark(null);
    this.drawn();
    scrollTo(0, 0);
    // The step into the game is taken back, or the next Back would only come here again.
    if (!history.state?.game || this.returning) return;
    this.returning = true;
    history.back();
  }

  /** The browser's Back or Forward. */
  stepped(): void {
    if (this.returning) {
      this.returning = false;
      if (this.opened && !history.state?.game) this.entered_screen();
    } else if (this.opened && !this.home && !history.state?.game && !/^#e[0-9]+$/.test(location.hash)) world.home.leave();
  }

  /** Shows one of the doors of the first screen. */
  open(door: Door): void {
    this.door = door;
    this.refused = null;
    world.home.hush();
    this.drawn();
    scrollTo(0, 0);
  }

  /** Shows a game as it was last played on in this browser. */
  take_up(game: { record: string; last?: unknown }): boolean {
    const last = game.last as Made | null | undefined;
    if (last && typeof last.record === "string" && last.answer) this.history = [last];
    this.kept = "here";
    return this.take(game.record, true);
  }

  /**
   * Keeps another record of the game that is shown, before it is shown, so that what was entered is there again when the page is opened
   * again. `last`: the last entry, which can be taken back. Returns whether it may be shown: not if another tab was faster.
   */
  async stores(record: string, last: Made | null = null): Promise<boolean> {
    if (this.storing) return false;
    this.storing = true;
    const { id } = this.opened;
    // What the page itself has need not be kept.
    const is_kept = await kept.put(id, record === this.home ? null : { record, last }, this.record);
    this.storing = false;
    if (is_kept) return true;
    const told =
      this.kept === "differs"
        ? "nothing was entered: this browser keeps another course of this game; first show that one, or forget it"
        : "nothing was entered: another tab of this browser has played on, and what it has made is shown here now";
    const there = kept.get(id);
    if (this.kept !== "differs" && there) this.take_up(there);
    play.explained = { message: told };
    this.drawn();
    say(told);
    return false;
  }

  /** Keeps a new game, and shows it. */
  async begins(record: string): Promise<boolean> {
    const opened = referee.ask({ call: "open", record });
    if (opened.game) await kept.put(opened.id, { record }, null);
    return this.take(record, true);
  }

  /** Another tab has played on, or taken something back. */
  followed(): unknown {
    if (!this.opened) return this.drawn();
    if (this.lesson || this.storing || world.home.is_shown()) return;
    const game = kept.get(this.opened.id);
    if (!game || game.record === this.record || !(game.record.startsWith(this.record) || this.record.startsWith(game.record))) return;
    machine.stop();
    this.history = [];
    this.take_up(game);
  }

  /** Shows the course of this game that the browser keeps. */
  show_other(): void {
    const game = kept.get(this.opened.id);
    if (game) this.take_up(game);
  }

  /** Forgets what was entered in this browser, and goes back to what the page brought. */
  async forget(): Promise<void> {
    const { id } = this.opened;
    await kept.put(id, null, kept.get(id)?.record);
    location.reload();
  }

  /**
   * Browsers translate a function of the module where it is first called. What a tap will call is called before, a little at a time, so
   * that the first tap of a game is answered as soon as the others.
   */
  private prepare(): void {
    const [action] = play.actions;
    if (!this.playing_here || !action || this.prepared.has(this.opened.game.name)) return;
    this.prepared.add(this.opened.game.name);
    const { record } = this;
    const calls = [
      { call: "judge", typed: action },
      { call: "next", begun: action },
      { call: "position", begun: action, look: "classes" },
      { call: "append", typed: action },
    ];
    const call = () => {
      referee.ask({ record, ...calls.shift() });
      if (calls.length) setTimeout(call, 30);
    };
    setTimeout(call, 30);
  }

  /** Says what is wrong with something that is not a record. The page stays as it is. */
  refuse(opened: Answer): void {
    this.refused = opened;
    if (this.opened) this.tab = "details";
    this.drawn();
    say(opened.error || opened.verdict.summary);
    document.getElementById("refused")?.scrollIntoView({ block: "nearest" });
  }

  /** Shows the board after an entry, or after the first `part` actions of it. */
  go(at: number, part = 0): void {
    const to = Math.max(0, Math.min(this.opened.entries.length, at));
    if (to === this.at && part === this.part) return;
    this.mark(to);
    this.show(to, part);
  }

  /** Goes on to what can be seen next: of a turn of many actions each, of any other entry the whole. */
  onward(): void {
    for (;;) {
      const before = this.seen?.svg;
      const at = this.part ? this.at : this.at + 1;
      const count = this.opened.game.stepwise ? this.opened.entries[at - 1].actions.split("; ").length : 1;
      this.go(at, this.part + 1 < count ? this.part + 1 : 0);
      if (!this.part || (!this.seen.error && this.seen.svg !== before)) return;
    }
  }

  /** Puts the entry that is shown into the page's address, if the browser allows that. */
  mark(at: number | null): void {
    try {
      history.replaceState(history.state, "", at === null ? location.pathname + location.search : `#e${at}`);
    } catch {
      // The page is inside another one.
    }
  }

  show(at: number, part = 0): void {
    this.at = Math.max(0, Math.min(this.opened.entries.length, at));
    this.part = part;
    // What was begun is there again at the newest move.
    play.explained = null;
    this.draw();
    const marks = this.seen?.words ? (this.seen.words.match(/^Last move:.*$/m) || [""])[0] : "";
    say(`${this.heading()}. ${marks}`);
  }

  is_last(): boolean {
    return this.at === this.opened.entries.length && !this.part;
  }

  /** Who made an entry, or is to make one, as the player calls them. */
  called(side: string): string {
    const { practice, players } = this.opened;
    if (practice) return side === practice.own ? "You" : "The machine";
    if (world.home.is_shown() && side === world.home.game.own) return "You";
    const name: string = players.find((player: { side: string }) => player.side === side)?.name || side;
    return name === side ? side : short(name);
  }

  /** Who made an entry, and what it is, in words. */
  does(side: string, told: string): string {
    const who = this.called(side);
    return `${who}: ${entry_words(told, who === "You")}`;
  }

  /** The side that the player of this page has in the game that is shown; null for whoever only looks on. */
  own(): string | null {
    const { practice } = this.opened;
    return practice ? practice.own : world.home.is_shown() ? world.home.game.own : null;
  }

  /** How the game that is shown has ended: to its player, or as everybody reads it. */
  outcome(): string {
    const { outcome, end } = this.opened.standing;
    const own = this.own();
    return end && own ? ended(end, own) : capital(outcome || "");
  }

  /** What the shown move is called. */
  heading(): string {
    const { entries } = this.opened;
    const entry = entries[this.at - 1];
    if (!entry) return "The start";
    if (this.part) return `Move ${entry.number}, step ${this.part}: ${this.does(entry.side, entry.told.split("; ")[this.part - 1] || "")}`;
    return `Move ${entry.number} of ${entries.length}: ${this.does(entry.side, entry.told)}`;
  }

  /** Draws the board and everything that belongs to it. */
  draw(): void {
    const { playable } = this.opened;
    const { lesson } = this;
    this.playing_here = this.is_last() && playable && !machine.is_due() && !lesson?.solved;
    this.see(board.show(this.holder, { record: this.record, from: this.from(), ...this.look() }, this.taps()));
    this.shown = "";
    this.pointed = "";
    if (this.playing_here) play.resume();
    this.drawn();
  }

  /** What of the game is looked at: an entry, or a part of the one behind it. */
  private look(): { at: number; begun?: string } {
    const { at, part } = this;
    return part ? { at: at - 1, begun: this.opened.entries[at - 1].actions.split("; ").slice(0, part).join("; ") } : { at };
  }

  /** Draws the board again, as it is seen otherwise. */
  redraw(): void {
    this.see(board.show(this.holder, { record: this.record, from: this.from(), ...this.look() }, this.taps()));
    // What is made and what is held is drawn again over that.
    this.shown = "";
    this.pointed = "";
    this.drawn();
  }

  /** Who is told of a tap on the board: while one only looks, an area can still be seen closer. */
  private taps() {
    if (this.playing_here) return play;
    const closer = (names: string[]) => {
      const area = names.find((name) => /^[A-Z]{2}$/.test(name));
      if (!area && !board.zoomed) return;
      board.zoomed = board.zoomed ? "" : area || "";
      this.redraw();
    };
    return { tapped: closer, lifted: () => false, dropped: () => {} };
  }

  /** Takes what the board shows now, with the places that can be named. */
  private see(seen: Answer): void {
    this.seen = seen;
    this.names = (seen.targets || []).map((target: { name: string }) => target.name);
  }

  /** The side at the bottom of the board; the other one if the board was turned. */
  from(): string {
    const side = this.usual();
    return this.turned ? this.opened.game.sides.find((other: string) => other !== side) : side;
  }

  /**
   * The side at the bottom if the board is not turned: the player's, otherwise the one that is to move, until something was entered in
   * this page.
   */
  private usual(): string {
    const { standing, game, practice, playable } = this.opened;
    if (practice) return practice.own;
    if (world.home.is_shown() && world.home.game.own) return world.home.game.own;
    return playable && this.history.length === 0 && this.at === this.opened.entries.length && standing.due ? standing.due : game.sides[0];
  }

  /** Shows what was tapped. The board is drawn again only if the position has changed. */
  drawn(): void {
    if (this.opened && this.playing_here) {
      // Of a long turn what it has done so far is seen, of any other entry the whole.
      const begun = play.whole || this.opened.game.stepwise ? play.begun.join("; ") : "";
      // What is held may have something to point out: the zone of a Portal, the tokens of a stack.
      const mark = begun || play.arranged ? "" : play.picked[0] || "";
      if (begun !== this.shown || mark !== this.pointed) {
        const shown = (more: object) => board.show(this.holder, { record: this.record, at: this.at, from: this.from(), ...more }, play);
        const seen = shown(mark ? { mark } : { begun });
        this.shown = begun;
        this.pointed = mark;
        this.see(seen.error ? { ...shown({}), words: "" } : seen);
        play.find();
      }
      board.mark(this.seen, play.marks(), play.over());
      play.note();
    } else if (this.opened && this.seen?.targets) board.mark(this.seen, new Map(), []);
    world.render();
  }

  stop(): void {
    clearInterval(this.playing);
    this.playing = 0;
  }

  /** Plays the entries one after another. */
  autoplay(): unknown {
    if (this.playing) {
      this.stop();
      return this.drawn();
    }
    if (this.at === this.opened.entries.length) this.go(0);
    this.playing = Number(setInterval(() => (this.is_last() ? this.stop() : this.onward()), 1200));
    this.drawn();
  }
}

export const app = new App();
