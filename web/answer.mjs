// Answers requests, a line of JSON each, from standard input: how the tests of the program hold the module to it.
//
//   node web/answer.mjs MODULE < requests
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { load } from "./index.js";

const referee = await load(await readFile(process.argv[2]));
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (!process.stdout.write(referee.askText(line) + "\n")) await new Promise((done) => process.stdout.once("drain", done));
}
