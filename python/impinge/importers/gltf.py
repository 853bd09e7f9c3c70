"""glTF: VTK calls nodes by their numbers; their names are in the file's JSON."""

from __future__ import annotations

import json
import re

from .mesh import Piece, input_error


def _nodes(file: str) -> list:
    with open(file, "rb") as stream:
        data = stream.read()
    if data[:4] == b"glTF":
        data = data[20 : 20 + int.from_bytes(data[12:16], "little")]
    try:
        return json.loads(data).get("nodes", [])
    except (ValueError, AttributeError) as what:
        raise input_error(file, what) from None


def named(file: str, pieces: list) -> list:
    """Node_1/Node_2/Mesh_0/block 0 becomes parent/child."""
    nodes = _nodes(file)

    def name(piece: Piece) -> str:
        path = [int(number) for number in re.findall(r"(?:^|/)Node_(\d+)", piece.name)]
        return "/".join(nodes[k].get("name") or f"node {k}" for k in path)

    return [piece._replace(name=name(piece)) for piece in pieces]
