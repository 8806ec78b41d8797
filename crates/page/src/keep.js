// The player's home in this browser: files in IndexedDB, which the module is given with each request. What it says has changed is stored in
// one transaction before anything is shown; what could not be stored was not done.
const keep = {
  // Texts and other files by path, as they are stored; and how often they were changed.
  files: new Map(),
  turn: 0,
  database: null,
  // Why nothing is kept here, if nothing is.
  refused: "",
  // The key that opens what is private, where a passphrase protects it; and what is needed to make it.
  key: null,
  lock: null,
  // The passphrase of the player's own key, if it has one of its own.
  passphrase: null,
  // Where others can write what is stored: what the locked container says, which changes with each write, and its bytes as they are stored.
  // It has the marks of the last writes, a digest of all that is stored, and whether the player has agreed to sign games here.
  state: null,
  container: null,
  // The games of which a letter, or the player's word, has shown since the page was opened that nothing newer was signed.
  sure: new Set(),
  // What else is to be said of the store; and whether something private in it cannot be opened, without which nothing is made.
  altered: "",
  broken: false,
  tabs: null,
  changed: () => {},
  ROUNDS: 600000,

  // Pages opened from a disk share what they store with every other such page, so that nothing private is stored there in the clear.
  shared: location.protocol === "file:",

  private(path) {
    return /^data\/(secrets|keys|remembered|conditions|seats)\//.test(path);
  },

  request(asked) {
    return storing.request(asked);
  },

  // Opens the database and reads it. Never throws: `refused` says why nothing can be kept.
  async open() {
    try {
      const asked = indexedDB.open("postrider", 1);
      asked.onupgradeneeded = () => {
        asked.result.createObjectStore("files");
        asked.result.createObjectStore("about");
      };
      this.database = await this.request(asked);
      this.database.onversionchange = () => this.database.close();
      await this.read();
      if (window.BroadcastChannel) {
        this.tabs = new BroadcastChannel("postrider");
        this.tabs.onmessage = () => this.read().then(() => this.changed(), () => {});
      }
    } catch (error) {
      this.database = null;
      this.refused = "this browser keeps nothing for this page (" + (error && error.name) + "); in a private window, or where storage is blocked, games with secrets cannot be played";
    }
  },

  // Reads everything as it is stored now.
  async read() {
    const from = this.database.transaction(["files", "about"]);
    const [names, values, turn, lock, container] = await Promise.all([
      this.request(from.objectStore("files").getAllKeys()), this.request(from.objectStore("files").getAll()),
      this.request(from.objectStore("about").get("turn")), this.request(from.objectStore("about").get("lock")),
      this.request(from.objectStore("about").get("state"))]);
    if (this.key && !lock && !names.length) {
      // What this tab has in memory is all that is left.
      this.altered = "What was stored here is gone: something other than this page has removed it. This tab still has your games: make a backup now, before you close it.";
      return;
    }
    this.fits(lock);
    const files = new Map();
    let broken = false;
    for (const [nth, name] of names.entries()) {
      const value = values[nth];
      const opened = value && value.box && this.key ? await this.unboxed(value).catch(() => null) : value;
      broken = broken || opened === null;
      // What cannot be opened stays as it is: it may be mended.
      files.set(name, opened === null ? value : opened);
    }
    this.broken = broken;
    if (this.key) await this.compared(container || null, files);
    Object.assign(this, { files, turn: turn || 0, lock: lock || null });
  },

  // Compares what was read with what this tab knows. If it does not go on from there, an older copy was written over it, and no game is sure
  // any more.
  async compared(container, files) {
    const state = container ? await this.unboxed(container).then(JSON.parse).catch(() => null) : null;
    const goes_on = !this.state || Boolean(state && (!this.state.marks.length || state.marks.includes(this.state.marks.at(-1))));
    // One that does not open was not written here.
    if (!goes_on || (container && !state) || (state && state.sum !== (await this.sum(files)))) {
      this.sure.clear();
      this.altered = "Something other than this page has changed what is stored here, or put back an older copy of it. Before anything is signed in a game, read the newest letter of it.";
    }
    Object.assign(this, { state: state || { count: 0, marks: [], sum: "", agreed: Boolean(this.state && this.state.agreed) }, container });
  },

  async sum(files) {
    const all = [...files].sort(([one], [other]) => (one < other ? -1 : 1)).map(([path, value]) => [path, typeof value === "string" ? "t" + value : "b" + base64(value)]);
    return base64(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(all)))));
  },

  // What the locked container says after a write, with all that is stored then.
  async following(files) {
    const { count, marks, agreed } = this.state || { count: 0, marks: [], agreed: false };
    return { count: count + 1, marks: [...marks, base64(crypto.getRandomValues(new Uint8Array(12)))].slice(-64), sum: await this.sum(files), agreed: agreed || this.agrees };
  },

  same(one, other) {
    return one && other ? base64(one.iv) === base64(other.iv) && base64(one.box) === base64(other.box) : !one && !other;
  },

  // Whether the key still opens what is stored: another tab may have changed the passphrase. If not, it is asked for again.
  fits(lock) {
    if (this.key && (!lock || !this.lock || base64(lock.salt) !== base64(this.lock.salt))) this.key = null;
  },

  async derived(phrase, salt) {
    const base = await crypto.subtle.importKey("raw", new TextEncoder().encode(phrase), "PBKDF2", false, ["deriveKey"]);
    return crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations: this.ROUNDS }, base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  },

  async boxed(value) {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const plain = typeof value === "string" ? "t" + value : "b" + base64(value);
    return { iv, box: new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, this.key, new TextEncoder().encode(plain))) };
  },

  async unboxed({ iv, box }) {
    const plain = new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, this.key, box));
    return plain[0] === "t" ? plain.slice(1) : unbase64(plain.slice(1));
  },

  // Whether a passphrase is needed first: to open what is here, or for the first time.
  locked() {
    return this.lock ? !this.key : this.shared;
  },

  // Opens what is private with the passphrase, or chooses it if there is none yet. Returns what is wrong, if anything.
  async unlock(phrase) {
    if (!this.lock && [...this.files.values()].some((value) => value && value.box)) return "what opens your games was taken away from this browser by something other than this page: restore a backup in another browser, or put back what was stored here";
    if (!this.lock && phrase.length < 8) return "a passphrase of at least eight characters is needed: whoever guesses it has your secrets";
    const salt = this.lock ? this.lock.salt : crypto.getRandomValues(new Uint8Array(16));
    this.key = await this.derived(phrase, salt);
    try {
      if (this.lock) await this.unboxed(this.lock.probe);
      else {
        const lock = { salt, probe: await this.boxed("postrider") };
        const to = this.database.transaction("about", "readwrite", { durability: "strict" });
        to.objectStore("about").put(lock, "lock");
        await storing.finished(to);
        this.lock = lock;
      }
      await this.read();
      return "";
    } catch (error) {
      this.key = null;
      return error && error.name === "OperationError" ? "the passphrase is wrong" : "nothing could be stored: " + error.name;
    }
  },

  // Chooses another passphrase, or the first one where none is needed: everything private is locked anew, in one transaction. Returns what
  // is wrong, if anything; then nothing has changed.
  async relock(old, phrase) {
    if (phrase.length < 8) return "a passphrase of at least eight characters is needed: whoever guesses it has your secrets";
    const act = async () => {
      const [key, was, from] = [this.key, this.lock, this.standing()];
      try {
        if (was) {
          this.key = await this.derived(old, was.salt);
          await this.unboxed(was.probe);
        }
        const salt = crypto.getRandomValues(new Uint8Array(16));
        this.key = await this.derived(phrase, salt);
        const lock = { salt, probe: await this.boxed("postrider") };
        const stored = [];
        for (const [path, value] of this.files) if (this.private(path)) stored.push([path, await this.boxed(value)]);
        // In one with the lock: otherwise some of it would open with one passphrase and some with the other.
        const write = (files, about) => {
          for (const [path, value] of stored) files.put(value, path);
          about.put(lock, "lock");
        };
        if (!(await this.written(from, write, this.files, () => { this.lock = lock; }))) throw new DOMException("another tab was faster", "AbortError");
        return "";
      } catch (error) {
        this.key = key;
        return error && error.name === "OperationError" ? "the old passphrase is wrong" : "nothing was changed, because it could not be stored: " + error.name;
      }
    };
    return navigator.locks ? navigator.locks.request("postrider", act) : act();
  },

  // What the module is given: everything, or for a look at one game what belongs to it.
  snapshot(game) {
    const [files, bytes] = [{}, {}];
    const others = (path) => game && this.files.has(`data/games/${game}.pbem`) && /^data\/(games|known|invitations|held-back|shelf)/.test(path) && !path.includes(game);
    for (const [path, value] of this.files) {
      if (value && value.box) continue;
      if (others(path)) continue;
      if (typeof value === "string") files[path] = value;
      else bytes[path] = base64(value);
    }
    return { files, bytes };
  },

  // Asks about what is kept, and changes nothing.
  look(deed) {
    return referee.ask({ call: "home", ...this.snapshot(deed.game), random: this.random(), now: this.now(), passphrase: this.passphrase, deed });
  },

  now() {
    return new Date().toISOString().slice(0, 19) + "Z";
  },

  random() {
    return base64(crypto.getRandomValues(new Uint8Array(8192)));
  },

  // Where this tab stands: what is stored may be replaced only if it is still that.
  standing() {
    return { turn: this.turn, container: this.container };
  },

  RISK: "Any other file that you open in this browser from this disk can put back an older copy of your games here, and a second entry that you then sign for one turn would speak against you: play signed games here only if you open no pages of strangers from this disk.",

  // Whether something may be the first that is signed in this store, where others can write it.
  signs(deed) {
    return this.shared && !(this.state && this.state.agreed) && this.files.has("data/keys/own.pem") && ["begin", "accept", "enter", "answer", "date-anew"].includes(deed.do) && !deed.by_mail && !deed.unsigned;
  },

  // Does something, one tab at a time, and stores what has changed. Only then there is an answer.
  async change({ agreed, ...wanted }) {
    const act = async () => {
      if (this.signs(wanted) && !agreed) return { refused: { message: this.RISK, acts: ["agreed"] } };
      this.agrees = Boolean(agreed);
      for (let tries = 0; tries < 3; tries += 1) {
        // Without what is private it would be done as if there were no secret and no key.
        if (this.broken && !["backup", "restore"].includes(wanted.do)) return { refused: { message: "nothing was done: a key or a secret that is stored here cannot be opened, because something other than this page has damaged it; restore a backup", acts: [] } };
        if (this.lock && this.locked()) return { refused: { message: "nothing was done: the passphrase was changed in another tab, and is asked for again", acts: [] } };
        // What another tab stores from here on makes the answer void, even if this tab has heard of it by then.
        const from = this.standing();
        // A signature needs to be certain that what is here is not an older copy.
        const makes = ["enter", "answer"].includes(wanted.do);
        const deed = makes && this.shared && !this.sure.has(wanted.game) ? { ...wanted, unsure: true } : wanted;
        // What concerns one game needs no other's record, however many there are.
        const alone = ["enter", "answer", "letter", "undo", "publish"].includes(deed.do) ? deed.game : undefined;
        const answer = referee.ask({ call: "home", ...this.snapshot(alone), random: this.random(), now: this.now(), passphrase: this.passphrase, deed });
        if (answer.error) return answer;
        try {
          if (await this.store(answer, from)) {
            this.learned(deed, answer.done || {});
            return answer;
          }
        } catch (error) {
          await this.read().catch(() => {});
          return { refused: { message: `nothing was done, because it could not be stored (${error.name})`, acts: [] } };
        }
        // Another tab was faster: it is done anew with what is there now.
        await this.read();
      }
      return { refused: { message: this.altered || "another tab of this browser changes the same games", acts: [] } };
    };
    return navigator.locks ? navigator.locks.request("postrider", act) : act();
  },

  // Notes which games are sure from now on: those that begin here, those in which something was signed, and those whose newest entry is
  // the opponent's, as a letter has just shown.
  learned(deed, { game, key, current }) {
    const sure = deed.do === "begin" ? [game] : ["enter", "answer"].includes(deed.do) ? (key || deed.only_here ? [deed.game] : []) : current || [];
    for (const id of sure) this.sure.add(id);
  },

  // Stores what an answer says has changed; nothing of it if another tab has stored something since.
  async store({ put, bytes, removed }, from) {
    const changes = [...Object.entries(put), ...Object.entries(bytes).map(([path, text]) => [path, unbase64(text)])];
    if (!changes.length && !removed.length) return true;
    const secret = changes.some(([path]) => this.private(path));
    if (secret && this.locked()) throw new DOMException("a passphrase is needed first", "LockedError");
    const stored = [];
    for (const [path, value] of changes) stored.push([path, this.key && this.private(path) ? await this.boxed(value) : value]);
    const write = (files) => {
      for (const path of removed) files.delete(path);
      for (const [path, value] of stored) files.put(value, path);
    };
    const files = new Map(this.files);
    for (const path of removed) files.delete(path);
    for (const [path, value] of changes) files.set(path, value);
    return this.written(from, write, files, () => {
      this.files = files;
    });
  },

  // Writes in one transaction, all of it or nothing, and then does what follows from it; other tabs hear of it. Returns false, and
  // writes nothing, if what is stored is not that from which this tab goes on. `all`: all files as they are then.
  async written(from, write, all, then) {
    const state = this.key ? await this.following(all) : null;
    const container = state ? await this.boxed(JSON.stringify(state)) : null;
    const to = this.database.transaction(["files", "about"], "readwrite", { durability: "strict" });
    const done = storing.finished(to);
    done.catch(() => {});
    const [files, about] = [to.objectStore("files"), to.objectStore("about")];
    const [turn, there] = await Promise.all([this.request(about.get("turn")), this.request(about.get("state"))]);
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
  },

  // Asks the browser not to throw away what is kept; returns whether it promises that.
  async persist() {
    try {
      return Boolean(navigator.storage && (await navigator.storage.persist()));
    } catch {
      return false;
    }
  },
};
