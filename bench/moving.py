"""What is kept from frame to frame where a tool alone moves: the blade of the scene `scalpel`, to
and fro in its wound, through tissue that lies still."""

import report
from rows import STAGES, Row

SCENE = ("tool-1M", "scalpel", 1_000_000, "between", "moving")
FRAMES = 21
SETTINGS = ("begin=105", "dent=0")  # all is cut and burnt by then, and the surface is not pressed
ANEW, KEPT, AUTO = "-anew", "-kept", "-auto"
FIRST = "-first"  # what KEPT had to make before, and peers
DEMANDED = "tool-1M/contacts"
SLOWER = 1.1  # of AUTO, all frames, over ANEW: most
AIM = 3  # of ANEW over KEPT by cpu; README.md in this folder says what bounds it


def rows():
    name, *more = SCENE
    ways = [(ANEW, None, "rebuild"), (KEPT, None, "keep"), (AUTO, None, "auto"), (FIRST, 0, "keep")]
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
    """{row: {contestant: {ANEW, AUTO: seconds a frame, KEPT: of those that follow another}}}. Peers,
    who make all anew, are asked for one frame."""
    found, peers = {}, report.names(results, "peer")
    for r in results:
        row, variant = split(r.row)
        found.setdefault(row, {}).setdefault(r.contestant, {})[variant] = r.min
    for some in found.values():
        for who, least in some.items():
            first = least.pop(FIRST, None)
            if who in peers:
                least[ANEW] = first
            for way in (ANEW, AUTO):
                if way in least and who not in peers:
                    least[way] /= FRAMES
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
        elif variant in (KEPT, AUTO) and anew.get((row, r.contestant), r.pairs) != r.pairs:
            text = "%s: %s found %d pairs, %d anew"
            faults.append(text % (r.row, r.contestant, r.pairs, anew[row, r.contestant]))
    return faults


def aim(some):
    """Of the host's kernels: a line, or None where they are not there."""
    times = gain(some.get("cpu", {}))
    return times and "%s: cpu: a kept frame takes 1/%.2f of one anew, the aim is 1/%d" % (
        DEMANDED, times, AIM,
    )


def demand(who, least):
    """Of a device: is auto no slower than what makes all anew? A text and whether that is met. It is
    not where one of both is not there."""
    if ANEW not in least or AUTO not in least:
        return "%s: %s: frames anew or by auto are not there" % (DEMANDED, who), False
    times = least[AUTO] / least[ANEW]
    text = "%s: %s: auto takes %.2f times as long as all frames anew, at most %.3g is wanted"
    return text % (DEMANDED, who, times, SLOWER), times <= SLOWER


def judge(results, asked):
    """asked: names of the rows that were to be measured. Returns faults and notes."""
    faults, notes = changed_counts(results), []
    if DEMANDED not in [split(name)[0] for name in asked]:
        return faults, notes
    some = costs(results).get(DEMANDED, {})
    notes += filter(None, [aim(some)])
    for who in dict.fromkeys(["cpu", *report.names(report.held(results), "impinge")]):
        text, met = demand(who, some.get(who, {}))
        (notes if met else faults).append(text)
    return faults, notes


def table(results):
    who = report.everyone(results)
    lines = []
    for row, some in costs(results).items():
        for variant in (ANEW, KEPT, AUTO):
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
