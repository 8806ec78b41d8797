// What can be asked of a player's home: crates/player has the other half.

interface Entering {
  game: string;
  typed?: string;
  message?: string;
  time?: string;
  side?: string;
  unsigned?: boolean;
  accept_rewritten?: boolean;
  despite_key?: boolean;
  only_here?: boolean;
}

/** What is to be done. Games are called by their ids; only `begin` takes the name of a game. */
export type Deed =
  | { do: "look" }
  | { do: "settle"; name: string; email: string | null }
  | {
      do: "begin";
      game: string;
      side: string;
      name: string;
      email: string | null;
      title?: string | null;
      clock?: string | null;
      options?: Record<string, string>;
      open?: boolean;
      by_mail?: boolean;
      unsigned?: boolean;
    }
  | { do: "accept"; game: string; side?: string; despite_key?: boolean; despite_entries?: boolean }
  | { do: "decline"; game: string; tell: boolean }
  | { do: "own"; game: string; side: string }
  | { do: "game"; game: string }
  | { do: "view"; game: string; at?: number; begun?: string; from?: string; look?: string; public?: boolean; mark?: string }
  | { do: "next"; game: string; begun?: string; seed?: number }
  | ({ do: "judge" } & Entering)
  | ({ do: "enter" } & Entering)
  | ({ do: "answer" } & Entering)
  | { do: "prepare"; game: string; entries: string[] }
  | { do: "unprepare"; game: string; path: string[] }
  | { do: "undo"; game: string; unsent?: boolean }
  | { do: "date-anew"; game: string }
  | { do: "receive"; letter?: string; base64?: string; game?: string; agree?: string; digits?: string; seat?: string; vouched?: boolean }
  | { do: "letter"; game: string; to?: string; force?: boolean; word?: string; page_at?: string }
  | { do: "publish"; game: string }
  | { do: "audit"; game: string }
  | { do: "evidence"; one: string; other: string }
  | {
      do: "key";
      what: string;
      who?: string;
      key?: string;
      passphrase?: string | null;
      opens?: string | null;
      code?: string;
      instead?: boolean;
    }
  | { do: "secrets"; what: string; text?: string; passphrase?: string | null }
  | { do: "backup"; passphrase: string }
  | { do: "hand-over"; game: string; passphrase: string; only_here?: boolean }
  | { do: "stay"; game: string }
  | { do: "restore"; backup: string; passphrase: string; untaken?: boolean; despite_key?: boolean };
