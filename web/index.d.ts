/** A record: the text of the file. */
export type RecordText = string;

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
  /** Where in that, in bytes. */
  start?: number;
  end?: number;
  excerpt?: string;
  verdict?: Verdict;
}

export interface Entry { number: number; side: string; actions: string; brief: string; time: string | null; message: string | null; left: string | null }
export interface Opened {
  verdict: Verdict;
  /** Null where nothing of the record can be replayed; then there is only the verdict. */
  game: { name: string; title: string; sides: [string, string]; stepwise: boolean } | null;
  id?: string;
  title?: string | null;
  started?: string;
  players?: { side: string; name: string; email: string | null; key: string | null; signed: boolean }[];
  options?: { [name: string]: string };
  sealed?: boolean;
  entries?: Entry[];
  standing?: {
    entries: number; due: string | null; what: string; outcome: string | null; offer: string | null;
    clocks: { left: { side: string; left: string }[]; deadline: string | null } | null; last: string | null; timed: boolean;
  };
  /** In a game against the machine: its side, the player's, and what the header says of it. */
  practice?: { side: string; own: string; level: number; seed: number } | null;
  /** Whether entries can be made without a secret and a key, and why not. */
  playable?: boolean;
  why_not?: string | null;
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
}

export interface Next {
  actions?: string[];
  /** Whether the entry may end here. */
  whole?: boolean;
  /** Words among the actions that stand for very many entries, with examples of these. */
  words?: { [word: string]: string[] };
  /** What an action takes, by the action, where the action itself does not name it: `takes c5`. */
  says?: { [action: string]: string };
  /** In a game against the machine, words among the actions for what the module throws or draws. */
  thrown?: string[];
  refused?: Refused;
}

export interface Judged {
  number?: number; side?: string; actions?: string; line?: string; outcome?: string | null;
  refused?: Refused;
}
export interface Appended extends Judged {
  record?: RecordText;
  /** A reply by mail that `postrider receive` takes: to whom, its subject, and its text, with the message. */
  reply?: { to: string | null; subject: string; actions: string; body: string; block: string | null };
}
export interface Beside { message?: string; /** `2026-11-21T10:15:00Z` */ time?: string }
export interface Beginning {
  game: string; id: string; started: string;
  players: { [side: string]: { name: string; email?: string | null } };
  title?: string | null; clock?: string | null; options?: { [name: string]: string }; setup?: string | null;
}
export interface Begun { record?: RecordText; notice?: string | null; refused?: Refused; verdict?: Verdict }

export interface Practice { game: string; side: string; level: number; seed: number; started: string; options?: { [name: string]: string }; setup?: string | null }
/** How much is to be thought; by default as the record says, with its seed. */
export interface Thinking { level?: number; playouts?: number; seed?: number; side?: string }
export interface Chosen {
  /** Up to where something is thrown or drawn; null if nothing can be entered. */
  actions?: string | null;
  entry?: string;
  /** The share of the point in percent. */
  expects?: number;
  /** Whether there was nothing to choose. */
  forced?: boolean;
  playouts?: number;
  refused?: Refused;
}
export interface Answered {
  number?: number; side?: string; actions?: string; line?: string; outcome?: string | null;
  /** Null if the player has something to choose, or the game is over. */
  record?: RecordText | null;
  /** Null where the entry is the player's. */
  expects?: number | null;
  refused?: Refused;
}
export interface Reviewed {
  number: number; side: string; actions: string; before: number | null; after: number | null; turned: "missed" | "luck" | "ended" | null;
  better: { actions: string; after: number; answer: string | null; counts: { side: string; what: string; made: number; better: number }[] } | null;
  answer: string | null;
  /** The same in words, where the game turned. */
  headline?: string;
  says?: string[];
}
export interface Review { entries?: Reviewed[]; of?: number; carried?: number | null; hidden?: number; passed_over?: number; untold?: string[]; refused?: Refused }
export interface Minute { paragraphs: string[]; pictures: { entry: string | null; svg: string; words: string }[] }
export interface Lesson { number: number; title: string; rules: string[]; text: string; task: string; solution: string; done: string; record: RecordText }
export interface Lessons { title: string; lessons: Lesson[] }
export interface Learned extends Judged { record?: RecordText; solved?: boolean; says?: string }

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
  constructor(module: WebAssembly.Module);
  ask(request: object): any;
  askText(request: string): string;
  home(request: HomeRequest): HomeAnswer;
  about(): About;
  rule(book: string, number?: string): { title: string; text: string };
  begin(game: Beginning): Begun;
  verify(record: RecordText | ArrayBuffer | ArrayBufferView): Verdict;
  /** Throws if the record has more than 50,000 entries; `verify` judges longer ones. */
  open(record: RecordText): Opened;
  position(record: RecordText, look?: { at?: number; begun?: string; from?: string; look?: "colour" | "print" | "dark" | "classes" }): Position;
  next(record: RecordText, begun?: string, seed?: number): Next;
  judge(record: RecordText, typed: string, beside?: Beside): Judged;
  append(record: RecordText, typed: string, beside?: Beside): Appended;
  practice(game: Practice): Begun;
  answer(record: RecordText, thinking?: Thinking): Answered;
  choose(record: RecordText, thinking?: Thinking): Chosen;
  undo(record: RecordText): { record?: RecordText | null; refused?: Refused };
  review(record: RecordText, part?: { level?: number; seed?: number; first?: number; last?: number; carried?: number | null }): Review;
  minute(game: string): Minute;
  lessons(game: string): Lessons;
  lesson(game: string, number: number, typed: string): Learned;
}
export function load(bytes?: ArrayBuffer | Uint8Array): Promise<Referee>;
