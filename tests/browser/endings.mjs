// Games that are played to their end by letters: the last turns of an example, step by step as they are made, on a phone.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const PHONE = { width: 390, height: 844 };
const GAMES = { assideum: ["the-portal-at-the-gate", 6], "mission-combat": ["open-game", 6], subsume: ["a-city-built-and-lost", 4] };

export const endings = ({ test, plain, letter, read, show, state, shot, example, seen }) => {
  // Keeps a game that was played so far elsewhere, as a player of it.
  const takes = async ({ page }, record) => {
    await page.evaluate((record) => reader.text(record), record);
    await page.waitForSelector("#vouched, #keep-it");
    await page.click("#vouched, #keep-it");
    const game = record.match(/^id: (.*)$/m)[1];
    await page.waitForFunction((game) => [...keep.files.keys()].some((path) => path.includes(game)), game);
    await page.evaluate((game) => home.show(game), game);
    await page.click("#accept");
    // It has entries that its player has to know of.
    await page.click("[data-insist=despite-entries]");
    await page.waitForFunction(() => home.game && !home.game.waits);
    return game;
  };

  for (const [name, [which, last]] of Object.entries(GAMES)) {
    test(`kept games: the last turns of ${name} are made step by step on a phone, until one has won and one has lost`, async () => {
      const lines = readFileSync(example(`${name}/${which}`), "utf8").replace(/^clock: .*\n/m, "").replace(/ @20\S+/g, "").split("\n").filter((line) => !/^[#=]/.test(line));
      const entries = lines.flatMap((line, at) => (/^[0-9]+ /.test(line) ? [at] : []));
      const before = lines.slice(0, entries.at(-last)).join("\n") + "\n";
      const [ada, bram] = [await plain("Ada Quill", "ada@example.org"), await plain("Bram Post", "bram@example.net")];
      const both = [ada, bram];
      for (const one of both) { await one.page.setViewportSize(PHONE); one.page.setDefaultTimeout(20_000); }
      const [game] = [await takes(ada, before), await takes(bram, before)];
      for (const at of entries.slice(-last)) {
        const [, number, actions] = lines[at].match(/^([0-9]+) \S+ (.*?)(?: @\S+)?(?: \{.*)?$/);
        const [here, there] = (await state(ada, game)).mine ? both : [bram, ada];
        await show(here, game);
        await seen(here, `end of ${name} ${number} due`);
        for (const [step, action] of actions.split("; ").entries()) {
          await here.page.evaluate((action) => (play.actions.includes(action) ? play.choose(action) : play.take(action)), action);
          assert.equal(await here.page.locator("#why").count(), 0, action);
          await seen(here, `end of ${name} ${number} step ${step}`);
        }
        await here.page.click("#enter");
        await here.page.waitForFunction(() => home.said);
        if (await here.page.locator("[data-insist=only-here]").count()) {
          await seen(here, `end of ${name} ${number} asked`);
          await here.page.click("[data-insist=only-here]");
          await here.page.waitForFunction(() => home.said && !home.said.bad);
        }
        await seen(here, `end of ${name} ${number} entered`);
        const bytes = await letter(here);
        await seen(here, `end of ${name} ${number} letter`);
        assert.match(await read(there, bytes), /^The letter from .* is accepted: /);
        await seen(there, `end of ${name} ${number} read`);
        await here.page.click("#is-sent");
        await seen(here, `end of ${name} ${number} sent`);
      }
      const told = await Promise.all(both.map(({ page }) => page.textContent("#now")));
      assert.deepEqual(told.map((one) => one.split(":")[0]).sort(), ["You lost", "You won"], told.join());
      for (const one of both) {
        await one.page.click("#my-games");
        await shot(one.page, `end-of-${name}-listed`);
      }
      await ada.done();
      await bram.done();
    });
  }
};
