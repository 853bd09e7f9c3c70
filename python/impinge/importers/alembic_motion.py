"""Alembic: samples of properties by their times, matrices of transforms, visibility.

A sample is asked for by its own time, as the binding takes any number for a time. What has no
sample at a frame's time has the one before it, or, of points and transforms, what lies linearly
between the two; before the first sample it is the first, after the last the last. A property of one
sample does not change.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .numbered import Bad

# times that differ by less of the greatest are one, as programs compute k / 24 in different ways
SAME = 1e-9
_DEFERRED, _HIDDEN, _VISIBLE = -1, 0, 1


class When(NamedTuple):
    """A frame. Times that differ by at most `slack` are one."""

    time: float
    slack: float
    between: bool  # its samples, linearly; else held


class Samples:
    """Of a property, or of a schema."""

    def __init__(self, abc: Any, of: Any, what: str):
        self.of, self.count, self.what = of, of.getNumSamples(), what
        self._abc, self._sampling = abc, of.getTimeSampling()
        times = [self._sampling.getSampleTime(k) for k in range(self.count)]
        self.times = np.array(times, np.float64)
        self.still = self.count < 2 or of.isConstant()
        if not np.isfinite(self.times).all() or (np.diff(self.times) <= 0).any():
            raise Bad(f"{what}: times of samples that do not ascend")

    def selector(self, row: int) -> Any:
        """What asks for a sample: its time, as a float."""
        made = self._abc.ISampleSelector(float(self.times[row]))
        if made.getIndex(self._sampling, self.count) != row:
            raise Bad(f"{self.what}: sample {row} cannot be asked for by its time")
        return made

    def value(self, row: int) -> Any:
        return self.of.getValue(self.selector(row))

    def at(self, when: When) -> tuple:
        """The sample at a time or before it, and how far it is from there to the next, 0 to 1."""
        row = max(int(np.searchsorted(self.times, when.time + when.slack, "right")) - 1, 0)
        start = self.times[row]
        if self.still or row == self.count - 1 or when.time <= start + when.slack:
            return row, 0.0
        return row, float((when.time - start) / (self.times[row + 1] - start))

    def held(self, when: When) -> Any:
        return self.value(self.at(when)[0])

    def has(self, when: When) -> bool:
        """Is there a sample at this time? Of what does not change there is one at all times."""
        return self.still or bool((np.abs(self.times - when.time) <= when.slack).any())


def one_time(all_samples: list) -> tuple:
    """Times of all samples that change, each once, and by how much times differ that are one."""
    several = [samples.times for samples in all_samples if samples.count > 1]
    if not several:
        return [], 0.0
    times = np.unique(np.concatenate(several))
    least = min(float(np.diff(of).min()) for of in several)
    slack = min(SAME * float(np.abs(times).max()), least / 4)
    first = np.concatenate([[True], np.diff(times) > slack])
    return times[first].tolist(), slack


# ---- transforms


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of matrices (4, 4), in the same order on all machines."""
    return ((a[:, :1] * b[0] + a[:, 1:2] * b[1]) + a[:, 2:3] * b[2]) + a[:, 3:] * b[3]


def moved(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Rows times a matrix, whose last row is the translation."""
    p = points.astype(np.float64)
    return ((p[:, :1] * matrix[0, :3] + p[:, 1:2] * matrix[1, :3]) + p[:, 2:] * matrix[2, :3]) + (
        matrix[3, :3]
    )


class Transform:
    """Of an object of the schema Xform."""

    def __init__(self, geom: Any, abc: Any, schema: Any, what: str):
        self._geom, self.samples = geom, Samples(abc, schema, what)

    def at(self, when: When) -> tuple:
        """Its matrix, or None of one that moves nothing, and whether that of its parent counts."""
        if not self.samples.count:
            return None, True
        row, share = self.samples.at(when)
        sample = self.samples.value(row)
        inherits = sample.getInheritsXforms()
        if share and when.between:
            sample = self._between(sample, self.samples.value(row + 1), share)
        matrix = np.array(sample.getMatrix(), np.float64)
        if not np.isfinite(matrix).all():
            raise Bad(f"{self.samples.what}: a matrix with a number that is not finite")
        if (matrix[:, 3] != (0, 0, 0, 1)).any():
            raise Bad(f"{self.samples.what}: a matrix of a projection, which is not read")
        return (None if (matrix == np.eye(4)).all() else matrix), inherits

    def _between(self, one: Any, other: Any, share: float) -> Any:
        """The numbers of its operations, whose kinds are the same in all samples."""
        made = self._geom.XformSample()
        if one.getNumOps() != other.getNumOps():
            raise Bad(f"{self.samples.what}: operations that differ from sample to sample")
        for k in range(one.getNumOps()):
            op, to = one.getOp(k), other.getOp(k)
            for channel in range(op.getNumChannels()):
                a, b = op.getChannelValue(channel), to.getChannelValue(channel)
                op.setChannelValue(channel, a + share * (b - a))
            made.addOp(op)
        return made


class Node:
    """An object, with those above it."""

    def __init__(self, name: str, parent: Node | None):
        self.name, self.parent = name, parent
        self.transform: Transform | None = None
        self.visibility: Samples | None = None

    def path(self) -> list:
        """From the top down to itself."""
        made: list = []
        at: Node | None = self
        while at is not None:
            made.append(at)
            at = at.parent
        return made[::-1]

    def hidden(self, when: When) -> bool:
        """By the nearest, itself or above it, that says anything."""
        for node in self.path()[::-1]:
            if node.visibility is not None:
                value = node.visibility.held(when)
                if value not in (_DEFERRED, _HIDDEN, _VISIBLE):
                    raise Bad(f"{node.name}: a visibility of {value}")
                if value != _DEFERRED:
                    return value == _HIDDEN
        return False

    def matrix(self, when: When, known: dict) -> np.ndarray | None:
        """Of the world; None: nothing is moved. `known`: those of this time."""
        whole = None
        for node in self.path():
            if node.transform is not None:
                if node.name not in known:
                    own, inherits = node.transform.at(when)
                    known[node.name] = _joined(own, whole if inherits else None)
                whole = known[node.name]
        return whole

    def samples(self) -> list:
        """Of transforms and of visibility, its own and above it."""
        made = [node.transform.samples for node in self.path() if node.transform is not None]
        return made + [node.visibility for node in self.path() if node.visibility is not None]


def _joined(own: np.ndarray | None, above: np.ndarray | None) -> np.ndarray | None:
    if own is None or above is None:
        return above if own is None else own
    return product(own, above)
