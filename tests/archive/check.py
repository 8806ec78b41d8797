#!/usr/bin/env python3
"""Runs what examples/archive shows, for real: the queries with DuckDB, the verification on a Spark cluster of two worker processes, one of
which is killed in mid-run. The answers must be those of one machine, byte for byte.

    check.py POSTRIDER          in an environment with duckdb and pyspark; Spark needs Java 17 or later
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
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
    lines = "".join(json.dumps({"path": path, "record": text}) + "\n" for path, text in [*records(), *lost_on_time()])
    (folder / "lines.jsonl").write_text(lines, encoding="utf-8")
    with open(folder / "lines.jsonl", "rb") as source:
        subprocess.run([PROGRAM, "pack", "-", "-o", folder / "games.jsonl.zst"], stdin=source, check=True)
    return lines.count("\n")


def run_queries(folder):
    import duckdb

    for name, what in [("games", "--games"), ("entries", "--entries")]:
        with open(folder / f"{name}.json", "wb") as output:
            done = subprocess.run([PROGRAM, "export", folder / "games.jsonl.zst", what], stdout=output, stderr=subprocess.DEVNULL)
        assert done.returncode in (1, 2), done
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
    assert len(answers) == 10 and all(answers), [len(answer) for answer in answers]
    games = connection.execute("select count(*), count(*) filter (verdict = 'legal') from games").fetchone()
    judged = sum(row[2] for row in answers[0])
    assert games[0] == judged, (games, judged)
    print(f"duckdb: ten queries answered on {games[0]} games, {games[1]} of them legal")


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


def run_spark(folder, count):
    import pyspark

    # A program that takes its time, so that the kill falls into the run.
    slow = folder / "slow-postrider"
    slow.write_text(f'#!/bin/sh\nsleep 2\nexec "{PROGRAM}" "$@"\n')
    slow.chmod(0o755)
    environment = dict(os.environ, POSTRIDER=str(slow), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    environment["POSTRIDER_RUN"] = str(os.getpid())
    submit = pathlib.Path(pyspark.__file__).parent / "bin/spark-submit"
    command = [submit, "--master", "local-cluster[2,1,1024]", "--driver-memory", "512m"]
    for setting in ["spark.ui.enabled=false", "spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1"]:
        command += ["--conf", setting]
    command += [ROOT / "examples/archive/spark_verify.py", folder / "games.jsonl.zst", folder / "verdicts"]
    began = time.monotonic()
    with open(folder / "spark.log", "wb") as log:
        child = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, env=environment)
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

    import duckdb

    columns = "path, verdict, game, entries, due, result, rule, entry, message"
    rows = duckdb.sql(f"select {columns} from '{folder}/verdicts/*.parquet' order by path").fetchall()
    began = time.monotonic()
    plain = subprocess.run([PROGRAM, "verify", "--batch", folder / "games.jsonl.zst"], stdout=subprocess.PIPE)
    alone = time.monotonic() - began
    expected = []
    for line in plain.stdout.splitlines():
        answer = json.loads(line)
        error = (answer["errors"] or [{}])[0]
        fields = [answer[name] for name in ("path", "verdict", "game", "entries", "due", "result")]
        expected.append(tuple(fields + [error.get(name) for name in ("rule", "entry", "message")]))
    expected.sort()
    assert len(rows) == count == len(expected), (len(rows), count, len(expected))
    assert rows == expected, next((a, b) for a, b in zip(rows, expected) if a != b)
    overhead = 1000 * (took - alone) / count
    print(f"spark: {count} verdicts on two workers, one killed in mid-run, the same as on one machine")
    print(f"spark: {took:.1f} s in all, {alone:.2f} s with verify --batch alone: {overhead:.1f} ms a record, most of it Spark's start")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        count = pack(folder)
        run_queries(folder)
        run_spark(folder, count)


main()
