// The words of players.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ended, entry_words } from "../src/page/words";

test("a player reads of a game that is over who of the two has won", () => {
  assert.equal(ended({ winner: "white", reason: "siege" }, "white"), "You won: their Commander cannot get out of siege");
  assert.equal(ended({ winner: "white", reason: "siege" }, "black"), "You lost: your Commander cannot get out of siege");
  assert.equal(ended({ winner: null, reason: "agreed" }, "black"), "Drawn: you agreed on it");
  assert.equal(ended({ winner: "black", reason: "something new" }, "black"), "You won: something new");
  assert.equal(ended({ winner: null, reason: "something new" }, "black"), "Drawn: something new");
});

test("what is sealed, and what proves it, is told without its digits", () => {
  const hex = "0123456789abcdef".repeat(4);
  for (const [actions, words] of [
    [`toss seal:${hex}; roots root:${hex} root:${hex}`, "seals the toss"],
    [`roots root:${hex} root:${hex}`, "seals the cards"],
    [`guess 1; deck seal:${hex} seal:${hex}`, "guesses 1"],
    [`toss 0 open:${hex}; deal 13 22 5; hand 5`, "shows the toss: 0; takes 5 cards into the hand"],
    [`seeds seed:${hex}; deck seal:${hex}; hand 5; place exorcist@BP open:1:${hex}`, "takes 5 cards into the hand; exorcist to BP"],
    [`place rift-stalker@BP open:3:${hex}`, "rift-stalker to BP"],
    [`discard hellfire open:23:${hex}; end`, "discards hellfire; ends the turn"],
    [`event trap-portal stealth-sniper.1 open:12:${hex}`, "trap-portal: stealth-sniper 1"],
    ["draw 2", "draws 2 cards"],
    ["deal 12", "deals a card"],
    [`+d1 seal:${hex}; d4xd5 open:5:A:${hex}`, "claims d1, sealed; d4 takes, to d5"],
    [`Lc1xc5 seal:${hex}`, "c1 takes, to c5"],
    [`open:${hex}; Ld1-d2`, "opens what was sealed; d1 to d2"],
    [`deploy seal:${hex}`, "places seven pieces, sealed"],
    [`accept salt:${hex}`, "accepts the challenge"],
    ["deploy", "deploy"],
    ["draw hellfire rifle-squad", "draws hellfire and rifle-squad"],
  ] as const)
    assert.equal(entry_words(actions), words);
});

test("a player's own moves are told to that player, of every game", () => {
  const hex = "0123456789abcdef".repeat(4);
  for (const [actions, words] of [
    ["+d3A; d4xd5", "claim d3: aggressor; d4 takes, to d5"],
    [`+d1 seal:${hex}`, "claim d1, sealed"],
    ["place a1 b2", "place on a1 and b2"],
    ["deploy Pa6 Wb6", "place 2 pieces"],
    [`accept seal:${hex}`, "accept; the dice are sealed"],
    ["accept roll 7 5", "accept: the dice show 7 and 5"],
    ["huff a4", "huff a4"],
    ["guess 1; pick 2", "guess 1; pick deck 2"],
    [`toss seal:${hex}`, "seal the toss"],
    [`open:${hex}; Ld1-d2`, "open what was sealed; d1 to d2"],
    ["draw 2; discard hellfire; end", "draw 2 cards; discard hellfire; end the turn"],
    ["exorcist.1", "exorcist.1"],
    ["attack exorcist.1 HQ:10", "exorcist 1 attacks HQ for 10"],
    ["e4=N", "e4 turns north"],
    ["draw?", "offer a draw"],
    ["draw!", "agree to a draw"],
    ["resign", "resign"],
    ["draw; keep; hand 5; end", "draw a card and 3 more steps"],
  ] as const)
    assert.equal(entry_words(actions, true), words);
});
