// What a player does with keys, secrets, backups and passphrases.
import { useState } from "preact/hooks";
import { drafts } from "../drafts";
import { home, keep } from "../home";
import type { Answer } from "../referee";
import { chosen_text, say } from "../world";
import { Button, Field, Fold } from "./parts";
import { chosen, clear_phrases, NewPhrase, Phrase, phrase } from "./phrases";

const text_of = (id: string): string => phrase(id);
const File = ({ id, label, accept }: { id: string; label: string; accept?: string }) => (
  <label>
    {label}
    <input id={id} type="file" accept={accept} />
  </label>
);

const statement = ({ statement }: Answer): string[] =>
  statement ? ["These lines say it in any other mail, whoever sends it:", ...statement.split("\n")] : [];

const OwnKey = ({ own }: { own: Answer }) => (
  <>
    <p>
      My key: <code id="fingerprint">{own.fingerprint}</code>
      {own.locked ? " (locked with a passphrase)" : ""}
      {own.withdrawn ? `, ${own.withdrawn}` : ""}
    </p>
    <NewPhrase id="export-phrase" label="A passphrase for the copy" />
    <Button
      id="export-key"
      act={() => {
        const passphrase = chosen("export-phrase");
        return passphrase
          ? home.made(
              { do: "key", what: "export", passphrase },
              "postrider-key.pem",
              () => "The copy opens only with its passphrase; `postrider key import` reads it too.",
            )
          : undefined;
      }}
    >
      Export the key
    </Button>
    <NewPhrase
      id="key-own-phrase"
      label={
        own.locked ? "Another passphrase of its own; empty for none" : "A passphrase of its own, which is asked for before the key signs"
      }
    />
    <Button
      id="lock-key"
      act={() => {
        const own = chosen("key-own-phrase", true);
        if (own === null) return;
        return home.settle({ do: "key", what: "lock", passphrase: own || null }, () => {
          keep.passphrase = null;
          return own ? "From now on the key signs only with its own passphrase." : "The key has no passphrase of its own now.";
        });
      }}
    >
      {own.locked ? "Change its passphrase" : "Lock the key"}
    </Button>
    <Field id="prove-code" label="The code of a host that asks whether the key is mine" />
    <Button
      id="prove-it"
      act={() =>
        home.settle({ do: "key", what: "prove", code: text_of("prove-code") }, ({ line }) => {
          drafts.used("prove-code");
          return ["Reply to the host's letter with this line:", line];
        })
      }
    >
      Sign that it is
    </Button>
    <Ending own={own} />
  </>
);

/** A key that somebody else may have, or that is to be replaced. */
const Ending = ({ own }: { own: Answer }) => {
  const [sure, be_sure] = useState(false);
  return (
    <Fold id="key-end" title="Replace or withdraw my key">
      <p>
        New games declare the new key; those that declare the old one go on with that, which is kept. The old key signs that the new one
        follows it, unless it is withdrawn.
      </p>
      {own.locked ? <NewPhrase id="new-key-phrase" label="A passphrase for the new key" /> : null}
      <Button
        id="rotate-key"
        act={() => {
          const passphrase = chosen("new-key-phrase", true);
          if (passphrase === null) return;
          return home.settle({ do: "key", what: "rotate", passphrase: passphrase || null }, (done) => {
            // That of the old one.
            keep.passphrase = null;
            return [
              `New games declare your new key. Its fingerprint, to read out to your opponents: ${done.fingerprint}`,
              ...statement(done),
            ];
          });
        }}
      >
        Make a new key
      </Button>
      {own.withdrawn ? null : (
        <>
          <p>If somebody else may have your key, withdraw it. That cannot be taken back.</p>
          <label class="check">
            <input type="checkbox" id="withdraw-sure" checked={sure} onChange={(event) => be_sure(event.currentTarget.checked)} /> Withdraw
            my key for good
          </label>
          <Button
            id="withdraw-key"
            disabled={!sure}
            act={() =>
              home.settle({ do: "key", what: "withdraw" }, (done) => [
                "Your key is withdrawn for good: no new game declares it, and each letter that you send from now on says so. Your opponents must agree to each further move that it signs.",
                ...statement(done),
              ])
            }
          >
            Withdraw it now
          </Button>
        </>
      )}
    </Fold>
  );
};

export const Keys = () => {
  const { state } = home;
  return (
    <Fold id="keys" title={state.key ? "Keys" : "Keys: sign your moves"}>
      {state.key ? (
        <OwnKey own={state.key} />
      ) : (
        <>
          <p>
            With a key, your opponent and everybody else can be sure that your moves are yours. Games that you begin or enter from then on
            declare it. Without the key such a game cannot go on: make a backup.
          </p>
          <Button
            id="make-key"
            class="main"
            act={() =>
              home.settle(
                { do: "key", what: "make", passphrase: null },
                ({ fingerprint }) => `Your key is made. Its fingerprint, to read out to your opponents: ${fingerprint}`,
              )
            }
          >
            Make a key
          </Button>
          <File id="import-key" label="Or import one (a backup of the program or this page, or OpenSSH's Ed25519)" />
          <Button
            id="import-it"
            act={async () => {
              const key = await chosen_text("import-key");
              if (key)
                home.settle(
                  { do: "key", what: "import", key, opens: null, passphrase: null },
                  ({ fingerprint }) => `Your key is ${fingerprint}`,
                );
            }}
          >
            Import a key
          </Button>
        </>
      )}
      <h3>Opponents' keys</h3>
      {state.trusted.length ? (
        <ul>
          {state.trusted.map(({ who, fingerprint, confirmed, withdrawn }: Answer) => (
            <li key={who + fingerprint}>
              {`${who}: `}
              <code>{fingerprint}</code>
              {withdrawn ? `, ${withdrawn} ` : confirmed ? ", trusted " : ", seen first "}
              {confirmed || withdrawn ? (
                <Button act={() => home.settle({ do: "key", what: "untrust", who })}>No longer</Button>
              ) : (
                <Button act={() => home.settle({ do: "key", what: "trust", who, key: fingerprint })}>It is the right one</Button>
              )}
            </li>
          ))}
        </ul>
      ) : (
        <p>None yet.</p>
      )}
      <Field id="trust-who" label="Whose (mail address)" />
      <Field id="trust-key" label="Fingerprint or key, as read out to you" />
      <Button
        id="trust-it"
        act={() =>
          home.settle({ do: "key", what: "trust", who: text_of("trust-who"), key: text_of("trust-key") }, ({ who, fingerprint }) => {
            drafts.used("trust-who", "trust-key");
            return `${who} is trusted to sign by ${fingerprint}`;
          })
        }
      >
        Trust
      </Button>
    </Fold>
  );
};

export const Backups = () => (
  <Fold id="backups" title="Back up and restore">
    <p>
      One file with everything: games, secrets, keys, and what was signed. It opens only with its passphrase, here and with{" "}
      <code>postrider restore</code>; this page opens those of <code>postrider backup</code>.
    </p>
    <NewPhrase id="backup-phrase" label="A passphrase for the backup" />
    <Button
      id="back-up"
      act={() => {
        const passphrase = chosen("backup-phrase");
        return passphrase
          ? home.made(
              { do: "backup", passphrase },
              null,
              ({ records }) => `A backup of ${records} ${records === 1 ? "game" : "games"} is ready.`,
            )
          : undefined;
      }}
    >
      Back up
    </Button>
    <File id="restore-file" label="A backup, or a game that your other machine has handed over" />
    <Button
      id="restore"
      act={async () => {
        const backup = await chosen_text("restore-file");
        if (!backup) return home.tell({ message: "choose the file first", acts: [] });
        return home.restore(backup);
      }}
    >
      Restore
    </Button>
    <h3>Secrets of sealed games alone</h3>
    <p>
      Without its secret a sealed game can only be resigned. <code>postrider secret import</code> reads what is saved here, and the other
      way round.
    </p>
    <NewPhrase id="secrets-phrase" label="A passphrase for the copy" />
    <Button
      id="secrets-out"
      act={() => {
        const passphrase = chosen("secrets-phrase");
        return passphrase
          ? home.made(
              { do: "secrets", what: "export", passphrase },
              "postrider-secrets.txt",
              ({ count }) => `${count} ${count === 1 ? "secret is" : "secrets are"} ready to be saved.`,
            )
          : undefined;
      }}
    >
      Export secrets
    </Button>
    <File id="secrets-file" label="A copy of secrets" />
    <Button
      id="secrets-in"
      act={async () => {
        const text = await chosen_text("secrets-file");
        if (text)
          home.settle(
            { do: "secrets", what: "import", text, passphrase: null },
            ({ new: fresh, all }) => `${all} ${all === 1 ? "secret" : "secrets"} read, ${fresh} of them new.`,
          );
      }}
    >
      Import secrets
    </Button>
  </Fold>
);

/** Two copies of a game, to see whether somebody has signed twice for one turn. */
export const Evidence = () => (
  <Fold id="compare" title="Two copies of one game: who signed what">
    <p>Where two copies of a game disagree, the signatures tell whether a player has signed two moves for one turn.</p>
    <File id="one-record" label="One copy" accept=".pbem,.txt" />
    <File id="other-record" label="The other" accept=".pbem,.txt" />
    <Button
      id="compare-them"
      act={async () => {
        const [one, other] = await Promise.all([chosen_text("one-record"), chosen_text("other-record")]);
        if (typeof one !== "string" || typeof other !== "string") return home.tell({ message: "choose two copies", acts: [] });
        const answer: Answer = keep.look({ do: "evidence", one, other });
        if (!answer.done) return home.tell(answer.refused || { message: answer.error, acts: [] });
        home.tells(answer.done.text.split("\n"), answer.done.against);
      }}
    >
      Compare
    </Button>
  </Fold>
);

/** Another passphrase for what this browser stores. */
export const Phrases = () => (
  <Fold id="phrases" title={keep.lock ? "Change the passphrase" : "Protect my games with a passphrase"}>
    <p>
      {keep.lock
        ? "Secrets and keys are locked anew. Backups that were made before open with the passphrase that they were made with."
        : "Secrets and keys are stored in this browser only under the passphrase, and each time that the page is opened it asks for it. Nobody can tell it to you if you forget it."}
    </p>
    {keep.lock ? <Phrase id="old-phrase" label="The passphrase until now" auto="current-password" /> : null}
    <Phrase id="new-phrase" label="The new passphrase" auto="new-password" />
    <Phrase id="new-again" label="Once more" auto="new-password" />
    <Button
      id="relock"
      act={async () => {
        const wrong =
          phrase("new-phrase") !== phrase("new-again")
            ? "the two new passphrases differ"
            : await keep.relock(keep.lock ? phrase("old-phrase") : "", phrase("new-phrase"));
        if (wrong) return home.tell({ message: wrong, acts: [] });
        clear_phrases("old-phrase", "new-phrase", "new-again");
        home.tells(["From now on this page opens with the new passphrase."]);
      }}
    >
      {keep.lock ? "Change it" : "Use it"}
    </Button>
  </Fold>
);

/** Asks for the passphrase that protects what is private. */
export const Opening = () => {
  const [wrong, is_wrong] = useState("");
  const open = async () => {
    is_wrong("");
    const differs = !keep.lock && phrase("phrase") !== phrase("phrase-again") ? "the two passphrases differ" : "";
    const fault = differs || (await home.unlock(phrase("phrase")));
    is_wrong(fault);
    if (fault) say(fault);
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        open();
      }}
    >
      <p>
        {keep.lock
          ? "Your games are here. Their secrets and your key are locked."
          : "Play by mail, with dice and hidden things that nobody can cheat with: this browser keeps your games. The page was opened from a disk, where other pages could read what it stores, so choose a passphrase: secrets and keys are stored only under it."}
      </p>
      {keep.lock ? <Phrase id="phrase" label="Passphrase" auto="current-password" /> : <NewPhrase id="phrase" label="Passphrase" />}
      {wrong ? <p class="bad">{wrong}</p> : null}
      <Button id="unlock" class="main" act={open}>
        {keep.lock ? "Open" : "Use this passphrase"}
      </Button>
    </form>
  );
};
