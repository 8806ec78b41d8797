// What other pages on the same disk can do with what a page stores there.
import assert from "node:assert/strict";

export const written_back = ({ test, player, begin, accept, letter, state, phrase }) => {
  // What any other page on the disk can do with what is stored, each time with all of it as it was before an entry was signed (`old`), and
  // as it was behind that (`now`); and whether the page must say that something has changed it, or cannot open it any more.
  const WAYS = [
    ["the whole database", (s) => { s.files = s.old.files; s.about = s.old.about; }],
    ["the files alone", (s) => { s.files = s.old.files; }, "told"],
    ["what is noted about them alone", (s) => { s.about = s.old.about; }, "told"],
    ["the record alone", (s) => { s.files.set(s.record, s.old.files.get(s.record)); }, "told"],
    ["the record and the copy of it", (s) => { for (const name of [s.record, s.known]) s.files.set(name, s.old.files.get(name)); }, "told"],
    ["the record and the journal", (s) => { s.files.set(s.record, s.old.files.get(s.record)); s.drop(/^data\/(signed|known)\//); }, "told"],
    ["the journal alone is gone", (s) => { s.drop(/^data\/signed\//); }, "told"],
    ["all of the game but its secrets", (s) => { s.back(/^data\/(?!keys|secrets)/); }, "told"],
    ["the counter is lower", (s) => { s.files = s.old.files; s.about.set("turn", 1); }, "told"],
    ["the counter is higher", (s) => { s.files = s.old.files; s.about.set("turn", 1e9); }, "told"],
    ["the counter is gone", (s) => { s.files = s.old.files; s.about.delete("turn"); }, "told"],
    ["the counter is no number", (s) => { s.files = s.old.files; s.about = s.old.about; s.about.set("turn", 7); }],
    ["the container is gone", (s) => { s.files = s.old.files; s.about.delete("state"); }],
    ["the container is cut short", (s) => { s.files = s.old.files; const { iv, box } = s.about.get("state"); s.about.set("state", { iv, box: box.slice(0, 9) }); }, "told"],
    ["the container is another thing", (s) => { s.files = s.old.files; s.about.set("state", { iv: new Uint8Array(12), box: new Uint8Array(40) }); }, "told"],
    ["the container of before beside newer files", (s) => { s.about.set("state", s.old.about.get("state")); }, "told"],
    ["the newer container beside files of before", (s) => { s.files = s.old.files; s.about.set("turn", s.old.about.get("turn")); }, "told"],
    ["the record of another game in its place", (s) => { s.files.set(s.record, s.files.get(s.other)); }, "told"],
    ["a secret in the place of another", (s) => { const all = [...s.files.keys()].filter((name) => name.startsWith("data/secrets/")); s.files.set(all[0], s.files.get("data/keys/own.pem")); }, "told"],
    ["a key that was cut short", (s) => { s.files = s.old.files; const { iv, box } = s.files.get("data/keys/own.pem"); s.files.set("data/keys/own.pem", { iv, box: box.slice(0, 9) }); }, "broken"],
    ["the key of the player is gone", (s) => { s.files = s.old.files; s.files.delete("data/keys/own.pem"); }, "told"],
    ["another lock", (s) => { s.files = s.old.files; s.about.set("lock", { salt: new Uint8Array(16), probe: s.about.get("lock").probe }); }, "shut"],
    ["no lock", (s) => { s.files = s.old.files; s.about.delete("lock"); }, "shut"],
  ];

  test("kept games: in whatever way an older copy is written back, nothing is signed a second time unasked", async () => {
    const ada = await player("Ada", "ada@example.org");
    const bram = await player("Bram", "bram@example.net");
    const game = await begin(ada, bram, "assassyn", { deployment: "sealed" });
    await accept(bram, await letter(ada), game);
    const [here] = (await state(ada, game)).mine ? [ada] : [bram];
    const other = await here.page.evaluate(async () => (await keep.change({ do: "begin", game: "asalto", side: "besiegers", name: "Carol", email: "carol@example.org" })).done);
    const copy = (name) => here.page.evaluate(async (name) => {
      const from = keep.database.transaction(["files", "about"]);
      const all = async (store) => [await keep.request(store.getAllKeys()), await keep.request(store.getAll())];
      window[name] = { files: await all(from.objectStore("files")), about: await all(from.objectStore("about")) };
      // What lies outside the page outlives it.
      const aside = await new Promise((done) => { const asked = indexedDB.open("aside", 1); asked.onupgradeneeded = () => asked.result.createObjectStore("all"); asked.onsuccess = () => done(asked.result); });
      const to = aside.transaction("all", "readwrite");
      to.objectStore("all").put(window[name], name);
      await new Promise((done) => { to.oncomplete = done; });
      aside.close();
    }, name);
    // Writes what is stored now, changed in one of these ways.
    const spoil = (way) => here.page.evaluate(`(${async (way, game, other) => {
      const aside = await new Promise((done) => { const asked = indexedDB.open("aside", 1); asked.onsuccess = () => done(asked.result); });
      const get = (name) => new Promise((done) => { const asked = aside.transaction("all").objectStore("all").get(name); asked.onsuccess = () => done(asked.result); });
      const maps = ({ files, about }) => ({ files: new Map(files[0].map((name, nth) => [name, files[1][nth]])), about: new Map(about[0].map((name, nth) => [name, about[1][nth]])) });
      const s = { ...maps(await get("newer")), old: maps(await get("older")), record: `data/games/${game}.pbem`, known: `data/known/${game}.known`, other: `data/games/${other}.pbem` };
      aside.close();
      s.drop = (pattern) => { for (const name of [...s.files.keys()]) if (pattern.test(name)) s.files.delete(name); };
      s.back = (pattern) => { s.drop(pattern); for (const [name, value] of s.old.files) if (pattern.test(name)) s.files.set(name, value); };
      if (way) way(s);
      const to = keep.database.transaction(["files", "about"], "readwrite");
      for (const part of ["files", "about"]) {
        to.objectStore(part).clear();
        for (const [name, value] of s[part]) if (value !== undefined) to.objectStore(part).put(value, name);
      }
      await new Promise((done) => { to.oncomplete = done; });
    }})(${way}, ${JSON.stringify(game)}, ${JSON.stringify(other.game)})`);
    const signatures = (record) => (record.match(/^ {2}~ .*$/gm) || []).join();
    const [row, before] = (await state(here, game)).own === "white" ? [1, 2] : [6, 5];
    const [first, second] = ["PW", "WP"].map(([one, other]) => `deploy ${one}a${row} ${other}b${row} Lc${row} Ld${row} Sa${before} Sb${before} Af${row}`);
    await here.page.evaluate((game) => keep.sure.add(game), game);
    await copy("older");
    const made = await here.page.evaluate(([game, typed]) => keep.change({ do: "enter", game, typed }), [game, first]);
    assert.ok(made.done && made.done.line, JSON.stringify(made).slice(0, 300));
    const signed = signatures((await state(here, game)).record);
    assert.notEqual(signed, "");
    await copy("newer");
    const shut = async () => {
      await here.page.reload();
      await here.page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    };
    for (const [what, way, told] of WAYS) {
      await spoil(way);
      await shut();
      // What is stored is opened by the page's own function, so that a refusal is an answer.
      const fault = await here.page.evaluate((phrase) => keep.unlock(phrase), phrase);
      if (told === "shut") {
        assert.match(fault, /the passphrase is wrong|was taken away/, what);
        assert.equal(await here.page.evaluate(() => Boolean(keep.key)), false, what);
      } else {
        assert.equal(fault, "", what);
        const altered = await here.page.evaluate(() => keep.altered);
        if (told === "told") assert.match(altered, /Something other than this page/, what);
      }
      const answer = await here.page.evaluate(([game, typed]) => keep.change({ do: "enter", game, typed }), [game, second]);
      assert.ok(answer.refused || answer.error, `${what}: ${JSON.stringify(answer).slice(0, 300)}`);
      if (told === "broken") assert.match(answer.refused.message, /cannot be opened/, what);
      const left = await here.page.evaluate((game) => String(keep.files.get(`data/games/${game}.pbem`) || ""), game);
      assert.ok(["", signed].includes(signatures(left)), `${what}: ${left}`);
      // Nothing that was stored is lost by looking: put back whole, it is opened as before.
      await spoil(null);
      await shut();
      assert.equal(await here.page.evaluate((phrase) => keep.unlock(phrase), phrase), "", what);
      assert.equal(signatures((await state(here, game)).record), signed, what);
      assert.equal(await here.page.evaluate(() => keep.altered), "", what);
    }
    // While a write of the page is on its way, and in a tab that was opened before: the page reads anew, and signs nothing of its own accord.
    for (const way of [WAYS[0], WAYS[1], WAYS[2]]) {
      await spoil(null);
      await shut();
      assert.equal(await here.page.evaluate((phrase) => keep.unlock(phrase), phrase), "");
      const settling = here.page.evaluate(() => keep.change({ do: "settle", name: "Ada", email: "ada@example.org" }));
      await spoil(way[1]);
      await settling;
      const answer = await here.page.evaluate(([game, typed]) => keep.change({ do: "enter", game, typed }), [game, second]);
      assert.ok(answer.refused || answer.error, `${way[0]}: ${JSON.stringify(answer).slice(0, 300)}`);
      const left = await here.page.evaluate((game) => String(keep.files.get(`data/games/${game}.pbem`) || ""), game);
      assert.ok(["", signed].includes(signatures(left)), way[0]);
    }
    await ada.done();
    await bram.done();
  });
};
