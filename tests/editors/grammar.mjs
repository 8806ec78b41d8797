// Has the TextMate engine of VS Code read every sample with the grammar of the examples, and holds what it finds in each entry to
// what the program says of it.
//
//   node grammar.mjs POSTRIDER, in the folder of the sources; POSTRIDER_NODE_MODULES is a folder with what package.json names.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const program = resolve(process.argv[2]);
const require = createRequire(join(process.env.POSTRIDER_NODE_MODULES ?? process.cwd(), "node_modules", "x"));
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
const grammars = {
  "text.pbem": readFileSync("examples/editors/vscode/syntaxes/pbem.tmLanguage.json", "utf8"),
  // In the place of an editor's own: it is enough to see that the header is left to it.
  "source.yaml": JSON.stringify({ scopeName: "source.yaml", patterns: [{ match: "^\\s*[a-z]+(?=:)", name: "entity.name.tag.yaml" }] }),
};
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (name) => grammars[name] && textmate.parseRawGrammar(grammars[name], `${name}.json`),
});
const grammar = await registry.loadGrammar("text.pbem");

/** The tokens of each line: its text and its scopes but the first. */
function tokens(text) {
  let state = textmate.INITIAL;
  return text.split(/\r?\n/).map((line) => {
    const read = grammar.tokenizeLine(line, state);
    state = read.ruleStack;
    return read.tokens.map((token) => ({ text: line.slice(token.startIndex, token.endIndex), scopes: token.scopes.slice(1) }));
  });
}

/** The text in a line that has a scope. */
const found = (line, scope) => line.filter((token) => token.scopes.includes(scope)).map((token) => token.text).join("");

const home = mkdtempSync(join(tmpdir(), "grammar-"));
const run = (...args) => {
  try {
    return execFileSync(program, args, { encoding: "utf8", env: { PATH: process.env.PATH, HOME: home }, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    return error.stdout;
  }
};
const rows = run("export", "--entries", "--practice", "tests/data", "examples").trim().split("\n").map((row) => JSON.parse(row));
rmSync(home, { recursive: true });
const paths = [...new Set(rows.map((row) => row.path))];
assert.ok(paths.length > 150, `${paths.length} records`);
let compared = 0;
let signed = 0;
for (const path of paths) {
  const lines = tokens(readFileSync(path, "utf8"));
  const entries = lines.flatMap((line, at) => (found(line, "constant.numeric.entry.pbem") ? [{ line, next: lines[at + 1] ?? [] }] : []));
  for (const row of rows.filter((one) => one.path === path)) {
    const { line, next } = entries[row.number - 1];
    const where = `${path}, entry ${row.number}`;
    assert.equal(found(line, "constant.numeric.entry.pbem"), `${row.number}`, where);
    assert.equal(found(line, "keyword.other.side.pbem"), row.side, where);
    assert.equal(found(line, "constant.other.time.pbem"), row.time ?? "", where);
    assert.equal(found(line, "string.quoted.other.message.pbem"), row.message === null ? "" : `{${row.message}}`, where);
    assert.equal(found(next, "string.unquoted.signature.pbem") !== "", row.signed, where);
    // Digests are long, and nothing else is taken for one.
    const digests = row.actions.match(/[0-9a-f]{32,}/g) ?? [];
    const read = line.filter((token) => token.scopes.includes("constant.other.digest.pbem")).flatMap((token) => token.text.match(/[0-9a-f]{32,}/g) ?? []);
    assert.deepEqual(read, digests, where);
    compared += 1;
    signed += row.signed;
  }
}
assert.ok(compared > 2000 && signed > 20, `${compared} entries, ${signed} of them signed`);

// What is not an entry.
const [first, game, last, entry, remark, result] = tokens("---\ngame: asalto\n---\n1 white draw?; d4-d5\n# 2 white d5-d6\n= draw: agreed");
assert.ok(found(first, "punctuation.definition.header.begin.pbem") && found(last, "punctuation.definition.header.end.pbem"));
assert.equal(found(game, "entity.name.tag.yaml"), "game");
assert.equal(found(entry, "keyword.control.pbem"), "draw?");
assert.equal(found(entry, "variable.other.place.pbem"), "d4d5");
assert.equal(found(remark, "comment.line.number-sign.pbem"), "# 2 white d5-d6");
assert.equal(found(remark, "constant.numeric.entry.pbem"), "");
assert.equal(found(result, "keyword.control.result.pbem"), "draw: agreed");
console.log(`grammar: ${compared} entries of ${paths.length} records are read as the program reads them`);
