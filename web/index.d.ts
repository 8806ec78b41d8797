/** A record: the text of the file. */
export type RecordText = string;

/** What was asked for, or `refused`: `if (!answer.refused)` tells the two apart for the compiler too. */
export type Or<T> = (T & { refused?: undefined }) | ({ refused: Refused } & { [member in keyof T]?: undefined });

export interface Fault { entry: number | null; line: number | null; column: number | null; rule: string | null; message: string }
/** What `postrider verify --json` prints; `path` is always null here. */
export interface Report {
  path: string | null;
  verdict: "legal" | "illegal" | "malformed" | "unjudged";
  game: string | null;
  entries: number;
  due: string | null;
  result: string | null;
  signatures: { checked: "all" | "newest"; keys: { [side: string]: { key: string; fingerprint: string } | null }; declared?: { [side: string]: { key: string; fingerprint: string } }; host?: { key: string; fingerprint: string } } | null;
  errors: Fault[];
}
export interface Verdict { report: Report; excerpts: string[]; more: number; summary: string }

export interface GameOption { name: string; values: string; words: string[]; default: string; about: string }
export interface Game { name: string; title: string; about: string; sides: [string, string]; sealable: boolean; stepwise: boolean; options: GameOption[] }
export interface Level { number: number; name: string; about: string; playouts: number }
export interface About { interface: number; version: string; games: Game[]; levels: Level[] }

export interface Refused {
  message: string;
  ruling?: string;
  /** The number of the rule that is broken, the rulebook it is in, and its text (Markdown). */
  rule?: string;
  book?: string;
  text?: string | null;
  /** What was typed, with the message and the time if the fault is there. */
  typed?: string;
  /** Where in that: `typed.slice(start, end)` is what is wrong. */
  start?: number;
  end?: number;
  excerpt?: string;
  /** The rulebook that explains how actions are written, where what was typed is none. */
  see?: string | null;
  verdict?: Verdict;
}

/** How a game has ended: the side that has won, unless it is a draw, and the reason. */
export interface End { winner: string | null; reason: string }

export interface Entry {
  number: number;
  side: string;
  actions: string;
  brief: string;
  /** The actions as the other side is told of them: in a practice game less than the whole, until it is over. */
  told: string;
  time: string | null;
  message: string | null;
  left: string | null;
}
export interface Opened {
  verdict: Verdict;
  /** Null where nothing of the record can be replayed; then there is only the verdict. */
  game: { name: string; title: string; sides: [string, string]; stepwise: boolean } | null;
  /** The side whose entry is due; null if the game is over. */
  due?: string | null;
  /** How the game ended. */
  result?: string | null;
  /** Of a record that was opened at an earlier entry, what there was of it. */
  record?: RecordText;
  id?: string;
  title?: string | null;
  started?: string;
  players?: { side: string; name: string; email: string | null; key: string | null; signed: boolean }[];
  options?: { [name: string]: string };
  sealed?: boolean;
  entries?: Entry[];
  standing?: {
    entries: number; due: string | null; what: string;
    /** The same as its player is told it: `move a besieger`. */
    task: string; outcome: string | null; end: End | null; offer: string | null;
    clocks: { left: { side: string; left: string }[]; deadline: string | null } | null; last: string | null; timed: boolean;
  };
  /** In a game against the machine: its side, the player's, and what the header says of it. */
  practice?: { side: string; own: string; level: number; seed: number } | null;
  /** Whether entries can be made without a secret and a key, and why not. */
  playable?: boolean;
  why_not?: string | null;
  /** Whether a host keeps the game, and enters for its players. */
  hosted?: boolean;
}

export interface Position {
  entry: number;
  /** The position line. */
  position: string;
  words: string;
  svg: string;
  width: number;
  height: number;
  /** Places of the picture by the names that entries have for them: left, top, width, height. */
  targets: { name: string; area: [number, number, number, number] }[];
  pieces: { place: string; name: string; letter: string; side: string }[];
  /** The stacks of tokens, from bottom to top; of a tall one the upper tokens, and how many more are `below` them. */
  stacks: { place: string; size: number; side: string; tokens: { sign: string; name: string }[]; below: number; controlled: boolean; short: number }[];
}

export type Next = Or<{
  actions: string[];
  /** Whether the entry may end here. */
  whole: boolean;
  /** Words among the actions that stand for very many entries, with examples of these. */
  words?: { [word: string]: string[] };
  /** Where the pieces of such a word may be put, and what each letter is called. */
  placing?: { [word: string]: { squares: string[]; pieces: { [letter: string]: string } } };
  /** What an action takes, by the action, where the action itself does not name it: `takes c5`. */
  says?: { [action: string]: string };
  /** In a game against the machine, words among the actions for what the module throws or draws. */
  thrown?: string[];
}>;
/** What may be entered, or in the place of a refused entry. */
export type Moves = Or<{ moves: string[] }>;

/** An entry that is legal. */
export interface Made { number: number; side: string; actions: string; line: string; outcome: string | null; end: End | null }
export type Judged = Or<Made>;
export type Appended = Or<Made & {
  record: RecordText;
  /** A reply by mail that `postrider receive` takes: to whom, its subject, and its text, with the message. None in a practice game. */
  reply?: { to: string | null; subject: string; actions: string; body: string; block: string | null };
}>;
/** The record as it was after an entry, by its number; 0 is before the first. By default all of it. */
export interface At { at?: number }
/** The message to the opponent, and the time: `2026-11-21T10:15:00Z`. */
export interface Beside { message?: string; time?: string }
export interface Beginning {
  game: string; id: string; started: string;
  players: { [side: string]: { name: string; email?: string | null } };
  title?: string | null; clock?: string | null; options?: { [name: string]: string }; setup?: string | null;
}
export type Begun = Or<{ record: RecordText; notice?: string | null }> & { verdict?: Verdict };

export interface Practice { game: string; side: string; level: number; seed: number; started: string; options?: { [name: string]: string }; setup?: string | null }
/** How much is to be thought; by default as the record says, with its seed. */
export interface Thinking { level?: number; playouts?: number; seed?: number; side?: string }
export type Chosen = Or<{
  /** Up to where something is thrown or drawn; null if nothing can be entered. */
  actions: string | null;
  entry?: string;
  /** The share of the point in percent. */
  expects?: number;
  /** Whether there was nothing to choose. */
  forced?: boolean;
  playouts?: number;
}>;
/** A `record` of null: the player has something to choose, or the game is over. `expects` is null where the entry is the player's. */
export type Answered = Or<(Made & { record: RecordText; expects: number | null }) | ({ record: null } & { [member in keyof Made | "expects"]?: undefined })>;
export interface Reviewed {
  number: number; side: string; actions: string; before: number | null; after: number | null; turned: "missed" | "luck" | "ended" | null;
  better: { actions: string; after: number; answer: string | null; counts: { side: string; what: string; made: number; better: number }[] } | null;
  answer: string | null;
  /** The same in words, where the game turned. */
  headline?: string;
  says?: string[];
}
export type Review = Or<{ entries: Reviewed[]; of: number; carried: number | null; hidden: number; passed_over: number; untold: string[] }>;
export type Undone = Or<{ record: RecordText | null }>;
export interface Minute { paragraphs: string[]; pictures: { entry: string | null; svg: string; words: string }[] }
export interface Lesson { number: number; title: string; rules: string[]; text: string; task: string; solution: string; done: string; record: RecordText }
export interface Lessons { title: string; lessons: Lesson[] }
export type Learned = Or<Made & { record: RecordText; solved: boolean; says: string }>;

/** A request about a player's home. `deed` has `do`, and what README.md lists for it. */
export interface HomeRequest { files?: { [path: string]: string }; bytes?: { [path: string]: string }; random?: string; now: string; passphrase?: string | null; deed: { do: string; [member: string]: unknown } }
export interface HomeRefused { message: string; advice?: string | null; acts: unknown[]; rule?: string | null; text?: string | null }
export interface HomeLetter { game: string; to: string; subject: string | null; text: string | null; name: string; message: string }
export interface HomeAnswer {
  done?: any;
  refused?: HomeRefused;
  notices: { kind: "warning" | "note" | "hint" | "trouble"; text: string }[];
  letters: HomeLetter[];
  /** Files that are new or changed, and paths that are gone: to be stored in one transaction. */
  put: { [path: string]: string };
  bytes: { [path: string]: string };
  removed: string[];
}

export class Referee {
  /** `module` is a `WebAssembly.Module`. */
  constructor(module: object);
  ask(request: object): any;
  askText(request: string): string;
  home(request: HomeRequest): HomeAnswer;
  about(): About;
  rule(book: string, number?: string): { title: string; text: string };
  begin(game: Beginning): Begun;
  verify(record: RecordText | ArrayBuffer | ArrayBufferView): Verdict;
  /** Throws if the record has more than 50,000 entries; `verify` judges longer ones. */
  open(record: RecordText, look?: At): Opened;
  moves(record: RecordText, look?: At): Moves;
  position(record: RecordText, look?: { at?: number; begun?: string; from?: string; mark?: string; look?: "colour" | "print" | "dark" | "classes" }): Position;
  next(record: RecordText, begun?: string, look?: At & { seed?: number }): Next;
  /** Without a time, an entry gets the earliest that it may have, where entries have times. */
  judge(record: RecordText, typed: string, beside?: Beside): Judged;
  /** Without a time, an entry gets that of the system's clock, where entries have times. */
  append(record: RecordText, typed: string, beside?: Beside): Appended;
  practice(game: Practice): Begun;
  answer(record: RecordText, thinking?: Thinking): Answered;
  choose(record: RecordText, thinking?: Thinking): Chosen;
  undo(record: RecordText): Undone;
  review(record: RecordText, part?: { level?: number; seed?: number; first?: number; last?: number; carried?: number | null }): Review;
  minute(game: string): Minute;
  lessons(game: string): Lessons;
  lesson(game: string, number: number, typed: string): Learned;
}
export function load(bytes?: ArrayBuffer | Uint8Array): Promise<Referee>;
