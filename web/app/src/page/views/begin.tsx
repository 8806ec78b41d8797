// Forms that begin games: against the machine, or in this page alone.
import { useState } from "preact/hooks";
import type { Game } from "../../../../index.js";
import { tools } from "../tools";
import { say } from "../world";
import { Button, Choice, Field, Options, prose } from "./parts";

const titles = (): [string, string][] => tools.about().games.map(({ name, title }) => [name, title]);

const Failed = ({ text, excerpts = [] }: { text: string; excerpts?: string[] }) =>
  text ? (
    <div class="bad" id="not-begun">
      <p>{prose(text)}</p>
      {excerpts.map((one) => (
        <pre key={one}>{one}</pre>
      ))}
    </div>
  ) : null;

/** A game against the machine. */
export const PracticeForm = ({ game: wanted }: { game?: string }) => {
  const [name, choose] = useState(wanted || tools.about().games[0]?.name || "");
  const [failed, fail] = useState("");
  const game = tools.game(name);
  return (
    <div class="form">
      <Choice id="practice-game" label="Game" words={titles()} value={name} onChange={choose} />
      <Choice id="practice-side" label="Your side" words={game.sides.map((side) => [side, side])} />
      <Choice
        id="practice-level"
        label="Level"
        words={tools.levels().map(({ number, name, about }) => [String(number), `${number}: ${name}, ${about}`])}
        value="2"
      />
      <details>
        <summary>Seed</summary>
        <Field id="practice-seed" label="The same seed gives the same dice, cards and answers again" inputMode="numeric" />
      </details>
      <Options key={name} game={game} prefix="practice-" />
      <Failed text={failed} />
      <Button
        id="practice-begin"
        class="main"
        act={() => {
          const text = tools.practise(game);
          fail(text);
          if (text) say(text);
        }}
      >
        Begin
      </Button>
    </div>
  );
};

const Players = ({ game }: { game: Game }) => (
  <>
    {game.sides.map((side) => (
      <div key={side}>
        <Field id={`new-name-${side}`} label={`${side}: name`} />
        <Field id={`new-mail-${side}`} label={`${side}: mail address (optional)`} />
      </div>
    ))}
  </>
);

/** An open game that this page alone keeps. */
export const OpenGame = ({ game: wanted }: { game?: string }) => {
  const [name, choose] = useState(wanted || tools.about().games[0]?.name || "");
  const [failed, fail] = useState<{ text: string; excerpts: string[] }>({ text: "", excerpts: [] });
  const game = tools.game(name);
  return (
    <div class="form">
      <Choice id="game" label="Game" words={titles()} value={name} onChange={choose} />
      <p>
        {prose(
          `${game.about}${game.sealable ? ". A game begun here is open: the players state dice and hidden things themselves, as at a table." : ""}`,
        )}
      </p>
      <Players key={name} game={game} />
      <Field id="new-title" label="Title (optional)" />
      <Field id="new-clock" label="Clock (optional)" placeholder="5d, 50d/10, 30d+1d" />
      <Field id="new-setup" label="Starting position (optional)" />
      <Options key={`options of ${name}`} game={game} prefix="new-" />
      <Failed {...failed} />
      <Button
        id="begin-it"
        class="main"
        act={async () => {
          const answer = await tools.begin(game);
          fail(
            answer
              ? { text: answer.error || answer.refused.message, excerpts: answer.verdict?.excerpts || [] }
              : { text: "", excerpts: [] },
          );
        }}
      >
        Begin
      </Button>
    </div>
  );
};
