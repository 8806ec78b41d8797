"""What differs between two runs of a case, in a few lines each."""


def first_line(one, other):
    """The first line that differs, as both have it."""
    ours, theirs = (text.decode("utf-8", "replace").split("\n") for text in (one, other))
    for at in range(max(len(ours), len(theirs))):
        pair = [lines[at] if at < len(lines) else None for lines in (ours, theirs)]
        if pair[0] != pair[1]:
            return [f"line {at + 1}", *(f"{sign} {shown(line)}" for sign, line in zip("-+", pair))]
    return ["the same lines, with other bytes in them"]


def shown(line):
    if line is None:
        return "(no such line)"
    text = "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in line)
    return text if len(text) <= 160 else text[:160] + f"... ({len(text)} characters)"


def between(one, other, contents):
    """The differences of two steps, a list of lines for each."""
    found = []
    if one.label != other.label:
        return [["another command was run", f"- {shown(one.label)}", f"+ {shown(other.label)}"]]
    if one.code != other.code:
        found.append([f"exit code: {one.code}, then {other.code}"])
    for name, ours, theirs in (("standard output", one.out, other.out), ("standard error", one.err, other.err)):
        if ours != theirs:
            found.append([name, *first_line(ours, theirs)])
    for path in sorted(one.tree.keys() | other.tree.keys()):
        ours, theirs = one.tree.get(path), other.tree.get(path)
        if ours == theirs:
            continue
        if ours is None or theirs is None:
            found.append([f"{path}: only the {'second' if ours is None else 'first'} writes it"])
        elif ours[:2] != theirs[:2]:
            found.append([f"{path}: {ours[0]} of mode {ours[1]}, then {theirs[0]} of mode {theirs[1]}"])
        elif ours[0] == "file":
            found.append([f"file {path}", *first_line(contents.get(ours[2], b""), contents.get(theirs[2], b""))])
        else:
            found.append([f"{path}: {ours[2]}, then {theirs[2]}"])
    return found


def of(one, other, contents, most=3):
    """The differences of two runs: up to so many steps that differ, as (label, lines), and how many more there are. A file
    is told of at the step after which it first differs."""
    told, more, seen = [], 0, set()
    for first, second in zip(one, other):
        differences = []
        for lines in between(first, second, contents):
            kind = lines[0] if lines[0].startswith(("file ", "standard")) or ": " in lines[0] else None
            if kind is None or kind.startswith(("standard", "exit")) or kind not in seen:
                differences.append(lines)
            seen.add(kind)
        if differences and len(told) < most:
            told.append((first.label, differences))
        else:
            more += bool(differences)
    if len(one) != len(other):
        longer = max(one, other, key=len)[min(len(one), len(other))]
        told.append((longer.label, [[f"{len(one)} commands were run, then {len(other)}"]]))
    return told, more
