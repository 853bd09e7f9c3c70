"""The process that reads: python -m impinge.importers.child, what to do as JSON on its input. Each
line of its output is JSON: the file that it reads next, or how it ended."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from .._arrays import Mesh as Arrays
from .._arrays import frame_set
from .._library import ImpingeError, error, ffi, lib
from .._weld import unwelded
from . import notes
from .caches import CacheOptions
from .mesh import TETRAHEDRON, Joined, Mesh, distinct, join
from .progress import Progress
from .readers import ByProgram, open_file
from .sequence import frame_times
from .store import Store


class Importing:
    """Files become frames, or bodies of one frame, of a temporary file."""

    def __init__(self, work: dict, tell: Callable[[dict], None]):
        self.work, self._tell, self._joined = work, tell, Joined()

    def _open(self, file: str) -> Any:
        self._tell({"file": file})
        cache, work = self.work.get("cache"), self.work
        options = CacheOptions(*cache) if cache else None
        return open_file(
            file, work["groups"], work.get("skin", False), options, work.get("array")
        )

    def _read(self, source: Any, k: int) -> Mesh:
        several = self.work["as"] == "frames" and len(self.work["files"]) > 1
        several = several or len(source.times or (0,)) > 1
        pieces = list(source.read(k))
        skin, array = self.work.get("skin", False), self.work.get("array")
        mesh = self._joined.join(source.source(k), pieces, several, skin, array)
        if array is None:
            notes.dropped(source.source(k), pieces)
        notes.add(source.source(k), notes.THIN, mesh.skipped)
        return mesh

    def frames(self) -> None:
        """All files are opened before the first is read, for the times of all frames."""
        files = self.work["files"]
        opened = [self._open(file) for file in files[:1]]
        own = [source.times for source in opened] + [self._open(file).times for file in files[1:]]
        times = iter(frame_times(files, own, self.work["words"], self.work["of_names"]))
        store, done = Store(self.work["into"]), 0
        progress = Progress(self.work.get("progress"), sum(len(t or (0,)) for t in own))
        for file in files:
            source = opened.pop() if opened else self._open(file)
            for k in range(len(source.times or (0,))):
                store.add([self._read(source, k)], next(times), source.source(k))
                done += 1
                progress.show(done)
        progress.clear()
        store.close()

    def objects(self) -> None:
        """A part for each."""
        store, bodies = Store(self.work["into"]), []
        for file, body in zip(self.work["files"], distinct(self.work["files"])):
            source = self._open(file)
            if len(source.times or (0,)) > 1:
                text = f"{file}: has {len(source.times)} times; an object has one"
                raise error(lib.IMP_ERR_ARGUMENT, text)
            mesh = self._welded(file, self._read(source, 0))
            self._look(file, mesh)
            names = [body if name == "" else f"{body}: {name}" for name in mesh.names]
            bodies.append(mesh._replace(names=names))
        store.add(bodies, 0.0, ", ".join(self.work["files"]))
        store.close()

    def _look(self, file: str, mesh: Mesh) -> None:
        """Do neighbours share vertices? Each body by itself: the program sees all of them."""
        sizes = np.diff(mesh.ends, prepend=0)
        if self.work["weld"] is not None or not len(sizes) or (sizes != sizes[0]).any():
            return
        solid = mesh.types[0] == TETRAHEDRON
        if sizes[0] != (4 if solid else 3):
            return  # a polygon's triangles share vertices
        made = Arrays(mesh.points, mesh.corners.reshape(-1, int(sizes[0])), mesh.objects)
        points, frame = np.ascontiguousarray(mesh.points), ffi.new("imp_frame *")
        frame_set(frame, made, points, 0)
        said = unwelded(frame, len(sizes))
        notes.add(file, f"{said}; --weld 0 joins them", bool(said))

    def _welded(self, file: str, mesh: Mesh) -> Mesh:
        """By the program, so that no body is welded to another."""
        if self.work["weld"] is None:
            return mesh
        with tempfile.TemporaryDirectory(prefix="impinge-") as where:
            path = f"{where}/body.vtkhdf"
            store = Store(path)
            store.add([mesh], 0.0, file)
            store.close()
            words = ["--weld", str(self.work["weld"])] + ["--skin"] * self.work.get("skin", False)
            made = ByProgram(path, words, file)
            return join(file, made.read(0))


def work_on(work: dict, tell: Callable[[dict], None]) -> dict:
    """What is told at the end."""
    importing = Importing(work, tell)
    notes.forget()
    importing.objects() if work["as"] == "objects" else importing.frames()
    return {"done": notes.text()}


def _ended(work: dict, tell: Callable[[dict], None]) -> dict:
    try:
        return work_on(work, tell)
    except ImpingeError as what:
        return {"error": what.code, "text": str(what)}
    except MemoryError:
        return {"error": lib.IMP_ERR_MEMORY, "text": "out of memory"}
    except OSError as what:
        code = lib.IMP_ERR_DISK if what.errno == 28 else lib.IMP_ERR_INPUT
        file = what.filename or work["files"][0]
        return {"error": code, "text": f"{file}: {what.strerror or what}"}


def main() -> None:
    """Whatever libraries print goes to the standard error, so that the output has JSON alone."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(what: dict) -> None:
        print(json.dumps(what), file=out, flush=True)

    tell(_ended(json.load(sys.stdin), tell))


if __name__ == "__main__":
    main()
