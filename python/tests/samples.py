"""Files of many formats, written by other programs or by hand, and what was written."""

import base64
import json
import os
import struct
from typing import NamedTuple

import numpy as np

random = np.random.default_rng(7)
P = random.random((7, 3)) + 1 / 3
Q = P + 2
T = np.array([[0, 1, 2], [2, 1, 3], [3, 4, 5], [6, 5, 0]])
TET = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [3, 4, 5, 6]])
TIMES = [0.0, 0.5, 1.25]
BOTH = np.concatenate([P, Q])  # of two blocks
CELLS = [tuple(t) for t in T.tolist()]
CELLS2 = CELLS + [tuple(t) for t in (T + 7).tolist()]


class Sample(NamedTuple):
    """`points` of each frame, `cells` as rows of them, `names` of the object of each cell."""

    format: str
    written: str
    file: str
    points: list
    cells: list
    times: object = None
    names: object = None
    groups: bool = False


def halves(a, b):
    return [a] * len(T) + [b] * len(T)


def text(*numbers):
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def put(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(content if isinstance(content, bytes) else content.encode())
    return path


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
    moved = 2 * corners + np.array([1, 2, 4], "f4")
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


# ---- finite elements


def gmsh(where):
    import meshio

    groups = [np.array([1, 1, 2, 2])]
    mesh = meshio.Mesh(
        P,
        [("triangle", T)],
        cell_data={"gmsh:physical": groups, "gmsh:geometrical": groups},
        field_data={"skin": np.array([1, 2])},
    )
    names = ["skin", "skin", "physical surface 2", "physical surface 2"]
    for form, version in (("gmsh22", "2.2"), ("gmsh", "4.1")):
        for binary in (False, True):
            path = f"{where}/{form}{binary}.msh"
            mesh.write(path, file_format=form, binary=binary)
            title = f".msh {version}, {'binary' if binary else 'ASCII'}"
            if version == "4.1":  # meshio writes no groups, and one entity
                of = ["surface 1"] * 4
                yield Sample(title, "meshio", path, [P], CELLS, None, of, True)
            else:
                yield Sample(title, "meshio", path, [P], CELLS, None, names, True)


def elements(where):
    import meshio

    mesh = meshio.Mesh(
        P, [("triangle", T)], cell_sets={"front": [np.array([0, 1])], "back": [np.array([3])]}
    )
    names = ["front", "front", "", "back"]
    mesh.write(f"{where}/a.inp")
    yield Sample(".inp (Abaqus)", "meshio", f"{where}/a.inp", [P], CELLS, None, names, True)
    short = np.round(P * 16) / 16  # fields of eight characters
    rows = "".join(
        f"GRID    {k + 1:8}        {x:8}{y:8}{z:8}\n" for k, (x, y, z) in enumerate(short)
    )
    for k, (a, b, c) in enumerate(T + 1):
        rows += f"CTRIA3  {k + 1:8}{1 + k // 2:8}{a:8}{b:8}{c:8}\n"
    path = put(f"{where}/a.bdf", f"BEGIN BULK\n{rows}ENDDATA\n")
    of = ["property 1"] * 2 + ["property 2"] * 2
    yield Sample(".bdf (Nastran)", "by hand", path, [short], CELLS, None, of, True)
    mesh = meshio.Mesh(P, [("triangle", T), ("tetra", TET)])
    cells = CELLS + [tuple(t) for t in TET.tolist()]
    for ending, title in ((".mesh", "Medit"), (".med", "Salome"), (".vol", "Netgen")):
        mesh.write(f"{where}/a{ending}")
        of = cells[len(T) :] + CELLS if ending == ".med" else cells  # in the order of its names
        yield Sample(f"{ending} ({title})", "meshio", f"{where}/a{ending}", [P], of)
    meshio.Mesh(P, [("triangle", T)]).write(f"{where}/a.off")
    yield Sample(".off", "meshio", f"{where}/a.off", [P], CELLS)
    rows = "\n".join(f"5 {a} {b} {c}" for a, b, c in T)
    points = "\n".join(text(p) for p in P)
    body = f"NDIME= 3\nNELEM= {len(T)}\n{rows}\nNPOIN= 7\n{points}\nNMARK= 0\n"
    yield Sample(".su2", "by hand", put(f"{where}/a.su2", body), [P], CELLS)


def xdmf(where):
    import meshio

    grids = ""
    frames = [P + t for t in TIMES]
    for time, points in zip(TIMES, frames):
        grids += (
            f'<Grid Name="m" GridType="Uniform"><Time Value="{time}"/><Topology '
            f'TopologyType="Triangle" NumberOfElements="{len(T)}"><DataItem Dimensions='
            f'"{len(T)} 3" NumberType="Int" Format="XML">{" ".join(map(str, T.ravel()))}'
            '</DataItem></Topology><Geometry GeometryType="XYZ"><DataItem Dimensions="7 3" '
            f'NumberType="Float" Precision="8" Format="XML">{text(points)}</DataItem></Geometry>'
            "</Grid>"
        )
    head = '<?xml version="1.0"?><Xdmf Version="2.0"><Domain><Grid Name="s" GridType='
    content = f'{head}"Collection" CollectionType="Temporal">{grids}</Grid></Domain></Xdmf>'
    path = put(f"{where}/a.xdmf", content)
    yield Sample(".xdmf, series", "by hand", path, frames, CELLS, TIMES)
    meshio.Mesh(P, [("triangle", T)]).write(f"{where}/b.xdmf")
    yield Sample(".xdmf", "meshio, HDF5", f"{where}/b.xdmf", [P], CELLS)
    here = os.getcwd()
    os.chdir(where)  # it writes its HDF5 file to the current folder
    with meshio.xdmf.TimeSeriesWriter("c.xdmf") as writer:
        writer.write_points_cells(P, [("triangle", T)])
        for time in TIMES:
            writer.write_data(time, point_data={"u": P[:, 0] + time})
    os.chdir(here)
    yield Sample(".xdmf, series", "meshio, HDF5", f"{where}/c.xdmf", [P] * 3, CELLS, TIMES)


def foam(where):
    """A box of which one corner moves, and its six faces in two patches."""
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    box = np.array([(*c, z) for z in (0, 1) for c in corners], float)
    box += 1 / 3
    faces = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    frames = [box + [0, 0, t] * (np.arange(8) == 6)[:, None] for t in TIMES]

    def item(path, kind, body, form="ascii"):
        head = f"FoamFile\n{{\n version 2.0;\n format {form};\n class {kind};\n"
        head += ' arch "LSB;label=32;scalar=64";\n object x;\n}\n// * * * //\n\n'
        put(f"{where}/{path}", head.encode() + (body if isinstance(body, bytes) else body.encode()))

    def vectors(points):
        return f"8\n(\n{''.join(f'({text(p)})' + chr(10) for p in points)})\n"

    rows = "\n".join(f"4({' '.join(map(str, f))})" for f in faces)
    patches = "2\n(\n wall { type wall; nFaces 4; startFace 0; }\n"
    patches += ' "lid(1)" { type patch; nFaces 2; startFace 4; }\n)\n'
    for case in ("text", "binary"):
        item(f"{case}/system/controlDict", "dictionary", "startTime 0;\n")
        item(f"{case}/constant/polyMesh/boundary", "polyBoundaryMesh", patches)
        item(f"{case}/constant/polyMesh/owner", "labelList", "6\n(\n" + "0\n" * 6 + ")\n")
        item(f"{case}/constant/polyMesh/neighbour", "labelList", "0\n(\n)\n")
        put(f"{where}/{case}/a.foam", "")
    item("text/constant/polyMesh/points", "vectorField", vectors(box))
    item("text/constant/polyMesh/faces", "faceList", f"6\n(\n{rows}\n)\n")
    put(f"{where}/text/0/U", "x")
    for time, points in zip(TIMES[1:], frames[1:]):
        item(f"text/{time}/polyMesh/points", "vectorField", vectors(points))
    names = ["wall"] * 4 + ["lid(1)"] * 2
    yield Sample("OpenFOAM, text", "by hand", f"{where}/text", frames, faces, TIMES, names)
    ends, flat = np.arange(0, 25, 4, "<i4"), np.array(faces, "<i4")
    body = b"7\n(" + ends.tobytes() + b")\n24\n(" + flat.tobytes() + b")\n"
    item("binary/constant/polyMesh/faces", "faceCompactList", body, "binary")
    body = b"8\n(" + box.astype("<f8").tobytes() + b")\n"
    item("binary/constant/polyMesh/points", "vectorField", body, "binary")
    path = f"{where}/binary/a.foam"
    yield Sample("OpenFOAM, binary", "by hand", path, [box], faces, None, names)


def exodus(where):
    """By netCDF: two blocks that share points, and displacements."""
    import netCDF4

    path = f"{where}/a.exo"
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.api_version, file.version = np.float32(5.1), np.float32(5.1)
        file.floating_point_word_size, file.file_size = np.int32(8), np.int32(1)
        file.title = "x"
        for name, size in dict(
            len_string=33, len_name=33, four=4, num_dim=3, num_nodes=7, num_elem=4, num_el_blk=2,
            num_el_in_blk1=2, num_nod_per_el1=3, num_el_in_blk2=2, num_nod_per_el2=3,
            num_nod_var=3, time_step=None,
        ).items():  # fmt: skip
            file.createDimension(name, size)
        file.createVariable("time_whole", "f8", ("time_step",))[:] = TIMES
        prop = file.createVariable("eb_prop1", "i4", ("num_el_blk",))
        prop[:] = [1, 2]
        prop.setncattr("name", "ID")
        file.createVariable("eb_status", "i4", ("num_el_blk",))[:] = [1, 1]
        _strings(file, "eb_names", "num_el_blk", ["front", "back"])
        _strings(file, "coor_names", "num_dim", ["x", "y", "z"])
        _strings(file, "name_nod_var", "num_nod_var", ["disp_x", "disp_y", "disp_z"])
        for k, axis in enumerate("xyz"):
            file.createVariable(f"coord{axis}", "f8", ("num_nodes",))[:] = P[:, k]
            moved = file.createVariable(f"vals_nod_var{k + 1}", "f8", ("time_step", "num_nodes"))
            for step, time in enumerate(TIMES):
                moved[step] = P[:, k] * time
        for block in (1, 2):
            of = f"num_el_in_blk{block}", f"num_nod_per_el{block}"
            connect = file.createVariable(f"connect{block}", "i4", of)
            connect.elem_type = "TRI3"
            connect[:] = T[2 * block - 2 : 2 * block] + 1
    frames = [P + P * time for time in TIMES]
    names = ["front", "front", "back", "back"]
    yield Sample(".exo (Exodus)", "netCDF4", path, frames, CELLS, TIMES, names)


def _strings(file, name, of, texts):
    made = file.createVariable(name, "S1", (of, "len_name"))
    for k, one in enumerate(texts):
        made[k] = np.array(list(one.ljust(33, "\0")), "S1")


def ensight(where):
    short = (np.round(P * 16) / 16).astype("f4")
    frames = [np.concatenate([short + np.float32(t), short + np.float32(t + 2)]) for t in TIMES]
    head = "FORMAT\ntype: ensight gold\nGEOMETRY\nmodel: 1 a.****.geo\nTIME\ntime set: 1\n"
    head += "number of steps: 3\nfilename start number: 0\nfilename increment: 1\ntime values: "
    path = put(f"{where}/a.case", head + " ".join(map(str, TIMES)) + "\n")
    for k, points in enumerate(frames):
        body = "a\nb\nnode id off\nelement id off\n"
        for part, name in enumerate(("skin", "bone")):
            body += f"part\n{part + 1:10}\n{name}\ncoordinates\n{7:10}\n"
            body += "".join(f"{x:12.5e}\n" for x in points[7 * part :][:7].T.ravel())
            body += f"tria3\n{len(T):10}\n"
            body += "".join("".join(f"{c + 1:10}" for c in t) + "\n" for t in T)
        put(f"{where}/a.{k:04}.geo", body)
    names = halves("skin", "bone")
    yield Sample(".case (EnSight Gold)", "by hand", path, frames, CELLS2, TIMES, names)


def d3plot(where):
    """By lasso, which leaves the version empty by which VTK finds the order of bytes."""
    from lasso.dyna import ArrayType, D3plot

    base = P.astype("f4")
    frames = [base + np.float32(t) for t in TIMES]
    shells = np.concatenate([T, T[:, 2:]], 1)
    shells[1] = [2, 1, 3, 6]  # a quad, the others are triangles
    plot = D3plot()
    plot.arrays = {
        ArrayType.node_coordinates: base,
        ArrayType.node_ids: np.arange(1, 8),
        ArrayType.element_shell_node_indexes: shells,
        ArrayType.element_shell_part_indexes: np.array([0, 0, 1, 1]),
        ArrayType.element_shell_ids: np.arange(1, 5),
        ArrayType.part_ids: np.array([1, 2]),
        ArrayType.part_titles_ids: np.array([1, 2]),
        ArrayType.part_titles: np.array([b"body".ljust(72), b"plate".ljust(72)]),
        ArrayType.node_displacement: np.stack(frames),
        ArrayType.global_timesteps: np.array(TIMES, "f4"),
        ArrayType.element_shell_is_alive: np.ones((3, 4)),
    }
    os.makedirs(where, exist_ok=True)
    path = f"{where}/d3plot"
    plot.write_d3plot(path, single_file=False)
    with open(path, "r+b") as stream:
        stream.seek(14 * 4)
        stream.write(struct.pack("<f", 971))
    cells = [CELLS[0], (2, 1, 3, 6), *CELLS[2:]]
    names = ["body", "body", "plate", "plate"]
    yield Sample("d3plot (LS-DYNA)", "lasso", path, frames, cells, TIMES, names)


MAKERS = (
    obj, stl, ply, xml, composite, series, legacy, gltf, gmsh, elements, xdmf, foam, exodus,
    ensight, d3plot, other,
)  # fmt: skip
