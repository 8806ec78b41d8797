// A package has its licences in it, and npm packs nothing from outside its folder: they are copied for as long as it packs.
import { copyFileSync, rmSync } from "node:fs";

for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) {
  const here = new URL(name, import.meta.url);
  if (process.argv[2] === "bring") copyFileSync(new URL(`../${name}`, import.meta.url), here);
  else rmSync(here, { force: true });
}
