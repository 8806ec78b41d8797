// Begins games, and reads what is put into the page.
import type { About, Game, Level } from "../../../index.js";
import { base64 } from "../store/base64";
import { app } from "./app";
import { drafts } from "./drafts";
import { machine } from "./machine";
import { type Answer, referee } from "./referee";
import { focus_on, say, value_of, world } from "./world";

class Tools {
  private known: About | null = null;

  /** What the module says of the games and of the levels of the machine. */
  about(): About {
    this.known ||= referee.alone({ call: "about" }) as About;
    return this.known;
  }

  levels(): Level[] {
    return this.about().levels;
  }

  game(name: string): Game {
    const { games } = this.about();
    return games.find((game) => game.name === name) || (games[0] as Game);
  }

  /** What was chosen in the fields of a game's options. */
  chosen(game: Game, prefix: string): Record<string, string> {
    const options: Record<string, string> = {};
    for (const option of game.options) {
      const value = value_of(`${prefix}option-${option.name}`);
      if (value && value !== option.default) options[option.name] = value;
    }
    return options;
  }

  /** Begins a game against the machine; returns what is wrong, if anything. */
  practise(game: Game): string {
    const given = value_of("practice-seed");
    if (given && !/^[0-9]{1,15}$/.test(given)) return "a seed is a whole number of at most 15 digits";
    const answer = referee.ask({
      call: "practice",
      game: game.name,
      side: value_of("practice-side"),
      level: Number(value_of("practice-level")),
      started: new Date().toISOString().slice(0, 10),
      seed: given ? Number(given) : (crypto.getRandomValues(new Uint32Array(1))[0] || 0) >>> 8,
      options: this.chosen(game, "practice-"),
    });
    if (!answer.record) return answer.error || answer.refused.message;
    drafts.used("practice-seed");
    world.home.game = null;
    machine.play(answer.record);
    return "";
  }

  /** Begins an open game that is kept in this page alone; returns what is wrong, if anything. */
  async begin(game: Game): Promise<Answer> {
    const day = new Date().toISOString().slice(0, 10);
    const letters = "0123456789abcdefghjkmnpqrstvwxyz";
    const random = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => letters[byte % 32]).join("");
    const players: Record<string, { name: string; email?: string }> = {};
    for (const side of game.sides) {
      const email = value_of(`new-mail-${side}`);
      players[side] = { name: value_of(`new-name-${side}`) || side, ...(email ? { email } : {}) };
    }
    const answer = referee.ask({
      call: "begin",
      game: game.name,
      id: `${game.name}-${day.replace(/-/g, "")}-${random}`,
      started: day,
      players,
      options: this.chosen(game, "new-"),
      title: value_of("new-title") || null,
      clock: value_of("new-clock") || null,
      setup: value_of("new-setup") || null,
    });
    if (!answer.record) {
      say(answer.error || answer.refused.message);
      return answer;
    }
    Object.assign(app, { kept: "", history: [] });
    world.home.game = null;
    if (!(await app.begins(answer.record))) return null;
    drafts.clear("new-title", "new-clock", "new-setup", ...game.sides.flatMap((side) => [`new-name-${side}`, `new-mail-${side}`]));
    focus_on("now");
    return null;
  }
}

export const tools = new Tools();

/** One reader for all ways in: what is chosen, dropped or pasted, what another program shares, and what the installed app opens. */
class Reader {
  /** The longest file that is read, in bytes: a message. */
  MOST = 24 * 1024 * 1024;

  async file(file: Blob): Promise<void> {
    if (file.size > this.MOST) return app.refuse({ error: "the file is over 24 MiB" });
    this.bytes(new Uint8Array(await file.arrayBuffer()));
  }

  text(text: string): void {
    this.bytes(new TextEncoder().encode(text));
  }

  /** A record is judged and shown, or taken where it belongs to a kept game; whatever else a letter may be is read where letters are. */
  bytes(bytes: Uint8Array<ArrayBuffer>): unknown {
    let text: string | null = null;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      // A letter may have any bytes.
    }
    const record = text !== null && /^\s*---\r?\n/.test(text) ? text.replace(/^\s+/, "") : null;
    if (world.home.reads(bytes, record)) return;
    if (record !== null) {
      app.take(record);
      return;
    }
    if (text !== null && /^[\w-]+:|BEGIN PBEM/m.test(text))
      return app.refuse({
        error:
          "this is a letter, or a part of one. This page reads records alone: save the record that is attached to the letter, and open that here. A page of your own without a game reads letters too",
      });
    app.refuse({ verdict: referee.ask({ call: "verify", base64: base64(bytes) }) });
  }
}

export const reader = new Reader();
