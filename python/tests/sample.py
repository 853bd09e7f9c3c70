"""What samples.py and solvers.py share: a mesh, and how a file of it is described."""

import os
from typing import NamedTuple

import numpy as np

random = np.random.default_rng(7)
P = random.random((7, 3)) + 1 / 3
Q = P + 2
T = np.array([[0, 1, 2], [2, 1, 3], [3, 4, 5], [6, 5, 0]])
TET = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [3, 4, 5, 6]])
TIMES = [0.0, 0.5, 1.25]
BOTH = np.concatenate([P, Q])  # of two blocks
CELLS = [tuple(t) for t in T.tolist()]
CELLS2 = CELLS + [tuple(t) for t in (T + 7).tolist()]


class Sample(NamedTuple):
    """`points` of each frame, `cells` as rows of them, `names` of the object of each cell."""

    format: str
    written: str
    file: str
    points: list
    cells: list
    times: object = None
    names: object = None
    groups: bool = False


def halves(a, b):
    return [a] * len(T) + [b] * len(T)


def text(*numbers):
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def put(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(content if isinstance(content, bytes) else content.encode())
    return path
