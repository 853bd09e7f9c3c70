"""What is kept from frame to frame where a tool alone moves: the blade of the scene `scalpel`, to
and fro in its wound, through tissue that lies still."""

import report
from rows import STAGES, Row

SCENE = ("tool-1M", "scalpel", 1_000_000, "between", "moving")
FRAMES = 21
SETTINGS = ("begin=105", "dent=0")  # all is cut and burnt by then, and the surface is not pressed
ANEW, KEPT, FIRST = "-anew", "-kept", "-first"  # the last: what KEPT had to make before, and peers
DEMANDS = {  # row: how many times as long as a kept frame a peer takes, at least
    "tool-1M/contacts": ("CGAL", 40),
}


def rows():
    name, *more = SCENE
    ways = [(ANEW, None, "rebuild"), (KEPT, None, "keep"), (FIRST, 0, "keep")]
    return [
        Row(
            *(name, stage, *more, FRAMES, SETTINGS, only, variant, ("--update", update)),
            peers=variant == FIRST,
        )
        for stage in STAGES
        for variant, only, update in ways
    ]


def together(row):
    """Rows of which this is the same take turns."""
    return row.stage


def split(row):
    """'tool-1M-kept/contacts' is 'tool-1M/contacts' and '-kept'"""
    scene, stage = row.split("/")
    name, variant = scene.rsplit("-", 1)
    return "%s/%s" % (name, stage), "-" + variant


def costs(results):
    """{row: {contestant: {ANEW: seconds a frame, KEPT: of those that follow another}}}. Peers, who
    make all anew, are asked for one frame."""
    found, peers = {}, report.names(results, "peer")
    for r in results:
        row, variant = split(r.row)
        found.setdefault(row, {}).setdefault(r.contestant, {})[variant] = r.min
    for some in found.values():
        for who, least in some.items():
            first = least.pop(FIRST, None)
            if who in peers:
                least[ANEW] = first
            elif ANEW in least:
                least[ANEW] /= FRAMES
            if KEPT in least and first is not None:
                least[KEPT] = max(least[KEPT] - first, 1e-9) / (FRAMES - 1)
            else:
                least.pop(KEPT, None)
    return found


def gain(least):
    """None if one of both is not there"""
    return least[ANEW] / least[KEPT] if ANEW in least and KEPT in least else None


def changed_counts(results):
    """What is kept may not change what is found."""
    faults, anew = [], {}
    for r in results:
        row, variant = split(r.row)
        if variant == ANEW:
            anew[row, r.contestant] = r.pairs
        elif variant == KEPT and anew.get((row, r.contestant), r.pairs) != r.pairs:
            text = "%s: %s found %d pairs, %d anew"
            faults.append(text % (r.row, r.contestant, r.pairs, anew[row, r.contestant]))
    return faults


def demand(row, some):
    """Of the host's kernels: a text and whether it is met. It is not where somebody is not there."""
    peer, wanted = DEMANDS[row]
    peers = [least[ANEW] for who, least in some.items() if who.startswith(peer)]
    kept = some.get("cpu", {}).get(KEPT)
    if not peers or kept is None:
        missing = "a kept frame of cpu" if peers else peer
        return "%s: %s is demanded, but %s is not there" % (row, peer, missing), False
    times = min(peers) / kept
    text = "%s: %s takes %.1f times as long as a kept frame, %d is wanted"
    return text % (row, peer, times, wanted), times >= wanted


def judge(results, asked):
    """asked: names of the rows that were to be measured. Returns faults and notes."""
    faults, notes, measured = changed_counts(results), [], costs(results)
    for row, some in measured.items():
        for who in report.names(report.held(results), "impinge"):
            times = gain(some.get(who, {}))
            if times is not None:
                text = "%s: %s: a kept frame takes 1/%.2f of one anew"
                notes.append(text % (row, who, times))
    for row in dict.fromkeys(split(name)[0] for name in asked):
        if row in DEMANDS:
            text, met = demand(row, measured.get(row, {}))
            (notes if met else faults).append(text)
    return faults, notes


def table(results):
    who = report.everyone(results)
    lines = []
    for row, some in costs(results).items():
        for variant in (ANEW, KEPT):
            times = [some.get(w, {}).get(variant) for w in who]
            cells = [report.milliseconds(t) if t else "" for t in times]
            lines.append([row + ", " + variant[1:]] + cells)
        gains = [gain(some.get(w, {})) for w in who]
        lines.append([row + ", anew / kept"] + ["%.2f" % g if g else "" for g in gains])
    return report.markdown(["row"] + report.heads(results, who), lines)


def write_all(folder, results, machine_text, isa):
    parts = [
        ("Milliseconds for each of %d frames; of those kept, for each after the first." % FRAMES,
         table(results)),
        ("Milliseconds of all frames, of `first` one: minimum / median.",
         report.time_table(results)),
        ("Pairs found.", report.grid_table(results, lambda r: "{:,}".format(r.pairs))),
    ]
    title = "impinge and its peers: a tool alone moves"
    report.write_sections(folder / "moving.md", title, machine_text, parts, isa)
    report.write_csv(folder / "moving.csv", results)
