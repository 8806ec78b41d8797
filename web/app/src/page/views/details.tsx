// The second tab of a game: notation, verdict, keys, clocks, the record, and what else can be put into the page.
import { Component } from "preact";
import { app } from "../app";
import { learn } from "../learn";
import { machine } from "../machine";
import { referee } from "../referee";
import { tools } from "../tools";
import { world } from "../world";
import { OpenGame, PracticeForm } from "./begin";
import { Load } from "./load";
import { Button, Choice, Fold, prose, Refused, Rule, Save } from "./parts";

/** How many entries are in each part of the list. */
const LISTED = 100;

/** An entry as it is listed; of what the machine enters it tells no more than its board shows. */
interface Listed {
  number: number;
  side: string;
  actions?: string;
  brief: string;
  told?: string;
  message: string | null;
}

/** The list of entries, which is built anew only if it has changed. */
class Entries extends Component<{ entries: Listed[]; at: number }> {
  override shouldComponentUpdate(next: Readonly<Entries["props"]>): boolean {
    return next.entries !== this.props.entries || next.at !== this.props.at;
  }

  override render() {
    const { entries, at } = this.props;
    const brief = (text: string) =>
      text.replace(/([0-9a-f]{8})[0-9a-f]{16,}/g, "$1\u2026").replace(/\bkey ([A-Za-z0-9+/]{8})[A-Za-z0-9+/]{30,}=*/g, "key $1\u2026");
    const items = [{ number: 0, side: "", brief: "", message: null } as Listed, ...entries].map(
      ({ number, side, actions, brief: text, told, message }) => (
        <li key={number}>
          <a href={`#e${number}`} aria-current={number === at ? "true" : undefined}>
            {number ? [<b key="n">{number}</b>, ` ${side} ${brief(told !== undefined && told !== actions ? told : text)}`] : "The start"}
          </a>
          {message ? <q>{message}</q> : null}
        </li>
      ),
    );
    const lists = Array.from({ length: Math.ceil(items.length / LISTED) }, (_, nth) => items.slice(nth * LISTED, (nth + 1) * LISTED));
    return lists.map((list, nth) => <ol key={nth}>{list}</ol>);
  }
}

const Facts = () => {
  const { verdict, players, id, started, options, standing } = app.opened;
  const legal = verdict.report.verdict === "legal";
  const chosen = Object.entries(options)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");
  type Player = { side: string; name: string; key: string | null; signed: boolean };
  const signed = players
    .filter(({ key }: Player) => key)
    .map(({ side, key, signed }: Player) => (signed ? `${side} by ${key}` : `${side} declared, nothing signed (${key})`))
    .join(", ");
  const facts: [string, string][] = [
    ["Players", players.map(({ side, name }: Player) => `${name} (${side})`).join(", ")],
    ["Id", id],
    ["Began", started],
    ["Options", chosen],
    ["Signed", signed],
  ];
  const { clocks } = standing;
  if (clocks && !standing.outcome)
    facts.push([
      "Clocks",
      clocks.left.map(({ side, left }: { side: string; left: string }) => `${side} ${left} left`).join(", ") +
        (clocks.deadline ? `; the next move is due by ${clocks.deadline}` : ""),
    ]);
  return (
    <section class="card facts" aria-labelledby="facts">
      <h2 id="facts">The verdict</h2>
      <div class={legal ? "good" : "bad"} id="verdict">
        <p>
          <b>{legal ? "Legal" : prose(verdict.summary)}</b>
          {legal
            ? `: this page replayed all ${verdict.report.entries} ${verdict.report.entries === 1 ? "move" : "moves"} just now. ${standing.outcome || `${standing.due} due`}.`
            : ""}
        </p>
        {verdict.excerpts.map((text: string) => (
          <pre key={text} tabIndex={0}>
            {text}
          </pre>
        ))}
        <p>
          A page cannot vouch for whoever made it: a forged page could say the same. To be certain, save the record and run{" "}
          <code>postrider verify</code> on it.
        </p>
      </div>
      <dl>
        {facts
          .filter(([, text]) => text)
          .map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
      </dl>
      <Save id="record" name={`${id}.pbem`} text={app.record}>
        Save the record
      </Save>
    </section>
  );
};

const LookBack = () => {
  if (!machine.looks_back()) return null;
  const review = machine.looked;
  return (
    <section class="card" id="review" aria-labelledby="reviewed">
      <h2 id="reviewed">Where the game turned</h2>
      <p>
        The machine plays each position on in its head, and shows what would have been better. Of what was hidden it knows what each side
        knew.
      </p>
      <Button id="look-back" act={() => machine.review()}>
        {review?.running ? "Stop" : "Look back"}
      </Button>
      <p role="status">{review?.state}</p>
      <ol class="turns">
        {review?.turns.map(({ number, headline, says }) => (
          <li key={number}>
            <a href={`#e${number - 1}`}>{headline}</a>
            {says.map((line, nth) => (
              <p key={nth}>{line}</p>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
};

/** A rule, or without a number the whole rulebook, which is asked for when it is unfolded. */
class Rules extends Component<{ book: string; number?: string; title: string; id?: string }, { text: string }> {
  override render() {
    const { book, number, title, id } = this.props;
    const open = () => {
      if (this.state.text) return;
      const answer = referee.alone({ call: "rule", book, ...(number ? { number } : {}) });
      this.setState({ text: answer.text || answer.error });
    };
    return (
      <details id={id} onToggle={open}>
        <summary>{title}</summary>
        {this.state.text ? <Rule text={this.state.text} /> : null}
      </details>
    );
  }
}

const Lessons = () => {
  const { game, number, text, rules } = app.lesson;
  const done = learn.done(game);
  return (
    <>
      <section class="card" id="lesson" aria-label="The lesson">
        <p>{prose(text)}</p>
        {rules.map((rule: string) => (
          <Rules key={rule} book={game} number={rule} title={`Rule ${rule}`} />
        ))}
      </section>
      <nav class="entries card" aria-label="Lessons">
        <h2>Lessons</h2>
        <ol>
          {learn.of(game).lessons.map((lesson: { number: number; title: string }) => (
            <li key={lesson.number}>
              <button
                type="button"
                aria-current={lesson.number === number ? "true" : undefined}
                aria-label={`${lesson.number}. ${lesson.title}${done.has(lesson.number) ? ", done" : ""}`}
                onClick={() => learn.open(game, lesson.number)}
              >
                {`${lesson.number}. ${lesson.title}${done.has(lesson.number) ? " \u2713" : ""}`}
              </button>
            </li>
          ))}
        </ol>
      </nav>
    </>
  );
};

/** Puts another record into the page, and begins games there, where the page brought one. */
const Others = () => (
  <section class="card" aria-labelledby="others">
    <h2 id="others">Another record, or a new game</h2>
    <Refused />
    <Load title="Put a record into this page" />
    {app.home ? (
      <>
        <Fold id="begin" title="Begin a game">
          <OpenGame />
        </Fold>
        <Fold id="practise" title="Play against the machine">
          <PracticeForm />
        </Fold>
        <Fold id="learn" title="Learn a game">
          <div class="row">
            {tools.about().games.map(({ name, title }) => (
              <Button key={name} data-learn={name} act={() => learn.open(name, learn.next(name))}>
                {title}
              </Button>
            ))}
          </div>
        </Fold>
      </>
    ) : null}
  </section>
);

const Level = () => {
  if (!machine.is_on()) return null;
  const { practice } = app.opened;
  return (
    <section class="card" aria-label="The machine">
      <Choice
        id="level"
        label="Level of the machine"
        words={tools.levels().map(({ number, name }) => [String(number), `${number}: ${name}`])}
        value={String(machine.level || practice.level)}
        onChange={(level) => {
          machine.level = Number(level);
        }}
      />
    </section>
  );
};

/** Everything on *Details*. */
export const Details = ({ hidden }: { hidden: boolean }) => (
  <main class="page details-page" id="details" hidden={hidden} aria-label="Details">
    <Fold id="in-words" title="The position in words" open>
      <p class="words">{app.seen?.words || ""}</p>
    </Fold>
    {world.home.details()}
    <Rules key={app.opened.game.name} id="rules" book={app.opened.game.name} title={`The rules of ${app.opened.game.title}`} />
    <Level />
    {app.lesson ? (
      <Lessons />
    ) : (
      <>
        <nav class="entries card" aria-label="Entries">
          <h2>Moves as they are written</h2>
          <Entries entries={app.opened.entries} at={app.at} />
        </nav>
        <LookBack />
        <Facts />
      </>
    )}
    <Others />
    <p class="version" id="version-here">
      {document.querySelector("#version")?.textContent}
    </p>
  </main>
);
