// The player's part of the first screen: a row for each game, letters, and the form that begins a game by mail.
import { useState } from "preact/hooks";
import { app } from "../app";
import { home, keep } from "../home";
import { letters } from "../letters";
import { type Answer, referee } from "../referee";
import { tools } from "../tools";
import { capital, ended, short } from "../words";
import { is_checked, value_of } from "../world";
import { Backups, Evidence, Keys, Opening, Phrases } from "./folder";
import { wanted } from "./front";
import { LetterForm, Told } from "./kept";
import { Button, Choice, Drawing, Field, Fold, Options, prose } from "./parts";

const boards = new Map<string, string>();

/** The small board of a kept game, as everybody sees it. */
const small = (id: string): string => {
  const record = keep.files.get(`data/games/${id}.pbem`) ?? keep.files.get(`data/invitations/${id}.pbem`);
  if (typeof record !== "string") return "";
  const known = boards.get(record);
  if (known !== undefined) return known;
  const { svg } = referee.alone({ call: "position", record, look: "classes" });
  boards.set(record, svg || "");
  return svg || "";
};

/** So many games have a picture in the list; of a hundred games the most urgent. */
const PICTURED = 12;

/** Whether a letter of a game has to go out before anything else happens in it. */
const is_owed = (one: Answer): boolean =>
  Boolean(one.id) && !one.outcome && !one.handed && ((one.letter === "owed" && one.rank !== "yours") || letters.waits(one.id));

const Row = ({ one, nth }: { one: Answer; nth: number }) => {
  const against: string = one.players && one.own ? one.players[one.sides[0] === one.own ? 1 : 0] : (one.players || []).join(" \u2013 ");
  const mine = one.rank === "yours";
  const owed = is_owed(one);
  const what =
    one.why ||
    (one.end && one.own ? ended(one.end, one.own) : one.outcome) ||
    (one.handed && "Handed over: you play it on another machine") ||
    (owed ? `Send the letter to ${short(against)}` : mine ? capital(one.task || one.what || "") : `Waiting for ${short(against)}`);
  if (!one.id) return <p class="bad">{`${one.file}: ${what}`}</p>;
  return (
    <Button class={mine || owed ? "game-row mine" : "game-row"} data-id={one.id} act={() => home.show(one.id)}>
      {nth < PICTURED ? <Drawing svg={small(one.id)} /> : <div class="svg empty" />}
      <span class="tx">
        <b>{what}</b>
        <bdi>{short(against)}</bdi>
        <small>{one.title}</small>
        {one.resigns && !one.outcome ? <small>{`${short(one.resigns)} resigns: entered with your next move`}</small> : null}
      </span>
      {one.left && !one.outcome ? <span class="left">{`${one.left} left`}</span> : null}
    </Button>
  );
};

const Section = ({ title, rows, from }: { title: string; rows: Answer[]; from: number }) =>
  rows.length ? (
    <>
      <h2>{title}</h2>
      <ul class="kept">
        {rows.map((one, nth) => (
          <li key={one.id || one.file}>
            <Row one={one} nth={from + nth} />
          </li>
        ))}
      </ul>
    </>
  ) : null;

const Rows = () => {
  const { games, invitations } = home.state;
  const over = games.filter((one: Answer) => one.outcome);
  const yours = games.filter((one: Answer) => !one.outcome && (one.rank === "yours" || is_owed(one)));
  const waiting = games.filter((one: Answer) => !over.includes(one) && !yours.includes(one));
  return (
    <div id="kept">
      {invitations.length ? (
        <ul class="kept">
          {invitations.map((one: Answer) => (
            <li key={one.id}>
              <Button class="game-row mine" data-id={one.id} act={() => home.show(one.id)}>
                <span class="tx">
                  <b>An invitation: accept or decline</b>
                  <bdi>{`from ${one.players
                    .filter(({ side }: { side: string }) => side !== one.own)
                    .map(({ name }: { name: string }) => short(name))
                    .join(", ")}`}</bdi>
                  <small>{one.title}</small>
                  {one.resigns && !one.outcome ? <small>{`${short(one.resigns)} resigns: entered with your next move`}</small> : null}
                </span>
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <Section title="Your turn" rows={yours} from={0} />
      <Section title="Waiting" rows={waiting} from={yours.length} />
      <Section title="Over" rows={over} from={yours.length + waiting.length} />
      {games.length || invitations.length ? null : <p class="lead">No game by mail yet: begin one, or read the letter that invites you.</p>}
    </div>
  );
};

const Who = () => {
  const { state } = home;
  return (
    <div class="form">
      {state.name ? null : <p>Say who you are, as your opponents know you; it stays in this browser and in your games.</p>}
      <Field id="my-name" label="My name" value={state.name || ""} />
      <Field id="my-mail" label="My mail address" type="email" value={state.email || ""} />
      <Button id="settle" class="main" act={() => home.known_as(value_of("my-name"), value_of("my-mail") || null)}>
        {state.name ? "Change" : "Go on"}
      </Button>
    </div>
  );
};

/** Begins a game by mail. */
const Beginning = () => {
  const { games } = tools.about();
  const [name, choose] = useState(wanted.game || games[0]?.name || "");
  const game = tools.game(name);
  return (
    <div class="form">
      <Choice id="mail-game" label="Game" words={games.map(({ name, title }) => [name, title])} value={name} onChange={choose} />
      <p>{prose(game.about)}</p>
      <Choice key={name} id="mail-side" label="My side" words={game.sides.map((side) => [side, side])} />
      <Field id="mail-name" label="Opponent's name" />
      <Field id="mail-mail" label="Opponent's mail address" type="email" />
      <Field id="mail-title" label="Title (optional)" />
      <Field id="mail-clock" label="Clock (optional): 5d, 50d/10, 30d+1d" />
      <label class="check">
        <input type="checkbox" id={game.sealable ? "mail-open" : "mail-plain"} />{" "}
        {game.sealable ? "Play openly: dice and hidden things as at a table, by trust" : "My opponent has only a mail program"}
      </label>
      <Options key={`options of ${name}`} game={game} prefix="mail-" />
      <Button
        id="mail-begin"
        class="main"
        act={() =>
          home.begin({
            do: "begin",
            game: game.name,
            side: value_of("mail-side"),
            name: value_of("mail-name"),
            email: value_of("mail-mail") || null,
            title: value_of("mail-title") || null,
            clock: value_of("mail-clock") || null,
            options: tools.chosen(game, "mail-"),
            open: is_checked("mail-open"),
            by_mail: is_checked("mail-plain"),
          })
        }
      >
        Begin
      </Button>
    </div>
  );
};

const Inside = () => {
  if (keep.refused) return <p class="note">{prose(`No games by mail here: ${keep.refused}.`)}</p>;
  // What came is taken first; who has to be known or unlocked for it is asked then.
  if (app.door === "letter" && !home.state?.fault) return <LetterForm />;
  if (keep.locked())
    return app.door === "games" && !keep.lock ? (
      <Fold id="opening" title="Play with somebody by mail" open>
        <Opening />
      </Fold>
    ) : (
      <Opening />
    );
  if (!home.state) return null;
  if (home.state.fault)
    return (
      <>
        <p class="bad">{home.state.fault}</p>
        <Backups />
      </>
    );
  if (!home.state.name)
    return (
      <>
        <Fold id="me" title="Play with somebody by mail" open>
          <Who />
        </Fold>
        {app.door === "games" || app.door === "more" ? <Backups /> : null}
      </>
    );
  if (app.door === "new")
    return (
      <Fold id="begin-mail" title="Play with somebody by mail" open={wanted.form === "begin-mail"}>
        <Beginning key={wanted.game} />
      </Fold>
    );
  if (app.door === "more")
    return (
      <>
        <Keys />
        <Backups />
        <Evidence />
        <Fold id="me" title={`I am ${home.state.name}${home.state.email ? ` <${home.state.email}>` : ""}`}>
          <Who />
        </Fold>
        <Phrases />
      </>
    );
  return <Rows />;
};

/** What the first screen has of the player's own. */
export const Mine = () => (
  <section id="home" aria-label="My games by mail">
    {keep.altered ? (
      <p class="bad" id="altered">
        {keep.altered}
      </p>
    ) : null}
    <Told />
    <Inside />
  </section>
);
