// Moves in the words of players. What stands here is notation turned into words: no rule is known, and nothing is judged by it.
const WAYS: Record<string, string> = { N: "north", E: "east", S: "south", W: "west" };
const KINDS: Record<string, string> = { I: "isolationist", A: "aggressor", D: "advocate" };
const list = (parts: string[]): string => (parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);
const unit = (name: string): string => name.replace(/\.(\d+)$/, " $1");

/** How one action is told, by its form. */
const FORMS: [RegExp, (...found: string[]) => string][] = [
  [/^deploy seal:.*/, () => "places seven pieces, sealed"],
  [/^deploy (.*)/, (_, pieces = "") => `places ${pieces.split(" ").length} pieces`],
  [/^place ([a-z][a-z-]*)@(\w+)$/, (_, card = "", area = "") => `${card} to ${area}`],
  [/^place (.*)/, (_, squares = "") => `places on ${list(squares.split(" "))}`],
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
  [/^draw$/, () => "draws a card"],
  [/^keep$/, () => "keeps a card"],
  [/^draw (.+)$/, (_, card = "") => (/seal|[0-9a-f]{16}/.test(card) ? "draws a card" : `draws ${card}`)],
  [/^(keep|discard) (.+)$/, (_, what = "", card = "") => `${what}s ${card}`],
  [/^end$/, () => "ends the turn"],
  [/^accept$/, () => "accepts the challenge"],
  [/^accept roll (\d+) (\d+)/, (_, one = "", other = "") => `accepts: the dice show ${one} and ${other}`],
  [/^accept seal:.*/, () => "accepts; the dice are sealed"],
  [/^huff (\S+)$/, (_, square = "") => `huffs ${square}`],
  [/^\+([a-h]\d)([IAD])$/, (_, square = "", kind = "") => `claims ${square}: ${KINDS[kind]}`],
  [/^\+([a-h]\d)$/, (_, square = "") => `claims ${square}`],
  [/^\+([a-h]\d) .*$/, (_, square = "") => `claims ${square}, sealed`],
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
  [/^seal:\S+$/, () => "puts something down, sealed"],
  [/^resign$/, () => "resigns"],
  [/^draw\?$/, () => "offers a draw"],
  [/^draw!$/, () => "agrees to a draw"],
  [/^(open|reveal|show|commit|roll|deal|toss|salt)\b.*/, (_, what = "") => `${what}s what was sealed`],
];

/** One action in words; as it is written where its form is not known. Seals, salts and keys are left out. */
export const action_words = (action: string): string => {
  const trimmed = action.trim();
  for (const [form, told] of FORMS) {
    const found = trimmed.match(form);
    if (found) return told(...found);
  }
  return trimmed
    .replace(/\bseal:\S+/g, "sealed")
    .replace(/\b[0-9a-f]{8,}(\.\.\.|\u2026)?/g, "sealed")
    .replace(/\bkey [A-Za-z0-9+/]{8}\S*/g, "a key");
};

/** What goes with a move so that it can be proven, and is no part of what happens on the board. */
const PROOF = /^(key|commit)\b/;

/** An entry in words; a long one is counted, and what only proves it is left out. */
export const entry_words = (actions: string): string => {
  const all = actions
    .split(";")
    .map((part) => part.trim())
    .filter(Boolean);
  const told = all.filter((part) => !PROOF.test(part));
  const parts = told.length ? told : all;
  if (parts.length <= 3) return parts.map(action_words).join("; ");
  return `${action_words(parts[0] || "")} and ${parts.length - 1} more steps`;
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
