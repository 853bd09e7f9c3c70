"""Every collision in frames of triangles and tetrahedra, exactly.

    import impinge

    found = impinge.contacts(points, triangles)
    found.a, found.b, found.kind, found.ends

Functions and classes take numpy arrays, or meshes of trimesh, PyVista and meshio, of which a dict names
several, and return numpy arrays: `contacts`, `near` (pairs within a
distance), `contours` (the curves along which triangles meet), `regions` (the parts into which these
cut surfaces), `inside` (vertices inside closed objects), `touches` and `between` for one frame or step, `Pipeline` for many, `Model` for primitives
that are added and removed, `PCS` for rigid bodies that a solver of your own moves from contact to
contact. `inside`, `winding` and `depth` of any points in a
closed mesh; `Solids` for a mesh that is asked again. `pcs` simulates a list of `RigidBody`, or the
links of a URDF file.
`parts` sums pairs with thicknesses up by objects. `convert` makes a batch of other files; `run`,
`info`, `check` and `merge` start the program impinge on VTKHDF files, and `open` reads these. `report`
makes a page of a result, `export` writes it as USD, `events` lists its contacts as events.
Lengths are in the unit of the points.
"""

from ._contacts import Contact, Contacts, Kind, ObjectPair
from ._contours import Contour, Contours
from ._events import Event, EventChange, EventPart, Events, GoneEvent, events
from ._library import (
    ArgumentError,
    Cancelled,
    DeviceError,
    ImpingeError,
    ImpingeWarning,
    InputError,
    MemoryLimitError,
    devices,
    opencl_version,
    version,
)
from ._options import Options
from ._pcs import PCS, Bodies, BodyContact
from ._regions import Parting, Region, Regions
from ._relations import Relation
from ._report import report
from ._thickness import Parts, parts
from ._write import write
from .exporters.verb import export
from .files import Batch, Frame, Result, open
from .importers.urdf import read_urdf
from .importers.verb import convert
from .model import Model
from .pipeline import Pipeline, between, clearance, contacts, contours, near, regions, touches
from .program import check, info, merge, run
from .rigid import Push, RigidBody, write_bodies
from .simulate import pcs
from .solids import Depth, Solids, Winding, depth, inside, winding

__version__ = version()

__all__ = [
    "ArgumentError",
    "Batch",
    "Bodies",
    "BodyContact",
    "Cancelled",
    "Contact",
    "Contacts",
    "Contour",
    "Contours",
    "Depth",
    "DeviceError",
    "Event",
    "EventChange",
    "EventPart",
    "Events",
    "Frame",
    "GoneEvent",
    "ImpingeError",
    "ImpingeWarning",
    "InputError",
    "Kind",
    "MemoryLimitError",
    "Model",
    "ObjectPair",
    "Options",
    "PCS",
    "Parting",
    "Parts",
    "Pipeline",
    "Push",
    "Region",
    "Regions",
    "Relation",
    "Result",
    "RigidBody",
    "Solids",
    "Winding",
    "between",
    "check",
    "clearance",
    "contacts",
    "contours",
    "convert",
    "depth",
    "devices",
    "events",
    "export",
    "info",
    "inside",
    "merge",
    "near",
    "open",
    "opencl_version",
    "parts",
    "pcs",
    "read_urdf",
    "regions",
    "report",
    "run",
    "touches",
    "version",
    "winding",
    "write",
    "write_bodies",
]
