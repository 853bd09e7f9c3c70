"""Points inside closed meshes beside trimesh, igl, trueform, MeshLib and VTK: bench/python/inside.py, in the
environment of package.py."""

import package
from programs import Demand

# as bench/python calls them
INSIDE, DEPTH, NEAREST = "impinge.inside", "impinge.depth", "trueform.winding_number, neighbor_search"
IGL, TRIMESH = "igl.fast_winding_number", "trimesh.contains"
SCENES = (
    "torus-sphere: 3,365 points in 2,474 triangles",
    "press: 1,692 points in 196,020 triangles",
    "drape: 50,176 points in 20,480 triangles",
)
CONTACTS = "drape: rows beside contacts"

DEMANDS = [
    *(Demand(scene, DEPTH, NEAREST, "call", 1 / 5) for scene in SCENES),
    *(Demand(scene, INSIDE, IGL, "call", 1 / 5) for scene in SCENES),
    *(Demand(scene, INSIDE, TRIMESH, "call", 1 / 20) for scene in SCENES),
    Demand(CONTACTS, "vertices inside", "contacts", "call", 2),
]


class Inside(package.Package):
    script, option = "inside.py", None

    def judge(self, figures):
        """What is not fast enough is a note: the demands are aims so far. A wrong answer of impinge is a fault."""
        faults, notes = super().judge(figures)
        wrong = [x for x in figures if x.column in (INSIDE, DEPTH) and x.kind == "count" and x.value]
        return ["%s: %s is wrong for %d points" % (x.row, x.column, x.value) for x in wrong], faults + notes


RUN = Inside("inside", "impinge in closed meshes, beside its peers", None, [], DEMANDS)
