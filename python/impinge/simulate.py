"""impinge.pcs: the program simulates rigid bodies, and finds every contact in its order."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any, cast

from ._library import ArgumentError
from ._words import Device
from .files import Result, open
from .importers.readers import of_bodies
from .importers.urdf import read_urdf
from .program import Name, _start, _words, plain
from .rigid import Push, RigidBody, write_bodies


def pcs(
    bodies: Iterable[RigidBody] | Name,
    output: Name,
    *,
    gravity: Sequence[float] | None = None,
    step: float | None = None,
    seconds: float | None = None,
    epsilon: float | None = None,
    restitution_slowest: float | None = None,
    spring: Sequence[float] | None = None,
    home: Any = None,
    pushes: Iterable[Push] = (),
    scene: str | None = None,
    frames: int | None = None,
    device: Device | None = None,
    threads: int | None = None,
    mem_limit: int | str | None = None,
    force: bool = False,
    **options: Any,
) -> Result:
    """Simulates rigid bodies, and opens the result: result[k] has the contacts of step k, in the
    order in which they happen. `impinge pcs` does the work, by possible collision sets and, for
    velocities after a contact, ODE. (The class `PCS` finds the same contacts, one at a time, and
    leaves velocities to a function of yours.)

    bodies: a list of `RigidBody`; or a batch with rigid bodies, such as `write_bodies` makes; or a
        URDF file, as `read_urdf` reads it.
    output: the contacts, such as dom.vtkhdf, beside which come dom.batch.vtkhdf, with the bodies of
        all frames (`Batch.bodies`), and the curve of checks, dom.cps.csv and dom.cps.svg.
    gravity to scene: as of `write_bodies`. A batch has its own, of which step, seconds and epsilon
        can be replaced.
    frames: of the simulation, in place of seconds. device: for bodies and triangles in thousands,
        as of `Pipeline`; None: the host. threads: of the host; None: all. mem_limit: bytes, or a
        text such as "512M". force: replaces what exists. Others are options of `impinge help pcs`
        with _ for -.

    Errors: those of `write_bodies`; `ArgumentError` for options, or where an output exists;
    `InputError` for bodies that cannot be, such as one without a volume that needs a mass, and for
    a batch that cannot be read; `DeviceError`; `MemoryLimitError`; `ImpingeError` where the
    simulation diverges, or was built without ODE.
    """
    if frames is not None and seconds is not None:
        raise ArgumentError("either frames or seconds")
    of_program: dict[str, Any] = dict(frames=frames, device=device, threads=threads)
    of_program.update(mem_limit=mem_limit, force=force, **options)
    numbers = dict(step=step, seconds=seconds, epsilon=epsilon)
    acts: dict[str, Any] = dict(gravity=gravity, restitution_slowest=restitution_slowest)
    acts.update(spring=spring, home=home, scene=scene, pushes=pushes or None)
    named = "bodies"
    if isinstance(bodies, (str, os.PathLike)) and of_bodies(os.fspath(bodies)):
        named, bodies = os.fspath(bodies), read_urdf(bodies)
    if isinstance(bodies, (str, os.PathLike)):
        given = [name for name, value in acts.items() if value is not None]
        if given:
            raise ArgumentError(f"{given[0]}: the batch has its own; write_bodies makes another")
        return _simulate(bodies, output, dict(of_program, **numbers))
    title = scene or os.path.basename(os.fspath(output))
    acts.update(numbers, scene=title, pushes=pushes)
    with tempfile.TemporaryDirectory(prefix="impinge-") as where:
        made = os.path.join(where, "bodies.vtkhdf")
        write_bodies(bodies, made, **acts)
        return _simulate(made, output, of_program, {plain(made): plain(named)})


def _simulate(
    batch: Name, output: Name, options: dict, shown: dict[str, str] | None = None
) -> Result:
    """`shown`: what messages say in place of a temporary file."""
    path = os.fspath(batch)
    path = path if os.sep in path else os.path.join(".", path)  # never a scene of the program

    def renamed(text: str) -> str:
        for file, name in (shown or {}).items():
            text = text.replace(file, name)
        return text

    _start("pcs", path, "-o", output, *_words(options), renamed=renamed)
    return cast(Result, open(output))
