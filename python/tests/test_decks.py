"""Decks of many forms (decks.py): what they say is read, all of it, or there is an error."""

import os
import sys

import impinge
import numpy as np
from common import folder, main, raises
from contents import convert
from decks import make
from sample import put

try:
    import h5py
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

from impinge.importers import notes  # noqa: E402
from impinge.importers.mesh import join  # noqa: E402
from impinge.importers.readers import open_file  # noqa: E402

SEED = int(os.environ.get("IMPINGE_DECKS_SEED", "1"))
COUNT = int(os.environ.get("IMPINGE_DECKS", "500"))


def read(path):
    """Points of each cell."""
    mesh = join(path, open_file(path, False).read(0))
    return [mesh.points[c] for c in np.split(mesh.corners, mesh.ends[:-1])]


def key(cell):
    return (len(cell), *np.round(np.asarray(cell, float), 6).ravel().tolist())


def same(one, other):
    """The same cells, in any order, each with its corners in theirs."""
    if len(one) != len(other):
        return False
    pairs = zip(sorted(one, key=key), sorted(other, key=key))
    return all(np.shape(a) == np.shape(b) and np.allclose(a, b, 0, 1e-9) for a, b in pairs)


def check(where, seed):
    """What became of a deck: "read" or "refused"."""
    deck = make(seed)
    for name, content in deck.files.items():
        put(f"{where}/{name}", content)
    path = f"{where}/a{deck.ending}"
    shown = f"IMPINGE_DECKS_SEED={seed} IMPINGE_DECKS=1, {path}: {deck.what}\n{deck.files}"
    notes.forget()
    try:
        found = read(path)
    except impinge.InputError as what:
        assert str(what).startswith(f"{where}/") and "\n" not in str(what), (str(what), shown)
        assert deck.cells is None, f"{what}\n{shown}"
        return "refused"
    assert deck.cells is not None, f"read, and should not be: {shown}"
    assert same(found, deck.cells), f"{len(found)} cells, not {deck.cells}\n{found}\n{shown}"
    return "read"


def test_decks():
    counts = {"read": 0, "refused": 0}
    with folder() as where:
        for seed in range(SEED, SEED + COUNT):
            counts[check(where, seed)] += 1
    if COUNT >= 500:
        assert min(counts.values()) > COUNT / 4, counts


# ---- what a mesh has besides its cells

BOX = "1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"
TREE = f"""*Part, name=P
*Node
{BOX}*Element, type=S3, elset=lower
10, 1, 2, 3
*Element, type=C3D4
20, 1, 2, 3, 4
*Elset, elset=solid, internal
20
*End Part
*Assembly, name=A
*Instance, name=I-1, part=P
*End Instance
*Instance, name=I-2, part=P
0, 0, 5
*End Instance
*Node
1, 9, 9, 9
*Element, type=S3
30, I-1.1, I-2.1, 1
*Element, type=CONN3D2
31, I-1.1, I-2.1
*Elset, elset=both, instance=I-2
20
*End Assembly
"""
SU2 = """NDIME= 3
NELEM= 1
10 0 1 2 3 0
NPOIN= 4
0 0 0
1 0 0
0 1 0
0 0 1
NMARK= 2
MARKER_TAG= wall
MARKER_ELEMS= 1
5 0 1 2
MARKER_TAG= far
MARKER_ELEMS= 1
5 0 1 3
"""
MSH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
3
1 0 0 0
2 1 0 0
3 0 1 0
$EndNodes
$Elements
3
7 15 2 0 1 1
900 2 2 1 5 1 2 3
30 2 2 2 5 1 2 3
$EndElements
"""
GRIDS = "GRID,1,,0.,0.,0.\nGRID,2,,1.\nGRID,3,,,1.\nGRID,4,,,,1.\n"
BDF = f"{GRIDS}CTRIA3,40,7,1,2,3\nCTETRA,8,2,1,2,3,4\nCBAR,9,1,1,2,0.,0.,1.\n"
TEC = 'VARIABLES = "X" "Y"\n'
ROWS = "0 0\n1 0\n0 1\n1 2 3\n"


def whole(path, groups=False):
    notes.forget()
    source = open_file(path, groups)
    meshes = [join(path, source.read(k), True) for k in range(len(source.times or [0]))]
    return source.times, meshes


def objects(mesh):
    return [mesh.names[k] for k in mesh.objects]


def test_names_and_ids():
    """Objects and groups of each format, and what the file calls its elements."""
    cases = (
        (".inp", TREE, False, ["I-1", "I-1", "I-2", "I-2", ""], [10, 20, 10, 20, 30], 1),
        (
            ".inp",
            TREE,
            True,
            ["I-1/lower", "I-1", "I-2/lower", "I-2/both", ""],
            [10, 20, 10, 20, 30],
            1,
        ),
        (".bdf", BDF, False, ["", ""], [40, 8], 0),
        (".bdf", BDF, True, ["property 7", "property 2"], [40, 8], 0),
        (".su2", SU2, True, ["", "wall", "far"], [0, 1, 2], 0),
        (".msh", MSH, True, ["physical surface 1"], [900], 1),
    )
    with folder() as where:
        for ending, content, groups, names, ids, thin in cases:
            _, (mesh,) = whole(put(f"{where}/a{ending}", content), groups)
            assert objects(mesh) == names and mesh.ids.tolist() == ids, (objects(mesh), mesh.ids)
            assert mesh.skipped == thin
        path = put(f"{where}/a.inp", TREE)
        _, (mesh,) = whole(path)
        joint = mesh.corners[-3:]
        assert mesh.points[joint].tolist() == [[0, 0, 0], [0, 0, 5], [9, 9, 9]]
        assert joint[0] == mesh.corners[0] and joint[1] == mesh.corners[7], "nodes are shared"


TWO = "0 0 0{0}\n1 0 0{0}\n0 1 0{0}\n0 0 1{0}\n"  # points, with what each line ends with
MEDIT = (
    f"MeshVersionFormatted 2\nDimension 3\nVertices 4\n{TWO.format(' 0')}Triangles 2\n1 2 3 4\n"
    "1 2 4 5\nEnd\n"
)
FLAC3D = (
    "G 1 0 0 0\nG 2 1 0 0\nG 3 0 1 0\nG 4 0 0 1\nF T3 1 1 2 3\nF T3 2 1 2 4\n"
    'FGROUP "a"\n1\nFGROUP "b"\n2\n'
)
MSH2 = (
    f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
    "$EndNodes\n$Elements\n2\n1 2 2 1 1 1 2 3\n2 2 2 2 1 1 2 4\n$EndElements\n"
)
AVS = f"4 2 0 0 0\n{''.join(f'{k} {row}' for k, row in enumerate(TWO.format('').splitlines(True), 1))}"
AVS += "1 1 tri 1 2 3\n2 2 tri 1 2 4\n"


def test_groups_are_said():
    """Groups that are not told apart are named, whatever format has them."""
    cases = (
        (".bdf", BDF, "property 2, property 7"),
        (".inp", TREE, "lower, both"),
        (".su2", SU2, "wall, far"),
        (".mesh", MEDIT, "reference 4, reference 5"),
        (".f3grid", FLAC3D, "a, b"),
        (".msh", MSH2, "physical surface 1, physical surface 2"),
        (".avs", AVS, "material 1, material 2"),
    )
    with folder() as where:
        for ending, content, names in cases:
            path = put(f"{where}/a{ending}", content)
            _, said = convert(path, where)
            want = f"{path}: 2 groups not told apart: {names}; --groups makes objects of them"
            assert want in said, (want, said)
            _, said = convert(path, where, groups="")
            assert "told apart" not in said, said


def test_repeats():
    """A quad with a corner twice is a triangle, and keeps its number and its group."""
    deck = "*NODE\n" + BOX + "*ELEMENT, TYPE=S4, ELSET=E\n7,1,2,3,3\n8,4,1,2,4\n9,1,2,3,4\n"
    with folder() as where:
        _, (mesh,) = whole(put(f"{where}/a.inp", deck), True)
        assert mesh.types.tolist() == [5, 5, 9] and mesh.ids.tolist() == [7, 8, 9]
        assert mesh.corners.tolist() == [0, 1, 2, 3, 0, 1, 0, 1, 2, 3]
        assert objects(mesh) == ["E"] * 3


def test_warnings():
    """What is left out is counted in one line, by its keyword."""
    deck = (
        "*HEADING\na title\n*NODE\n" + BOX + "*MATERIAL, NAME=M\n*ELASTIC\n1,2\n*MATERIAL, NAME=N\n"
    )
    deck += "*ELEMENT, TYPE=S3\n1,1,2,3\n"
    with folder() as where:
        path = put(f"{where}/a.inp", deck)
        whole(path)
        want = f"{path}: left out, as it is no surface or solid: 2 *MATERIAL, *ELASTIC"
        assert notes.lines() == [want], notes.lines()
        whole(put(f"{where}/a.bdf", BDF))
        assert notes.counts() == {"CBAR": 1}
        whole(put(f"{where}/b.bdf", GRIDS + "CTRIA3,40,7,1,2,3\n"))
        assert notes.lines() == [], notes.lines()


def test_solution_times():
    """Zones of several times are frames; those without one are in all of them."""
    zone = "ZONE N=3, E=1, F=FEPOINT, ET=TRIANGLE"
    still = f'{zone}, T="floor"\n{ROWS}'
    at = f'{zone}, T="cloth %d", STRANDID=1, SOLUTIONTIME=%g\n{ROWS}'
    other = f'{zone}, T="ball", STRANDID=2, SOLUTIONTIME=%g\n{ROWS}'
    with folder() as where:
        path = put(f"{where}/a.dat", TEC + at % (1, 0.5) + still + at % (2, 0.25))
        times, meshes = whole(path)
        assert times == [0.25, 0.5]
        assert [sorted(objects(mesh)) for mesh in meshes] == [["cloth 1", "floor"]] * 2
        path = put(f"{where}/a.dat", TEC + at % (1, 0.5) + other % 0.5 + at % (2, 1))
        what = str(raises(impinge.InputError, whole, path))
        assert f"{path}: line " in what and "strand 2 has no zone at the time 1" in what, what
        path = put(f"{where}/a.dat", TEC + still + still)
        times, (mesh,) = whole(path)
        assert times is None and objects(mesh) == ["floor", "floor (2)"]
        listed = TEC + at % (1, 3)
        times, (mesh,) = whole(put(f"{where}/a.dat", listed))
        assert times == [3] and objects(mesh) == [""] and mesh.points[1].tolist() == [1, 0, 0]


def test_zones_of_one_name():
    """A strand is one body at all times, in whatever order its zones are in the file."""
    zone = 'ZONE N=3, E=1, F=FEPOINT, ET=TRIANGLE, T="a"'
    strands = [f"{zone}, STRANDID={n}, SOLUTIONTIME={t}\n{ROWS.replace('1 0', f'{n} 0', 1)}"
               for t, n in ((0, 5), (0, 6), (1, 6), (1, 5))]  # fmt: skip
    loose = [f"{zone}, SOLUTIONTIME={t}\n{ROWS.replace('1 0', '9 0', 1)}" for t in (0, 1)]
    with folder() as where:
        content = TEC + strands[0] + loose[0] + strands[1] + loose[1] + "".join(strands[2:])
        _, meshes = whole(put(f"{where}/a.tec", content))
        for mesh in meshes:
            corners = mesh.points[mesh.corners.reshape(-1, 3)[:, 1], 0].tolist()
            names = {5: "a", 6: "a (2)", 9: "a (3)"}
            assert len(corners) == 3 and objects(mesh) == [names[x] for x in corners], mesh


def test_variables_again():
    """Other variables would move the zones before; the same ones do not."""
    zone = f"ZONE N=3, E=1, F=FEPOINT, ET=TRIANGLE\n{ROWS}"
    with folder() as where:
        path = put(f"{where}/a.tec", TEC + zone + TEC + zone)
        _, (mesh,) = whole(path)
        assert len(mesh.types) == 2
        put(path, TEC + zone + 'VARIABLES = "Y" "X"\n' + zone)
        what = str(raises(impinge.InputError, whole, path))
        assert f"{path}: line 7: VARIABLES: other ones than before, which is not read" in what, what
        put(path, 'VARIABLES = "Y" "X"\n' + TEC + zone)
        assert whole(path)[1][0].points[1].tolist() == [1, 0, 0]


def test_empty_zones():
    """A body that has no cell at a time is a zone without points."""
    zone = "ZONE N={}, E={}, ET={}, F={}, STRANDID=1, SOLUTIONTIME={}\n{}"
    with folder() as where:
        for packing in ("FEPOINT", "FEBLOCK"):
            for kind in ("TRIANGLE", "LINESEG"):
                content = TEC + zone.format(3, 1, "TRIANGLE", "FEPOINT", 0, ROWS)
                content += zone.format(0, 0, kind, packing, 1, "")
                times, meshes = whole(put(f"{where}/a.tec", content))
                assert times == [0, 1] and [len(mesh.types) for mesh in meshes] == [1, 0]
                assert [mesh.skipped for mesh in meshes] == [0, 0]
        path = put(f"{where}/a.tec", TEC + zone.format(0, 0, "TRIANGLE", "FEPOINT", 0, ""))
        what = str(raises(impinge.InputError, read, path))
        assert f"{path}: no triangle, polygon or tetrahedron among 0 points" in what, what


def test_unsorted_sets():
    """*NFILL goes from node to node of its sets: ascending, or as they are in an UNSORTED one."""
    nodes = "*NODE\n1,0,0,0\n2,1,0,0\n11,1,4,0\n12,0,4,0\n"
    deck = nodes + "{}*NSET, NSET=HIGH{}\n12, 11\n*NFILL\nLOW, HIGH, 2, 100\n"
    deck += "*ELEMENT, TYPE=S3\n1, 1, 2, 101\n"
    low = "*NSET, NSET=LOW\n2, 1\n"
    again, part = "*NSET, NSET=LOW, UNSORTED\n2\n", "*NSET, NSET=LOW\n2\n"
    with folder() as where:
        path = f"{where}/a.inp"
        unsorted = low.replace("LOW", "LOW, UNSORTED")
        for sets, order, middle in (
            (low, "", [0.5, 2, 0]),  # node 101 is between 1 and 11
            (low, ", UNSORTED", [0, 2, 0]),  # 1 and 12
            (unsorted, "", [0, 2, 0]),  # 1 and 12, as 2 and 11 come first
            (unsorted, ", UNSORTED", [0.5, 2, 0]),
        ):
            _, (mesh,) = whole(put(path, deck.format(sets, order)))
            assert mesh.points[mesh.corners[2]].tolist() == middle, (sets, order)
        inner = "*NSET, NSET=IN\n2, 1\n*NSET, NSET=LOW, UNSORTED\nIN\n"  # IN is 1, 2
        _, (mesh,) = whole(put(path, deck.format(inner, "")))
        assert mesh.points[mesh.corners[2]].tolist() == [0.5, 2, 0]
        for sets, want in (
            (unsorted + again, "UNSORTED with a node twice"),
            (part + again, "of which a part is UNSORTED"),
        ):
            what = str(raises(impinge.InputError, whole, put(path, deck.format(sets, ""))))
            assert "*NFILL: set LOW" in what and want in what, what


def test_offsets():
    """Shells of Nastran that are off their nodes are read at their nodes, and counted."""
    with folder() as where:
        path = f"{where}/a.bdf"
        for rows, count in (
            ("CTRIA3,1,1,1,2,3,,0.5\n", 1),
            ("CTRIAR,1,1,1,2,3,30.,-.5\nCTRIA3,2,1,1,2,4,,1.-3\n", 2),
            ("CQUAD4,1,1,1,2,3,4,,0.5\n", 1),
            ("CQUADR,1,1,1,2,3,4,,TOP\n", 1),
            ("CTRIA3,1,1,1,2,3,30.,0.\n", 0),
            ("CTRIA3,1,1,1,2,3,30.\n", 0),
            ("CQUAD4,1,1,1,2,3,4,30.,0.0\n", 0),
            ("CSHEAR,1,1,1,2,3,4\n", 0),
        ):
            whole(put(path, GRIDS + rows))
            assert notes.counts() == ({"ZOFFS": count} if count else {}), (rows, notes.counts())


def med(path, steps, families=()):
    """Steps: number, time, points or None, cells by kind or None."""
    with h5py.File(path, "w") as file:
        mesh = file.create_group("ENS_MAA/m")
        mesh.attrs.update({"ESP": 3, "TYP": 0, "REP": 0})
        for number, time, points, kinds in steps:
            step = mesh.create_group(f"{number:020}{-1:020}")
            step.attrs.update({"NDT": number, "NOR": -1, "PDT": time})
            if points is not None:
                step["NOE/COO"] = np.ravel(points, "F")
            for kind, (rows, marks) in (kinds or {}).items():
                data = step.create_dataset(f"MAI/{kind}/NOD", data=np.ravel(rows, "F"))
                data.attrs["NBR"] = len(rows)
                step[f"MAI/{kind}/FAM"] = marks
        for number, name, group in families:
            family = file.create_group(f"FAS/m/ELEME/{name}")
            family.attrs["NUM"] = number
            family["GRO/NOM"] = np.frombuffer(group.encode().ljust(80, b"\0"), np.int8)[None]
    return path


def test_med():
    """Steps of which only the coordinates change, in the order of their numbers; families."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    cells = {"TR3": ([[1, 2, 3], [1, 2, 4]], [-1, 0]), "SE2": ([[1, 2]], [0])}
    with folder() as where:
        steps = [(10, 2.5, points + 10, None), (2, 0.5, points + 2, None), (1, 0, points, cells)]
        path = med(f"{where}/a.med", steps, [(-1, "F_1", "lower")])
        times, meshes = whole(path, True)
        assert times == [0, 0.5, 2.5]
        for mesh, shift in zip(meshes, (0, 2, 10)):
            assert (mesh.points == points + shift).all() and mesh.skipped == 1
            assert mesh.corners.tolist() == [0, 1, 2, 0, 1, 3] and objects(mesh) == ["lower", ""]
        assert objects(whole(path)[1][0]) == ["", ""]


BAD = (
    (".inp", "*NODE\n1,0,0,0\n1,0,0,1\n*ELEMENT,TYPE=S3\n1,1,1,1\n", "two nodes 1"),
    (".inp", "*NODE\n" + BOX + "*ELEMENT,TYPE=S3\n1,1,2,3\n1,1,2,4\n", "two elements 1"),
    (".inp", "*NODE\n" + BOX + "*ELEMENT,TYPE=S3\n1,1,2,3,4\n", "line 7: *ELEMENT: 4 nodes"),
    (".inp", "*NODE\n" + BOX + "*ELEMENT,TYPE=S4\n1,1,2,3\n", "line 7: *ELEMENT: 3 nodes"),
    (".inp", "*NODE\n" + BOX + "*ELEMENT\n1,1,2,3\n", "line 6: *ELEMENT: without TYPE="),
    (".inp", "*NODE\n1,0,0,nan\n", "line 2: *NODE: "),
    (".inp", "*NODE\n1_0,0,0,0\n", "line 2: *NODE: "),
    (".inp", "*NODE\n1,0,<x>,0\n", "line 2: *NODE: "),
    (".inp", "*PART,NAME=P\n*NODE\n", "within part P"),
    (".inp", "*INCLUDE, INPUT=none.txt\n", "line 1: "),
    (".inp", "*INCLUDE, INPUT=a.inp\n", "includes itself"),
    (".inp", "1,0,0,0\n", "line 1: data before a keyword"),
    (".inp", "*NODE\n1,0\n5,1\n*NGEN\n1,5,3\n", "line 5: *NGEN: from 1 to 5"),
    (".inp", "*EL\n", "line 1: *EL is no keyword"),
    (".bdf", "GRID,1,5,0.\nCTRIA3,1,1,1,1,1\n", "line 1: GRID: there is no system"),
    (".bdf", "CORD2R,5,5,0.,0.,0.,0.,0.,1.\n,1.\nGRID,1,5,0.\n", "line 1: CORD2R: system 5 is"),
    (".bdf", "GRID,1,,0.\nGRID,1,,1.\n", "two nodes 1"),
    (".bdf", GRIDS + "CTRIA3,1,1,1,2,3\nCQUAD4,1,1,1,2,3,4\n", "two elements 1"),
    (".bdf", GRIDS + "CTRIA3,1,1,1,2\n", "line 5: CTRIA3: '' in field 6"),
    (".bdf", GRIDS + "CTRIA3,1,1,1,2,9\n", "there is no node 9, of element 1"),
    (".bdf", "GRID           1" + " " * 56 + "+A\n+B\n", "line 2: "),
    (".bdf", "+A\n", "line 1: a continuation of nothing"),
    (".bdf", "SOL 101\nCEND\nGRID,1\n", "without BEGIN BULK"),
    (".bdf", "INCLUDE 'none.bdf'\n", "line 1: INCLUDE: "),
    (".bdf", "GRID,1,,0.,0.,0.,,,,,9\n", "line 1: "),
    (".su2", SU2.replace("NELEM= 1", "NELEM= 2"), "line 2: NELEM= 2"),
    (".su2", SU2.replace("1 0 0\n", "1 0 0 3\n"), "line 6: point 3 in place 1"),
    (".su2", SU2.replace("NMARK= 2", "NMARK= 3"), "NMARK= 3"),
    (".su2", SU2.replace("5 0 1 3", "5 0 1 4"), "line 15: there is no point 4"),
    (".off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "line 6: there is no vertex 3"),
    (".off", "OFF\n3 1 0\n0 0 0 0\n1 0 0 0\n0 1 0 0\n3 0 1 2\n", "line 3: 4 numbers"),
    (".off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 1 2 3 4 5\n", "line 6: "),
    (".off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n", "line 7: "),
    (".dat", TEC + "ZONE I=3, J=1, F=POINT\n0 0 1 0 2 0 3 0\n", "line 3: 2 numbers more"),
    (
        ".dat",
        'VARIABLES = "a" "b"\nZONE N=3, E=1, F=FEPOINT, ET=TRIANGLE\n' + ROWS,
        "which of them",
    ),
    (".dat", TEC + "ZONE I=3, J=1\n0 0 1 0 2 0\n", "line 2: ZONE: without DATAPACKING"),
    (".dat", "1 2 3\n", "neither of Tecplot nor of Nastran"),
    (".msh", MSH.replace("900 2 2 1 5 1 2 3", "900 2 2 1 5 1 2 8"), "no node 8"),
    (".msh", MSH.replace("$Nodes\n3", "$Nodes\n4"), "line 4: $Nodes: "),
)


def test_bad():
    """Errors name the file, and the line and the keyword where there is one."""
    with folder() as where:
        for ending, content, want in BAD:
            path = put(f"{where}/a{ending}", content)
            what = str(raises(impinge.InputError, whole, path))
            assert what.startswith(f"{path}: ") and want in what and "\n" not in what, (what, want)


main(globals())
