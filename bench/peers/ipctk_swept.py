"""ipc-toolkit between each frame and the next, vertices moving linearly. Takes turns as peer.h says; its arguments
are those of the C++ peers and then a method, ACCD or Tight-Inclusion. Stages:

candidates  vertices with faces, and pairs of edges, whose boxes overlap, by its LBVH
contacts    these, and the one step that they allow; it counts steps that are not whole
queries     a test of each of these, once they are known. The first contact shortens what is asked of all that
            follow, so those that meet are left out. Of many a part is timed, and the time of all is told.

The lists stay in C++, so no time is lost for those of Python."""

import gc
import sys
import time

import ipctk
import numpy as np
from ipctk_lbvh import read_frames

METHODS = {"ACCD": ipctk.AdditiveCCD, "Tight-Inclusion": ipctk.TightInclusionCCD}
BLOCK, MOST = 512, 100_000  # queries side by side that are timed together, and in all


def some_of(items):
    """About MOST of them, in blocks that are spread evenly."""
    blocks = -(-len(items) // BLOCK)
    apart = max(1, -(-len(items) // MOST))
    return [item for b in range(0, blocks, apart) for item in items[b * BLOCK : (b + 1) * BLOCK]]


class Step:
    def __init__(self, before, after, method):
        self.points = [np.asfortranarray(frame[0]) for frame in (before, after)]
        self.corners = np.asfortranarray(before[1])
        self.edges = np.asfortranarray(ipctk.edges(self.corners).astype(np.int32))
        self.mesh = ipctk.CollisionMesh(self.points[0], self.edges, self.corners)
        self.method = METHODS[method]()

    def build(self):
        found = ipctk.Candidates()
        found.build(self.mesh, *self.points, 0.0, ipctk.LBVH())
        return found

    def share(self, found):
        return found.compute_collision_free_stepsize(self.mesh, *self.points, 0.0, self.method)

    def meets(self, candidate, vertices):
        ends = [points[vertices].ravel() for points in self.points]
        return candidate.ccd(*ends, 0.0, 1.0, self.method)[0]

    def apart(self, found):
        """Candidates that do not meet, of some."""
        faces = [(c, [c.vertex_id, *self.corners[c.face_id]]) for c in some_of(found.fv_candidates)]
        edges = [
            (c, [*self.edges[c.edge0_id], *self.edges[c.edge1_id]]) for c in some_of(found.ee_candidates)
        ]
        chosen = ipctk.Candidates()
        chosen.fv_candidates = [c for c, vertices in faces if not self.meets(c, vertices)]
        chosen.ee_candidates = [c for c, vertices in edges if not self.meets(c, vertices)]
        return chosen


def candidates(step):
    start = time.monotonic()
    found = step.build()
    return time.monotonic() - start, len(found)


def contacts(step):
    start = time.monotonic()
    share = step.share(step.build())
    return time.monotonic() - start, int(share < 1)


def queries(step):
    if not hasattr(step, "chosen"):
        found = step.build()
        step.all, step.chosen = len(found), step.apart(found)
    if not len(step.chosen):
        sys.exit("no queries")
    start = time.monotonic()
    share = step.share(step.chosen)
    seconds = time.monotonic() - start
    if share < 1:
        sys.exit("a query that met alone did not, and now does")
    return seconds * step.all / len(step.chosen), step.all


def main(scene, stage, pairs, threads, method):
    if pairs != "all":
        sys.exit("all pairs only")
    ipctk.set_num_threads(int(threads))
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    frames = list(read_frames(scene))
    steps = [Step(*both, method) for both in zip(frames, frames[1:])]
    ask = {"candidates": candidates, "contacts": contacts, "queries": queries}[stage]
    gc.disable()
    while True:
        done = [ask(step) for step in steps]
        print("%.9f %d" % tuple(map(sum, zip(*done))), flush=True)
        if not sys.stdin.readline():
            break


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(ipctk.__version__)
    else:
        main(*sys.argv[1:])
