"""Contestants take turns, one repetition each."""

import copy
import statistics
import time

import report
from contestants import Failed

SHORT_SECONDS = 2.0  # rows that take less are repeated more often
MOST_ROUNDS = 50
TOGETHER_SECONDS = 8.0  # of one contestant on all rows that are compared with each other
AT_ONCE = 5  # most turns of a short row while they wait for it
RACE_SECONDS, RACE_ROUNDS = 4.0, 200  # of two programs, compared to a few per cent
SLOW = 4  # a peer that takes so many times as long as the fastest has few turns: it decides nothing
SLOW_ROUNDS = 3


class Runner:
    """A contestant in a row: its times and counts."""

    def __init__(self, contestant, row):
        self.who = contestant
        self.times = []
        self.pairs = None
        self.failure = None
        self.memory = 0
        self.first = self.guarded(contestant.start, row)

    def guarded(self, do, *args):
        try:
            return do(*args)
        except Failed as why:
            self.failure = str(why)
            return None

    def turns(self, count):
        for _ in range(int(count)):
            if not self.failure:
                self.turn()

    def turn(self):
        answer = self.guarded(self.who.turn)
        if not answer:
            return
        seconds, pairs = answer
        if self.pairs not in (None, pairs):
            self.failure = "%d pairs, and before %d" % (pairs, self.pairs)
            self.who.stop()
            return
        self.pairs = pairs
        self.times.append(seconds)

    def finish(self):
        if not self.failure:
            self.memory = self.who.stop()

    def result(self, row, triangles):
        return report.Result(
            row=row.name,
            triangles=triangles,
            contestant=self.who.name,
            kind="peer" if self.who.is_peer else "impinge",
            group=row.group,
            # the boxes of features over a step are exact
            exact=row.stage in self.who.exact or (row.swept and not self.who.is_peer),
            held=self.who.held,
            pairs=self.pairs,
            min=min(self.times),
            median=statistics.median(self.times),
            memory=self.memory,
            times=self.times,
        )


def slow_ones(runners):
    peers = [r for r in runners if r.who.is_peer and not r.failure]
    fastest = min((r.first for r in peers if r.who.held), default=0)
    return [r for r in peers if r.first > SLOW * fastest]


def take_turns(runners, reps, seconds, most, at_once=1):
    """All take turns; who begins changes from round to round. Those that are fast may take several
    turns at once, which together are no longer than one of the slowest."""
    slow = slow_ones(runners)
    start = time.monotonic()
    longest = max((r.first for r in runners if not r.failure), default=0)
    for i in range(most):
        if i >= reps and time.monotonic() - start > seconds:
            break
        shift = i % len(runners)
        for r in runners[shift:] + runners[:shift]:
            if r not in slow or i < SLOW_ROUNDS:
                r.turns(max(1, min(at_once, longest // r.first)) if r.first else 1)
    for r in runners:
        r.finish()


def measure(row, contestants, reps, seconds=SHORT_SECONDS, most=MOST_ROUNDS):
    runners = [Runner(c, row) for c in contestants if c.takes(row)]
    take_turns(runners, reps, seconds, most)
    return runners


def measure_together(rows, contestants, reps):
    """Compared are not contestants but rows, so these take turns, one contestant after another.
    Returns the runners of each row."""
    found = [[] for _ in rows]
    for c in contestants:
        mine = [i for i, row in enumerate(rows) if c.takes(row)]
        runners = [Runner(copy.copy(c), rows[i]) for i in mine]
        if runners:
            take_turns(runners, reps, TOGETHER_SECONDS, MOST_ROUNDS, AT_ONCE)
        for i, runner in zip(mine, runners):
            found[i].append(runner)
    return found
