#!/usr/bin/env python3
"""Verifies packed archives, or a folder of records, on Apache Spark; the verdicts go into a folder of Parquet files.

    spark-submit spark_verify.py games.jsonl.zst verdicts
    spark-submit --master spark://host:7077 spark_verify.py /shared/games.jsonl.zst /shared/verdicts

Records are spread by frame: every frame of an archive holds whole lines and can be read without the others, so a task reads its own part of
the file. A task pipes its lines through one `postrider verify --batch`. A task that dies is run again by Spark and gives the same
answers; a record that cannot be judged is answered in its place and stops nothing. `postrider` must be on the path of each worker
(POSTRIDER names another place), and the archive on a file system that all workers share.
"""
import json
import os
import subprocess
import sys
import threading

from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

VERDICT = StructType(
    [
        StructField("path", StringType()),
        StructField("verdict", StringType(), False),
        StructField("game", StringType()),
        StructField("entries", IntegerType(), False),
        StructField("due", StringType()),
        StructField("result", StringType()),
        StructField("rule", StringType()),
        StructField("entry", IntegerType()),
        StructField("message", StringType()),
    ]
)
FRAMES_IN_A_TASK = 8
MAGIC = b"\x28\xb5\x2f\xfd"


def frames(path):
    """The places of an archive's frames: (offset, length). Only headers are read."""
    with open(path, "rb") as archive:
        end = os.path.getsize(path)
        offset = 0
        while offset < end:
            archive.seek(offset)
            length = frame_length(archive, offset)
            yield offset, length
            offset += length


def frame_length(archive, offset):
    """The length of the frame that begins at `offset` (RFC 8878): its header, its blocks, its checksum."""
    magic = archive.read(4)
    if len(magic) == 4 and magic[0] & 0xF0 == 0x50 and magic[1:] == b"\x2a\x4d\x18":
        return 8 + int.from_bytes(archive.read(4), "little")
    if magic != MAGIC:
        raise ValueError(f"no zstd frame begins at byte {offset}")
    flags = archive.read(1)[0]
    single = flags >> 5 & 1
    header = 0 if single else 1
    header += (0, 1, 2, 4)[flags & 3]
    header += (1 if single else 0, 2, 4, 8)[flags >> 6]
    at = offset + 5 + header
    while True:
        archive.seek(at)
        block = archive.read(3)
        if len(block) < 3:
            raise ValueError(f"the frame at byte {offset} is cut short")
        block = int.from_bytes(block, "little")
        at += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
        if block & 1:
            return at - offset + (4 if flags & 4 else 0)


def judge(source):
    """The verdicts on what `source` writes, a row each."""
    program = os.environ.get("POSTRIDER", "postrider")
    with subprocess.Popen([program, "verify", "--batch", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:

        def feed():
            # If it ends early its exit code tells.
            try:
                for part in source:
                    child.stdin.write(part)
                child.stdin.close()
            except BrokenPipeError:
                pass

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        for line in child.stdout:
            answer = json.loads(line)
            error = (answer["errors"] or [{}])[0]
            yield (
                answer["path"],
                answer["verdict"],
                answer["game"],
                answer["entries"],
                answer["due"],
                answer["result"],
                error.get("rule"),
                error.get("entry"),
                error.get("message"),
            )
        feeder.join()
        # 0, 1 and 2 are verdicts; anything else is a task that died, which Spark runs again.
        if child.wait() not in (0, 1, 2):
            raise RuntimeError(f"{program} ended with {child.returncode}")


def judge_frames(parts):
    """The verdicts on some frames: (path, offset, length) each. Frames are handed on as they are."""

    def read():
        for path, offset, length in parts:
            with open(path, "rb") as archive:
                archive.seek(offset)
                while length > 0:
                    piece = archive.read(min(length, 1 << 20))
                    if not piece:
                        raise ValueError(f"{path} became shorter")
                    length -= len(piece)
                    yield piece

    return judge(read())


def judge_files(paths):
    """The verdicts on some records' files."""

    def read():
        for path in paths:
            with open(path, "rb") as file:
                record = file.read((16 << 20) + 1)
            yield (json.dumps({"path": path, "record": record.decode("utf-8", "replace")}) + "\n").encode()

    return judge(read())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, output = sys.argv[1:]
    spark = SparkSession.builder.appName("postrider verify").getOrCreate()
    context = spark.sparkContext
    if os.path.isdir(source):
        found = sorted(
            os.path.join(folder, name) for folder, _, names in os.walk(source) for name in names if name.endswith(".pbem")
        )
        tasks = max(1, len(found) // 1000)
        rows = context.parallelize(found, tasks).mapPartitions(judge_files)
    else:
        found = [(source, offset, length) for offset, length in frames(source)]
        tasks = max(1, -(-len(found) // FRAMES_IN_A_TASK))
        rows = context.parallelize(found, tasks).mapPartitions(judge_frames)
    spark.createDataFrame(rows, VERDICT).write.mode("overwrite").parquet(output)
    spark.stop()


if __name__ == "__main__":
    main()
