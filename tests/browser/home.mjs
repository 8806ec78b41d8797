// The page as a whole player: games that it keeps, sealed and signed, played by letters alone, page against page and against the program.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { correspondent } from "./correspondent.mjs";
import { elsewhere } from "./elsewhere.mjs";
import { invited } from "./invited.mjs";
import { DEPLOYED, by_letters } from "./letters.mjs";
import { sights } from "./sights.mjs";
import { stays } from "./stays.mjs";
import { written_back } from "./store.mjs";

const PHRASE = "a long phrase";

export const kept_games = ({ test, opened, shot, program, folder, env, example, made }) => {
  // The page without a game, which is the same for all.
  let file;
  const page_alone = () => {
    if (!file) {
      file = join(folder, "player.html");
      const done = spawnSync(program, ["page", "--referee", "-o", file], { env });
      assert.equal(done.status, 0, done.stderr.toString());
    }
    return "file://" + file;
  };

  // Opens what a page keeps: chooses the passphrase, or types it again.
  const unlock = async (page) => {
    await page.fill("#phrase", PHRASE);
    // Where it is chosen it is typed twice.
    if (await page.locator("#phrase-again").count()) await page.fill("#phrase-again", PHRASE);
    await page.click("#unlock");
    await page.waitForSelector("#my-name, #kept", { state: "attached" });
  };

  const player = async (name, email, options = {}) => {
    const one = await opened(page_alone(), options);
    await unlock(one.page);
    await one.page.fill("#my-name", name);
    await one.page.fill("#my-mail", email);
    await one.page.click("#settle");
    await one.page.waitForSelector("#kept");
    await one.page.click("#door-more");
    await one.page.click("#keys summary");
    await one.page.click("#make-key");
    await one.page.waitForFunction(() => /fingerprint/.test(document.getElementById("said")?.textContent));
    return { ...one, name, email };
  };

  // `by_mail`: the opponent has nothing but mail.
  const begin = async (ada, bram, game, options = {}, by_mail = false) => {
    await ada.page.click("#door-new");
    await ada.page.selectOption("#mail-game", game);
    await ada.page.fill("#mail-name", bram.name);
    await ada.page.fill("#mail-mail", bram.email);
    if (Object.keys(options).length) await ada.page.click("#begin-mail details summary");
    for (const [name, value] of Object.entries(options)) await ada.page.selectOption("#mail-option-" + name, value);
    if (by_mail) await ada.page.check("#mail-plain");
    await ada.page.click("#mail-begin");
    await agree(ada);
    await ada.page.waitForSelector("#write");
    return ada.page.evaluate(() => home.game.game);
  };

  // Has an invitation read and accepted, and returns what was said of it.
  const accept = async (bram, invitation, game) => {
    const said = await read(bram, invitation);
    await shot(bram.page, "home-invited");
    await show(bram, game);
    await bram.page.click("#accept");
    await agree(bram);
    await bram.page.waitForFunction(() => home.game && !home.game.waits);
    return said;
  };

  // Before the first signed game of a store that others can write, one sentence asks for a yes.
  const agree = async ({ page }) => {
    await page.waitForFunction(() => document.querySelector("[data-insist=agreed]") || (home.game && !home.game.waits));
    if (await page.locator("[data-insist=agreed]").count()) {
      assert.match(await page.textContent("#said"), /put back an older copy of your games/);
      await page.click("[data-insist=agreed]");
    }
  };

  // The letter about the newest entry, as it would be sent.
  const letter = async ({ page }) => {
    await page.click("#write");
    await page.waitForSelector("#eml");
    return Buffer.from((await page.getAttribute("#eml", "href")).split(",")[1], "base64");
  };

  const read = async ({ page }, bytes, name = "letter.eml") => {
    if (await page.locator("#my-games").count()) await page.click("#my-games");
    await page.evaluate(() => { home.said = null; app.refused = null; app.open("letter"); });
    await page.setInputFiles("#letter-file", { name, mimeType: "text/plain", buffer: bytes });
    await page.waitForSelector("#said, #looked, #refused .bad");
    return page.textContent("#said, #looked, #refused .bad");
  };

  const show = ({ page }, game) => page.evaluate((game) => home.show(game), game);
  const state = ({ page }, game) => page.evaluate((game) => {
    const { record, is_mine: mine, over, own } = keep.look({ do: "game", game }).done;
    return { record, mine, over, own };
  }, game);

  const reload = async ({ page }) => {
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    await unlock(page);
  };

  // A page's store has room for so many files, and takes nothing more until it is emptied.
  const fills = ({ page }, room) => page.evaluate((room) => {
    IDBObjectStore.prototype.real = IDBObjectStore.prototype.put;
    let puts = 0;
    IDBObjectStore.prototype.put = function put(...given) {
      if ((puts += 1) > room) throw new DOMException("full", "QuotaExceededError");
      return this.real(...given);
    };
  }, room);
  const empties = ({ page }) => page.evaluate(() => { IDBObjectStore.prototype.put = IDBObjectStore.prototype.real; });

  // Chooses the entry that is due by what the page offers, and returns what makes it; the seed chooses.
  const choose = async ({ page }, game, random) => {
    await page.evaluate((game) => home.show(game), game);
    if (await page.locator("#forced").count()) return "#forced";
    for (let step = 0; step < 40; step += 1) {
      if (await page.evaluate(() => play.whole)) break;
      await page.evaluate((chance) => {
        if (play.arranged) return play.take(play.arranged.examples[0]);
        const list = play.matching();
        if (!list.length) throw new Error("nothing can be chosen after " + play.begun.join("; "));
        play.choose(list[Math.floor(chance * list.length)]);
      }, random());
    }
    return "#enter";
  };

  // Makes it. `asked`: whether the page asks first whether entries were made elsewhere, because no letter has shown yet that it has the newest.
  const enter = async ({ page }, game, random, asked = false) => {
    await page.click(await choose({ page }, game, random));
    await page.waitForFunction(() => home.said && document.getElementById("said"));
    assert.equal(await page.locator("[data-insist=only-here]").count(), asked ? 1 : 0, await page.textContent("#said"));
    if (asked) {
      await page.click("[data-insist=only-here]");
      await page.waitForFunction(() => home.said && !home.said.bad);
    }
    const said = await page.textContent("#said");
    assert.match(said, /^Entered: /, said);
  };

  const chances = (seed) => () => (seed = (seed * 48271) % 2147483647) / 2147483647;

  // Nothing of a secret or of the key stands in the page, in its addresses or in what it stores in the clear.
  const keeps_secrets = async ({ page }, raw = true) => {
    const found = await page.evaluate(async (raw) => {
      const secrets = [...keep.files].filter(([path]) => path.startsWith("data/secrets/") || path === "data/keys/own.pem").map(([, text]) => text.startsWith("-----") ? text.split("\n")[1] : text.split("\n")[0]);
      const places = [document.documentElement.outerHTML.replace(/<script[\s\S]*?<\/script>/g, ""), location.href, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
      if (raw) {
        const from = keep.database.transaction("files").objectStore("files");
        const all = await keep.request(from.getAll());
        places.push(all.filter((value) => typeof value === "string").join("\n"));
      }
      return [secrets.length, places.filter((text) => secrets.some((secret) => secret.length > 30 && text.includes(secret))).length];
    }, raw);
    assert.ok(found[0] > 0, "there are secrets");
    assert.equal(found[1], 0, "a secret is in the page or stored in the clear");
  };

  test("kept games: a sealed and signed game, page against page, by letters alone, with reloads between", async () => {
    const ada = await player("Ada", "ada@example.org", { viewport: { width: 360, height: 740 } });
    const bram = await player("Bram", "bram@example.net");
    await shot(ada.page, "home-front", true);
    const game = await begin(ada, bram, "assassyn", { deployment: "sealed" });
    assert.match(await accept(bram, await letter(ada), game), /you are invited/);
    const random = chances(7);
    let over = false;
    let blocks = 0;
    for (let entry = 0; entry < 60 && !over; entry += 1) {
      const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
      // A reload before an entry, after it, and before the letter is read.
      const is_opened = entry % 5 === 1 && entry < 26;
      if (is_opened) await reload(here);
      if (entry >= 26) {
        await show(here, game);
        await here.page.evaluate(() => home.enter("resign"));
        await here.page.waitForFunction(() => home.game.over);
      } else await enter(here, game, random, is_opened);
      const after = (await state(here, game)).record;
      if (entry % 5 === 2) {
        await reload(here);
        assert.equal((await state(here, game)).record, after, "what was shown as entered is there");
      }
      await show(here, game);
      const bytes = await letter(here);
      // Once the other has made an entry, the new ones fit into the text of a letter; before, the whole game may.
      if (entry > 2 && !(await state(here, game)).over) {
        const link = await here.page.getAttribute("#mail", "href");
        assert.match(decodeURIComponent(link.split("&body=")[1]), /My move in our game .*\r\n\r\n-----BEGIN PBEM ENTRIES/s);
        assert.ok(link.length <= 1800, String(link.length));
        blocks += 1;
      }
      if (entry % 5 === 3) await reload(there);
      assert.match(await read(there, bytes), /accepted: /);
      assert.match(await read(there, bytes), /nothing new/);
      assert.equal((await state(there, game)).record, after);
      if (entry % 6 === 0) for (const one of [ada, bram]) if (entry > 2) await keeps_secrets(one);
      over = (await state(here, game)).over;
      if (entry === 6) {
        await show(here, game);
        await shot(here.page, "home-game", true);
      }
    }
    assert.ok(over && blocks > 10, String(blocks));
    for (const [here, there] of [[ada, bram], [bram, ada]]) {
      await show(here, game);
      await here.page.click("#publish");
      await here.page.waitForSelector("#eml");
      const bytes = Buffer.from((await here.page.getAttribute("#eml", "href")).split(",")[1], "base64");
      await read(there, bytes);
    }
    await show(bram, game);
    await bram.page.click("#audit");
    assert.match(await bram.page.textContent("#said"), /Nothing speaks against either player.*The result: proven/s);
    await shot(bram.page, "home-audit", true);
    const record = join(folder, "by-pages.pbem");
    writeFileSync(record, (await state(bram, game)).record);
    const judged = spawnSync(program, ["verify", record], { env });
    assert.equal(judged.status, 0, judged.stdout.toString() + judged.stderr);
    assert.equal(spawnSync(program, ["audit", record], { env }).status, 0);
    await ada.done();
    await bram.done();
  });

  test("kept games: page against program, by letters alone", async () => {
    const its = correspondent({ program, folder, env }, "Bram", "bram@example.net", true);
    const { there, ok } = its;
    const ada = await player("Ada", "ada@example.org");
    const game = await begin(ada, its, "assassyn", { deployment: "sealed" });
    its.reads(await letter(ada));
    ok("accept", game);
    const record = its.record(game);
    const random = chances(11);
    for (let entry = 0; entry < 14; entry += 1) {
      if ((await state(ada, game)).mine) {
        await enter(ada, game, random);
        its.reads(await letter(ada));
        continue;
      }
      its.moves(game, random(), DEPLOYED);
      assert.match(await read(ada, its.newest()), /accepted: /);
      assert.equal((await state(ada, game)).record, its.text(game));
    }
    // What the page backs up, the program restores, and the other way round.
    await ada.page.evaluate(() => { home.leave(); app.open("more"); });
    await ada.page.click("#backups summary");
    await ada.page.fill("#backup-phrase", "for the backup");
    await ada.page.fill("#backup-phrase-again", "for the backup");
    await ada.page.click("#back-up");
    await ada.page.waitForSelector("#save-file");
    const backup = join(there, "page.backup");
    writeFileSync(backup, Buffer.from((await ada.page.getAttribute("#save-file", "href")).split(",")[1], "base64"));
    const phrase = join(there, "phrase.sh");
    writeFileSync(phrase, "#!/bin/sh\necho for the backup\n", { mode: 0o755 });
    const restored = { ...env, POSTRIDER_HOME: join(there, "restored") };
    const done = spawnSync(program, ["restore", backup, "--passphrase-from", phrase], { env: restored, encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    assert.equal(readFileSync(join(there, "restored", "data", "games", game + ".pbem"), "utf8"), (await state(ada, game)).record);
    // Secrets alone, and two copies of the game.
    await ada.page.fill("#secrets-phrase", "for the backup");
    await ada.page.fill("#secrets-phrase-again", "for the backup");
    // What was made before is not offered for what is being made.
    assert.equal(await ada.page.evaluate(() => [1, document.getElementById("secrets-out").click()].length && document.getElementById("save-file")), null);
    await ada.page.waitForSelector("#save-file[download='postrider-secrets.txt']");
    const secrets = Buffer.from((await ada.page.getAttribute("#save-file", "href")).split(",")[1], "base64");
    assert.ok(!(await ada.page.content()).match(/[^0-9a-f][0-9a-f]{64}[^0-9a-f]/), "no secret in the clear");
    writeFileSync(join(there, "page.secrets"), secrets);
    const taken = spawnSync(program, ["secret", "import", join(there, "page.secrets"), "--passphrase-from", phrase], { env: { ...env, POSTRIDER_HOME: join(there, "taken") }, encoding: "utf8" });
    assert.equal(taken.status, 0, taken.stderr);
    await ada.page.setInputFiles("#secrets-file", join(there, "page.secrets"));
    await ada.page.click("#secrets-in");
    await ada.page.fill("#its-phrase", "for the backup");
    await ada.page.click("#use-phrase");
    await ada.page.waitForFunction(() => /secrets? read, 0 of them new/.test(document.getElementById("said")?.textContent));
    await ada.page.click("#compare summary");
    await shot(ada.page, "home-compare", true);
    await ada.page.setInputFiles("#one-record", record);
    await ada.page.setInputFiles("#other-record", record);
    await ada.page.click("#compare-them");
    await ada.page.waitForFunction(() => /nobody has signed two different moves/.test(document.getElementById("said")?.textContent));
    ok("backup", join(there, "program.backup"), "--passphrase-from", phrase);
    const bram = await opened(page_alone());
    await unlock(bram.page);
    await bram.page.click("#door-more");
    await bram.page.click("#backups summary");
    await bram.page.setInputFiles("#restore-file", join(there, "program.backup"));
    await bram.page.click("#restore");
    // Its passphrase is asked for where it is opened, and again when it was wrong.
    await bram.page.fill("#its-phrase", "of another backup");
    await bram.page.click("#use-phrase");
    await bram.page.waitForFunction(() => /the passphrase is wrong/.test(document.getElementById("said")?.textContent));
    await shot(bram.page, "home-restore", true);
    await bram.page.fill("#its-phrase", "for the backup");
    await bram.page.press("#its-phrase", "Enter");
    await bram.page.waitForFunction(() => /files restored/.test(document.getElementById("said")?.textContent));
    assert.equal((await state(bram, game)).own, "black");
    assert.equal((await state(bram, game)).record, readFileSync(record, "utf8"));
    await keeps_secrets(bram);
    await bram.done();
    await ada.done();
  });

  for (const [game, entries] of [["asalto", 6], ["assideum", 6], ["subsume", 6], ["mission-combat", 4]]) {
    test(`kept games: ${game} is begun and played some entries, page against page`, async () => {
      const ada = await player("Ada", "ada@example.org");
      const bram = await player("Bram", "bram@example.net", { viewport: { width: 360, height: 740 } });
      const id = await begin(ada, bram, game);
      await accept(bram, await letter(ada), id);
      const random = chances(13);
      let parts = 0;
      for (let entry = 0; entry < entries; entry += 1) {
        const [here, there] = (await state(ada, id)).mine ? [ada, bram] : [bram, ada];
        await enter(here, id, random);
        const bytes = await letter(here);
        assert.match(await read(there, bytes), /accepted: /);
        assert.equal((await state(there, id)).record, (await state(here, id)).record);
        // Whoever reads it can see a long turn action by action.
        await show(there, id);
        parts += await there.page.evaluate(() => {
          app.go(app.opened.entries.length - 1);
          let count = 0;
          for (app.onward(); app.part; app.onward()) count += 1;
          if (app.at !== app.opened.entries.length || app.seen.error) throw new Error(app.seen.error);
          return count;
        });
      }
      assert.equal(parts > 0, game === "subsume" || game === "mission-combat", `${parts} parts of turns were seen`);
      await show(bram, id);
      await shot(bram.page, "home-" + game, true);
      await ada.done();
      await bram.done();
    });
  }

  test("kept games: two tabs make one entry, and the other follows", async () => {
    const ada = await player("Ada", "ada@example.org");
    const game = await begin(ada, { name: "Bram", email: "bram@example.net" }, "assassyn", { deployment: "sealed" });
    const tab = await ada.page.context().newPage();
    await tab.goto(page_alone());
    await tab.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    await unlock(tab);
    await show({ page: tab }, game);
    const typed = "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1";
    const [one, other] = await Promise.all([ada.page, tab].map((page) => page.evaluate(([game, typed]) => keep.change({ do: "enter", game, typed }), [game, typed])));
    const made = [one, other].filter((answer) => answer.done && answer.done.line);
    assert.equal(made.length, 1, JSON.stringify([one, other]).slice(0, 500));
    const records = await Promise.all([ada.page, tab].map((page) => page.evaluate(async (game) => {
      await keep.read();
      return keep.files.get(`data/games/${game}.pbem`);
    }, game)));
    assert.equal(records[0], records[1]);
    assert.match(records[0], /^1 white seal:/m);
    // What one tab shows is what the other has stored.
    await tab.waitForFunction((record) => app.record === record, records[0]);
    await ada.done();
  });

  test("kept games: where nothing can be stored, the page says so and makes nothing", async () => {
    const one = await opened("about:blank");
    await one.page.addInitScript(() => Object.defineProperty(window, "indexedDB", { get() { throw new DOMException("no", "SecurityError"); } }));
    await one.page.goto(page_alone());
    await one.page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    assert.match(await one.page.textContent("#home"), /keeps nothing for this page \(SecurityError\)/);
    assert.equal(await one.page.locator("#unlock").count(), 0);
    await one.page.context().close();

    // Storage that fails while an entry is stored: it was not made, and nothing says that it was.
    const ada = await player("Ada", "ada@example.org");
    const game = await begin(ada, { name: "Bram", email: "bram@example.net" }, "assassyn", { deployment: "sealed" });
    const before = (await state(ada, game)).record;
    await fills(ada, 2);
    await ada.page.evaluate(() => home.enter("deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"));
    assert.match(await ada.page.textContent("#said"), /nothing was done, because it could not be stored \(QuotaExceededError\)/);
    assert.equal((await state(ada, game)).record, before);
    const kept = await ada.page.evaluate(() => [...keep.files.keys()].sort().join(" "));
    await empties(ada);
    await reload(ada);
    assert.equal(await ada.page.evaluate(() => [...keep.files.keys()].sort().join(" ")), kept);
    assert.ok(!kept.includes("secrets"), "nothing of the entry was stored");
    assert.equal((await state(ada, game)).record, before);
    await show(ada, game);
    await ada.page.evaluate(() => home.enter("deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"));
    await ada.page.click("[data-insist=only-here]");
    await ada.page.waitForFunction(() => /^Entered: put something down, sealed/.test(document.getElementById("said")?.textContent));
    await ada.done();
  });

  test("kept games: hostile letters do nothing, and what they say is text", async () => {
    const ada = await player("Ada", "ada@example.org");
    const markup = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>";
    const record = readFileSync(example("asalto/fifteen-captures"), "utf8");
    const letters = [
      [`From: "${markup.replace(/"/g, "'")}" <eve@example.net>\r\nSubject: [pbem] ${markup}\r\n\r\n${markup}\r\n`, "a.eml"],
      [record.replace(/^id: .*/m, "id: ../../../evil"), "b.pbem"],
      [record.replace(/name: [^,}]+/, `name: "${markup.replace(/"/g, "'")}"`), "c.pbem"],
      ["---\n" + "a: &a [*a,*a]\n".repeat(1000), "d.pbem"],
      ["\u0000\u001b[31m\u202e" + markup, "e.txt"],
    ];
    for (const [text, name] of letters) await read(ada, Buffer.from(text), name);
    assert.notEqual(await ada.page.title(), "owned");
    assert.equal(await ada.page.locator("#page img, #page script").count(), 0);
    assert.ok((await ada.page.evaluate(() => [...keep.files.keys()])).every((path) => !path.includes("..") && !path.includes("evil")));
    const before = await ada.page.evaluate(() => keep.files.get("data/keys/own.pem"));
    assert.ok(before);
    await ada.done();
  });

  test("kept games: a wrong passphrase opens nothing, and a page that came with a game asks for none", async () => {
    const ada = await player("Ada", "ada@example.org");
    await ada.page.reload();
    await ada.page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    await ada.page.fill("#phrase", "another phrase");
    await ada.page.click("#unlock");
    await ada.page.waitForSelector("#home .bad");
    assert.match(await ada.page.textContent("#home"), /the passphrase is wrong/);
    assert.equal(await ada.page.locator("#kept").count(), 0);
    await ada.done();

    const guest = await opened(made("mission-combat/sealed-game", "--referee"));
    assert.equal(await guest.page.locator("input[type=password], #home, #kept-game").count(), 0);
    assert.equal(await guest.page.evaluate(() => typeof keep), "undefined");
    const answer = await guest.page.evaluate(() => referee.ask({ call: "home", now: "2026-11-21T10:15:00Z", deed: { do: "look" } }));
    assert.match(answer.error, /cannot be read/);
    await guest.done();
  });

  test("kept games: the passphrase is changed, in all tabs at once or not at all", async () => {
    const ada = await player("Ada", "ada@example.org");
    const game = await begin(ada, { name: "Bram", email: "bram@example.net" }, "assassyn", { deployment: "sealed" });
    await show(ada, game);
    await ada.page.evaluate(() => home.enter("deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"));
    const secret = await ada.page.evaluate(() => JSON.stringify([...keep.files].filter(([path]) => keep.private(path))));
    assert.match(secret, /data\/secrets\/.*data\/keys\/own|data\/keys\/own.*data\/secrets\//);
    const tab = await ada.page.context().newPage();
    await tab.goto(page_alone());
    await tab.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    await unlock(tab);
    await show({ page: tab }, game);
    const change = async (old, phrase, again = phrase) => {
      await ada.page.evaluate(() => { home.leave(); app.open("more"); });
      await ada.page.locator("#phrases").evaluate((fold) => { fold.open = true; });
      await ada.page.fill("#old-phrase", old);
      await ada.page.fill("#new-phrase", phrase);
      await ada.page.fill("#new-again", again);
      await ada.page.evaluate(() => { home.said = null; app.drawn(); });
      await ada.page.click("#relock");
      await ada.page.waitForSelector("#said");
      return ada.page.textContent("#said");
    };
    assert.match(await change("another phrase", "a newer phrase"), /the old passphrase is wrong/);
    assert.match(await change(PHRASE, "short"), /at least eight characters/);
    assert.match(await change(PHRASE, "a newer phrase", "a never phrase"), /the two new passphrases differ/);
    // A store that is full in the midst of it leaves everything as it was.
    await fills(ada, 1);
    assert.match(await change(PHRASE, "a newer phrase"), /nothing was changed, because it could not be stored: QuotaExceededError/);
    await empties(ada);
    const opens = async (phrase, page = ada.page) => {
      await page.goto("about:blank");
      await page.goto(page_alone());
      await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
      const wrong = await page.evaluate((phrase) => keep.unlock(phrase), phrase);
      if (wrong) return wrong;
      assert.equal(await page.evaluate(() => JSON.stringify([...keep.files].filter(([path]) => keep.private(path)))), secret);
      await page.evaluate(() => { home.refresh_state(); app.drawn(); });
      return "";
    };
    assert.equal(await opens("a newer phrase"), "the passphrase is wrong");
    assert.equal(await opens(PHRASE), "");
    assert.match(await change(PHRASE, "a newer phrase"), /opens with the new passphrase/);
    // The other tab asks again, and does nothing before.
    await tab.waitForSelector("#unlock");
    assert.match(JSON.stringify(await tab.evaluate((game) => keep.change({ do: "undo", game }), game)), /passphrase was changed in another tab/);
    await tab.fill("#phrase", "a newer phrase");
    await tab.click("#unlock");
    await tab.waitForSelector("#kept", { state: "attached" });
    assert.equal(await opens(PHRASE), "the passphrase is wrong");
    assert.equal(await opens("a newer phrase"), "");
    // A page that is closed in the midst of it leaves one passphrase or the other, and everything opens with it.
    let now = "a newer phrase";
    for (let nth = 0; nth < 6; nth += 1) {
      const next = "a phrase of many, " + nth;
      const dying = await ada.page.context().newPage();
      assert.equal(await opens(now, dying), "");
      dying.evaluate(([old, next]) => keep.relock(old, next), [now, next]).catch(() => {});
      await new Promise((done) => setTimeout(done, [0, 80, 160, 320, 640, 8000][nth]));
      await dying.close();
      const wrong = await opens(next);
      assert.ok(!wrong || (await opens(now)) === "", `${nth}: ${wrong}`);
      if (!wrong) now = next;
    }
    assert.notEqual(now, "a newer phrase", "some were changed");
    await ada.done();
  });

  // POSTRIDER_KILLS is how often a page is closed.
  test("kept games: a page that is closed at any moment has made its entry or has not, and never makes two", async () => {
    const kills = Number(process.env.POSTRIDER_KILLS || 8);
    const random = chances(29);
    const tally = { made: 0, gone: 0, games: 0 };
    for (let closed = 0; closed < kills; tally.games += 1) {
      const ada = await player("Ada", "ada@example.org");
      const bram = await player("Bram", "bram@example.net");
      const game = await begin(ada, bram, "assassyn", { deployment: "sealed" });
      await accept(bram, await letter(ada), game);
      for (let entry = 0; entry < 40 && closed < kills && !(await state(ada, game)).over; entry += 1) {
        const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
        const before = (await state(here, game)).record;
        // Sometimes the letter is read and the entry made by a page that lives; a dying one is closed while it makes the entry, while it
        // writes the letter, or while it reads the letter.
        const when = ["enters", "writes", "reads"][Math.floor(random() * 3)];
        const wait = random() * 70;
        const dies = async (one, act, given) => {
          const page = await one.page.context().newPage();
          await page.goto(page_alone());
          await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
          await unlock(page);
          await page.evaluate((game) => keep.sure.add(game), game);
          let said = null;
          await page.exposeFunction("shown", (line) => { said = line; });
          const at = when === "enters" ? await choose({ page }, game, random) : null;
          page.evaluate(act, [given, at]).catch(() => {});
          await new Promise((done) => setTimeout(done, wait));
          await page.close();
          closed += 1;
          await one.page.evaluate(() => keep.read());
          return said;
        };
        if (when === "enters") {
          const said = await dies(here, ([, at]) => new MutationObserver(() => {
            const text = document.getElementById("said")?.textContent;
            if (text) window.shown(text);
          }).observe(document.body, { childList: true, subtree: true }) || document.querySelector(at).click(), null);
          const after = (await state(here, game)).record;
          assert.ok(after === before || (after.startsWith(before) && after.slice(before.length).match(/^[0-9]+ /gm).length === 1), after);
          assert.ok(!said || !said.startsWith("Entered: ") || after !== before, "what was shown as made is there: " + said);
          tally[after === before ? "gone" : "made"] += 1;
          if (after === before) await enter(here, game, random);
        } else await enter(here, game, random);
        const made = (await state(here, game)).record;
        if (when === "writes") await dies(here, ([game]) => keep.change({ do: "letter", game }), game);
        assert.equal((await state(here, game)).record, made);
        await show(here, game);
        const bytes = await letter(here);
        if (when === "reads") {
          await dies(there, ([text]) => keep.change({ do: "receive", base64: text }), bytes.toString("base64"));
          const now = (await state(there, game)).record;
          assert.ok(now === before || now === made, now);
        }
        assert.match(await read(there, bytes), /accepted: |nothing new/);
        assert.equal((await state(there, game)).record, made);
      }
      const file = join(folder, "closed.pbem");
      writeFileSync(file, (await state(bram, game)).record);
      assert.equal(spawnSync(program, ["verify", file], { env }).status, 0);
      await ada.done();
      await bram.done();
    }
    assert.ok(kills < 30 || (tally.made && tally.gone), JSON.stringify(tally));
    console.log(`     ${kills} pages closed in ${tally.games} games: ${tally.made} entries were made and ${tally.gone} were not`);
  });

  test("kept games: a key is replaced and withdrawn, and letters say so", async () => {
    const ada = await player("Ada", "ada@example.org", { viewport: { width: 360, height: 740 } });
    const bram = await player("Bram", "bram@example.net");
    const game = await begin(ada, bram, "asalto");
    await accept(bram, await letter(ada), game);
    const ends = async (button) => {
      await ada.page.evaluate(() => { home.leave(); app.open("more"); });
      for (const id of ["keys", "key-end"]) await ada.page.locator("#" + id).evaluate((fold) => { fold.open = true; });
      if (button === "#withdraw-key") {
        assert.equal(await ada.page.isDisabled(button), true);
        await ada.page.click("#withdraw-sure");
        await shot(ada.page, "home-withdraws", true);
      }
      await ada.page.click(button);
      await ada.page.waitForSelector("#said");
      return ada.page.textContent("#said");
    };
    await ada.page.evaluate(() => { home.leave(); app.open("more"); });
    const was = await ada.page.textContent("#fingerprint");
    const said = await ends("#rotate-key");
    const [, now] = said.match(/read out to your opponents: ([0-9a-f-]{39})/);
    assert.ok(now !== was && said.includes("pbem1|rotate|"), said);
    assert.equal(await ada.page.textContent("#fingerprint"), now);
    const random = chances(5);
    for (let entry = 0; entry < 3; entry += 1) {
      const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
      await enter(here, game, random);
      const told = await read(there, await letter(here));
      assert.match(told, /accepted: /);
      if (here === ada && entry < 2) assert.match(told, new RegExp(`names ${now} as its successor`));
    }
    assert.match(await ends("#withdraw-key"), /withdrawn for good.*pbem1\|revoke\|/s);
    assert.match(await ada.page.textContent("#keys"), /My key: .*, which was withdrawn on /);
    await ada.done();
    await bram.done();
  });

  test("kept games: a key gets a passphrase of its own, which is asked for before it signs", async () => {
    const ada = await player("Ada", "ada@example.org");
    await ada.page.locator("#keys").evaluate((fold) => { fold.open = true; });
    await ada.page.fill("#key-own-phrase", "only for the key");
    await ada.page.fill("#key-own-phrase-again", "only for the kez");
    await ada.page.click("#lock-key");
    assert.match(await ada.page.textContent("#said"), /the two passphrases differ/);
    await ada.page.fill("#key-own-phrase-again", "only for the key");
    await ada.page.click("#lock-key");
    await ada.page.waitForFunction(() => /signs only with its own passphrase/.test(document.getElementById("said")?.textContent));
    const game = await begin(ada, { name: "Bram", email: "bram@example.net" }, "assassyn", { deployment: "sealed" });
    await show(ada, game);
    await ada.page.evaluate(() => home.enter("deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"));
    assert.match(await ada.page.textContent("#said"), /passphrase/);
    assert.equal(await ada.page.evaluate(() => app.opened.entries.length), 0);
    await ada.page.fill("#key-phrase", "only for the key");
    await ada.page.click("#said button:has-text('Use it')");
    await ada.page.waitForFunction(() => /^Entered: put something down, sealed/.test(document.getElementById("said")?.textContent));
    await ada.done();
  });

  test("kept games: a reply is prepared, stays here, and is made when it was foreseen", async () => {
    const ada = await player("Ada", "ada@example.org");
    const bram = await player("Bram", "bram@example.net", { viewport: { width: 360, height: 740 } });
    const game = await begin(ada, bram, "asalto");
    await accept(bram, await letter(ada), game);
    await bram.page.evaluate(() => home.enter("place c6 e6"));
    await read(ada, await letter(bram));
    await show(bram, game);
    const prepare = async (theirs, mine) => {
      await bram.page.evaluate(() => { home.said = null; app.tab = "details"; app.drawn(); document.getElementById("replies").open = true; });
      await bram.page.fill("#if-they", theirs);
      await bram.page.fill("#then-mine", mine);
      await bram.page.click("#prepare");
      await bram.page.waitForSelector("#said");
      return bram.page.textContent("#said");
    };
    assert.match(await prepare("d4-d5", "c6-a1"), /not|no|cannot/);
    assert.deepEqual([await bram.page.inputValue("#if-they"), await bram.page.inputValue("#then-mine")], ["d4-d5", "c6-a1"], "what was refused can be mended");
    assert.match(await prepare("d4-d5, e4-e5", "e6-e7"), /each of their moves needs a reply/);
    assert.match(await prepare("d4-d5, e4-e5", "e6-e7, e7-d7"), /The reply is prepared/);
    assert.match(await prepare("b5-c5", "c6-c7"), /The reply is prepared/);
    await shot(bram.page, "home-replies", true);
    await bram.page.click("button[aria-label='Take back the reply to b5-c5']");
    await bram.page.waitForFunction(() => !/b5-c5/.test(document.getElementById("replies").textContent));
    await show(ada, game);
    await ada.page.evaluate(() => home.enter("d4-d5"));
    await read(bram, await letter(ada));
    await show(bram, game);
    await bram.page.click("#tab-board");
    assert.match(await bram.page.textContent("#kept-game"), /You foresaw d4-d5, and prepared e6-e7/);
    await bram.page.click("#prepared");
    await bram.page.waitForFunction(() => /^Entered: e6 to e7/.test(document.getElementById("said")?.textContent));
    assert.match(await read(ada, await letter(bram)), /accepted: e6 to e7/);
    await ada.done();
    await bram.done();
  });

  test("kept games: what the opponent did since is shown step by step", async () => {
    const ada = await player("Ada", "ada@example.org");
    const bram = await player("Bram", "bram@example.net");
    const game = await begin(ada, bram, "asalto");
    await accept(bram, await letter(ada), game);
    const random = chances(5);
    for (let entry = 0; entry < 3; entry += 1) {
      const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
      await enter(here, game, random);
      await read(there, await letter(here));
    }
    const one = (await state(ada, game)).mine ? ada : bram;
    await show(one, game);
    await shot(one.page, "home-since", true);
    await one.page.click("#since");
    assert.equal(await one.page.evaluate(() => app.at), 2);
    await one.page.waitForFunction(() => app.at === 3 && !app.playing);
    assert.ok(await one.page.locator("#since").count());
    // Nothing happened since one's own newest entry.
    const other = one === ada ? bram : ada;
    await show(other, game);
    assert.equal(await other.page.locator("#since").count(), 0);
    await ada.done();
    await bram.done();
  });

  test("kept games: a hundred games are kept, and each step stays quick", async () => {
    const ada = await player("Ada", "ada@example.org");
    const times = await ada.page.evaluate(async () => {
      for (let nth = 0; nth < 100; nth += 1) {
        const answer = await keep.change({ do: "begin", agreed: true, game: "assassyn", side: "white", name: "Bram " + nth, email: `bram${nth}@example.net`, options: { deployment: "sealed" } });
        if (!answer.done) throw new Error(JSON.stringify(answer));
      }
      const since = (begun) => Math.round(performance.now() - begun);
      let begun = performance.now();
      home.leave();
      const listed = since(begun);
      const game = document.querySelector("#kept button").dataset.id;
      begun = performance.now();
      home.show(game);
      const shown = since(begun);
      begun = performance.now();
      await home.enter("deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1");
      const entered = since(begun);
      begun = performance.now();
      await letters.write(game);
      return { listed, shown, entered, letter: since(begun) };
    });
    console.log("     with a hundred games, in ms: " + JSON.stringify(times));
    // What is wanted is a second to list, and a tenth to enter; other programs may need the machine as well.
    assert.ok(times.listed < 10_000 && times.entered < 3_000, JSON.stringify(times));
    const begun = Date.now();
    await ada.page.reload();
    await ada.page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    console.log(`     ready after ${Date.now() - begun} ms`);
    await ada.done();
  });

  // A letter by a link: its text, as a mail program brings it.
  const linked = async ({ page, email }) => {
    const link = await page.getAttribute("#mail", "href");
    assert.ok(link.length <= 1800, String(link.length));
    const body = decodeURIComponent(link.split("&body=")[1]);
    return Buffer.from(`From: <${email}>\r\nSubject: ${decodeURIComponent(link.match(/subject=([^&]*)/)[1])}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${body}`);
  };

  // A player without a key, whose games are then open where nothing is hidden.
  const plain = async (name, email) => {
    const one = await opened(page_alone());
    await unlock(one.page);
    await one.page.fill("#my-name", name);
    await one.page.fill("#my-mail", email);
    await one.page.click("#settle");
    await one.page.waitForSelector("#kept", { state: "attached" });
    return { ...one, name, email };
  };

  test("kept games: a whole open game goes by links alone, from the invitation on, and both have the same record", async () => {
    const ada = await plain("Ada", "ada@example.org");
    const bram = await plain("Bram", "bram@example.net");
    await begin(ada, bram, "asalto");
    const game = await ada.page.evaluate(() => home.game.game);
    // The saved letter opens as a draft.
    assert.match((await letter(ada)).toString(), /^X-Unsent: 1\r\n/);
    const first = await linked(ada);
    assert.match(first.toString(), /-----BEGIN PBEM GAME asalto-[0-9a-z-]+ 0-----/);
    assert.match(await accept(bram, first, game), /you are invited/);
    // Whoever was invited invites nobody.
    assert.doesNotMatch(await bram.page.textContent("#kept-game"), /not invited yet/);
    const random = chances(3);
    for (let entry = 0; entry < 6; entry += 1) {
      const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
      await show(here, game);
      assert.doesNotMatch(await here.page.textContent("#kept-game"), /not invited yet/);
      await enter(here, game, random);
      await letter(here);
      assert.match(await read(there, await linked(here)), /accepted: /);
      assert.equal((await state(there, game)).record, (await state(here, game)).record);
    }
    // A move alone is not taken: the two records would part.
    const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
    await enter(here, game, random);
    const line = await here.page.evaluate(() => app.opened.entries.at(-1).actions);
    const before = (await state(there, game)).record;
    await show(there, game);
    await there.page.click("#tab-details");
    await there.page.locator("#letter-in").evaluate((fold) => { fold.open = true; });
    await there.page.fill("#letter-here", line);
    await there.page.click("#letter-here-read");
    await there.page.waitForFunction(() => home.said);
    assert.match(await there.page.textContent("#said"), new RegExp(`ask ${here.name} for the block or the record`));
    assert.equal((await state(there, game)).record, before);
    // A block, pasted, names no sender: it is asked about, and taken when the player says so.
    await show(here, game);
    await letter(here);
    const block = (await linked(here)).toString().match(/-----BEGIN[\s\S]*-----END[^\n]*-----/)[0];
    await there.page.evaluate(() => { home.said = null; app.tab = "details"; app.drawn(); document.getElementById("letter-in").open = true; });
    await there.page.fill("#letter-here", block);
    await there.page.click("#letter-here-read");
    await there.page.waitForSelector("#vouched");
    assert.match(await there.page.textContent("#said"), /Nobody can tell who sent this/);
    assert.equal((await state(there, game)).record, before);
    await shot(there.page, "home-vouched", true);
    await there.page.click("#vouched");
    await there.page.waitForFunction((record) => app.record === record, (await state(here, game)).record);
    await ada.done();
    await bram.done();
  });

  test("kept games: a move alone is read where the opponent has nothing but mail", async () => {
    const ada = await plain("Ada", "ada@example.org");
    const game = await begin(ada, { name: "Bram", email: "bram@example.net" }, "asalto", {}, true);
    await letter(ada);
    await ada.page.click("#tab-details");
    await ada.page.locator("#letter-in").evaluate((fold) => { fold.open = true; });
    await ada.page.fill("#letter-here", "place c6 e6");
    await ada.page.click("#letter-here-read");
    await ada.page.waitForFunction(() => home.said);
    assert.match(await ada.page.textContent("#said"), /entered for the defenders: 1 defenders place c6 e6/);
    await enter(ada, game, chances(3));
    await letter(ada);
    assert.match(decodeURIComponent(await ada.page.getAttribute("#mail", "href")), /body=2 besiegers [a-g][1-7]-[a-g][1-7]/);
    await ada.done();
  });

  test("kept games: an older copy that something else writes back is noticed, and no second entry is signed unasked", async () => {
    const ada = await player("Ada", "ada@example.org");
    const bram = await player("Bram", "bram@example.net");
    const game = await begin(ada, bram, "assassyn", { deployment: "sealed" });
    await accept(bram, await letter(ada), game);
    // What any other file on the disk can do: read all that is stored, and write it back later.
    const copy = ({ page }, name) => page.evaluate(async (name) => {
      const from = keep.database.transaction(["files", "about"]);
      const all = async (store) => [await keep.request(store.getAllKeys()), await keep.request(store.getAll())];
      window[name] = { files: await all(from.objectStore("files")), about: await all(from.objectStore("about")) };
    }, name);
    const write_back = ({ page }, name, parts = ["files", "about"]) => page.evaluate(async ([name, parts]) => {
      const to = keep.database.transaction(parts, "readwrite");
      for (const part of parts) {
        const store = to.objectStore(part);
        store.clear();
        const [names, values] = window[name][part];
        names.forEach((one, nth) => store.put(values[nth], one));
      }
      await new Promise((done) => { to.oncomplete = done; });
    }, [name, parts]);
    const signed = async (one) => ((await state(one, game)).record.match(/^ {2}~ /gm) || []).length;
    const tries = async (one, typed) => one.page.evaluate(([game, typed]) => keep.change({ do: "enter", game, typed }), [game, typed]);
    const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
    const [row, before] = (await state(here, game)).own === "white" ? [1, 2] : [6, 5];
    const [first, second] = ["PW", "WP"].map(([one, other]) => `deploy ${one}a${row} ${other}b${row} Lc${row} Ld${row} Sa${before} Sb${before} Af${row}`);
    for (const parts of [["files", "about"], ["about"]]) {
      // While the page is open: the write finds another store than the one in memory, and nothing is signed.
      await here.page.evaluate((game) => keep.sure.add(game), game);
      await copy(here, "older");
      await here.page.evaluate(() => keep.change({ do: "settle", name: "Somebody", email: "somebody@example.org" }));
      await write_back(here, "older", parts);
      const answer = await tries(here, first);
      assert.ok(answer.refused, JSON.stringify(answer).slice(0, 300));
      assert.equal(await signed(here), 0, parts.join());
      assert.match(await here.page.evaluate(() => keep.altered), /Something other than this page/);
      assert.ok(answer.refused.acts.includes("only-here") || /another tab/.test(answer.refused.message), JSON.stringify(answer.refused));
      await write_back(here, "older");
      await here.page.evaluate(() => keep.read());
    }
    // The player signs, and the store is put back to where that was not yet: opened again, the page asks before it signs another.
    await here.page.evaluate((game) => keep.sure.add(game), game);
    await copy(here, "older");
    const made = await tries(here, first);
    assert.ok(made.done && made.done.line, JSON.stringify(made).slice(0, 300));
    await show(here, game);
    const bytes = await letter(here);
    await write_back(here, "older");
    await reload(here);
    assert.equal(await signed(here), 0);
    const again = await tries(here, second);
    assert.ok(again.refused.acts.includes("only-here"), JSON.stringify(again).slice(0, 300));
    assert.equal(await signed(here), 0);
    assert.match(await read(there, bytes), /accepted: /);
    // Files alone that were put back are noticed when they are read.
    await copy(here, "newer");
    await write_back(here, "newer");
    await here.page.evaluate(async (game) => {
      keep.altered = "";
      const to = keep.database.transaction("files", "readwrite");
      to.objectStore("files").delete(`data/games/${game}.pbem`);
      await new Promise((done) => { to.oncomplete = done; });
      await keep.read();
    }, game);
    assert.match(await here.page.evaluate(() => keep.altered), /Something other than this page/);
    assert.equal(await here.page.evaluate(() => keep.sure.size), 0);
    // All is removed while a page is open: it says so, and still has everything for a backup.
    await here.page.evaluate(async () => {
      const to = keep.database.transaction(["files", "about"], "readwrite");
      to.objectStore("files").clear();
      to.objectStore("about").clear();
      await new Promise((done) => { to.oncomplete = done; });
      await keep.read();
    });
    assert.match(await here.page.evaluate(() => keep.altered), /make a backup now/);
    assert.ok((await here.page.evaluate(() => keep.change({ do: "backup", passphrase: "for the backup" }))).done.text.length > 1000);
    await ada.done();
    await bram.done();
  });

  elsewhere({ test, player, plain, begin, accept, letter, read, show, state, enter, chances, shot, program, folder, env });
  by_letters({ test, player, plain, begin, accept, letter, linked, read, show, state, enter, chances, shot, program, folder, env });
  sights({ test, player, plain, begin, accept, letter, read, show, state, enter, chances, shot, page_alone, opened, example });
  invited({ test, player, plain, begin, accept, letter, read, show, state, enter, chances, shot, page_alone, opened, program, folder, env });
  stays({ test, player, plain, begin, accept, letter, read, show, state, unlock, reload });
  written_back({ test, player, begin, accept, letter, state, phrase: PHRASE });

  test("kept games: whatever way something comes in, one reader takes it", async () => {
    const ada = await plain("Ada", "ada@example.org");
    // A record of others is shown, and can be kept; one that is none says where it fails.
    const others = readFileSync(example("asalto/fifteen-captures"), "utf8").replaceAll("ada@example.org", "ann@example.org");
    await ada.page.evaluate((text) => reader.text("\n\n" + text), others);
    await ada.page.waitForSelector("#looked");
    assert.equal(await ada.page.locator("#verdict").count(), 1);
    await ada.page.click("#my-games");
    await ada.page.evaluate(() => reader.text("---\nno record\n"));
    assert.match(await ada.page.textContent("#refused"), /---|record/);
    const header = "---\npbem: 1\ngame: asalto\nid: asalto-ways-in\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n  defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n";
    const take = async (bytes) => {
      await ada.page.evaluate(() => { home.said = null; app.drawn(); });
      await ada.page.evaluate((bytes) => reader.file(new File([new Uint8Array(bytes)], "shared")), [...Buffer.from(bytes)]);
      await ada.page.waitForSelector("#said");
      return ada.page.textContent("#said");
    };
    assert.match(await take(header + "1 defenders place c6 e6\n"), /Nobody can tell who sent this.*1 defenders place c6 e6/s);
    await ada.page.click("#vouched");
    await ada.page.waitForFunction(() => /you are invited/.test(document.getElementById("said")?.textContent));
    await show(ada, "asalto-ways-in");
    await ada.page.click("#accept");
    await ada.page.waitForFunction(() => home.game && !home.game.waits);
    // What is forged stays refused, whatever the player says of its sender.
    for (const [record, why] of [[header + "1 defenders place c6 e7\n", /different game/], [header.replace("Bram,", "Bran,") + "1 defenders place c6 e6\n2 besiegers c4-c5\n", /header/], [header + "1 defenders place c6 e6\n2 besiegers c4-c5\n3 defenders c6xc4\n", /./]]) {
      await ada.page.evaluate(() => { home.said = null; });
      await ada.page.evaluate((record) => letters.read({ letter: record, vouched: true }), record);
      assert.match(await ada.page.textContent("#said"), why);
      assert.equal((await state(ada, "asalto-ways-in")).record, header + "1 defenders place c6 e6\n");
    }
    // What comes while the games are locked is read once they are open.
    await ada.page.reload();
    await ada.page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    await ada.page.evaluate(() => reader.text("From: <bram@example.net>\r\nSubject: hello\r\n\r\nhello\r\n"));
    assert.match(await ada.page.textContent("#said"), /Open your games first/);
    await unlock(ada.page);
    // Who is not known yet is asked for when the page has looked at what is kept.
    await ada.page.waitForFunction(() => /neither a game nor a move/.test(document.getElementById("said")?.textContent));
    await ada.done();
    // A page that came with a game reads records alone, and says so.
    const guest = await opened(made("asalto/open-game", "--referee"));
    await guest.page.evaluate(() => reader.text("From: <bram@example.net>\r\nSubject: hello\r\n\r\nhello\r\n"));
    assert.match(await guest.page.textContent("#refused"), /reads records alone/);
    await guest.done();
  });
};
