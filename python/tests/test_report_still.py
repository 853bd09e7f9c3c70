"""The picture of a frame: each pixel against the triangles, one after another."""

import importlib.util
import struct
import time
import zlib

import numpy as np
from common import main

MISSING = [name for name in ("h5py", "k3d") if importlib.util.find_spec(name) is None]


def by_force(still, camera, corners, colours):
    """The colour of each pixel: what its middle sees of all triangles, sorted by depth."""
    light = still._light(corners)
    image = np.ones((camera.height, camera.width, 3))
    unsure = np.zeros((camera.height, camera.width), bool)
    for row in range(camera.height):
        for column in range(camera.width):
            at, seen = np.array([column + 0.5, row + 0.5]), []
            for i, (a, b, c) in enumerate(corners):
                matrix = np.stack([b[:2] - a[:2], c[:2] - a[:2]], axis=1)
                u, v = np.linalg.solve(matrix, at - a[:2])
                unsure[row, column] |= min(abs(u), abs(v), abs(1 - u - v)) < 1e-6
                if u >= 0 and v >= 0 and u + v <= 1:
                    seen.append((a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2]), i))
            for _, i in sorted(seen)[: still.LAYERS][::-1]:
                shade = np.clip(colours[i] * light[i], 0, 1)
                image[row, column] += still.OPACITY * (shade - image[row, column])
    return image, unsure


def test_pixels():
    """Triangles that cut each other, some of them outside of the picture, in blocks of any size."""
    from impinge._report import still

    random = np.random.default_rng(5)
    camera = still.Camera(np.zeros(3), 1.0, 40, 30)
    corners = random.normal(size=(24, 3, 3)) * 25 + [20, 15, 100]
    colours = random.random((24, 3))
    want, unsure = by_force(still, camera, corners, colours)
    kept = still.FRAGMENTS
    try:
        for still.FRAGMENTS in (kept, 500):
            found = still.surfaces(camera, corners, colours).reshape(30, 40, 3)
            assert np.abs(found - want)[~unsure].max() < 1e-5
    finally:
        still.FRAGMENTS = kept
    assert unsure.sum() < 10 and (want < 1).any(axis=2).mean() > 0.5


class Drawn:
    def __init__(self, points, faces, groups):
        self.points, self.faces, self.groups = points, faces, groups


def decoded(png):
    """The pixels of a file, by its filter."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    at, data = 8, b""
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        assert (
            zlib.crc32(name + body) == struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0]
        )
        data += body if name == b"IDAT" else b""
        at += 12 + size
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, -1)
    assert (lines[:, 0] == 2).all()
    return np.cumsum(lines[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, 3)


def test_curves():
    """Lines are over what is before them, where they should be, and all is in the picture."""
    from impinge._report import still

    points = np.array([[0.0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]])
    drawn = Drawn(points, np.array([[0, 1, 2], [0, 2, 3]]), np.zeros(2, int))
    line = np.array([[[1.0, 2, -3], [3.0, 2, -3]]])
    for colours in (np.array([[0.9, 0.2, 0.1]]), np.array([[0.1, 0.8, 0.9]])):
        png = still.still(drawn, colours, (points[0], points[2]), line, np.array([[2.0, 3, -1]]))
        image = decoded(png)
        assert image.shape == (still.HEIGHT, still.WIDTH, 3)
        dark = (image < 60).all(axis=2)
        seen = still.turned(np.concatenate([points, line[0], [[2.0, 3, -1]]]))
        camera = still.camera_of(seen, 1.0)
        ends = camera.project(still.turned(line[0]))[:, :2]
        inner = ends[0] + np.linspace(0, 1, 50)[:, None] * (ends[1] - ends[0])
        column, row = inner.astype(int).T
        assert dark[row, column].mean() > 0.95
        x, y, _ = camera.project(still.turned(np.array([[2.0, 3, -1]])))[0]
        assert dark[int(y), int(x)]
        assert dark.sum() < 12 * np.linalg.norm(ends[1] - ends[0])
        edge = np.concatenate([image[:3].reshape(-1, 3), image[-3:].reshape(-1, 3)])
        assert (edge == 255).all() and (image[:, :3] == 255).all() and (image[:, -3:] == 255).all()
        assert (image != 255).any(axis=2).sum() > 0.1 * image.shape[0] * image.shape[1]


def test_large():
    """However many surfaces are behind each other, and however large, it does not take long."""
    from impinge._report import still

    random = np.random.default_rng(7)
    for count, size in ((300_000, 0.01), (4_000, 1.0)):
        middle = random.normal(size=(count, 1, 3))
        points = (middle + size * random.normal(size=(count, 3, 3))).reshape(-1, 3)
        drawn = Drawn(points, np.arange(3 * count).reshape(-1, 3), np.zeros(count, int))
        box = points.min(axis=0), points.max(axis=0)
        begin = time.process_time()
        none = np.zeros((0, 2, 3)), np.zeros((0, 3))
        image = decoded(still.still(drawn, np.array([[0.3, 0.6, 0.9]]), box, *none))
        assert (image != 255).any(axis=2).mean() > 0.05
        assert time.process_time() - begin < 20, (
            count
        )  # seconds: a tenth of it, but for slow machines


def test_dots():
    """What joins and is short as a whole becomes a dot, what is part of a curve does not."""
    from impinge._report.scene import shapes

    steps = np.linspace(0, 1, 101)
    curve = np.stack([steps, np.sin(3 * steps), 0 * steps], axis=1)
    lines = np.stack([curve[:-1], curve[1:]], axis=1)
    small = np.array(
        [[[5.0, 5, 5], [5, 5, 5.001]], [[5, 5, 5.001], [5, 5.002, 5]], [[9, 9, 9], [9, 9, 9]]]
    )
    random = np.random.default_rng(3)
    order = random.permutation(103)
    every = np.concatenate([lines, small])[order]
    flip = random.random(103) < 0.5
    every[flip] = every[flip][:, ::-1]
    left, dots = shapes(every, 0.05)
    assert (left == every[order < 100]).all()
    order = np.argsort(dots[:, 0])
    assert np.allclose(dots[order], [(5, 5.001, 5.0005), (9, 9, 9)], rtol=0, atol=1e-12)
    left, dots = shapes(every[:0], 0.05)
    assert len(left) == len(dots) == 0


if MISSING:
    print("skipped: no", " and no ".join(MISSING))
else:
    main(globals())
