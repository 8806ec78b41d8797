// What a player has begun, and what was said, in games that a page keeps: how long it stays, and where.
import assert from "node:assert/strict";

export const stays = ({ test, player, plain, begin, accept, letter, read, show, state, unlock, reload }) => {
  const bare = (text) => JSON.stringify(text).slice(0, 400);
  const HEADER = "---\npbem: 1\ngame: asalto\nid: asalto-a-stranger\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n  defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n";

  test("kept games: what is planned in a sealed game is never stored as it was typed, and stands in no other game", async () => {
    const ada = await player("Ada", "ada@example.org");
    const bram = await player("Bram", "bram@example.net");
    const game = await begin(ada, bram, "assassyn", { deployment: "sealed" });
    await accept(bram, await letter(ada), game);
    const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
    // Without the id of the game, which is drawn and may have such letters in it.
    const stored = async ({ page }) => (await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).replaceAll(game, "");
    const [row, before] = (await state(here, game)).own === "white" ? [1, 2] : [6, 5];
    const plan = `deploy Pa${row} Wb${row} Lc${row} Ld${row} Sa${before} Sb${before} Af${row}`;
    await show(here, game);
    // Typed, and then made of it.
    await here.page.click("#more-of-it");
    await here.page.fill("#typed", plan);
    assert.ok(!(await stored(here)).includes(`Pa${row}`), bare(await stored(here)));
    await here.page.press("#typed", "Enter");
    await here.page.waitForFunction(() => play.begun.length);
    assert.ok(!(await stored(here)).includes(`Pa${row}`), bare(await stored(here)));
    // The tab still has it when the game was left, and when one looked back.
    await here.page.click("#my-games");
    await show(here, game);
    assert.equal(await here.page.evaluate(() => play.begun.join()), plan);
    // What is put down piece by piece, too.
    await here.page.click("#undo");
    await here.page.locator(`.tap[data-name="a${row}"]`).click({ force: true });
    assert.equal(await here.page.evaluate(() => play.arranged.done.length), 1);
    assert.ok(!(await stored(here)).includes(`a${row}`), bare(await stored(here)));
    await here.page.click("#my-games");
    await show(here, game);
    assert.equal(await here.page.evaluate(() => play.arranged?.done.join()), `P,a${row}`);
    // A reply that is prepared, by whoever waits.
    await show(there, game);
    const replies = (page) => page.evaluate(() => { app.tab = "details"; app.drawn(); document.getElementById("replies").open = true; });
    await replies(there.page);
    await there.page.fill("#if-they", "deploy seal");
    await there.page.fill("#then-mine", "deploy Pa6 Wb6");
    assert.ok(!(await stored(there)).includes("Pa6"), bare(await stored(there)));
    await there.page.click("#my-games");
    const other = await begin(there, { name: "Carol", email: "carol@example.com" }, "assassyn", { deployment: "sealed" });
    await show(there, game);
    await replies(there.page);
    assert.equal(await there.page.inputValue("#then-mine"), "deploy Pa6 Wb6");
    await show(there, other);
    await there.page.evaluate(() => { app.tab = "details"; app.drawn(); });
    if (await there.page.locator("#then-mine").count()) assert.equal(await there.page.inputValue("#then-mine"), "", "a reply belongs to one game");
    // A tab that was closed has nothing of it.
    await reload(there);
    await show(there, game);
    await replies(there.page);
    assert.equal(await there.page.inputValue("#then-mine"), "");
    await ada.done();
    await bram.done();
  });

  test("kept games: what a letter asks stands below what was said of it alone, and what was said goes with its screen", async () => {
    const ada = await plain("Ada", "ada@example.org");
    const { page } = ada;
    const stranger = async () => {
      await read(ada, Buffer.from(`${HEADER}1 defenders place c6 e6\n`), "record.pbem");
      await page.waitForSelector("#vouched");
    };
    await stranger();
    const game = await begin(ada, { name: "Bram", email: "bram@example.net" }, "assassyn", { deployment: "sealed" });
    await stranger();
    await show(ada, game);
    assert.equal(await page.locator("#vouched").count(), 0);
    await page.evaluate(() => home.enter("deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"));
    await page.waitForFunction(() => /^Entered: /.test(document.getElementById("said")?.textContent));
    assert.equal(await page.locator("#vouched, #only-look").count(), 0, "the buttons of another letter");
    // Taken, nothing more is asked about it.
    await stranger();
    await page.click("#vouched");
    await page.waitForFunction(() => /you are invited/.test(document.getElementById("said")?.textContent));
    assert.equal(await page.locator("#vouched, #only-look").count(), 0);
    // Another screen says nothing of it.
    if (await page.locator("#my-games").count()) await page.click("#my-games");
    await page.click("#door-more");
    assert.equal(await page.locator("#said").count(), 0);
    await stranger().catch(() => {});
    await page.evaluate(() => machine.play(referee.ask({ call: "practice", game: "asalto", side: "besiegers", level: 1, seed: 4, started: "2026-11-22" }).record));
    await page.waitForSelector("#dock");
    assert.equal(await page.locator("#said").count(), 0);
    await ada.done();
  });

  test("kept games: a letter waits until the player says that it is sent, also after a reload", async () => {
    const ada = await plain("Ada", "ada@example.org");
    const { page } = ada;
    const game = await begin(ada, { name: "Bram", email: "bram@example.net" }, "assassyn", { deployment: "sealed" });
    await page.evaluate(() => home.enter("deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"));
    await page.waitForFunction(() => /^Entered: /.test(document.getElementById("said")?.textContent));
    await letter(ada);
    assert.match(await page.textContent("#now"), /^Now send it to Bram/);
    const again = async () => {
      await page.reload();
      await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
      await unlock(page);
      await show(ada, game);
      return page.textContent("#now");
    };
    assert.match(await again(), /^Now send it to Bram/);
    await letter(ada);
    await page.click("#is-sent");
    await page.waitForFunction(() => /^Waiting for Bram/.test(document.getElementById("now").textContent));
    assert.match(await again(), /^Waiting for Bram/);
    await ada.done();
  });

  test("kept games: what is being made stays while another tab changes another game", async () => {
    const ada = await plain("Ada", "ada@example.org");
    const { page } = ada;
    const game = await begin(ada, { name: "Bram", email: "bram@example.net" }, "assassyn", { deployment: "sealed" });
      await page.locator('.tap[data-name="a1"]').click({ force: true });
    const down = () => page.evaluate(() => play.arranged?.done.join());
    assert.equal(await down(), "P,a1");
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    await unlock(tab);
    const turn = await page.evaluate(() => keep.turn);
    const made = await tab.evaluate(() => keep.change({ do: "begin", game: "asalto", side: "besiegers", name: "Carol", email: "carol@example.org" }));
    assert.ok(made.done, bare(made));
    await page.waitForFunction((turn) => keep.turn > turn, turn);
    await new Promise((wake) => setTimeout(wake, 300));
    assert.equal(await page.evaluate(() => app.opened.id), game);
    assert.equal(await down(), "P,a1");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("End");
    assert.equal(await down(), "P,a1");
    await ada.done();
  });
};
