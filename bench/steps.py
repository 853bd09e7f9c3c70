"""Between two frames: the rows swept- of the table as a run of its own, so that they can be stored
without all others."""

import check
import report
from rows import swept_rows

rows = swept_rows
judge = check.demands


def write_all(folder, results, machine_text, isa):
    parts = [
        ("How many times as long as impinge each peer takes, minima (medians).",
         report.beside_table(results)),
        ("Milliseconds: minimum / median.", report.time_table(results)),
        ("Pairs found.", report.grid_table(results, lambda r: "{:,}".format(r.pairs))),
    ]
    title = "impinge and its peers between two frames"
    report.write_sections(folder / "steps.md", title, machine_text, parts, isa)
    report.write_csv(folder / "steps.csv", results)
