"""The readers of impinge.convert: which cells they see, in good files and in damaged ones."""

import os
import sys

import impinge
import numpy as np
import samples
from common import folder, main, raises

try:
    import h5py  # noqa: F401
    import meshio
    import pyvista  # noqa: F401
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

from impinge.importers.mesh import join  # noqa: E402
from impinge.importers.readers import open_file  # noqa: E402


def read(path, groups=False, k=0):
    return join(path, open_file(path, groups).read(k))


def shown(mesh):
    """Points, and the corners and the object of each cell."""
    points = "".join(" ".join(f"{x:g}" for x in point) + ";" for point in mesh.points)
    cells = np.split(mesh.corners, mesh.ends[:-1])
    rows = (f"{' '.join(map(str, c))} {mesh.names[o]};" for c, o in zip(cells, mesh.objects))
    return f"{points}|{''.join(rows)}"


def apart(call, path):
    """What a call in a process of its own returns: readers may crash on damaged files."""
    out, into = os.pipe()
    child = os.fork()
    if child:
        os.close(into)
        with os.fdopen(out) as stream:
            said = stream.read()
        status = os.waitpid(child, 0)[1]
        return said or f"signal {os.WTERMSIG(status)}"
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        said = call(path)
    except impinge.ImpingeError as what:
        said = f"error {what}"
    except BaseException as what:
        said = f"exception {what!r}"
    os.write(into, said.encode())
    os._exit(0)


# ---- Gmsh

HEAD2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
HEAD4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
NODES2 = "$Nodes\n4\n7 0 0 0\n1000000000000 1 0 0\n3 0 1 0\n12 0 0 1\n$EndNodes\n"
NODES4 = (
    "$Nodes\n2 4 3 1000000000000\n3 1 0 3\n7\n1000000000000\n3\n0 0 0\n1 0 0\n0 1 0\n"
    "2 1 1 1\n12\n0 0 1 0.5 0.5\n$EndNodes\n"
)
P4 = "0 0 0;1 0 0;0 1 0;0 0 1;|"
NAMES = '$PhysicalNames\n3\n2 1 "skin # of "all""\n3 1 "flesh"\n3 9 "flesh"\n$EndPhysicalNames\n'
ENTITIES = (
    "$Entities\n1 0 2 3\n1 0 0 0 0\n1 0 0 0 1 1 1 1 1 2 4 -5\n2 0 0 0 1 1 1 0 0\n"
    "1 0 0 0 1 1 1 2 1 9 0\n2 0 0 0 1 1 1 1 5 0\n3 0 0 0 1 1 1 0 1 -2\n$EndEntities\n"
)
PARTS = (
    "$PartitionedEntities\n2\n1\n4 1\n0 0 0 2\n5 3 1 2 1 2 0 0 0 1 1 1 1 1 0\n"
    "6 3 1 1 2 0 0 0 1 1 1 0 2 1 -2\n$EndPartitionedEntities\n"
)
ELEMENTS2 = (
    "$Elements\n5\n1 15 2 0 1 7\n5 1 2 1 1 7 12\n9 2 2 1 6 7 1000000000000 3\n"
    "2 4 4 1 1 2 -3 7 1000000000000 3 12\n4 4 2 0 2 12 12 3 7\n$EndElements\n"
)


def elements(*rows):
    return "$Elements\n" + "\n".join([str(len(rows)), *rows]) + "\n$EndElements\n"


GMSH = [
    (
        HEAD2 + NODES2 + ELEMENTS2,
        "0 1 2 physical surface 1;0 1 2 3 physical volume 1;3 3 2 0 volume 2;",
    ),
    (
        NAMES + HEAD2 + NODES2 + ELEMENTS2,
        '0 1 2 skin # of "all";0 1 2 3 flesh;3 3 2 0 volume 2;',
    ),
    (
        HEAD2 + NODES2 + "$Elements 3 1 2 0 7 3 12 1 3 1 0 7 1000000000000 3 12 3 2 1 5 3 12 7 "
        "$EndElements\n",
        "0 2 3 ;0 1 2 3 ;2 3 0 physical surface 5;",
    ),
    (  # an element is in its first group, but two of one group are two
        HEAD2
        + NODES2
        + elements(
            "1 4 2 1 5 7 1000000000000 3 12",
            "2 4 2 2 5 7 1000000000000 3 12",
            "3 4 2 -3 5 3 1000000000000 7 12",
            "4 4 2 1 5 7 1000000000000 3 12",
            "5 4 2 2 6 7 1000000000000 3 12",
            "6 2 2 2 6 7 1000000000000 3",
            "7 2 2 -1 6 3 1000000000000 7",
        ),
        "0 1 2 3 physical volume 1;0 1 2 3 physical volume 1;0 1 2 3 physical volume 2;"
        "0 1 2 physical surface 2;",
    ),
    (
        HEAD4 + NODES4 + "$Elements\n2 3 1 3\n3 0 4 2\n1 7 1000000000000 3 12\n2 12 3 7 7\n"
        "2 4 2 1\n3 3 7 12\n$EndElements\n",
        "0 1 2 3 ;3 2 0 0 ;2 0 3 surface 4;",
    ),
    (
        HEAD4 + NAMES + ENTITIES + NODES4 + "$Elements\n7 8 1 8\n0 1 15 1\n1 7\n2 1 2 1\n"
        "2 7 12 3\n2 2 2 1\n3 7 12 3\n3 1 4 1\n4 7 1000000000000 3 12\n3 2 4 1\n"
        "5 7 1000000000000 3 12\n3 3 4 1\n6 7 1000000000000 3 12\n1 2 8 2\n7 7 12 3\n8 7 3 12\n"
        "$EndElements\n",
        '0 3 2 skin # of "all";0 3 2 surface 2;0 1 2 3 flesh;0 1 2 3 physical volume 5;'
        "0 1 2 3 volume 3;",
    ),
    (
        HEAD4 + NAMES + ENTITIES + PARTS + NODES4 + "$Elements\n2 2 1 2\n3 5 4 1\n"
        "4 7 1000000000000 3 12\n3 6 4 1\n5 7 1000000000000 3 12\n$EndElements\n",
        "0 1 2 3 flesh;0 1 2 3 volume 6;",
    ),
    (  # other sections, comments, ends of lines
        "\n$Comments\r\nmade in C:\\\r\n# 5 $ $$\r\n$EndComments\r\n" + HEAD2 + "# nodes\r\n"
        "$Other\n1\n$EndOther\n" + NODES2 + elements("1 2 0 7 3 12"),
        "0 2 3 ;",
    ),
]

TRIANGLE = elements("1 2 2 0 0 7 3 12")
BAD_GMSH = [
    ("", "without $MeshFormat"),
    ("$MeshFormat\n4 0 8\n$EndMeshFormat\n", "version 4; 2 and 4.1"),
    ("$MeshFormat\n3.1 0 8\n$EndMeshFormat\n", "version 3.1"),
    ("$MeshFormat\n4.1 0\n$EndMeshFormat\n", "$MeshFormat is not complete"),
    (HEAD2, "without $Nodes"),
    ("$Comments\n$EndComments", "without $MeshFormat"),
    (NODES2 + HEAD2, "$Nodes before $MeshFormat"),
    (HEAD2 + TRIANGLE, "without $Nodes"),
    (HEAD2 + "$Other\n1 2 3\n", "within $Other"),
    (HEAD2 + "5\n", "'5' where a section should begin"),
    (HEAD2 + NODES2, "without $Elements"),
    (HEAD2 + NODES2 + NODES2, "$Nodes is there twice"),
    (HEAD2 + NODES2 + TRIANGLE + TRIANGLE, "$Elements is there twice"),
    (HEAD2 + NODES2 + TRIANGLE + NAMES, "$PhysicalNames after $Elements"),
    (HEAD2 + "$Nodes\n2\n5 0 0 0\n5 0 0 1\n$EndNodes\n" + elements("1 15 0 5"), "two nodes 5"),
    (HEAD2 + "$Nodes\n1\n99999999999999999999 0 0 0\n$EndNodes\n", "too large a number"),
    (HEAD2 + "$Nodes\n1\n5 0 0 z\n$EndNodes\n", "z"),
    (HEAD2 + "$Nodes\n1\n5 0 0 0\n6 0 0 0\n$EndNodes\n", "6 where the section should end"),
    (HEAD2 + "$Nodes\n9999999999\n5 0 0 0\n$EndNodes\n", "a count is wrong"),
    (HEAD2 + "$Nodes\n1\n5 0 0 0\n", "within $Nodes"),
    (HEAD4 + "$Nodes\n1 9999999999 1 1\n3 0 0 9999999999\n5\n$EndNodes\n", "a count is wrong"),
    (HEAD4 + "$Nodes\n1 2 1 1\n3 0 0 1\n5\n0 0 0\n$EndNodes\n", "should have 2"),
    (HEAD4 + "$Nodes\n1 1 1 1\n4 0 0 1\n5\n0 0 0\n$EndNodes\n", "an entity of 4 dimensions"),
    (HEAD2 + NODES2 + elements("1 2 2 0 0 7 3 8"), "there is no node 8"),
    (HEAD2 + NODES2 + elements("1 2 2 0 0 7 3 0"), "there is no node 0"),
    (HEAD2 + NODES2 + elements("1 2 2 0 0 7 3"), "a count is wrong"),
    (HEAD2 + NODES2 + elements("1 2 99999999999 0"), "a count is wrong"),
    (HEAD2 + NODES2 + "$Elements\n99999999999\n1 15 0 7\n$EndElements\n", "a count is wrong"),
    (HEAD2 + NODES2 + elements("1 5 2 0 0 7 3 7 3 7 3 7 3"), "1 hexahedron, which is not read"),
    (
        HEAD2 + NODES2 + elements("1 11 2 0 0" + 10 * " 7"),
        "1 quadratic tetrahedron, which is not read",
    ),
    (HEAD2 + NODES2 + elements("1 93 2 0 0 7 3"), "type 93, which is not read"),
    (HEAD2 + NODES2 + elements("1 1 2 0 0 7 3"), "no triangle, polygon or tetrahedron among 4"),
    (
        HEAD4 + NODES4 + "$Elements\n1 1 1 1\n3 0 4 2\n1 7 7 7 7\n2 7 7 7 7\n$EndElements\n",
        "should have 1",
    ),
    (HEAD2 + "$PhysicalNames\n1\n2 1 skin\n$EndPhysicalNames\n", "a name without its quotes"),
    (HEAD4 + "$Entities\n0 0 1\n$EndEntities\n", "a count is wrong"),
]


def test_gmsh():
    with folder() as where:
        for text, want in GMSH:
            mesh = read(samples.put(f"{where}/a.msh", text), True)
            assert shown(mesh) == P4 + want, (text, shown(mesh))
        assert read(samples.put(f"{where}/a.msh", HEAD2 + NODES2 + ELEMENTS2)).skipped == 2


def test_gmsh_bad():
    with folder() as where:
        path = f"{where}/a.msh"
        for text, want in BAD_GMSH:
            what = str(raises(impinge.InputError, read, samples.put(path, text)))
            assert what.startswith(f"{path}: ") and want in what and "\n" not in what, (text, what)


def test_gmsh_numbers():
    """Numbers of nodes in any order, with gaps, or none of that."""
    with folder() as where:
        for first, step in ((1, 1), (0, 1), (40, 1), (5, 1000003), (9000000, -3)):
            tags = [first + k * step for k in range(300)]
            nodes = "".join(f"{tag} {k} 0 0\n" for k, tag in enumerate(tags))
            corners = [tags[k - 3 : k + 1][::-1] for k in range(3, 300)]
            rows = [f"{k} 4 0 {a} {b} {c} {d}" for k, (a, b, c, d) in enumerate(corners)]
            text = f"{HEAD2}$Nodes\n300\n{nodes}$EndNodes\n" + elements(*rows)
            mesh = read(samples.put(f"{where}/a.msh", text))
            want = np.arange(3, 300)[:, None] - np.arange(4)
            assert (mesh.corners.reshape(-1, 4) == want).all() and len(mesh.points) == 300


# ---- legacy VTK

HEAD = "# vtk DataFile Version 3.0\nof some words\nASCII\n"
GRID, POLY = (f"{HEAD}DATASET {kind}\n" for kind in ("UNSTRUCTURED_GRID", "POLYDATA"))
POINTS5 = "POINTS 5 double\n0 0 0 1 0 0\n0 1 0\n0 0 1 1 1\n 0\n"
P5 = "0 0 0;1 0 0;0 1 0;0 0 1;1 1 0;|"
MIXED = "CELLS 2 9\n4 0 1 2 3\n3 2 1 4\n"
TYPES = "CELL_TYPES 2\n10\n5\n"
GRID5 = GRID.replace("3.0", "5.1")
MIXED5 = "CELLS 3 7\nOFFSETS vtktypeint64\n0 4 7 \nCONNECTIVITY vtktypeint64\n0 1 2 3 2 1 4\n"

VTK = [
    (GRID + POINTS5 + MIXED + TYPES, P5 + "0 1 2 3 ;2 1 4 ;"),
    (GRID5 + POINTS5 + MIXED5 + TYPES, P5 + "0 1 2 3 ;2 1 4 ;"),
    (
        GRID + "POINTS 3\nint 0 0 0 1 0\n0 0 1 0 CELLS 1 4 3 0 1\n2 CELL_TYPES 1 5",
        "0 0 0;1 0 0;0 1 0;|0 1 2 ;",
    ),
    (
        GRID + POINTS5 + "CELLS 2 10 4 0 0 0 0 4 3 2 1 1 CELL_TYPES 2 10 10",
        P5 + "0 0 0 0 ;3 2 1 1 ;",
    ),
    (
        GRID + POINTS5 + "CELLS 6 21 1 0 2 0 1 3 0 1 2 4 0 1 4 2 4 0 1 2 4 1 3\n"
        "CELL_TYPES 6 1 3 4 9 8 2",
        P5 + "0 1 4 2 ;0 1 2 4 ;",
    ),
    (
        POLY + POINTS5 + "VERTICES 1 2 1 0\nLINES 1 3 2 0 1\nPOLYGONS 2 9 3 0 1 2 4 0 1 4 2\n"
        "TRIANGLE_STRIPS 1 5 4 0 1 2 4\n",
        P5 + "0 1 2 ;0 1 4 2 ;0 1 2 4 ;",
    ),
    (
        GRID + "FIELD FieldData 2\nTIME 1 1 double\n0.5\nname#1 1 2 string\nPOINTS 7\nCELLS%20\n"
        + POINTS5 + "METADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\n"
        "DATA 2 0 1\n\n" + MIXED + TYPES,
        P5 + "0 1 2 3 ;2 1 4 ;",
    ),
]  # fmt: skip

BAD_VTK = [
    "",
    "# vtk DataFile Version 3.0\n",
    "# vtk DataFile Version 3.0\n\nbin\n",
    HEAD + "POINTS 3 float\n",
    GRID,
    GRID + "POINTS 2 double\n0 0 0\n1 0\n",
    GRID + "POINTS 99999999999999999999 double\n0 0 0\n",
    GRID + "POINTS -1 double\n",
    GRID + "POINTS 1 double\n0 0 x\n",
    GRID + "POINTS 1 double\n0 0 0 0\n",
    GRID + POINTS5 + "POLYGONS 0 0\n",
    GRID + POINTS5 + "CELLS 1 4\n3 0 1 5\nCELL_TYPES 1 5\n",
    GRID + POINTS5 + "CELLS 1 4\n3 0 1 -2\nCELL_TYPES 1 5\n",
    GRID + POINTS5 + "CELLS 1 4\n3 0 1\n",
    GRID + POINTS5 + "CELLS 1 4\n4 0 1 2 3\nCELL_TYPES 1 10\n",
    GRID + POINTS5 + "CELLS 99999999999 9999999999999999\n3 0 1 2\n",
    GRID + POINTS5,
    GRID + POINTS5 + MIXED,
    GRID + POINTS5 + MIXED + "CELL_TYPES 2\n10\n",
    GRID + POINTS5 + MIXED + "CELL_TYPES 2\n10\n10\n",
    GRID + POINTS5 + MIXED + "CELL_TYPES 2\n5\n5\n",
    GRID + POINTS5 + MIXED + "CELL_TYPES 2\n10\n12\n",
    GRID + POINTS5 + MIXED + "CELL_TYPES 2\n99 5\n",
    GRID + POINTS5 + "CELLS 1 3 2 0 1 CELL_TYPES 1 7\n",
    GRID + POINTS5 + "CELLS 1 6 5 0 1 2 3 4 CELL_TYPES 1 9\n",
    GRID5 + POINTS5 + "CELLS 2 3\nOFFSETS vtktypeint64\n0 2\nCONNECTIVITY vtktypeint64\n0 1 2\n",
    GRID5 + POINTS5 + MIXED5.replace("0 4 7", "0 4 8") + TYPES,
    GRID5 + POINTS5 + MIXED5.replace("0 4 7", "5 4 7") + TYPES,
    GRID5 + POINTS5 + MIXED5.replace("2 1 4", "2 1 5") + TYPES,
    POLY + POINTS5 + "POLYGONS 1 3 2 0 1\n",
    GRID + POINTS5 + "CELLS 2 4\n3 0 1 2 3 2 1 0\nCELL_TYPES 2 5 5\n",
    POLY + "FIELD f 99\na 1 1 int\n",
    HEAD + "DATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 2\nORIGIN 0 0 0\nSPACING 1 1 1\n",
    # a whole triangle, and then words that VTK alone says it does not know
    POLY + "POINTS 3 float\n0 0 0 1 0 0 0 1 0\nPOLYGONS 1 4\n3 0 1 2\nNONSENSE 3\n",
]


def test_vtk():
    with folder() as where:
        for text, want in VTK:
            found = shown(read(samples.put(f"{where}/a.vtk", text)))
            assert found == want, (text, found)


def test_vtk_bad():
    """An error that names the file, or a crash, which is one when it comes from the child."""
    with folder() as where:
        crashes = []
        for text in BAD_VTK:
            path = samples.put(f"{where}/a.vtk", text)
            said = apart(lambda path: shown(read(path)), path)
            assert said.startswith((f"error {path}: ", "signal ")), (text, said)
            assert "\n" not in said, said
            if said.startswith("signal"):
                crashes.append(text)
        for text in crashes[:1]:
            path = samples.put(f"{where}/a.vtk", text)
            out = f"{where}/b.vtkhdf"
            what = raises(impinge.InputError, impinge.convert, path, out)
            assert str(what).startswith(f"{path}: its reader ended by signal"), what


def attributes(data):
    """Whatever else a file may hold, names with blanks and the word POINTS among it."""
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkStringArray

    random = np.random.default_rng(5)
    for of, n in (
        (data.GetPointData(), data.GetNumberOfPoints()),
        (data.GetCellData(), data.GetNumberOfCells()),
    ):
        for name, shape in (("a name", (n,)), ("POINTS", (n, 3))):
            array = numpy_to_vtk(random.random(shape), deep=True)
            array.SetName(name)
            of.AddArray(array)
    words = vtkStringArray()
    words.SetName("CELLS")
    for word in ("POINTS 3 double", "", "CELLS 1 1"):
        words.InsertNextValue(word)
    data.GetFieldData().AddArray(words)


def test_attributes():
    """Triangles, tetrahedra, vertices and lines in any order, as VTK writes them."""
    from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid
    from vtkmodules.vtkIOLegacy import vtkUnstructuredGridWriter as Legacy
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter as Xml

    random = np.random.default_rng(4)
    points = random.random((50, 3))
    grid = vtkUnstructuredGrid()
    grid.SetPoints(samples.data(points, []).GetPoints())
    cells = []
    for kind in random.choice([1, 3, 5, 10], 300).tolist():
        cells.append((kind, random.permutation(50)[: {1: 1, 3: 2, 5: 3, 10: 4}[kind]].tolist()))
        grid.InsertNextCell(kind, len(cells[-1][1]), cells[-1][1])
    attributes(grid)
    solid = [cell for cell in cells if cell[0] > 3]
    with folder() as where:
        for version in (42, 51):
            for binary in (False, True):
                writer = Legacy()
                writer.SetFileVersion(version)
                check_mixed(samples.write(writer, grid, f"{where}/a.vtk", binary), solid, points)
        check_mixed(samples.write(Xml(), grid, f"{where}/a.vtu"), solid, points)


def check_mixed(path, solid, points):
    mesh = read(path)
    assert mesh.types.tolist() == [kind for kind, _ in solid]
    assert mesh.corners.tolist() == [k for _, corners in solid for k in corners]
    assert mesh.skipped == 300 - len(solid) and np.allclose(mesh.points, points, 0, 1e-9)


# ---- other kinds of data


def test_structured():
    """A surface is read, cells of a volume are an error that counts them."""
    with folder() as where:
        kinds = ("STRUCTURED_POINTS", "ORIGIN 0 0 0\nSPACING 1 1 1\n", "voxel")
        grid = "".join(f"{x} {y} {z} " for z in range(3) for y in range(3) for x in range(3))
        other = ("STRUCTURED_GRID", f"POINTS 27 double\n{grid}\n", "hexahedr")
        for kind, body, name in (kinds, other):
            text = f"{HEAD}DATASET {kind}\nDIMENSIONS 3 3 3\n{body}"
            what = str(raises(impinge.InputError, read, samples.put(f"{where}/a.vtk", text)))
            assert "8 " + name in what and "which are not read" in what, what
            body = body.replace("27", "9").replace(grid, grid[: 9 * 6])
            text = f"{HEAD}DATASET {kind}\nDIMENSIONS 3 3 1\n{body}"
            mesh = read(samples.put(f"{where}/a.vtk", text))
            assert len(mesh.types) == 4 and set(mesh.types.tolist()) <= {8, 9}
            centres = mesh.points[mesh.corners.reshape(4, 4)].mean(1)
            assert sorted(map(tuple, centres.tolist())) == [
                (x, y, 0) for x in (0.5, 1.5) for y in (0.5, 1.5)
            ]


def test_others():
    """Elements of other kinds are named, by readers of all kinds; decks say the line."""
    points = np.random.default_rng(1).random((20, 3))
    blocks = [("triangle", [[0, 1, 2]]), ("hexahedron20", [range(20)]), ("tetra10", [range(10)])]
    wants = {
        "a.vtu": "1 quadratic tetrahedron, 1 quadratic hexahedron, which are not read",
        "a.inp": "line 27: *ELEMENT: TYPE=C3D20RH, which is not read",
        "a.med": "MAI/H20: elements of type H20, which are not read",
    }
    with folder() as where:
        for name, want in wants.items():
            meshio.Mesh(points, blocks).write(f"{where}/{name}")
            what = str(raises(impinge.InputError, read, f"{where}/{name}"))
            assert what.startswith(f"{where}/{name}: ") and what.endswith(want), what
        meshio.Mesh(points, blocks[:1]).write(f"{where}/b.inp")
        for name in ("b.inp", "a.vtu"):
            what = str(raises(impinge.ArgumentError, read, f"{where}/{name}", True))
            assert f"{name}: --groups" in what and "no groups" in what, what


def test_ghosts():
    """Cells that another piece has as well are not read twice."""
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter

    data = samples.data(samples.P, samples.T)
    ghosts = numpy_to_vtk(np.array([0, 1, 0, 32], np.uint8), deep=True)
    ghosts.SetName("vtkGhostType")
    data.GetCellData().AddArray(ghosts)
    with folder() as where:
        mesh = read(samples.write(vtkXMLPolyDataWriter(), data, f"{where}/a.vtp"))
        assert mesh.corners.tolist() == samples.T[[0, 2]].ravel().tolist() and not mesh.skipped


def test_foam_inside():
    """Inner cells are read where they are tetrahedra, and an error where there is nothing else."""
    with folder() as where:
        (text, _) = list(samples.foam(where))
        mesh = f"{text.file}/constant/polyMesh"
        with open(f"{mesh}/boundary") as stream:
            head = stream.read().split("2\n(")[0]
        samples.put(f"{mesh}/boundary", head + "0\n(\n)\n")
        what = str(raises(impinge.InputError, read, text.file))
        assert "no boundary patch has a face, and its 1 inner cells are not tetrahedra" in what
        two = "7\n(\n3(0 2 1)\n3(0 1 3)\n3(1 2 3)\n3(0 3 2)\n3(4 2 1)\n3(4 1 3)\n3(4 3 2)\n)\n"
        samples.put(f"{mesh}/faces", head + two)
        samples.put(f"{mesh}/owner", head + "7\n(\n0 0 0 0 1 1 1\n)\n")
        samples.put(f"{mesh}/neighbour", head + "3\n(\n-1 -1 1\n)\n")
        found = read(text.file)
        cells = sorted(sorted(c) for c in found.corners.reshape(-1, 4).tolist())
        assert cells == [[0, 1, 2, 3], [1, 2, 3, 4]] and found.names == ["internalMesh"]
        raises(impinge.InputError, read, os.path.dirname(text.file) + "/none")


def test_damaged():
    """Empty files, noise and files cut short: errors that name the file; nothing else is raised."""
    makers = [m for m in samples.MAKERS if m not in (samples.foam, samples.d3plot)]
    counts = {}
    with folder() as where:
        for k, maker in enumerate(makers):
            for sample in maker(f"{where}/{k}") if not os.makedirs(f"{where}/{k}") else ():
                if sample.file.endswith((".vtkhdf", ".obj")):
                    continue
                check_damaged(sample.file, counts)
    assert counts["error"] > 3 * counts.get("signal", 0), counts


def check_damaged(path, counts):
    with open(path, "rb") as stream:
        whole = stream.read()
    random = np.random.default_rng(len(whole))
    noise = random.integers(0, 256, 300, np.uint8).tobytes()
    for damaged in (b"", noise, whole[: len(whole) // 2]):
        samples.put(path, damaged)
        said = apart(lambda path: shown(read(path)), path)
        known = said.startswith((f"error {path}", f"error {os.path.dirname(path)}", "signal "))
        assert known or damaged not in (b"", noise), (path, damaged[:20], said)
        assert not said.startswith("exception"), (path, said)
        counts[said.split()[0]] = counts.get(said.split()[0], 0) + 1


def test_mutations():
    """Readers of this package: whatever is in a file, it is read or an error."""
    random, likely = np.random.default_rng(3), np.frombuffer(b"0123456789 -.\n\0\xff", np.uint8)
    refused = total = 0
    with folder() as where:
        for maker in (samples.stl, samples.ply, samples.gmsh, samples.decks, samples.elements):
            for sample in maker(where):
                if sample.file.endswith(".med"):
                    continue
                whole = np.fromfile(sample.file, np.uint8)
                for _ in range(60):
                    data = whole.copy()
                    at = random.integers(0, len(data), random.integers(1, 6))
                    data[at] = random.choice(likely, len(at))
                    samples.put(sample.file, data.tobytes())
                    total += 1
                    try:
                        read(sample.file)
                    except impinge.InputError as what:
                        assert str(what).startswith(sample.file), what
                        refused += 1
    assert 100 < refused < total - 100, (refused, total)


main(globals())
