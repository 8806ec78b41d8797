"""Asks an archive five questions with polars: archive.py ARCHIVE.jsonl

`zstd -d` makes such a file of what `postrider archive pack` has packed. A line is {"path": …, "record": …}.
"""

import json
import sys

import polars as pl
import postrider

pl.Config(tbl_rows=-1)
with open(sys.argv[1], encoding="utf-8") as lines:
    rows = [postrider.export(line["record"], line["path"]) for line in map(json.loads, lines)]
games = pl.DataFrame([row.game for row in rows], infer_schema_length=None)
entries = pl.DataFrame([entry for row in rows for entry in row.entries], infer_schema_length=None)
legal = games.filter(pl.col("verdict") == "legal")

print("How many games of each kind are there, and how do they stand?")
print(games.group_by("game", "verdict").agg(pl.len(), pl.col("entries").sum()).sort("game", "verdict"))
print("Who wins, by game?")
print(legal.drop_nulls("winner").group_by("game", "winner").len().sort("game", "winner"))
print("How do games end?")
print(legal.drop_nulls("how").group_by("how").len().sort("len", "how", descending=[True, False]))
print("Which rule is broken most?")
refused = games.filter(pl.col("verdict") != "legal")
print(refused.group_by(pl.col("fault_rule").fill_null(pl.col("verdict"))).len().sort("len", "fault_rule", descending=[True, False]))
print("Which first entries are played most often?")
first = entries.filter(pl.col("number") == 1).group_by("game", "actions").len()
print(first.sort("len", "game", "actions", descending=[True, False, False]).head(5))
