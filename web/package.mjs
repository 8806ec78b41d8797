// A package has its module and its licences in it, and npm packs nothing from outside its folder: they are copied for as long as it packs.
import { copyFileSync, rmSync } from "node:fs";

for (const path of ["../crates/page/src/referee.wasm.gz", "../LICENSE-MIT", "../LICENSE-APACHE"]) {
  const here = new URL(path.split("/").at(-1), import.meta.url);
  if (process.argv[2] === "bring") copyFileSync(new URL(path, import.meta.url), here);
  else rmSync(here, { force: true });
}
