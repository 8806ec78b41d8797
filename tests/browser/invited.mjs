// Somebody on a phone who has read nothing: from the letter that invites, through each step that the page asks for, to the end of the game;
// what is said names games and hidden things as players do.
import assert from "node:assert/strict";
import { correspondent } from "./correspondent.mjs";

const PHONE = { width: 390, height: 844 };
/** What names a game to programs, and to nobody else. */
const ID = /\b[a-z]+-[0-9]{8}-\w+/;

export const invited = ({ test, player, plain, begin, accept, letter, read, show, state, enter, chances, shot, page_alone, opened, program, folder, env }) => {
  test("a newcomer gives the page the letter first, is asked for the rest then, and plays Subsume to its end", async () => {
    const bram = correspondent({ program, folder, env }, "Bram", "bram@example.net");
    bram.ok("invite", "Ada <ada@example.org>", "subsume");
    const [game] = bram.games();
    const ada = await opened(page_alone(), { viewport: PHONE });
    const { page } = ada;
    page.setDefaultTimeout(30_000);
    const said = () => page.textContent("#said");
    await page.click("#door-letter");
    assert.equal(await page.locator("#phrase").count(), 0, "nothing is asked before the letter");
    await page.setInputFiles("#letter-file", { name: "letter.eml", mimeType: "message/rfc822", buffer: bram.newest() });
    await page.waitForSelector("#phrase");
    assert.match(await said(), /^Choose a passphrase first: then the letter is read/);
    await page.fill("#phrase", "a long phrase");
    await page.fill("#phrase-again", "a long phrase");
    await page.click("#unlock");
    await page.waitForSelector("#my-name");
    await page.fill("#my-name", "Ada");
    await page.fill("#my-mail", "ada@example.org");
    await page.click("#settle");
    await page.waitForSelector("#accept");
    await page.waitForFunction(() => /invited to a game of Subsume by Bram/.test(document.getElementById("said")?.textContent));
    await shot(page, "invited-newcomer");
    await page.click("#accept");
    await page.waitForFunction(() => home.game && !home.game.waits);
    bram.moves(game, 0.3);
    await read(ada, bram.newest());
    // A token that is claimed stands on the board before it is entered, also the first, for which there is no secret yet.
    await page.locator('.tap[data-name="d8"]').click({ force: true });
    assert.equal(await page.textContent("#hint"), "d8: choose");
    assert.deepEqual(await page.locator(".choices button").allTextContents(), ["Aggressor", "Advocate", "Isolationist"]);
    await page.click('[data-action="+d8I"]');
    assert.match(await page.textContent("#begun"), /^Claim d8: isolationist$/);
    assert.ok(await page.evaluate(() => app.seen.stacks.some(({ place }) => place === "d8")), "the claimed token is drawn");
    assert.equal(await page.evaluate(() => [...keep.files.keys()].filter((path) => path.startsWith("data/secrets/")).length), 0, "looking makes no secret");
    await shot(page, "invited-claim");
    await page.click("#enter");
    await page.waitForFunction(() => /^Entered: claim d8/.test(document.getElementById("said")?.textContent));
    const random = chances(9);
    for (let made = 0; made < 6; made += 1) {
      const { mine } = await state(ada, game);
      if (mine) {
        await enter(ada, game, random);
        await show(ada, game);
      }
      bram.reads(await letter(ada));
      bram.moves(game, random());
      assert.match(await read(ada, bram.newest()), /accepted: /);
      assert.doesNotMatch(await said(), ID);
    }
    await page.evaluate(() => home.enter("resign"));
    await page.waitForFunction(() => home.game.over);
    bram.reads(await letter(ada));
    // What was published once is not offered again.
    await page.click("#publish");
    await page.waitForFunction(() => /^Secret published/.test(document.getElementById("said")?.textContent));
    assert.equal(await page.locator("#publish").count(), 0);
    assert.match(await page.textContent("#kept-game"), /You have published your secret/);
    await page.click("#audit");
    await page.waitForFunction(() => /Nothing speaks against/.test(document.getElementById("said")?.textContent));
    await shot(page, "invited-over");
    await ada.done();
  });

  test("what is said of a game names it by its opponent, as the list does: a backup, a letter of one's other machine, a lost secret", async () => {
    const [ada, bram, second] = [await player("Ada", "ada@example.org"), await plain("Bram", "bram@example.net"), await plain("Ada", "ada@example.org")];
    for (const { page } of [ada, bram, second]) page.setDefaultTimeout(30_000);
    const asalto = await begin(ada, bram, "asalto");
    await accept(bram, await letter(ada), asalto);
    await ada.page.click("#my-games");
    const subsume = await begin(ada, bram, "subsume");
    await accept(bram, await letter(ada), subsume);
    for (let made = 0; made < 4; made += 1) {
      const [here, there] = (await state(ada, subsume)).mine ? [ada, bram] : [bram, ada];
      await enter(here, subsume, chances(3));
      await read(there, await letter(here));
    }
    for (let made = 0; made < 2; made += 1) {
      const [here, there] = (await state(ada, asalto)).mine ? [ada, bram] : [bram, ada];
      await enter(here, asalto, chances(3));
      await read(there, await letter(here));
    }
    const { done: backup } = await ada.page.evaluate(() => keep.change({ do: "backup", passphrase: "for the road" }));
    await second.page.setViewportSize(PHONE);
    await second.page.evaluate((text) => reader.text(text), backup.text);
    await second.page.fill("#its-phrase", "for the road");
    await second.page.click("#use-phrase");
    await second.page.waitForFunction(() => /files restored/.test(document.getElementById("said")?.textContent));
    const restored = await second.page.textContent("#said");
    assert.doesNotMatch(restored, ID);
    assert.match(restored, /before you sign anything: .*Bram \((Asalto|Subsume)\)/);
    await shot(second.page, "invited-restored");
    // A letter that Ada's first machine sent is not Bram's.
    await show(ada, asalto);
    for (const one of [ada, second]) {
      const { record } = await state(one, asalto);
      const bytes = Buffer.from(`From: Ada <ada@example.org>\r\nSubject: [pbem] ${asalto} #2\r\n\r\n${record}2 besiegers b3-b4\n`);
      const told = await read(one, bytes);
      assert.doesNotMatch(told, ID, told);
    }
    await shot(second.page, "invited-other-machine");
    // What cannot be opened is called as players call it.
    await second.page.evaluate(async (game) => {
      const secret = [...keep.files.keys()].find((path) => path.startsWith("data/secrets/") && path.includes(game));
      keep.files.delete(secret);
      home.show(game);
    }, subsume);
    const warning = await second.page.textContent("#warning");
    assert.match(warning, /^Token [0-9]+ of (white|black), sealed in move [0-9]+, cannot be opened here: the secret of this game is not kept here/);
    assert.match(warning, /brings the secret back from a backup/);
    assert.doesNotMatch(warning, /key store|token\.|`/);
    await shot(second.page, "invited-lost");
    for (const one of [ada, bram, second]) await one.done();
  });
};
