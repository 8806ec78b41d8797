"""A referee for board games by mail.

A record is given as its bytes or its text; files are read by whoever calls. `README.md` of the package has examples of everything.

    >>> import postrider
    >>> game = postrider.open(record)
    >>> game.moves()
    ['a3-b4', …]
    >>> game.append("c4-c5").record
    b'---\\npbem: 1\\n…'
"""

from __future__ import annotations

import datetime
import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from . import _referee
from ._errors import Error, RecordError, Refused
from ._objects import (
    Appended,
    Begun,
    Clocks,
    End,
    Entry,
    EntryRow,
    Fault,
    GameInfo,
    GameOption,
    GameRow,
    Judged,
    Key,
    Next,
    Piece,
    Player,
    Position,
    Practice,
    Reply,
    Report,
    Rows,
    Rule,
    Ruling,
    Signatures,
    Stack,
    Standing,
    Target,
    Token,
    end_of,
    position_of,
    report_of,
    standing_of,
)

__all__ = [
    "Appended", "Begun", "Clocks", "End", "Entry", "EntryRow", "Error", "Fault", "Game", "GameInfo", "GameOption", "GameRow", "Judged", "Key",
    "Next", "Piece", "Player", "Position", "Practice", "Record", "RecordError", "Refused", "Reply", "Report", "Rows", "Rule", "Ruling",
    "Signatures", "Stack", "Standing", "Target", "Token", "append", "begin", "export", "games", "judge", "moves", "position", "rule", "verify", "verify_many",
]  # fmt: skip
# `open` and `next` are not among them: `from postrider import *` leaves those of Python alone.
__version__: str = _referee.about()["version"]

Record = str | bytes | bytearray | memoryview
"""A record: its text or its bytes."""
Look = Literal["colour", "print", "dark", "classes"]


@dataclass(frozen=True, slots=True, repr=False)
class Game:
    """A record that was replayed as far as it is legal. It has the length of its entries, and iterates over them."""

    record: bytes
    report: Report
    """The verdict on the record."""
    game: str
    """The game's name."""
    sides: list[str]
    stepwise: bool
    """Whether its turns are too long to be listed whole: `moves` lists what an entry may begin with."""
    id: str
    title: str | None
    started: str
    players: list[Player]
    options: dict[str, str]
    """The options that the header chooses."""
    sealed: bool
    entries: list[Entry]
    """The legal entries."""
    due: str | None
    """The side whose entry is due; None if the game is over."""
    result: str | None
    """How the game ended."""
    standing: Standing
    practice: Practice | None
    """Whether it is a practice game against the machine."""
    playable: bool
    """Whether entries can be made without a secret and a key."""
    why_not: str | None

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __bool__(self) -> bool:
        # A game that has no entry yet is one.
        return True

    def __repr__(self) -> str:
        state = self.result or f"{self.due} due"
        return f"<Game {self.id}: {self.game}, {len(self)} entries, {state if self.report.legal else self.report.summary}>"

    def moves(self, *, at: int | None = None) -> list[str]:
        """See `postrider.moves`."""
        return moves(self.record, at=at)

    def next(self, begun: str = "", *, seed: int = 0, at: int | None = None) -> Next:
        """See `postrider.next`."""
        return next(self.record, begun, seed=seed, at=at)

    def position(
        self, at: int | None = None, *, begun: str = "", seen_from: str | None = None, look: Look | None = None
    ) -> Position:
        """See `postrider.position`."""
        return position(self.record, at, begun=begun, seen_from=seen_from, look=look)

    def judge(
        self, typed: str, *, message: str | None = None, time: datetime.datetime | str | None = None
    ) -> Judged:
        """See `postrider.judge`."""
        return judge(self.record, typed, message=message, time=time)

    def append(
        self, typed: str, *, message: str | None = None, time: datetime.datetime | str | None = None
    ) -> Appended:
        """See `postrider.append`."""
        return append(self.record, typed, message=message, time=time)


def verify(record: Record) -> Report:
    """Returns the verdict on a record, whatever it is. Nothing that a record holds raises an exception here."""
    return report_of(_referee.verify(_bytes(record)))


def verify_many(records: Iterable[Record], *, workers: int | None = None) -> Generator[Report, None, None]:
    """Verifies records side by side, on all processors unless `workers` says how many, and yields their reports in order.

    Of `records` some hundred are taken ahead of the report that is asked for next, and not all: they may be more than memory holds.
    """
    workers = workers or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else workers or os.cpu_count() or 1
    pool = ThreadPoolExecutor(workers, thread_name_prefix="postrider")
    under_way: deque[Future[list[dict[str, Any]]]] = deque()
    try:
        for batch in _batches(records):
            under_way.append(pool.submit(_referee.verify_some, batch))
            if len(under_way) > 2 * workers:
                yield from map(report_of, under_way.popleft().result())
        while under_way:
            yield from map(report_of, under_way.popleft().result())
    finally:
        pool.shutdown(cancel_futures=True)


def _batches(records: Iterable[Record]) -> Iterator[list[bytes]]:
    """A thread is told about some records at once, because telling it takes as long as judging one."""
    batch: list[bytes] = []
    size = 0
    for record in records:
        source = _bytes(record)
        batch.append(source)
        size += len(source)
        if len(batch) >= 64 or size >= 1 << 20:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def open(record: Record, *, at: int | None = None) -> Game:
    """Opens a record and replays it as far as it is legal; its `report` says why it stops there.

    With `at` it is opened as it was after that entry, 0 being before the first. Raises `RecordError` if nothing of the record can be
    replayed, and ValueError if there is no such entry.
    """
    source = _bytes(record)
    answer = _asked(source, _referee.open(_text(source), _number(at)))
    if at is not None and "record" in answer:
        source = answer["record"].encode()
    report = report_of(answer["verdict"])
    info = answer["game"]
    if info is None:
        raise RecordError(source, report)
    return Game(
        record=source,
        report=report,
        game=info["name"],
        sides=info["sides"],
        stepwise=info["stepwise"],
        id=answer["id"],
        title=answer["title"],
        started=answer["started"],
        players=[Player(**player) for player in answer["players"]],
        options=answer["options"],
        sealed=answer["sealed"],
        entries=[Entry(**entry) for entry in answer["entries"]],
        due=answer["due"],
        result=answer["result"],
        standing=standing_of(answer["standing"]),
        practice=answer["practice"] and Practice(**answer["practice"]),
        playable=answer["playable"],
        why_not=answer["why_not"],
    )


def moves(record: Record, *, at: int | None = None) -> list[str]:
    """Lists every legal entry in canonical spelling, or, in games with long turns, the actions that an entry may begin with.

    With `at` it lists them as they were after that entry. If an entry of the record is refused, this lists what could stand in its place.
    Raises `RecordError` if nothing of the record can be replayed, and ValueError if there is no such entry.
    """
    source = _bytes(record)
    found: list[str] = _asked(source, _referee.moves(_text(source), _number(at)))["moves"]
    return found


def next(record: Record, begun: str = "", *, seed: int = 0, at: int | None = None) -> Next:
    """Returns what may follow the beginning of an entry, or with `at` of the one after that entry. Actions of one entry are joined by `; `.

    Words that stand for very many entries come with examples, which `seed` chooses. Raises `Refused` if the beginning breaks a rule, and
    `RecordError` if the record is not legal.
    """
    source = _bytes(record)
    answer = _asked(source, _referee.next(_text(source), _typed(begun), seed, _number(at)), begun)
    return Next(answer["actions"], answer["whole"], answer.get("words", {}), answer.get("thrown", []), answer.get("says", {}))


def position(
    record: Record,
    at: int | None = None,
    *,
    begun: str = "",
    seen_from: str | None = None,
    look: Look | None = None,
) -> Position:
    """Returns the position after an entry (the last one), or after a beginning of the next entry, as everybody sees it.

    `seen_from` is the side at the bottom of the picture. Raises ValueError if there is no such entry.
    """
    source = _bytes(record)
    return position_of(_referee.position(_text(source), _number(at), _typed(begun), seen_from, look))


def judge(
    record: Record, typed: str, *, message: str | None = None, time: datetime.datetime | str | None = None
) -> Judged:
    """Judges the actions of an entry, as a player types them, as the next entry.

    Without a time the entry gets the earliest that it may have, that of the entry before it; it has none if the entries of the record have
    none. Raises `Refused` if the entry breaks a rule, and `RecordError` if the record is not legal.
    """
    source = _bytes(record)
    given = None if time is None else _time(time)
    answer = _asked(source, _referee.judge(_text(source), _typed(typed), message and _typed(message), given), typed)
    return Judged(answer["number"], answer["side"], answer["actions"], answer["line"], answer["outcome"], end_of(answer["end"]))


def append(
    record: Record, typed: str, *, message: str | None = None, time: datetime.datetime | str | None = None
) -> Appended:
    """Judges an entry as `judge` does, and returns the longer record with it. Without a time it gets that of the system's clock."""
    source = _bytes(record)
    given = _time(datetime.datetime.now(datetime.timezone.utc) if time is None else time)
    answer = _asked(source, _referee.append(_text(source), _typed(typed), message and _typed(message), given), typed)
    longer, reply = answer.pop("record"), answer.pop("reply", None)
    end = end_of(answer.pop("end"))
    return Appended(**answer, end=end, record=longer.encode(), reply=reply and Reply(**reply))


def export(
    record: Record,
    path: str | None = None,
    *,
    entries: bool = True,
    positions: bool = False,
    addresses: bool = False,
) -> Rows:
    """Returns a record, whatever it is, as rows: one of the game, and one for each legal entry.

    `path` is only written into the rows. `positions` adds the position after each entry, `addresses` the players' mail addresses.
    """
    answer = _referee.export(_bytes(record), path and _typed(path), entries, positions, addresses)
    rows = [EntryRow(**row) for row in answer["entries"]]
    return Rows(GameRow(**answer["game"]), rows, answer["practice"])


def begin(
    game: str,
    *,
    id: str,
    started: datetime.date | str,
    players: Mapping[str, str | tuple[str, str]],
    title: str | None = None,
    clock: str | None = None,
    options: Mapping[str, str] | None = None,
    setup: str | None = None,
) -> Begun:
    """Begins a record for open play. `players` has the name of each side's player, or the name and the mail address.

    Raises `Refused` if there cannot be such a game.
    """
    people = {
        side: {"name": player} if isinstance(player, str) else {"name": player[0], "email": player[1]}
        for side, player in players.items()
    }
    answer = _asked(
        b"",
        _referee.begin(
            {
                "game": game,
                "id": id,
                "started": str(started),
                "players": people,
                "title": title,
                "clock": clock,
                "options": dict(options or {}),
                "setup": setup,
            }
        ),
    )
    return Begun(answer["record"].encode(), answer["notice"])


def games() -> list[GameInfo]:
    """Lists the games with their sides and options."""
    listed = _referee.about()["games"]
    return [GameInfo(**{**one, "options": [GameOption(**option) for option in one["options"]]}) for one in listed]


def rule(book: str, number: str | None = None) -> Rule:
    """Returns the text of a rule (`"asalto"`, `"T21"`), or of a whole rulebook. By the name of a game those that all games share are found
    too, which begin with E and Z; their own rulebooks are `record` and `sealing`.

    Raises ValueError if there is none.
    """
    return Rule(**_referee.rule(book, number))


def _bytes(record: Record) -> bytes:
    if isinstance(record, str):
        # What is no Unicode is no record, which the verdict says.
        return record.encode("utf-8", "surrogatepass")
    if isinstance(record, bytes | bytearray | memoryview):
        return bytes(record)
    kind = type(record).__name__
    raise TypeError(f"a record is its text or its bytes, not {kind}; `pathlib.Path(…).read_bytes()` reads a file")


def _text(source: bytes) -> str:
    try:
        return source.decode()
    except UnicodeDecodeError:
        raise RecordError(source, verify(source)) from None


def _typed(text: str) -> str:
    # Half characters cannot be typed, but can be in a str.
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else text


def _time(time: datetime.datetime | str) -> str:
    if isinstance(time, str):
        return time
    if not isinstance(time, datetime.datetime):
        raise TypeError(f"a time is a datetime.datetime or a text such as 2026-11-21T10:15:00Z, not {type(time).__name__}")
    return time.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _number(at: int | None) -> int | None:
    if at is not None and not 0 <= at < 1 << 32:
        raise ValueError(f"there is no entry {at}: entries are counted from 1, and 0 is before the first")
    return at


def _asked(source: bytes, answer: dict[str, Any], typed: str = "") -> dict[str, Any]:
    if "refused" in answer:
        _refuse(source, answer["refused"], typed)
    return answer


def _refuse(source: bytes, refused: dict[str, Any], typed: str) -> NoReturn:
    if "verdict" in refused:
        raise RecordError(source, report_of(refused["verdict"]))
    raise Refused(source, typed, refused)
