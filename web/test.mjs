// The package as another program uses it. `node --test test.mjs`
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { load } from "./index.js";

const module = process.env.POSTRIDER_MODULE ?? new URL("../crates/page/src/referee.wasm.gz", import.meta.url);
const referee = await load(await readFile(module));
const record = "---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n" +
  "started: 2026-11-21\n---\n1 defenders place c6 e6\n";

test("the games are told", () => {
  const names = referee.about().games.map((game) => game.name);
  const known = readdirSync(new URL("../crates/games/src", import.meta.url)).map((name) => name.replaceAll("_", "-"));
  assert.deepEqual(names.filter((name) => !known.includes(name)), []);
  assert.equal(names[0], "asalto");
});

test("a record is verified, as text and as bytes", () => {
  const { report } = referee.verify(record);
  assert.equal(report.verdict, "legal");
  assert.deepEqual(referee.verify(new TextEncoder().encode(record)).report, report);
  assert.deepEqual(referee.verify(new TextEncoder().encode(record).buffer).report, report);
  assert.deepEqual(referee.verify(Buffer.from(record)).report, report);
  assert.throws(() => referee.verify({ record }), TypeError);
  const turns = ["Rd1=S", "Rd8=N", "Rd1=N", "Rd8=S"];
  const long = "---\npbem: 1\ngame: assideum\nid: assideum-long-1\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\nstarted: 2026-11-21\noptions: {quiet-turns: none, repetition: none}\n---\n" +
    Array.from({ length: 50_001 }, (_, nth) => `${nth + 1} ${nth % 2 ? "black" : "white"} ${turns[nth % 4]}\n`).join("");
  assert.equal(referee.verify(long).report.entries, 50_001);
  assert.throws(() => referee.open(long), /at most 50000 are listed/);
  const refused = referee.verify(record + "2 besiegers b4-b3\n");
  assert.equal(refused.report.errors[0].rule, "T21");
  assert.match(refused.excerpts[0], /\^\^/);
  assert.equal(referee.verify(new Uint8Array([0xff, 0xfe])).report.verdict, "malformed");
});

test("moves are listed, judged, explained, appended", () => {
  assert.ok(referee.next(record).actions.includes("c4-c5"));
  assert.equal(referee.judge(record, "b4-b3").refused.rule, "T21");
  assert.match(referee.judge(record, "b4-b3").refused.text, /^### T21/);
  const added = referee.append(record, "c4-c5", { message: "hello" });
  assert.equal(added.record, record + "2 besiegers c4-c5 {hello}\n");
  assert.match(added.reply.subject, /^Re: \[pbem\] asalto-example #1 [0-9a-f]{16}$/);
});

test("positions are drawn and told in words", () => {
  const seen = referee.position(record, { at: 1 });
  assert.match(seen.svg, /^<svg xmlns/);
  assert.match(seen.words, /Defenders: c6, e6/);
  assert.equal(seen.targets.length, 49);
});

test("what cannot be asked throws", () => {
  assert.throws(() => referee.ask({ call: "dance" }));
  assert.throws(() => referee.position(record, { at: 9 }), /there is no entry 9/);
});

test("one referee answers again and again", () => {
  const sizes = new Set();
  for (let nth = 0; nth < 200; nth += 1) sizes.add(referee.verify(record).report.entries);
  assert.deepEqual([...sizes], [1]);
});

test("the bytes of the module can be brought along", async () => {
  const packed = await readFile(module);
  const other = await load(packed);
  assert.equal(other.verify(record).report.verdict, "legal");
});

test("the machine plays, helps and looks back, and lessons are judged", () => {
  const begun = referee.practice({ game: "asalto", side: "besiegers", level: 1, seed: 3, started: "2026-11-22" });
  const { record, expects } = referee.answer(begun.record);
  assert.match(record, /\n1 defenders place /);
  assert.ok(expects >= 0 && expects <= 100);
  assert.equal(referee.answer(record).record, null);
  const hint = referee.choose(record, { playouts: 50 });
  const played = referee.append(record, hint.actions);
  assert.equal(played.number, 2);
  assert.equal(referee.undo(played.record).record, record);
  assert.equal(referee.review(record, { level: 1, first: 1, last: 1 }).entries.length, 1);
  assert.equal(referee.minute("subsume").pictures.length, 3);
  const { lessons } = referee.lessons("asalto");
  assert.equal(referee.lesson("asalto", 1, lessons[0].solution).solved, true);
});

test("a record is opened at an earlier entry, and listed there", () => {
  const longer = referee.append(record, "c4-c5").record;
  assert.deepEqual([referee.open(longer).due, referee.open(longer).result], ["defenders", null]);
  const earlier = referee.open(longer, { at: 1 });
  assert.deepEqual([earlier.due, earlier.entries.length, earlier.record], ["besiegers", 1, record]);
  assert.ok(referee.moves(longer, { at: 1 }).moves.includes("c4-c5"));
  assert.deepEqual(referee.next(longer, "", { at: 1 }).actions, referee.next(record).actions);
  assert.deepEqual(referee.moves(longer).moves, referee.next(longer).actions);
  for (const call of ["open", "moves"]) assert.throws(() => referee[call](longer, { at: 3 }), /there is no entry 3/);
  assert.throws(() => referee.next(longer, "", { at: 3 }), /there is no entry 3/);
  assert.equal(referee.moves("nothing").refused.verdict.report.verdict, "malformed");
});

test("places are those of JavaScript's strings", () => {
  for (const [typed, wrong] of [["\u00fc;", "\u00fc"], ["\ud83d\ude00\u00e9 x", null], ["  b4-b3 \ufeff", null], ["\ufeffx", null]]) {
    const { refused } = referee.judge(record, typed);
    assert.equal(refused.typed, typed);
    assert.ok(refused.start <= refused.end && refused.end <= typed.length, JSON.stringify(refused));
    if (wrong) assert.equal(typed.slice(refused.start, refused.end), wrong);
  }
  const { refused } = referee.judge(record, "  b4-b3 ");
  assert.equal(refused.typed.slice(refused.start, refused.end), "b4-b3");
});

test("half a character gets a verdict and changes no record", () => {
  for (const half of ["\ud800", "\udc00", record + "2 besiegers c4-c5 {\ud83d}\n"]) {
    const verdict = referee.verify(half);
    assert.equal(verdict.report.verdict, "malformed");
    assert.deepEqual(referee.open(half), { verdict, game: null });
    for (const answer of [referee.next(half), referee.moves(half), referee.judge(half, "c4-c5"), referee.append(half, "c4-c5")]) {
      assert.deepEqual(answer.refused.verdict, verdict);
    }
    assert.throws(() => referee.position(half), /malformed/);
  }
  assert.equal(referee.judge(record, "c4-\ud800").refused.typed, "c4-\ufffd");
  assert.match(referee.append(record, "c4-c5", { message: "\udc00" }).record, /\{\ufffd\}\n$/);
});
