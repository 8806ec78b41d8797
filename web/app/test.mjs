// Tries what of the page needs no browser: bundles the tests and runs them in Node.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const to = mkdtempSync(join(tmpdir(), "postrider-app-"));
const names = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.ts"));
await build({
  absWorkingDir: here,
  entryPoints: names.map((name) => `test/${name}`),
  bundle: true,
  format: "esm",
  platform: "node",
  outdir: to,
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
});
const { status } = spawnSync(process.execPath, ["--test", ...names.map((name) => join(to, name.replace(/\.ts$/, ".mjs")))], {
  stdio: "inherit",
});
rmSync(to, { recursive: true });
process.exitCode = status ?? 1;
