#!/usr/bin/env python3
"""Runs what examples/archive and notation/archive.md show, for real: the queries with DuckDB; 51,000 records, 24,000 in an
ordinary run, with the faults at the end in DuckDB, polars and pandas; the verification on a Spark cluster of two worker processes, one of
which is killed in mid-run, and through Spark Connect. The answers must be those of one machine.

    check.py POSTRIDER [duckdb|large|spark|connect]...

in an environment with duckdb, polars, pandas and pyspark[connect]; Spark needs Java 17 or later.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())


def records():
    """The records of the examples, and each of them again under other ids, with faults among them."""
    found = sorted((ROOT / "examples").glob("*/*.pbem"))
    assert len(found) > 20
    for copy in range(60):
        for path in found:
            text = path.read_text(encoding="utf-8")
            if copy % 7 == 3:
                text = text.replace("\n2 ", "\n3 ", 1)
            if copy % 11 == 5:
                text = text[: len(text) // 2]
            yield f"{copy}/{path.parent.name}/{path.name}", text


def lost_on_time():
    """Games that end by a claim, which the examples have none of."""
    for number in range(5):
        yield f"late/{number}.pbem", (
            f"---\npbem: 1\ngame: asalto\nid: asalto-late-{number}\nplayers:\n  besiegers: {{name: Ada}}\n  defenders: {{name: Bram}}\n"
            "started: 2026-11-21\nclock: 1d\n---\n1 defenders place c6 e6 @2026-11-21T10:00:00Z\n"
            "2 defenders claim time @2026-11-23T10:00:00Z\n= defenders win: time\n"
        )


def pack(folder):
    """Packs the records into four archives and one; the third of the four has a wrong bit."""
    lines = [json.dumps({"path": path, "record": text, "year": 1990 + number % 40}) + "\n"
             for number, (path, text) in enumerate([*records(), *lost_on_time()])]
    # A line that is no record.
    odd = '{"path": "odd.pbem", "year": 1999}\n'
    lines.insert(len(lines) // 2, odd)
    (folder / "lines.jsonl").write_text("".join(lines), encoding="utf-8")
    for options in [["-o", "games.jsonl.zst"], ["--split", "4", "-o", "part.jsonl.zst"]]:
        with open(folder / "lines.jsonl", "rb") as source:
            done = subprocess.run([PROGRAM, "pack", "-", *options], stdin=source, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        # It says that the line is left out.
        assert done.returncode == 2, done
    damaged = folder / "part-3.jsonl.zst"
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 0x10
    damaged.write_bytes(content)
    # The line is in an archive all the same, of another maker.
    (folder / "part-5.jsonl").write_text(odd + "what is this?\n", encoding="utf-8")


def export(folder, archive, *options):
    """The exported rows, as bytes."""
    done = subprocess.run([PROGRAM, "export", folder / archive, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert done.returncode in (0, 1, 2), done
    return done.stdout


def ask(folder):
    """The answers to the ten questions on what was exported, and the connection."""
    import duckdb

    os.chdir(folder)
    script = (ROOT / "examples/archive/queries.sql").read_text(encoding="utf-8")
    connection = duckdb.connect()
    answers = []
    for statement in connection.extract_statements(script):
        result = connection.execute(statement)
        # A remark in front of a question may speak of views.
        code = "\n".join(line for line in statement.query.splitlines() if not line.startswith("--"))
        if "create or replace view" not in code:
            answers.append(result.fetchall())
    assert len(answers) == 10, len(answers)
    return answers, connection


def run_queries(folder):
    for name, what in [("games", "--games"), ("entries", "--entries")]:
        (folder / f"{name}.json").write_bytes(export(folder, "games.jsonl.zst", what))
    answers, connection = ask(folder)
    assert all(answers), [len(answer) for answer in answers]
    games = connection.execute("select count(*), count(*) filter (verdict = 'legal') from games").fetchone()
    judged = sum(row[2] for row in answers[0])
    assert games[0] == judged, (games, judged)
    print(f"duckdb: ten queries answered on {games[0]} games, {games[1]} of them legal")


# More than the 20,480 rows by which DuckDB tells types.
LARGE = 51_000 if os.environ.get("POSTRIDER_TESTS") == "whole" else 24_000
FAULTY = 600


def large_records():
    """Many short games, and the faults at their end, so that no reader that looks at the first rows sees one. One player is called null."""
    for number in range(LARGE):
        name = "null" if number % 1000 == 7 else f"Player {number % 900}"
        head = (
            f"---\npbem: 1\ngame: asalto\nid: asalto-large-{number}\nplayers:\n  besiegers: {{name: \"{name}\"}}\n"
            "  defenders: {name: Bram}\nstarted: 2026-11-21\n---\n1 defenders place c6 e6 @2026-11-21T10:00:00Z\n"
        )
        second = "2 besiegers c4-c5 @2026-11-22T08:00:00Z\n"
        third = "3 defenders resign @2026-11-22T09:00:00Z\n"
        if number >= LARGE - FAULTY:
            at = " @2026-11-22T08:00:00Z\n"
            # Backwards, to where somebody stands, from where nobody stands, by the wrong side, with the wrong number.
            second = [f"2 besiegers c4-c3{at}", f"2 besiegers c3-c4{at}", f"2 besiegers d7-d8{at}", f"2 defenders c6-c5{at}", f"7 besiegers c4-c5{at}"][number % 5]
        yield f"{number}.pbem", head + second + third


def run_large(folder):
    import collections
    import io

    import pandas
    import polars

    began = time.monotonic()
    lines = (json.dumps({"path": path, "record": text}) + "\n" for path, text in large_records())
    packed = subprocess.run([PROGRAM, "pack", "-", "-o", folder / "large.jsonl.zst"], input="".join(lines).encode(), check=True)
    assert packed.returncode == 0
    (folder / "games.json").write_bytes(export(folder, "large.jsonl.zst"))
    (folder / "entries.json").write_bytes(export(folder, "large.jsonl.zst", "--entries"))
    expected = collections.Counter()
    nulls = set()
    with open(folder / "games.json", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            if row["verdict"] != "legal":
                expected[row["fault_rule"] or row["verdict"]] += 1
            if row["first_name"] == "null":
                nulls.add(row["path"])
    assert sum(expected.values()) == FAULTY and len(expected) >= 3, expected
    assert len(nulls) == LARGE // 1000
    answers, connection = ask(folder)
    assert {rule: count for _, rule, count in answers[7]} == dict(expected), (answers[7], expected)
    (folder / "games.csv").write_bytes(export(folder, "large.jsonl.zst", "--csv"))
    (folder / "games.parquet").write_bytes(export(folder, "large.jsonl.zst", "--parquet"))
    (folder / "entries.parquet").write_bytes(export(folder, "large.jsonl.zst", "--entries", "--parquet"))
    entries = connection.execute("select count(*) from 'entries.parquet'").fetchone()[0]
    assert entries == connection.execute("select count(*) from entries").fetchone()[0] > LARGE * 2
    ours = "select coalesce(fault_rule, verdict), count(*) from 'games.parquet' where verdict <> 'legal' group by 1"
    assert dict(connection.execute(ours).fetchall()) == dict(expected)

    def check(what, paths, rules, names):
        """The rules by which records were refused, and who is called null."""
        assert dict(collections.Counter(rules)) == dict(expected), (what, collections.Counter(rules), expected)
        assert {path for path, name in zip(paths, names) if name == "null"} == nulls, what
        assert all(isinstance(name, str) for name in names), what

    types = {"fault_rule": polars.String, "fault": polars.String, "fault_entry": polars.Int64}
    for what, frame in [
        ("polars, Parquet", polars.read_parquet("games.parquet")),
        ("polars, JSON", polars.read_ndjson("games.json", schema_overrides=types)),
        ("polars, CSV", polars.read_csv("games.csv", schema_overrides=types)),
    ]:
        refused = frame.filter(polars.col("verdict") != "legal")
        rules = [rule or verdict for rule, verdict in zip(refused["fault_rule"], refused["verdict"])]
        check(what, frame["path"], rules, frame["first_name"].to_list())
    for what, frame in [
        ("pandas, Parquet", pandas.read_parquet("games.parquet")),
        ("pandas, JSON", pandas.read_json("games.json", lines=True, dtype={"fault_rule": "string", "fault": "string"})),
        ("pandas, CSV", pandas.read_csv("games.csv", keep_default_na=False, low_memory=False)),
    ]:
        refused = frame[frame["verdict"] != "legal"]
        rules = [verdict if pandas.isna(rule) or rule == "" else rule for rule, verdict in zip(refused["fault_rule"], refused["verdict"])]
        check(what, frame["path"], rules, frame["first_name"].to_list())
    # Typed without being told.
    parquet = polars.read_parquet("games.parquet")
    assert parquet.schema["entries"].is_integer() and parquet.schema["started"] == polars.Date, parquet.schema
    took = time.monotonic() - began
    print(f"large: {LARGE} records, {FAULTY} faults at the end, the same in DuckDB, polars and pandas; {took:.0f} s")


def executors():
    """The processes of Spark's executors that this run started."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if b"CoarseGrainedExecutorBackend" in words and f"POSTRIDER_RUN={os.getpid()}".encode() in environment:
                found.append(int(entry.name))
    return sorted(found)


COLUMNS = "archive, path, verdict, game, entries, due, result, rule, entry, message, members"


def expected_rows(folder):
    """The answers of one machine to the same archives, as rows. Paths of archives are as Spark writes them."""
    rows = []
    for archive in sorted(folder.glob("part-*")):
        plain = subprocess.run([PROGRAM, "verify", "--batch", archive], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for line in plain.stdout.splitlines():
            answer = json.loads(line)
            error = (answer["errors"] or [{}])[0]
            fields = [answer[name] for name in ("path", "verdict", "game", "entries", "due", "result")]
            members = json.dumps({"year": answer["year"]}) if "year" in answer else None
            rows.append((f"file:{archive}", *fields, *[error.get(name) for name in ("rule", "entry", "message")], members))
    return rows


def check_rows(folder, verdicts, printed):
    """Holds what Spark wrote to what one machine says, and what it printed to that."""
    import collections
    import duckdb

    rows = duckdb.sql(f"select {COLUMNS} from '{folder}/{verdicts}/*.parquet'").fetchall()
    expected = expected_rows(folder)
    ordered = lambda rows: sorted(rows, key=lambda row: [str(field) for field in row])
    for one, other in zip(ordered(rows), ordered(expected)):
        assert one == other, (one, other)
    assert len(rows) == len(expected), (len(rows), len(expected))
    # The damaged part and two lines that are no records are rows, and the other members are kept.
    counts = collections.Counter(row[2] for row in rows)
    assert counts["unjudged"] == 3, counts
    assert any("cannot be read" in (row[9] or "") for row in rows)
    assert sum(1 for row in rows if row[10]) > len(rows) - 10
    told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    assert told in printed, (told, printed[-2000:])
    return len(rows)


def environment(**more):
    return dict(os.environ, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1", **more)


def run_spark(folder):
    import pyspark

    # A program that takes its time, so that the kill falls into the run.
    slow = folder / "slow-postrider"
    slow.write_text(f'#!/bin/sh\nsleep 2\nexec "{PROGRAM}" "$@"\n')
    slow.chmod(0o755)
    submit = pathlib.Path(pyspark.__file__).parent / "bin/spark-submit"
    command = [submit, "--master", "local-cluster[2,1,1024]", "--driver-memory", "512m"]
    for setting in ["spark.ui.enabled=false", "spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1"]:
        command += ["--conf", setting]
    command += [ROOT / "examples/archive/spark_verify.py", folder / "part-*", folder / "verdicts"]
    began = time.monotonic()
    with open(folder / "spark.log", "wb") as log:
        settings = environment(POSTRIDER=str(slow), POSTRIDER_RUN=str(os.getpid()))
        child = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, env=settings)
        killed = None
        while child.poll() is None and time.monotonic() - began < 400:
            workers = executors()
            if killed is None and len(workers) >= 2:
                time.sleep(3)
                killed = workers[0]
                os.kill(killed, signal.SIGKILL)
            time.sleep(0.2)
        if child.poll() is None:
            child.kill()
    if child.wait() != 0 or killed is None:
        print((folder / "spark.log").read_text(errors="replace")[-6000:])
        sys.exit(f"spark: exit code {child.returncode}, worker killed: {killed}")
    took = time.monotonic() - began
    count = check_rows(folder, "verdicts", (folder / "spark.log").read_text(errors="replace"))
    print(f"spark: {count} rows of five archives, one damaged, on two workers, one killed in mid-run, as on one machine; {took:.0f} s")


def run_connect(folder):
    """The same through Spark Connect, whose clients know nothing but data frames; then a folder of records."""
    began = time.monotonic()
    script = ROOT / "examples/archive/spark_verify.py"
    settings = environment(POSTRIDER=PROGRAM, SPARK_REMOTE="local[2]", SPARK_CONNECT_MODE="1")
    done = subprocess.run(
        [sys.executable, script, folder / "part-*", folder / "connected"], env=settings, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-6000:]
    count = check_rows(folder, "connected", done.stdout)
    done = subprocess.run(
        [sys.executable, script, ROOT / "examples", folder / "examples"], env=settings, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-6000:]
    plain = subprocess.run([PROGRAM, "verify", "--json", ROOT / "examples"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    legal = plain.stdout.count(b'"verdict":"legal"')
    assert legal > 10 and f"{legal} legal" in done.stdout, (legal, done.stdout)
    print(f"spark: {count} rows through Spark Connect, and a folder of records; {time.monotonic() - began:.0f} s")


def main():
    parts = {"duckdb": run_queries, "large": run_large, "spark": run_spark, "connect": run_connect}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        pack(folder)
        for part in sys.argv[2:] or parts:
            parts[part](folder)
        os.chdir(ROOT)


main()
