"""Files that list other files with their times: ParaView's .series, and PVD."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from .mesh import input_error, lasting
from .vtk_files import VtkSource

_PART = 1 << 50  # between the numbers of points of several files


class Series:
    """`steps`: of each frame a list of (name, file). `open_file` makes the source of a file."""

    def __init__(self, file: str, times: list, steps: list, open_file: Callable):
        order = sorted(range(len(times)), key=lambda k: times[k])
        self.file, self._open = file, open_file
        self.times: Any = [times[k] for k in order]
        self._steps = [steps[k] for k in order]

    def read(self, k: int) -> list:
        found: list = []
        for part, (name, path) in enumerate(self._steps[k]):
            if path.lower().endswith((".series", ".pvd")):
                raise input_error(self.file, f"{path} is a list of files as well")
            source = self._open(path)
            if source.times is not None and len(source.times) != 1:
                raise input_error(self.file, f"{path} has {len(source.times)} times of its own")
            for piece in source.read(0):
                whole = "/".join(filter(None, (name, piece.name)))
                nodes = piece.nodes
                if nodes is not None and not isinstance(source, VtkSource):
                    nodes = nodes + _PART * part  # they are of this file alone
                found.append(piece._replace(name=whole, nodes=nodes))
        return found

    def source(self, k: int) -> str:
        return ", ".join(path for _, path in self._steps[k])


def _beside(file: str, name: str) -> str:
    return os.path.join(os.path.dirname(file), name)


def open_series(file: str, open_file: Callable) -> Series:
    """NAME.series: {"files": [{"name": "a.vtk", "time": 0}, …]}"""
    try:
        with open(file, encoding="utf-8") as stream:
            entries = json.load(stream)["files"]
        times = [float(entry["time"]) for entry in entries]
        steps = [[("", _beside(file, entry["name"]))] for entry in entries]
    except (ValueError, KeyError, TypeError) as what:
        raise input_error(file, f"a .series that is damaged: {what}") from None
    return _checked(file, times, steps, open_file)


def open_pvd(file: str, open_file: Callable) -> Series:
    """<DataSet timestep="0" part="0" name="" file="a.vtu"/>: parts of a step are one frame."""
    steps: dict = {}
    try:
        root = ElementTree.parse(file).getroot()
        collections = [child for child in root if child.tag == "Collection"]
        for entry in [one for collection in collections for one in collection]:
            if entry.tag != "DataSet":
                raise input_error(file, f"<{entry.tag}> in <Collection>, which is not read")
            time = float(entry.get("timestep") or 0)
            name, group = entry.get("name") or "", entry.get("group") or ""
            path = _beside(file, entry.attrib["file"])
            part = int(entry.get("part") or 0), name, group, path
            steps.setdefault(time, []).append(part)
    except (ElementTree.ParseError, ValueError, KeyError) as what:
        raise input_error(file, f"a PVD file that is damaged: {what}") from None
    made: list = []
    known: dict = {}
    for parts in steps.values():
        parts.sort(key=lambda part: part[0])
        several = len(parts) > 1
        bodies = [
            (part, name or (f"part {part}" if several and not group else ""))
            for part, name, group, _ in parts
        ]
        names = lasting(known, bodies)
        made.append([(name or part[2], part[3]) for name, part in zip(names, parts)])
    return _checked(file, list(steps), made, open_file)


def _checked(file: str, times: list, steps: list, open_file: Callable) -> Series:
    if not steps:
        raise input_error(file, "it lists no files")
    return Series(file, times, steps, open_file)
