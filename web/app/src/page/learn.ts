// Lessons: a position with one thing to do in each, judged by the referee. Which are done is kept in this browser, where it keeps anything.
import { app } from "./app";
import { machine } from "./machine";
import { play } from "./play";
import { type Answer, referee } from "./referee";
import { tools } from "./tools";
import { focus_on, say, world } from "./world";

const PREFIX = "postrider/lessons/";

class Learn {
  private lists = new Map<string, Answer>();

  done(game: string): Set<number> {
    try {
      const kept = JSON.parse(localStorage.getItem(PREFIX + game) || "null");
      return new Set(Array.isArray(kept) ? kept.filter(Number.isInteger) : []);
    } catch {
      return new Set();
    }
  }

  private note(game: string, number: number): void {
    try {
      localStorage.setItem(PREFIX + game, JSON.stringify([...this.done(game).add(number)].sort((one, other) => one - other)));
    } catch {
      // It is not kept.
    }
  }

  of(game: string): Answer {
    if (!this.lists.has(game)) this.lists.set(game, referee.ask({ call: "lessons", game }));
    return this.lists.get(game);
  }

  /** The first lesson that is not done. */
  next(game: string): number {
    const done = this.done(game);
    return this.of(game).lessons.find((lesson: { number: number }) => !done.has(lesson.number))?.number || 1;
  }

  /** Shows a lesson. */
  open(game: string, number: number): void {
    const { title, lessons } = this.of(game);
    const lesson = { ...lessons[number - 1], game, of: lessons.length, game_title: title, said: null, solved: null };
    machine.stop();
    app.history = [];
    app.kept = "";
    world.home.game = null;
    app.tab = "board";
    if (!app.take(lesson.record, true, lesson)) return;
    focus_on("now");
    say(`${title}, lesson ${number}: ${lesson.title}. ${lesson.text} ${lesson.task}`);
  }

  enter(typed: string): Answer {
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
    focus_on("now");
    say(`Right. ${lesson.done}`);
  }

  /** The first game, against level 1. */
  first(game: string): void {
    const [side] = tools.game(game).sides;
    const answer = referee.ask({
      call: "practice",
      game,
      side,
      level: 1,
      seed: (crypto.getRandomValues(new Uint32Array(1))[0] || 0) >>> 8,
      started: new Date().toISOString().slice(0, 10),
    });
    if (answer.record) machine.play(answer.record);
  }
}

export const learn = new Learn();
