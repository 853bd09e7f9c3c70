"""Points in systems of coordinates that decks have."""

from __future__ import annotations

import numpy as np


def cos_sin(degrees: np.ndarray) -> tuple:
    """Exact at right angles, so that parts which are turned by them touch where they should."""
    degrees = np.fmod(np.asarray(degrees, np.float64), 360)
    quarter = np.rint(degrees / 90)
    rest = np.radians(degrees - 90 * quarter)
    cos, sin = np.cos(rest), np.sin(rest)
    turns = quarter.astype(np.int64) % 4
    return np.choose(turns, (cos, -sin, -cos, sin)), np.choose(turns, (sin, cos, -sin, -cos))


def cylindrical(points: np.ndarray) -> np.ndarray:
    """(radius, degrees, z) as (x, y, z)."""
    cos, sin = cos_sin(points[:, 1])
    return np.stack([points[:, 0] * cos, points[:, 0] * sin, points[:, 2]], 1)


def spherical(points: np.ndarray) -> np.ndarray:
    """(radius, degrees from z, degrees about z) as (x, y, z)."""
    (cos_z, sin_z), (cos, sin) = cos_sin(points[:, 1]), cos_sin(points[:, 2])
    flat = points[:, 0] * sin_z
    return np.stack([flat * cos, flat * sin, points[:, 0] * cos_z], 1)


def turned(points: np.ndarray, a: np.ndarray, b: np.ndarray, degrees: float) -> np.ndarray:
    """Turned about the axis from a to b, by Rodrigues."""
    axis = (b - a) / np.sqrt(((b - a) ** 2).sum())
    (cos, sin), from_a = cos_sin(degrees), points - a
    along = np.outer(from_a @ axis, axis)
    return a + along + cos * (from_a - along) + sin * np.cross(axis, from_a)


def axes_of(z: np.ndarray, xz: np.ndarray) -> np.ndarray:
    """Axes as rows, of a vector along z and one in the half of the xz plane that has x."""
    y = np.cross(z, xz)
    axes = np.array([np.cross(y, z), y, z], np.float64)
    lengths = np.sqrt((axes * axes).sum(1))
    if not (lengths > 0).all() or not np.isfinite(lengths).all():
        raise ValueError("its points are in a line")
    return axes / lengths[:, None]


def placed(points: np.ndarray, origin: np.ndarray, axes: np.ndarray) -> np.ndarray:
    return origin + points @ axes
