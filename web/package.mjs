// A package has its module and its licences in it, and npm packs nothing from outside its folder: they are copied for as long as it packs. The
// module is in it twice: as it is, and in `referee.js` as text, which every bundler takes along.
//
// HOMEPAGE and REPOSITORY are the addresses that the package names; without them it names some that do not exist. POSTRIDER_MODULE is another
// module to pack than the one in the repository.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const module = process.env.POSTRIDER_MODULE ?? here("../crates/page/src/referee.wasm.gz");
const copies = { "referee.wasm.gz": module, "LICENSE-MIT": here("../LICENSE-MIT"), "LICENSE-APACHE": here("../LICENSE-APACHE") };
const kept = here("package.json.kept");

if (process.argv[2] === "bring") {
  for (const [name, from] of Object.entries(copies)) copyFileSync(from, here(name));
  const base64 = readFileSync(module).toString("base64");
  writeFileSync(here("referee.js"), `// The module, packed by gzip, in base64.\nexport const base64 = "${base64}";\n`);
  const { HOMEPAGE, REPOSITORY } = process.env;
  if (HOMEPAGE || REPOSITORY) {
    const written = readFileSync(here("package.json"), "utf8");
    writeFileSync(kept, written);
    const about = JSON.parse(written);
    if (HOMEPAGE) about.homepage = HOMEPAGE;
    if (REPOSITORY) about.repository.url = REPOSITORY;
    writeFileSync(here("package.json"), JSON.stringify(about, null, 2) + "\n");
  } else {
    console.error("HOMEPAGE and REPOSITORY are not set: the package names addresses that do not exist");
  }
} else {
  for (const name of [...Object.keys(copies), "referee.js"]) rmSync(here(name), { force: true });
  try {
    writeFileSync(here("package.json"), readFileSync(kept));
    rmSync(kept);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}
