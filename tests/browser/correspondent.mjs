// A player who has the program and nothing else of the page: a home of its own on the disk, and letters as files.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const correspondent = ({ program, folder, env }, name, email, has_key = false) => {
  const there = mkdtempSync(join(folder, "correspondent-"));
  const outbox = join(there, "data", "outbox");
  writeFileSync(join(there, "settings.yaml"), `name: ${name}\nemail: ${email}\n`);
  const told = (...args) => spawnSync(program, args, { env: { ...env, POSTRIDER_HOME: there }, cwd: there, encoding: "utf8" });
  const ok = (...args) => {
    const done = told(...args);
    assert.equal(done.status, 0, `${args.join(" ")}: ${done.stderr}`);
    return done.stdout;
  };
  if (has_key) ok("key", "new");
  const record = (game) => join(there, "data", "games", game + ".pbem");
  // How a letter is called in the outbox: the game, then the number of the entry it is about.
  const number = (file) => Number(file.split(".").at(-2));
  return {
    name, email, there, told, ok, record,
    games: () => readdirSync(join(there, "data", "games")).filter((file) => file.endsWith(".pbem")).map((file) => file.slice(0, -5)),
    text: (game) => readFileSync(record(game), "utf8"),
    reads: (bytes) => {
      const file = join(there, "in.eml");
      writeFileSync(file, bytes);
      return ok("receive", "--strict", file);
    },
    // Makes an entry that is legal, and writes its letter; what is put down together is given whole, as no list has it.
    moves: (game, chance, deployment) => {
      if (told("answer", record(game), "--send").status === 0) return;
      const all = ok("moves", record(game)).trim().split("\n");
      const chosen = all[Math.floor(chance * all.length)];
      ok("move", record(game), chosen === "deploy" ? deployment : chosen, "--send");
    },
    newest: () => readFileSync(join(outbox, readdirSync(outbox).filter((file) => file.endsWith(".eml")).sort((one, other) => number(one) - number(other)).at(-1))),
  };
};
