"""Files of formats of simulations, for samples.py."""

import os
import struct

import numpy as np
from sample import BOTH, CELLS, CELLS2, TET, TIMES, P, Sample, T, halves, put, text


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


def decks(where):
    """Parts that are placed, and formats whose files meshio writes."""
    import meshio

    rows = "\n".join(f"{k}, {', '.join(map(repr, p))}" for k, p in enumerate(P.tolist(), 1))
    faces = "\n".join(f"{k}, {a}, {b}, {c}" for k, (a, b, c) in enumerate((T + 1).tolist(), 1))
    part = f"*Part, name=P\n*Node\n{rows}\n*Element, type=S3\n{faces}\n*End Part\n"
    places = "*Instance, name=left, part=P\n*End Instance\n"
    places += "*Instance, name=right, part=P\n2., 2., 2.\n*End Instance\n"
    path = put(f"{where}/b.inp", f"{part}*Assembly, name=A\n{places}*End Assembly\n")
    of = halves("left", "right")
    yield Sample(".inp (Abaqus), instances", "by hand", path, [BOTH], CELLS2, None, of)
    mesh, solid = meshio.Mesh(P, [("triangle", T)]), meshio.Mesh(P, [("tetra", TET)])
    both = meshio.Mesh(P, [("triangle", T), ("tetra", TET)])
    tets = [tuple(t) for t in TET.tolist()]
    for name, of, cells, title in (
        ("a.meshb", both, CELLS + tets, ".meshb (Medit)"),
        ("a.avs", both, CELLS + tets, ".avs (AVS UCD)"),
        ("a.lb8.ugrid", both, CELLS + tets, ".ugrid, binary"),
        ("a.ele", solid, tets, ".ele, .node (TetGen)"),
        ("a.mdpa", mesh, CELLS, ".mdpa (Kratos)"),
    ):
        of.write(f"{where}/{name}")
        yield Sample(title, "meshio", f"{where}/{name}", [P], cells)
    numbers = " ".join(map(str, [*(T + 1).ravel(), *[1] * len(T), *(TET + 1).ravel()]))
    path = put(f"{where}/a.ugrid", f"7 {len(T)} 0 {len(TET)} 0 0 0\n{text(P)}\n{numbers}\n")
    yield Sample(".ugrid, ASCII", "by hand", path, [P], CELLS + tets)
    rows = "".join(f"G {k} {text(p)}\n" for k, p in enumerate(P, 1))
    rows += "".join(f"F T3 {k} {a} {b} {c}\n" for k, (a, b, c) in enumerate(T + 1, 1))
    path = put(f"{where}/a.f3grid", f"* GRIDPOINTS\n{rows}")
    yield Sample(".f3grid (FLAC3D), ASCII", "by hand", path, [P], CELLS)
    mesh.write(f"{where}/a.dat", file_format="tecplot")
    yield Sample(".dat, .tec (Tecplot), ASCII", "meshio", f"{where}/a.dat", [P], CELLS)
    head = 'VARIABLES = "X" "Y" "Z"\n'
    zone = f"ZONE N=7, E={len(T)}, F=FEPOINT, ET=TRIANGLE, STRANDID=1, SOLUTIONTIME="
    frames = [P + t for t in TIMES]
    faces = "\n".join(" ".join(map(str, t)) for t in (T + 1).tolist())
    for time, points in zip(TIMES, frames):
        head += f"{zone}{time}\n" + "\n".join(text(p) for p in points) + f"\n{faces}\n"
    path = put(f"{where}/b.tec", head)
    yield Sample(".tec, solution times", "by hand", path, frames, CELLS, TIMES)


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
