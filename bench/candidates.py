"""Vertices with faces, and pairs of edges, that may meet between two frames of a mesh."""

import h5py
import numpy as np

COUNTS = {"cloth-funnel": (7_319, 33_770), "rod-twist": (448_270, 2_041_334)}  # of shared data


def read(data, name):
    """Points of both frames, faces, and the truth (NAME.ccd.npz)."""
    root = h5py.File(f"{data}/{name}.vtkhdf")["VTKHDF"]
    faces = root["Polygons/Connectivity"][:].reshape(-1, 3)
    return root["Points"][:].astype(float).reshape(2, -1, 3), faces, np.load(f"{data}/{name}.ccd.npz")


def boxes(points, corners):
    way = points[:, corners].transpose(1, 0, 2, 3).reshape(len(corners), -1, 3)
    return way.min(axis=1), way.max(axis=1)


def begun_within(a, b, side):
    """Pairs of boxes that overlap, of which b begins along x where a is; if side is right, after a's begin."""
    (a_low, a_high), (b_low, b_high) = a, b
    order = np.argsort(b_low[:, 0], kind="stable")
    first = np.searchsorted(b_low[order, 0], a_low[:, 0], side=side)
    last = np.searchsorted(b_low[order, 0], a_high[:, 0], side="right")
    found = [np.empty((0, 2), int)]
    for i in np.flatnonzero(last > first):
        j = order[first[i]:last[i]]
        j = j[((b_high[j] >= a_low[i]) & (b_low[j] <= a_high[i])).all(axis=1)]
        found.append(np.c_[np.full(len(j), i), j])
    return np.concatenate(found)


def overlaps(points, a, b):
    """Pairs of features, given by their vertices, that share none and whose ways' boxes overlap."""
    box_a, box_b = boxes(points, a), boxes(points, b)
    pairs = np.r_[begun_within(box_a, box_b, "left"), begun_within(box_b, box_a, "right")[:, ::-1]]
    shared = (a[pairs[:, 0]][:, :, None] == b[pairs[:, 1]][:, None]).any(axis=(1, 2))
    return pairs[~shared]


def all_candidates(points, faces, edges):
    """Pairs (vertex, face), and pairs of edges, the lower one first."""
    vertices = np.arange(points.shape[1])[:, None]
    pairs = overlaps(points, edges, edges)
    return overlaps(points, vertices, faces), pairs[pairs[:, 0] < pairs[:, 1]]


def corners(kind, pairs, faces, edges):
    """Four vertices of each: those of the face, then the vertex; or of both edges."""
    if kind:
        return np.c_[edges[pairs[:, 0]], edges[pairs[:, 1]]]
    return np.c_[faces[pairs[:, 1]], pairs[:, 0]]
