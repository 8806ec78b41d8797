// Does what a page asks of the module that keeps a home: reads a store, does deeds with pinned randomness, writes the store.
//
//   node tests/guard/page.mjs MODULE < {"store": FILE, "now": TIME, "seed": TEXT, "deeds": [...]}
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { load } from "../../web/index.js";

const referee = await load(readFileSync(process.argv[2]));
const { store, now, seed, deeds } = JSON.parse(readFileSync(0, "utf8"));
const kept = existsSync(store) ? JSON.parse(readFileSync(store, "utf8")) : { files: {}, bytes: {} };
const answers = [];
deeds.forEach((deed, at) => {
  const random = Buffer.concat(
    Array.from({ length: 256 }, (_, part) => createHash("sha256").update(`${seed} ${at} ${part}`).digest()),
  ).toString("base64");
  const answer = JSON.parse(referee.askText(JSON.stringify({ call: "home", ...kept, random, now, deed })));
  for (const path of answer.removed ?? []) {
    delete kept.files[path];
    delete kept.bytes[path];
  }
  Object.assign(kept.files, answer.put);
  Object.assign(kept.bytes, answer.bytes);
  answers.push(answer);
});
const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(store, JSON.stringify({ files: sorted(kept.files), bytes: sorted(kept.bytes) }, null, 1));
console.log(JSON.stringify(answers));
