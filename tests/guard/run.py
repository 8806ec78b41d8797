"""Old against new: two programs are given the same work, and what they print, answer and write is compared.

    python3 tests/guard/run.py OLD NEW [--quick] [--jobs N] [--only PART] [--list]

OLD and NEW are paths of two `postrider`s for this machine, linked with its C library (a static one keeps its own randomness). Time is
pinned by POSTRIDER_NOW, randomness by pinned.c, which a C compiler makes. Everything is done with the old program and with the new one,
in the same folder; whatever keeps files is also begun with the old and gone on with by the new, from each of several points on.
Ends with 0 if nothing differs, with 1 if anything does, with 2 if it could not be tried.
"""

import argparse
import collections
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
# Nothing is left in the work tree.
sys.dont_write_bytecode = True

import blocks
import commands
import differences
import homes
import letters
import records
from place import ROOT, Place


def cases(quick):
    """Everything there is to be tried: the kind, the name, the function."""
    every = lambda list, step: list[:: step if quick else 1]
    found = []
    known = records.records()
    readers = records.FEW if quick else records.READERS
    for name, data in every(known, 12):
        found.append(("record", name, records.read_by_all(data, readers)))
    some = every(known, 4)
    for at in range(0, len(some), 40):
        found.append(("mutants", f"{at}", records.judged_mutants(some[at : at + 40], 6 if quick else 40, 0 if quick else 2)))
    found.append(("archive", "examples", records.archives([one for one in known if one[0].startswith("examples/")])))
    if not quick:
        found.append(("archive", "all", records.archives(known)))
    corpus = letters.corpus()
    for name, message, here in every(corpus, 10):
        found.append(("letter", name, letters.one(message, here)))
    for at in range(0, len(corpus), 30):
        found.append(("letters changed", f"{at}", letters.mutants(corpus[at : at + 30], 1 if quick else 8)))
    replies = every(letters.replies_of_programs(), 10)
    for at in range(0, len(replies), 15):
        found.append(("replies", f"{at}", letters.answered(replies[at : at + 15])))
    for name, record, said in every(letters.all_positions(), 6):
        found.append(("replies", name, letters.in_words(record, said)))
    for page, lines in blocks.pages():
        if not quick or page.name in ("keys.md", "mail.md", "README.md", "first-game.md"):
            found.append(("console blocks", page.name, blocks.run(lines, page.name in ("README.md", "first-game.md"))))
    named = ["helps", "mistakes", "rulebooks", "lessons", "pictures", "lists", "editor"]
    for name in named[:1] + named[5:] if quick else named:
        found.append(("commands", name, getattr(commands, name)))
    if not quick:
        found.append(("commands", "tour", blocks.tour))
        for game in records.GAMES:
            found.append(("machine", game, commands.machine(game)))
        for name, data in [one for one in known if one[0].startswith("examples/") and "refused" not in one[0]]:
            found.append(("review", name, commands.review(name, data)))
    found += [("homes", name, function) for name, function in homes.homes(quick)]
    return found


def tried(case):
    """Does a case with the old, with the new, and with the old up to each mark."""
    kind, name, function = case
    whole = f"{kind}: {name}"
    counts = collections.Counter(cases=1)
    told = []
    place.contents.clear()

    def done(first, stage=None):
        place.begin(whole, first)
        if stage:
            place.turn(stage, "new")
        place.counts = {}
        trouble = None
        try:
            function(place)
        except Exception:
            trouble = traceback.format_exc(limit=-3)
        counts["commands"] += len(place.steps)
        return place.steps, trouble

    before, trouble = done("old")
    marks = place.stage
    for what, number in place.counts.items():
        counts[what] += number
    # What the outputs of the old program did not let the case do is a fault of the case.
    if trouble:
        return whole, [("the guard itself", f"it fails with the old program at step {len(before)}", [trouble.splitlines()])], 0, counts
    counts["files"] += max((len(step.tree) for step in before), default=0)
    counts["compared"] += sum(3 + len(step.tree) for step in before) * (1 + marks)
    for stage in (None, *range(1, marks + 1)):
        after, trouble = done("old" if stage else "new", stage)
        found, more = differences.of(before, after, place.contents)
        if trouble and not found:
            found = [("the guard itself", [trouble.splitlines()])]
        way = f"the new from mark {stage} on" if stage else "the new alone"
        told += [(way, label, lines) for label, lines in found]
        if more:
            told.append((way, f"{more} more commands", []))
        if found:
            break
        counts["handed over"] += bool(stage)
    return whole, told, bool(told), counts


def begin_worker(root, programs, pinned, numbers):
    global place
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    place = Place(Path(root) / f"{numbers.get():02}", programs, pinned)
    threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()


def end_with_parent(parent):
    """Ends this process when the one that began it is gone, which a signal may end at any time."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(2)


def made(pinned):
    """Compiles what pins randomness."""
    compiler = os.environ.get("CC", "cc")
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", pinned, str(Path(__file__).with_name("pinned.c"))]
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        stop(f"a C compiler is needed, which makes what pins randomness: {error}")


def stop(why):
    print(f"guard: {why}", file=sys.stderr)
    raise SystemExit(2)


def ended(root):
    """Somebody has ended this."""
    for worker in multiprocessing.active_children():
        worker.kill()
    shutil.rmtree(root, ignore_errors=True)
    os._exit(2)


def is_pinned(root, programs, pinned):
    """Whether each program makes the same key twice, and another for another seed."""
    here = Place(root / "first", programs, pinned)
    for which in programs:
        keys = []
        for name in ("one", "one", "another"):
            here.begin(name, which)
            step = here.run("key", "new")
            if step.code != 0:
                stop(f"`{programs[which]} key new` fails: {step.said}")
            keys.append(step.out)
        if keys[0] != keys[1] or keys[1] == keys[2]:
            stop(f"the randomness of the {which} program cannot be pinned: is it linked statically?")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("old")
    arguments.add_argument("new")
    arguments.add_argument("--quick", action="store_true", help="a part of everything, in less than a minute")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    arguments.add_argument("--only", help="only cases whose `kind: name` has this in it")
    arguments.add_argument("--list", action="store_true", help="list the cases and try none")
    arguments.add_argument("--transcript", action="store_true", help="print what the old program says, and compare nothing")
    arguments.add_argument("--slow", action="store_true", help="say which cases took longest")
    given = arguments.parse_args()
    chosen = [case for case in cases(given.quick) if given.only is None or given.only in f"{case[0]}: {case[1]}"]
    if given.list:
        print("\n".join(f"{kind}: {name}" for kind, name, _ in chosen))
        return 0
    if not chosen:
        stop("there is no such case")
    # Whoever ends this ends its workers, and nothing is left of it.
    root = Path(tempfile.mkdtemp(prefix="guard-"))
    signal.signal(signal.SIGTERM, lambda *_: ended(root))
    try:
        programs = {}
        for which, path in (("old", given.old), ("new", given.new)):
            programs[which] = str(root / which)
            try:
                shutil.copy(path, programs[which])
                os.chmod(programs[which], 0o755)
            except OSError as error:
                stop(f"{path}: {error}")
        pinned = str(root / "pinned.so")
        made(pinned)
        is_pinned(root, programs, pinned)
        if given.transcript:
            return transcript(chosen, Place(root / "00", programs, pinned))
        return compared(chosen, given, root, programs, pinned)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def transcript(chosen, place):
    """What the old program says in some cases, for whoever writes one."""
    for kind, name, function in chosen:
        place.begin(f"{kind}: {name}", "old")
        place.counts = {}
        function(place)
        for step in place.steps:
            print(f"$ {step.label}\n? {step.code}\n{step.said}", end="")
        print(f"== {place.stage} marks, {len(place.steps)} commands, {place.counts}")
    return 0


def compared(chosen, given, root, programs, pinned):
    began = time.monotonic()
    context = multiprocessing.get_context("fork")
    numbers = context.Queue()
    for number in range(given.jobs):
        numbers.put(number)
    total, bad, kinds, took = collections.Counter(), [], collections.Counter(), []
    # What takes longest is begun first.
    order = sorted(range(len(chosen)), key=lambda at: chosen[at][0] not in ("homes", "machine", "archive", "console blocks", "mutants"))
    globals()["chosen_cases"] = chosen
    with context.Pool(given.jobs, begin_worker, (str(root), programs, pinned, numbers)) as pool:
        for at, (whole, told, differs, counts), seconds in pool.imap_unordered(numbered, order, chunksize=1):
            total += counts
            kinds[chosen[at][0]] += 1
            took.append((seconds, whole))
            if told:
                bad.append(whole)
                print(f"\n{whole}", flush=True)
                for way, label, differences in told:
                    print(f"  {way}, at `{differences_label(label)}`" if differences else f"  {way}: {label} differ")
                    for first, *rest in differences[:4]:
                        print(f"    {first}")
                        for line in rest:
                            print(f"      {line}")
                    if len(differences) > 4:
                        print(f"    and {len(differences) - 4} more differences there")
    if given.slow:
        for seconds, whole in sorted(took, reverse=True)[:15]:
            print(f"{seconds:6.1f} s  {whole}")
    print(f"\n{', '.join(f'{number} {kind}' for kind, number in sorted(kinds.items()))}")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    what = ("commands", "compared", "mutants", "letters", "entries", "handed over")
    print(
        ", ".join(f"{name}: {total[name]}" for name in what)
        + f"; {time.monotonic() - began:.0f} s, {spent.ru_utime + spent.ru_stime:.0f} s of processor time"
    )
    if bad:
        print(f"{len(bad)} of {total['cases']} cases differ")
        return 1
    print(f"all {total['cases']} cases are the same")
    return 0


def differences_label(label):
    return label if len(label) <= 120 else label[:120] + "..."


def numbered(at):
    began = time.monotonic()
    return at, tried(chosen_cases[at]), time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
