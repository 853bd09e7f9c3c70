"""glTF: what moves nodes and vertices. Animations, matrices of nodes, skins."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numbered import Bad

_PATHS = {"translation": 3, "rotation": 4, "scale": 3, "weights": 0}


def matrix_of(node: dict) -> np.ndarray:
    """(4, 4), for columns."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    made = np.eye(4)
    if "rotation" in node:
        x, y, z, w = np.array(node["rotation"], np.float64)
        length = x * x + y * y + z * z + w * w
        if not length > 0:
            raise Bad("a rotation without length")
        made[:3, :3] -= (
            2
            / length
            * np.array(
                [
                    [y * y + z * z, w * z - x * y, -x * z - w * y],
                    [-x * y - w * z, x * x + z * z, w * x - y * z],
                    [w * y - x * z, -y * z - w * x, x * x + y * y],
                ]
            )
        )
    made[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), np.float64)
    made[:3, 3] = node.get("translation", (0, 0, 0))
    return made


# ---- animations


def _slerp(a: np.ndarray, b: np.ndarray, share: float) -> np.ndarray:
    """Rotations along the shorter arc."""
    dot = float(a @ b)
    b, dot = (-b, -dot) if dot < 0 else (b, dot)
    if dot > 1 - 1e-12:
        return a + share * (b - a)
    angle = np.arccos(min(dot, 1.0))
    return (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)


class _Channel:
    """What one property of a node is at a time."""

    def __init__(self, of: Any, channel: dict, sampler: dict, where: str):
        self.node, self.path = channel["target"]["node"], channel["target"]["path"]
        self.kind, self.where = sampler.get("interpolation", "LINEAR"), where
        self.times = of.accessor(sampler["input"]).ravel().astype(np.float64)
        values = of.accessor(sampler["output"]).astype(np.float64)
        keys = len(self.times) * (3 if self.kind == "CUBICSPLINE" else 1)
        if self.path not in _PATHS or self.kind not in ("LINEAR", "STEP", "CUBICSPLINE"):
            raise Bad(f"{where}: {self.path}, {self.kind}, which is not read")
        if not keys or not (np.diff(self.times) > 0).all() or values.size % keys:
            raise Bad(f"{where}: {values.size} values at {len(self.times)} times")
        self.values = values.reshape(keys, -1)
        if _PATHS[self.path] not in (0, self.values.shape[1]):
            raise Bad(f"{where}: a {self.path} of {self.values.shape[1]} numbers")

    def curved(self) -> bool:
        """Does it move between keys, and not in lines? Frames are at keys alone."""
        if self.kind == "LINEAR" and self.path != "rotation":
            return False
        rows, tangents = self.values, self.values[:0]
        if self.kind == "CUBICSPLINE":
            rows, tangents = self.values[1::3], np.delete(self.values, np.s_[1::3], 0)[1:-1]
        return bool((rows != rows[0]).any() or tangents.any())

    def at(self, time: float) -> np.ndarray:
        """Before the first key and after the last one it stands still."""
        cubic = self.kind == "CUBICSPLINE"
        row = int(np.searchsorted(self.times, time, "right")) - 1
        row = min(max(row, 0), len(self.times) - 1)
        if row == len(self.times) - 1 or time <= self.times[row] or self.kind == "STEP":
            return self.values[3 * row + 1 if cubic else row]
        step = self.times[row + 1] - self.times[row]
        share = (time - self.times[row]) / step
        if not cubic:
            a, b = self.values[row], self.values[row + 1]
            return _slerp(a, b, share) if self.path == "rotation" else a + share * (b - a)
        a, out, into, b = (self.values[3 * row + k] for k in (1, 2, 3, 4))
        s, t = share, 1 - share
        return (
            (1 + 2 * s) * t * t * a
            + s * t * t * step * out
            + s * s * (3 - 2 * s) * b
            - (s * s * t * step * into)
        )


class Animations:
    """All animations of a file. `times`: of all their keys."""

    def __init__(self, of: Any):
        self.channels: list = []
        known: dict = {}
        for number, animation in enumerate(of.all("animations")):
            title = animation.get("name") or f"animation {number}"
            for k, channel in enumerate(animation["channels"]):
                if "node" not in channel["target"]:
                    of.ignored["channel without a node"] += 1
                    continue
                sampler = animation["samplers"][channel["sampler"]]
                made = _Channel(of, channel, sampler, f"{title}, channel {k}")
                if not 0 <= made.node < len(of.all("nodes")):
                    raise Bad(f"{made.where}: there is no node {made.node}")
                if "matrix" in of.all("nodes")[made.node] and made.path != "weights":
                    raise Bad(f"{made.where}: node {made.node} has a matrix, which cannot be moved")
                other = known.setdefault((made.node, made.path), title)
                if len(known) == len(self.channels):
                    text = f"{other} and {title} both move node {made.node}; leave one of them"
                    raise Bad(text)
                self.channels.append(made)
        keys = [channel.times for channel in self.channels]
        self.times: list = np.unique(np.concatenate(keys)).tolist() if keys else []

    def pose(self, nodes: list, time: float | None) -> list:
        """Nodes with their properties at a time."""
        if time is None:
            return nodes
        made = [dict(node) for node in nodes]
        for channel in self.channels:
            made[channel.node][channel.path] = channel.at(time).tolist()
        return made


# ---- skins


def skinned(of: Any, points: np.ndarray, attributes: dict, skin: dict, placed: list) -> np.ndarray:
    """Points by the joints of a skin; the node itself does not move them."""
    joints = skin["joints"]
    inverse = np.broadcast_to(np.eye(4), (len(joints), 4, 4))
    if "inverseBindMatrices" in skin:
        flat = of.accessor(skin["inverseBindMatrices"]).astype(np.float64)
        if len(flat) < len(joints) or flat.shape[1] != 16:
            raise Bad(f"{len(flat)} inverseBindMatrices of {len(joints)} joints")
        inverse = flat.reshape(-1, 4, 4).transpose(0, 2, 1)
    moves = np.array([placed[joint] @ inverse[k] for k, joint in enumerate(joints)])
    sets = [k for k in range(16) if f"JOINTS_{k}" in attributes]
    if not sets:
        raise Bad("a mesh with a skin and without JOINTS_0")
    made, sums = np.zeros_like(points), np.zeros(len(points))
    for k in sets:
        rows = of.accessor(attributes[f"JOINTS_{k}"]).astype(np.int64)
        weights = of.accessor(attributes[f"WEIGHTS_{k}"]).astype(np.float64)
        if rows.shape != weights.shape or len(rows) != len(points):
            raise Bad(f"JOINTS_{k} and WEIGHTS_{k} of other shapes than the points")
        if len(rows) and rows.max() >= len(joints):
            raise Bad(f"there is no joint {rows.max()}; the skin has {len(joints)}")
        for column in range(rows.shape[1]):
            by = moves[rows[:, column]]
            at = (by[:, :3, :3] @ points[:, :, None])[:, :, 0] + by[:, :3, 3]
            made += weights[:, column, None] * at
            sums += weights[:, column]
    if len(points) and not (np.abs(sums - 1) < 0.01).all():
        raise Bad("weights of a skin whose sum is not 1")
    return made / sums[:, None]
