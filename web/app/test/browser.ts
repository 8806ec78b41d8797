// What the store uses of a browser, in Node.
import { IDBFactory } from "fake-indexeddb";
import "fake-indexeddb/auto";

const stored = new Map<string, string>();
/** What earlier versions kept: the names of `localStorage` are properties of it. */
export const storage: object = new Proxy(
  { getItem: (name: string) => stored.get(name) ?? null, removeItem: (name: string) => stored.delete(name) },
  {
    ownKeys: () => [...stored.keys()],
    getOwnPropertyDescriptor: (_, name) => ({ value: stored.get(String(name)), enumerable: true, configurable: true }),
  },
);

/** A browser in which nothing was stored yet. `protocol` is that of the page. */
export const browser = (protocol: string): void => {
  stored.clear();
  for (const [name, value] of Object.entries({
    indexedDB: new IDBFactory(),
    location: { protocol },
    navigator: {},
    window: {},
    localStorage: storage,
  })) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
};

export const earlier = (name: string, value: string): void => void stored.set(name, value);
export const earlier_names = (): string[] => [...stored.keys()];
