// Passphrases: one that is chosen is typed twice, and one that opens something is asked for where it opens.
import { home } from "../home";
import { Field } from "./parts";

export const Phrase = ({ id, label, auto = "off" }: { id: string; label: string; auto?: string }) => (
  <Field id={id} label={label} type="password" autocomplete={auto} />
);

/** A passphrase as it was typed, with its spaces. */
export const phrase = (id: string): string => (document.getElementById(id) as HTMLInputElement | null)?.value || "";

/** A passphrase that is chosen. */
export const NewPhrase = ({ id, label }: { id: string; label: string }) => (
  <>
    <Phrase id={id} label={label} auto="new-password" />
    <Phrase id={`${id}-again`} label="The same once more" auto="new-password" />
  </>
);

/** Forgets what was typed. */
export const clear_phrases = (...ids: string[]): void => {
  for (const id of ids) {
    const field = document.getElementById(id) as HTMLInputElement | null;
    if (field) field.value = "";
  }
};

/** What was typed twice; null, and said why, if it was not. `may_lack`: whether there may be none. */
export const chosen = (
  id: string,
  may_lack = false,
  says: (wrong: string) => unknown = (wrong) => home.tell({ message: wrong, acts: [] }),
): string | null => {
  const [one, again] = [phrase(id), phrase(`${id}-again`)];
  const wrong = one !== again ? "the two passphrases differ" : one || may_lack ? "" : "a passphrase is needed: type it twice";
  if (wrong) says(wrong);
  else clear_phrases(id, `${id}-again`);
  return wrong ? null : one;
};
