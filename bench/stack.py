"""A stack of boxes on the ground, as a user's batch of rigid bodies:

  stack.py OUT.vtkhdf [BOXES [SECONDS [ASIDE]]]        30 boxes, 10 s, 0.05

Boxes are 1 m wide and long and 0.5 m high, of 500 kg, with a friction of 0.5, and do not bounce. Each is up to
ASIDE m aside and turned about z by up to ASIDE radians, by numbers that are the same each time, and 1 mm above the one
below: the stack falls together by 3 cm, and then stands. With ASIDE 0 it is straight, which is the harder problem for
a solver of contacts: all corners of a box are alike."""

import importlib
import sys
import types
from pathlib import Path

import numpy as np

EDGE, GROUND = (1.0, 1.0, 0.5), (6.0, 6.0, 1.0)
GAP = 1e-3
TRIANGLES = np.array(
    [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4]]
    + [[2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
)


def box(edge):
    corner = np.array([[i, j, k] for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)])
    return corner * np.array(edge) / 2


def places(boxes, aside):
    """[(centre, rotation)] from below."""
    random, found = np.random.default_rng(1), []
    for k in range(boxes):
        x, y, turn = random.uniform(-aside, aside, 3)
        z = (k + 1) * GAP + (k + 0.5) * EDGE[2]
        found.append(((x, y, z), (np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2))))
    return found


def write(path, boxes=30, seconds=10.0, aside=0.05):
    """By what `impinge.write_bodies` writes with, which needs no library that is built."""
    package = types.ModuleType("impinge_source")  # without its __init__, which loads the library
    package.__path__ = [str(Path(__file__).resolve().parents[1] / "python/impinge")]
    sys.modules.setdefault(package.__name__, package)
    file = importlib.import_module(f"{package.__name__}._rigid_file")

    def solid(edge, centre, rotation, name, fixed):
        matter = file.Matter(1000.0, 0.0, np.zeros(6), fixed, 0.0, 0.5)
        still = np.zeros(3), np.zeros(3)
        return file.Solid(
            box(edge), TRIANGLES, np.array(centre), np.array(rotation), *still, matter, name
        )

    some = [solid(GROUND, (0.0, 0.0, -GROUND[2] / 2), (1.0, 0.0, 0.0, 0.0), "ground", True)]
    for k, place in enumerate(places(boxes, aside)):
        some.append(solid(EDGE, *place, "box %d" % (k + 1), False))
    scene = "straight " * (not aside) + "stack of %d boxes" % boxes
    acts = file.Simulation({"step": 0.01, "seconds": seconds}, None, [], scene)
    file.write(str(path), some, acts)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    write(sys.argv[1], *(kind(word) for kind, word in zip((int, float, float), sys.argv[2:])))
