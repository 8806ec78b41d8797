#!/usr/bin/env python3
"""Verifies packed archives, or a folder of records, on Apache Spark; the verdicts go into a folder of Parquet files.

    spark-submit spark_verify.py 'games-*.jsonl.zst' verdicts
    spark-submit --master spark://host:7077 spark_verify.py 's3a://bucket/games-*.jsonl.zst' s3a://bucket/verdicts
    SPARK_REMOTE=sc://host:15002 python3 spark_verify.py '/shared/games-*.jsonl.zst' /shared/verdicts
    spark-submit spark_verify.py games/ verdicts

Spark itself reads the files, from any file system that it knows, and pipes each archive through one `postrider verify --batch`, which
unpacks it: `postrider archive pack --split 64` makes 64 archives, and so 64 tasks. Nothing but data frames is used, so it works through Spark Connect
too. A task that dies is run again by Spark and gives the same answers. What cannot be judged is a row of its own, `unjudged`, with the
reason: a line that is no record, a part of an archive that is damaged. The other members of a line are kept in the column `members`, as
JSON. `postrider` must be on the path of each worker (POSTRIDER names another place).

At the end it prints how many verdicts of each kind there are.
"""
import base64
import json
import os
import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import col

VERDICT = (
    "archive string, path string, verdict string, game string, entries int, due string, result string, rule string, entry int, "
    "message string, members string"
)
OWN = {"path", "verdict", "game", "entries", "due", "result", "signatures", "warnings", "errors"}
RECORD_MOST = 4 << 20


def judged(program, archives):
    """Makes the function that judges on a worker: batches of files in, batches of verdicts out."""

    def row(archive, answer):
        error = (answer["errors"] or [{}])[0]
        members = {name: value for name, value in answer.items() if name not in OWN}
        fields = [answer[name] for name in ("path", "verdict", "game", "entries", "due", "result")]
        fields += [error.get(name) for name in ("rule", "entry", "message")]
        return (archive, *fields, json.dumps(members) if members else None)

    def unjudged(path, why):
        return (None, path, "unjudged", None, 0, None, None, None, None, why, None)

    def answers(pieces):
        """What `verify --batch` answers to these bytes, line by line."""
        import subprocess
        import threading

        with subprocess.Popen([program, "verify", "--batch", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:

            def feed():
                # If it ends early its exit code tells.
                try:
                    for piece in pieces:
                        child.stdin.write(piece)
                    child.stdin.close()
                except BrokenPipeError:
                    pass

            feeder = threading.Thread(target=feed, daemon=True)
            feeder.start()
            for line in child.stdout:
                yield json.loads(line)
            feeder.join()
            # 0, 1 and 2 are verdicts; anything else is a task that died, which Spark runs again.
            if child.wait() not in (0, 1, 2):
                raise RuntimeError(f"{program} ended with {child.returncode}")

    def of_archives(files):
        for path, content in files:
            yield from (row(path, answer) for answer in answers([content]))

    def of_records(files):
        long = []

        def lines():
            for path, content in files:
                if len(content) > RECORD_MOST:
                    long.append(path)
                else:
                    text = base64.b64encode(content).decode()
                    yield (json.dumps({"path": path, "record-base64": text}) + "\n").encode()

        yield from (row(None, answer) for answer in answers(lines()))
        yield from (unjudged(path, "it is over 4 MiB") for path in long)

    def run(batches):
        import pyarrow

        types = {"int": pyarrow.int32(), "string": pyarrow.string()}
        columns = [column.split(" ") for column in VERDICT.split(", ")]
        schema = pyarrow.schema([(name, types[kind]) for name, kind in columns])

        def files():
            for batch in batches:
                for path, content in zip(batch["path"], batch["content"]):
                    yield path.as_py(), content.as_py()

        def batch(rows):
            arrays = [pyarrow.array(values, field.type) for values, field in zip(zip(*rows), schema)]
            return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)

        rows = []
        for one in (of_archives if archives else of_records)(files()):
            rows.append(one)
            if len(rows) == 4096:
                yield batch(rows)
                rows = []
        if rows:
            yield batch(rows)

    return run


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, output = sys.argv[1:]
    spark = SparkSession.builder.appName("postrider verify").getOrCreate()
    archives = not (source.endswith("/") or os.path.isdir(source))
    files = spark.read.format("binaryFile")
    if archives:
        # One archive is in memory at a time, and each is a task.
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
        spark.conf.set("spark.sql.files.openCostInBytes", "1g")
    else:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
        files = files.option("recursiveFileLookup", "true").option("pathGlobFilter", "*.pbem")
    judge = judged(os.environ.get("POSTRIDER", "postrider"), archives)
    verdicts = files.load(source).select("path", "content").mapInArrow(judge, VERDICT)
    verdicts.write.mode("overwrite").parquet(output)
    counts = {row["verdict"]: row["count"] for row in spark.read.parquet(output).groupBy(col("verdict")).count().collect()}
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) or "no records")
    spark.stop()


if __name__ == "__main__":
    main()
