"""Distances beside ipctk, trueform, FCL and Coal: bench/python/near.py, in the environment of package.py."""

import package
from programs import Demand

# as bench/python calls them
C, IPCTK, TRUEFORM = "impinge in C", "ipctk.NormalCollisions.build", "trueform.gather_ids_within_distance"
PIPELINE, OBJECTS = "impinge.Pipeline", "impinge.Pipeline, rows objects"
FEATURES, TRIANGLES = "%s, features within %g edges", "%s, triangles of two bodies within a distance"
MEMORY, CONTACTS = "%s, features within %g edges: memory of a process", "%s, triangles within 0.1 edges beside contacts"
GROWTH, LEAST = "%s: growth of time with rows", "%s: least distance of two bodies"
BODIES = ("torus-sphere", "drape", "press")

DEMANDS = [
    Demand(FEATURES % ("cloth-funnel", 0.5), C, IPCTK, "call", 1 / 5),
    Demand(FEATURES % ("rod-twist", 0.1), C, IPCTK, "call", 1 / 5),
    Demand(FEATURES % ("rod-twist", 0.5), C, IPCTK, "call", 1 / 8),
    *(Demand(TRIANGLES % name, PIPELINE, TRUEFORM, "call", 1 / 3) for name in BODIES),
    *(Demand(LEAST % name, OBJECTS, "%s.distance" % peer, "call", 1 / 10) for name in BODIES for peer in ("fcl", "coal")),
    *(Demand(CONTACTS % name, "--distance, 0.1 edges", "contacts", "call", 3) for name in ("cloth-funnel", "rod-twist")),
]
SLOPE, MEGABYTES = 1.1, 300


class Near(package.Package):
    script, option = "near.py", "--job"

    def judge(self, figures):
        """What is not fast enough is a note: the demands are aims so far."""
        faults, notes = super().judge(figures)
        slopes = [x for x in figures if x.column == "slope of call"]
        notes += ["%s: slope %.3f, at most %g is wanted" % (x.table, x.value, SLOPE) for x in slopes]
        most = [x for x in figures if (x.table, x.row) == (MEMORY % ("rod-twist", 0.5), C)]
        notes += ["%s: %.0f MB, at most %d are wanted" % (x.table, x.value, MEGABYTES) for x in most]
        return [], faults + notes


RUN = Near("near", "impinge in distances, beside its peers", "bench_job", [], DEMANDS)
