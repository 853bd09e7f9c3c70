"""ipc-toolkit's LBVH: overlapping boxes of triangles. Takes turns as peer.h says; its arguments are
those of the C++ peers and then, perhaps, the list_mark library. With it the time is that of its C++
part, as list_mark.c sees it; else it goes on until Python has the list."""

import ctypes
import gc
import sys
import time

import ipctk
import numpy as np


def read_frames(path):
    with open(path, "rb") as f:
        while len(size := np.fromfile(f, np.int64, 3)):
            vertices, triangles, _ = size
            points = np.fromfile(f, np.float64, 3 * vertices).reshape(-1, 3)
            corners = np.fromfile(f, np.int32, 3 * triangles).reshape(-1, 3)
            yield points, corners, np.fromfile(f, np.int32, triangles)


def load_mark(path):
    mark = ctypes.CDLL(path)
    mark.mark_seconds.restype = ctypes.c_double
    mark.mark_length.restype = ctypes.c_size_t
    api = ctypes.pythonapi
    mark.mark_install(
        ctypes.cast(api.PyMem_GetAllocator, ctypes.c_void_p),
        ctypes.cast(api.PyMem_SetAllocator, ctypes.c_void_p),
    )
    return mark


def between_filter(points, corners, objects):
    """Only pairs of different objects. The library tells objects apart by their vertices."""
    of_vertex = np.zeros(len(points), np.int32)
    of_vertex[corners.reshape(-1)] = np.repeat(objects, 3)
    return ipctk.make_vertex_patches_filter(of_vertex)


class Detector:
    def __init__(self, frame, between, mark):
        points, corners, objects = frame
        self.filter = between_filter(points, corners, objects) if between else None
        self.points = np.asfortranarray(points)
        self.corners = np.asfortranarray(corners)
        self.edges = np.zeros((0, 2), np.int32, order="F")  # not asked for, so not built
        self.mark = mark

    def detect(self):
        broad = ipctk.LBVH()
        if self.filter is not None:
            broad.can_vertices_collide = self.filter
        start = time.monotonic()
        broad.build(self.points, self.edges, self.corners, 0.0)
        if self.mark:
            self.mark.mark_arm()
        try:
            pairs = broad.detect_face_face_candidates()
        except (RuntimeError, MemoryError):  # the list was refused
            return self.mark.mark_seconds() - start, self.mark.mark_length()
        return time.monotonic() - start, len(pairs)  # or so few that the list does not matter


def main(scene, stage, pairs, threads, mark=None):
    if stage != "candidates":
        sys.exit("no contacts here")
    ipctk.set_num_threads(int(threads))
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    mark = mark and load_mark(mark)
    detectors = [Detector(frame, pairs == "between", mark) for frame in read_frames(scene)]
    gc.disable()
    while True:
        done = [d.detect() for d in detectors]
        print("%.9f %d" % tuple(map(sum, zip(*done))), flush=True)
        if not sys.stdin.readline():
            break


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(ipctk.__version__)
    else:
        main(*sys.argv[1:])
