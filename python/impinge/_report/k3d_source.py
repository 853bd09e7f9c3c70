"""K3D, which draws: its code for the browser, without addresses, and an empty plot."""

from __future__ import annotations

import re
from importlib.resources import files

from .codec import text

ADDRESS = re.compile(r"(?:https?|wss?):\\?/\\?/(?!www\.w3\.org/)")
FONTS = re.compile(r',?url\(fonts/[^)]*\) format\("\w+"\)')
NAMESPACE = re.compile(r"http://(?=www\.w3\.org/)")


def source() -> str:
    """Compressed, in base64. Its addresses are in comments, in texts of errors, and of parts that
    it would fetch for pictures that the page does not have; they lose what makes them addresses.
    So do its fonts in other formats, in files that would be looked for beside the page. Names of
    XML's namespaces stay names: only their spelling changes."""
    code = (files("k3d") / "static" / "standalone.js").read_text("utf-8")
    code = ADDRESS.sub("address:", FONTS.sub("", code))
    return text(NAMESPACE.sub(r"http:\\x2f/", code).encode(), 9)


def plot() -> str:
    """A plot with a triangle, a line and a point, whose arrays view.js replaces."""
    import base64

    import k3d
    import numpy as np

    made = k3d.plot(
        camera_auto_fit=False, grid_auto_fit=False, grid_visible=False, menu_visibility=False,
        colorbar_object_id=-2, axes_helper=1.0, camera_fov=25.0,
    )  # fmt: skip
    zero = np.zeros((3, 3), np.float32)
    made += k3d.mesh(
        zero, [[0, 1, 2]], triangles_attribute=np.zeros(1, np.float32), side="double",
        color_map=np.array(COLOURS, np.float32).ravel(), color_range=[0.0, 1.0], roughness=0.8,
    )  # fmt: skip
    made += k3d.lines(zero[:2], [[0, 1]], indices_type="segment", color=LINE, width=0.01)
    made += k3d.points(zero[:1], point_size=0.01, color=LINE, shader="mesh", mesh_detail=1)
    for number, drawn in enumerate(made.objects, 1):  # not where they are in memory
        drawn.id = number
    return base64.b64encode(made.get_binary_snapshot(9)).decode("ascii")


LINE = 0x0B57D0

#: Of primitives without contacts, and then from few to many: (share, red, green, blue).
COLOURS = [
    (0.0, 0.70, 0.73, 0.77),
    (0.02, 0.70, 0.73, 0.77),
    (0.03, 1.0, 0.86, 0.45),
    (0.4, 0.97, 0.58, 0.22),
    (0.7, 0.85, 0.22, 0.18),
    (1.0, 0.42, 0.04, 0.22),
]


def gradient() -> str:
    """The colours of primitives with contacts, for the legend, in CSS."""
    stops = []
    for at, *rgb in COLOURS[2:]:
        red, green, blue = (int(255 * part) for part in rgb)
        stops.append(f"rgb({red} {green} {blue}) {100 * at:g}%")
    return f"linear-gradient(to right, {', '.join(stops)})"
