// A game against the machine, which thinks in a worker, so that the page answers meanwhile; and a look back at a game that is over.
import { Apart, type Told } from "./apart";
import { app } from "./app";
import { type Answer, referee } from "./referee";
import { tools } from "./tools";
import { entry_words } from "./words";
import { focus_on, say } from "./world";

/** What a look back has found. */
interface Review {
  running: boolean;
  state: string;
  turns: { number: number; headline: string; says: string[] }[];
  of: string;
}

class Machine extends Apart {
  /** How long an entry is thought about at most; then the level below is asked. */
  PATIENCE = 20000;
  /** What is thought about now: whatever comes later takes its place. */
  turn = 0;
  level = 0;
  expected: number | null = null;
  /** What it said last, and what it would do. */
  told = "";
  hinted = "";
  took = 0;
  memory = 0;
  looked: Review | null = null;

  protected override told_by({ answer, took, memory }: Told): void {
    if (Number.isInteger(answer.expects)) Object.assign(this, { took, memory });
  }

  /** Ends whatever is being thought about. Nobody waits for it any more. */
  override stop(): void {
    this.turn += 1;
    if (this.waiting.size) super.stop();
    this.hinted = "";
    this.looked = null;
  }

  /** Whether the page shows a game against the machine, and whether the machine is due in it. */
  is_on(): boolean {
    return Boolean(app.opened?.practice) && !app.lesson;
  }

  is_due(): boolean {
    return this.is_on() && app.opened.standing.due === app.opened.practice.side;
  }

  /** Asks for what comes next without the player, after a record was taken: an entry of the machine, or a throw. */
  async go(): Promise<void> {
    this.told = "";
    this.hinted = "";
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
    say(`${answer.side}: ${entry_words(app.opened.entries.at(-1)?.told || answer.actions)}${answer.outcome ? `. ${app.outcome()}` : ""}`);
  }

  private patiently(turn: number, record: string, level: number): Promise<Answer> {
    return new Promise((done) => {
      const timer = setTimeout(() => {
        if (turn !== this.turn || level <= 1 || this.is_blocked) return;
        this.worker?.terminate();
        this.worker = null;
        this.waiting.clear();
        this.patiently(turn, record, level - 1).then(done);
      }, this.PATIENCE);
      this.ask({ call: "answer", record, level }).then((answer) => {
        clearTimeout(timer);
        done(answer);
      });
    });
  }

  async hint(): Promise<void> {
    this.turn += 1;
    const { turn } = this;
    const { record } = app;
    this.told = "The machine is thinking about it \u2026";
    this.hinted = "";
    app.drawn();
    const answer = await this.ask({ call: "choose", record });
    if (turn !== this.turn || record !== app.record) return;
    const message = answer.error || answer.refused?.message;
    this.hinted = message ? "" : answer.actions || "";
    this.told =
      message ||
      (answer.actions ? `For instance: ${entry_words(answer.actions, true)} (expected: ${answer.expects}%)` : "There is nothing to enter.");
    app.drawn();
    say(this.told);
  }

  why(): void {
    const level = this.level || app.opened.practice.level;
    const { playouts } = tools.levels().find((one) => one.number === level) || { playouts: 0 };
    this.told =
      this.expected === null
        ? "The machine has not played yet."
        : `The machine expects ${this.expected}% of the point for itself. Level ${level} plays ${playouts} games on in its head for each move.`;
    app.drawn();
    say(this.told);
  }

  /** Takes the player's last entry back, with the answers to it. */
  async undo(): Promise<void> {
    this.stop();
    const answer = referee.ask({ call: "undo", record: app.record });
    if (answer.record) {
      if (!(await app.stores(answer.record))) return;
      app.take(answer.record, true);
      focus_on("now");
      return say("Taken back");
    }
    this.told = "There is no move of yours to take back.";
    app.drawn();
    say(this.told);
    return this.go();
  }

  async play(record: string): Promise<void> {
    this.stop();
    Object.assign(this, { level: 0, expected: null });
    Object.assign(app, { kept: "", history: [] });
    if (await app.begins(record)) focus_on("now");
  }

  /** Whether there is a look back at the game that is shown. */
  looks_back(): boolean {
    const { standing, verdict, entries } = app.opened;
    return !app.lesson && Boolean(standing.outcome) && verdict.report.verdict === "legal" && entries.length > 0;
  }

  /** Looks back part by part, so that one sees how far it is. */
  async review(): Promise<void> {
    const before = this.looked;
    this.stop();
    if (before?.running) {
      this.looked = { ...before, running: false, state: "Stopped." };
      return app.drawn();
    }
    const { turn } = this;
    const { record } = app;
    const review: Review = { running: true, state: "", turns: [], of: record };
    this.looked = review;
    let [first, of, carried, hidden] = [1, app.opened.entries.length as number, null as number | null, 0];
    let untold: string[] = [];
    while (first <= of) {
      review.state = `${first - 1} of ${of} moves \u2026`;
      app.drawn();
      const answer = await this.ask({ call: "review", record, first, last: first + 1, ...(carried === null ? {} : { carried }) });
      if (turn !== this.turn || record !== app.record) return;
      if (answer.error || answer.refused) {
        Object.assign(review, { running: false, state: answer.error || answer.refused.message });
        return app.drawn();
      }
      of = answer.of;
      carried = answer.carried;
      hidden += answer.hidden;
      untold = untold.concat(answer.untold.filter((side: string) => !untold.includes(side)));
      first = Math.max(first + 2, answer.passed_over + 1);
      for (const { number, headline, says } of answer.entries) if (headline) review.turns.push({ number, headline, says });
    }
    const turned = review.turns.length;
    review.running = false;
    review.state = [
      `${of === 1 ? "1 move" : `${of} moves`}; the game turned at ${turned || "none"} of them.`,
      ...untold.map((side) => `The secret of ${side} is not published, so what only that side knew is guessed.`),
      hidden ? `Of ${hidden === 1 ? "1 move" : `${hidden} moves`} nothing is said, because something was hidden.` : "",
    ].join(" ");
    app.drawn();
    say(review.state);
  }
}

export const machine = new Machine();
