// The player's home in this browser: files in IndexedDB, which the module is given with each request. What it says has changed is stored in
// one transaction before anything is shown; what could not be stored was not done.
import type { HomeAnswer } from "../../../index.js";
import type { Deed } from "../deeds";
import { base64, unbase64 } from "./base64";
import { Store, storing } from "./storing";

/** What is encrypted, as it is stored. */
interface Boxed {
  iv: Uint8Array<ArrayBuffer>;
  box: Uint8Array<ArrayBuffer>;
}
/** A file as the module is given it. */
type Plain = string | Uint8Array;
/** A file as it is stored: one that could not be opened stays boxed. */
type Stored = Plain | Boxed;
/** What is needed to make the key from the passphrase, and to know whether it is the right one. */
interface Lock {
  salt: Uint8Array<ArrayBuffer>;
  probe: Boxed;
}
/** What the locked container says. */
interface Container {
  count: number;
  marks: string[];
  sum: string;
  agreed: boolean;
}
/** Where a tab stands. */
interface Standing {
  turn: number;
  container: Boxed | null;
}
export interface KeepRefused {
  message: string;
  advice?: string | null;
  acts: unknown[];
  rule?: string | null;
  text?: string | null;
}
/** What came of something: an answer of the module, or why nothing was asked or stored. */
export type Changed = Asked | { refused: KeepRefused; done?: undefined; error?: undefined };

/** An answer of the module, or why it cannot answer. */
export type Asked = HomeAnswer | { error: string; done?: undefined; refused?: undefined };

const is_boxed = (value: unknown): value is Boxed => typeof value === "object" && value !== null && Boolean((value as Boxed).box);
const named = (error: unknown): string => (error instanceof Error || error instanceof DOMException ? error.name : String(error));

export class Keep extends Store {
  /** Texts and other files by path, as they are stored; and how often they were changed. */
  files = new Map<string, Stored>();
  turn = 0;
  /** Why nothing is kept here, if nothing is. */
  refused = "";
  /** The key that opens what is private, where a passphrase protects it; and what is needed to make it. */
  key: CryptoKey | null = null;
  lock: Lock | null = null;
  /** The passphrase of the player's own key, if it has one of its own. */
  passphrase: string | null = null;
  /**
   * Where others can write what is stored: what the locked container says, which changes with each write, and its bytes as they are stored.
   * It has the marks of the last writes, a digest of all that is stored, and whether the player has agreed to sign games here.
   */
  state: Container | null = null;
  container: Boxed | null = null;
  agrees = false;
  /** The games of which a letter, or the player's word, has shown since the page was opened that nothing newer was signed. */
  sure = new Set<string>();
  /** What else is to be said of the store; and whether something private in it cannot be opened, without which nothing is made. */
  altered = "";
  broken = false;
  ROUNDS = 600_000;

  /** Pages opened from a disk share what they store with every other such page, so that nothing private is stored there in the clear. */
  shared = location.protocol === "file:";

  /** `ask` asks the module, and `apart` one that leaves the page free meanwhile: what a passphrase opens takes a second. */
  constructor(
    private readonly ask: (request: object) => Asked,
    private readonly apart?: (request: object) => Promise<Asked>,
  ) {
    super();
  }

  private(path: string): boolean {
    return /^data\/(secrets|keys|remembered|conditions|seats)\//.test(path);
  }

  request<T>(asked: IDBRequest<T>): Promise<T> {
    return storing.request(asked);
  }

  /** Opens the database and reads it. Never throws: `refused` says why nothing can be kept. */
  async open(): Promise<void> {
    try {
      await this.opens("postrider", ["files", "about"]);
    } catch (error) {
      this.database = null;
      this.refused = `this browser keeps nothing for this page (${named(error)}); in a private window, or where storage is blocked, games with secrets cannot be played`;
    }
  }

  /** Reads everything as it is stored now. */
  override async read(): Promise<void> {
    const from = this.opened().transaction(["files", "about"]);
    const [files, about] = [from.objectStore("files"), from.objectStore("about")];
    const [names, values, turn, lock, container] = await Promise.all([
      storing.request(files.getAllKeys()),
      storing.request<Stored[]>(files.getAll()),
      storing.request<number | undefined>(about.get("turn")),
      storing.request<Lock | undefined>(about.get("lock")),
      storing.request<Boxed | undefined>(about.get("state")),
    ]);
    if (this.key && !lock && !names.length) {
      // What this tab has in memory is all that is left.
      this.altered =
        "What was stored here is gone: something other than this page has removed it. This tab still has your games: make a backup now, before you close it.";
      return;
    }
    this.fits(lock);
    const found = new Map<string, Stored>();
    let broken = false;
    for (const [nth, name] of names.entries()) {
      const value = values[nth];
      if (value === undefined) continue;
      const opened = is_boxed(value) && this.key ? await this.unboxed(value).catch(() => null) : value;
      broken = broken || opened === null;
      // What cannot be opened stays as it is: it may be mended.
      found.set(String(name), opened === null ? value : opened);
    }
    this.broken = broken;
    if (this.key) await this.compared(container || null, found);
    Object.assign(this, { files: found, turn: turn || 0, lock: lock || null });
  }

  /**
   * Compares what was read with what this tab knows. If it does not go on from there, an older copy was written over it, and no game is sure
   * any more.
   */
  async compared(container: Boxed | null, files: Map<string, Stored>): Promise<void> {
    const state: Container | null = container
      ? await this.unboxed(container)
          .then((text) => JSON.parse(String(text)))
          .catch(() => null)
      : null;
    const goes_on = !this.state || Boolean(state && (!this.state.marks.length || state.marks.includes(this.state.marks.at(-1) || "")));
    // One that does not open was not written here.
    if (!goes_on || (container && !state) || (state && state.sum !== (await this.sum(files)))) {
      this.sure.clear();
      this.altered =
        "Something other than this page has changed what is stored here, or put back an older copy of it. Before anything is signed in a game, read the newest letter of it.";
    }
    Object.assign(this, { state: state || { count: 0, marks: [], sum: "", agreed: Boolean(this.state?.agreed) }, container });
  }

  async sum(files: Map<string, Stored>): Promise<string> {
    const all = [...files]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([path, value]) => [path, typeof value === "string" ? `t${value}` : `b${base64(value as Uint8Array)}`]);
    return base64(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(all)))));
  }

  /** What the locked container says after a write, with all that is stored then. */
  async following(files: Map<string, Stored>): Promise<Container> {
    const { count, marks, agreed } = this.state || { count: 0, marks: [], agreed: false };
    const mark = base64(crypto.getRandomValues(new Uint8Array(12)));
    return { count: count + 1, marks: [...marks, mark].slice(-64), sum: await this.sum(files), agreed: agreed || this.agrees };
  }

  same(one: Boxed | null | undefined, other: Boxed | null | undefined): boolean {
    return one && other ? base64(one.iv) === base64(other.iv) && base64(one.box) === base64(other.box) : !one && !other;
  }

  /** Whether the key still opens what is stored: another tab may have changed the passphrase. If not, it is asked for again. */
  fits(lock: Lock | undefined): void {
    if (this.key && (!lock || !this.lock || base64(lock.salt) !== base64(this.lock.salt))) this.key = null;
  }

  async derived(phrase: string, salt: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
    const base = await crypto.subtle.importKey("raw", new TextEncoder().encode(phrase), "PBKDF2", false, ["deriveKey"]);
    const by = { name: "PBKDF2", hash: "SHA-256", salt, iterations: this.ROUNDS };
    return crypto.subtle.deriveKey(by, base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  }

  /** The key; throws where there is none. */
  held(): CryptoKey {
    if (!this.key) throw new DOMException("a passphrase is needed first", "LockedError");
    return this.key;
  }

  async boxed(value: Plain): Promise<Boxed> {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const plain = typeof value === "string" ? `t${value}` : `b${base64(value)}`;
    return { iv, box: new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, this.held(), new TextEncoder().encode(plain))) };
  }

  async unboxed({ iv, box }: Boxed): Promise<Plain> {
    const plain = new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, this.held(), box));
    return plain[0] === "t" ? plain.slice(1) : unbase64(plain.slice(1));
  }

  /** Whether a passphrase is needed first: to open what is here, or for the first time. */
  locked(): boolean {
    return this.lock ? !this.key : this.shared;
  }

  /** Opens what is private with the passphrase, or chooses it if there is none yet. Returns what is wrong, if anything. */
  async unlock(phrase: string): Promise<string> {
    if (!this.lock && [...this.files.values()].some(is_boxed))
      return "what opens your games was taken away from this browser by something other than this page: restore a backup in another browser, or put back what was stored here";
    if (!this.lock && phrase.length < 8) return "a passphrase of at least eight characters is needed: whoever guesses it has your secrets";
    try {
      const salt = this.lock ? this.lock.salt : crypto.getRandomValues(new Uint8Array(16));
      this.key = await this.derived(phrase, salt);
      if (this.lock) await this.unboxed(this.lock.probe);
      else {
        const lock = { salt, probe: await this.boxed("postrider") };
        const { to, done } = this.writing(["about"]);
        to.objectStore("about").put(lock, "lock");
        await done;
        this.lock = lock;
      }
      await this.read();
      return "";
    } catch (error) {
      this.key = null;
      return named(error) === "OperationError" ? "the passphrase is wrong" : `nothing could be stored: ${named(error)}`;
    }
  }

  /**
   * Chooses another passphrase, or the first one where none is needed: everything private is locked anew, in one transaction. Returns what
   * is wrong, if anything; then nothing has changed.
   */
  async relock(old: string, phrase: string): Promise<string> {
    if (phrase.length < 8) return "a passphrase of at least eight characters is needed: whoever guesses it has your secrets";
    return this.alone(async () => {
      const [key, was, from] = [this.key, this.lock, this.standing()];
      try {
        if (was) {
          this.key = await this.derived(old, was.salt);
          await this.unboxed(was.probe);
        }
        const salt = crypto.getRandomValues(new Uint8Array(16));
        this.key = await this.derived(phrase, salt);
        const lock = { salt, probe: await this.boxed("postrider") };
        const stored: [string, Boxed][] = [];
        for (const [path, value] of this.files) if (this.private(path)) stored.push([path, await this.boxed(value as Plain)]);
        // In one with the lock: otherwise some of it would open with one passphrase and some with the other.
        const write = (files: IDBObjectStore, about: IDBObjectStore) => {
          for (const [path, value] of stored) files.put(value, path);
          about.put(lock, "lock");
        };
        const then = () => {
          this.lock = lock;
        };
        if (!(await this.written(from, write, this.files, then))) throw new DOMException("another tab was faster", "AbortError");
        return "";
      } catch (error) {
        this.key = key;
        return named(error) === "OperationError"
          ? "the old passphrase is wrong"
          : `nothing was changed, because it could not be stored: ${named(error)}`;
      }
    });
  }

  /** Does something while no other tab does. */
  alone<T>(act: () => Promise<T>): Promise<T> {
    return navigator.locks ? (navigator.locks.request("postrider", act) as Promise<T>) : act();
  }

  /** What the module is given: everything, or for a look at one game what belongs to it. */
  snapshot(game?: string): { files: Record<string, string>; bytes: Record<string, string> } {
    const [files, bytes]: [Record<string, string>, Record<string, string>] = [{}, {}];
    const others = (path: string) =>
      game !== undefined &&
      this.files.has(`data/games/${game}.pbem`) &&
      /^data\/(games|known|invitations|held-back|shelf)/.test(path) &&
      !path.includes(game);
    for (const [path, value] of this.files) {
      if (is_boxed(value)) continue;
      if (others(path)) continue;
      if (typeof value === "string") files[path] = value;
      else bytes[path] = base64(value);
    }
    return { files, bytes };
  }

  /** Asks about what is kept, and changes nothing. */
  look(deed: Deed): Asked {
    return this.ask(this.wanted(deed, "game" in deed ? deed.game : undefined));
  }

  /** What the module is asked for. */
  private wanted(deed: Deed & { unsure?: boolean }, game: string | undefined): object {
    return { call: "home", ...this.snapshot(game), random: this.random(), now: this.now(), passphrase: this.passphrase, deed };
  }

  /** Whether a passphrase is made into a key on the way. */
  private derives(deed: Deed): boolean {
    return this.passphrase !== null || ["backup", "restore", "hand-over", "secrets", "key"].includes(deed.do);
  }

  now(): string {
    return `${new Date().toISOString().slice(0, 19)}Z`;
  }

  random(): string {
    return base64(crypto.getRandomValues(new Uint8Array(8192)));
  }

  /** Where this tab stands: what is stored may be replaced only if it is still that. */
  standing(): Standing {
    return { turn: this.turn, container: this.container };
  }

  RISK =
    "Any other file that you open in this browser from this disk can put back an older copy of your games here, and a second entry that you then sign for one turn would speak against you: play signed games here only if you open no pages of strangers from this disk.";

  /** Whether something may be the first that is signed in this store, where others can write it. */
  signs(deed: Deed): boolean {
    const makes = ["begin", "accept", "enter", "answer", "date-anew"].includes(deed.do);
    const plain = ("by_mail" in deed && deed.by_mail) || ("unsigned" in deed && deed.unsigned);
    return this.shared && !this.state?.agreed && this.files.has("data/keys/own.pem") && makes && !plain;
  }

  /** Does something, one tab at a time, and stores what has changed. Only then there is an answer. */
  async change({ agreed, ...wanted }: Deed & { agreed?: boolean }): Promise<Changed> {
    const refused = (message: string, acts: unknown[] = []): Changed => ({ refused: { message, acts } });
    return this.alone(async (): Promise<Changed> => {
      if (this.signs(wanted as Deed) && !agreed) return refused(this.RISK, ["agreed"]);
      this.agrees = Boolean(agreed);
      for (let tries = 0; tries < 3; tries += 1) {
        // Without what is private it would be done as if there were no secret and no key.
        if (this.broken && !["backup", "restore"].includes(wanted.do))
          return refused(
            "nothing was done: a key or a secret that is stored here cannot be opened, because something other than this page has damaged it; restore a backup",
          );
        if (this.lock && this.locked())
          return refused("nothing was done: the passphrase was changed in another tab, and is asked for again");
        // What another tab stores from here on makes the answer void, even if this tab has heard of it by then.
        const from = this.standing();
        const game = "game" in wanted ? wanted.game : undefined;
        // A signature needs to be certain that what is here is not an older copy.
        const makes = ["enter", "answer", "hand-over"].includes(wanted.do);
        const deed = (makes && this.shared && game !== undefined && !this.sure.has(game) ? { ...wanted, unsure: true } : wanted) as Deed;
        // What concerns one game needs no other's record, however many there are.
        const alone = ["enter", "answer", "letter", "undo", "publish"].includes(deed.do) ? game : undefined;
        const request = this.wanted(deed, alone);
        const answer = this.apart && this.derives(deed) ? await this.apart(request) : this.ask(request);
        if ("error" in answer) return answer;
        try {
          if (await this.store(answer, from)) {
            this.learned(deed, answer.done || {});
            return answer;
          }
        } catch (error) {
          await this.read().catch(() => {});
          return refused(`nothing was done, because it could not be stored (${named(error)})`);
        }
        // Another tab was faster: it is done anew with what is there now.
        await this.read();
      }
      return refused(this.altered || "another tab of this browser changes the same games");
    });
  }

  /**
   * Notes which games are sure from now on: those that begin here, those in which something was signed, and those whose newest entry is
   * the opponent's, as a letter has just shown.
   */
  learned(deed: Deed, { game, key, current }: { game?: string; key?: unknown; current?: string[] }): void {
    const entered = deed.do === "enter" || deed.do === "answer" ? deed : null;
    const sure =
      deed.do === "begin" || deed.do === "restore" ? [game] : entered ? (key || entered.only_here ? [entered.game] : []) : current || [];
    for (const id of sure) if (id !== undefined) this.sure.add(id);
  }

  /** Keeps the passphrase of backups, so that one tap makes the next one: where keys are, and as they are. */
  async keep_phrase(phrase: string): Promise<void> {
    if (this.locked()) return;
    const kept = this.key ? await this.boxed(phrase) : phrase;
    const { to, done } = this.writing(["about"]);
    to.objectStore("about").put(kept, "backup");
    await done;
  }

  /** The passphrase of backups; null if none is kept, or another passphrase was chosen for the store since. */
  async kept_phrase(): Promise<string | null> {
    if (!this.database || this.locked()) return null;
    const kept = await storing.request<Boxed | string | undefined>(this.database.transaction("about").objectStore("about").get("backup"));
    if (!is_boxed(kept)) return kept ?? null;
    return this.key ? String(await this.unboxed(kept).catch(() => "")) || null : null;
  }

  /** Stores what an answer says has changed; nothing of it if another tab has stored something since. */
  async store({ put, bytes, removed }: Pick<HomeAnswer, "put" | "bytes" | "removed">, from: Standing): Promise<boolean> {
    const changes: [string, Plain][] = [
      ...Object.entries(put),
      ...Object.entries(bytes).map(([path, text]): [string, Plain] => [path, unbase64(text)]),
    ];
    if (!changes.length && !removed.length) return true;
    const secret = changes.some(([path]) => this.private(path));
    if (secret && this.locked()) throw new DOMException("a passphrase is needed first", "LockedError");
    const stored: [string, Stored][] = [];
    for (const [path, value] of changes) stored.push([path, this.key && this.private(path) ? await this.boxed(value) : value]);
    const write = (files: IDBObjectStore) => {
      for (const path of removed) files.delete(path);
      for (const [path, value] of stored) files.put(value, path);
    };
    const files = new Map(this.files);
    for (const path of removed) files.delete(path);
    for (const [path, value] of changes) files.set(path, value);
    return this.written(from, write, files, () => {
      this.files = files;
    });
  }

  /**
   * Writes in one transaction, all of it or nothing, and then does what follows from it; other tabs hear of it. Returns false, and
   * writes nothing, if what is stored is not that from which this tab goes on. `all`: all files as they are then.
   */
  async written(
    from: Standing,
    write: (files: IDBObjectStore, about: IDBObjectStore) => void,
    all: Map<string, Stored>,
    then: () => void,
  ): Promise<boolean> {
    const state = this.key ? await this.following(all) : null;
    const container = state ? await this.boxed(JSON.stringify(state)) : null;
    const { to, done } = this.writing(["files", "about"]);
    const [files, about] = [to.objectStore("files"), to.objectStore("about")];
    const [turn, there] = await Promise.all([
      storing.request<number | undefined>(about.get("turn")),
      storing.request<Boxed | undefined>(about.get("state")),
    ]);
    if ((turn || 0) !== from.turn || !this.same(there, from.container)) {
      to.abort();
      return false;
    }
    try {
      write(files, about);
      about.put(from.turn + 1, "turn");
      if (container) about.put(container, "state");
    } catch (error) {
      // What was put before would be stored otherwise.
      to.abort();
      throw error;
    }
    await done;
    then();
    Object.assign(this, { turn: from.turn + 1, ...(container ? { state, container } : {}) });
    if (this.tabs) this.tabs.postMessage(this.turn);
    return true;
  }

  /** Asks the browser not to throw away what is kept; returns whether it promises that. */
  async persist(): Promise<boolean> {
    try {
      return Boolean(await navigator.storage?.persist());
    } catch {
      return false;
    }
  }
}
