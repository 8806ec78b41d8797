// A page with a game in it came from somebody, who may have changed what it does: it keeps nothing but open games, and never asks for a
// secret, a key or a passphrase.
import { h } from "preact";
import { app } from "./app";
import type { HomeLike } from "./world";

const advice = () =>
  app.needs_secret()
    ? h(
        "p",
        { id: "guest" },
        "This page came with a game, so whoever sent it could have changed it: it never asks for your secret, key or passphrase, and you should type none here. Play sealed and signed games with the program, or in a page of your own without a game, which ",
        h("code", null, "postrider page --referee"),
        " makes; it reads this record.",
      )
    : null;

export const guest: HomeLike = {
  game: null,
  start() {},
  reads: () => false,
  enter: async () => null,
  leave: () => app.leave(),
  hush() {},
  is_private: () => false,
  advice,
  is_new: () => true,
  is_shown: () => false,
  dock: () => null,
  details: () => null,
  front: () => null,
  status: () => null,
  sends_first: () => false,
};
