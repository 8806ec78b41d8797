// The screen as a function of the state: the first screen, a game, or a lesson.
import { Fragment } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { app } from "../app";
import { board } from "../board";
import { machine } from "../machine";
import { play } from "../play";
import { referee } from "../referee";
import { capital, entry_words, short, when } from "../words";
import { world } from "../world";
import { Details } from "./details";
import { Dock } from "./dock";
import { Front } from "./front";
import { Button, Drawing, Host, prose } from "./parts";

/** How many moves of the strip are there at once, around the shown one. */
const NEAR = 30;

const Strip = () => {
  const { entries } = app.opened;
  const list = useRef<HTMLOListElement>(null);
  const [first, last] = [Math.max(0, app.at - NEAR), Math.min(entries.length, app.at + NEAR)];
  useLayoutEffect(() => {
    const all = list.current;
    if (!all) return;
    const see = () => {
      const now = all.querySelector("[aria-current]")?.parentElement?.getBoundingClientRect();
      if (!now) return;
      const here = all.getBoundingClientRect();
      all.scrollBy({
        left: now.left - here.left - Math.max(0, here.width - now.width) / 2,
        top: now.top - here.top - (here.height - now.height) / 2,
        behavior: "instant",
      });
    };
    see();
    // Also where the list gets its size later, or another one.
    const sized = new ResizeObserver(see);
    sized.observe(all);
    return () => sized.disconnect();
  }, [app.at, app.part, app.record]);
  const around = Array.from({ length: last - first + 1 }, (_, nth) => first + nth);
  return (
    <nav class="strip" aria-label="Moves">
      <Button class="arrow" id="previous" aria-label="Previous" disabled={!app.at} act={() => app.go(app.at - 1)}>
        {"\u2039"}
      </Button>
      <ol ref={list}>
        {around.map((at) => {
          const entry = entries[at - 1];
          return (
            <li key={at}>
              <button type="button" aria-current={at === app.at ? "step" : undefined} onClick={() => app.go(at)}>
                {entry ? (
                  <>
                    <span class="n">{at}</span> {app.does(entry.side, entry.told)}
                  </>
                ) : (
                  "The start"
                )}
              </button>
            </li>
          );
        })}
      </ol>
      <Button class="arrow" id="next" aria-label="Next" disabled={app.is_last()} act={() => app.go(app.part ? app.at : app.at + 1)}>
        {"\u203a"}
      </Button>
    </nav>
  );
};

/** The first line of the status. */
const first_line = (): string => {
  const { lesson, opened } = app;
  if (lesson) return lesson.solved ? "Right." : lesson.title;
  if (!app.is_last()) return app.heading();
  const told = world.home.status();
  if (told) return told;
  const { standing, verdict, practice } = opened;
  if (standing.outcome) return app.outcome();
  if (verdict.report.verdict !== "legal") return "The next move is refused";
  if (practice || world.home.is_shown()) {
    const mine = practice ? standing.due === practice.own : world.home.game.is_mine;
    if (mine)
      return play.begun.length ? (play.whole ? "Your turn: enter it, or change it" : "Your turn goes on") : `Your turn: ${standing.task}`;
    return practice ? "The machine is thinking \u2026" : `Waiting for ${app.called(standing.due)}`;
  }
  return `${capital(app.called(standing.due))}: ${standing.task}`;
};

const Status = () => {
  const { entries, standing, practice } = app.opened;
  const { lesson } = app;
  const entry = entries[app.at - 1];
  const is_last = app.is_last();
  const mine = Boolean(is_last && app.playing_here);
  const left = standing.clocks?.left.find(({ side }: { side: string }) => side === standing.due)?.left;
  return (
    <section class={`status${mine ? " mine" : ""}${mine && !play.undoes() ? " still" : ""}`} aria-label="Where the game stands">
      <div role="status">
        <h2 id="now" tabIndex={-1}>
          {first_line()}
        </h2>
      </div>
      <p class="since">
        {lesson ? (
          <span id="teacher" tabIndex={0}>
            {prose(lesson.solved ? entry_words(lesson.solved.actions, true) : lesson.text)}
          </span>
        ) : (
          <span>
            {is_last && entry ? app.does(entry.side, entry.told) : ""}
            {is_last && entry?.message ? <q>{entry.message}</q> : null}
            {!is_last && entry?.time ? when(entry.time) : ""}
            {is_last && standing.offer ? ` ${app.called(standing.offer)} offered a draw.` : ""}
            {!entry && is_last && !practice ? "No move was made yet" : ""}
          </span>
        )}
        {is_last && left && !standing.outcome ? <b class="time">{`${left} left`}</b> : null}
      </p>
    </section>
  );
};

const Bar = () => {
  const { game, players, practice } = app.opened;
  const { lesson } = app;
  const own = world.home.is_shown() ? world.home.game.own : null;
  const opponent = players.find(({ side }: { side: string }) => side !== own);
  const title = lesson
    ? `${lesson.game_title}, lesson ${lesson.number} of ${lesson.of}`
    : practice
      ? "Practice"
      : own
        ? short(opponent.name)
        : app.title();
  const tab = (name: "board" | "details", text: string) => (
    <Button
      id={`tab-${name}`}
      class="tab"
      aria-pressed={String(app.tab === name)}
      act={() => {
        app.tab = name;
        app.drawn();
      }}
    >
      {text}
    </Button>
  );
  return (
    <header class="bar">
      {app.home && !lesson && !machine.is_on() && app.record === app.home ? null : (
        <Button
          class="icon"
          id={world.home.is_shown() || !app.home ? "my-games" : "leave"}
          aria-label={app.home ? "Back to the game" : "My games"}
          act={() => world.home.leave()}
        >
          {"\u2039"}
        </Button>
      )}
      <div class="who">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        <p>
          {game.title}
          {practice ? ` \u00b7 ${practice.own}` : own ? ` \u00b7 ${own}` : ""}
        </p>
      </div>
      <div class="tabs" role="group" aria-label="What is shown">
        {tab("board", "Board")}
        {tab("details", "Details")}
      </div>
    </header>
  );
};

const Table = () => (
  <main class="table board now" aria-label="The board">
    <Host element={app.holder} class="holder" />
    {board.zoomed ? (
      <div class="zoom">
        <Button
          id="all-areas"
          class="chip"
          act={() => {
            board.zoomed = "";
            app.redraw();
          }}
        >
          {"\u00d7 All areas"}
        </Button>
      </div>
    ) : null}
  </main>
);

/** Whether the board keeps its size, and the dock what is left, whatever stands in it: as long as a turn is made or looked back at. */
const is_steady = (): boolean => !app.more && (app.playing_here || Boolean(app.lesson) || !app.is_last() || machine.is_due());

/** All boards, for paper, as far as that takes no longer than a reader waits. */
const Printed = () => {
  const { opened, record } = app;
  const { entries, game } = opened;
  return (
    <main class="printed">
      {Array.from({ length: entries.length + 1 }, (_, at) => {
        const entry = entries[at - 1];
        const { svg } = referee.ask({ call: "position", record, at, from: game.sides[0], look: "classes" });
        return (
          <section key={at} class={at === entries.length ? "board last" : "board"}>
            <h2>{entry ? `${entry.number}. ${entry.side} ${entry_words(entry.told)}` : "The start"}</h2>
            {entry?.message ? <blockquote>{entry.message}</blockquote> : null}
            <Drawing svg={svg || ""} />
          </section>
        );
      })}
    </main>
  );
};

/** A newer version of the page is there. */
const Newer = () =>
  app.newer ? (
    <p class="newer" role="status" id="newer">
      A newer version of this page is ready.{" "}
      <Button class="chip" act={() => location.reload()}>
        Use it
      </Button>
    </p>
  ) : null;

export const Screen = () => {
  if (!app.opened) {
    return (
      <>
        <Newer />
        <Front />
      </>
    );
  }
  if (app.printing) return <Printed />;
  const details = app.tab === "details";
  return (
    <Fragment key="game">
      <Newer />
      <div class={`screen game${details ? " details" : is_steady() ? " steady" : ""}${app.lesson ? " lesson" : ""}`}>
        <Bar />
        {details ? null : (
          <>
            <Status />
            <Table />
            {app.lesson ? null : <Strip />}
            <Dock />
          </>
        )}
        <Details hidden={!details} />
      </div>
    </Fragment>
  );
};
