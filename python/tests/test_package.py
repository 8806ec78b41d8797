"""The package by itself: its objects, its exceptions, other threads, and bytes from strangers."""

import copy
import datetime
import multiprocessing
import pickle
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import postrider
import pytest
from conftest import ROOT, SAMPLES

RECORD = (
    "---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n"
    "  defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n1 defenders place c6 e6\n"
)


def test_a_record_is_text_or_bytes_of_any_kind() -> None:
    reports = [postrider.verify(kind) for kind in (RECORD, RECORD.encode(), bytearray(RECORD.encode()), memoryview(RECORD.encode()))]
    assert all(report == reports[0] and report.legal and report.due == "besiegers" for report in reports)
    assert str(reports[0]) == "legal, entries: 1"
    with pytest.raises(TypeError, match="read_bytes"):
        postrider.verify(ROOT)  # type: ignore[arg-type]


def test_a_game_is_opened_listed_judged_and_appended() -> None:
    game = postrider.open(RECORD)
    assert (game.id, game.game, game.sides) == ("asalto-example", "asalto", ["besiegers", "defenders"])
    assert game.players[0].email == "ada@example.org" and game.playable and game.why_not is None
    assert game.standing.due == "besiegers" and game.entries[0].actions == "place c6 e6"
    assert "c4-c5" in game.moves() and "c4-c5" in game.next().actions
    judged = game.judge("C4-C5")
    assert (judged.line, judged.number, judged.side) == ("2 besiegers c4-c5", 2, "besiegers")
    appended = game.append("C4-C5", message="hello")
    assert appended.record == RECORD.encode() + b"2 besiegers c4-c5 {hello}\n"
    assert appended.reply is not None and appended.reply.to == "bram@example.net" and appended.reply.subject.startswith("Re: [pbem] asalto-example #1 ")
    assert postrider.open(appended.record).entries[1].message == "hello"


def test_a_refused_entry_says_which_rule_where_and_what_would_be_legal() -> None:
    with pytest.raises(postrider.Refused) as caught:
        postrider.judge(RECORD, "  b4-b3 ")
    error = caught.value
    assert (error.rule, error.book, error.ruling) == ("T21", "asalto", "illegal")
    assert str(error) == "T21: b4-b3: a besieger may not go back; from b4 it may go to c5"
    assert error.text is not None and error.text.startswith("### T21 never backwards")
    assert error.typed[error.start : error.end] == "b4-b3"
    assert error.excerpt is not None and "^^^^^" in error.excerpt
    assert "c4-c5" in error.legal
    if hasattr(error, "__notes__"):
        assert error.__notes__ == [error.excerpt]


def test_places_are_counted_in_characters() -> None:
    with pytest.raises(postrider.Refused) as caught:
        postrider.judge(RECORD, "\u00e9\U0001f600x")
    error = caught.value
    assert error.rule is None and error.ruling == "malformed"
    assert error.start is not None and error.end is not None and 0 <= error.start <= error.end <= 3


def test_rules_of_the_record_are_named_too() -> None:
    over = (ROOT / "examples/asalto/fifteen-captures.pbem").read_bytes()
    assert postrider.moves(over) == [] and postrider.next(over).actions == []
    with pytest.raises(postrider.Refused, match="the game is over") as caught:
        postrider.judge(over, "c4-c5")
    assert (caught.value.rule, caught.value.book, caught.value.legal) == ("E4", "record", [])
    with pytest.raises(postrider.Refused) as caught:
        postrider.judge(RECORD, "c4-c5", message="a } brace")
    assert caught.value.rule == "E9"


def test_a_refused_record_is_opened_as_far_as_it_is_legal() -> None:
    record = RECORD + "2 besiegers b4-b3\n"
    game = postrider.open(record)
    assert not game.report.legal and game.report.entries == 1 and not game.playable
    assert "c4-c5" in game.moves()
    with pytest.raises(postrider.RecordError) as caught:
        game.append("c4-c5")
    error = caught.value
    assert (error.rule, error.entry, error.line, error.column) == ("T21", 2, 11, 13)
    assert error.report == game.report and "c4-c5" in error.legal


def test_what_is_no_record_is_an_error() -> None:
    for nothing in ("", "nothing", b"\xff\xfe", "\ud800", "---\npbem: 9\n---\n"):
        assert postrider.verify(nothing).verdict in ("malformed", "unjudged")
        for call in (postrider.open, postrider.moves, postrider.next):
            with pytest.raises(postrider.RecordError) as caught:
                call(nothing)
            assert caught.value.report == postrider.verify(nothing) and caught.value.legal == []
        assert postrider.export(nothing).game.verdict != "legal"


def test_times_are_given_or_the_clock_has_them() -> None:
    record = RECORD.replace("e6\n", "e6 @2026-11-21T10:00:00Z\n")
    east = datetime.timezone(datetime.timedelta(hours=3))
    given = datetime.datetime(2026, 11, 22, 1, 30, tzinfo=east)
    assert postrider.judge(record, "c4-c5", time=given).line == "2 besiegers c4-c5 @2026-11-21T22:30:00Z"
    assert postrider.judge(record, "c4-c5", time="2026-11-21T22:30:00Z").line.endswith("@2026-11-21T22:30:00Z")
    assert postrider.judge(record, "c4-c5").line.endswith("@2026-11-21T10:00:00Z"), "the earliest that it may have"
    before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    line = postrider.append(record, "c4-c5").line
    assert datetime.datetime.fromisoformat(line.partition("@")[2].replace("Z", "+00:00")) >= before
    with pytest.raises(postrider.Refused, match="2026-11-21T10:15:00Z"):
        postrider.judge(record, "c4-c5", time="yesterday")
    for wrong in (datetime.date(2026, 11, 22), datetime.time(10), 5):
        for call in (postrider.judge, postrider.append):
            with pytest.raises(TypeError, match=f"datetime.datetime or a text .*, not {type(wrong).__name__}"):
                call(record, "c4-c5", time=wrong)  # type: ignore[arg-type]


def test_every_game_is_begun_and_its_rules_are_there() -> None:
    for info in postrider.games():
        first, second = info.sides
        begun = postrider.begin(
            info.name, id="a-game-here", started=datetime.date(2026, 11, 22), players={first: ("Ada", "ada@example.org"), second: "Bram"}
        )
        game = postrider.open(begun.record)
        assert game.report.legal and game.game == info.name and game.stepwise == info.stepwise
        assert game.players[0].email == "ada@example.org" and game.started == "2026-11-22"
        assert game.moves()
    with pytest.raises(postrider.Refused, match="halma"):
        postrider.begin("halma", id="a-game-here", started="2026-11-22", players={})
    assert postrider.rule("asalto", "T21").text.startswith("### T21 ")
    for book, number in (("halma", None), ("asalto", "T99")):
        with pytest.raises(ValueError, match=number or book):
            postrider.rule(book, number)


def test_positions_are_drawn_and_told_in_words() -> None:
    seen = postrider.position(RECORD, 1, seen_from="defenders", look="print")
    assert seen.svg.startswith("<svg") and seen._repr_svg_() == seen.svg and "Defenders: c6, e6" in str(seen)
    assert len(seen.targets) == 33 + 16 and seen.pieces[0].name
    assert postrider.position(RECORD, begun="c4-c5").position != seen.position
    with pytest.raises(ValueError, match="there is no entry 9"):
        postrider.position(RECORD, 9)


def test_a_practice_game_throws_by_its_seed() -> None:
    record = (
        "---\npbem: 1\ngame: assassyn\nid: practice-0001\nplayers:\n  white: {name: machine}\n  black: {name: Bram}\n"
        "started: 2026-11-22\nmachine: {side: white, level: 1, seed: 2}\n"
        'setup: "white Pa1 Lc5 Ab2; black Pf6 Lc5 Sb3; to play black; challenge c1xc5"\n---\n'
    )
    game = postrider.open(record)
    assert game.practice == postrider.Practice(side="white", own="black", level=1, seed=2)
    assert game.next().thrown == ["accept"]
    appended = game.append("accept")
    assert appended.line.startswith("1 black accept roll ") and appended.reply is None
    assert postrider.export(appended.record).practice


def test_objects_are_plain() -> None:
    game = postrider.open(RECORD)
    assert pickle.loads(pickle.dumps(game)) == game
    assert postrider.export(RECORD, positions=True).entries[0].position is not None
    assert repr(game) == "<Game asalto-example: asalto, 1 entries, besiegers due>"
    assert list(game) == game.entries and len(game) == 1
    assert postrider.open(RECORD, at=0), "a game without entries is true too"
    refused = repr(postrider.open(RECORD + "2 besiegers b4-b3\n"))
    assert "T21" in refused and len(refused) < 200


def errors() -> list[postrider.Error]:
    """Every kind of exception that is the package's own."""
    caught: list[postrider.Error] = []
    for ask in (
        lambda: postrider.judge(RECORD, "  b4-b3 "),
        lambda: postrider.judge(RECORD, "c4-c5", message="a } brace"),
        lambda: postrider.append(RECORD + "2 besiegers b4-b3\n", "c4-c5"),
        lambda: postrider.open("nothing"),
        lambda: postrider.begin("halma", id="a-game-here", started="2026-11-22", players={}),
    ):
        with pytest.raises(postrider.Error) as error:
            ask()
        caught.append(error.value)
    return caught


def test_exceptions_are_copied_and_sent_to_other_processes_whole() -> None:
    for error in errors():
        error.__dict__["own"] = "a note of one's own"
        for copied in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
            assert type(copied) is type(error) and str(copied) == str(error)
            assert copied.__dict__ == error.__dict__ and copied.legal == error.legal


def test_an_exception_in_another_process_comes_back_and_holds_nothing_up() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        with pytest.raises(postrider.Refused, match="T21"):
            executor.submit(postrider.judge, RECORD, "b4-b3").result(60)
        with pytest.raises(postrider.RecordError):
            executor.submit(postrider.open, "nothing").result(60)
        assert executor.submit(postrider.verify, RECORD).result(60).legal
    with context.Pool(1) as pool:
        with pytest.raises(postrider.Refused, match="T21"):
            pool.apply_async(postrider.judge, (RECORD, "b4-b3")).get(60)


def test_what_is_imported_with_a_star_leaves_the_functions_of_python_alone() -> None:
    names: dict[str, object] = {}
    exec("from postrider import *", names)
    assert "open" not in names and "next" not in names and names["verify"] is postrider.verify
    public = {name for name in vars(postrider) if not name.startswith("_")}
    assert {name for name in names if not name.startswith("_")} <= public


def test_a_record_is_opened_at_an_earlier_entry() -> None:
    record = (ROOT / "examples/asalto/fifteen-captures.pbem").read_bytes()
    whole = postrider.open(record)
    assert (whole.due, whole.result) == (None, "defenders win: captured")
    assert whole.standing.end == postrider.End("defenders", "captured") and postrider.open(RECORD).standing.end is None
    for at in (0, 1, 7, len(whole)):
        game = postrider.open(record, at=at)
        assert len(game) == at and game.report.legal and record.startswith(game.record)
        assert game.entries == whole.entries[:at] and game.moves() == postrider.moves(record, at=at) == whole.moves(at=at)
        assert game.next() == postrider.next(record, at=at)
        assert game.position().position == postrider.position(record, at).position
        if at < len(whole):
            assert game.due == whole.entries[at].side and whole.entries[at].actions in game.moves()
    # What came after it does not count.
    broken = record + b"x\n"
    assert not postrider.verify(broken).legal and postrider.open(broken, at=3).report.legal
    for wrong in (-1, 40, 1 << 32, 1 << 70):
        for call in (
            lambda: postrider.open(record, at=wrong),
            lambda: postrider.moves(record, at=wrong),
            lambda: postrider.next(record, at=wrong),
            lambda: postrider.position(record, wrong),
        ):
            with pytest.raises(ValueError, match=f"there is no entry {wrong}"):
                call()


def test_many_records_are_verified_in_order_and_a_few_at_a_time() -> None:
    records = [path.read_bytes() for path in SAMPLES]
    reports = [postrider.verify(record) for record in records]
    assert list(postrider.verify_many(records)) == reports == list(postrider.verify_many(iter(records), workers=1))
    assert list(postrider.verify_many([])) == []
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield records[taken % len(records)]

    many = postrider.verify_many(endless(), workers=2)
    assert next(many) == reports[1] and next(many) == reports[2]
    assert taken < 1000, "records are taken as reports are asked for"
    many.close()
    with pytest.raises(TypeError, match="read_bytes"):
        list(postrider.verify_many([ROOT]))  # type: ignore[list-item]


def strangers() -> Iterator[bytes]:
    """What fuzzers have collected, and samples that were cut, changed and repeated on their way."""
    for path in sorted((ROOT / "fuzz/corpus").rglob("*")):
        if path.is_file():
            yield path.read_bytes()
    chance = random.Random(38)
    for path in SAMPLES:
        record = bytearray(path.read_bytes())
        if record:
            yield bytes(record[: chance.randrange(len(record))])
            record[chance.randrange(len(record))] = chance.randrange(256)
            yield bytes(record)
            at = chance.randrange(len(record))
            yield bytes(record[:at] + record[at // 2 :])


def test_nothing_that_a_stranger_sends_is_more_than_refused() -> None:
    tried = 0
    for record in strangers():
        report = postrider.verify(record)
        assert report == postrider.verify(record)
        assert postrider.export(record, "x", positions=True, addresses=True).game.entries == report.entries
        typed = record.decode(errors="surrogateescape")[-200:]
        for ask in (
            lambda: postrider.open(record),
            lambda: postrider.moves(record),
            lambda: postrider.next(record, typed),
            lambda: postrider.judge(record, typed),
            lambda: postrider.append(record, "resign", message=typed),
            lambda: postrider.judge(RECORD, typed),
            lambda: postrider.next(RECORD, typed),
            lambda: postrider.position(record, report.entries),
        ):
            # A panic would be no Exception, and end this.
            try:
                ask()
            except (postrider.Error, ValueError):
                tried += 1
    assert tried > 1000


def test_a_record_of_any_size_is_answered() -> None:
    assert postrider.verify(b"x" * (17 << 20)).verdict in ("malformed", "unjudged")
    turns = ["Rd1=S", "Rd8=N", "Rd1=N", "Rd8=S"]
    header = (
        "---\npbem: 1\ngame: assideum\nid: assideum-long-1\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\n"
        "started: 2026-11-21\noptions: {quiet-turns: none, repetition: none}\n---\n"
    )
    long = header + "".join(f"{n + 1} {'black' if n % 2 else 'white'} {turns[n % 4]}\n" for n in range(50_001))
    assert postrider.verify(long).entries == 50_001
    assert len(postrider.export(long).entries) == 50_001
    with pytest.raises(ValueError, match="at most 50000 are listed"):
        postrider.open(long)


def test_other_threads_run_while_the_referee_works() -> None:
    turns = ["Rd1=S", "Rd8=N", "Rd1=N", "Rd8=S"]
    header = (
        "---\npbem: 1\ngame: assideum\nid: assideum-long-1\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\n"
        "started: 2026-11-21\noptions: {quiet-turns: none, repetition: none}\n---\n"
    )
    long = (header + "".join(f"{n + 1} {'black' if n % 2 else 'white'} {turns[n % 4]}\n" for n in range(200_000))).encode()
    span: list[float] = []

    def judge() -> None:
        span.append(time.monotonic())
        assert postrider.verify(long).entries == 200_000
        span.append(time.monotonic())

    ticks = []
    thread = threading.Thread(target=judge)
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        ticks.append(time.monotonic())
    # Without other threads there would be none between the two.
    inside = [tick for tick in ticks if span[0] < tick < span[1]]
    assert len(inside) > 5, (span, len(ticks))


def test_many_threads_may_ask_at_once() -> None:
    records = [path.read_bytes() for path in SAMPLES]
    alone = [postrider.verify(record).summary for record in records]
    with ThreadPoolExecutor(4) as pool:
        assert [report.summary for report in pool.map(postrider.verify, records)] == alone
