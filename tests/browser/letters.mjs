// Whole games by letters alone, from the invitation to the end: without keys, with one, with two; page against page, page against program,
// and page against somebody who has nothing but mail; sealed and open.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { correspondent } from "./correspondent.mjs";

/** What the second side puts down in Assassyn's Dagger. */
export const DEPLOYED = "deploy Pa6 Wb6 Lc6 Ld6 Sa5 Sb5 Af6";

/** After so many entries a game is resigned. */
const MOST = 12;
const GAMES = { assassyn: { deployment: "sealed" }, asalto: {} };

export const by_letters = ({ test, player, plain, begin, accept, letter, linked, read, show, state, enter, chances, shot, program, folder, env }) => {
  const resign = async ({ page }, game) => {
    await show({ page }, game);
    await page.evaluate(() => home.enter("resign"));
    await page.waitForFunction(() => home.game.over);
  };

  // The record of a game that is over is legal, and each side has signed all of its entries or none.
  const is_judged = (record, signs) => {
    const file = join(folder, "judged.pbem");
    writeFileSync(file, record);
    const judged = spawnSync(program, ["verify", "--json", file], { env, encoding: "utf8" });
    assert.equal(judged.status, 0, judged.stdout + judged.stderr);
    assert.ok(JSON.parse(judged.stdout).result, "the game is over");
    const lines = record.split("\n---\n")[1].split("\n");
    const entries = lines.map((line, nth) => [line.match(/^[0-9]+ (\S+) /)?.[1], /^ {2}~ /.test(lines[nth + 1] || "")]).filter(([side]) => side);
    for (const side of new Set(entries.map(([side]) => side))) {
      const theirs = entries.filter(([one]) => one === side);
      assert.ok(theirs.length >= 2, `${side} has made ${theirs.length} entries`);
      assert.deepEqual(theirs.map(([, signed]) => signed), theirs.map(() => signs.includes(side)), `${side}: what is signed`);
    }
  };

  for (const [name, keys] of [["assassyn", "one side"], ["asalto", "one side"], ["assassyn", "no side"], ["asalto", "no side"], ["asalto", "each side"]]) {
    test(`kept games: ${name} is played to its end by letters alone, page against page, and ${keys} signs`, async () => {
      const ada = await (keys === "no side" ? plain : player)("Ada", "ada@example.org");
      const bram = await (keys === "each side" ? player : plain)("Bram", "bram@example.net");
      const game = await begin(ada, bram, name, GAMES[name]);
      await accept(bram, await letter(ada), game);
      const random = chances(17);
      for (let made = 0; !(await state(ada, game)).over; made += 1) {
        const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
        await (made < MOST ? enter(here, game, random) : resign(here, game));
        await show(here, game);
        assert.match(await read(there, await letter(here)), /accepted: /);
        assert.equal((await state(there, game)).record, (await state(here, game)).record);
      }
      const [hers, his] = [(await state(ada, game)).own, (await state(bram, game)).own];
      const told = async (one) => {
        await show(one, game);
        return one.page.textContent("#now");
      };
      const [lost, won] = [await told(ada), await told(bram)].sort();
      assert.match(lost, /^You lost: \w/);
      assert.match(won, /^You won: \w/);
      is_judged((await state(ada, game)).record, { "no side": [], "one side": [hers], "each side": [hers, his] }[keys]);
      await ada.done();
      await bram.done();
    });
  }

  // Who has a key, and who invites.
  for (const [name, keys, invites] of [["assassyn", "nobody", "page"], ["asalto", "nobody", "program"], ["assassyn", "the page", "program"], ["asalto", "the page", "page"], ["assassyn", "the program", "page"], ["asalto", "the program", "program"], ["asalto", "each", "page"]]) {
    test(`kept games: ${name} is played to its end by letters alone, page against program: ${keys} signs, the ${invites} invites`, async () => {
      const [page_signs, program_signs] = [["the page", "each"], ["the program", "each"]].map((those) => those.includes(keys));
      const ada = await (page_signs ? player : plain)("Ada", "ada@example.org");
      const bram = correspondent({ program, folder, env }, "Bram", "bram@example.net", program_signs);
      let game;
      if (invites === "page") {
        game = await begin(ada, bram, name, GAMES[name]);
        bram.reads(await letter(ada));
        bram.ok("accept", game);
      } else {
        const options = Object.entries(GAMES[name]).flatMap(([option, value]) => ["--option", `${option}=${value}`]);
        bram.ok("invite", "Ada <ada@example.org>", name, "--as", name === "assassyn" ? "black" : "defenders", ...options);
        game = bram.games()[0];
        await accept(ada, bram.newest(), game);
      }
      const random = chances(23);
      for (let made = 0; !(await state(ada, game)).over; made += 1) {
        const { mine, record: before } = await state(ada, game);
        if (mine) {
          await (made < MOST ? enter(ada, game, random) : resign(ada, game));
          await show(ada, game);
          bram.reads(await letter(ada));
        } else {
          if (made < MOST) bram.moves(game, random(), DEPLOYED);
          else bram.ok("move", bram.record(game), "resign", "--send");
          assert.match(await read(ada, bram.newest()), /accepted: /);
        }
        const { record } = await state(ada, game);
        assert.ok(record.startsWith(before) && record.length > before.length);
        assert.equal(record, bram.text(game));
      }
      const { record, own } = await state(ada, game);
      const other = record.match(/^1 \S+ /m) && [...record.matchAll(/^[0-9]+ (\S+) /gm)].map(([, side]) => side).find((side) => side !== own);
      is_judged(record, [...(page_signs ? [own] : []), ...(program_signs ? [other] : [])]);
      await ada.done();
    });
  }

  // In the words of somebody who writes mail, above what is quoted.
  const put = (actions, nth) => {
    const words = nth % 2 ? actions.replace(/^place (\w\d) (\w\d)$/, "I place $1 and $2").replace(/^(\w\d)-(\w\d)$/, "$1 to $2").replace(/^(\w\d)x(\w\d)$/, "$1 takes $2") : actions;
    return `Dear Ada,\r\n\r\n${words}\r\n\r\nCheers, Bram\r\n\r\nOn Monday Ada wrote:\r\n`;
  };

  test("kept games: asalto is played to its end against somebody who has nothing but mail and answers in words", async () => {
    const ada = await plain("Ada", "ada@example.org");
    const game = await begin(ada, { name: "Bram", email: "bram@example.net" }, "asalto", {}, true);
    const random = chances(31);
    const file = join(folder, "by-mail.pbem");
    const legal = async () => {
      writeFileSync(file, (await state(ada, game)).record);
      const { status, stdout, stderr } = spawnSync(program, ["moves", file], { env, encoding: "utf8" });
      assert.equal(status, 0, stderr);
      return stdout.trim().split("\n");
    };
    let made = 0;
    for (; made < 18; made += 1) {
      const before = await state(ada, game);
      if (before.over) break;
      if (before.mine) {
        await (made < 14 ? enter(ada, game, random) : resign(ada, game));
        continue;
      }
      // The letter that he answers, and what he writes above it.
      await show(ada, game);
      const [, subject] = (await letter(ada)).toString().replace(/\r\n[ \t]/g, " ").match(/^Subject: (.*)$/m);
      const quoted = (await ada.page.textContent("#letter-body")).split("\n").map((line) => `> ${line}`).join("\r\n");
      assert.doesNotMatch(quoted, /-----BEGIN/, "whoever has only mail is told a move, not a block");
      const answer = (text) => Buffer.from(`From: Bram <bram@example.net>\r\nTo: ada@example.org\r\nSubject: Re: ${subject.trim()}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}${quoted}\r\n`);
      if (made === 2) {
        // What is no move changes nothing, and what is against the rules neither.
        for (const text of ["Nice weather here.\r\n\r\n", "a4 to g7\r\n\r\n"]) {
          await read(ada, answer(text));
          assert.equal((await state(ada, game)).record, before.record, text);
        }
      }
      const all = await legal();
      const actions = all[Math.floor(random() * all.length)];
      const said = await read(ada, answer(put(actions, made)));
      assert.match(said, /entered for the defenders: /, `${actions}: ${said}`);
      const { record } = await state(ada, game);
      assert.ok(record.startsWith(before.record) && record.includes(` defenders ${actions}`), `${actions}: ${record}`);
    }
    assert.ok((await state(ada, game)).over, `${made} entries were made`);
    is_judged((await state(ada, game)).record, []);
    await ada.done();
  });
};
