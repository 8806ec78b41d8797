// The dock: what is being made, the next step, and what comes of it, always in the same place.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { app } from "../app";
import { is_card } from "../board";
import { drafts } from "../drafts";
import { learn } from "../learn";
import { LONGEST_LINK, mail_link } from "../links";
import { machine } from "../machine";
import { play } from "../play";
import { action_words, capital, entry_words, without_places } from "../words";
import { focus_on, say, world } from "../world";
import { Button, Copy, Field, prose, Rule, Save } from "./parts";

/** How many choices are listed; of more a place is tapped first. */
const MOST = 400;

const Why = () => {
  const why = play.explained;
  if (!why) return null;
  return (
    <div class="bad" id="why">
      <p>
        {why.at ? <b>{`Not ${why.at}: `}</b> : null}
        {prose(why.message)}
        {why.rule ? `${/[.!?:]$/.test(why.message) ? "" : "."} Rule ${why.rule}.` : ""}
      </p>
      {why.text ? (
        <details>
          <summary>{`What rule ${why.rule} says`}</summary>
          <Rule text={why.text} />
        </details>
      ) : null}
      {why.see ? (
        <p>
          The rules explain how moves are written.{" "}
          <Button id="see-rules" class="chip" act={() => see_rules()}>
            Rules
          </Button>
        </p>
      ) : null}
    </div>
  );
};

/** Unfolds the rules of the game on *Details*. */
const see_rules = (): void => {
  app.tab = "details";
  app.drawn();
  const fold = document.getElementById("rules") as HTMLDetailsElement | null;
  if (fold) fold.open = true;
  fold?.scrollIntoView({ block: "start" });
  fold?.querySelector("summary")?.focus({ preventScroll: true });
};

/** What an action is called where it is chosen: without the place that is held. */
const called = (action: string): string => {
  const words = entry_words(action, true);
  const held = play.picked[0];
  const bare = held && words.startsWith(`${held} `) ? words.slice(held.length + 1) : (held && words.split(` ${held}: `)[1]) || words;
  return capital(bare.replace(/^to /, ""));
};

const Choices = () => {
  const left = play.matching();
  // What begins with a card of the hand is chosen there.
  const has_hand = !play.picked.length && hand().length > 0;
  const shown = left.filter((action) => !has_hand || !is_card(play.sequences[play.actions.indexOf(action)]?.[0] || "")).slice(0, MOST);
  if (!shown.length) return null;
  return (
    <div class="choices" role="group" aria-labelledby="hint" tabIndex={shown.length ? 0 : undefined}>
      {shown.map((action) => {
        const says = play.next.says?.[action];
        return (
          <Button key={action} class="chip" data-action={action} act={() => play.choose(action)}>
            {called(action)}
            {says ? <small>{says}</small> : null}
          </Button>
        );
      })}
      {left.length > MOST ? <p>{`and ${left.length - MOST} more: tap a place first`}</p> : null}
    </div>
  );
};

/** The cards of the hand with which something can be done. */
const hand = (): { name: string; area: number[] }[] =>
  (app.seen?.targets || []).filter(
    ({ name }: { name: string }) => is_card(name) && play.sequences.some((sequence) => sequence[0] === name),
  );

/** The cards of a hand, drawn as on the board. */
const Hand = () => {
  const cards = hand();
  if (!cards.length) return null;
  return (
    <ul class="hand" aria-label="Your cards">
      {cards.map(({ name, area }, nth) => (
        <li key={`${name}${nth}`}>
          <button
            type="button"
            class="card"
            data-card={name}
            aria-pressed={play.picked[0] === name}
            aria-label={name}
            onClick={() => play.tapped([name])}
          >
            <svg viewBox={area.join(" ")} aria-hidden="true">
              <use href="#drawn" />
            </svg>
          </button>
        </li>
      ))}
    </ul>
  );
};

const Tray = () => {
  const here = play.arranged;
  if (!here) return null;
  const all = [...here.done, ...here.left.map((piece): [string, string] => [piece, ""])];
  return (
    <ol class="tray" aria-label="The pieces to place">
      {all.map(([piece, square], nth) => (
        <li key={nth} class={square ? "done" : nth === here.done.length ? "current" : ""}>
          <b>{piece}</b>
          <span>{square || (nth === here.done.length ? "now" : "\u00a0")}</span>
        </li>
      ))}
    </ol>
  );
};

const Dice = () => {
  const here = play.arranged;
  const example = here?.examples[0] || "";
  const begins = example.slice(0, example.search(/ [0-9]/));
  const ids = (here?.numbers || []).map((_, nth) => `die-${nth}`);
  const value = (id: string) => (document.getElementById(id) as HTMLInputElement).value;
  return (
    <>
      <p id="hint">Throw the dice and enter what they show. Or let the page throw them, but it cannot prove that the throw was fair.</p>
      <div class="row">
        {ids.map((id, nth) => (
          <input key={id} id={id} type="number" min={1} defaultValue={here?.numbers[nth]} aria-label={`Die ${nth + 1}`} />
        ))}
        <Button
          act={() => {
            const random = crypto.getRandomValues(new Uint32Array(ids.length));
            for (const [nth, id] of ids.entries())
              (document.getElementById(id) as HTMLInputElement).value = String(1 + ((random[nth] || 0) % 10));
          }}
        >
          Throw here
        </Button>
        <Button id="take" class="main" act={() => play.take(`${begins} ${ids.map(value).join(" ")}`)}>
          Use these
        </Button>
      </div>
      <Why />
    </>
  );
};

const Shares = () => {
  const { shares } = play;
  if (!shares) return null;
  const given = [...shares.given.values()].reduce((sum, one) => sum + one, 0);
  return (
    <>
      <p class="making" id="hint">
        <span>{`${shares.of} damage`}</span> <b class="count">{`${shares.of - given} left`}</b>
      </p>
      <ul class="shares">
        {[...shares.most].map(([name, most]) => (
          <li key={name}>
            <span>{name.replace(".", " ")}</span>
            <Button class="step" aria-label={`Less to ${name}`} act={() => play.share(name, -1)}>
              −
            </Button>
            <output>{`${shares.given.get(name) || 0} of ${most}`}</output>
            <Button class="step" aria-label={`More to ${name}`} act={() => play.share(name, 1)}>
              +
            </Button>
          </li>
        ))}
      </ul>
      <Why />
      <Button class="main wide" id="attack" act={() => play.shared()}>{`Attack with ${given} of ${shares.of}`}</Button>
    </>
  );
};

/** The tokens of a stack that is held, from bottom to top. */
const Stack = () => {
  const stack = (app.seen?.stacks || []).find(({ place, size }: { place: string; size: number }) => {
    const [file, rank] = [place.charCodeAt(0), place.charCodeAt(1)];
    return play.picked.some((name) => {
      const [x, y] = [name.charCodeAt(0) - file, name.charCodeAt(1) - rank];
      return name.length === 2 && x >= 0 && x < size && y >= 0 && y < size;
    });
  });
  if (!stack) return null;
  return (
    <ol class="stack" aria-label={`The stack on ${stack.place}, from bottom to top`}>
      {stack.below ? <li>{`${stack.below} more`}</li> : null}
      {stack.tokens.map(({ sign, name }: { sign: string; name: string }, nth: number) => (
        <li key={nth}>
          <b>{sign}</b>
          <span>{name || "sealed"}</span>
        </li>
      ))}
    </ol>
  );
};

/** What has been begun, and the next step. */
const Making = () => {
  const { begun, arranged } = play;
  if (play.shares) return <Shares />;
  if (arranged) {
    if (arranged.numbers.length) return <Dice />;
    const [piece] = arranged.left;
    return (
      <>
        <p class="making" id="hint">
          <span>{piece ? `${arranged.names[piece] || piece}: tap a square` : "All are placed"}</span>
          <b class="count">{`${Math.min(arranged.done.length + 1, arranged.done.length + arranged.left.length)} of ${arranged.done.length + arranged.left.length}`}</b>
        </p>
        <Why />
        {play.explained ? null : <Tray />}
      </>
    );
  }
  const words = action_words(begun.at(-1) || "", true);
  const told = app.shown && app.seen?.words ? without_places(app.seen.words.match(/^Last move: (.*)\.$/m)?.[1] || "", words) : "";
  const hint = play.picked.length
    ? play.leads_on()
      ? `${play.picked.join(", ")} to \u2026 tap where it goes, or choose`
      : `${play.picked.join(", ")}: choose`
    : begun.length
      ? ""
      : "Tap the board, or choose";
  return (
    <>
      {begun.length ? (
        <p class="making" id="begun">
          <span>
            <b>{capital(words)}</b>
            {told ? ` (${told})` : ""}
          </span>
          <b class="count">{begun.length > 1 ? `${begun.length} steps` : ""}</b>
        </p>
      ) : null}
      <p id="hint" class={hint ? "" : "unseen"}>
        {hint || "What may follow"}
      </p>
      <Why />
      {play.explained ? null : <Stack />}
      <Hand />
      <Choices />
    </>
  );
};

/** A message, a draw, claims: what is rarely wanted. */
const More = () => {
  const { practice } = app.opened;
  const claim = (text: string, words: string) => (
    <Button class="chip" act={() => play.enter(words)}>
      {text}
    </Button>
  );
  return (
    <div id="more">
      <Why />
      <Field
        id="typed"
        label="A move as it is written, then Enter"
        draft={play.draft("typed")}
        is_private={world.home.is_private()}
        autocapitalize="off"
        spellcheck={false}
        onKeyDown={(event: KeyboardEvent) => {
          const field = event.currentTarget as HTMLInputElement;
          if (event.key !== "Enter" || !field.value.trim()) return;
          event.preventDefault();
          play.take(field.value);
          if (play.explained) return;
          drafts.clear(play.draft("typed"));
          field.value = "";
        }}
      />
      {practice || app.lesson ? null : (
        <>
          <Field
            id="message"
            label="A message to the opponent"
            draft={play.draft("message")}
            maxLength={500}
            onInput={(event: InputEvent) => {
              play.message = (event.currentTarget as HTMLInputElement).value;
              drafts.set(play.draft("message"), play.message);
            }}
          />
          <label class="check">
            <input
              type="checkbox"
              id="offers"
              checked={play.offers}
              onChange={(event) => {
                play.offers = event.currentTarget.checked;
                play.look();
                app.drawn();
              }}
            />{" "}
            Offer a draw with the move
          </label>
        </>
      )}
      <div class="row">
        <Turn />
        {app.lesson ? null : claim("Claim repetition", "claim repetition")}
        {app.lesson ? null : claim("Claim quiet", "claim quiet")}
        {app.lesson || practice ? null : claim("Claim time", "claim time")}
        {machine.is_on() ? <Practice /> : null}
        {app.lesson ? null : <Resign key={app.record} />}
      </div>
    </div>
  );
};

export const Turn = () => (
  <Button
    id="turn"
    class="chip"
    aria-pressed={String(app.turned)}
    act={() => {
      app.turned = !app.turned;
      app.redraw();
    }}
  >
    Turn the board
  </Button>
);

/** Resigns if that is said twice; `key` is the record, since it is said of one position. */
const Resign = () => {
  const [asked, ask] = useState(false);
  return (
    <Button class="chip" act={() => (asked ? play.enter("resign") : ask(true))}>
      {asked ? "Really resign?" : "Resign"}
    </Button>
  );
};

/** A draw that was offered. */
const Offered = () => {
  const { offer, due } = app.opened.standing;
  if (!offer || offer === due) return null;
  return (
    <Button class="chip" id="accept-draw" act={() => play.enter("draw!")}>
      Accept the draw
    </Button>
  );
};

/** The last row: more, undo, enter. */
const Acts = () => (
  <div class="acts">
    <Button
      class="icon"
      id="more-of-it"
      aria-label="Message, draw and more"
      aria-expanded={String(app.more)}
      act={() => {
        app.more = !app.more;
        app.drawn();
      }}
    >
      {"\u22ef"}
    </Button>
    {machine.is_on() ? (
      <Button id="ask-hint" act={() => machine.hint()}>
        Hint
      </Button>
    ) : null}
    <Button id="undo" disabled={!play.undoes()} act={() => play.undo()}>
      Undo
    </Button>
    {play.arranged?.left.length && play.arranged.squares.length ? (
      <Button id="rest" act={() => play.rest()}>
        Place the rest
      </Button>
    ) : null}
    <Button id="enter" class={play.ready() ? "main wide" : "off wide"} aria-disabled={String(!play.ready())} act={() => play.go()}>
      Enter
    </Button>
  </div>
);

/** What can be done at the newest move by whoever is due. */
export const Moving = () => (
  <>
    <Spoken />
    <Offered />
    {app.more ? <More /> : world.home.sends_first() && !play.undoes() && !play.explained ? null : <Making />}
    <Acts />
  </>
);

const Lesson = () => {
  const { lesson } = app;
  const { game, number, of } = lesson;
  if (lesson.solved) {
    return (
      <>
        <p id="lesson-done">{prose(lesson.done)}</p>
        <div class="acts" id="lesson-panel">
          <Button act={() => learn.open(game, number)}>Once more</Button>
          {number < of ? (
            <Button
              id="next-lesson"
              class="main wide"
              act={() => learn.open(game, number + 1)}
            >{`Next: ${learn.of(game).lessons[number].title}`}</Button>
          ) : (
            <Button id="first-game" class="main wide" act={() => learn.first(game)}>
              Play your first game
            </Button>
          )}
        </div>
      </>
    );
  }
  return (
    <>
      <p id="task">{prose(lesson.task)}</p>
      {lesson.said ? (
        <div class="note" id="beside">
          <p>
            <b>{capital(action_words(lesson.said.actions, true))}</b>: {lesson.said.says}
          </p>
        </div>
      ) : null}
      {app.more ? <More /> : <Making />}
      <div class="acts" id="lesson-panel">
        {number < of ? (
          <Button id="skip" act={() => learn.open(game, number + 1)}>
            Skip
          </Button>
        ) : null}
        <Button id="solution" act={() => play.take(lesson.solution)}>
          Hint
        </Button>
        <Button id="undo" disabled={!play.undoes()} act={() => play.undo()}>
          Undo
        </Button>
        <Button id="enter" class={play.ready() ? "main wide" : "off wide"} aria-disabled={String(!play.ready())} act={() => play.go()}>
          Enter
        </Button>
      </div>
    </>
  );
};

/** What the machine has said. */
const Spoken = () =>
  machine.is_on() && machine.told ? (
    <div class="note row" id="practice-panel">
      <p id="told">{machine.told}</p>
      {machine.hinted ? (
        <Button id="do-it" class="chip" act={() => play.take(machine.hinted)}>
          Do it
        </Button>
      ) : null}
    </div>
  ) : null;

/** What the machine can be asked. */
const Practice = () => {
  const { practice, entries } = app.opened;
  const has_own = entries.some((entry: { side: string }) => entry.side === practice.own);
  return (
    <>
      <Button id="ask-why" class="chip" act={() => machine.why()}>
        Why
      </Button>
      <Button id="take-back" class="chip" disabled={!has_own} act={() => machine.undo()}>
        Take a move back
      </Button>
    </>
  );
};

/** What was entered in this page and can be taken back until it is sent. */
const Sent = () => {
  const last = app.history.at(-1);
  if (!last || last.answer.record !== app.record) return null;
  const { answer } = last;
  const { to, subject, block } = answer.reply;
  // With its time and what it follows, so that both have the same record afterwards.
  const body = block && `${answer.line}\n\nGive this letter, or its text, to the page or the program:\n\n${block}`;
  const link = to && body ? mail_link(to, subject, body) : null;
  const fits = link && link.length <= LONGEST_LINK;
  const file = new File([app.record], `${app.opened.id}.txt`, { type: "text/plain" });
  return (
    <div class="good" id="sent" tabIndex={-1} role="group" aria-label="What was entered">
      <p>
        Entered: <b>{action_words(answer.actions, true)}</b>
        {answer.outcome ? ` (${answer.outcome})` : ""}
        {to
          ? fits
            ? ""
            : ". It is too long for a link: share or copy the text, or send the game as an attachment."
          : ". There is no mail address of the opponent: send it another way, or hand over this device."}
      </p>
      <div class="row">
        {fits ? (
          <a class="button main" id="mail" href={link}>
            Reply by mail
          </a>
        ) : null}
        <Copy text={body || answer.line} />
        <Save name={`${app.opened.id}.pbem`} text={app.record}>
          Save the game
        </Save>
        {navigator.canShare?.({ files: [file] }) ? (
          <Button act={() => navigator.share({ files: [file], title: subject }).catch(() => {})}>Share the game</Button>
        ) : null}
        <Button
          id="back"
          act={async () => {
            const { record } = last;
            if (!(await app.stores(record, app.history.at(-2) || null))) return;
            app.history.pop();
            app.take(record, true);
            app.kept = "";
            app.drawn();
            focus_on("now");
            say("Taken back");
          }}
        >
          Take back
        </Button>
      </div>
    </div>
  );
};

/** What was played on in this browser before. */
const Remembered = () => {
  if (!app.kept || app.lesson) return null;
  const differs = app.kept === "differs";
  return (
    <section class="note" id="remembered" aria-label="Played on in this browser">
      <p>
        {differs
          ? "This browser keeps another course of this game, which does not go on from this one."
          : "You have played on in this browser: what you entered is here again."}
      </p>
      <div class="row">
        {differs ? <Button act={() => app.show_other()}>Show the other</Button> : null}
        <Button id="forget" act={() => app.forget()}>
          {differs ? "Forget the other" : "Forget what I entered"}
        </Button>
      </div>
    </section>
  );
};

const Looking = () => {
  const entry = app.opened.entries[app.at - 1];
  return (
    <>
      {entry?.message ? <blockquote>{entry.message}</blockquote> : null}
      <div class="acts">
        <Button id="autoplay" aria-pressed={String(app.playing !== 0)} act={() => app.autoplay()}>
          {app.playing ? "Stop" : "Play"}
        </Button>
        <Turn />
        <Button id="to-now" class="main wide" act={() => app.go(app.opened.entries.length)}>
          Back to now
        </Button>
      </div>
    </>
  );
};

const Waiting = () => {
  const { standing, verdict, why_not: why } = app.opened;
  if (machine.is_due()) return <p>The machine is thinking {"\u2026"}</p>;
  if (verdict.report.verdict !== "legal")
    return (
      <p class="bad" id="why-not">
        {prose(verdict.summary)}
      </p>
    );
  // The status of a kept game says how it ended.
  if (world.home.is_shown()) return null;
  if (standing.outcome) return app.own() ? null : <p>{app.outcome()}.</p>;
  if (!why) return null;
  const advice = world.home.advice();
  return (
    <div class="note" id="why-not">
      <p>{prose(`Not played here: ${why}.`)}</p>
      {typeof advice === "string" ? <p>{prose(advice)}</p> : advice}
    </div>
  );
};

/** What stands in the dock now. */
export const Dock = () => {
  let inside: ComponentChildren;
  if (app.lesson) inside = <Lesson />;
  else if (!app.is_last()) inside = <Looking />;
  else {
    const kept = world.home.dock();
    inside = (
      <>
        <Remembered />
        {kept}
        <Sent />
        {app.playing_here && !(kept && world.home.is_shown() && world.home.game.forced) ? <Moving /> : <Waiting />}
        {app.playing_here ? null : (
          <>
            <Spoken />
            {world.home.is_shown() ? null : (
              <div class="row">
                <Turn />
                {machine.is_on() ? <Practice /> : null}
              </div>
            )}
          </>
        )}
      </>
    );
  }
  return (
    <section class="dock" aria-label="What to do" id="dock">
      {inside}
    </section>
  );
};
