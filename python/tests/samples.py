"""Files of many formats, written by other programs or by hand, and what was written."""

import base64
import json
import struct

import numpy as np
from sample import BOTH, CELLS, CELLS2, TET, TIMES, P, Q, Sample, T, halves, put, text
from solvers import d3plot, decks, elements, ensight, exodus, foam, gmsh, xdmf

# ---- VTK


def data(points, cells, kind=None):
    """A vtkPolyData of polygons, or of `kind` an unstructured grid."""
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData, vtkUnstructuredGrid

    made = vtkPolyData() if kind is None else vtkUnstructuredGrid()
    at = vtkPoints()
    at.SetData(numpy_to_vtk(np.ascontiguousarray(points), deep=True))
    made.SetPoints(at)
    of = vtkCellArray()
    for cell in cells:
        of.InsertNextCell(len(cell), [int(k) for k in cell])
    made.SetPolys(of) if kind is None else made.SetCells(kind, of)
    return made


def write(writer, what, path, binary=None):
    if binary is not None:
        (writer.SetFileTypeToBinary if binary else writer.SetFileTypeToASCII)()
    writer.SetFileName(path)
    writer.SetInputData(what)
    assert writer.Write() == 1, path
    return path


def blocks(a, b, names=("lower", "upper")):
    from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet, vtkMultiBlockDataSet

    made = vtkMultiBlockDataSet()
    for k, block in enumerate((a, b)):
        made.SetBlock(k, block)
        made.GetMetaData(k).Set(vtkCompositeDataSet.NAME(), names[k])
    return made


def legacy(where):
    from vtkmodules.vtkIOLegacy import vtkPolyDataWriter, vtkUnstructuredGridWriter

    head = f"# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 7 double\n{text(P)}\n"
    cells = " ".join(f"3 {a} {b} {c}" for a, b, c in T)
    path = put(f"{where}/hand.vtk", f"{head}POLYGONS {len(T)} {4 * len(T)}\n{cells}\n")
    yield Sample(".vtk, ASCII", "by hand", path, [P], CELLS, [0.0])
    for version, dtype in ((42, "f8"), (51, "f8"), (51, "f4")):
        for writer, what, cells in (
            (vtkPolyDataWriter(), data(P.astype(dtype), T), T),
            (vtkUnstructuredGridWriter(), data(P.astype(dtype), TET, 10), TET),
        ):
            writer.SetFileVersion(version)
            kind = what.GetClassName()
            path = write(writer, what, f"{where}/{kind}{version}{dtype}.vtk", True)
            how = f"VTK, {kind}, version {version // 10}.{version % 10}"
            cells = [tuple(c) for c in cells.tolist()]
            yield Sample(".vtk, binary", how, path, [P.astype(dtype)], cells, [0.0])


def xml(where):
    from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter as Poly
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter as Grid

    for dtype in ("f4", "f8"):
        for mode in ("Ascii", "Binary", "Appended"):
            for writer, ending, kind in ((Poly(), ".vtp", None), (Grid(), ".vtu", 5)):
                points = P.astype(dtype)
                if mode == "Ascii":  # as many digits as it writes
                    points = np.round(points * 64) / 64
                getattr(writer, f"SetDataModeTo{mode}")()
                path = write(writer, data(points, T, kind), f"{where}/{mode}{dtype}{ending}")
                yield Sample(f"{ending}, {mode.lower()}", "VTK", path, [points], CELLS)


def other(where):
    """By PyVista's list of VTK's readers."""
    from vtkmodules.vtkIOGeometry import vtkFacetWriter

    short = np.round(P * 16) / 16
    path = f"{where}/a.facet"
    writer = vtkFacetWriter()
    writer.SetFileName(path)
    writer.SetInputData(data(short.astype("f4"), T))
    writer.Write()
    yield Sample(".facet", "VTK", path, [short.astype("f4")], CELLS)


def composite(where):
    from vtkmodules.vtkIOHDF import vtkHDFWriter
    from vtkmodules.vtkIOParallelXML import vtkXMLPPolyDataWriter
    from vtkmodules.vtkIOXML import vtkXMLMultiBlockDataWriter

    both = blocks(data(P, T), data(Q, T))
    path = write(vtkXMLMultiBlockDataWriter(), both, f"{where}/a.vtm")
    yield Sample(".vtm", "VTK", path, [BOTH], CELLS2, None, halves("lower", "upper"))
    nested = blocks(blocks(data(P, T), None, ("in", "none")), data(Q, T), ("out", "other"))
    path = write(vtkXMLMultiBlockDataWriter(), nested, f"{where}/nested.vtm")
    yield Sample(".vtm, nested", "VTK", path, [BOTH], CELLS2, None, halves("out/in", "other"))
    writer = vtkXMLPPolyDataWriter()
    path = write(writer, data(P, T), f"{where}/a.pvtp")
    yield Sample(".pvtp", "VTK", path, [P], CELLS)
    path = write(vtkHDFWriter(), both, f"{where}/blocks.vtkhdf")
    yield Sample("VTKHDF MultiBlock", "VTK", path, [BOTH], CELLS2, None, halves("lower", "upper"))


def series(where):
    from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter as Poly

    frames = [P + t for t in TIMES]
    for k, points in enumerate(frames):
        write(Poly(), data(points, T), f"{where}/s{k}.vtp")
        write(Poly(), data(points + 2, T), f"{where}/u{k}.vtp")
    listed = [{"name": f"s{k}.vtp", "time": t} for k, t in enumerate(TIMES)]
    content = json.dumps({"file-series-version": "1.0", "files": listed})
    path = put(f"{where}/s.vtp.series", content)
    yield Sample(".series", "by hand", path, frames, CELLS, TIMES)
    row = '<DataSet timestep="{}" part="{}" name="{}" file="{}{}.vtp"/>'
    rows = [row.format(t, 0, "", "s", k) for k, t in enumerate(TIMES)]
    head = '<?xml version="1.0"?><VTKFile type="Collection" version="0.1"><Collection>'
    end = "</Collection></VTKFile>"
    path = put(f"{where}/s.pvd", head + "".join(rows) + end)
    yield Sample(".pvd", "by hand", path, frames, CELLS, TIMES)
    rows += [row.format(t, 1, "upper", "u", k) for k, t in enumerate(TIMES)]
    path = put(f"{where}/two.pvd", head + "".join(rows) + end)
    both = [np.concatenate([points, points + 2]) for points in frames]
    names = halves("part 0", "upper")
    yield Sample(".pvd, parts", "by hand", path, both, CELLS2, TIMES, names)


# ---- text and bytes


def stl(where):
    def solid(name, points):
        facets = ["facet normal 0 0 0\nouter loop\n"] * len(T)
        for k, corners in enumerate(points[T]):
            facets[k] += "".join(f"vertex {text(corner)}\n" for corner in corners)
        return f"solid {name}\n" + "endloop\nendfacet\n".join([*facets, ""]) + f"endsolid {name}\n"

    path = put(f"{where}/a.stl", solid("one", P))
    yield Sample(".stl, ASCII", "by hand", path, [P], CELLS)
    path = put(f"{where}/b.stl", solid("one", P) + solid("the other", Q))
    yield Sample(
        ".stl, ASCII, solids", "by hand", path, [BOTH], CELLS2, None, halves("one", "the other")
    )
    flat = [*CELLS, (0, 0, 1)]  # without area
    corners = P.astype("<f4")[np.array(flat)]
    facets = b"".join(bytes(12) + c.tobytes() + bytes(2) for c in corners)
    content = b"solid".ljust(80) + struct.pack("<I", len(flat)) + facets
    path = put(f"{where}/c.stl", content)
    yield Sample(".stl, binary", "by hand", path, [P.astype("f4")], flat)


def ply(where):
    import meshio
    from vtkmodules.vtkIOPLY import vtkPLYWriter

    cells = [*CELLS, (0, 1, 2, 3), (0, 1, 2, 3, 4)]

    def head(form, kind, name):
        return (
            f"ply\nformat {form} 1.0\ncomment property double x\nelement vertex 7\n"
            f"property {kind} x\nproperty uchar red\nproperty {kind} y\nproperty {kind} z\n"
            f"element face {len(cells)}\nproperty list uchar int {name}\nend_header\n"
        )

    rows = "".join(f"{x!r} 9 {y!r} {z!r}\n" for x, y, z in P.tolist())
    faces = "".join(f"{len(c)} {' '.join(map(str, c))}\n" for c in cells)
    path = put(f"{where}/a.ply", head("ascii", "double", "vertex_index") + rows + faces)
    yield Sample(".ply, ASCII, double", "by hand", path, [P], cells)
    for order, name in (("<", "little"), (">", "big")):
        body = b"".join(struct.pack(order + "dBdd", x, 9, y, z) for x, y, z in P.tolist())
        body += b"".join(struct.pack(f"{order}B{len(c)}i", len(c), *c) for c in cells)
        begin = head(f"binary_{name}_endian", "double", "vertex_indices").encode()
        path = put(f"{where}/{name}.ply", begin + body)
        yield Sample(f".ply, binary, {name} endian, double", "by hand", path, [P], cells)
    meshio.Mesh(P, [("triangle", T.astype("i4"))]).write(f"{where}/m.ply")
    yield Sample(".ply, binary, double", "meshio", f"{where}/m.ply", [P], CELLS)
    for binary in (False, True):
        points = P.astype("f4") if binary else (np.round(P * 64) / 64).astype("f4")
        path = write(vtkPLYWriter(), data(points, T), f"{where}/f{binary}.ply", binary)
        form = "binary" if binary else "ASCII"
        yield Sample(f".ply, {form}, float", "VTK", path, [points], CELLS)


def obj(where):
    rows = "".join(f"v {text(p)}\n" for p in P) + "".join(
        f"f {' '.join(str(k + 1) for k in t)}\n" for t in T
    )
    yield Sample(".obj", "by hand", put(f"{where}/a.obj", rows), [P], CELLS)


def gltf(where):
    corners = (P - 1).astype("<f4")
    buffer = corners.tobytes() + T.astype("<u2").tobytes()
    attributes = {"attributes": {"POSITION": 0}, "indices": 1}
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"mesh": 0, "name": "left"},
            {"name": "arm", "translation": [1, 2, 4], "children": [2]},
            {"mesh": 0, "name": "hand", "scale": [2, 2, 2]},
        ],
        "meshes": [{"primitives": [attributes]}],
        "accessors": [
            {
                "bufferView": 0, "componentType": 5126, "count": 7, "type": "VEC3",
                "min": corners.min(0).tolist(), "max": corners.max(0).tolist(),
            },
            {"bufferView": 1, "componentType": 5123, "count": T.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": corners.nbytes},
            {"buffer": 0, "byteOffset": corners.nbytes, "byteLength": 2 * T.size},
        ],
        "buffers": [{"byteLength": len(buffer)}],
    }  # fmt: skip
    moved = 2 * corners.astype("f8") + np.array([1, 2, 4])
    points, names = np.concatenate([corners, moved]), halves("left", "arm/hand")
    chunk = json.dumps(tree).encode()
    chunk += b" " * (-len(chunk) % 4)
    body = struct.pack("<I4s", len(chunk), b"JSON") + chunk
    body += struct.pack("<I4s", len(buffer), b"BIN\0") + buffer
    content = struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body
    path = put(f"{where}/a.glb", content)
    yield Sample(".glb", "by hand", path, [points], CELLS2, None, names)
    uri = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    tree["buffers"][0]["uri"] = uri
    path = put(f"{where}/a.gltf", json.dumps(tree))
    yield Sample(".gltf", "by hand", path, [points], CELLS2, None, names)
    times = np.array(TIMES, "<f4")
    shifts = np.array([[0, 0, 0], [1, 0, 0.5], [1, 2, 0.5]], "<f4")
    buffer += bytes(-len(buffer) % 4)
    views = tree["bufferViews"]
    for data in (times, shifts):
        views.append({"buffer": 0, "byteOffset": len(buffer), "byteLength": data.nbytes})
        buffer += data.tobytes()
    kind = {"componentType": 5126, "count": 3}
    tree["accessors"] += [
        {"bufferView": 2, **kind, "type": "SCALAR", "min": [0.0], "max": [1.25]},
        {"bufferView": 3, **kind, "type": "VEC3"},
    ]
    tree["buffers"] = [{"byteLength": len(buffer), "uri": uri.split(",")[0] + ","
                        + base64.b64encode(buffer).decode()}]  # fmt: skip
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    tree["animations"] = [{"channels": [channel], "samplers": [{"input": 2, "output": 3}]}]
    path = put(f"{where}/b.gltf", json.dumps(tree))
    frames = [np.concatenate([corners + s.astype("f8"), moved]) for s in shifts]
    yield Sample(".gltf, animated", "by hand", path, frames, CELLS2, TIMES, names)


def alembic(where):
    import abc_writer

    points, cells = P.astype("f4"), [cell[::-1] for cell in CELLS]
    shifts = [np.array(shift) for shift in ([2.0, 0, 0], [1, 0, 0.5], [1, 2, 0.5])]
    move = [np.eye(4) + np.pad([shift], ((3, 0), (0, 1))) for shift in shifts]
    path = f"{where}/a.abc"
    with abc_writer.Writer(path) as file:
        sampling = abc_writer.acyclic(TIMES)
        file.mesh("left", [points, points + 1, points + 2], cells, sampling)
        file.mesh("hand", [points], cells, of=file.xform("arm", move, sampling))
    frames = [
        np.concatenate([points + np.float32(k), points + shift]) for k, shift in enumerate(shifts)
    ]
    names = halves("/left", "/arm/hand")
    yield Sample(".abc (Alembic)", "alembic3d", path, frames, CELLS2, TIMES, names)


def caches(where):
    put(f"{where}/a.obj", "".join(f"v {text(p)}\n" for p in P) + "".join(
        f"f {' '.join(str(k + 1) for k in cell)}\n" for cell in CELLS))  # fmt: skip
    frames = [(P + k).astype("f4") for k in range(3)]
    head = struct.pack(">2i3f", 3, len(P), *TIMES)
    path = put(f"{where}/a.mdd", head + b"".join(f.astype(">f4").tobytes() for f in frames))
    yield Sample(".mdd, beside .obj", "by hand", path, frames, CELLS, TIMES)
    head = struct.pack("<12s2i2fi", b"POINTCACHE2\0", 1, len(P), 0.0, 0.5, 3)
    path = put(f"{where}/a.pc2", head + b"".join(f.tobytes() for f in frames))
    yield Sample(".pc2, beside .obj", "by hand", path, frames, CELLS, [0.0, 0.5, 1.0])


def usd_scene(where, name, corners):
    """Written in a function: a stage that is still open would be read in place of its file."""
    import usd_files as made

    of = made.stage(where, name)
    made.mesh(of, "/left", corners, T.tolist())
    made.mesh(of, "/arm/hand", corners, T.tolist())
    made.xform(of, "/arm").AddTranslateOp().Set((1, 2, 4))
    of.Save()
    return f"{where}/{name}"


def usd_moving(where, name, each):
    import usd_files as made

    of = made.stage(where, name, timeCodesPerSecond=4.0)
    made.mesh(of, "/left", each, T.tolist())
    of.Save()
    return f"{where}/{name}"


def usd(where):
    """By usd-core, of which test_usd.py tests more."""
    from pxr import Sdf, UsdUtils

    corners, at = (P - 1).astype("f4"), np.array([[0, 0, 0], [1, 0, 0.5], [1, 2, 0.5]])
    points = np.concatenate([corners, corners.astype("f8") + (1, 2, 4)])
    names = halves("/left", "/arm/hand")
    for name in ("a.usda", "a.usdc", "a.usd"):
        path = usd_scene(where, name, corners)
        yield Sample(f".{name[2:]}", "usd-core", path, [points], CELLS2, None, names)
    path, whole = usd_scene(where, "b.usda", corners), f"{where}/b.usdz"
    assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(path), whole)
    yield Sample(".usdz", "usd-core", whole, [points], CELLS2, None, names)
    each = {4 * time: corners + shift.astype("f4") for time, shift in zip(TIMES, at)}
    path, names = usd_moving(where, "moving.usdc", each), ["/left"] * len(T)
    yield Sample(".usdc, moving", "usd-core", path, list(each.values()), CELLS, TIMES, names)


MAKERS = (
    obj, stl, ply, xml, composite, series, legacy, gltf, usd, alembic, caches, gmsh, elements,
    decks, xdmf, foam, exodus, ensight, d3plot, other,
)  # fmt: skip
