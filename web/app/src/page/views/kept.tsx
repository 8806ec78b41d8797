// What stands beside the board of a kept game: in the dock what is to be done, on *Details* keys, replies and what only its player knows.
import { useState } from "preact/hooks";
import { base64, unbase64 } from "../../store/base64";
import { app } from "../app";
import { drafts } from "../drafts";
import { home, INSIST, keep } from "../home";
import { letters } from "../letters";
import { LONGEST_LINK } from "../links";
import { play } from "../play";
import type { Answer } from "../referee";
import { reader } from "../tools";
import { capital, short } from "../words";
import { type Asking, focus_on, value_of } from "../world";
import { Turn } from "./dock";
import { Button, Copy, Field, Fold, prose, Rule, Save, Text } from "./parts";
import { chosen, clear_phrases, NewPhrase, phrase } from "./phrases";

/** What was said last, with what may be insisted on. */
export const Told = () => {
  const { said, trouble, file } = home;
  if (!said) return null;
  const { lines, bad, rule, text, more, asking, aside } = said;
  const again = trouble?.again;
  return (
    <div class={bad ? "bad" : "good"} id="said" tabIndex={-1}>
      {lines.map((line, nth) => (
        <p key={nth}>{prose(line)}</p>
      ))}
      {aside?.length ? (
        <details id="aside">
          <summary>{aside.length === 1 ? "One more thing about this letter" : `${aside.length} more things about this letter`}</summary>
          {aside.map((line, nth) => (
            <p key={nth}>{prose(line)}</p>
          ))}
        </details>
      ) : null}
      {rule && text ? (
        <details>
          <summary>{`What rule ${rule} says`}</summary>
          <Rule text={text} />
        </details>
      ) : null}
      <div class="row">
        {again
          ? trouble.acts.map((act) => (
              <Button key={act} data-insist={act} act={() => again({ [act.replace(/-/g, "_")]: true })}>
                {trouble.is_carried && act === "despite-key" ? "I wrote it: take it" : INSIST[act]}
              </Button>
            ))
          : null}
        {trouble?.stay ? <GoOnHere game={trouble.stay} /> : null}
        {trouble?.phrase ? <AskedPhrase use={trouble.phrase} of_key={trouble.of_key} /> : null}
        {file ? (
          <a
            class="button main"
            id="save-file"
            download={file.name}
            href={`data:text/plain;base64,${base64(new TextEncoder().encode(file.text))}`}
          >
            {`Save ${file.name}`}
          </a>
        ) : null}
        {file ? <ShareFile name={file.name} text={file.text} /> : null}
        {more?.()}
        {asking ? <Asked {...asking} /> : null}
      </div>
    </div>
  );
};

/** Goes on here with a game although its file, or the machine that has it, is lost: the player is asked first. */
const GoOnHere = ({ game }: { game: string }) => (
  <Button
    id="stay"
    act={() =>
      home.tells(
        [
          `${home.game?.twice ? "Can your other machine still make a move?" : "Has another machine opened the file, or can one still open it?"} Then go on there: two signed moves for one turn would prove that you play two games at once.`,
        ],
        true,
        () => (
          <Button id="stay-yes" act={() => home.stay(game)}>
            {home.game?.twice ? "It cannot: go on here" : "None has, and none can: go on here"}
          </Button>
        ),
      )
    }
  >
    Go on here
  </Button>
);

/** Hands a file to whatever the device shares with: a mail program, a drive. */
const ShareFile = ({ name, text }: { name: string; text: string }) => {
  const shared = new File([text], `${name}.txt`, { type: "text/plain" });
  if (!navigator.canShare?.({ files: [shared] })) return null;
  return <Button act={() => navigator.share({ files: [shared], title: name }).catch(() => {})}>Share</Button>;
};

/** Asks for the passphrase of what is to be opened, where it was refused without. */
const AskedPhrase = ({ use, of_key }: { use: (typed: string) => unknown; of_key: boolean }) => {
  const id = of_key ? "key-phrase" : "its-phrase";
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = phrase(id);
        clear_phrases(id);
        use(typed);
      }}
    >
      <input
        type="password"
        id={id}
        autocomplete={of_key ? "current-password" : "off"}
        aria-label={of_key ? "The passphrase of your key" : "Its passphrase"}
        placeholder={of_key ? "Passphrase of your key" : "Its passphrase"}
      />
      <button type="submit" id="use-phrase" class="main">
        {of_key ? "Use it" : "Open it"}
      </button>
    </form>
  );
};

/** What a letter asks, beneath what was said of it. */
const Asked = ({ agreed, strangers, letter, of, record }: Asking) => (
  <>
    {agreed.map(({ agree, digits }) => (
      <Button key={digits} id={agreed.length > 1 ? `agree-${digits}` : "agree"} act={() => letters.read({ agree, digits })}>
        {`Take it all the same${agreed.length > 1 ? `: ${digits}` : ""}`}
      </Button>
    ))}
    {strangers.map(({ game, newest }) => (
      <div key={game}>
        <p>{`Nobody can tell who sent this. ${newest ? `With it the newest move of ${game} would be ${newest}. ` : ""}Take it only if you know that it came from your opponent.`}</p>
        <Button id="vouched" class="main" act={() => letters.read({ ...letter, vouched: true }, of, record)}>
          It came from my opponent: take it
        </Button>
      </div>
    ))}
    {record ? (
      <Button id="only-look" act={() => home.looks(record)}>
        Only look at it
      </Button>
    ) : null}
  </>
);

/** A form that takes a letter: a file, or text. `game`: the game whose opponent wrote what is nothing but text. */
export const LetterForm = ({ game }: { game?: string }) => {
  const id = game ? "letter-here" : "letter";
  const draft = game ? `letter-here/${game}` : "letter";
  return (
    <div class="form">
      <label>
        The letter as a file (.eml or .pbem)
        <input
          id={`${id}-file`}
          type="file"
          accept=".pbem,.eml,.txt,.game,.backup,message/rfc822,text/plain"
          aria-label="The letter from a file"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (file) reader.file(file);
          }}
        />
      </label>
      <label>
        {game ? "Or what your opponent wrote" : "Or its text"}
        <Text id={id} label="The letter, pasted" draft={draft} />
      </label>
      <Button
        id={`${id}-read`}
        class="main"
        act={() => value_of(id) && reader.text((document.getElementById(id) as HTMLTextAreaElement).value)}
      >
        Read it
      </Button>
    </div>
  );
};

/** The letter that was written, and the ways in which it can go. */
const Out = ({ game }: { game: string }) => {
  const letter = letters.written.get(game);
  const { to, subject, text, message } = letter;
  const { body, link } = letters.told(game);
  const { record } = app;
  const name = `${game}-${app.opened.entries.length}.eml`;
  const file = new File([record], `${game}.txt`, { type: "text/plain" });
  const is_gone = !letters.waits(game);
  const ways = (
    <>
      {link ? (
        <a class="button main full" id="mail" href={link}>
          Open in the mail program
        </a>
      ) : (
        <p>{`It is longer than the ${LONGEST_LINK} characters of a link: open the saved letter in your mail program and send it.`}</p>
      )}
      <div class="row even">
        {navigator.canShare?.({ files: [file] }) ? (
          <Button act={() => navigator.share({ files: [file], title: subject, text: body.slice(0, 1500) }).catch(() => {})}>Share</Button>
        ) : null}
        <Copy text={body} />
        <a class={link ? "button" : "button main"} id="eml" download={name} href={`data:message/rfc822;base64,${message}`}>
          Save the letter
        </a>
      </div>
      <details>
        <summary>What it says</summary>
        <p>
          <bdi>{subject}</bdi>
        </p>
        <pre tabIndex={0} id="letter-body">
          {(link ? body : text) || ""}
        </pre>
        <Save id="attachment" name={`${game}.pbem`} text={record}>
          Save the game
        </Save>
      </details>
      {unbase64(message).length > 7_000_000 ? <p>It is large.</p> : null}
    </>
  );
  const who = (
    <b>
      <bdi title={to}>{short(home.opponent().name)}</bdi>
    </b>
  );
  // What is sent is rarely wanted again.
  if (is_gone)
    return (
      <details class="good" id="letter-out" tabIndex={-1}>
        <summary>
          <span>Sent to {who}</span>
        </summary>
        {ways}
      </details>
    );
  return (
    <div class="good" id="letter-out" tabIndex={-1} role="group" aria-label={`The letter to ${short(home.opponent().name)}`}>
      {ways}
    </div>
  );
};

/** The first backup asks for a passphrase; the ones after it are one tap. */
const FirstBackup = () => {
  const [wrong, is_wrong] = useState("");
  return (
    <div class="form">
      <NewPhrase id="backups-phrase" label="A passphrase for backups" />
      {wrong ? <p class="bad">{wrong}</p> : null}
      <Button
        id="first-backup"
        class="main"
        act={() => {
          const typed = chosen("backups-phrase", false, is_wrong);
          return typed ? home.back_up(() => <FirstBackup />, typed) : undefined;
        }}
      >
        Back up
      </Button>
    </div>
  );
};

/** Backs up by one tap what the newest move has changed, where losing it would lose the game. */
const BackUp = () => {
  const { sealed, keys, own } = home.game;
  const signs = keys.some(({ side }: { side: string }) => side === own);
  if ((!sealed && !signs) || !home.owes_backup()) return null;
  return (
    <Button id="backup-now" act={() => home.back_up(() => <FirstBackup />)}>
      Back up
    </Button>
  );
};

/** The letter of the newest move: written, or to be written. */
const Letter = () => {
  const { game, own, own_last: mine, sent, keys, over } = home.game;
  const { entries } = app.opened;
  const to = home.opponent().email;
  const signed = keys.some(({ side }: { side: string }) => side === own);
  const is_written = letters.written.has(game);
  if (!mine && !home.is_uninvited()) return is_written ? <Out game={game} /> : null;
  const back =
    mine && !over && !signed ? (
      <Button id="take-back" act={() => home.act({ do: "undo" })}>
        Take back
      </Button>
    ) : null;
  if (is_written)
    return (
      <>
        <Out game={game} />
        <div class="acts">
          {back}
          <BackUp />
          {letters.waits(game) ? (
            <Button id="is-sent" class="wide" act={() => letters.sent(game)}>
              Yes, it is sent
            </Button>
          ) : null}
        </div>
      </>
    );
  return (
    <>
      <p>
        {sent
          ? "The letter about this was written before."
          : entries.length
            ? "Your move is made; your opponent does not have it yet."
            : "Your opponent is not invited yet."}
      </p>
      {to ? null : <Field id="letter-to" label="Your opponent's mail address" type="email" draft={`letter-to/${game}`} />}
      <div class="acts">
        {back}
        <BackUp />
        <Button id="write" class={sent ? "wide" : "main wide"} act={() => letters.write(game, sent)}>
          {sent ? "The letter again" : "Write the letter"}
        </Button>
      </div>
    </>
  );
};

/** What stands in the dock of a kept game beside its choices. */
export const KeptDock = () => {
  if (!home.is_shown()) {
    if (home.looked && home.looked === app.record && home.state?.name && !app.opened.practice)
      return (
        <section class="note" id="looked" aria-label="This game">
          <p>You only look at this game: it is not one of yours.</p>
          {app.opened.standing.outcome ? null : (
            <Button id="keep-it" act={() => letters.read({ letter: app.record, vouched: true })}>
              I play in it: keep it
            </Button>
          )}
        </section>
      );
    return home.said ? <Told /> : null;
  }
  const {
    game,
    own,
    forced,
    over,
    publishable,
    published,
    waits,
    warning,
    reply,
    invited,
    handed,
    twice,
    is_mine: turn,
    asked_back: asked,
  } = home.game;
  const { entries, players } = app.opened;
  // While a question is asked, it alone is what is to be answered.
  const is_asked = Boolean(home.said?.more);
  // What has to go out first is one thing to do; what came in the meantime can be read on *Details*.
  const owes = letters.waits(game) || home.is_uninvited() || (home.game.own_last && !home.game.sent);
  // What the opponent did since the player's own last move, step by step.
  const since = entries.findLastIndex(({ side }: { side: string }) => side === own) + 1;
  if (handed)
    return (
      <div id="kept-game">
        <Told />
        {is_asked ? null : (
          <>
            <p id="handed">
              You play this game on another machine. To play here again, hand it over there, and open its file here. If that machine or the
              file is lost, you can go on here without it.
            </p>
            <div class="acts">
              <GoOnHere game={game} />
              <LetterCame text="Open its file" />
            </div>
          </>
        )}
      </div>
    );
  if (waits)
    return (
      <div id="kept-game">
        <Told />
        <div class="acts">
          <Button id="decline" act={() => home.decline(game)}>
            Decline
          </Button>
          <Button id="accept" class="main wide" act={() => home.act({ do: "accept" })}>
            Accept
          </Button>
        </div>
      </div>
    );
  return (
    <div id="kept-game">
      {keep.altered ? <p class="bad">{keep.altered}</p> : null}
      {turn && play.undoes() && !home.said?.bad && !is_asked && !home.said?.asking && !home.file ? null : <Told />}
      {!own && !over ? (
        <div class="row">
          {players.map(({ side, name }: { side: string; name: string }) => (
            <Button key={side} act={() => home.act({ do: "own", side })}>{`${side} (${short(name)})`}</Button>
          ))}
        </div>
      ) : null}
      {warning && !(twice && is_asked) ? (
        <p class="bad words" id="warning">
          {twice
            ? "Your other machine has made a move that this one did not make. Go on there, or hand the game over there and open its file here. If that machine is lost, go on here."
            : prose(capital(warning))}
        </p>
      ) : null}
      {twice && !is_asked ? <GoOnHere game={game} /> : null}
      {forced ? (
        <Button id="forced" class={letters.waits(game) ? "full" : "main full"} act={() => home.act({ do: "answer" })}>
          {`${app.opened.standing.task.slice(0, 1).toUpperCase()}${app.opened.standing.task.slice(1)}`}
        </Button>
      ) : null}
      {reply ? (
        <>
          <p>{`You foresaw ${reply.theirs}, and prepared ${reply.mine}.`}</p>
          <Button id="prepared" class="main full" act={() => home.act({ do: "answer" })}>
            Make the prepared reply
          </Button>
        </>
      ) : null}
      {asked ? (
        <>
          <p class="bad">{`The host has not entered your move ${asked}, because of its time. The same move with the present time is to be sent.`}</p>
          <Button id="date-anew" class="main full" act={() => home.act({ do: "date-anew" })}>
            Date it anew
          </Button>
        </>
      ) : null}
      {invited && !entries.length && own && !turn ? (
        <p id="accepted">{`You have accepted. ${short(home.opponent().name)} makes the first move; until then there is nothing to send.`}</p>
      ) : null}
      {own && since < entries.length && !(turn && play.undoes()) ? (
        <Button
          id="since"
          class="chip"
          act={() => {
            app.go(since);
            app.autoplay();
          }}
        >
          {entries.length - since === 1 ? "Show what happened" : `Show what happened: ${entries.length - since} moves`}
        </Button>
      ) : null}
      <Letter />
      {publishable || published ? (
        <>
          <p>
            {published
              ? "You have published your secret. When your opponent has too, everybody can check that all was fair."
              : "The game is over. When both have published their secrets, everybody can check that all was fair."}
          </p>
          <div class="acts">
            <Button id="audit" act={() => home.audit()}>
              Audit
            </Button>
            {publishable ? (
              <Button id="publish" class="wide" act={() => home.act({ do: "publish" })}>
                Publish the secret
              </Button>
            ) : null}
          </div>
        </>
      ) : null}
      {turn || owes ? null : (
        <div class="acts">
          <Turn />
          {over ? null : <LetterCame />}
        </div>
      )}
    </div>
  );
};

/** Leads to the form that takes the opponent's letter. */
const LetterCame = ({ text = "A letter came" }: { text?: string }) => (
  <Button
    id="letter-came"
    class="wide"
    act={() => {
      app.tab = "details";
      app.drawn();
      const fold = document.getElementById("letter-in") as HTMLDetailsElement | null;
      if (fold) fold.open = true;
      focus_on("letter-here-file");
      fold?.scrollIntoView({ block: "start" });
    }}
  >
    {text}
  </Button>
);

type Branch = { if: string; then: string; next?: Branch[] };

/** Replies that the player prepares: if they enter this, I answer that. They stay here. */
const Replies = () => {
  const { game, conditions, elsewhere, is_mine: turn } = home.game;
  if (turn && !conditions.length) return null;
  const typed = { is_private: home.is_private(), autocapitalize: "none", spellcheck: false };
  const prepare = async (deed: Answer) => {
    const answer: Answer = await keep.change({ game, ...deed });
    if (!answer.done) {
      home.tell(answer.refused || { message: answer.error, acts: [] });
      return;
    }
    drafts.used("if-they", "then-mine");
    drafts.clear(`if-they/${game}`, `then-mine/${game}`);
    home.show(game);
    home.tells([
      deed.do === "prepare" ? "The reply is prepared. It stays here: nobody sees it before it is made." : "The reply is taken back.",
    ]);
  };
  const tree = (branches: Branch[], above: string[]) => (
    <ul>
      {branches.map(({ if: theirs, then: mine, next }) => {
        const path = [...above, theirs];
        return (
          <li key={theirs}>
            {`${theirs}: I answer ${mine} `}
            <Button aria-label={`Take back the reply to ${path.join(", ")}`} act={() => prepare({ do: "unprepare", path })}>
              Take back
            </Button>
            {next ? tree(next, path) : null}
          </li>
        );
      })}
    </ul>
  );
  return (
    <Fold id="replies" title={conditions.length ? "Prepared replies" : "Prepare replies"} open={conditions.length > 0}>
      {elsewhere ? <p class="bad">They are for another course of this game, and are not used with this one.</p> : null}
      {conditions.length ? tree(conditions, []) : null}
      {turn ? null : (
        <>
          <p>
            More of them in turn stand in each field behind commas. Each is judged now, as if it were made; the reply is made when you say
            so, and only in that position.
          </p>
          <Field id="if-they" label="If they enter" draft={`if-they/${game}`} {...typed} />
          <Field id="then-mine" label="I answer" draft={`then-mine/${game}`} {...typed} />
          <Button
            id="prepare"
            act={() => {
              const split = (id: string) =>
                value_of(id)
                  .split(",")
                  .map((part) => part.trim());
              const [theirs, mine] = [split("if-they"), split("then-mine")];
              if (theirs.length !== mine.length) {
                home.tell({ message: "each of their moves needs a reply", acts: [] });
                return;
              }
              return prepare({ do: "prepare", entries: theirs.flatMap((one, nth) => [one, mine[nth]]) });
            }}
          >
            Prepare
          </Button>
        </>
      )}
    </Fold>
  );
};

/** Hands the game over to another machine of the player's, or writes the file of that once more. */
const HandOver = () => {
  const { handed } = home.game;
  return (
    <Fold id="hand-over" title={handed ? "It was handed over" : "Play on another machine"}>
      <p>
        {handed
          ? "If the file was lost before your other machine has opened it, this writes it once more. Only one machine may open it."
          : "One file brings the game to your other machine, with your key and what it needs to sign. From then on this browser signs nothing of it, until the game comes back in the same way."}
      </p>
      <NewPhrase id="hand-phrase" label="A passphrase for the file" />
      <Button
        id="hand-it-over"
        act={() => {
          const typed = chosen("hand-phrase");
          return typed ? home.hand_over(typed) : undefined;
        }}
      >
        {handed ? "Write the file again" : "Hand it over"}
      </Button>
    </Fold>
  );
};

/** What *Details* has of a kept game. */
export const KeptDetails = () => {
  if (!home.is_shown()) return null;
  const { game, own, sealed, hidden, keys, over, handed, waits } = home.game;
  return (
    <section class="card" id="kept-details" aria-label="This game">
      {app.tab === "details" ? <Told /> : null}
      {over ? null : (
        <Fold id="letter-in" title="A letter came">
          <LetterForm game={game} />
        </Fold>
      )}
      {sealed && own ? (
        <Button
          id="eyes"
          aria-pressed={String(home.public)}
          act={() => {
            home.public = !home.public;
            app.draw();
          }}
        >
          {home.public ? "Show what I see" : "Show what all see"}
        </Button>
      ) : null}
      {hidden.length && !home.public ? (
        <ul id="hidden" aria-label="What only you see">
          {hidden.map((line: string) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
      {keys.map(({ side, fingerprint, told, trusted }: Answer) => {
        const who = app.opened.players.find((player: { side: string }) => player.side === side);
        return (
          <div key={side}>
            <p class="key">
              {side === own ? "You sign with " : `${short(who.name)} signs with `}
              <code>{fingerprint}</code>
              {side === own ? "" : `: ${told}`}
            </p>
            {side === own || trusted || !own ? null : (
              <Button data-trust={side} act={() => home.trust(who.email || who.name, fingerprint)}>
                It is the right one: trust it
              </Button>
            )}
          </div>
        );
      })}
      {own && !over && !handed ? <Replies /> : null}
      {own && !over && !waits ? <HandOver /> : null}
      {home.audited ? (
        <pre id="audited" tabIndex={0}>
          {home.audited.text}
        </pre>
      ) : null}
    </section>
  );
};
