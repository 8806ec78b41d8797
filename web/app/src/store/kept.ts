// Open games, and those against the machine, that were played on in this browser. What is made is stored before it is shown, so that a
// browser that is ended a moment later still has it, and two tabs never make two entries for one turn. What cannot be kept is told before
// the page is left.
import { Store, storing } from "./storing";

/** A kept game: its record, and the last entry with the record before it. */
export interface KeptGame {
  record: string;
  last?: unknown;
}

const is_game = (game: unknown): game is KeptGame =>
  typeof game === "object" && game !== null && typeof (game as KeptGame).record === "string";

export class Kept extends Store {
  /** Each kept game by its id. */
  games = new Map<string, KeptGame>();
  /** Whether something could not be kept. */
  lost = false;

  /** Opens the database and reads it. Never throws: where nothing can be kept, games last as long as the page. */
  async open(): Promise<void> {
    try {
      await this.opens("postrider-open", ["games"], () => this.moved());
    } catch {
      this.database = null;
    }
  }

  override async read(): Promise<void> {
    if (!this.database) return;
    const store = this.database.transaction("games").objectStore("games");
    const [ids, games] = await Promise.all([storing.request(store.getAllKeys()), storing.request<unknown[]>(store.getAll())]);
    const found = new Map<string, KeptGame>();
    for (const [nth, id] of ids.entries()) {
      const game = games[nth];
      if (is_game(game)) found.set(String(id), game);
    }
    this.games = found;
  }

  /** Takes over what an earlier version kept elsewhere. */
  async moved(): Promise<void> {
    const prefix = "postrider/game/";
    for (const name of Object.keys(localStorage).filter((name) => name.startsWith(prefix))) {
      let game: unknown = null;
      try {
        game = JSON.parse(localStorage.getItem(name) || "null");
      } catch {
        // No game.
      }
      if (!is_game(game)) continue;
      const { to, done } = this.writing(["games"]);
      const games = to.objectStore("games");
      if (!(await storing.request(games.get(name.slice(prefix.length))))) games.put(game, name.slice(prefix.length));
      await done;
      localStorage.removeItem(name);
    }
  }

  get(id: string): KeptGame | null {
    return this.games.get(id) || null;
  }

  ids(): string[] {
    return [...this.games.keys()].sort();
  }

  /**
   * Keeps a game whose record goes on from the record `from`; without a game it is forgotten. Returns false, and changes nothing, if
   * another course of it is kept, because another tab was faster or it was played elsewhere.
   */
  async put(id: string, game: KeptGame | null, from: string | null | undefined): Promise<boolean> {
    try {
      if (this.database) {
        const { to, done } = this.writing(["games"]);
        const store = to.objectStore("games");
        const there: unknown = await storing.request(store.get(id));
        if (is_game(there) && there.record !== from && !(game && there.record === game.record)) {
          to.abort();
          await this.read();
          return false;
        }
        if (game) store.put(game, id);
        else store.delete(id);
        await done;
        this.lost = false;
        if (this.tabs) this.tabs.postMessage(id);
      } else this.lost = Boolean(game);
    } catch {
      this.lost = true;
    }
    if (game) this.games.set(id, game);
    else this.games.delete(id);
    return true;
  }
}

export const kept = new Kept();
