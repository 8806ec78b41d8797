// Packs the folder web/ as npm publishes it, installs that in a new folder, and uses it there: from JavaScript as its README shows, from
// TypeScript, whose compiler holds the declared types to what the referee answers about every sample, and in Chromium as four bundlers pack it.
//
//   node check.mjs, in the folder of the sources; POSTRIDER_NODE_MODULES is a folder with what package.json names, POSTRIDER_CHROMIUM the browser,
//   without which nothing is bundled, and POSTRIDER_MODULE another module to pack than the one in the repository.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const compiler = resolve(process.env.POSTRIDER_NODE_MODULES ?? ".", "node_modules/typescript/bin/tsc");
const folder = mkdtempSync(join(tmpdir(), "npm-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function run(command, args, cwd = folder, more = {}) {
  try {
    return execFileSync(command, args, { cwd, env: { ...process.env, ...more }, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} ${args.join(" ")}: ${error.stdout}${error.stderr}`);
  }
}

const addresses = { HOMEPAGE: "https://games.invalid/referee", REPOSITORY: "https://games.invalid/postrider.git" };
const own = readFileSync("web/package.json", "utf8");
// The package holds what it is to hold, and nothing else.
const [packed] = JSON.parse(run("npm", ["pack", "--json", "--silent", "--pack-destination", folder], resolve("web"), addresses));
const files = packed.files.map((file) => file.path).sort();
assert.deepEqual(files, ["LICENSE-APACHE", "LICENSE-MIT", "LICENSES-OF-CRATES.txt", "README.md", "index.d.ts", "index.js", "package.json", "referee.js", "referee.wasm.gz"]);

// It is installed without a network, for it needs no other.
writeFileSync(join(folder, "package.json"), '{ "name": "guest", "private": true, "type": "module" }');
run("npm", ["install", "--offline", "--silent", "--no-audit", "--no-fund", join(folder, packed.filename)]);
assert.deepEqual(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith(".")), ["postrider-referee"]);

// What it says of itself, with the addresses that it was packed with; the sources are as they were.
const about = JSON.parse(readFileSync(join(folder, "node_modules/postrider-referee/package.json"), "utf8"));
assert.deepEqual([about.homepage, about.repository.url], Object.values(addresses));
assert.ok(about.keywords.length > 3);
assert.equal(readFileSync("web/package.json", "utf8"), own);
// The licences of what is in the module, one of which asks for its notice beside every binary.
const licences = readFileSync(join(folder, "node_modules/postrider-referee/LICENSES-OF-CRATES.txt"), "utf8");
assert.match(licences, /^ed25519-dalek .*BSD-3-Clause$/m);
assert.match(licences, /Redistributions in binary form must reproduce the above copyright/);

// The example of the README, as it stands there.
writeFileSync(join(folder, "game.pbem"), readFileSync("examples/asalto/refused-never-backwards.pbem"));
const [, example] = /```js\n(.*?)```/s.exec(readFileSync("web/README.md", "utf8"));
writeFileSync(join(folder, "example.js"), example);
assert.match(run(process.execPath, ["example.js"]), /^illegal .*rule: 'T21'/s);

// The ten tasks, which other languages have too.
copyFileSync("examples/languages/tasks.mjs", join(folder, "tasks.mjs"));
const tasks = ["fifteen-captures", "refused-never-backwards", "open-game"].map((name) => resolve(`examples/asalto/${name}.pbem`));
assert.equal(run(process.execPath, ["tasks.mjs", ...tasks]), readFileSync("examples/languages/said.txt", "utf8"));

// What it answers about every sample, as constants of the declared types: a member that is not declared is a fault too.
const { load } = await import(pathToFileURL(join(folder, "node_modules/postrider-referee/index.js")));
const referee = await load();
const records = ["tests/data", "examples"].flatMap((top) =>
  readdirSync(top, { recursive: true }).filter((name) => name.endsWith(".pbem")).sort().map((name) => readFileSync(join(top, name), "utf8")));
assert.ok(records.length > 300);
let source = 'import type { About, Answered, Appended, Begun, Chosen, Judged, Learned, Lessons, Minute, Moves, Next, Opened, Position, Review, Undone, Verdict } from "postrider-referee";\n';
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
    hold("Undone", referee.undo(record));
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
    hold("Opened", referee.open(record, { at: 0 }));
    hold("Moves", referee.moves(record));
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
const appended = referee.append("", "c4-c5", { message: "hello" });
const unsure: string | undefined = appended.record;
// What is not refused is there, whole; what is refused says where.
let record = "";
if (!appended.refused) record = appended.record + appended.line + appended.reply?.subject;
else record = (appended.refused.typed ?? "").slice(appended.refused.start, appended.refused.end);
const { moves, refused } = referee.moves(record, { at: 2 });
const count: number = refused ? 0 : moves.length;
const next = referee.next(record, "", { seed: 3, at: 1 });
const whole: boolean = next.refused ? false : next.whole;
// @ts-expect-error It may have been refused.
const sure: string = appended.record;
// @ts-expect-error A verdict is one of four words.
const other: boolean = verdict.report.verdict === "lawful";
// @ts-expect-error A record is no number.
referee.verify(5);
// @ts-expect-error There is no such call.
referee.dance();
export { count, other, record, rule, sure, unsure, whole };
`);
for (const module of ["nodenext", "esnext"]) {
  const resolution = module === "nodenext" ? "nodenext" : "bundler";
  run(process.execPath, [compiler, "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022", "--types", "", "--module", module,
    "--moduleResolution", resolution, "typed/guest.ts", "typed/answers.ts"]);
}

const chromium = process.env.POSTRIDER_CHROMIUM;
if (chromium) await inBrowsers(chromium);
console.log(`npm: the package is installed and used; ${answers} answers are of the types that it declares`);

// Packs a page by each bundler, with nothing said to it, and looks at it in the browser under the policy that the README names.
async function inBrowsers(chromium) {
  const tools = createRequire(join(resolve(process.env.POSTRIDER_NODE_MODULES ?? "."), "package.json"));
  const imported = (name) => import(pathToFileURL(tools.resolve(name)));
  const guest = join(folder, "bundled");
  mkdirSync(guest);
  writeFileSync(join(guest, "app.js"), `import { load } from "postrider-referee";
const record = ${JSON.stringify(readFileSync("examples/asalto/open-game.pbem", "utf8"))};
load().then((referee) => {
  const { rule, typed, start, end } = referee.judge(record, "b4-b3").refused;
  document.title = [rule, typed.slice(start, end), referee.verify("\\ud800").report.verdict, referee.moves(record, { at: 1 }).moves.includes("c4-c5")].join(" ");
}).catch((error) => { document.title = "failed: " + error; });
`);
  const page = (script) => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title></title><script type="module" src="${script}"></script>`;
  writeFileSync(join(guest, "index.html"), page("./app.js"));
  const bundlers = {
    async vite(to) {
      const { build } = await imported("vite");
      await build({ root: guest, logLevel: "warn", base: "./", build: { outDir: to, emptyOutDir: true } });
    },
    async esbuild(to) {
      const esbuild = await imported("esbuild");
      await esbuild.build({ entryPoints: [join(guest, "app.js")], bundle: true, minify: true, format: "esm", outdir: to, logLevel: "warning" });
      writeFileSync(join(to, "index.html"), page("./app.js"));
    },
    async webpack(to) {
      const { default: webpack } = await imported("webpack");
      const stats = await promisify(webpack)({ mode: "production", context: guest, entry: "./app.js", output: { path: to, filename: "app.js" }, performance: false });
      assert.ok(!stats.hasErrors() && !stats.hasWarnings(), stats.toString());
      writeFileSync(join(to, "index.html"), page("./app.js"));
    },
    async rollup(to) {
      const { rollup } = await imported("rollup");
      const { nodeResolve } = await imported("@rollup/plugin-node-resolve");
      const bundle = await rollup({ input: join(guest, "app.js"), plugins: [nodeResolve()], onwarn: (warning) => assert.fail(warning.message) });
      await bundle.write({ dir: to, format: "es" });
      writeFileSync(join(to, "index.html"), page("./app.js"));
    },
    async "no bundler"(to) {
      for (const name of ["index.js", "referee.js"]) copyFileSync(join(folder, "node_modules/postrider-referee", name), join(to, name));
      writeFileSync(join(to, "app.js"), readFileSync(join(guest, "app.js"), "utf8").replace("postrider-referee", "./index.js"));
      writeFileSync(join(to, "index.html"), page("./app.js"));
    },
  };
  const policy = "default-src 'none'; img-src data:; script-src 'self' 'wasm-unsafe-eval'";
  const kinds = { ".html": "text/html", ".js": "text/javascript" };
  const server = createServer((request, answer) => {
    const path = join(guest, decodeURIComponent(new URL(request.url, "http://x").pathname));
    if (!path.startsWith(guest) || !existsSync(path)) return answer.writeHead(404).end();
    answer.writeHead(200, { "content-type": kinds[extname(path)] ?? "application/octet-stream", "content-security-policy": policy }).end(readFileSync(path));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { chromium: engine } = tools("playwright-core");
  const browser = await engine.launch({ executablePath: chromium, args: ["--no-sandbox"] });
  const seen = async (name, address) => {
    const tab = await browser.newPage();
    const said = [];
    tab.on("console", (message) => said.push(message.text()));
    await tab.goto(address);
    await tab.waitForFunction(() => document.title !== "", null, { timeout: 60_000 }).catch(() => assert.fail(`${name}: ${said.join("; ")}`));
    assert.equal(await tab.title(), "T21 b4-b3 malformed true", name);
    await tab.close();
  };
  try {
    for (const [name, pack] of Object.entries(bundlers)) {
      const to = join(guest, name.replace(" ", "-"));
      mkdirSync(to);
      await pack(to);
      await seen(name, `http://127.0.0.1:${server.address().port}/${name.replace(" ", "-")}/index.html`);
    }
    // While a page is developed, vite packs what comes from packages by itself.
    const vite = await (await imported("vite")).createServer({ root: guest, logLevel: "warn", server: { host: "127.0.0.1", port: 0 } });
    await vite.listen();
    await seen("vite's server", vite.resolvedUrls.local[0]).finally(() => vite.close());
  } finally {
    await browser.close();
    server.close();
  }
  console.log(`npm: the package works in Chromium as ${Object.keys(bundlers).join(", ")} and vite's server bring it there`);
}
