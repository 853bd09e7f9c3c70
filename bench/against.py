"""Is an impinge program slower than another one on the same rows?

The two take turns, one repetition each, and who begins changes: whatever else the machine does
meets both. A row looks slow on a device if the new program takes more than SLOWER times as long as
the old one by the minima of all times and by their medians, too: noise strikes one of the two
figures now and then, seldom both. What looks slow is measured again, with both programs started
anew (where their memory lies is a matter of luck as well), and judged by the times of all
measurements together, until it looks slow no more or was measured MOST times. What looks slow then
is slow."""

import statistics
from dataclasses import dataclass

from report import markdown, milliseconds

SLOWER = 1.03
MOST = 6
LACKS = "unknown option"  # what an impinge says then


@dataclass
class Race:
    """Both programs in a row, on a device: times of all measurements, and pairs of the last."""

    row: str
    device: str
    new: list
    old: list
    new_pairs: int = 0
    old_pairs: int = 0
    measured: int = 0

    @property
    def ratios(self):
        """How many times as long the new program takes: by minima, by medians."""
        return [of(self.new) / of(self.old) for of in (min, statistics.median)]

    @property
    def slow(self):
        return min(self.ratios) > SLOWER


def run_race(row, device, measure):
    """measure() starts both and lets them take turns; it returns, of the new and of the old one,
    what has times, pairs and a failure or None. Returns a Race, or None, and faults: none if the old
    program lacks an option that the row needs."""
    race = Race(row, device, [], [])
    while race.measured < MOST and (not race.measured or race.slow):
        new, old = measure()
        if not new.failure and old.failure and LACKS in old.failure:
            return None, []
        for who, side in (("the new", new), ("the old", old)):
            if side.failure:
                return None, ["%s: %s program failed on %s: %s" % (row, who, device, side.failure)]
        race.new += new.times
        race.old += old.times
        race.new_pairs, race.old_pairs = new.pairs, old.pairs
        race.measured += 1
    return race, []


def judge(races):
    """Returns what is wrong, whatever the times are; what is slow; and notes. Candidates may
    differ, since bounds may; contacts may not."""
    wrong, slow, notes = [], [], []
    for r in races:
        if r.new_pairs != r.old_pairs:
            text = "%s: %s: %d pairs, and the old program finds %d"
            contacts = r.row.endswith("/contacts")
            (wrong if contacts else notes).append(
                text % (r.row, r.device, r.new_pairs, r.old_pairs)
            )
        if r.slow:
            text = "%s: %s: %.3f times as long by minima, %.3f by medians, %d times measured"
            slow.append(text % (r.row, r.device, *r.ratios, r.measured))
    return wrong, slow, notes


def one_line(race):
    return "%s: %s: %.3f (%.3f)" % (race.row, race.device, *race.ratios)


def table(races):
    """A line a row: ratios on each device; then times."""
    devices = list(dict.fromkeys(r.device for r in races))
    rows = list(dict.fromkeys(r.row for r in races))
    found = {(r.row, r.device): r for r in races}

    def grid(cell):
        lines = [
            [row] + [cell(found[row, d]) if (row, d) in found else "" for d in devices]
            for row in rows
        ]
        return markdown(["row"] + devices, lines)

    def ratio(r):
        return "%.3f (%.3f)%s" % (*r.ratios, " slow" if r.slow else "")

    def times(r):
        return " / ".join(milliseconds(min(t)) for t in (r.new, r.old))

    return (
        "How many times as long the new program takes: minima (medians).\n\n%s\n\n"
        "Milliseconds, minima: new / old.\n\n%s\n" % (grid(ratio), grid(times))
    )
