// Moves in the words of players. What stands here is notation turned into words: no rule is known, and nothing is judged by it.
const WAYS: Record<string, string> = { N: "north", E: "east", S: "south", W: "west" };
const KINDS: Record<string, string> = { I: "isolationist", A: "aggressor", D: "advocate" };
const list = (parts: string[]): string => (parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);
const unit = (name: string): string => name.replace(/\.(\d+)$/, " $1");

type Form = [RegExp, (...found: string[]) => string];

/** How an action is told that is nothing but what it seals or shows. In brackets stands what a verb ends with, unless it is told to who does it. */
const SEALED: Form[] = [
  [/^deploy seal:/, () => "place(s) seven pieces, sealed"],
  [/^accept seal:/, () => "accept(s); the dice are sealed"],
  [/^\+([a-h]\d) seal:/, (_, square = "") => `claim(s) ${square}, sealed`],
  [/^seal:\S+$/, () => "put(s) something down, sealed"],
  [/^toss seal:/, () => "seal(s) the toss"],
  [/^toss ([01]) open:/, (_, side = "") => `show(s) the toss: ${side}`],
  [/^(deck seal:|roots )/, () => "seal(s) the cards"],
  [/^seeds /, () => "show(s) the other decks"],
  [/^shuffle (seal|root):/, () => "shuffle(s) what was discarded, sealed"],
  [/^deal (.*)/, (_, cards = "") => `deal(s) ${cards.split(" ").length === 1 ? "a card" : `${cards.split(" ").length} cards`}`],
  [/^(open|reveal|show|commit|roll|salt)\b.*/, (_, what = "") => `${what}(s) what was sealed`],
];

/** Seals, salts and openings behind an action, which prove what it says. */
const BEHIND = /( (open|seal|salt|root|seed):\S+)+$/;

/** How one action is told, by its form. */
const FORMS: Form[] = [
  [/^deploy (.*)/, (_, pieces = "") => `place(s) ${pieces.split(" ").length} pieces`],
  [/^place ([a-z][a-z-]*)@(\w+)$/, (_, card = "", area = "") => `${card} to ${area}`],
  [/^place (.*)/, (_, squares = "") => `place(s) on ${list(squares.split(" "))}`],
  [/^play ([^@]+)@(\w+)$/, (_, card = "", area = "") => `${card} to ${area}`],
  [/^move ([^>]+)>(\w+)(.*)$/, (_, name = "", area = "", rest = "") => `${unit(name)} to ${area}${rest}`],
  [
    /^(attack|event) (\S+) (.*)$/,
    (_, how = "", name = "", targets = "") => {
      const hit = targets.split(" ").map((target) => target.split(":"));
      const told = hit.map(([on = "", damage]) => unit(on) + (damage ? ` for ${damage}` : ""));
      return `${unit(name)}${how === "event" ? ":" : " attacks"} ${list(told)}`;
    },
  ],
  [/^draw$/, () => "draw(s) a card"],
  [/^draw (\d+)$/, (_, count = "") => `draw(s) ${count} cards`],
  [/^hand (\d+)$/, (_, count = "") => `take(s) ${count} cards into the hand`],
  [/^guess ([01])$/, (_, side = "") => `guess(es) ${side}`],
  [/^pick (\d+)$/, (_, deck = "") => `pick(s) deck ${deck}`],
  [/^keep$/, () => "keep(s) a card"],
  [/^draw (.+)$/, (_, card = "") => (/seal|[0-9a-f]{16}/.test(card) ? "draw(s) a card" : `draw(s) ${list(card.split(" "))}`)],
  [/^(keep|discard) (.+)$/, (_, what = "", card = "") => `${what}(s) ${card}`],
  [/^end$/, () => "end(s) the turn"],
  [/^accept$/, () => "accept(s) the challenge"],
  [/^accept roll (\d+) (\d+)/, (_, one = "", other = "") => `accept(s): the dice show ${one} and ${other}`],
  [/^huff (\S+)$/, (_, square = "") => `huff(s) ${square}`],
  [/^\+([a-h]\d)([IAD])$/, (_, square = "", kind = "") => `claim(s) ${square}: ${KINDS[kind]}`],
  [/^\+([a-h]\d)$/, (_, square = "") => `claim(s) ${square}`],
  [/^([A-Z]?)([a-h]\d)=([NESW])$/, (_, _piece, square = "", way = "") => `${square} turns ${WAYS[way]}`],
  [/^([A-Z]?)([a-h]\d)-([a-h]\d)\*(\d+)$/, (_, _piece, from = "", to = "", count = "") => `${from} to ${to}, ${count} tokens`],
  [
    /^([A-Z]?)([a-h]\d)-([a-h]\d)(=[NESW])?$/,
    (_, _piece, from = "", to = "", way = "") => `${from} to ${to}${way ? `, ${WAYS[way[1] || ""]}` : ""}`,
  ],
  [
    /^([A-Z]?)([a-h]\d)x([a-h]\d)(.*)$/,
    (_, _piece, from = "", to = "", rest = "") => `${from} takes, to ${to}${rest && !/^[=*]/.test(rest) ? rest.replace(/x/g, ", ") : ""}`,
  ],
  [/^resign$/, () => "resign(s)"],
  [/^draw\?$/, () => "offer(s) a draw"],
  [/^draw!$/, () => "agree(s) to a draw"],
];

/**
 * One action in words, to its own player if `you`; as it is written where its form is not known. Seals, salts and keys are left out.
 */
export const action_words = (action: string, you = false): string => {
  const trimmed = action.trim();
  const bare = trimmed.replace(BEHIND, "");
  for (const [text, forms] of [
    [trimmed, SEALED],
    [bare, FORMS],
  ] as const) {
    for (const [form, told] of forms) {
      const found = text.match(form);
      if (found) return told(...found).replace(/\((e?s)\)/g, you ? "" : "$1");
    }
  }
  return trimmed
    .replace(/\b(seal|root|seed|salt|open):\S+/g, "sealed")
    .replace(/\b[0-9a-f]{8,}(\.\.\.|\u2026)?/g, "sealed")
    .replace(/\bkey [A-Za-z0-9+/]{8}\S*/g, "a key");
};

/** What goes with a move so that it can be proven, and is no part of what happens on the board or in a hand. */
const PROOF = /^(key|commit|roots|deck|seeds|deal|shuffle)\b/;

/** An entry in words, to its own player if `you`; a long one is counted, and what only proves it is left out. */
export const entry_words = (actions: string, you = false): string => {
  const all = actions
    .split(";")
    .map((part) => part.trim())
    .filter(Boolean);
  const told = all.filter((part) => !PROOF.test(part));
  const parts = told.length ? told : all;
  if (parts.length <= 3) return parts.map((part) => action_words(part, you)).join("; ");
  return `${action_words(parts[0] || "", you)} and ${parts.length - 1} more steps`;
};

/** A time in the words of the reader's own language and zone. */
export const when = (time: string): string => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" });
};

/** A name, cut after forty characters. */
export const short = (name: string): string => ([...name].length > 40 ? `${[...name].slice(0, 39).join("")}\u2026` : name);

/** What is told of an action, without the places that its own words name already. */
export const without_places = (told: string, words: string): string =>
  told
    .split("; ")
    .filter((part) => !words.split(/[ ,:]+/).includes(part.match(/^(?:from|to) (\S+)$/)?.[1] || ""))
    .join("; ");

/** The beginning of a sentence. The name of a square stays as it is written. */
export const capital = (text: string): string => (/^[a-z][0-9]/.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1));

/** How a game has ended: the side that has won, unless it is a draw, and why. */
export interface End {
  winner: string | null;
  reason: string;
}

/** Why a player has won, and why one has lost. */
const WON: Record<string, [won: string, lost: string]> = {
  resigned: ["your opponent resigned", "you resigned"],
  time: ["your opponent's time ran out", "your time ran out"],
  siege: ["their Commander cannot get out of siege", "your Commander cannot get out of siege"],
  prince: ["their Prince is dead", "your Prince is dead"],
  units: ["they have no unit left", "no unit is left"],
  territory: ["they have no territory left", "no territory is left"],
  captured: ["fifteen besiegers are captured", "fifteen besiegers are captured"],
  huffed: ["no defender is left", "no defender is left"],
  immobile: ["no besieger can move", "no besieger can move"],
  fortress: ["the fortress is full", "the fortress is full"],
  trapped: ["the defenders are trapped", "the defenders are trapped"],
  "turn limit": ["the last turn is over", "the last turn is over"],
};

/** Why a game is drawn. */
const DRAWN: Record<string, string> = {
  agreed: "you agreed on it",
  repetition: "the same position came again and again",
  quiet: "nothing was captured for too long",
  "no option": "no turn was possible",
  stalemate: "no move was possible",
  bare: "only the Commanders are left",
  princes: "both Princes are dead",
  "turn limit": "the last turn is over",
};

/** How a game has ended, to one of its players. */
export const ended = ({ winner, reason }: End, own: string): string => {
  if (!winner) return `Drawn: ${DRAWN[reason] || reason}`;
  const [won, lost] = WON[reason] || [reason, reason];
  return winner === own ? `You won: ${won}` : `You lost: ${lost}`;
};
