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
