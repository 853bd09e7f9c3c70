"""USD: the stage of a file, what usd-core says of it, and which geometry it shows."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from . import notes
from .caches import CacheOptions
from .mesh import input_error
from .numbered import Bad
from .vtk_data import need


class Level(NamedTuple):
    """An instancer, and the prototype of it that a body is below."""

    instancer: Any
    number: int
    root: Any


class Body(NamedTuple):
    """A mesh, or tetrahedra, and the instancers that place it, the outer one first."""

    prim: Any
    levels: tuple
    skin: Any = None  #: a Skin, or None


# ---- what the library prints


class _Printed:
    """What is printed on the standard error within a block: threads of the library print there,
    too."""

    def __init__(self) -> None:
        self._stream = tempfile.TemporaryFile(buffering=0)

    @contextmanager
    def kept(self) -> Iterator[None]:
        sys.stderr.flush()
        before = os.dup(2)
        os.dup2(self._stream.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)

    def lines(self) -> list:
        """Since it was asked before."""
        if not os.fstat(self._stream.fileno()).st_size:
            return []
        self._stream.seek(0)
        text = self._stream.read().decode("utf-8", "replace")
        self._stream.seek(0)
        self._stream.truncate()
        return text.splitlines()


def _plain(line: str) -> str:
    line = re.sub(r"^(Warning|Error): in \S+ at line \d+ of \S+ -- ", "", line)
    return re.sub(r" \(\w+ stage on stage @.*$", "", line).strip()


def _first(what: Exception) -> str:
    """The text of an exception, whose lines are the places in the library's source."""
    found = re.findall(r"' *: *'(.*)'$", str(what), re.MULTILINE)
    lines = [line for line in str(what).strip().splitlines() if line.strip()]
    return (found or lines or ["it is damaged"])[0].strip()


class Library:
    """Calls of usd-core: its warnings become notes, its exceptions errors that name the file."""

    def __init__(self, file: str):
        self.file = file
        for name in ("Usd", "UsdGeom", "UsdSkel", "Vt"):
            setattr(self, name, need(file, f"pxr.{name}"))
        tf = need(file, "pxr.Tf")
        self._errors = tf.ErrorException, tf.CppException
        self._printed, self._said = _Printed(), dict[str, None]()

    @contextmanager
    def calls(self) -> Iterator[None]:
        try:
            with self._printed.kept():
                yield
        except Bad as what:
            said = [*self._said, *map(_plain, self._printed.lines())]
            raise Bad(f"{what} (usd-core: {said[0]})" if said else what) from None
        except self._errors as what:
            raise input_error(self.file, f"usd-core cannot read it: {_first(what)}") from None
        for line in filter(None, map(_plain, self._printed.lines())):
            self._said[line] = None
        if self._said:
            notes.add(self.file, f"usd-core: {next(iter(self._said))}", len(self._said))

    def open(self) -> Any:
        """The stage, with all payloads. What is not found may be geometry, so it is an error."""
        with self.calls():
            stage = self.Usd.Stage.Open(os.path.abspath(self.file))
            found = [str(one) for one in stage.GetCompositionErrors()]
        errors = [text for text in found if ".mtlx@" not in text]  # materials, no geometry
        if errors:
            self._said.clear()  # they say the same
            more = f"; {len(errors)} such errors" if len(errors) > 1 else ""
            raise Bad(f"{errors[0]}{more}")
        return stage


# ---- what is shown


class Shown:
    """Finds the bodies of a stage, and counts what is left out."""

    def __init__(self, library: Library, stage: Any, options: CacheOptions):
        self._usd, self._geom = library.Usd, library.UsdGeom
        self.file, self._options = library.file, options
        self.counts: dict = {}
        self.bodies: list = []
        self.roots: list = []  # SkelRoots
        usd = library.Usd
        plain = usd.PrimIsActive & usd.PrimIsLoaded & usd.PrimIsDefined & ~usd.PrimIsAbstract
        self.predicate = usd.TraverseInstanceProxies(plain)
        # prototypes may be below an over or a class, which shows nothing itself
        self.anywhere = usd.TraverseInstanceProxies(usd.PrimIsActive & usd.PrimIsLoaded)
        self._walk(stage.GetPseudoRoot(), self.predicate, ())
        inactive = sum(not prim.IsActive() for prim in stage.TraverseAll())
        self.count("an inactive prim, which is left out with what is below it", inactive)

    def count(self, what: str, number: int = 1) -> None:
        if number:
            self.counts[what] = self.counts.get(what, 0) + number

    def _walk(self, root: Any, predicate: Any, levels: tuple) -> None:
        prims = iter(self._usd.PrimRange(root, predicate))
        for prim in prims:
            if prim.GetTypeName() == "SkelRoot":
                self.roots.append((prim, predicate))
            if prim.IsA(self._geom.PointInstancer):
                prims.PruneChildren()
                if self._purpose(prim, "a PointInstancer"):
                    self._instancer(self._geom.PointInstancer(prim), levels)
            elif prim.IsA(self._geom.Mesh) or prim.IsA(self._geom.TetMesh):
                if self._purpose(prim, "a mesh"):
                    self.bodies.append(Body(prim, levels))
            else:
                self._other(prim)

    def _purpose(self, prim: Any, what: str) -> bool:
        found = self._geom.Imageable(prim).ComputePurpose()
        if found in self._options.purpose:
            return True
        self.count(f"{what} of purpose {found}, which is left out (--purpose)")
        return False

    def _other(self, prim: Any) -> None:
        """Geometry of other types, and prims of types that are not known here."""
        kind = prim.GetTypeName()
        if prim.IsA(self._geom.Gprim) or kind == "GenerativeProcedural":
            self.count(f"a prim of type {kind}, which is no mesh, and is left out")
        elif kind and prim.GetPrimTypeInfo().GetSchemaType().isUnknown:
            self.count(f"a prim of type {kind}, which usd-core does not know, and is left out")

    def _instancer(self, instancer: Any, levels: tuple) -> None:
        path = instancer.GetPath()
        if any(level.instancer.GetPath() == path for level in levels):
            raise Bad(f"{path}: it is below its own prototype")
        stage, roots = instancer.GetPrim().GetStage(), []
        for number, target in enumerate(instancer.GetPrototypesRel().GetForwardedTargets()):
            root = stage.GetPrimAtPath(target)
            if not root:
                raise Bad(f"{path}: there is no prototype {target}")
            roots.append(target)
            self._walk(root, self.anywhere, (*levels, Level(instancer, number, root)))
        below = self._usd.PrimRange(instancer.GetPrim(), self.predicate)
        others = [p for p in below if p.IsA(self._geom.Mesh) or p.IsA(self._geom.TetMesh)]
        none = sum(not any(p.GetPath().HasPrefix(root) for root in roots) for p in others)
        self.count("a mesh below a PointInstancer and in no prototype, which is left out", none)


def ancestors(prim: Any, last: Any = None) -> Iterator[Any]:
    """The prim and those above it, to `last` or to the root."""
    while prim and not prim.IsPseudoRoot():
        yield prim
        if last is not None and prim == last:
            return
        prim = prim.GetParent()


class Visibility:
    """Is a body shown at a time? It and its instancers decide, and all prims above them."""

    def __init__(self, library: Library):
        self._geom = library.UsdGeom
        self._changing: dict = {}

    def changing(self, body: Body) -> list:
        """Attributes that hide it at some times."""
        prims = [body.prim, *(level.instancer.GetPrim() for level in body.levels)]
        above = (one for prim in prims for one in ancestors(prim))
        return [found for found in map(self._attribute, above) if found is not None]

    def _attribute(self, prim: Any) -> Any:
        path = prim.GetPath()
        if path not in self._changing:
            attribute = self._geom.Imageable(prim).GetVisibilityAttr()
            changes = attribute and attribute.GetNumTimeSamples()
            self._changing[path] = attribute if changes else None
        return self._changing[path]

    def at(self, body: Body, time: Any) -> bool:
        instancers = (level.instancer.GetPrim() for level in body.levels)
        return all(self._prim_at(prim, time) for prim in (body.prim, *instancers))

    def _prim_at(self, prim: Any, time: Any) -> bool:
        image = self._geom.Imageable(prim)
        purpose = image.ComputePurpose()
        if purpose in ("render", "proxy"):  # which UsdGeomVisibilityAPI may hide by itself
            return image.ComputeEffectiveVisibility(purpose, time) != "invisible"
        return image.ComputeVisibility(time) != "invisible"
