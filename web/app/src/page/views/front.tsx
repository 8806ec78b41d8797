// The first screen: the player's games, the most urgent first, or the five games where there is none yet.
import { useEffect, useState } from "preact/hooks";
import type { Game, Minute } from "../../../../index.js";
import { kept } from "../../store/kept";
import { app, type Door } from "../app";
import { learn } from "../learn";
import { referee } from "../referee";
import { tools } from "../tools";
import { capital, ended, short } from "../words";
import { world } from "../world";
import { OpenGame, PracticeForm } from "./begin";
import { Load } from "./load";
import { Button, Drawing, Fold, Refused } from "./parts";

const minutes = new Map<string, Minute>();
const minute = (game: string): Minute => {
  const known = minutes.get(game) || (referee.alone({ call: "minute", game }) as Minute);
  minutes.set(game, known);
  return known;
};

/** A game with its picture, a line about it, and what can be done with it. */
const Offer = ({ game, ready }: { game: Game; ready: boolean }) => {
  const [open, unfold] = useState(false);
  const told = ready ? minute(game.name) : null;
  const [first] = told?.paragraphs || [];
  const pictures = told?.pictures || [];
  const done = learn.done(game.name).size;
  return (
    <section class="game card" data-game={game.name}>
      <h2>{game.title}</h2>
      {pictures[0] ? (
        <Drawing svg={pictures[0].svg} name={`${game.title}: ${pictures[0].words.split("\n")[0]}`} />
      ) : (
        <div class="svg empty" />
      )}
      <p>{first || game.about}</p>
      <details onToggle={(event) => unfold(event.currentTarget.open)}>
        <summary>In a minute</summary>
        {open
          ? told?.paragraphs.slice(1).map((paragraph, nth) => (
              <div key={nth}>
                <p>{paragraph}</p>
                {pictures[nth + 1] ? (
                  <Drawing svg={pictures[nth + 1]?.svg || ""} name={pictures[nth + 1]?.words.split("\n")[0] || game.title} />
                ) : null}
              </div>
            ))
          : null}
      </details>
      <div class="row">
        <Button class="main" data-practise={game.name} act={() => begins("practise", game.name)}>
          Play against the machine
        </Button>
        <Button data-learn={game.name} act={() => learn.open(game.name, learn.next(game.name))}>
          {done ? `Learn (${done} done)` : "Learn"}
        </Button>
        <Button data-begin={game.name} act={() => begins("begin-mail", game.name)}>
          Play with somebody
        </Button>
      </div>
    </section>
  );
};

/** Which form the door *New game* shows, and for which game. */
export const wanted: { form: "practise" | "begin-mail" | "begin"; game: string } = { form: "begin-mail", game: "" };

const begins = (form: typeof wanted.form, game: string): void => {
  Object.assign(wanted, { form, game });
  app.open("new");
  document.querySelector<HTMLElement>(".door select")?.focus({ preventScroll: true });
};

const Games = () => {
  // The pictures are drawn one at a time, so that the page answers meanwhile.
  const { games } = tools.about();
  const [ready, more] = useState(minutes.size);
  useEffect(() => {
    if (ready < games.length) setTimeout(() => more(ready + 1));
  }, [ready]);
  return (
    <div class="games">
      {games.map((game, nth) => (
        <Offer key={game.name} game={game} ready={nth < ready} />
      ))}
    </div>
  );
};

/** What a kept record is: its game, who plays, and what is due. */
interface Told {
  title: string;
  who: string;
  what: string;
  mine: boolean;
}
const told = new Map<string, Told>();
/** So many of them are read for the list, which takes a moment each; of the others the name is listed. */
const MOST_READ = 60;

const tells = (record: string): Told | null => {
  const known = told.get(record);
  if (known) return known;
  if (told.size > 4 * MOST_READ) told.clear();
  const { game, players, practice, standing, verdict, title } = referee.alone({ call: "open", record });
  if (!game) return null;
  const { due, task, outcome, end } = standing;
  const over = end && practice ? ended(end, practice.own) : outcome;
  const mine = practice ? due === practice.own : Boolean(due);
  const names = players.map(({ side, name }: { side: string; name: string }) => short(name) || side);
  const one: Told = {
    title: game.title,
    who: title || (practice ? `Practice as ${practice.own}` : names.join(" \u2013 ")),
    what:
      verdict.report.verdict === "legal"
        ? capital(over || (practice ? (mine ? `your turn: ${task}` : "the machine is to move") : `${due}: ${task}`))
        : "The next move is refused",
    mine: mine && !outcome,
  };
  told.set(record, one);
  return one;
};

const KeptRow = ({ id, nth }: { id: string; nth: number }) => {
  const game = kept.get(id);
  const one = game && nth < MOST_READ ? tells(game.record) : null;
  return (
    <Button class={one?.mine ? "game-row mine" : "game-row"} data-kept={id} act={() => game && app.take_up(game)}>
      {one ? (
        <span class="tx">
          <b>{one.what}</b>
          <bdi>{one.who}</bdi>
          <small>{`${one.title} \u00b7 ${id}`}</small>
        </span>
      ) : (
        id
      )}
    </Button>
  );
};

/** Open games and those against the machine that were played on in this browser. */
const Unmailed = () => {
  const ids = kept.ids();
  if (!ids.length) return null;
  return (
    <section id="games" class="card">
      <h2>On this device</h2>
      <ul class="kept">
        {ids.map((id, nth) => (
          <li key={id}>
            <KeptRow id={id} nth={nth} />
          </li>
        ))}
      </ul>
    </section>
  );
};

const New = () => (
  <div class="door">
    <Fold id="practise" title="Play against the machine" open={wanted.form === "practise"}>
      <PracticeForm key={wanted.game} game={wanted.game} />
    </Fold>
    <div id="begin-mail-place">{world.home.front()}</div>
    <Fold id="begin" title="Two players at this device" open={wanted.form === "begin"}>
      <OpenGame key={wanted.game} game={wanted.game} />
    </Fold>
  </div>
);

const Tabs = () => {
  const doors: [Door, string][] = [
    ["games", "My games"],
    ["letter", "A letter came"],
    ["new", "New game"],
    ["more", "More"],
  ];
  return (
    <nav class="dock doors" aria-label="What to do">
      {doors.map(([door, text]) => (
        <Button
          key={door}
          id={`door-${door}`}
          class={app.door === door ? "main" : ""}
          aria-current={app.door === door ? "page" : undefined}
          act={() => app.open(door)}
        >
          {text}
        </Button>
      ))}
    </nav>
  );
};

/** The player's games; where there is none yet, first the games that can be played. */
const My = () => {
  const first = world.home.is_new();
  return (
    <>
      {first ? null : world.home.front()}
      <Unmailed />
      {first ? null : <h2 class="lead">The games</h2>}
      <Games />
      {first ? world.home.front() : null}
    </>
  );
};

/** The first screen and its doors. */
export const Front = () => {
  const { door } = app;
  return (
    <div class="screen plain" id="front">
      <header class="bar">
        <h1>{{ games: "My games", letter: "A letter came", new: "New game", more: "More" }[door]}</h1>
      </header>
      <main class="page">
        <Refused />
        {door === "new" ? <New /> : null}
        {door === "games" ? <My /> : null}
        {door === "letter" || door === "more" ? world.home.front() : null}
        {door === "more" ? (
          <>
            <Load title="Only look at a game" />
            <p class="version">{document.querySelector("#version")?.textContent}</p>
          </>
        ) : null}
      </main>
      <Tabs />
    </div>
  );
};
