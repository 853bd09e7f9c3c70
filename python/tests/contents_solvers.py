"""Files for what Exodus, EnSight, d3plot, XDMF and PVD may have."""
# ruff: noqa: E501

import struct

import numpy as np
from contents import section, sort
from contents_vtk import of, poly
from sample import put

POINTS = np.array(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], *[[k % 3, k % 5, k] for k in range(1, 31)]], float
)

# ---- Exodus II: element types of the manual (SAND92-2137, appendix on elements), and its dimensions

BLOCKS = {
    "CIRCLE": (1,), "SPHERE": (1,), "TRUSS": (2, 3), "BAR": (2, 3), "BEAM": (2, 3), "EDGE": (2,),
    "TRI": (3, 4, 6, 7), "TRIANGLE": (3,), "QUAD": (4, 5, 8, 9), "SHELL": (3, 4, 8, 9),
    "TETRA": (4, 8, 10, 14, 15), "PYRAMID": (5, 13, 14), "WEDGE": (6, 15, 18), "HEX": (8, 20, 27),
    "NSIDED": (0,), "NFACED": (0,), "SUPER": (4,),
}  # fmt: skip
COUNTS = {
    "num_node_sets": "node sets", "num_side_sets": "side sets", "num_ed_blk": "edge blocks",
    "num_fa_blk": "face blocks", "num_edge_sets": "edge sets", "num_face_sets": "face sets",
    "num_elem_sets": "element sets", "num_cfr": "coordinate frames", "num_assembly": "assemblies",
    "num_blob": "blobs",
}  # fmt: skip


def exodus_file(where, blocks=(("TRI", 3),), more=None, names=(), dims=None):
    """Blocks of one element each, nodal variables of one step, and other variables."""
    import netCDF4

    path = f"{where}/a.exo"
    sizes = dict(num_dim=3, num_nodes=len(POINTS), num_elem=len(blocks), num_el_blk=len(blocks),
                 len_name=33, time_step=None, **(dims or {}))  # fmt: skip
    sizes.update({"num_nod_var": len(names)} if names else {})
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        for name, size in sizes.items():
            file.createDimension(name, size)
        for k, axis in enumerate("xyz"):
            file.createVariable(f"coord{axis}", "f8", ("num_nodes",))[:] = POINTS[:, k]
        file.createVariable("time_whole", "f8", ("time_step",))[:] = [2.5]
        for k, (kind, nodes) in enumerate(blocks, 1):
            several = kind == "NSIDED"
            of_block = (f"num_el_in_blk{k}", f"num_nod_per_el{k}")
            file.createDimension(of_block[0], 1)
            file.createDimension(of_block[1], nodes or 5)
            of_block = of_block[1:] if several else of_block
            connect = file.createVariable(f"connect{k}", "i4", of_block)
            connect.elem_type = kind
            first = 1 if k == 1 else 4
            connect[:] = np.arange(first, first + (nodes or 5)).reshape(connect.shape)
            if several:
                file.createVariable(f"ebepecnt{k}", "i4", (f"num_el_in_blk{k}",))[:] = [5]
        if names:
            rows = file.createVariable("name_nod_var", "S1", ("num_nod_var", "len_name"))
            for k, name in enumerate(names):
                rows[k] = np.array(list(name.ljust(33, "\0")), "S1")
                moved = file.createVariable(
                    f"vals_nod_var{k + 1}", "f8", ("time_step", "num_nodes")
                )
                moved[0] = np.ones(len(POINTS))
        for name, (dimensions, values) in (more or {}).items():
            file.createVariable(name, "i4", dimensions)[:] = values
    return path


def exodus(where):
    def plain(**options):
        return lambda where: exodus_file(where, **options)

    files, marks = {}, {}
    for kind, sizes in BLOCKS.items():
        for n in sizes:
            word = f"{kind} of {n} nodes" if n else kind
            files[word] = plain(blocks=(("TRI", 3), (kind, n)))
            marks[word] = f"elements {kind}"
    for name, text in COUNTS.items():
        files[text] = plain(dims={name: 1})
    files.update({
        "elem_num_map": plain(more={"elem_num_map": (("num_elem",), [77])}),
        "node_num_map": plain(more={"node_num_map": (("num_nodes",), np.arange(len(POINTS)) + 5)}),
        "eb_status": plain(more={"eb_status": (("num_el_blk",), [1])}),
        "nodal variables disp_x, disp_y, disp_z": plain(names=("disp_x", "disp_y", "disp_z")),
        "nodal variables DISPLX, DISPLY": plain(names=("DISPLX", "DISPLY")),
        "nodal variables displacement_1, displacement_2": plain(names=("displacement_1", "displacement_2")),
        "two sets of displacements": plain(names=("disp_x", "displx")),
        "other nodal variables that begin with displ": plain(names=("displacements",)),
        "other nodal variables": plain(names=("temperature",)),
        "a piece of a decomposed mesh (num_processors)": plain(dims={"num_processors": 4}),
        "other files of the same run (NAME-s0002)": lambda where: (
            put(f"{where}/a.exo-s0002", "x") and exodus_file(where)
        ),
    })  # fmt: skip
    marks.update({
        "two sets of displacements": "'disp_x' and 'displx'",
        "other nodal variables that begin with displ": "'displacements'",
        "a piece of a decomposed mesh (num_processors)": "decomposed",
        "other files of the same run (NAME-s0002)": "others continue",
    })  # fmt: skip
    ignored = ("node_num_map", "eb_status", "other nodal variables")
    text = "Displacements move nodes; blocks share them. SourceId is elem_num_map, else from 1 on."
    moved = [word for word in files if word.startswith("nodal variables")]
    kinds = sort(where, plain(), files, marks, ignored, moved)
    return section("Exodus II: elements, dimensions and variables", text, kinds)


# ---- EnSight: the case file and geometry of EnSight Gold, user manual 10.2, 9.1, and EnSight 6

CASE = "FORMAT\ntype: ensight gold\nGEOMETRY\nmodel: a.geo\n{}"
ONE_CASE = CASE.format("")
GEO = "a\nb\nnode id {}\nelement id {}\npart\n{:10}\nskin\n"
ELEMENTS = {
    "point": 1, "bar2": 2, "bar3": 3, "tria3": 3, "tria6": 6, "quad4": 4, "quad8": 8, "tetra4": 4,
    "tetra10": 10, "pyramid5": 5, "pyramid13": 13, "penta6": 6, "penta15": 15, "hexa8": 8, "hexa20": 20,
}  # fmt: skip


def numbers(values):
    return "".join(f"{x:12.5e}\n" for x in values)


def coordinates(points=POINTS, ids=""):
    return f"coordinates\n{len(points):10}\n{ids}{numbers(np.asarray(points).T.ravel())}"


def element(kind, nodes, first=4, ids=""):
    return f"{kind}\n{1:10}\n{ids}" + "".join(f"{first + k:10}" for k in range(nodes)) + "\n"


TRIA = "tria3\n         1\n         1         2         3\n"
GOLD = GEO.format("off", "off", 1) + coordinates() + TRIA


def ensight_files(where, case=ONE_CASE, geo=GOLD, **others):
    for name, text in others.items():
        put(f"{where}/{name.replace('_', '.')}", text)
    put(f"{where}/a.geo", geo)
    return put(f"{where}/a.case", case)


def ensight(where):
    def plain(**options):
        return lambda where: ensight_files(where, **options)

    def model(line):
        return plain(case=CASE.replace("model: a.geo", line).format(""))

    times = "TIME\ntime set: 1\nnumber of steps: 2\nfilename start number: 0\nfilename increment: 1\ntime values: 0 1\n"
    moving = CASE.replace("a.geo", "1 a*.geo").format(times)
    single = CASE.replace("a.geo", "1 1 a.geo").format(
        times + "FILE\nfile set: 1\nnumber of steps: 2\n"
    )
    steps = "".join(f"BEGIN TIME STEP\n{GOLD}END TIME STEP\n" for _ in range(2))
    ids = "".join(f"{k + 70:10}\n" for k in range(len(POINTS)))
    given = (
        GEO.format("given", "given", 1)
        + coordinates(ids=ids)
        + TRIA.replace("1\n ", "1\n        77\n ", 1)
    )
    block = GEO.format("off", "off", 1) + "{}\n" + "".join(f"{n:10}" for n in (2, 2, 1)) + "\n{}"
    square = [0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0]
    files, marks = {}, {}
    for kind, n in ELEMENTS.items():
        files[kind] = plain(geo=GOLD + element(kind, n))
        files[f"g_{kind}"] = plain(geo=GOLD + element(f"g_{kind}", n))
        if kind in ("tria3", "quad4", "tetra4", "pyramid5", "penta6", "hexa8", "point", "bar2", "bar3"):
            marks[f"g_{kind}"] = "ghost"
    nodes = "".join(f"{k:10}" for k in (4, 5, 6))
    files.update({
        "nsided": plain(geo=GOLD + f"nsided\n{1:10}\n{3:10}\n{nodes}\n"),
        "nfaced": plain(geo=GOLD + f"nfaced\n{1:10}\n"),
        "node id and element id: given": plain(geo=given),
        "extents": plain(geo=GOLD.replace("part\n", f"extents\n{numbers(range(6))}part\n", 1)),
        "block, curvilinear": plain(geo=block.format("block", numbers(square))),
        "block rectilinear": plain(geo=block.format("block rectilinear", numbers([0, 1, 0, 1, 0]))),
        "block uniform": plain(geo=block.format("block uniform", numbers([0, 0, 0, 1, 1, 1]))),
        "block iblanked": plain(geo=block.format("block iblanked", numbers(square))),
        "block with_ghost": plain(geo=block.format("block with_ghost", numbers(square))),
        "block range": plain(geo=block.format("block range", numbers(square))),
        "another keyword of the geometry": plain(geo=GOLD + "frob\n"),
        "C Binary": lambda where: binary(where, False),
        "Fortran Binary": lambda where: binary(where, True),
        "EnSight 6": lambda where: six(where),
        "model:": plain(),
        "model: TIME_SET NAME*": lambda where: ensight_files(
            where, moving, a0_geo=GOLD, a1_geo=GOLD.replace("1.00000e+00", "2.00000e+00", 1)
        ),
        "model: TIME_SET FILE_SET, BEGIN TIME STEP": plain(case=single, geo=steps),
        "model: change_coords_only": model("model: a.geo change_coords_only"),
        "model: changing_geometry_per_part": model("model: a.geo changing_geometry_per_part"),
        "measured:": model("model: a.geo\nmeasured: b.geo"),
        "match:": model("model: a.geo\nmatch: b"),
        "boundary:": model("model: a.geo\nboundary: b"),
        "rigid_body:": model("model: a.geo\nrigid_body: b"),
        "another keyword of GEOMETRY": model("model: a.geo\nfrob: b"),
        "type: master_server gold": plain(case=CASE.format("").replace("ensight gold", "master_server gold")),
        "VARIABLE": plain(case=CASE.format("VARIABLE\nscalar per node: heat a.scl\n")),
        "MATERIAL": plain(case=CASE.format("MATERIAL\nmaterial set number: 1 x\n")),
        "SCRIPTS": plain(case=CASE.format("SCRIPTS\nmetadata: x.xml\n")),
        "TIME: fewer time values than steps": plain(case=moving.replace("values: 0 1", "values: 0")),
        "FILE: filename index, of several files": plain(
            case=single + "filename index: 1\nnumber of steps: 1\nfilename index: 2\n", geo=steps
        ),
        "another section": plain(case=CASE.format("FROB\n")),
    })  # fmt: skip
    marks.update({
        "block iblanked": "iblanked", "block with_ghost": "with_ghost", "block range": "range",
        "another keyword of the geometry": "'frob'", "another keyword of GEOMETRY": "frob:",
        "model: change_coords_only": "change_coords_only", "another section": "'FROB'",
        "model: changing_geometry_per_part": "changing_geometry_per_part", "VARIABLE": "heat",
        "type: master_server gold": "master_server", "TIME: fewer time values than steps": "1 time values of 2",
        "FILE: filename index, of several files": "several files of a file set",
        "model: TIME_SET NAME*": "-",
    })  # fmt: skip
    blocks = [word for word in files if word.startswith("block")]
    kinds = sort(where, plain(), files, marks, ("MATERIAL", "SCRIPTS", "extents"), blocks)
    text = "Ghost elements (g_...) are left out and counted. Parts of Gold share nodes that have numbers."
    return section("EnSight: case file and geometry", text, kinds)


def binary(where, fortran):
    """A triangle. Of Fortran each line, number or array is a record."""
    records = []

    def text(line):
        records.append(line.encode().ljust(80, b"\0"))

    def values(kind, *numbers_):
        records.append(struct.pack(f">{len(numbers_)}{kind}", *numbers_))

    for line in (
        "Fortran Binary" if fortran else "C Binary",
        "a",
        "b",
        "node id off",
        "element id off",
    ):
        text(line)
    text("part"), values("i", 1), text("skin"), text("coordinates"), values("i", len(POINTS))
    for axis in POINTS.T:
        values("f", *axis)
    text("tria3"), values("i", 1), values("i", 1, 2, 3)
    size = [struct.pack(">i", len(r)) if fortran else b"" for r in records]
    put(f"{where}/a.geo", b"".join(s + r + s for s, r in zip(size, records)))
    return put(f"{where}/a.case", CASE.format(""))


def six(where):
    rows = "".join(
        f"{k:8}" + "".join(f"{x:12.5e}" for x in p) + "\n" for k, p in enumerate(POINTS, 7)
    )
    geo = (
        f"a\nb\nnode id given\nelement id given\ncoordinates\n{len(POINTS):8}\n{rows}part 1\nskin\n"
    )
    geo += f"tria3\n{1:8}\n{77:8}{7:8}{8:8}{9:8}\n"
    return ensight_files(where, CASE.format("").replace(" gold", ""), geo)


# ---- d3plot: words of the header, LS-DYNA database manual

WORDS = {
    "FILETYPE": 11, "NDIM": 15, "NEL8": 23, "MAXINT": 36, "NMSPH": 37, "NCFDV1": 48, "NADAPT": 50,
    "NPEFG": 54, "NEL48": 55,
}  # fmt: skip
EXTRA = {
    "NEL20": 64,
    "NEL27": 66,
    "NEL21P": 68,
    "NEL15T": 69,
    "NEL20T": 71,
    "NEL40P": 72,
    "NEL64": 73,
}


def plot(where, words=(), extra=False):
    """lasso's, with other words in its header."""
    import samples

    path = next(samples.d3plot(where)).file
    with open(path, "r+b") as stream:
        for at, value in words:
            stream.seek(4 * at)
            stream.write(struct.pack("<i", value))
    return path


def dyna(where):
    def plain(*words):
        return lambda where: plot(where, words)

    def family(where):
        path = plot(where)
        put(f"{path}aa", "x")
        return path

    files = {
        "NEL4, NUMNP, NARBS: shells, nodes, numbers": plain(),
        "FILETYPE 5, d3part": plain((11, 5)), "FILETYPE 11, d3eigv": plain((11, 11)),
        "NDIM 7, a rigid road surface": plain((15, 7)),
        "NEL8 below 0, solids of 10 nodes": plain((23, -5)),
        "MAXINT -1 to -9999, deleted nodes": plain((36, -3)),
        "NCFDV1, data of several solvers": plain((48, 67108864)),
        "NADAPT, an adapted mesh": plain((50, 3)), "NPEFG, particles of airbags": plain((54, 2)),
        "NEL48, shells of 8 nodes": plain((55, 2)),
        **{f"{name}, solids of more nodes": plain((57, 64), *((64 + k, 0) for k in range(10)), (at, 2))
           for name, at in EXTRA.items()},
        "d3plotaa, of an adaptive run": family,
    }  # fmt: skip
    marks = {word: word.split(",")[0].split(" -")[0].split(" below")[0] for word in files}
    marks["NDIM 7, a rigid road surface"] = "NDIM"
    kinds = sort(where, plain(), files, marks)
    text = "Elements that are deleted in a state, and SPH nodes, are left out and counted; beams are lines."
    return section("d3plot of LS-DYNA: words of the header", text, kinds)


# ---- XDMF: elements and attributes of the model and format, xdmf.org

ITEM = '<DataItem Dimensions="{}" NumberType="{}" Precision="8" Format="XML">{}</DataItem>'
GEOMETRY = f'<Geometry GeometryType="XYZ">{ITEM.format("33 3", "Float", " ".join(map(str, POINTS.ravel())))}</Geometry>'


def topology(kind, corners, more="", count=1):
    flat = ITEM.format(len(corners), "Int", " ".join(map(str, corners)))
    return f'<Topology TopologyType="{kind}" NumberOfElements="{count}" {more}>{flat}</Topology>'


def xdmf_file(*grids, extra="", domains=1):
    body = "".join(grids)
    one = f"<Domain>{body}{extra}</Domain>\n"
    return (
        f'<Xdmf Version="3.0" xmlns:xi="http://www.w3.org/2001/XInclude">\n{one * domains}</Xdmf>'
    )


def uniform(name="a", first=None, more="", geometry=GEOMETRY):
    return f'<Grid Name="{name}" GridType="Uniform">\n{first or topology("Triangle", [0, 1, 2])}{geometry}{more}</Grid>\n'


def collection(kind, *grids, more=""):
    return f'<Grid Name="c" GridType="Collection" CollectionType="{kind}">{more}{"".join(grids)}</Grid>\n'


TOPOLOGIES = {
    "Polyvertex": 1, "Polyline": 2, "Polygon": 3, "Triangle": 3, "Quadrilateral": 4, "Tetrahedron": 4,
    "Pyramid": 5, "Wedge": 6, "Hexahedron": 8, "Edge_3": 3, "Triangle_6": 6, "Quadrilateral_8": 8,
    "Quadrilateral_9": 9, "Tetrahedron_10": 10, "Pyramid_13": 13, "Wedge_15": 15, "Hexahedron_20": 20,
    "Hexahedron_27": 27,
}  # fmt: skip


def xdmf(where):
    def plain(text):
        return of(text, "a.xdmf")

    def one(**options):
        return plain(xdmf_file(uniform(**options)))

    time = '<Time Value="{}"/>'
    moved = GEOMETRY.replace("1.0 0.0", "2.0 0.0", 1)
    include = (
        '<xi:include xpointer="xpointer(/Xdmf/Domain/Grid/*[self::Topology or self::Geometry])"/>'
    )
    files, marks = {}, {}
    for kind, n in TOPOLOGIES.items():
        word = f"TopologyType {kind}"
        more = f'NodesPerElement="{n}"' if kind.startswith("Poly") else ""
        other = topology(kind, range(3, 3 + n), more)
        files[word] = plain(xdmf_file(collection("Spatial", uniform(), uniform("b", other))))
        marks[word] = {"Pyramid": "pyramid", "Wedge": "wedge", "Hexahedron": "hexahedron"}.get(
            kind, word
        )
    square = GEOMETRY.replace("33 3", "4 3").replace(
        " ".join(map(str, POINTS.ravel())), "0 0 0 1 0 0 0 1 0 1 1 0"
    )
    cube = GEOMETRY.replace("33 3", "8 3").replace(
        " ".join(map(str, POINTS.ravel())), "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1"
    )
    structured = '<Topology TopologyType="{}" Dimensions="{}"/>'
    item = ITEM.format("33 3", "Float", " ".join(map(str, POINTS.ravel())))
    slab = ITEM.format("3 2", "Int", "0 0 1 1 33 3") + item
    flat = [" ".join(map(str, axis)) for axis in POINTS.T]
    split = "".join(ITEM.format("33", "Float", axis) for axis in flat)
    attribute = '<Attribute Name="{}" Center="{}" AttributeType="Scalar">{}</Attribute>'
    two = (uniform(more=time.format(0)), uniform(more=time.format(1), geometry=moved))
    files.update({
        "TopologyType Mixed": one(first=topology("Mixed", [4, 0, 1, 2, 5, 3, 4, 5, 6], count=2)),
        "Mixed with an element that is not read": one(first=topology("Mixed", [4, 0, 1, 2, 36, 3, 4, 5, 6, 7, 8], count=2)),
        "TopologyType 2DSMesh": one(first=structured.format("2DSMesh", "2 2"), geometry=square),
        "TopologyType 3DSMesh, of one layer": one(first=structured.format("3DSMesh", "1 2 2"), geometry=square),
        "TopologyType 3DSMesh": one(first=structured.format("3DSMesh", "2 2 2"), geometry=cube),
        "TopologyType 3DRectMesh": one(first=structured.format("3DRectMesh", "2 2 1")),
        "TopologyType 3DCoRectMesh": one(first=structured.format("3DCoRectMesh", "2 2 1")),
        "Topology, BaseOffset": one(first=topology("Triangle", [1, 2, 3], 'BaseOffset="1"')),
        "Topology, Order": one(first=topology("Triangle", [0, 1, 2], 'Order="0 2 1"')),
        "Topology, another NumberOfElements": one(first=topology("Triangle", [0, 1, 2], count=2)),
        "GeometryType XYZ": one(),
        "GeometryType XY": one(geometry=f'<Geometry GeometryType="XY">{ITEM.format("3 2", "Float", "0 0 1 0 0 1")}</Geometry>'),
        "GeometryType X_Y_Z": one(geometry=f'<Geometry GeometryType="X_Y_Z">{split}</Geometry>'),
        "GeometryType VXVYVZ": one(geometry=GEOMETRY.replace("XYZ", "VXVYVZ")),
        "GeometryType ORIGIN_DXDYDZ": one(geometry=GEOMETRY.replace("XYZ", "ORIGIN_DXDYDZ")),
        "another element in Geometry": one(geometry=GEOMETRY.replace("</G", "<Transform/></G")),
        "DataItem, Format HDF": lambda where: heavy(where),
        "DataItem, Format Binary": lambda where: raw(where, ""),
        "Compression Zlib": lambda where: raw(where, 'Compression="Zlib"'),
        "DataItem, ItemType HyperSlab": one(geometry=f'<Geometry><DataItem ItemType="HyperSlab" Dimensions="33 3">{slab}</DataItem></Geometry>'),
        "ItemType Function": one(geometry=f'<Geometry><DataItem ItemType="Function" Function="$0">{item}</DataItem></Geometry>'),
        "ItemType Coordinates": one(geometry=f'<Geometry><DataItem ItemType="Coordinates">{item}</DataItem></Geometry>'),
        "DataItem, Reference": plain(xdmf_file(
            uniform(geometry='<Geometry><DataItem Reference="/Xdmf/Domain/DataItem[@Name=&quot;p&quot;]"/></Geometry>'),
            extra=item.replace("<DataItem", '<DataItem Name="p"'))),
        "other Dimensions than numbers": one(geometry=GEOMETRY.replace("33 3", "32 3")),
        "xi:include of Topology and Geometry": plain(xdmf_file(uniform(), collection("Temporal", *(
            f'<Grid Name="t">{include}{time.format(k)}</Grid>' for k in range(2))))),
        "xi:include, href": one(more='<xi:include href="b.xdmf"/>'),
        "GridType Collection, Temporal": plain(xdmf_file(collection("Temporal", *two))),
        "GridType Collection, Spatial": plain(xdmf_file(collection("Spatial", uniform(), uniform("b", geometry=moved)))),
        "GridType Tree": plain(xdmf_file(collection("Spatial", uniform(), uniform("b")).replace('"Collection" CollectionType="Spatial"', '"Tree"'))),
        "GridType Subset": plain(xdmf_file(uniform().replace('"Uniform"', '"Subset"'))),
        "several Grids in a Domain": plain(xdmf_file(uniform(), uniform("b", geometry=moved))),
        "several Domains": plain(xdmf_file(uniform(), domains=2)),
        "Time, Single": one(more=time.format(2.5)),
        "Time, List": plain(xdmf_file(collection("Temporal", uniform(), uniform(geometry=moved), more='<Time TimeType="List">' + ITEM.format(2, "Float", "0 1") + "</Time>"))),
        "Time, HyperSlab": plain(xdmf_file(collection("Temporal", uniform(), uniform(geometry=moved), more='<Time TimeType="HyperSlab">' + ITEM.format(3, "Float", "0 1 2") + "</Time>"))),
        "Time, Range": one(more='<Time TimeType="Range">' + ITEM.format(2, "Float", "0 1") + "</Time>"),
        "times that are missing in a temporal collection": plain(xdmf_file(collection("Temporal", two[0], uniform()))),
        "Attribute, floats": one(more=attribute.format("heat", "Node", ITEM.format(33, "Float", " ".join("1" * 33)))),
        "Attribute, integers of cells": one(more=attribute.format("PartId", "Cell", ITEM.format(1, "Int", "7"))),
        "Attribute GlobalNodeId": one(more=attribute.format("GlobalNodeId", "Node", ITEM.format(33, "Int", " ".join(map(str, range(33)))))),
        "Set": one(more="<Set/>"),
        "Information": one(more='<Information Name="a" Value="b"/>'),
        "another element in a Grid": one(more="<Frob/>"),
    })  # fmt: skip
    marks.update({
        "Mixed with an element that is not read": "type 36", "Topology, Order": "Order",
        "Topology, another NumberOfElements": "NumberOfElements", "Compression Zlib": "Zlib",
        "TopologyType 3DSMesh": "3DSMesh", "TopologyType 3DRectMesh": "3drectmesh",
        "TopologyType 3DCoRectMesh": "3dcorectmesh", "another element in Geometry": "<Transform>",
        "ItemType Function": "Function", "ItemType Coordinates": "Coordinates",
        "other Dimensions than numbers": "Dimensions", "xi:include, href": "b.xdmf",
        "GridType Subset": "subset", "several Domains": "2 Domains", "Time, Range": "range",
        "times that are missing in a temporal collection": "1 times of 2",
        "Attribute, floats": "heat", "another element in a Grid": "<Frob>",
    })  # fmt: skip
    meshes = ("TopologyType 2DSMesh", "TopologyType 3DSMesh, of one layer", "TopologyType 3DSMesh")
    kinds = sort(where, one(), files, marks, ("Information",), meshes)
    return section("XDMF: elements and attributes", "", kinds)


def heavy(where):
    import h5py

    with h5py.File(f"{where}/b.h5", "w") as file:
        file["p"] = POINTS
    item = '<DataItem Dimensions="33 3" Format="HDF">b.h5:/p</DataItem>'
    return put(f"{where}/a.xdmf", xdmf_file(uniform(geometry=f"<Geometry>{item}</Geometry>")))


def raw(where, more):
    put(f"{where}/b.bin", b"head" + POINTS.astype(">f8").tobytes())
    item = f'<DataItem Dimensions="33 3" Precision="8" Endian="Big" Seek="4" Format="Binary" {more}>b.bin</DataItem>'
    return put(f"{where}/a.xdmf", xdmf_file(uniform(geometry=f"<Geometry>{item}</Geometry>")))


# ---- PVD and .series: ParaView's documentation


def lists(where):
    head = '<VTKFile type="Collection" version="0.1"><Collection>{}</Collection></VTKFile>'
    row = '<DataSet timestep="{}" group="{}" part="{}" file="{}"/>'
    other = poly().replace("0 0 0", "3 0 0", 1)

    def pvd(*rows):
        return of(head.format("".join(rows)), "a.pvd", b_vtp=poly(), c_vtp=other)

    def series(text):
        return of(text, "a.vtp.series", b_vtp=poly())

    entry = '{"files": [{"name": "b.vtp", "time": 0}]}'
    files = {
        "PVD: DataSet, timestep, file": pvd(row.format(2.5, "", 0, "b.vtp")),
        "PVD: part, name, group": pvd(
            row.format(0, "g", 0, "b.vtp"), row.format(0, "g", 1, "c.vtp")
        ),
        "PVD: a file that is missing": pvd(row.format(0, "", 0, "d.vtp")),
        "PVD: another list of files": pvd(row.format(0, "", 0, "d.pvd")),
        "PVD: another element": pvd(row.format(0, "", 0, "b.vtp"), "<Frob/>"),
        ".series: files, name, time": series(entry),
        ".series: an entry without time": series(entry.replace(', "time": 0', "")),
        ".series: a file that is missing": series(entry.replace("b.vtp", "d.vtp")),
    }
    marks = {
        "PVD: a file that is missing": "d.vtp", "PVD: another list of files": "d.pvd",
        "PVD: another element": "<Frob>", ".series: an entry without time": "'time'",
        ".series: a file that is missing": "d.vtp",
    }  # fmt: skip
    kinds = sort(where, pvd(row.format(0, "", 0, "b.vtp")), files, marks)
    return section("PVD and .series of ParaView", "", kinds)
