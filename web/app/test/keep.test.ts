// What a player's home stores, it stores as a whole, for one tab at a time, and locked where others could read it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Asked } from "../src/store/keep";
import { Keep } from "../src/store/keep";
import { storing } from "../src/store/storing";
import { browser } from "./browser";

interface Request {
  files: Record<string, string>;
}
const answer = (more: object): Asked => ({ put: {}, bytes: {}, removed: [], done: {}, ...more }) as Asked;
const home = async (ask: (request: Request) => object): Promise<Keep> => {
  const keep = new Keep((request) => answer(ask(request as Request)));
  keep.ROUNDS = 10;
  await keep.open();
  assert.equal(keep.refused, "");
  return keep;
};
const game = "data/games/one.pbem";
const secret = "data/secrets/one";
const settle = { do: "settle", name: "Ada", email: null } as const;

/** Everything that is stored, as it is stored. */
const everything = async (): Promise<[string, string, unknown][]> => {
  const database = await storing.open("postrider", ["files", "about"]);
  const all: [string, string, unknown][] = [];
  for (const name of ["files", "about"]) {
    const store = database.transaction(name).objectStore(name);
    const [keys, values] = await Promise.all([storing.request(store.getAllKeys()), storing.request(store.getAll())]);
    for (const [nth, key] of keys.entries()) all.push([name, String(key), values[nth]]);
  }
  database.close();
  return all;
};
/** Puts back what was stored once, as another program could. */
const put_back = async (all: [string, string, unknown][]): Promise<void> => {
  const database = await storing.open("postrider", ["files", "about"]);
  const to = database.transaction(["files", "about"], "readwrite");
  for (const name of ["files", "about"]) to.objectStore(name).clear();
  for (const [name, key, value] of all) to.objectStore(name).put(value, key);
  await storing.finished(to);
  database.close();
};

test("what an answer says has changed is there for the next page, bytes as bytes", async () => {
  browser("https:");
  const keep = await home(() => ({ put: { [game]: "a record" }, bytes: { "data/mail/one": "AP8=" }, done: { game: "one" } }));
  const done = await keep.change(settle);
  assert.deepEqual(done.done, { game: "one" });
  const next = await home(() => ({ removed: ["data/mail/one"] }));
  assert.deepEqual(next.files.get(game), "a record");
  assert.deepEqual(next.files.get("data/mail/one"), new Uint8Array([0, 255]));
  await next.change(settle);
  assert.deepEqual([...(await home(() => ({}))).files.keys()], [game]);
});

test("if one file cannot be stored, nothing is, and nothing was done", async () => {
  browser("https:");
  const keep = await home(() => ({ put: { [game]: "a record", "data/known/one": () => "no text" } }));
  const done = await keep.change(settle);
  assert.match(done.refused?.message || "", /^nothing was done, because it could not be stored \(DataCloneError\)/);
  assert.equal(keep.files.size, 0);
  assert.deepEqual(await everything(), []);
});

test("of two tabs that make an entry for one turn, one is asked again with what the other has stored", async () => {
  browser("https:");
  const entered = ({ files }: Request, by: string) => ({ put: { [game]: `${files[game] || ""}${by};` } });
  const asked: string[] = [];
  const one = await home((request) => entered(request, "one"));
  const other = await home((request) => {
    asked.push(request.files[game] || "");
    return entered(request, "other");
  });
  await one.change(settle);
  await other.change(settle);
  assert.deepEqual(asked, ["", "one;"], "it was asked anew");
  assert.equal((await home(() => ({}))).files.get(game), "one;other;");
});

test("from a disk nothing private is stored before there is a passphrase, and then it is locked", async () => {
  browser("file:");
  const keep = await home(() => ({ put: { [game]: "a record", [secret]: "my secret" } }));
  assert.match((await keep.change(settle)).refused?.message || "", /LockedError/);
  assert.deepEqual(await everything(), []);
  assert.match(await keep.unlock("short"), /at least eight characters/);
  assert.equal(await keep.unlock("correct horse"), "");
  assert.equal((await keep.change(settle)).refused, undefined);
  assert.equal(keep.files.get(secret), "my secret");
  const stored = JSON.stringify(await everything(), (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
  );
  assert.ok(stored.includes("a record") && !stored.includes("my secret"));

  const next = await home(() => ({}));
  assert.ok(next.locked());
  assert.equal(next.snapshot().files[secret], undefined, "what is locked is not handed on");
  assert.equal(await next.unlock("wrong horse"), "the passphrase is wrong");
  assert.equal(await next.unlock("correct horse"), "");
  assert.equal(next.snapshot().files[secret], "my secret");
});

test("another passphrase opens everything, and with a wrong old one nothing changes", async () => {
  browser("file:");
  const keep = await home(() => ({ put: { [secret]: "my secret" } }));
  await keep.unlock("correct horse");
  await keep.change(settle);
  const before = await everything();
  assert.equal(await keep.relock("wrong horse", "battery staple"), "the old passphrase is wrong");
  assert.deepEqual(await everything(), before);
  assert.equal(await keep.relock("correct horse", "battery staple"), "");
  const next = await home(() => ({}));
  assert.equal(await next.unlock("correct horse"), "the passphrase is wrong");
  assert.equal(await next.unlock("battery staple"), "");
  assert.equal(next.files.get(secret), "my secret");
});

test("an older copy that was put back is noticed, and no game is sure any more", async () => {
  browser("file:");
  let text = "one";
  const keep = await home(() => ({ put: { [game]: text, [secret]: "my secret" }, done: { game: "one" } }));
  await keep.unlock("correct horse");
  await keep.change({ do: "begin", game: "asalto", side: "besiegers", name: "Ada", email: null });
  assert.ok(keep.sure.has("one"));
  const older = await everything();
  text = "two";
  await keep.change(settle);
  await put_back(older);
  await keep.read();
  assert.match(keep.altered, /put back an older copy/);
  assert.equal(keep.sure.size, 0);
});

test("a damaged key or secret is not overwritten, and nothing is made without it", async () => {
  browser("file:");
  const keep = await home(() => ({ put: { [secret]: "my secret" } }));
  await keep.unlock("correct horse");
  await keep.change(settle);
  const damaged = (await everything()).map(([name, key, value]): [string, string, unknown] =>
    key === secret ? [name, key, { ...(value as object), box: new Uint8Array(40) }] : [name, key, value],
  );
  await put_back(damaged);
  const next = await home(() => ({ put: { [secret]: "another secret" } }));
  await next.unlock("correct horse");
  assert.match((await next.change(settle)).refused?.message || "", /cannot be opened/);
  assert.deepEqual(await everything(), damaged);
});

test("what a passphrase opens is asked of the module beside the page, and everything else at once", async () => {
  browser("https:");
  const asked: string[] = [];
  const keep = new Keep(
    () => {
      asked.push("here");
      return answer({});
    },
    async () => {
      asked.push("beside");
      return answer({ put: { [game]: "a record" } });
    },
  );
  await keep.open();
  await keep.change(settle);
  await keep.change({ do: "restore", backup: "a backup", passphrase: "a phrase" });
  assert.equal(keep.files.get(game), "a record");
  await keep.change({ do: "hand-over", game: "one", passphrase: "a phrase" });
  keep.passphrase = "of the key";
  await keep.change({ do: "enter", game: "one", typed: "a1" });
  assert.deepEqual(asked, ["here", "beside", "beside", "beside"]);
});

test("the passphrase of backups is kept as keys are, and is gone once another passphrase was chosen", async () => {
  browser("file:");
  const keep = await home(() => ({}));
  await keep.keep_phrase("for backups");
  assert.equal(await keep.kept_phrase(), null, "nothing is kept before the store has a passphrase");
  assert.equal(await keep.unlock("a long phrase"), "");
  await keep.keep_phrase("for backups");
  assert.ok(!JSON.stringify(await everything()).includes("for backups"));
  const next = await home(() => ({}));
  assert.equal(await next.kept_phrase(), null);
  assert.equal(await next.unlock("a long phrase"), "");
  assert.equal(await next.kept_phrase(), "for backups");
  assert.equal(await next.relock("a long phrase", "another phrase"), "");
  assert.equal(await next.kept_phrase(), null);
});
