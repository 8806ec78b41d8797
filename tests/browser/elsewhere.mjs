// One game on two machines of one player: handed over from a page to the program and back, it signs in one place at a time. And backups, which
// are one tap after the first, and are made and opened while the page answers.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const elsewhere = ({ test, player, plain, begin, accept, letter, read, show, state, enter, chances, shot, program, folder, env }) => {
  const saved = async ({ page }) => Buffer.from((await page.getAttribute("#save-file", "href")).split(",")[1], "base64");

  // Hands the game that is shown over, and returns the file.
  const hand_over = async (one, game, once_more = false) => {
    await show(one, game);
    await one.page.click("#tab-details");
    await one.page.locator("#hand-over").evaluate((fold) => { fold.open = true; });
    await one.page.fill("#hand-phrase", "for the road");
    await one.page.fill("#hand-phrase-again", "for the road");
    await one.page.click("#hand-it-over");
    if (once_more) await one.page.click("[data-insist=only-here]");
    await one.page.waitForSelector("#save-file");
    return saved(one);
  };

  // Opens a file as whatever comes in is opened, and types its passphrase.
  const take = async ({ page }, bytes, phrase = "for the road") => {
    await page.evaluate((bytes) => reader.file(new File([new Uint8Array(bytes)], "shared.game")), [...bytes]);
    await page.waitForSelector("#its-phrase");
    await page.fill("#its-phrase", phrase);
    await page.click("#use-phrase");
    await page.waitForFunction(() => !/is locked|needed|with its passphrase/.test(document.getElementById("said")?.textContent || "is locked"));
    return page.textContent("#said");
  };

  // Says that no other machine has opened the file, which is asked each time.
  const untaken = async ({ page }) => {
    await page.click("[data-insist=untaken]");
    await page.waitForFunction(() => /is here, with/.test(document.getElementById("said")?.textContent));
  };

  const tries = ({ page }, game, typed) => page.evaluate(([game, typed]) => keep.change({ do: "enter", game, typed, only_here: true }), [game, typed]);

  test("elsewhere: a game goes from a page to the program and back, and only one of them signs", async () => {
    const ada = await player("Ada", "ada@example.org");
    const bram = await player("Bram", "bram@example.net");
    const game = await begin(ada, bram, "assassyn", { deployment: "sealed" });
    await accept(bram, await letter(ada), game);
    const random = chances(5);
    const exchange = async (here, there) => {
      await enter(here, game, random);
      assert.match(await read(there, await letter(here)), /accepted: /);
    };
    for (let entry = 0; entry < 4; entry += 1) {
      const mine = (await state(ada, game)).mine;
      await exchange(...(mine ? [ada, bram] : [bram, ada]));
    }
    while (!(await state(ada, game)).mine) await exchange(bram, ada);
    const bytes = await hand_over(ada, game);
    await shot(ada.page, "home-handed-over", true);
    const before = (await state(ada, game)).record;
    // Here nothing of it is entered any more, whatever is said.
    const refused = await tries(ada, game, "resign");
    assert.match(refused.refused.message, /was handed over/);
    assert.deepEqual(refused.put, {});
    await ada.page.click("#tab-board").catch(() => {});
    assert.equal((await state(ada, game)).mine, false);
    // The program takes it, with the key, and goes on.
    const there = mkdtempSync(join(folder, "machine-"));
    const its = { ...env, POSTRIDER_HOME: there };
    writeFileSync(join(there, "settings.yaml"), "name: Ada\nemail: ada@example.org\n");
    writeFileSync(join(there, "in.game"), bytes);
    writeFileSync(join(there, "phrase.sh"), "#!/bin/sh\necho for the road\n", { mode: 0o755 });
    const phrase = ["--passphrase-from", join(there, "phrase.sh")];
    const told = (...args) => spawnSync(program, args, { env: its, cwd: there, encoding: "utf8" });
    const ok = (...args) => {
      const done = told(...args);
      assert.equal(done.status, 0, `${args.join(" ")}: ${done.stderr}`);
      return done.stdout;
    };
    assert.match(told("restore", "in.game", "--despite-key", ...phrase).stderr, /nothing was taken: .* one machine alone may go on/);
    assert.match(ok("restore", "in.game", "--despite-key", "--only-here", ...phrase), /is here with /);
    const record = join(there, "data", "games", game + ".pbem");
    assert.equal(readFileSync(record, "utf8"), before);
    if (told("answer", record).status !== 0) {
      const all = ok("moves", record).trim().split("\n");
      ok("move", record, all[0]);
    }
    const after = readFileSync(record, "utf8");
    assert.ok(after.length > before.length && after.startsWith(before), "the program has signed without a question");
    // A second taking of the same file, here or there, is refused.
    assert.match(told("restore", "in.game", ...phrase).stderr, /was taken out of this file before/);
    assert.match(await take(ada, bytes), /was handed over from here on .*, and one machine alone may go on with it/);
    // Back: the page has the newer record, and signs again; the program no longer.
    ok("backup", "back.game", "--hand-over", record, ...phrase);
    const back = readFileSync(join(there, "back.game"));
    assert.match(told("move", record, "resign", "--only-here").stderr, /was handed over/);
    assert.match(await take(ada, back, "of another"), /the passphrase is wrong/);
    await ada.page.fill("#its-phrase", "for the road");
    await ada.page.press("#its-phrase", "Enter");
    await untaken(ada);
    assert.equal((await state(ada, game)).record, after);
    assert.match(await take(ada, bytes), /older than what was handed over or taken here since/);
    await show(ada, game);
    assert.match(await read(bram, await letter(ada)), /accepted: /);
    while (!(await state(ada, game)).mine) await exchange(bram, ada);
    await exchange(ada, bram);
    const judged = join(there, "judged.pbem");
    writeFileSync(judged, (await state(bram, game)).record);
    ok("verify", judged);
    await ada.done();
    await bram.done();
  });

  test("elsewhere: a page that is closed in the midst of handing over or taking leaves one place at most that signs", async () => {
    const ada = await player("Ada", "ada@example.org");
    const bram = await player("Bram", "bram@example.net");
    const game = await begin(ada, bram, "asalto");
    await accept(bram, await letter(ada), game);
    await enter(bram, game, chances(3));
    await read(ada, await letter(bram));
    // What could not be stored was not done: no file is shown, and the page signs on.
    await ada.page.evaluate(() => {
      IDBObjectStore.prototype.real = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
    });
    const failed = await ada.page.evaluate((game) => keep.change({ do: "hand-over", game, passphrase: "for the road" }), game);
    assert.match(failed.refused.message, /could not be stored/);
    assert.equal(failed.done, undefined);
    await ada.page.evaluate(() => { IDBObjectStore.prototype.put = IDBObjectStore.prototype.real; });
    assert.equal((await state(ada, game)).mine, true);
    // Handed over, the file is written again only by the player's word, and is the same passing.
    const first = await hand_over(ada, game);
    const again = await hand_over(ada, game, true);
    assert.ok(first.length > 500 && again.length > 500);
    assert.equal((await state(ada, game)).mine, false);
    // The player's word takes it back where it was never opened elsewhere.
    assert.match(await take(ada, again), /handed over from here/);
    await untaken(ada);
    assert.equal((await state(ada, game)).mine, true);
    // So does the word that the file is lost, after a question.
    await hand_over(ada, game, true);
    assert.equal((await state(ada, game)).mine, false);
    await ada.page.click("#tab-board");
    await ada.page.click("#stay");
    assert.match(await ada.page.textContent("#said"), /two signed moves for one turn/);
    assert.equal((await state(ada, game)).mine, false);
    await shot(ada.page, "home-goes-on-here", true);
    await ada.page.click("#stay-yes");
    await ada.page.waitForFunction(() => /goes on here/.test(document.getElementById("said")?.textContent));
    assert.equal((await state(ada, game)).mine, true);
    await enter(ada, game, chances(3), true);
    await ada.done();
    await bram.done();
  });

  test("elsewhere: the first backup asks for a passphrase, the next one is one tap, and the page answers meanwhile", async () => {
    const ada = await player("Ada", "ada@example.org");
    const bram = await player("Bram", "bram@example.net");
    const game = await begin(ada, bram, "asalto");
    await accept(bram, await letter(ada), game);
    await enter(bram, game, chances(3));
    await bram.page.click("#backup-now");
    await bram.page.fill("#backups-phrase", "for backups");
    await bram.page.fill("#backups-phrase-again", "for backupz");
    await bram.page.click("#first-backup");
    assert.match(await bram.page.textContent("#said"), /the two passphrases differ/);
    await bram.page.fill("#backups-phrase-again", "for backups");
    const workers = [];
    bram.page.on("worker", (worker) => workers.push(worker));
    let saving = bram.page.waitForEvent("download");
    await bram.page.click("#first-backup");
    assert.match((await saving).suggestedFilename(), /^postrider-.*\.backup$/);
    assert.equal(workers.length, 1, "the passphrase is made into a key beside the page");
    assert.equal(await bram.page.locator("#backup-now").count(), 0, "nothing has changed since");
    // The passphrase is kept where keys are, and locked as they are.
    const stored = await bram.page.evaluate(async () => {
      const from = keep.database.transaction("about").objectStore("about");
      return JSON.stringify(await keep.request(from.getAll()));
    });
    assert.ok(!stored.includes("for backups"));
    await read(ada, await letter(bram));
    await enter(ada, game, chances(3));
    await read(bram, await letter(ada));
    await enter(bram, game, chances(3));
    saving = bram.page.waitForEvent("download");
    await bram.page.click("#backup-now");
    const file = join(folder, "tapped.backup");
    await (await saving).saveAs(file);
    const cleo = await plain("Cleo", "cleo@example.org");
    assert.match(await take(cleo, readFileSync(file), "for backups"), /files restored/);
    assert.equal((await state(cleo, game)).record, (await state(bram, game)).record);
    await ada.done();
    await bram.done();
    await cleo.done();
  });
};
