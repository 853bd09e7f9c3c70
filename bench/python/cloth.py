"""A folded cloth: all contacts, beside imp_detect in C; and whether anything meets, beside
ipctk."""

from pathlib import Path

import impinge
import numpy as np
from measure import Detector, alternate, flatten, generate, read, say, timed

C = "imp_detect in C"
PIPELINE, FUNCTION = "impinge.Pipeline.contacts", "impinge.contacts"
TOUCHES, PIPELINE_TOUCHES = "impinge.touches", "impinge.Pipeline.touches"
IPCTK = "ipctk.has_intersections"
ALL = "folded cloth, {:,} triangles: all contacts"
ANY = "folded cloth, {:,} triangles: does anything meet?"
NONE = "smooth cloth, {:,} triangles: does anything meet?"
SMOOTH = ("--set", "gap=1.3", "--set", "crumple=0.2")  # its layers do not touch


def contacts(sheet, folder, size, turns, detect):
    batch = generate(folder / f"cloth-{size}.vtkhdf", "cloth-fold", "-n", size)
    positions, triangles, objects = read(batch)
    points, table = positions[0], ALL.format(len(triangles))
    pipeline = impinge.Pipeline(update="rebuild", device="cpu")
    contestants = {
        PIPELINE: timed(lambda: pipeline.contacts(points, triangles, objects)),
        FUNCTION: timed(lambda: impinge.contacts(points, triangles, objects, device="cpu")),
    }
    program = None
    if detect:
        flatten(folder / "cloth.flat", points, triangles, objects)
        program = Detector(detect, folder / "cloth.flat")
        contestants = {C: program.turn, **contestants}
    found = alternate(contestants, turns)
    if program:
        program.close()
    for name, (times, answer) in found.items():
        sheet.times(table, name, times)
        sheet.count(table, name, "contacts", answer if name == C else len(answer))
    if program and found[C][1] != len(found[PIPELINE][1]):
        sheet.fault(f"{table}: {found[C][1]} in C, {len(found[PIPELINE][1])} in Python")
    expected = of_program(batch)
    for name in (PIPELINE, FUNCTION):
        differs = differing(found[name][1], expected)
        if differs:
            sheet.fault(f"{table}: {name}: {differs} are not those of impinge run")


def of_program(batch):
    """The contacts of frame 0 that the program writes."""
    result = Path(batch).with_suffix(".result")
    impinge.run(batch, result, device="cpu", force=True)
    with impinge.open(result) as frames:
        return frames[0]


def differing(found, expected):
    """The columns that are not the same bits, in words."""
    bits = [
        (name, getattr(found, name).tobytes(), getattr(expected, name).tobytes())
        for name in ("a", "b", "kind", "ends")
    ]
    return ", ".join(name for name, x, y in bits if x != y)


def touches(sheet, folder, size, turns, smooth):
    name = f"smooth-{size}.vtkhdf" if smooth else f"cloth-{size}.vtkhdf"
    batch = generate(folder / name, "cloth-fold", "-n", size, *(SMOOTH if smooth else ()))
    positions, triangles, _ = read(batch)
    points, table = positions[0], (NONE if smooth else ANY).format(len(triangles))
    pipeline = impinge.Pipeline(update="rebuild", device="cpu")
    contestants = {
        TOUCHES: timed(lambda: impinge.touches(points, triangles, device="cpu")),
        PIPELINE_TOUCHES: timed(lambda: pipeline.touches(points, triangles)),
        PIPELINE: timed(lambda: len(pipeline.contacts(points, triangles)) > 0),
        **ipctk_contestant(points, triangles),
    }
    found = alternate(contestants, turns)
    for name, (times, answer) in found.items():
        sheet.times(table, name, times)
        sheet.count(table, name, "yes", answer)
    if len({answer for _, answer in found.values()}) != 1:
        sheet.fault(f"{table}: answers differ")


def ipctk_contestant(points, triangles):
    """The mesh with its edges is made before, and does not count."""
    try:
        import ipctk
    except ImportError:
        say("skipped: no ipctk")
        return {}
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    vertices, faces = np.asfortranarray(points), np.asfortranarray(triangles)
    mesh = ipctk.CollisionMesh(vertices, ipctk.edges(faces), faces)
    return {IPCTK: timed(lambda: ipctk.has_intersections(mesh, vertices))}
