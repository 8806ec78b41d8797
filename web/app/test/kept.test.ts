// Open games and those against the machine: two tabs never go on from one record, and what is stored is judged before it is used.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Kept } from "../src/store/kept";
import { browser, earlier, earlier_names } from "./browser";

const store = async (): Promise<Kept> => {
  const kept = new Kept();
  await kept.open();
  return kept;
};

test("a game goes on only from the record that is stored", async () => {
  browser("https:");
  const [one, other] = [await store(), await store()];
  assert.ok(await one.put("game", { record: "1" }, null));
  assert.ok(await one.put("game", { record: "1 2" }, "1"));
  assert.equal(await other.put("game", { record: "1 3" }, "1"), false, "the other tab was faster");
  assert.equal(other.get("game")?.record, "1 2", "and what it made is shown");
  assert.equal(await other.put("game", null, "1"), false);
  assert.ok(await other.put("game", null, "1 2"));
  assert.deepEqual((await store()).ids(), []);
});

test("what an earlier version kept is taken over once, and what is no game is left", async () => {
  browser("https:");
  earlier("postrider/game/old", JSON.stringify({ record: "1" }));
  earlier("postrider/game/damaged", "{");
  earlier("postrider/game/other", JSON.stringify({ record: 7 }));
  earlier("another/page", "its own");
  assert.deepEqual((await store()).ids(), ["old"]);
  assert.deepEqual(earlier_names(), ["postrider/game/damaged", "postrider/game/other", "another/page"]);
  assert.deepEqual((await store()).ids(), ["old"]);
});

test("where nothing can be kept, a game lasts as long as the page and it is known that it does", async () => {
  browser("https:");
  Object.assign(globalThis, { indexedDB: { open: () => assert.fail("blocked") } });
  const kept = await store();
  assert.ok(await kept.put("game", { record: "1" }, null));
  assert.equal(kept.get("game")?.record, "1");
  assert.ok(kept.lost);
});
