// A page with a game in it came from somebody, who may have changed what it does: it keeps nothing but open games, and never asks for a
// secret, a key or a passphrase.
const home = {
  game: null,
  reads: () => false,
  begins: () => false,
  start() {},
  front() {},
  panel() {
    const { why_not: why, standing } = app.opened;
    if (!why || standing.outcome || !/secret|key/.test(why)) return null;
    return make("div", { class: "note", id: "guest" }, make("p", {}, "This page came with a game, so whoever sent it could have changed it: it never asks for your secret, key or passphrase, and you should type none here. Play sealed and signed games with the program, or in a page of your own without a game, which ", make("code", {}, "postrider page --referee"), " makes; it reads this record."));
  },
};
