"""Time for each tetrahedron over their number, on the scene `tissue-fold` where its layers are
deepest in each other: as `auto` finds pairs, and as `hash` does."""

from collections import defaultdict

import report
from rows import STAGES, Row

NAMES = {10_000: "10k", 100_000: "100k", 1_000_000: "1M", 10_000_000: "10M"}
SETTINGS = ("begin=40",)
FLAT = 1.5  # the dearest size takes at most so many times as long as the cheapest, with `auto`
HASH = "-hash"


def rows():
    """`hash` differs from `auto` in how candidates are found, and in nothing else."""
    asked = [("", stage, ()) for stage in STAGES] + [(HASH, "candidates", ("--broad", "hash"))]
    return [
        Row(
            *("tissue-" + name, stage, "tissue-fold", size, "all", "sizes", 1, SETTINGS),
            *(None, variant, words, False),
        )
        for variant, stage, words in asked
        for size, name in NAMES.items()
    ]


def together(row):
    """Rows of which this is the same take turns."""
    return row.stage, row.variant


def cost(r):
    """in nanoseconds"""
    return 1e9 * r.min / r.triangles


def line_name(row):
    """'candidates', 'contacts', 'candidates, hash'"""
    scene, stage = row.split("/")
    return stage + (", hash" if scene.endswith(HASH) else "")


def lines(results):
    """{what: {tetrahedra: cost}}, of each contestant"""
    found = {}
    for r in results:
        what = "%s: %s" % (r.contestant, line_name(r.row))
        found.setdefault(what, {})[r.triangles] = cost(r)
    return found


def judge(results, asked):
    """Of each device of impinge that is held: is `auto` flat over the sizes that were asked for?
    Returns faults and notes."""
    faults, notes = [], []
    of_line = defaultdict(int)
    for row in asked:
        of_line[line_name(row)] += 1
    for line, sizes in of_line.items():
        there = lines(results).get("cpu: " + line, {})
        if len(there) < sizes:
            faults.append("cpu: %s: %d sizes of %d" % (line, len(there), sizes))
    for what, costs in lines(report.held(results)).items():
        ratio = max(costs.values()) / min(costs.values())
        text = "%s: the dearest size takes %.2f times as long as the cheapest" % (what, ratio)
        wrong = ratio > FLAT and not what.endswith("hash")
        (faults if wrong else notes).append(text + (", more than %.3g" % FLAT if wrong else ""))
    return faults, notes


def table(results):
    found = lines(results)
    sizes = sorted({size for costs in found.values() for size in costs})
    body = [
        [what]
        + ["%.0f" % costs[size] if size in costs else "" for size in sizes]
        + ["%.2f" % (max(costs.values()) / min(costs.values()))]
        for what, costs in found.items()
    ]
    return report.markdown(["", *map("{:,}".format, sizes), "dearest / cheapest"], body)


def write_plot(path, results):
    figure, ((axes,),) = report.open_plot(1, 1, (7, 5))
    for what, costs in lines(results).items():
        axes.loglog(*zip(*sorted(costs.items())), marker="o", ms=4, label=what)
    axes.grid(True, which="both", alpha=0.25)
    axes.set_xlabel("tetrahedra")
    axes.set_ylabel("ns for each")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def write_all(folder, results, machine_text, isa):
    parts = [
        ("Nanoseconds for each tetrahedron, by their number.", table(results)),
        ("Milliseconds: minimum / median.", report.time_table(results)),
        ("Most memory of the process, MB.",
         report.grid_table(results, lambda r: "{:,.0f}".format(r.memory))),
        ("Pairs found.", report.grid_table(results, lambda r: "{:,}".format(r.pairs))),
    ]
    title = "impinge: tissue of 10^4 to 10^7 tetrahedra"
    report.write_sections(folder / "sizes.md", title, machine_text, parts, isa)
    report.write_csv(folder / "sizes.csv", results)
    report.with_plot(write_plot, folder / "sizes.svg", results)
