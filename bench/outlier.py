"""What one large triangle costs: time for each triangle and pair over its size, on the scene
`outlier`, whose frames differ in nothing else."""

import report
from rows import Row

SCENE = ("outlier-92k", "outlier", 92_000, "all")
SIZES = (1, 2, 4, 7, 16, 64, 100, 1000, 10_000)  # of the frames, in medians: data/scene_fold.c
FLAT = 1.5  # the dearest size takes at most so many times as long as the cheapest


def rows():
    name, *more = SCENE
    return [
        Row(name, "candidates", *more, "outlier", len(SIZES), (), i, "-x%d" % size)
        for i, size in enumerate(SIZES)
    ]


def together(row):
    """Rows of which this is the same take turns."""
    return None


def name(frame):
    return "%s-x%d" % (SCENE[0], SIZES[frame])


def cost(r):
    """in nanoseconds"""
    return 1e9 * r.min / (r.triangles + r.pairs)


def lines(results):
    """{contestant: {size: cost}}"""
    found = {r.contestant: {} for r in results}
    for r in results:
        size = int(r.row.split("/")[0].rsplit("-x", 1)[1])
        found[r.contestant][size] = cost(r)
    return found


def spread(costs):
    return max(costs.values()) / min(costs.values())


def judge(results, asked):
    """Of each device of impinge that is held: is it flat over the sizes that were asked for? Returns
    faults and notes."""
    faults, notes = [], []
    found = lines(results)
    if "cpu" not in found:
        faults.append("cpu is not there")
    for who in report.names(report.held(results), "impinge"):
        if len(found[who]) < len(asked):
            faults.append("%s: %d sizes of %d" % (who, len(found[who]), len(asked)))
        ratio = spread(found[who])
        text = "%s: the dearest size takes %.2f times as long as the cheapest, %s" % (
            *(who, ratio),
            "flat" if ratio <= FLAT else "more than %.3g" % FLAT,
        )
        (notes if ratio <= FLAT else faults).append(text)
    return faults, notes


def table(results):
    who = report.everyone(results)
    found = lines(results)
    sizes = sorted({size for costs in found.values() for size in costs})
    body = [
        ["{:,}".format(size)]
        + ["%.3g" % found[w][size] if size in found[w] else "" for w in who]
        for size in sizes
    ]
    last = ["dearest / cheapest"] + ["%.2f" % spread(found[w]) for w in who]
    return report.markdown(["size"] + report.heads(results, who), body + [last])


def write_plot(path, results):
    figure, ((axes,),) = report.open_plot(1, 1, (7, 5))
    points = {who: costs.items() for who, costs in lines(results).items()}
    report.draw_field(axes, points, report.everyone(results))
    axes.set_xlabel("size of one triangle, in medians")
    axes.set_ylabel("ns for each triangle and pair")
    report.close_plot(figure, path, results, 3)


def write_all(folder, results, machine_text, isa):
    parts = [
        ("Nanoseconds for each triangle and pair, by the size of one triangle in medians.",
         table(results)),
        ("Pairs found.", report.grid_table(results, lambda r: "{:,}".format(r.pairs))),
    ]
    title = "impinge and its peers: one large triangle"
    report.write_sections(folder / "outlier.md", title, machine_text, parts, isa)
    report.write_csv(folder / "outlier.csv", results)
    report.with_plot(write_plot, folder / "outlier.svg", results)
