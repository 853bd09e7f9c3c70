#!/usr/bin/env python3
"""The pictures of the gallery: its blocks are executed, and what they bind is drawn by PyVista, off the screen.

pictures.py FOLDER"""

import contextlib
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyvista
from PIL import Image

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/package"))

from pages import Page, at  # noqa: E402

COLOURS = {"base": "slategray", "column": "lightsteelblue", "arm": "lightsteelblue", "tool": "wheat", "workpiece": "salmon"}
RED = {"color": "red", "line_width": 5, "lighting": False}
BAR = {"n_labels": 3, "fmt": "%.2g", "title_font_size": 20, "label_font_size": 18, "color": "black"}
BAR |= {"vertical": True, "position_x": 0.82, "position_y": 0.25, "height": 0.5, "width": 0.08}


def plotter(shape=(1, 1), size=(900, 520)):
    made = pyvista.Plotter(off_screen=True, shape=shape, window_size=size, border=False)
    made.set_background("white")
    made.enable_anti_aliasing("ssaa")
    return made


def part(at, mesh, **how):
    look = {"opacity": 0.45, "smooth_shading": True, "split_sharp_edges": True, "culling": "back", **how}
    at.add_mesh(pyvista.wrap(mesh) if hasattr(mesh, "faces") and not isinstance(mesh, pyvista.DataSet) else mesh, **look)


def seen(at, direction, zoom):
    at.view_vector(direction, (0, 0, 1))
    at.camera.zoom(zoom)


def lines(ends):
    """A line for each contact or pair, (n, 2, 3)."""
    points = np.ascontiguousarray(ends).reshape(-1, 3)
    cells = np.insert(np.arange(len(points)).reshape(-1, 2), 0, 2, axis=1)
    return pyvista.PolyData(points, lines=cells.ravel())


def scene(got):
    at = plotter()
    for name, mesh in got["parts"].items():
        part(at, mesh, color=COLOURS[name], opacity=0.4)
    at.add_mesh(lines(got["scene"].ends), **RED)
    seen(at, (0.35, -1, 0.35), 1.2)
    return at


def frames(got):
    import impinge

    at = plotter((1, 3), (900, 420))
    for column, frame in enumerate((10, 25, 40)):
        at.subplot(0, column)
        points = got["positions"][frame]
        for number, name in enumerate(("tool", "workpiece")):
            faces = got["triangles"][got["objects"] == number]
            part(at, pyvista.PolyData.from_regular_faces(points, faces), color=COLOURS[name])
        found = impinge.contacts(points, got["triangles"], got["objects"], pairs="between")
        if len(found):
            at.add_mesh(lines(found.ends), **RED)
        at.add_text(f"frame {frame}: {len(found)}", font_size=11, color="black")
        at.view_vector((0.35, -1, 0.3), (0, 0, 1))
        at.camera.focal_point, at.camera.position = (0.95, 0.2, 1.75), (3.2, -6.6, 3.7)
    return at


def near(got):
    at = plotter()
    for name in ("column", "arm", "workpiece"):
        part(at, got["parts"][name], color=COLOURS[name])
    drawn = lines(got["near"].ends)
    drawn.cell_data["distance"] = got["near"].distance
    at.add_mesh(drawn, line_width=3, lighting=False, cmap="viridis_r", scalar_bar_args=BAR)
    seen(at, (0.35, -1, 0.2), 1.3)
    return at


def inside(got):
    """Vertices of the scene of a dict are those of its parts, one after another."""
    at = plotter()
    found, tool, work = got["inside"], got["tool"], got["work"]
    depth = np.zeros(len(tool.vertices) + len(work.vertices))
    np.maximum.at(depth, found.vertex, found.depth)
    for mesh, some in ((tool, depth[: len(tool.vertices)]), (work, depth[len(tool.vertices) :])):
        shown = pyvista.wrap(mesh)
        shown.point_data["depth"] = some
        at.add_mesh(shown, scalars="depth", opacity=0.75, cmap="inferno_r", clim=(0, depth.max()), culling="back", scalar_bar_args=BAR)
    seen(at, (0.35, -1, 0.3), 1.3)
    return at


def regions(got):
    at = plotter()
    count = len(got["tool"].faces)
    for mesh, first in ((got["tool"], 0), (got["work"], count)):
        shown = pyvista.wrap(mesh)
        share = np.zeros(len(mesh.faces))
        for region in got["through"]:
            mine = (region.faces >= first) & (region.faces < first + len(mesh.faces))
            np.maximum.at(share, region.faces[mine] - first, np.asarray(region.share)[mine])
        shown.cell_data["through"] = share
        at.add_mesh(shown, scalars="through", opacity=0.6, cmap=["lightsteelblue", "orange"], clim=(0, 1), culling="back", show_scalar_bar=False)
    at.add_mesh(got["curves"].to_pyvista(), **RED)
    seen(at, (0.35, -1, 0.3), 1.3)
    return at


def main(folder):
    page = Page(HERE / "gallery.md")
    with tempfile.TemporaryDirectory() as where, at(where), contextlib.redirect_stdout(sys.stderr):
        for number, block in enumerate(page.blocks):
            if block["info"] == "python":
                page.python(number, block["text"])
                if "found" in page.names:
                    page.names.setdefault("scene", page.names["found"])
    for draw in (scene, frames, near, inside, regions):
        made = draw(page.names).screenshot(return_img=True)
        path = os.path.join(folder, f"{draw.__name__}.png")
        Image.fromarray(made).quantize(96, dither=Image.Dither.NONE).save(path, optimize=True)
        print(path, os.path.getsize(path), "bytes")


if __name__ == "__main__":
    main(sys.argv[1])
