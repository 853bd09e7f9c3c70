"""What becomes of the times: checks of counts, ratios, the table, the plot."""

import csv
import os
import platform
from collections import defaultdict
from dataclasses import dataclass, field

MOST_EXTRA = 0.001  # candidates beyond those of exact boxes, as a share


@dataclass
class Result:
    """One contestant in one row. Seconds; MB."""

    row: str
    triangles: int  # and tetrahedra
    contestant: str
    kind: str  # impinge or peer
    exact: bool  # is its count that of exact boxes or triangles?
    pairs: int
    min: float
    median: float
    memory: float
    times: list
    ratios: dict = field(default_factory=dict)  # "min", "median"
    group: str = ""  # of the row: bench.py
    held: bool = True  # to the instruction set that was asked for: if not, it decides no ratio


def by_row(results):
    rows = defaultdict(list)
    for r in results:
        rows[r.row].append(r)
    return rows


def of_kind(results, kind):
    return [r for r in results if r.kind == kind]


# ---- counts


def true_count(results):
    """What exact peers say: CGAL first, whose arithmetic is exact. None if there is none. Between frames
    there is none, but impinge is exact."""
    exact = [r for r in results if r.exact and (r.kind == "peer" or r.group == "swept")]
    exact.sort(key=lambda r: not r.contestant.startswith("CGAL"))
    return exact[0].pairs if exact else None


def most_allowed(truth):
    return int(truth * (1 + MOST_EXTRA))


def many_extra(results):
    """Has impinge more candidates than its boxes, in float32, usually make?"""
    truth = true_count(results)
    ours = of_kind(results, "impinge")
    return truth is not None and any(r.pairs > most_allowed(truth) for r in ours)


def count_faults(row, results, grown=0):
    """`grown` is the count of boxes as large as those in float32 may be, if somebody asked."""
    faults = []

    def fault(what, r, expected):
        text = "%s: %s found %d pairs, %s is %d"
        faults.append(text % (row.name, r.contestant, r.pairs, what, expected))

    ours, truth = of_kind(results, "impinge"), true_count(results)
    for r in ours:
        if r.pairs != ours[0].pairs:
            fault("the count of impinge on %s" % ours[0].contestant, r, ours[0].pairs)
    for r in results:
        if truth is None:
            break
        if r.exact and r.pairs != truth:
            fault("the exact count", r, truth)
        elif row.stage == "contacts":
            continue  # a peer's test with a tolerance
        elif not truth <= r.pairs <= max(most_allowed(truth), grown):
            fault("the count of exact boxes", r, truth)
    return faults


# ---- ratios


def held(results):
    return [r for r in results if r.held]


def add_ratios(results):
    """How many times as long as impinge the fastest peer takes."""
    peers = of_kind(held(results), "peer")
    for r in of_kind(held(results), "impinge"):
        for what in ("min", "median"):
            best = min((getattr(p, what) for p in peers), default=0)
            if best:
                r.ratios[what] = best / getattr(r, what)


def milliseconds(seconds):
    ms = 1e3 * seconds
    return "%.0f" % ms if ms >= 100 else "%.3g" % ms


def ratio_text(r):
    return "%.2f (%.2f)" % (r.ratios["min"], r.ratios["median"]) if r and r.ratios else ""


def one_line(row, results):
    times = ["%s %s" % (r.contestant, milliseconds(r.min)) for r in results]
    return "%s: %s ms" % (row.name, ", ".join(times))


# ---- table


def processor():
    name = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
    return name.replace(",", "")


def machine(isa, threads, busy):
    """isa: the instruction set, in words"""
    text = "%s, %s, %d threads, %s." % (processor(), isa, threads, platform.system())
    if busy > 0.1:
        text += " Other programs kept %.1f cores busy when it began." % busy
    return text


def processor_of(table):
    """as machine() said it; empty if there is no such table"""
    lines = table.read_text().splitlines() if table.exists() else []
    return lines[2].split(",")[0] if len(lines) > 2 else ""


def markdown(head, lines):
    rule = ["---"] + ["--:"] * (len(head) - 1)
    return "\n".join("| %s |" % " | ".join(map(str, line)) for line in [head, rule] + lines)


def names(results, kind):
    return list(dict.fromkeys(r.contestant for r in of_kind(results, kind)))


def everyone(results):
    return names(results, "impinge") + names(results, "peer")


def grid(results, contestants, cell):
    """A line a row: what cell(result) says of each contestant."""
    lines = []
    for row, some in by_row(results).items():
        found = {r.contestant: r for r in some}
        lines.append([row] + [cell(found[c]) if c in found else "" for c in contestants])
    return lines


def heads(results, who):
    """Those that are not held have a star."""
    loose = {r.contestant for r in results if not r.held}
    return [name + "*" * (name in loose) for name in who]


def fastest_peer(results):
    peers = of_kind(held(results), "peer")
    best = min(peers, key=lambda r: r.min, default=None)
    return "%s, %s" % (best.contestant, milliseconds(best.min)) if best else ""


def ratio_table(results, noun="triangles"):
    ours = names(held(results), "impinge")
    lines = grid(results, ours, ratio_text)
    for line, some in zip(lines, by_row(results).values()):
        line[1:1] = ["{:,}".format(some[0].triangles), fastest_peer(some)]
    return markdown(["row", noun, "fastest peer, ms"] + ours, lines)


def beside_table(results, noun="triangles"):
    """Where peers differ in what they answer: a line for each of them, not for the fastest alone."""
    ours, lines = names(held(results), "impinge"), []
    for row, some in by_row(held(results)).items():
        found = {r.contestant: r for r in some}
        for peer in of_kind(some, "peer"):
            ratios = [
                "%.2f (%.2f)" % (peer.min / r.min, peer.median / r.median) if r else ""
                for r in map(found.get, ours)
            ]
            line = ["%s, %s" % (row, peer.contestant), "{:,}".format(peer.triangles), milliseconds(peer.min)]
            lines.append(line + ratios)
    return markdown(["row, peer", noun, "peer, ms"] + ours, lines) if lines else ""


def grid_table(results, cell):
    who = everyone(results)
    return markdown(["row"] + heads(results, who), grid(results, who, cell))


def time_table(results):
    return grid_table(results, lambda r: "%s / %s" % tuple(map(milliseconds, (r.min, r.median))))


def against(results, group, yardstick, cost):
    """Rows of a group: cost(result), and how many times that of the row `yardstick`."""
    some = [r for r in results if r.group == group]
    unit = {r.contestant: cost(r) for r in results if r.row == yardstick}

    def cell(r):
        times = " (%.2f)" % (cost(r) / unit[r.contestant]) if r.contestant in unit else ""
        return "%.3g%s" % (cost(r), times)

    who = names(some, "impinge")
    return markdown(["row"] + heads(some, who), grid(some, who, cell)) if some else ""


STAR = "With a star: not held to %s, so it decides no ratio.\n"


def section(title, table, isa):
    """isa: what contestants were to be held to"""
    note = "\n" + STAR % isa if "*" in table else ""
    return "\n%s\n\n%s\n%s" % (title, table, note) if table else ""


def write_sections(path, title, machine_text, parts, isa):
    text = "".join(section(*part, isa) for part in parts)
    path.write_text("# %s\n\n%s\n%s" % (title, machine_text, text))


def write_markdown(path, results, machine_text, isa):
    with_peers = [r for r in results if not r.group]
    shaped = [r for r in results if r.group == "shaped"]
    tissue = [r for r in results if r.group == "tissue"]
    hashed = [r for r in results if r.group == "hash"]
    listed = [r for r in results if r.group == "listed"]
    trees = [r for r in results if r.group == "trees"]
    real = [r for r in results if r.group == "real"]
    swept = [r for r in results if r.group == "swept"]
    awkward = against(
        results, "awkward", "cloth-200k/candidates", lambda r: 1e9 * r.min / (r.triangles + r.pairs)
    )
    batch = against(results, "batch", "cloth-2M/contacts", lambda r: 1e-6 * r.triangles / r.min)
    parts = [
        ("How many times as long as impinge the fastest peer takes: minima (medians).",
         ratio_table(with_peers) if with_peers else ""),
        ("The same on scenes that are shaped like real ones.",
         ratio_table(shaped) if shaped else ""),
        ("The same of tetrahedra and a tool of triangles.",
         ratio_table(tissue, "primitives") if tissue else ""),
        ("The same of candidates until the caller has them: sorted and handed out, and a peer's list.",
         ratio_table(listed) if listed else ""),
        ("The same of candidates that the hash finds.", ratio_table(hashed) if hashed else ""),
        ("The same by trees: contacts of two bodies in one thread, candidates of a body with itself.",
         ratio_table(trees) if trees else ""),
        ("The same on real scenes: all frames of each, the peers' one after another.",
         ratio_table(real) if real else ""),
        ("Between two frames: how many times as long as impinge each peer takes, minima (medians).",
         beside_table(swept)),
        ("Awkward scenes: nanoseconds for each triangle and pair (times those of cloth-200k).",
         awkward),
        ("Many small frames: million triangles a second (times those of cloth-2M).", batch),
        ("Milliseconds: minimum / median.", time_table(results)),
        ("Most memory of the process, MB.",
         grid_table(results, lambda r: "{:,.0f}".format(r.memory))),
        ("Pairs found.", grid_table(results, lambda r: "{:,}".format(r.pairs))),
    ]
    write_sections(path, "impinge and its peers", machine_text, parts, isa)


COLUMNS = [
    *("row", "triangles", "contestant", "kind", "held", "exact", "pairs", "min_s", "median_s"),
    *("ratio_min", "ratio_median", "peak_mb", "times_s"),
]


def write_csv(path, results):
    with open(path, "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(COLUMNS)
        for r in results:
            ratios = ["%.4g" % r.ratios[k] if k in r.ratios else "" for k in ("min", "median")]
            out.writerow(
                [r.row, r.triangles, r.contestant, r.kind, int(r.held), int(r.exact), r.pairs]
                + ["%.6g" % r.min, "%.6g" % r.median, *ratios, "%.0f" % r.memory]
                + [" ".join("%.6g" % t for t in r.times)]
            )


def read_csv(path):
    def ratios(line):
        return {k: float(line["ratio_" + k]) for k in ("min", "median") if line["ratio_" + k]}

    with open(path, newline="") as f:
        return [
            Result(
                **{k: line[k] for k in ("row", "contestant", "kind")},
                **{k: int(line[k]) for k in ("triangles", "pairs")},
                exact=line["exact"] == "1",
                held=line.get("held", "1") == "1",  # tables of before there was --isa have none
                min=float(line["min_s"]),
                median=float(line["median_s"]),
                memory=float(line["peak_mb"]),
                times=[float(t) for t in line["times_s"].split()],
                ratios=ratios(line),
            )
            for line in csv.DictReader(f)
        ]


# ---- plot: a field for each kind of scene and stage


def plot_fields(results):
    fields = defaultdict(lambda: defaultdict(list))
    for r in results:
        if r.group not in ("", "large"):
            continue
        scene, stage = r.row.split("/")
        kind = scene.rsplit("-", 1)[0]
        fields[kind, stage][r.contestant].append((r.triangles, 1e9 * r.min / r.triangles))
    return fields


def draw_field(axes, lines, order):
    for contestant, points in lines.items():
        x, y = zip(*sorted(points))
        i = order.index(contestant)
        axes.loglog(x, y, "-" if i < 10 else "--", marker="o", color="C%d" % (i % 10), ms=4)
    axes.grid(True, which="both", alpha=0.25)


def open_plot(rows, cols, size):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "impinge"})
    import matplotlib.pyplot as plt

    return plt.subplots(rows, cols, figsize=size, squeeze=False, sharey="row")


def close_plot(figure, path, results, columns):
    """With a legend of so many columns below."""
    from matplotlib.lines import Line2D

    order, ours = everyone(results), len(names(results, "impinge"))
    handles = [Line2D([], [], color="C%d" % (i % 10), marker="o") for i in range(len(order))]
    labels = ["impinge " * (i < ours) + n for i, n in enumerate(heads(results, order))]
    figure.legend(handles, labels, loc="lower center", ncols=columns, frameon=False)
    lines = -(-len(order) // columns)
    figure.tight_layout(rect=(0, 0.06 * lines, 1, 1))
    figure.savefig(path, metadata={"Date": None})


def write_plot(path, results):
    fields = plot_fields(results)
    if not fields:
        return
    kinds = list(dict.fromkeys(kind for kind, _ in fields))
    stages = list(dict.fromkeys(stage for _, stage in fields))
    size = (3.2 * len(kinds) + 1.5, 2.8 * len(stages) + 1)
    figure, axes = open_plot(len(stages), len(kinds), size)
    for i, stage in enumerate(stages):
        axes[i][0].set_ylabel("%s: ns per triangle" % stage)
        for j, kind in enumerate(kinds):
            draw_field(axes[i][j], fields[kind, stage], everyone(results))
            axes[i][j].set_title(kind)
    for a in axes[-1]:
        a.set_xlabel("triangles")
    close_plot(figure, path, results, len(everyone(results)))


def with_plot(write, path, results):
    try:
        write(path, results)
    except ImportError:
        print("no plot: there is no matplotlib")


def write_all(folder, results, machine_text, isa):
    write_csv(folder / "table.csv", results)
    write_markdown(folder / "table.md", results, machine_text, isa)
    with_plot(write_plot, folder / "plot.svg", results)
