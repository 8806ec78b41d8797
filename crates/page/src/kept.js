// Asks and transactions of IndexedDB as promises.
const storing = {
  request(asked) {
    return new Promise((done, failed) => {
      asked.onsuccess = () => done(asked.result);
      asked.onerror = () => failed(asked.error);
    });
  },

  finished(transaction) {
    return new Promise((done, failed) => {
      transaction.oncomplete = () => done();
      transaction.onabort = () => failed(transaction.error || new DOMException("it was ended", "AbortError"));
    });
  },
};

// Open games, and those against the machine, that were played on in this browser. What is made is stored before it is shown, so that a
// browser that is ended a moment later still has it, and two tabs never make two entries for one turn. What cannot be kept is told before
// the page is left.
const kept = {
  // Each kept game by its id: the record, and the last entry with the record before it.
  games: new Map(),
  database: null,
  lost: false,
  tabs: null,
  changed: () => {},

  // Opens the database and reads it. Never throws: where nothing can be kept, games last as long as the page.
  async open() {
    try {
      const asked = indexedDB.open("postrider-open", 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore("games");
      this.database = await storing.request(asked);
      this.database.onversionchange = () => this.database.close();
      await this.moved();
      await this.read();
      if (window.BroadcastChannel) {
        this.tabs = new BroadcastChannel("postrider-open");
        this.tabs.onmessage = () => this.read().then(() => this.changed(), () => {});
      }
    } catch {
      this.database = null;
    }
  },

  async read() {
    const store = this.database.transaction("games").objectStore("games");
    const [ids, games] = await Promise.all([storing.request(store.getAllKeys()), storing.request(store.getAll())]);
    this.games = new Map(ids.map((id, nth) => [id, games[nth]]).filter(([, game]) => game && typeof game.record === "string"));
  },

  // Takes over what an earlier version kept elsewhere.
  async moved() {
    const prefix = "postrider/game/";
    for (const name of Object.keys(localStorage).filter((name) => name.startsWith(prefix))) {
      let game = null;
      try {
        game = JSON.parse(localStorage.getItem(name));
      } catch {
        // No game.
      }
      if (!game || typeof game.record !== "string") continue;
      const to = this.writing();
      if (!(await storing.request(to.store.get(name.slice(prefix.length))))) to.store.put(game, name.slice(prefix.length));
      await to.done;
      localStorage.removeItem(name);
    }
  },

  writing() {
    const to = this.database.transaction("games", "readwrite", { durability: "strict" });
    const done = storing.finished(to);
    done.catch(() => {});
    return { to, done, store: to.objectStore("games") };
  },

  get(id) {
    return this.games.get(id) || null;
  },

  ids() {
    return [...this.games.keys()].sort();
  },

  // Keeps a game whose record goes on from the record `from`; without a game it is forgotten. Returns false, and changes nothing, if
  // another course of it is kept, because another tab was faster or it was played elsewhere.
  async put(id, game, from) {
    try {
      if (this.database) {
        const { to, done, store } = this.writing();
        const there = await storing.request(store.get(id));
        if (there && there.record !== from && !(game && there.record === game.record)) {
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
  },
};
