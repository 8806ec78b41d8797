// Packs the folder web/ as npm publishes it, installs that in a new folder, and uses it there: from JavaScript as its README shows,
// and from TypeScript, whose compiler holds the declared types to what the referee answers about every sample.
//
//   node check.mjs, in the folder of the sources; POSTRIDER_NODE_MODULES is a folder with what package.json names.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const compiler = resolve(process.env.POSTRIDER_NODE_MODULES ?? ".", "node_modules/typescript/bin/tsc");
const folder = mkdtempSync(join(tmpdir(), "npm-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function run(command, args, cwd = folder) {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} ${args.join(" ")}: ${error.stdout}${error.stderr}`);
  }
}

// The package holds what it is to hold, and nothing else.
const [packed] = JSON.parse(run("npm", ["pack", "--json", "--silent", "--pack-destination", folder], resolve("web")));
const files = packed.files.map((file) => file.path).sort();
assert.deepEqual(files, ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "index.d.ts", "index.js", "package.json", "referee.wasm.gz"]);

// It is installed without a network, for it needs no other.
writeFileSync(join(folder, "package.json"), '{ "name": "guest", "private": true, "type": "module" }');
run("npm", ["install", "--offline", "--silent", "--no-audit", "--no-fund", join(folder, packed.filename)]);
assert.deepEqual(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith(".")), ["postrider-referee"]);

// The example of the README, as it stands there.
writeFileSync(join(folder, "game.pbem"), readFileSync("examples/asalto/refused-never-backwards.pbem"));
const [, example] = /```js\n(.*?)```/s.exec(readFileSync("web/README.md", "utf8"));
writeFileSync(join(folder, "example.js"), example);
assert.match(run(process.execPath, ["example.js"]), /^illegal .*rule: 'T21'/s);

// What it answers about every sample, as constants of the declared types: a member that is not declared is a fault too.
const { load } = await import(pathToFileURL(join(folder, "node_modules/postrider-referee/index.js")));
const referee = await load();
const records = ["tests/data", "examples"].flatMap((top) =>
  readdirSync(top, { recursive: true }).filter((name) => name.endsWith(".pbem")).sort().map((name) => readFileSync(join(top, name), "utf8")));
assert.ok(records.length > 300);
let source = 'import type { About, Answered, Appended, Begun, Chosen, Judged, Learned, Lessons, Minute, Next, Opened, Position, Review, Verdict } from "postrider-referee";\n';
let answers = 0;
const seen = new Set();
function hold(type, answer) {
  // The shapes are of interest, not the values: of a list its first two, of a text little.
  const text = JSON.stringify(answer, (_, value) => (typeof value === "string" ? value.slice(0, 40) : Array.isArray(value) && value.length > 4 ? value.slice(0, 2) : value));
  if (!seen.has(type + text)) {
    seen.add(type + text);
    source += `export const answer${(answers += 1)}: ${type} = ${text};\n`;
  }
  return answer;
}
hold("About", referee.about());
for (const { name, sides } of referee.about().games) {
  const players = Object.fromEntries(sides.map((side) => [side, { name: side }]));
  hold("Begun", referee.begin({ game: name, id: "a-game-here", started: "2026-11-21", players }));
}
hold("Begun", referee.begin({ game: "asalto", id: "?", started: "2026-11-21", players: { besiegers: { name: "A" }, defenders: { name: "B" } } }));
// Games against the machine, lessons and a look back.
for (const { name, sides } of referee.about().games) {
  hold("Minute", referee.minute(name));
  const { lessons: [lesson] } = hold("Lessons", referee.lessons(name));
  for (const typed of [lesson.solution, "resign", "?"]) hold("Learned", referee.lesson(name, lesson.number, typed));
  let { record } = hold("Begun", referee.practice({ game: name, side: sides[0], level: 1, seed: 7, started: "2026-11-21" }));
  for (let turn = 0; turn < 4; turn += 1) {
    const answered = hold("Answered", referee.answer(record));
    const chosen = hold("Chosen", referee.choose(answered.record ?? record, { playouts: 20 }));
    const played = chosen.actions ? hold("Appended", referee.append(answered.record ?? record, chosen.actions)) : answered;
    record = played.record ?? record;
    hold("Opened", referee.open(record));
    hold("Next", referee.next(record));
  }
  hold("Chosen", referee.choose(records[0]));
  hold("Answered", referee.answer(records[0]));
}
const over = readFileSync("examples/asalto/a-signed-game.pbem", "utf8");
hold("Review", referee.review(over, { level: 1, last: 4 }));
hold("Review", referee.review(records[0]));
for (const record of records) {
  hold("Verdict", referee.verify(record));
  try {
    hold("Opened", referee.open(record));
    hold("Next", referee.next(record));
    hold("Position", referee.position(record));
  } catch (error) {
    assert.ok(error instanceof Error && !(error instanceof WebAssembly.RuntimeError), error);
  }
  for (const typed of ["resign", "b4-b3", ...(referee.next(record).actions ?? []).slice(0, 1)]) {
    hold("Judged", referee.judge(record, typed));
    hold("Appended", referee.append(record, typed, { message: "hello" }));
  }
}
assert.ok(answers > 1000, `${answers} answers`);
mkdirSync(join(folder, "typed"));
writeFileSync(join(folder, "typed/answers.ts"), source);
writeFileSync(join(folder, "typed/guest.ts"), `
import { load, type Referee, type Verdict } from "postrider-referee";
const referee: Referee = await load();
const verdict: Verdict = referee.verify(new Uint8Array([45]));
const rule: string | null | undefined = verdict.report.errors[0]?.rule;
const record: string | undefined = referee.append("", "c4-c5", { message: "hello" }).record;
// @ts-expect-error A verdict is one of four words.
const other: boolean = verdict.report.verdict === "lawful";
// @ts-expect-error A record is no number.
referee.verify(5);
// @ts-expect-error There is no such call.
referee.dance();
export { other, record, rule };
`);
for (const module of ["nodenext", "esnext"]) {
  const resolution = module === "nodenext" ? "nodenext" : "bundler";
  run(process.execPath, [compiler, "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--types", "", "--module", module,
    "--moduleResolution", resolution, "typed/guest.ts", "typed/answers.ts"]);
}
console.log(`npm: the package is installed and used; ${answers} answers are of the types that it declares`);
