// Builds the scripts of the page that keeps games that are written in TypeScript: what the crate `postrider-page` includes is made here, and is in the repository as it was built.
//
//   node build.mjs            writes it
//   node build.mjs --check    says whether what is there is of these sources; 1 if not
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { as_text, bundled } from "./bundle.mjs";

const here = import.meta.dirname;
const assets = join(here, "../../crates/page/src/built");
// What becomes part of the pages keeps its licence beside it.
const licence = readFileSync(join(here, "node_modules/preact/LICENSE"), "utf8").trim();
const how = {
  banner: { js: `/* Preact\n${licence}\n*/` },
  ...bundled,
  absWorkingDir: here,
  plugins: [as_text],
};

const outputs = {
  "player.js": await build({ ...how, entryPoints: ["src/page/player.tsx"] }),
  "guest.js": await build({ ...how, entryPoints: ["src/page/with-game.tsx"] }),
};

let stale = 0;
for (const [name, { outputFiles }] of Object.entries(outputs)) {
  const [file] = outputFiles;
  // It stands within an element of a page, which this would end.
  const text = file.text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const path = join(assets, name);
  if (process.argv.includes("--check")) {
    let there = "";
    try {
      there = readFileSync(path, "utf8");
    } catch {
      // It was never built.
    }
    if (there !== text) {
      stale += 1;
      console.error(`${name} is not of these sources: \`npm run build\` in web/app makes it anew`);
    }
  } else writeFileSync(path, text);
  console.log(`${name}: ${Buffer.byteLength(text)} bytes`);
}
process.exitCode = stale ? 1 : 0;
