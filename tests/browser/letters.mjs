// Whole games by letters alone in which one side has a key and the other has none, sealed and open, from the invitation to the end.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const one_key = ({ test, player, plain, begin, accept, letter, read, show, state, enter, chances, program, folder, env }) => {
  for (const [name, options] of [["assassyn", { deployment: "sealed" }], ["asalto", {}]]) {
    test(`kept games: ${name} is played to its end by letters alone, and one side of it signs`, async () => {
      const ada = await player("Ada", "ada@example.org");
      const bram = await plain("Bram", "bram@example.net");
      const game = await begin(ada, bram, name, options);
      await accept(bram, await letter(ada), game);
      const random = chances(17);
      let made = 0;
      for (; !(await state(ada, game)).over; made += 1) {
        const [here, there] = (await state(ada, game)).mine ? [ada, bram] : [bram, ada];
        if (made < 12) await enter(here, game, random);
        else {
          await show(here, game);
          await here.page.evaluate(() => home.enter("resign"));
          await here.page.waitForFunction(() => home.game.over);
        }
        await show(here, game);
        assert.match(await read(there, await letter(here)), /accepted: /);
        assert.equal((await state(there, game)).record, (await state(here, game)).record);
      }
      // Each entry of hers is signed, and none of his.
      const { record, own } = await state(ada, game);
      const lines = record.split("\n");
      const signed = lines.filter((_, nth) => /^ {2}~ /.test(lines[nth + 1] || "")).map((line) => line.split(" ")[1]);
      const hers = lines.filter((line) => new RegExp(`^[0-9]+ ${own} `).test(line));
      assert.ok(hers.length >= 2 && signed.every((side) => side === own), signed.join());
      assert.equal(signed.length, hers.length);
      const file = join(folder, `one-key-${name}.pbem`);
      writeFileSync(file, record);
      const judged = spawnSync(program, ["verify", file], { env });
      assert.equal(judged.status, 0, judged.stdout.toString() + judged.stderr);
      await ada.done();
      await bram.done();
    });
  }
};
