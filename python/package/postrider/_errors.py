"""What the referee refuses, as exceptions."""

from __future__ import annotations

from typing import Any

from . import _referee
from ._objects import Report


class Error(Exception):
    """What the referee refuses."""

    rule: str | None
    """The number of the rule that is broken, such as `T21`; None if no rule but the grammar is."""
    record: bytes
    """The record that was asked about."""

    @property
    def legal(self) -> list[str]:
        """What may be entered instead, as `postrider.moves` lists it."""
        try:
            record = self.record.decode()
        except UnicodeDecodeError:
            return []
        moves: list[str] = _referee.moves(record, None).get("moves", [])
        return moves


class RecordError(Error):
    """A record is not legal, so that what was asked of it cannot be done.

    `report` is the verdict, with all faults; `rule`, `entry`, `line` and `column` are those of the first.
    """

    report: Report
    entry: int | None
    line: int | None
    column: int | None

    def __init__(self, record: bytes, report: Report) -> None:
        super().__init__(report.summary)
        self.record = record
        self.report = report
        fault = report.errors[0] if report.errors else None
        self.rule = fault.rule if fault else None
        self.entry = fault.entry if fault else None
        self.line = fault.line if fault else None
        self.column = fault.column if fault else None
        for excerpt in report.excerpts:
            _note(self, excerpt)

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is copied, and sent to another process, by what it was made of.
        return type(self), (self.record, self.report), self.__dict__


class Refused(Error):
    """An entry is refused.

    `typed` is what was typed, with the message and the time if the fault is there, and `typed[start:end]` what is wrong in it. `text` is
    the text of the rule in the rulebook `book`.
    """

    message: str
    ruling: str | None
    book: str | None
    text: str | None
    typed: str
    start: int | None
    end: int | None
    excerpt: str | None

    def __init__(self, record: bytes, typed: str, answer: dict[str, Any]) -> None:
        self.record = record
        self._answer = answer
        self.rule = answer.get("rule")
        self.message = answer["message"]
        named = self.rule is None or f"({self.rule})" in self.message
        super().__init__(self.message if named else f"{self.rule}: {self.message}")
        self.ruling = answer.get("ruling")
        self.book = answer.get("book")
        self.text = answer.get("text")
        self.typed = answer.get("typed", typed)
        # Places come in bytes.
        encoded = self.typed.encode()
        start, end = answer.get("start"), answer.get("end")
        self.start = None if start is None else len(encoded[:start].decode(errors="ignore"))
        self.end = None if end is None else len(encoded[:end].decode(errors="ignore"))
        self.excerpt = answer.get("excerpt")
        if self.excerpt:
            _note(self, self.excerpt)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.record, self.typed, self._answer), self.__dict__


def _note(error: Exception, excerpt: str) -> None:
    """Has a traceback show an excerpt, from Python 3.11 on."""
    if hasattr(error, "add_note"):
        error.add_note(excerpt)
