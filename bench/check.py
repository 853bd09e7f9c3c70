"""Is a run worse than the table of one before?

Counts must be equal. Speed is judged by ratios, time of a peer by time of impinge, since times
differ between machines and between hours. Impinge is slower if its ratio to every peer of both runs
fell by the factor SLOWER, in minima and in medians. Contestants take turns, so other work on the
machine slows all: what is left of it strikes one peer or one of the two figures, seldom all."""

from collections import defaultdict

import programs
import report

DEMANDS = {  # row: how many times as long peers take, at least; of each name the best
    "scalpel-1M/candidates": [("Embree", 6)],
    "scalpel-1M/contacts": [("CGAL", 8)],
    "cloth-x-ball-120k-tree/contacts": [("FCL", 5), ("Coal", 5)],
    "cloth-2M-tree/candidates": [("Embree", 1), ("ipc-toolkit", 1)],
    # more than a third of the peer's time goes to candidates there: README.md
    "swept-cloth/contacts": [("ipc-toolkit ACCD", 3), ("ipc-toolkit Tight-Inclusion", 4)],
}
SWEPT = {  # the same of all other rows between frames, by their stage
    "candidates": [("ipc-toolkit LBVH", 4)],
    "contacts": [("ipc-toolkit ACCD", 3), ("ipc-toolkit Tight-Inclusion", 15)],
    "queries": [("ipc-toolkit ACCD", 4)],
}
SLOWER = 1.3  # with other programs on all cores it looked at most 1.1 times as slow


UNMEASURED = "stored, but was not measured"


def rows_of(results):
    """{row: {contestant: Result}}"""
    rows = defaultdict(dict)
    for r in results:
        rows[r.row][r.contestant] = r
    return rows


# ---- counts


def count_before(r, old):
    """A device that is new must find what impinge found elsewhere; None if nothing is known."""
    if r.contestant in old:
        return old[r.contestant].pairs
    same = [o.pairs for o in old.values() if o.kind == r.kind == "impinge"]
    return same[0] if same else None


def changed_counts(old, new):
    faults = []
    for r in new.values():
        before = count_before(r, old)
        if before not in (None, r.pairs):
            text = "%s: %s found %d pairs, %d before"
            faults.append(text % (r.row, r.contestant, r.pairs, before))
    return faults


# ---- speed


def fall(name, peer, old, new):
    """By what factor the ratio to this peer is smaller than before, in minima and medians."""

    def ratio(row, what):
        return getattr(row[peer], what) / getattr(row[name], what)

    return min(ratio(old, what) / ratio(new, what) for what in ("min", "median"))


def slowdowns(row, old, new):
    """Returns faults and notes."""
    both = [r for r in report.held(new.values()) if r.contestant in old]
    both = [r for r in both if old[r.contestant].held]
    peers = [r.contestant for r in report.of_kind(both, "peer")]
    ours = [r.contestant for r in report.of_kind(both, "impinge")]
    if not peers:
        return [], ["%s: no peer of before takes part, so speed is not judged" % row]
    faults = []
    for name in ours:
        least = min(fall(name, peer, old, new) for peer in peers)
        if least > SLOWER:
            text = "%s: beside its peers %s is at least %.2f times as slow as before"
            faults.append(text % (row, name, least))
    return faults, []


def demanded(row):
    scene, stage = row.rsplit("/", 1)
    return DEMANDS.get(row) or (SWEPT.get(stage, []) if scene.startswith("swept-") else [])


def of_name(found, name):
    """Those whose name begins so, and has its other words, too."""
    first, *others = name.split()
    return [r for who, r in found.items() if who.startswith(first) and set(others) <= set(who.split())]


def judgeable(row, peer, found):
    """Of a demand: an empty text, or why it cannot be judged, and whether that is a fault. Who is
    not there is one: nobody knows what is promised. Who is not held to the instruction set that was
    asked for does not count on purpose."""
    for name in ("cpu", peer):
        there = of_name(found, name)
        if not report.held(there):
            why = "is not held to that instruction set" if there else "is not there"
            return "%s: %s is demanded, but %s %s" % (row, peer, name, why), not there
    return "", False


def demands(results, asked):
    """What is promised of rows and the host's kernels, by minima. asked: names of the rows that were
    to be measured. Returns faults and notes."""
    faults, notes, measured = [], [], rows_of(results)
    for row in asked:
        found = measured[row]
        for peer, least in demanded(row):
            text, wrong = judgeable(row, peer, found)
            if not text:
                ratio = min(r.min for r in report.held(of_name(found, peer))) / found["cpu"].min
                text = "%s: %s takes %.2f times as long as cpu, at least %d is wanted"
                text, wrong = text % (row, peer, ratio, least), ratio < least
            (faults if wrong else notes).append(text)
    return faults, notes


# ---- both


def compare(before, now):
    """Returns counts that changed, what is slow, and notes of what could not be compared. Rows that
    were not asked for are none."""
    counts, slow, notes, absent = [], [], [], defaultdict(list)
    before = rows_of(before)
    for row, new in rows_of(now).items():
        if row not in before:
            notes.append("%s: not in the table of before" % row)
            continue
        old = before[row]
        for name in old.keys() - new.keys():
            absent[name].append(row)
        slower, unknown = slowdowns(row, old, new)
        counts += changed_counts(old, new)
        slow += slower
        notes += unknown
    for name, rows in sorted(absent.items()):
        notes.append("%s, which was there before, is missing in %s" % (name, ", ".join(rows)))
    return counts, slow, notes


def stored(folder, isa, name):
    """Files of this name, that of this instruction set first; or a fault."""
    found = sorted(folder.glob("*/%s.csv" % name), key=lambda p: p.parent.name != isa)
    run = "" if name == "table" else " --" + name
    return found, [] if found else [
        "there is no %s.csv to compare with: ./dev bench%s --keep" % (name, run)
    ]


def compare_counts(folder, isa, name, now):
    """Of a run of its own, with the stored one: rows and devices that both have. Returns faults and
    notes."""
    found, faults = stored(folder, isa, name)
    if not found:
        return faults, []
    before, notes = rows_of(report.read_csv(found[0])), []
    for row, new in rows_of(now).items():
        if row not in before:
            notes.append("%s: not in %s" % (row, found[0].name))
        faults += changed_counts(before.get(row, {}), new)
    absent = before.keys() - rows_of(now).keys()
    return faults + ["%s: %s" % (row, UNMEASURED) for row in sorted(absent)], notes


def compare_figures(folder, isa, name, now):
    """Of a program, with the stored ones. Returns faults."""
    found, faults = stored(folder, isa, name)
    return faults or programs.compare(programs.read_csv(found[0]), now)


def compare_with(folder, isa, processor, now):
    """With the table of this instruction set, else with any: counts are the same everywhere. Speed
    is judged only where the processor is the same, too. Returns faults and notes."""
    found, faults = stored(folder, isa, "table")
    if not found:
        return faults, []
    counts, slow, notes = compare(report.read_csv(found[0]), now)
    kept, was = found[0].parent.name, report.processor_of(found[0].with_suffix(".md"))
    if (kept, was) == (isa, processor):
        return counts + slow, ["compared with the table of %s with %s" % (was, kept)] + notes
    text = "speed is not judged: the table is of %s with %s, this is %s with %s"
    return counts, notes + [text % (was, kept, processor, isa)]
