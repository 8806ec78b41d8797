// What a player sees of games by mail: each state on a phone upright and lying, a tablet and a desktop, in words of players.
import assert from "node:assert/strict";
import { endings } from "./endings.mjs";

const SIZES = [[390, 844], [360, 640], [844, 390], [820, 1180], [1280, 800]];

export const sights = ({ test, player, plain, begin, accept, letter, read, show, state, enter, chances, shot, page_alone, opened, example }) => {
  // The status, the board and the last row of the dock are in sight, nothing is wider than the screen or than what it stands in, and no words
  // are those of a record.
  const is_seen = async ({ page }, what, { dock = true, least = 0.3, sizes = SIZES } = {}) => {
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const seen = await page.evaluate(() => {
        const box = (one) => one?.getBoundingClientRect().toJSON();
        const svg = document.querySelector(".table svg");
        const dock = document.querySelector("#dock");
        const inside = dock?.getBoundingClientRect();
        const wide = [...(dock?.querySelectorAll("p, button, a.button, summary, .good, .bad, .note") || [])]
          .filter((one) => one.checkVisibility() && !one.closest(".unseen, .hand"))
          .filter((one) => one.getBoundingClientRect().right > inside.right + 0.5 || one.getBoundingClientRect().left < inside.left - 0.5);
        const small = [...document.querySelectorAll(".game button, .game a.button, .game summary")]
          .filter((one) => one.checkVisibility() && !one.closest(".strip"))
          .filter((one) => one.getBoundingClientRect().height < 43.5 || one.getBoundingClientRect().width < 43.5);
        const scale = svg && svg.getScreenCTM();
        return {
          boxes: { status: box(document.querySelector("#now")), board: box(svg), dock: box(dock), last: box([...(dock?.querySelectorAll(":scope > .acts:last-child, #kept-game > .acts:last-child") || [])].at(-1)) },
          share: scale ? Math.max((svg.viewBox.baseVal.width * scale.a) / innerWidth, (svg.viewBox.baseVal.height * scale.a) / innerHeight) : 0,
          wide: wide.map((one) => one.outerHTML.slice(0, 100)),
          small: small.map((one) => `${one.outerHTML.slice(0, 80)} ${one.getBoundingClientRect().width}x${one.getBoundingClientRect().height}`),
          text: [document.querySelector(".bar"), document.querySelector(".status"), document.querySelector(".strip"), dock].map((one) => one?.innerText || "").join("\n"),
        };
      });
      const where = `${what} at ${width} by ${height}`;
      await shot(page, `sight-${where.replace(/\W+/g, "-")}`);
      for (const [name, box] of Object.entries(seen.boxes)) {
        if (name === "last" && (!dock || !box)) continue;
        assert.ok(box && box.width > 0 && box.top >= -0.5 && box.left >= -0.5 && box.bottom <= height + 0.5 && box.right <= width + 0.5, `${where}: ${name} is not in sight: ${JSON.stringify(box)}`);
      }
      assert.ok(seen.share >= least, `${where}: the board takes ${seen.share} of the screen`);
      assert.deepEqual(seen.wide, [], `${where}: wider than the dock`);
      assert.deepEqual(seen.small, [], `${where}: too small for a finger`);
      assert.equal(seen.text.split("\n").find((line) => /\.(pbem|eml)\b|[0-9a-f]{16}|\bentr(y|ies)\b|cannot be read|\[pbem\]|[0-9]T[0-9]{2}:/i.test(line)), undefined, where);
      // What one did oneself is told to oneself.
      assert.doesNotMatch(seen.text, /\bYou: (accept|agree|claim|deal|draw|end|guesse|offer|open|place|put|resign|seal|show|take)s\b/, where);
    }
    await page.setViewportSize({ width: 390, height: 844 });
  };

  endings({ test, plain, letter, read, show, state, shot, example, seen: (one, what) => is_seen(one, what, { sizes: SIZES.slice(0, 1) }) });

  // A turn, step by step as it is made: each step is drawn, and what may follow is in sight.
  const steps = async ({ page }, what) => {
    for (let step = 0; step < 6; step += 1) {
      const made = await page.evaluate((step) => {
        if (play.shares) play.shared();
        else if (play.arranged) play.arranged.left.length ? play.rest() : 0;
        else {
          const list = play.matching();
          if (!list.length) return false;
          play.choose(list[(step * 7) % list.length]);
        }
        return home.game.is_mine;
      }, step);
      if (!made) break;
      await is_seen({ page }, `${what} step ${step}`);
    }
  };

  const GAMES = [["asalto", {}], ["assassyn", { deployment: "sealed" }], ["subsume", {}], ["assideum", {}], ["mission-combat", {}]];
  for (const [name, options] of GAMES) {
    test(`kept games: board, status and the next step of ${name} are in sight from the invitation on, in the words of players`, async () => {
      const ada = await plain("Ada", "ada@example.org");
      const bram = await plain("Bartholomew van den Post-Hohenstein", "bram@example.net");
      const game = await begin(ada, bram, name, options);
      const is_due = (await state(ada, game)).mine;
      await is_seen(ada, `${name} begun`);
      if (!is_due) assert.match(await ada.page.textContent("#now"), /^Now invite Bartholomew/);
      const bytes = await letter(ada);
      await is_seen(ada, `${name} invitation written`);
      // A page on a disk has no address that others could open.
      assert.doesNotMatch(await ada.page.textContent("#letter-body"), /page at |file:/);
      assert.match(await ada.page.textContent("#now"), /^Now send it to Bartholomew/);
      await ada.page.click("#is-sent");
      await is_seen(ada, `${name} invitation sent`);
      assert.match(await read(bram, bytes), /^By this letter you are invited to a game of .* by Ada\.$/);
      await is_seen(bram, `${name} invited`);
      assert.ok(await bram.page.locator(".table svg .tap, .table svg use").count(), "an invitation shows its board");
      await shot(bram.page, `invited-${name}`);
      await bram.page.click("#accept");
      await bram.page.waitForFunction(() => home.game && !home.game.waits);
      await is_seen(bram, `${name} accepted`);
      const random = chances(3);
      for (let made = 0; made < 4; made += 1) {
        const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
        await show(here, game);
        await is_seen(here, `${name} turn ${made}`);
        // What is forced is one button: nothing on the board asks to be tapped.
        if (await here.page.locator("#forced").count()) assert.equal(await here.page.locator(".tap.may, .tap.to").count(), 0);
        if (made > 1) await steps(here, `${name} turn ${made}`);
        await enter(here, game, random);
        await is_seen(here, `${name} entered ${made}`);
        const bytes = await letter(here);
        await is_seen(here, `${name} letter ${made}`, { least: 0.4 });
        await here.page.click("#is-sent");
        await is_seen(here, `${name} sent ${made}`);
        assert.match(await read(there, bytes), /^The letter from .* is accepted: /);
        await is_seen(there, `${name} read ${made}`);
        await there.page.click("#previous");
        await is_seen(there, `${name} looking back ${made}`);
      }
      await show(ada, game);
      await ada.page.click("#tab-details");
      assert.ok(await ada.page.locator("#in-words").isVisible());
      await ada.done();
      await bram.done();
    });
  }

  test("kept games: a game that two machines go on with says what it is and what can be done, in every state", async () => {
    const [ada, bram, second] = [await player("Ada", "ada@example.org"), await plain("Bram", "bram@example.net"), await plain("Ada", "ada@example.org")];
    for (const { page } of [ada, bram, second]) page.setDefaultTimeout(30_000);
    const game = await begin(ada, bram, "asalto");
    await accept(bram, await letter(ada), game);
    const exchange = async (here, there, asked = false) => {
      await enter(here, game, chances(3), asked);
      const bytes = await letter(here);
      assert.match(await read(there, bytes), /^The letter from .* is accepted: /);
      return bytes;
    };
    await exchange(bram, ada);
    // Whoever is to move is told that in the list, although no letter says that the one before has come.
    await ada.page.click("#my-games");
    assert.equal(await ada.page.locator(`[data-id="${game}"] b`).first().textContent(), "Move a besieger");
    const { done: file } = await ada.page.evaluate((game) => keep.change({ do: "hand-over", game, passphrase: "for the road" }), game);
    await show(ada, game);
    await is_seen(ada, "two machines handed over");
    await second.page.evaluate((text) => reader.text(text), file.text);
    await second.page.fill("#its-phrase", "for the road");
    await second.page.click("#use-phrase");
    await second.page.waitForSelector("[data-insist]");
    await second.page.setViewportSize({ width: 390, height: 844 });
    await shot(second.page, "two-machines-taking");
    const taken = await second.page.evaluate((backup) => keep.change({ do: "restore", backup, passphrase: "for the road", despite_key: true, untaken: true }), file.text);
    assert.equal(taken.done?.game, game, JSON.stringify(taken.refused));
    await second.page.evaluate(() => home.leave());
    await shot(second.page, "two-machines-taken");
    await show(second, game);
    await is_seen(second, "two machines opened there");
    // The first machine goes on all the same, by the player's word.
    await show(ada, game);
    await ada.page.click("#stay");
    await is_seen(ada, "two machines asked");
    await ada.page.click("#stay-yes");
    await ada.page.waitForFunction(() => /goes on here/.test(document.getElementById("said")?.textContent));
    await is_seen(ada, "two machines goes on here");
    await enter(ada, game, chances(3), true);
    await read(bram, await letter(ada));
    const answer = await exchange(bram, ada);
    // The second sees it as soon as the answer comes, and offers no move.
    await read(second, answer);
    await second.page.setViewportSize({ width: 390, height: 844 });
    await shot(second.page, "two-machines-answer");
    await show(second, game);
    await is_seen(second, "two machines go on");
    assert.match(await second.page.textContent("#dock"), /Your other machine has made a move.*Go on here/s);
    assert.equal(await second.page.locator("#enter").count(), 0);
    await second.page.click("#stay");
    await is_seen(second, "two machines asked there");
    await second.page.click("#stay-yes");
    await second.page.waitForFunction(() => /goes on here/.test(document.getElementById("said")?.textContent));
    await is_seen(second, "two machines goes on there");
    assert.equal(await second.page.locator("#enter").count(), 1);
    for (const one of [ada, bram, second]) await one.done();
  });

  test("kept games: what has to be sent stands first in the list, and a row is read on a narrow phone", async () => {
    const ada = await plain("Ada", "ada@example.org");
    const bram = { name: "Bartholomew van den Post-Hohenstein", email: "bram@example.net" };
    await ada.page.click("#door-new");
    await ada.page.fill("#mail-clock", "5d");
    const game = await begin(ada, bram, "assassyn", { deployment: "sealed" });
    await ada.page.evaluate(() => home.enter("deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"));
    await ada.page.waitForFunction(() => /^Entered: /.test(document.getElementById("said")?.textContent));
    await letter(ada);
    await ada.page.setViewportSize({ width: 360, height: 740 });
    await ada.page.click("#my-games");
    const row = ada.page.locator(`[data-id="${game}"]`);
    assert.match(await row.locator(".tx").textContent(), /^Send the letter to Bartholomew/);
    assert.match(await row.locator(".left").textContent(), / left$/);
    assert.equal(await ada.page.locator("#kept h2").first().textContent(), "Your turn");
    const { words, all } = await row.evaluate((row) => ({ words: row.querySelector(".tx").getBoundingClientRect().width, all: row.getBoundingClientRect().width }));
    assert.ok(words > all * 0.6, `${words} of ${all} pixels are for the words`);
    await shot(ada.page, "list-narrow");
    await ada.done();
  });

  test("what was done last and what can be done do not look alike while it is one's turn, by light and by dark", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, done } = await opened(page_alone(), { viewport: { width: 390, height: 844 }, colorScheme });
      await page.evaluate(() => app.begins(referee.ask({ call: "begin", game: "asalto", id: `asalto-marks-1`, started: "2026-11-22", players: { besiegers: { name: "Ada" }, defenders: { name: "Bram" } }, options: {}, title: null, clock: null, setup: null }).record));
      await page.evaluate(() => play.enter("place c6 e6"));
      await page.waitForFunction(() => app.opened.entries.length === 1);
      const strokes = () => page.evaluate(() => [".table .sm", ".tap.may"].map((one) => getComputedStyle(document.querySelector(one)).stroke));
      const [past, possible] = await strokes();
      assert.notEqual(past, possible);
      // What is being made is the player's own again.
      await page.click('[data-action="d4-d5"]');
      assert.equal((await page.evaluate(() => getComputedStyle(document.querySelector(".table .sm")).stroke)), possible);
      await done();
    }
  });

  test("seven pieces are seven taps and Enter, and Enter stays large enough", async () => {
    const { page, done } = await opened(page_alone(), { viewport: { width: 360, height: 740 }, hasTouch: true });
    await page.evaluate(() => machine.play(referee.ask({ call: "practice", game: "assassyn", side: "white", level: 1, seed: 11, started: "2026-11-22" }).record));
    await page.waitForSelector(".tray");
    for (const square of ["a1", "b1", "c1", "d1", "a2", "b2", "f1"]) {
      const { width } = await page.locator("#enter").boundingBox();
      assert.ok(width >= 64, `Enter is ${width} pixels wide`);
      await page.locator(`.tap[data-name="${square}"]`).click({ force: true });
    }
    await page.click("#enter");
    await page.waitForFunction(() => app.opened.entries.length > 0);
    assert.match(await page.evaluate(() => app.opened.entries[0].actions), /^deploy Pa1 /);
    await done();
  });

  test("in a low window Enter is in sight below all that may be asked for, and a lesson ends in words", async () => {
    const { page, done } = await opened(page_alone(), { viewport: { width: 844, height: 390 } });
    await page.evaluate(() => machine.play(referee.ask({ call: "practice", game: "asalto", side: "besiegers", level: 1, seed: 11, started: "2026-11-22" }).record));
    await page.waitForSelector("#more-of-it");
    await page.waitForFunction(() => app.playing_here && !app.storing);
    await page.click("#more-of-it");
    await page.waitForSelector("#more");
    const { y, height } = await page.locator("#enter").boundingBox();
    assert.ok(y + height <= 390, `Enter ends at ${y + height}`);
    // What is refused ends as a sentence.
    await page.evaluate(() => play.take("b4-b3"));
    assert.match(await page.textContent("#why"), /[^.]\. Rule T21\./);
    // What is no move at all leads to the rules, and names no command.
    await page.evaluate(() => play.take("no such move"));
    assert.doesNotMatch(await page.textContent("#why"), /postrider/);
    await page.click("#see-rules");
    await page.waitForFunction(() => /Notation/.test(document.querySelector("#rules .rule")?.textContent));
    assert.equal(await page.locator("#rules table").first().isVisible(), true);
    assert.doesNotMatch(await page.textContent("#rules .rule"), /\*\*|```|\*Ruling/);
    await page.click("#tab-board");
    await page.evaluate(() => learn.open("asalto", 1));
    await page.click("#solution");
    await page.click("#enter");
    await page.waitForSelector("#lesson-done");
    assert.equal(await page.textContent("#teacher"), "b4 to c5");
    await done();
  });
};
