"""A USD stage that is written beside its output, and takes its place when all is in it."""

from __future__ import annotations

import errno
import importlib
import os
import re
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from .._library import error, install, lib
from .._output import claim, disk, sync
from .given import bad, wrong

ENDINGS = (".usda", ".usdc", ".usd")
PENDING = 1 << 26  # bytes of samples in memory, of a binary layer
RATE = 24.0  # time codes a second that USD has by default
MODULES = ("Gf", "Sdf", "Tf", "Usd", "UsdGeom", "Vt")
_SYSTEM = {os.strerror(number): number for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)}


class Metadata(NamedTuple):
    """Of a stage; None: not known, and not in it."""

    rate: float | None = None  #: time codes a second
    frames_rate: float | None = None  #: of playback
    up: str | None = None  #: "Y" or "Z"
    unit: float | None = None  #: metres in a unit of the points


def library_for(output: str) -> Any:
    """The modules of usd-core, or an error that says how to get them."""
    try:
        return SimpleNamespace(**{n: importlib.import_module(f"pxr.{n}") for n in MODULES})
    except ImportError as what:
        raise bad(f"{output}: to write it: {install('io')} ({what})") from None


@contextmanager
def quiet() -> Iterator[None]:
    """What usd-core prints besides its exceptions is about their places in its source."""
    sys.stderr.flush()
    before = os.dup(2)
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)


def known_of(library: Any, sources: list[str], batch: str | None) -> Metadata:
    """What the USD file says that a batch was made of, if it is one and still there."""
    if len(set(sources)) != 1 or not sources[0].lower().endswith((*ENDINGS, ".usdz")):
        return Metadata()
    beside = os.path.dirname(batch) if batch else ""
    name = sources[0]
    places = (name, os.path.join(beside, name), os.path.join(beside, os.path.basename(name)))
    at = next((place for place in places if os.path.isfile(place)), None)
    if at is None:
        return Metadata()
    try:
        with quiet():
            stage = library.Usd.Stage.Open(os.path.abspath(at), library.Usd.Stage.LoadNone)
            has = stage.HasAuthoredMetadata
            return Metadata(
                stage.GetTimeCodesPerSecond(),
                stage.GetFramesPerSecond() if has("framesPerSecond") else None,
                library.UsdGeom.GetStageUpAxis(stage) if has("upAxis") else None,
                library.UsdGeom.GetStageMetersPerUnit(stage) if has("metersPerUnit") else None,
            )
    except (library.Tf.ErrorException, library.Tf.CppException):
        return Metadata()


def codes_of(times: np.ndarray, rate: float) -> np.ndarray:
    """Time codes at these seconds: those with the fewest decimals that give the same time again, if
    there are any."""
    near = times * rate
    choices = [
        np.round(near),
        np.round(near, 6),
        near,
        np.nextafter(near, -np.inf),
        np.nextafter(near, np.inf),
    ]
    made = near.copy()
    for choice in reversed(choices):
        made = np.where(choice / rate == times, choice, made)
    return made + 0.0  # no -0


class Output:
    """The stage, in a file beside the output with the same ending. Samples of a binary one are saved
    from time to time, so that they do not stay in memory."""

    def __init__(self, library: Any, path: str, metadata: Metadata):
        self._library, self.path = library, path
        folder, name = os.path.split(path)
        stem, ending = os.path.splitext(name)
        self._made = os.path.join(folder, f".{stem}.export-{secrets.token_hex(4)}{ending}")
        self._binary = ending.lower() != ".usda"
        self._pending = 0
        with self._written():
            self.stage = library.Usd.Stage.CreateNew(os.path.abspath(self._made))
        with self._written():
            self._describe(metadata)

    def _describe(self, known: Metadata) -> None:
        stage, geom = self.stage, self._library.UsdGeom
        stage.SetTimeCodesPerSecond(known.rate)
        if known.frames_rate is not None:
            stage.SetFramesPerSecond(known.frames_rate)
        if known.up is not None:
            geom.SetStageUpAxis(stage, known.up)
        if known.unit is not None:
            geom.SetStageMetersPerUnit(stage, known.unit)

    def ranged(self, codes: np.ndarray) -> None:
        if len(codes):
            self.stage.SetStartTimeCode(float(codes.min()))
            self.stage.SetEndTimeCode(float(codes.max()))

    @contextmanager
    def _written(self) -> Iterator[None]:
        tf = self._library.Tf
        try:
            with quiet():
                yield
        except (tf.ErrorException, tf.CppException) as what:
            raise self._failed(str(what)) from None

    def _failed(self, text: str) -> Exception:
        for said, number in _SYSTEM.items():
            if said in text:
                code = lib.IMP_ERR_FILE if number == errno.EFBIG else lib.IMP_ERR_DISK
                return error(code, f"{self.path}: cannot be written: {said}")
        found = re.findall(r"' *: *'(.*)'$", text, re.MULTILINE) or text.strip().splitlines()
        return error(lib.IMP_ERR_FILE, f"{self.path}: cannot be written: {found[0]}")

    def put(self, attribute: Any, value: Any, code: float | None, size: int = 0) -> None:
        """A sample, or with None the value without a time. size: its bytes."""
        self._pending += size
        attribute.Set(value) if code is None else attribute.Set(value, code)

    def save(self, all_of_it: bool = False) -> None:
        """After a frame."""
        if not all_of_it and (not self._binary or self._pending < PENDING):
            return
        self._pending = 0
        with self._written():
            self.stage.GetRootLayer().Save()

    def finish(self) -> int:
        """The output is there, whole. Returns its bytes."""
        self.save(True)
        del self.stage
        with disk(self.path):
            sync(self._made)
            os.replace(self._made, self.path)
        return os.path.getsize(self.path)

    def discard(self) -> None:
        """What was written so far is removed."""
        self.stage = None
        with suppress(OSError):
            os.unlink(self._made)


def check_output(output: str, read: list, force: bool) -> None:
    """What would fail at the end, after all was read."""
    if not output.lower().endswith(ENDINGS):
        what = "; make it of a .usdc by usdzip" if output.lower().endswith(".usdz") else ""
        raise bad(f"{output}: a USD file is written here, .usda, .usdc or .usd{what}")
    if os.path.exists(output):
        if any(os.path.exists(file) and os.path.samefile(file, output) for file in read):
            raise bad(f"{output}: this is what is read; it is not replaced")
    claim(output, force, "--force")


def single(points: np.ndarray, output: str) -> np.ndarray:
    """As USD has points: float32, the nearest to each."""
    with np.errstate(over="ignore"):
        made = np.ascontiguousarray(points, np.float32)
    if not np.isfinite(made).all():
        raise wrong(f"{output}: a point that is no finite float32, which USD's points are")
    return made
