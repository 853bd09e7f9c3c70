"""A picture of a frame without a display, a browser or a graphics driver.

Libraries that draw triangles that cut each other, VTK before all, need OpenGL, by a driver or by
OSMesa, which not every machine has, and pixels differ from one to the other. Those that need none
(matplotlib, Pillow) sort whole triangles: the picture is wrong where two cut each other, which is
what is to be seen."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any, NamedTuple

import numpy as np

WIDTH, HEIGHT = 720, 450  # pixels
FACES = 1_000_000  # drawn at most: those nearest to contacts
LAYERS = 3  # surfaces behind each other that show
OPACITY = 0.55
FRAGMENTS = 1 << 21  # that are in memory at a time
MOST = 16_000_000  # of all faces: the picture has fewer pixels where there would be more
EACH = 8  # fragments, which a face costs besides
FROM = np.array([0.55, -0.68, 0.48])  # where the camera is, as in view.js
INK, PAPER = 0.06, 1.0
STEP = 8  # of colours: fewer of them make a file of half the size
LINE, DOT = 1.1, 3.0  # half widths, in pixels


class Camera(NamedTuple):
    """A parallel projection of turned points to pixels, y down."""

    middle: np.ndarray
    scale: float
    width: int
    height: int

    def project(self, points: np.ndarray) -> np.ndarray:
        return (points - self.middle) * self.scale + (self.width / 2, self.height / 2, 0.0)


def still(
    drawn: Any, colours: np.ndarray, box: tuple, lines: np.ndarray, dots: np.ndarray
) -> bytes:
    """PNG of a Drawing. colours: (groups, 3); box: the corners of what is to be seen; lines:
    (k, 2, 3) and dots: (n, 3), drawn over it."""
    points, lines_seen, dots_seen = turned(drawn.points), turned(lines), turned(dots)
    inside = ((drawn.points >= box[0]) & (drawn.points <= box[1])).all(axis=1)
    seen = np.concatenate([points[inside], lines_seen.reshape(-1, 3), dots_seen])
    fine, corners = 2.0, points[drawn.faces]
    area = _area(corners) * camera_of(seen, 1.0).scale ** 2
    while fine > 0.25 and area * fine**2 + EACH * len(corners) > MOST:
        fine /= 2
    camera = camera_of(seen, fine)
    image = surfaces(camera, camera.project(corners), colours[drawn.groups])
    _discs(image, camera, _along(camera.project(lines_seen)), LINE * fine)
    _discs(image, camera, camera.project(dots_seen), DOT * fine)
    image = image.reshape(camera.height, camera.width, 3)
    if fine == 2:
        image = (image[0::2, 0::2] + image[1::2, 0::2] + image[0::2, 1::2] + image[1::2, 1::2]) / 4
    return png((np.rint(255 * image / STEP) * STEP).clip(0, 255).astype(np.uint8))


def turned(points: np.ndarray) -> np.ndarray:
    """To right, down, and away from the camera. Not by matmul, whose bits depend on the machine."""
    away = -FROM / np.linalg.norm(FROM)
    right = np.array([-away[1], away[0], 0.0]) / -np.hypot(away[0], away[1])
    axes = np.stack([right, np.cross(away, right), away], axis=1)
    return sum(points[..., k, None] * axes[k] for k in range(3))


def camera_of(seen: np.ndarray, fine: float) -> Camera:
    """All points that are to be seen are, and in the middle."""
    low, high = seen.min(axis=0), seen.max(axis=0)
    width, height = int(WIDTH * fine), int(HEIGHT * fine)
    x, y, _ = np.maximum(high - low, 1e-300)
    return Camera((low + high) / 2, 0.92 * min(width / x, height / y), width, height)


def _area(corners: np.ndarray) -> float:
    one, other = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    return float(np.abs(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]).sum() / 2)


def surfaces(camera: Camera, corners: np.ndarray, colours: np.ndarray) -> np.ndarray:
    """(pixels, 3): the nearest layers of all faces, each over those behind it."""
    shaded = np.clip(colours * _light(corners)[:, None], 0, 1).astype(np.float32)
    pixels = camera.width * camera.height
    near = np.full((LAYERS, pixels), np.inf, np.float32)
    face = np.full((LAYERS, pixels), -1, np.int32)
    corners = corners - np.array([0, 0, corners[:, :, 2].min(initial=0.0)])  # no depth is negative
    for fragments in _fragments(camera, corners):
        _keep_nearest(near, face, fragments)
    image = np.full((pixels, 3), PAPER, np.float32)
    for layer in reversed(range(LAYERS)):
        at = np.flatnonzero(face[layer] >= 0)
        image[at] += OPACITY * (shaded[face[layer][at]] - image[at])
    return image


def _light(corners: np.ndarray) -> np.ndarray:
    """Brightness of each face, the same from both of its sides."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    return 0.45 + 0.6 * np.abs(normal @ np.array([0.25, -0.4, 0.88]))


def _fragments(camera: Camera, corners: np.ndarray) -> Any:
    """Pixels, depths and numbers of faces, some faces at a time."""
    (left, right), (low, high) = _range(corners[:, :, 0]), _range(corners[:, :, 1])
    width, height = np.minimum(right - left, camera.width), np.minimum(high - low, camera.height)
    cost = np.cumsum(2 + height * (2 + width / 2))
    first = 0
    while first < len(corners):
        done = cost[first - 1] if first else 0
        end = max(int(np.searchsorted(cost, done + FRAGMENTS)), first + 1)
        yield _some_fragments(camera, corners[first:end], first)
        first = end


def _range(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest of three. numpy's reductions take 10 times as long for so few."""
    a, b, c = values.T
    return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)


def _repeated(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """0 for each of counts[0], ..., and beside it 0 to counts[0] - 1, ..."""
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)


def _some_fragments(camera: Camera, corners: np.ndarray, first: int) -> tuple:
    """Rows of pixels that the faces cross, then the pixels in each row."""
    x, y, z = (corners[:, :, k] for k in range(3))
    low, high = (np.ceil(np.clip(at - 0.5, 0, camera.height)).astype(np.int64) for at in _range(y))
    face, row = _repeated(np.maximum(high - low, 0))
    row += low[face]
    left, right = _span(x[face], y[face], row + 0.5)
    begin = np.ceil(np.clip(left - 0.5, 0, camera.width)).astype(np.int64)
    end = np.ceil(np.clip(right - 0.5, 0, camera.width)).astype(np.int64)
    span, column = _repeated(np.maximum(end - begin, 0))
    column += begin[span]
    dx, dy = _slopes(x, y, z)
    face, row = face[span], row[span]
    depth = (
        z[face, 0] + dx[face] * (column + 0.5 - x[face, 0]) + dy[face] * (row + 0.5 - y[face, 0])
    )
    return (
        row * camera.width + column,
        np.maximum(depth, 0).astype(np.float32),
        (face + first).astype(np.int32),
    )


def _span(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where lines of constant y enter and leave triangles."""
    left, right = np.full(len(at), np.inf), np.full(len(at), -np.inf)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        rise = y[:, j] - y[:, i]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (at - y[:, i]) / rise
            cut = x[:, i] + share * (x[:, j] - x[:, i])
        crosses = (rise != 0) & (share >= 0) & (share <= 1)
        left = np.where(crosses, np.minimum(left, cut), left)
        right = np.where(crosses, np.maximum(right, cut), right)
    none = left > right
    return np.where(none, 0, left), np.where(none, 0, right)


def _slopes(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How depth changes with x and y in the plane of each triangle."""
    (x1, x2), (y1, y2), (z1, z2) = ((c[:, 1] - c[:, 0], c[:, 2] - c[:, 0]) for c in (x, y, z))
    area = x1 * y2 - x2 * y1
    area = np.where(area == 0, np.inf, area)
    return (z1 * y2 - z2 * y1) / area, (x1 * z2 - x2 * z1) / area


def _keep_nearest(near: np.ndarray, face: np.ndarray, fragments: tuple) -> None:
    """Puts fragments in the layers of their pixels, nearest first."""
    pixel, depth, of = fragments
    nearer = depth < near[-1, pixel]
    pixel, depth, of = pixel[nearer], depth[nearer], of[nearer]
    touched = np.flatnonzero(np.bincount(pixel, minlength=near.shape[1]))
    pixel = np.concatenate([np.tile(touched, LAYERS), pixel])
    depth = np.concatenate([near[:, touched].ravel(), depth])
    of = np.concatenate([face[:, touched].ravel(), of])
    # bits of floats that are not negative are in the order of the floats
    order = np.argsort(pixel << 32 | depth.view(np.uint32))
    start = np.flatnonzero(np.diff(pixel[order], prepend=-1))
    for layer in range(LAYERS):  # each pixel has at least LAYERS of them: those that it held
        at = order[start + layer]
        near[layer, touched], face[layer, touched] = depth[at], of[at]


def _along(ends: np.ndarray) -> np.ndarray:
    """Points along lines, a pixel apart."""
    steps = (
        np.minimum(np.linalg.norm(ends[:, 1, :2] - ends[:, 0, :2], axis=1), 4096).astype(np.int64)
        + 2
    )
    line, step = _repeated(steps)
    share = (step / (steps[line] - 1))[:, None]
    return ends[line, 0] + share * (ends[line, 1] - ends[line, 0])


def _discs(image: np.ndarray, camera: Camera, at: np.ndarray, radius: float) -> None:
    reach = int(radius + 1)
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            pixel = np.floor(at[:, :2]) + (dx, dy)
            inside = ((pixel + 0.5 - at[:, :2]) ** 2).sum(axis=1) <= radius**2
            inside &= (pixel >= 0).all(axis=1) & (pixel < (camera.width, camera.height)).all(axis=1)
            column, row = pixel[inside].astype(np.int64).T
            image[row * camera.width + column] = INK


def png(pixels: np.ndarray) -> bytes:
    """(height, width, 3) uint8 as a file."""
    height, width = pixels.shape[:2]
    lines = np.zeros((height, 1 + 3 * width), np.uint8)
    lines[:, 0] = 2  # each line is the difference to the one above it
    lines[:, 1:] = np.diff(pixels.reshape(height, -1), axis=0, prepend=np.uint8(0))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    made = b"\x89PNG\r\n\x1a\n"
    for name, data in parts:
        made += (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )
    return made


def address(data: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")
