"""glTF and GLB. VTK's reader plays no animation, and passes over extensions that it does not know,
so they are read here.

Every node with a mesh in the scene that the file shows is an object. Where the file is animated,
its frames are at the times of all keys of all animations, which are played together; the spaces
between are interpolated as each says.
Points are float32 where nothing moves them, else float64: transformed, and not rounded again.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import struct
from collections import Counter
from typing import Any
from urllib.parse import unquote

import numpy as np

from . import notes
from .gltf_motion import Animations, matrix_of, skinned
from .mesh import TRIANGLE, Piece, bare, distinct, uniform
from .numbered import Bad, reading

_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_COLUMNS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
# extensions that make, move or choose geometry
REFUSED = (
    "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression",
    "MESHOPT_compression", "EXT_mesh_gpu_instancing", "KHR_animation_pointer",
    "KHR_node_visibility", "KHR_implicit_shapes", "KHR_physics_rigid_bodies",
    "KHR_collision_shapes", "OMI_physics_shape", "OMI_physics_body", "OMI_collider",
    "KHR_gaussian_splatting", "KHR_gaussian_splatting_compression_spz", "MSFT_physics",
    "WEB3D_quantized_attributes", "EXT_implicit_cylinder_region", "EXT_implicit_ellipsoid_region",
    "EXT_implicit_box_region", "EXT_primitive_voxels", "CESIUM_RTC", "EXT_mesh_primitive_restart",
)  # fmt: skip
TAKEN = ("KHR_mesh_quantization",)
# those of meshes, nodes and scenes that do not; those of materials, textures and images never do
IGNORED = (
    "KHR_lights_punctual", "KHR_materials_variants", "KHR_xmp", "KHR_xmp_json_ld", "KHR_audio",
    "KHR_audio_emitter", "KHR_interactivity", "KHR_node_hoverability", "KHR_node_selectability",
    "MSFT_lod", "MSFT_audio_emitter", "MSFT_screencoverage", "EXT_lights_image_based",
    "EXT_lights_ies", "EXT_mesh_features", "EXT_mesh_manifold", "EXT_instance_features",
    "EXT_structural_metadata", "EXT_feature_metadata", "CESIUM_primitive_outline",
    "EXT_mesh_primitive_edge_visibility", "AGI_articulations", "AGI_stk_metadata",
    "FB_geometry_metadata", "FB_ngon_encoding", "FB_ngons", "GODOT_single_root", "MX_origin",
    "NEEDLE_components", "NEEDLE_lightmaps", "NEEDLE_persistent_assets", "VRM", "VRMC_vrm",
    "VRMC_springBone", "VRMC_node_constraint",
)  # fmt: skip
_STRIP = 5  # mode of a primitive
CURVED = (
    "a channel that between its keys does not move in lines (CUBICSPLINE, STEP, a rotation), and"
    " of which the keys alone are frames"
)
_LOOKS = ("materials", "textures", "images", "samplers", "cameras")


# ---- JSON and bytes


def _chunks(data: bytes) -> tuple:
    """The JSON, and the bytes of a GLB, or None."""
    if data[:4] != b"glTF":
        return data, None
    if int.from_bytes(data[4:8], "little") != 2:
        raise Bad("a GLB of another version than 2, which is not read")
    end, at, made = min(int.from_bytes(data[8:12], "little"), len(data)), 12, []
    while at + 8 <= end:
        size, kind = struct.unpack("<I4s", data[at : at + 8])
        if at + 8 + size > len(data):
            raise Bad("the file ends within a chunk")
        made.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    if not made or made[0][0] != b"JSON":
        raise Bad("a GLB without JSON")
    return made[0][1], next((body for kind, body in made[1:] if kind == b"BIN\0"), b"")


class File:
    """A file's JSON, and its accessors as arrays."""

    def __init__(self, file: str):
        self.file = file
        with open(file, "rb") as stream:
            text, self._own = _chunks(stream.read())
        self.tree = json.loads(text)
        if not isinstance(self.tree, dict) or not isinstance(self.tree.get("asset"), dict):
            raise Bad("it is no glTF: asset is missing")
        version = str(self.tree["asset"].get("version"))
        if version.split(".")[0] != "2":
            raise Bad(f"glTF of version {version}, which is not read")
        self.ignored: Counter = Counter()
        self._check_extensions()
        self._buffers: dict = {}
        self._arrays: dict = {}

    def _check_extensions(self) -> None:
        found = list(_extensions(self.tree))
        known = {name for name, _ in found}
        required = self.tree.get("extensionsRequired", [])
        for name, looks in found + [(name, False) for name in required if name not in known]:
            if name in REFUSED:
                raise Bad(f"{name}, which is not read")
            looks = looks or name.startswith(("KHR_materials_", "KHR_texture_", "EXT_texture_"))
            if name not in IGNORED and name not in TAKEN and not looks:
                raise Bad(f"{name}, which is no extension that is known here")
            self.ignored[name] += name not in TAKEN

    def all(self, what: str) -> list:
        return self.tree.get(what, [])

    def _buffer(self, k: int) -> bytes:
        if k not in self._buffers:
            uri = self.tree["buffers"][k].get("uri")
            if uri is None:
                if k or self._own is None:
                    raise Bad(f"buffer {k} has no uri")
                self._buffers[k] = self._own
            elif uri.startswith("data:"):
                head, _, body = uri.partition(",")
                try:
                    made = base64.b64decode(body, validate=False) if "base64" in head else None
                except binascii.Error as what:
                    raise Bad(f"buffer {k}: {what}") from None
                self._buffers[k] = unquote(body).encode("latin-1") if made is None else made
            else:
                path = os.path.join(os.path.dirname(self.file), unquote(uri))
                try:
                    with open(path, "rb") as stream:
                        self._buffers[k] = stream.read()
                except OSError as what:
                    raise Bad(f"buffer {k}: {path}: {what.strerror}") from None
        return self._buffers[k]

    def _view(self, k: int, offset: int, kind: np.dtype, columns: int, count: int) -> np.ndarray:
        view = self.tree["bufferViews"][k]
        data, row = self._buffer(view["buffer"]), kind.itemsize * columns
        stride = view.get("byteStride", row)
        start, end = view.get("byteOffset", 0), view.get("byteOffset", 0) + view["byteLength"]
        first = start + offset
        last = first + (count - 1) * stride + row
        if (
            min(start, offset, count) < 0
            or stride < row
            or max(end, last if count else 0) > len(data)
        ):
            raise Bad(f"bufferView {k} ends after its buffer")
        if count and last > end:
            raise Bad(f"bufferView {k} is shorter than what it should hold")
        if not count:
            return np.zeros((0, columns), kind)
        made = np.ndarray((count, columns), kind, data, first, (stride, kind.itemsize))
        return made.copy()

    def accessor(self, k: int) -> np.ndarray:
        """(count, columns); normalized integers as numbers from -1 to 1."""
        if k not in self._arrays:
            self._arrays[k] = self._read_accessor(k)
        return self._arrays[k]

    def _read_accessor(self, k: int) -> np.ndarray:
        of = self.tree["accessors"][k]
        if of["componentType"] not in _COMPONENTS or of["type"] not in _COLUMNS:
            raise Bad(f"accessor {k}: {of['componentType']} {of['type']}")
        kind, columns = np.dtype(_COMPONENTS[of["componentType"]]), _COLUMNS[of["type"]]
        count, offset = of["count"], of.get("byteOffset", 0)
        if "bufferView" in of:
            made = self._view(of["bufferView"], offset, kind, columns, count)
        else:
            made = np.zeros((count, columns), kind)
        if "sparse" in of:
            made = self._with_sparse(k, of["sparse"], made)
        if of.get("normalized") and kind.kind != "f":
            top = float(np.iinfo(kind).max)
            return np.maximum(made.astype(np.float64) / top, -1.0)
        return made

    def _with_sparse(self, k: int, sparse: dict, made: np.ndarray) -> np.ndarray:
        at, values = sparse["indices"], sparse["values"]
        kind = np.dtype(_COMPONENTS[at["componentType"]])
        count = sparse["count"]
        rows = self._view(at["bufferView"], at.get("byteOffset", 0), kind, 1, count).ravel()
        of = (made.dtype, made.shape[1], count)
        new = self._view(values["bufferView"], values.get("byteOffset", 0), *of)
        if len(rows) and int(rows.max()) >= len(made):
            raise Bad(f"accessor {k}: a sparse row {rows.max()} of {len(made)}")
        made[rows.astype(np.int64)] = new
        return made


def _extensions(tree: Any, looks: bool = False) -> Any:
    """Names of those that are used, and whether only by what a surface looks like."""
    if isinstance(tree, list):
        for one in tree:
            yield from _extensions(one, looks)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if key == "extensions" and isinstance(value, dict):
                yield from ((name, looks) for name in value)
            elif key != "extras":
                yield from _extensions(value, looks or key in _LOOKS)


# ---- primitives


def _triangles(mode: int, at: np.ndarray) -> np.ndarray | None:
    """(m, 3); None of points and lines."""
    if mode == 4:
        if len(at) % 3:
            raise Bad(f"{len(at)} corners of triangles")
        return at.reshape(-1, 3)
    if mode == _STRIP:
        made = np.stack([at[:-2], at[1:-1], at[2:]], 1) if len(at) > 2 else np.zeros((0, 3))
        made[1::2, :2] = made[1::2, 1::-1]
        return made
    if mode == 6:
        rest = at[1:]
        first = np.full(max(len(rest) - 1, 0), at[0] if len(at) else 0)
        return np.stack([first, rest[:-1], rest[1:]], 1) if len(rest) > 1 else np.zeros((0, 3))
    return None


def _solid(triangles: np.ndarray) -> np.ndarray:
    """Rows whose corners are three. Strips are joined by repeated corners, which nobody draws, and
    which would reach from one body to another."""
    return np.flatnonzero((triangles != np.roll(triangles, 1, 1)).all(1))


class GltfSource:
    """A file, whose frames are those of its animations."""

    def __init__(self, file: str):
        self.file = file
        with reading(file):
            try:
                self._of = File(file)
                self._nodes = self._of.all("nodes")
                self._parents = _parents(self._nodes)
                self._shown, self._elsewhere = self._in_scenes()
                self._motion = Animations(self._of)
                self.times: Any = self._motion.times or None
                self._count()
            except (TypeError, AttributeError, RecursionError) as what:
                raise Bad(f"it is damaged: {what}") from None
        notes.left_out(file, self._of.ignored)
        notes.add(file, CURVED, sum(channel.curved() for channel in self._motion.channels))

    def source(self, k: int) -> str:
        return self.file

    def _in_scenes(self) -> tuple:
        """Nodes of the scene that the file shows, or without one of the file, each once, as they
        come; and those of its other scenes."""
        scenes, shown = self._of.all("scenes"), self._of.tree.get("scene", 0)
        if not scenes and "scene" not in self._of.tree:
            return self._below([k for k, parent in enumerate(self._parents) if parent < 0]), []
        if not 0 <= shown < len(scenes):
            raise Bad(f"there is no scene {shown}; the file has {len(scenes)}")
        others = [node for scene in scenes for node in scene.get("nodes", [])]
        return self._below(scenes[shown].get("nodes", [])), self._below(others)

    def _below(self, roots: list) -> list:
        """These nodes and all below them."""
        made: dict = {}
        rest = roots[::-1]
        while rest:
            node = rest.pop()
            if node not in made:
                made[node] = None
                rest.extend(self._nodes[node].get("children", [])[::-1])
        return list(made)

    def _count(self) -> None:
        """What is in the file, and not in the scene that it shows."""
        meshes = {k for k, node in enumerate(self._nodes) if "mesh" in node}
        hidden = meshes - set(self._shown)
        self._of.ignored["node of another scene"] += len(hidden & set(self._elsewhere))
        self._of.ignored["node in no scene"] += len(hidden - set(self._elsewhere))
        used = {self._nodes[k]["mesh"] for k in meshes}
        self._of.ignored["mesh of no node"] += len(set(range(len(self._of.all("meshes")))) - used)

    def _name(self, node: int) -> str:
        path, at = [], node
        while at >= 0:
            path.append(self._nodes[at].get("name") or f"node {at}")
            at = self._parents[at]
        return "/".join(path[::-1])

    def read(self, k: int) -> list:
        with reading(self.file):
            try:
                return self._read(self.times[k] if self.times else None)
            except (TypeError, AttributeError, RecursionError) as what:
                raise Bad(f"it is damaged: {what}") from None

    def _read(self, time: float | None) -> list:
        posed = self._motion.pose(self._nodes, time)
        placed = self._placed(posed)
        of = [node for node in self._shown if "mesh" in self._nodes[node]]
        bases: dict = {}  # numbers of points, by node and accessor
        if len(of) == 1 and not self._nodes[of[0]].get("name"):
            return self._pieces(of[0], "", posed, placed, bases)
        made: list = []
        for node, name in zip(of, distinct(map(self._name, of))):
            made += self._pieces(node, name, posed, placed, bases)
        return made

    def _placed(self, posed: list) -> list:
        """Matrices of all nodes in the scene."""
        made: list = [None] * len(posed)
        for node in range(len(posed)):
            path = [node]
            while made[path[-1]] is None and self._parents[path[-1]] >= 0:
                path.append(self._parents[path[-1]])
            for at in path[::-1]:
                own, parent = matrix_of(posed[at]), self._parents[at]
                made[at] = own if parent < 0 else made[parent] @ own
        return made

    def _pieces(self, node: int, name: str, posed: list, placed: list, bases: dict) -> list:
        """One for each primitive. Primitives with one accessor of points share them."""
        mesh = self._of.tree["meshes"][self._nodes[node]["mesh"]]
        made = []
        for primitive in mesh["primitives"]:
            if "POSITION" not in primitive["attributes"]:
                raise Bad(f"a primitive of {name or 'its mesh'} without POSITION")
            points = self._points(primitive, mesh, node, posed, placed)
            types, ends, corners, ids = self._cells(primitive, len(points))
            key = node, primitive["attributes"]["POSITION"]
            first = bases.setdefault(key, len(bases)) << 32
            nodes = first + np.arange(len(points), dtype=np.int64)
            piece = Piece(points, types, ends, corners, name, ids=ids, nodes=nodes)
            made.append(piece)
        return made

    def _cells(self, primitive: dict, count: int) -> tuple:
        at = np.arange(count)
        if "indices" in primitive:
            at = self._of.accessor(primitive["indices"]).ravel().astype(np.int64)
        mode = primitive.get("mode", 4)
        if not 0 <= mode <= 6:
            raise Bad(f"a primitive of mode {mode}")
        triangles = _triangles(mode, at)
        if triangles is not None:
            whole = _solid(triangles) if mode == _STRIP else np.arange(len(triangles))
            return (*uniform(TRIANGLE, triangles[whole]), whole)
        thin = {0: len(at), 1: len(at) // 2, 2: len(at)}.get(mode, max(len(at) - 1, 0))
        return (*bare(3 if mode else 1, thin), None)

    def _points(
        self, primitive: dict, mesh: dict, node: int, posed: list, placed: list
    ) -> np.ndarray:
        attributes, of = primitive["attributes"], self._nodes[node]
        points = self._of.accessor(attributes["POSITION"])
        if points.shape[1] != 3:
            raise Bad("POSITION that is no VEC3")
        points = points if points.dtype == np.float32 else points.astype(np.float64)
        targets = [target.get("POSITION") for target in primitive.get("targets", [])]
        if any(target is not None for target in targets):
            weights = posed[node].get("weights") or mesh.get("weights") or [0.0] * len(targets)
            if len(weights) != len(targets):
                raise Bad(f"{len(weights)} weights of {len(targets)} targets")
            points = points.astype(np.float64)
            for weight, target in zip(weights, targets):
                if target is not None:
                    moved = self._of.accessor(target)
                    if moved.shape != points.shape:
                        raise Bad("a target of another shape than its primitive")
                    points = points + float(weight) * moved
        if "skin" in of:
            skin = self._of.tree["skins"][of["skin"]]
            return skinned(self._of, points.astype(np.float64), attributes, skin, placed)
        matrix = placed[node]
        if (matrix == np.eye(4)).all():
            return points
        return points.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]


def _parents(nodes: list) -> list:
    """The parent of each node, or -1. A node that is its own ancestor is an error."""
    made = [-1] * len(nodes)
    for k, node in enumerate(nodes):
        for child in node.get("children", []):
            if not 0 <= child < len(nodes) or made[child] >= 0:
                raise Bad(f"node {child} has two parents, or is not there")
            made[child] = k
    for k in range(len(nodes)):
        at, steps = k, 0
        while at >= 0:
            at, steps = made[at], steps + 1
            if steps > len(nodes):
                raise Bad(f"node {k} is below itself")
    return made
