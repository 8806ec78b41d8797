"""The ten tasks of README.md in Python: tasks.py RECORD REFUSED LONG."""

import sys
from pathlib import Path

import postrider

record, refused, long = (Path(name).read_bytes() for name in sys.argv[1:])

# 1. Is a record legal, how long is it, and how did it end?
report = postrider.verify(record)
print(report.verdict, report.entries, report.result)

# 2. What is wrong with a refused one, and where?
fault = postrider.verify(refused).errors[0]
print(fault.entry, fault.line, fault.column, fault.rule)

# 3. Which game is it, and whose entry is due?
game = postrider.open(long)
print(game.id, game.due, len(game.entries))

# 4. What may be entered?
print(len(game.moves()), game.moves()[0])

# 5. How did it stand after an earlier entry?
earlier = postrider.open(long, at=1)
print(earlier.due, len(earlier), len(earlier.moves()))

# 6. Is an entry legal, and how is it written?
judged = earlier.judge("C4-C5")
print(judged.number, judged.side, judged.line)

# 7. Which rule does another one break, and what in it is wrong?
try:
    earlier.judge(" b4-b3")
except postrider.Refused as error:
    print(error.rule, error.typed[error.start : error.end])

# 8. What is the record with the entry?
longer = earlier.append("c4-c5", message="hello", time="2026-10-22T08:00:00Z").record
print(longer.decode().splitlines()[-1])

# 9. What may follow the beginning of a turn, at an earlier entry?
print(postrider.next(record, at=0).actions[0], postrider.moves(record, at=0)[0])

# 10. What does the position look like in words, and what does a rule say?
print(earlier.position().words.splitlines()[0])
print(postrider.rule("asalto", "T21").text.splitlines()[0])
