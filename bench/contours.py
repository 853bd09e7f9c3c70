"""Curves along which two bodies meet, and the parts into which they cut surfaces, beside trueform and beside contacts
alone: bench/python/contours.py, in the environment of package.py."""

import package
from programs import Demand

# as bench/python calls them
CONTOURS, CONTACTS, TRUEFORM = "impinge.Pipeline, contours", "impinge.Pipeline.contacts", "trueform.intersection_curves"
REGIONS, PARTS = "impinge.Pipeline, regions", "trueform.mesh_arrangements, components"
SCENES = [
    "%s: curves of two bodies, %s triangles" % scene
    for scene in (("torus-sphere", "9,204"), ("press", "199,400"), ("drape", "119,938"))
]

DEMANDS = [
    *(Demand(scene, CONTOURS, TRUEFORM, "call", 1 / 8) for scene in SCENES),
    *(Demand(scene, CONTOURS, CONTACTS, "call", 1.3) for scene in SCENES),
    *(Demand(scene, REGIONS, PARTS, "call", 0.6) for scene in SCENES),
]


class Contours(package.Package):
    script, option = "contours.py", None


RUN = Contours("contours", "impinge's curves of two bodies, beside trueform", None, [], DEMANDS)
