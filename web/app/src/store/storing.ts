// Requests and transactions of IndexedDB as promises.

export const storing = {
  request<T>(asked: IDBRequest<T>): Promise<T> {
    return new Promise((done, failed) => {
      asked.onsuccess = () => done(asked.result);
      asked.onerror = () => failed(asked.error);
    });
  },

  finished(transaction: IDBTransaction): Promise<void> {
    return new Promise((done, failed) => {
      transaction.oncomplete = () => done();
      transaction.onabort = () => failed(transaction.error || new DOMException("it was ended", "AbortError"));
    });
  },

  /** Opens a database and makes its stores if it is new. */
  open(name: string, stores: string[]): Promise<IDBDatabase> {
    const asked = indexedDB.open(name, 1);
    asked.onupgradeneeded = () => {
      for (const store of stores) asked.result.createObjectStore(store);
    };
    return storing.request(asked).then((database) => {
      database.onversionchange = () => database.close();
      return database;
    });
  },
};

/** What each store of a browser is: a database, which is read anew when another tab says that it has changed. */
export abstract class Store {
  database: IDBDatabase | null = null;
  tabs: BroadcastChannel | null = null;
  /** Called after another tab has changed something, and it was read. */
  changed: () => void = () => {};

  /** Reads everything as it is stored now. */
  abstract read(): Promise<void>;

  /** Opens the database, takes over what was kept elsewhere, and reads it all; throws where nothing can be kept. */
  protected async opens(name: string, stores: string[], take_over: () => Promise<void> = async () => {}): Promise<void> {
    this.database = await storing.open(name, stores);
    await take_over();
    await this.read();
    if (!window.BroadcastChannel) return;
    this.tabs = new BroadcastChannel(name);
    this.tabs.onmessage = () => {
      this.read().then(
        () => this.changed(),
        () => {},
      );
    };
  }

  /** The database; throws where there is none. */
  opened(): IDBDatabase {
    if (!this.database) throw new DOMException("nothing is kept here", "InvalidStateError");
    return this.database;
  }

  /** A transaction that writes. What it wrote is on the disk once it is done. */
  protected writing(stores: string[]): { to: IDBTransaction; done: Promise<void> } {
    const to = this.opened().transaction(stores, "readwrite", { durability: "strict" });
    const done = storing.finished(to);
    // Whoever waits for it hears of a failure; an end that was asked for is none.
    done.catch(() => {});
    return { to, done };
  }
}
