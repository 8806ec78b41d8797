// What the parts of the page share: where they say what happened, and the player's home, which a page that came with a game has not.
import type { ComponentChildren } from "preact";
import type { Answer } from "./referee";

/** Something in a letter that is taken only if the player says so. */
export interface Asking {
  agreed: { agree: string; digits: string }[];
  strangers: { game: string; newest: string | null }[];
  letter: object;
  of: string | undefined;
  record: string | null;
}

/** Something that was said: lines, whether they are bad news, and what can be done about it. */
export interface Said {
  lines: string[];
  bad: boolean;
  /** What else there is to say, folded. */
  aside?: string[] | undefined;
  rule?: string | null | undefined;
  text?: string | null | undefined;
  more?: (() => ComponentChildren) | undefined;
  asking?: Asking | undefined;
}

/** The player's games, where the page keeps any. */
export interface HomeLike {
  game: Answer;
  start(): Promise<void> | void;
  /** Takes what came in, if it has to do with games that are kept. */
  reads(bytes: Uint8Array<ArrayBuffer>, record: string | null): boolean;
  enter(typed: string): Promise<unknown>;
  leave(): void;
  /** Forgets what was said: it was about something else than what is shown now. */
  hush(): void;
  /** Whether what is planned in the game that is shown must not be stored as it is typed. */
  is_private(): boolean;
  /** What can be done about a game that is not played here as it is. */
  advice(): ComponentChildren;
  /** Whether nothing is kept here yet. */
  is_new(): boolean;
  /** Whether the game that is shown is a kept one. */
  is_shown(): boolean;
  /** What stands in the dock instead of a move, if anything does. */
  dock(): ComponentChildren;
  /** What stands on *Details*. */
  details(): ComponentChildren;
  /** What stands on the first screen. */
  front(): ComponentChildren;
  /** Whether a letter is to be sent before a move is chosen. */
  sends_first(): boolean;
  /** The first line of the status, if it is not that of the game. */
  status(): string | null;
}

export const world: { home: HomeLike; render: () => void } = {
  home: null as unknown as HomeLike,
  render: () => {},
};

/** Tells a screen reader. */
export const say = (text: string): void => {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
};

export const focus_on = (id: string): void => document.getElementById(id)?.focus({ preventScroll: true });

export const value_of = (id: string): string => {
  const field = document.getElementById(id);
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement
    ? field.value.trim()
    : "";
};

export const is_checked = (id: string): boolean => {
  const field = document.getElementById(id);
  return field instanceof HTMLInputElement && field.checked;
};

/** Reads a chosen file as text; null without one. */
export const chosen_text = async (id: string): Promise<string | null> => {
  const field = document.getElementById(id);
  const file = field instanceof HTMLInputElement ? field.files?.[0] : null;
  return file && file.size < 64 * 1024 * 1024 ? file.text() : null;
};
