"""For type checkers alone: right uses of the package, in which they must find nothing, and wrong ones, each
in a line that ends with "# wrong", in which they must find an error. test_types.py runs them."""

from __future__ import annotations

from pathlib import Path

import impinge
import numpy as np

points = np.zeros((3, 3))
triangles = np.array([[0, 1, 2]])
mesh = (points, triangles)
named = {"arm": mesh, "base": mesh}


def right() -> None:
    found = impinge.contacts(points, triangles, adjacent="test", pairs="between", device=0, broad="tree")
    found.a.sum() + found.ends.max()
    if found.toi is not None:
        found.toi.max()
    found.crossing.sum()
    found[0].a, found[1:].b, len(found), [row.kind for row in found]
    impinge.contacts(named, allowed=[("arm", "base")], object_pairs_exclude=None, contacts="crossing")
    impinge.near(mesh, distance=0.1, rows="features", ring=2).distance.min()
    impinge.between(points, points, triangles, min_separation=0.1, times=(0, 1))
    impinge.Kind(17).at_start, impinge.Kind.AT_START_POINT.word, impinge.Kind.CROSSED
    with impinge.Pipeline(update="keep", on_bad="skip", volume="obb") as pipeline:
        for one in pipeline.frames([points], triangles):
            one.info["time"]
        pipeline.forget()
    with impinge.Model(4, update="auto", pairs="self") as model:
        model.add_vertices(points)
    impinge.write("b.vtkhdf", [points], triangles, names=["a"], times=[0.0], force=True)
    impinge.write(Path("b.vtkhdf"), named)
    with impinge.open(Path("b.vtkhdf")) as file:
        len(file), file.times.max(), file.names.items(), file[-1], file[1:2].names
    with impinge.open("b.vtkhdf") as batch:
        assert isinstance(batch, impinge.Batch)
        batch.bodies(-1)
    impinge.run("b.vtkhdf", "r.vtkhdf", allowed=[("a", 1)], frames=slice(1, 2))
    impinge.report(named, output="page.html", allowed=[("arm", "base")])
    impinge.convert(["a.stl"], "b.vtkhdf", as_="objects", order="given", between="held", samples="range")
    impinge.run("b.vtkhdf", Path("r.vtkhdf"), device="cpu", continuous=True)["contacts"]
    impinge.run("b.vtkhdf", "r.vtkhdf", object_pairs=[("a", 1)], inside=["a"], frames="1:2", mem_limit="1G")
    impinge.report("r.vtkhdf", "page.html", frames=3)
    impinge.report("r.vtkhdf", output="page.html", input="b.vtkhdf")
    impinge.report(points, triangles, output="page.html", names=["a"], distance=0.1)
    impinge.report(named, output=Path("page.html"))


def wrong(pipeline: impinge.Pipeline, found: impinge.Contacts) -> None:
    impinge.contacts(points, triangles, pairs="betwen")  # wrong
    impinge.contacts(points, triangles, adjacent="tset")  # wrong
    impinge.contacts(points, triangles, device=1.5)  # wrong
    impinge.contacts(points, triangles, broad="octree")  # wrong
    impinge.contacts(points, triangles, treads=2)  # wrong
    impinge.contacts(points, triangles, contacts="touching")  # wrong
    impinge.contacts(points, triangles, on_bad=True)  # wrong
    impinge.contacts(points, triangles, solids="yes")  # wrong
    impinge.contacts(points, triangles, mem_limit="1G")  # wrong
    impinge.near(points, triangles, distance="0.1")  # wrong
    impinge.near(points, triangles, distance=1, rows="contacts")  # wrong
    impinge.touches(points, triangles, pairs="selves")  # wrong
    impinge.contours(points, triangles, adjacent=False)  # wrong
    impinge.regions(points, triangles, pairs=2)  # wrong
    impinge.clearance(points, triangles, points, device=[0])  # wrong
    impinge.between(points, points, triangles, stage="candidate")  # wrong
    impinge.Pipeline(update="rebiuld")  # wrong
    impinge.Pipeline(continuous="yes")  # wrong
    impinge.Pipeline(volume="box")  # wrong
    impinge.Model(update="none")  # wrong
    impinge.Model(corners="four")  # wrong
    pipeline.contact(points, triangles)  # wrong
    found.distnce.min()  # wrong
    found.kind_of()  # wrong
    print(impinge.Kind.EDGE)  # wrong
    impinge.convert("a.stl", "b.vtkhdf", as_="object")  # wrong
    impinge.convert("a.stl", "b.vtkhdf", order="sorted")  # wrong
    impinge.convert("a.stl", "b.vtkhdf", between="linear")  # wrong
    impinge.convert("a.stl")  # wrong
    impinge.write(points, triangles)  # wrong
    impinge.write("b.vtkhdf", points, triangles, times=3)  # wrong
    impinge.write("b.vtkhdf", points, triangles, overwrite=True)  # wrong
    impinge.run(points, "r.vtkhdf")  # wrong
    impinge.run("b.vtkhdf", "r.vtkhdf", devise="cpu")  # wrong
    impinge.run("b.vtkhdf", "r.vtkhdf", pairs="between objects")  # wrong
    impinge.run("b.vtkhdf", "r.vtkhdf", distance="near")  # wrong
    impinge.report(points, triangles, output="page.html", contact="crossing")  # wrong
    impinge.open(None)  # wrong
    impinge.report("r.vtkhdf")  # wrong
    impinge.report("r.vtkhdf", "page.html", colour=1)  # wrong
