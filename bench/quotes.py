#!/usr/bin/env python3
"""Checks tables of figures in the READMEs and data/pcs.md against bench/results, so that a text quotes what is stored.

A table under the line `<!-- quoted: FILE, TITLE -->` has rows of that file, word for word, all or some. They are rows
of the first table with these columns below that heading (without TITLE: in the whole file). The table of speed in
bench/README.md is made of two files by SPEED. `quotes.py` prints what differs, and ends with 1; `quotes.py --write` writes
the figures again."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
MARK = re.compile(r"<!-- quoted: ([^,>]+?)(?:, (.+?))? -->")

# lines of bench/README.md, and rows of table.md
SPEED = {
    "folded cloth | 2 M": "cloth-2M",
    "small spheres | 1.6 M": "spheres-1.6M",
    "random soup | 1 M": "soup-1M",
    "cloth with ball | 120 k": "cloth-x-ball-120k",
    "triangles of mixed sizes | 100 k": "mixed-100k",
    "twisted rods, 2 frames | 160 k": "real-rod-twist",
    "crushed can, 4 frames | 29 k": "real-can-crush",
    "warping spheres, 100 frames | 336 k": "real-warping-spheres",
}
SPEED_COLUMNS = [("x86-64-v3", "candidates"), ("x86-64-v3", "contacts")] + [
    ("x86-64-v4", stage) for stage in ("candidates", "contacts")
]


def cells(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def joined(some):
    return "| %s |" % " | ".join(some)


def tables_of(path):
    """[(the last heading before it, columns, rows)]"""
    title, found, lines = None, [], path.read_text().split("\n")
    for before, line in zip([""] + lines, lines):
        if line.startswith("### "):
            title = line[4:]
        elif line.startswith("|") and before.startswith("|"):
            found[-1][2].append(cells(line))
        elif line.startswith("|"):
            found.append((title, cells(line), []))
    return found


def stored(path, title, wanted):
    """Columns, and {name of a row: its cells}, of a stored file: of the first table that has the wanted columns,
    under the title if there is one, and of all others that have just the columns of that."""
    some = [t for t in tables_of(path) if title in (None, t[0]) and set(wanted) <= set(t[1])]
    if not some:
        raise LookupError("%s has no table %s with columns %s" % (path.name, title or "", ", ".join(wanted)))
    heads, rows = some[0][1], {}
    for _, columns, lines in some:
        for line in lines[1:] if columns == heads else []:
            rows.setdefault(line[0], line)
    return heads, rows


def quoted(lines, at, path, title):
    """The lines of the table at `at` as they should be. Its first column has the names of rows."""
    columns = cells(lines[at])
    heads, rows = stored(path, title, columns[1:])
    where = [0] + [heads.index(c) for c in columns[1:]]
    good = [lines[at], lines[at + 1]]
    for line in lines[at + 2 :]:
        if not line.startswith("|"):
            break
        name = cells(line)[0]
        if name not in rows:
            raise LookupError("%s has no row %s" % (path.name, name))
        good.append(joined(rows[name][i] for i in where))
    return good


def quote_tables(path, lines):
    """Lines with every quoted table as it should be, and how many there are."""
    count = 0
    for i, line in enumerate(lines):
        mark = MARK.fullmatch(line.strip())
        if not mark:
            continue
        at = i + 1
        while at < len(lines) and not lines[at]:
            at += 1
        if at == len(lines) or not lines[at].startswith("|"):
            raise LookupError("%s: no table under line %d" % (path.name, i + 1))
        good = quoted(lines, at, RESULTS / mark[1], mark[2])
        lines[at : at + len(good)] = good
        count += 1
    return count


def best_ratio(text):
    """`5.15 (4.58)` as `5.2`."""
    return "%.1f" % float(text.split()[0])


def speed_line(name, row):
    found = []
    for isa, stage in SPEED_COLUMNS:
        heads, rows = stored(RESULTS / isa / "table.md", None, ["cpu", "PoCL"])
        line = rows.get("%s/%s" % (row, stage))
        if not line:
            raise LookupError("%s/table.md has no row %s/%s" % (isa, row, stage))
        found.append(", ".join(best_ratio(line[heads.index(c)]) for c in ("cpu", "PoCL")))
    return "| %s | %s |" % (name, " | ".join(found))


def quote_speed(lines):
    for name, row in SPEED.items():
        at = [i for i, line in enumerate(lines) if line.startswith("| %s |" % name)]
        if len(at) != 1:
            raise LookupError("there are %d lines '%s'" % (len(at), name))
        lines[at[0]] = speed_line(name, row)


def main():
    write, wrong, count = sys.argv[1:] == ["--write"], 0, 0
    for path in (ROOT / "README.md", ROOT / "bench/README.md", ROOT / "data/pcs.md"):
        old = path.read_text().split("\n")
        new = list(old)
        try:
            count += quote_tables(path, new)
            if path.parent.name == "bench":
                quote_speed(new)
        except (LookupError, OSError) as e:
            print("%s: %s" % (path.relative_to(ROOT), e))
            wrong += 1
            continue
        if write:
            path.write_text("\n".join(new))
            continue
        for i, (a, b) in enumerate(zip(old, new)):
            if a != b:
                print("%s:%d: is   %s\n    stored %s" % (path.relative_to(ROOT), i + 1, a, b))
                wrong += 1
    if not count:
        print("no table is quoted")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
