"""convert --skin: of solids the faces that no other one of the same object has, in all formats that
have solids. Truth: closed forms, VTK's own faces and its filter, and what was written."""

import os
import struct
import subprocess
import sys

import impinge
import numpy as np
from common import folder, main, program, raises

try:
    import h5py
    import meshio
    from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid
    from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter
except ImportError as what:
    print(f"skipped: {what}")
    raise SystemExit(0) from None

TRIANGLE, QUAD, TETRAHEDRON, VOXEL, HEXAHEDRON, WEDGE, PYRAMID = 5, 9, 10, 11, 12, 13, 14
HINT = "--skin reads the surface of solids"

# ---- meshes


def grid(points, cells, objects=None, ids=None, parts=None):
    """cells: (VTK's type, corners)."""
    made = vtkUnstructuredGrid()
    at = vtkPoints()
    at.SetData(numpy_to_vtk(np.ascontiguousarray(points, float), deep=True))
    made.SetPoints(at)
    for kind, corners in cells:
        made.InsertNextCell(kind, len(corners), [int(k) for k in corners])
    of = made.GetCellData(), made.GetPointData()
    for data, count in zip(of, (len(cells), len(points))):
        array = numpy_to_vtk(np.arange(count), deep=True)
        array.SetName("Row")
        data.AddArray(array)
    for name, values in (("ObjectId", objects), ("SourceId", ids), ("PartId", parts)):
        if values is not None:
            array = numpy_to_vtk(np.asarray(values, np.int32), deep=True)
            array.SetName(name)
            made.GetCellData().AddArray(array)
    return made


def vtu(path, *of):
    writer = vtkXMLUnstructuredGridWriter()
    writer.SetFileName(path)
    writer.SetInputData(grid(*of))
    assert writer.Write() == 1
    return path


def hdf(path, frames):
    """VTKHDF: frames of (points, cells, objects, ids, parts)."""
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"], root.attrs["Type"] = [2, 0], np.bytes_("UnstructuredGrid")
        sizes = [[len(c) for _, c in frame[1]] for frame in frames]
        counts = [[len(f[0]), len(s), sum(s)] for f, s in zip(frames, sizes)]
        firsts = np.concatenate([[[0, 0, 0]], np.cumsum(counts, 0)])[:-1]
        names = ("NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds")
        for name, row in zip(names, np.transpose(counts)):
            root[name] = row
        root["Points"] = np.concatenate([frame[0] for frame in frames])
        root["Types"] = np.array([kind for f in frames for kind, _ in f[1]], np.uint8)
        root["Offsets"] = np.concatenate([[0, *np.cumsum(s)] for s in sizes]).astype(int)
        root["Connectivity"] = [k for f in frames for _, c in f[1] for k in c]
        for name, k in (("ObjectId", 2), ("SourceId", 3), ("PartId", 4)):
            if len(frames[0]) > k and frames[0][k] is not None:
                root[f"CellData/{name}"] = np.concatenate([f[k] for f in frames])
        steps = root.create_group("Steps")
        steps.attrs["NSteps"] = len(frames)
        steps["Values"] = np.arange(len(frames), dtype=float)
        steps["PartOffsets"], steps["NumberOfParts"] = np.arange(len(frames)), [1] * len(frames)
        for name, row in zip(("Point", "Cell", "ConnectivityId"), firsts.T):
            steps[f"{name}Offsets"] = row
    return path


def block(n, kind=HEXAHEDRON, shift=(0, 0, 0)):
    """n x n x n cells of edges of 1."""
    m = n + 1
    at = np.arange(m**3).reshape(m, m, m)  # x is the last
    z, y, x = np.meshgrid(*[np.arange(m, dtype=float)] * 3, indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), z.ravel()], 1) + shift
    a, b = slice(None, -1), slice(1, None)
    rows = [at[k] for k in ((a, a, a), (a, a, b), (a, b, b), (a, b, a))]
    rows += [at[k] for k in ((b, a, a), (b, a, b), (b, b, b), (b, b, a))]
    cells = np.stack(rows, 3).reshape(-1, 8)
    if kind == VOXEL:
        cells = cells[:, [0, 1, 3, 2, 4, 5, 7, 6]]
    return points, [(kind, row) for row in cells]


# one of each: their volumes are 1, 1/3, 1/2 and 1/6
POINTS = np.array(
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1],
     [0.5, 0.5, 2], [2, 0, 0], [2, 1, 0], [0.5, -0.5, 2]]
)  # fmt: skip
CELLS = [
    (HEXAHEDRON, range(8)),
    (PYRAMID, (4, 5, 6, 7, 8)),
    (WEDGE, (1, 5, 9, 2, 6, 10)),
    (TETRAHEDRON, (4, 11, 5, 8)),
]
NAMES = {HEXAHEDRON: "hexahedron", PYRAMID: "pyramid", WEDGE: "wedge", TETRAHEDRON: "tetra"}
TRIANGLES = {HEXAHEDRON: 8, PYRAMID: 3, WEDGE: 6, TETRAHEDRON: 3}
SIX = 6 + 2 + 3 + 1  # six times the volume


# ---- what a skin must be


def six_volumes(points, triangles):
    """Exact for such coordinates."""
    return float(np.linalg.det(points[triangles].astype(float)).round(9).sum())


def is_closed(triangles):
    """Each edge as often in one direction as in the other."""
    edges = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    one, other = (sorted(map(tuple, e.tolist())) for e in (edges, edges[:, ::-1]))
    return one == other


def chain(faces):
    """Edges of faces, those in both directions cancelled."""
    made = {}
    for face in faces:
        for a, b in zip(face, [*face[1:], face[0]]):
            key, sign = (min(a, b), max(a, b)), 1 if a < b else -1
            made[key] = made.get(key, 0) + sign
    return {key: count for key, count in made.items() if count}


def cycle(face):
    """Equal for a face and the same turned round."""
    face = [int(k) for k in face]
    at = face.index(min(face))
    one = face[at:] + face[:at]
    return min(tuple(one), (one[0], *one[:0:-1]))


def plain(face):
    """Without corners that repeat; None: without an area."""
    kept = [k for k, before in zip(face, [face[-1], *face[:-1]]) if k != before]
    return kept if len(set(kept)) == len(kept) > 2 else None


def brute(points, cells, objects):
    """[(cell, face)] by VTK's cells: faces that an odd number of an object's cells have, of the
    first."""
    data, found = grid(points, cells), {}
    for i, (kind, corners) in enumerate(cells):
        cell = data.GetCell(i)
        for f in range(cell.GetNumberOfFaces()):
            ids = cell.GetFace(f).GetPointIds()
            face = [ids.GetId(k) for k in range(ids.GetNumberOfIds())]
            if kind == VOXEL:
                face[2:] = face[:1:-1]
            face = plain(face)
            if face:
                found.setdefault((objects[i], cycle(face)), []).append((i, face))
    return [users[0] for users in found.values() if len(users) % 2]


def ordered(points, cells):
    """Wedges in the order that fits the others: where most have the other sign than most others."""
    frames = {TETRAHEDRON: (0, 1, 2, 3), VOXEL: (0, 1, 2, 4), HEXAHEDRON: (0, 1, 3, 4), PYRAMID: (0, 1, 3, 4)}
    signs = {True: 0, False: 0}
    for kind, corners in cells:
        if kind != TRIANGLE:
            a, *b = points[[corners[k] for k in frames.get(kind, (0, 1, 2, 3))]]
            volume = np.linalg.det(b - a)
            distinct = len(np.unique([a, *b], axis=0)) == 4
            signs[kind == WEDGE] += int(np.sign(volume)) * distinct
    if signs[True] * (1 if signs[False] >= 0 else -1) >= 0:
        return cells
    return [(kind, [c[k] for k in (0, 2, 1, 3, 5, 4)] if kind == WEDGE else c) for kind, c in cells]


def by_cell(rows):
    made = {}
    for cell, face in rows:
        made.setdefault(cell, []).append(face)
    return made


def by_vtk(points, cells, objects):
    """[(cell, face)] by VTK's filter, of each object by itself."""
    made = []
    for of in sorted(set(objects)):
        rows = [i for i in range(len(cells)) if objects[i] == of]
        geometry = vtkGeometryFilter()
        geometry.SetInputData(grid(points, [cells[i] for i in rows]))
        geometry.MergingOff()
        geometry.Update()
        out = geometry.GetOutput()
        ids = vtk_to_numpy(out.GetCellData().GetArray("Row"))
        at = vtk_to_numpy(out.GetPointData().GetArray("Row"))
        for k, cell in enumerate(ids.tolist()):
            corners = out.GetCell(k).GetPointIds()
            face = [int(at[corners.GetId(c)]) for c in range(corners.GetNumberOfIds())]
            if out.GetCellType(k) == 8:
                face[2:] = face[:1:-1]
            made.append((rows[cell], face))
    return made


def same_faces(one, other):
    """The same number of triangles of each cell, and the same edges around them."""
    one, other = by_cell(one), by_cell(other)
    assert sorted(one) == sorted(other), (sorted(one), sorted(other))
    for cell in one:
        count, wanted = (sum(len(face) - 2 for face in of[cell]) for of in (one, other))
        assert count == wanted, (cell, count, wanted)
        assert chain(one[cell]) == chain(other[cell]), cell


def frames_of(path):
    with impinge.open(path) as batch:
        arrays = [batch.cell_arrays(k) for k in range(len(batch))]
        return [(f.points, f.triangles, f.objects, f.source_ids, a) for f, a in zip(batch, arrays)]


def converted(where, *files, **options):
    out = f"{where}/out.vtkhdf"
    impinge.convert(list(files), out, force=True, quiet=True, **{"skin": True, **options})
    return frames_of(out)


def refused(where, file):
    """Without a skin, in one line that says what helps."""
    text = str(raises(impinge.InputError, converted, where, file, skin=False))
    assert HINT in text and "\n" not in text, text


# ---- tests


def test_block():
    with folder() as where:
        for n in (1, 2, 5):
            for kind in (HEXAHEDRON, VOXEL):
                points, cells = block(n, kind)
                for file in (vtu(f"{where}/a.vtu", points, cells), hdf(f"{where}/a.vtkhdf", [(points, cells)])):
                    (xyz, triangles, *_), = converted(where, file)
                    assert len(triangles) == 12 * n * n, (n, kind, len(triangles))
                    assert (xyz == points).all() and is_closed(triangles)
                    assert six_volumes(xyz, triangles) == 6 * n**3


def test_two_blocks():
    """They share a face: inside one object it is no surface, between two it is one of both."""
    with folder() as where:
        points, cells = block(2)
        half = [1 + (row[1][0] % 3 == 1) for row in cells]
        for objects, count in ((None, 48), (half, 48 + 16)):
            file = vtu(f"{where}/a.vtu", points, cells, objects)
            (xyz, triangles, found, ids, _), = converted(where, file)
            assert len(triangles) == count
            for of in set(objects or []):
                own = triangles[found == of]
                assert is_closed(own) and six_volumes(xyz, own) == 24
            assert objects is None or (np.array(half)[ids] == found).all()


def test_array():
    """Parts by the values of another array, alone, among files of other formats, and as bodies. Without
    the option a warning names it; an error lists the arrays that there are."""
    points, cells = block(2)
    half = [7 + (row[1][0] % 3 == 1) for row in cells]
    by = dict(objects="array:PartId")
    with folder() as where:
        one = vtu(f"{where}/a1.vtu", points, cells, None, None, half)
        two = hdf(f"{where}/a2.vtkhdf", [(points, cells, None, None, half)])
        for files in ((one,), (two,), (one, two)):
            for xyz, triangles, found, ids, arrays in converted(where, *files, **by):
                assert len(triangles) == 64 and set(found.tolist()) == {7, 8}
                assert (np.array(half)[ids] == found).all() and (arrays["PartId"] == found).all()
        (_, triangles, found, *_), = converted(where, one, two, as_="objects", **by)
        assert len(triangles) == 128 and set(found.tolist()) == {0, 1, 2, 3}
        command = [sys.executable, "-m", "impinge", "convert", "-o", f"{where}/b.vtkhdf", "--force", "--skin"]
        for file in (one, two):
            for words, warned in (([], True), (["--objects", "array:PartId"], False)):
                said = subprocess.run([*command, file, *words], capture_output=True, text=True)
                named = f"{file}: the skin is that of all cells" in said.stderr
                assert said.returncode == 0 and named == warned, said
                assert warned == ("; --objects array:PartId makes objects" in said.stderr), said
            text = str(raises(impinge.InputError, converted, where, file, objects="array:partid"))
            assert "CellData/partid: missing; arrays of integers there: PartId" in text, text
        objects = [row[1][0] % 3 for row in cells]
        file = vtu(f"{where}/a3.vtu", points, cells, objects, None, half)
        (_, _, found, *_), = converted(where, file, **by)
        assert set(found.tolist()) == {7, 8}
        text = str(raises(impinge.ArgumentError, converted, where, file, objects="array:"))
        assert text == "objects is id or array:NAME", text


def mixed(random, n):
    """Blocks whose cells are hexahedra, voxels, two wedges, six pyramids or five tetrahedra."""
    points, cells = block(n)
    points, made = list(points), []
    for _, c in cells:
        kind = random.integers(5)
        if kind == 0:
            made += [(HEXAHEDRON, c)]
        elif kind == 1:
            made += [(VOXEL, c[[0, 1, 3, 2, 4, 5, 7, 6]])]
        elif kind == 2:
            made += [(WEDGE, c[[0, 1, 2, 4, 5, 6]]), (WEDGE, c[[0, 2, 3, 4, 6, 7]])]
        elif kind == 3:
            apex = len(points)
            points.append(np.mean([points[k] for k in c], 0))
            for f in ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7)):
                made.append((PYRAMID, [*c[list(f[::-1])], apex]))
        else:
            for t in ((0, 1, 3, 4), (1, 2, 3, 6), (4, 6, 5, 1), (4, 7, 6, 3), (1, 3, 4, 6)):
                made.append((TETRAHEDRON, c[list(t)]))
    order = random.permutation(len(made))
    return np.array(points), [made[k] for k in order]


def test_mixed():
    """Also against VTK's filter."""
    random = np.random.default_rng(7)
    with folder() as where:
        for n in (1, 2, 3, 4, 4, 4):
            points, cells = mixed(random, n)
            objects = random.integers(-1, 2, len(cells))
            file = hdf(f"{where}/a.vtkhdf", [(points, cells, objects)])
            (_, triangles, found, ids, _), = converted(where, file)
            own = list(zip(ids.tolist(), triangles.tolist()))
            same_faces(own, brute(points, cells, objects))
            same_faces(own, by_vtk(points, cells, objects))
            assert (objects[ids] == found).all()
            for of in set(found.tolist()):
                assert is_closed(triangles[found == of])


def test_any():
    """Corners at random: cells that repeat them, faces of many cells, and shells among them."""
    random = np.random.default_rng(8)
    kinds = ((HEXAHEDRON, 8), (WEDGE, 6), (PYRAMID, 5), (TETRAHEDRON, 4), (TRIANGLE, 3), (VOXEL, 8))
    with folder() as where:
        for few in (5, 6, 7, 8, 20):
            points = random.random((few, 3))
            cells = [kinds[random.integers(6)] for _ in range(150)]
            cells = [
                (kind, random.permutation(few)[:n] if kind == TRIANGLE else random.integers(0, few, n))
                for kind, n in cells
            ]
            objects = random.integers(0, 2, len(cells))
            file = hdf(f"{where}/a.vtkhdf", [(points, cells, objects)])
            (_, triangles, _, ids, _), = converted(where, file)
            wanted = brute(points, ordered(points, cells), objects)
            wanted += [(i, [int(k) for k in c]) for i, (kind, c) in enumerate(cells) if kind == TRIANGLE]
            same_faces(list(zip(ids.tolist(), triangles.tolist())), wanted)


def test_warnings():
    """A face of three cells; a cell twice; one that is turned inside out."""
    with folder() as where:
        for more, word in (
            ([(PYRAMID, (4, 5, 6, 7, 8)), (PYRAMID, (4, 5, 6, 7, 9))], "three solids or more"),
            ([(HEXAHEDRON, range(8))], "in the same direction"),
            ([(PYRAMID, (7, 6, 5, 4, 8))], "in the same direction"),
            ([(PYRAMID, (4, 5, 6, 7, 8))], ""),
        ):
            at = np.concatenate([POINTS[:9], [[0.5, 0.5, 3]], 3 + POINTS[:8]])
            other = [(HEXAHEDRON, range(10, 18))]
            file = hdf(f"{where}/a.vtkhdf", [(at, [CELLS[0], *more, *other])])
            said = program("convert", file, "--skin", "-o", f"{where}/b.vtkhdf", "--force").stderr
            assert (word in said) if word else not said, (word, said)


def test_degenerate():
    """Solvers write wedges, pyramids and tetrahedra as hexahedra whose nodes repeat."""
    rows = {  # of CELLS
        PYRAMID: (4, 5, 6, 7, 8, 8, 8, 8),
        WEDGE: (1, 5, 9, 9, 2, 6, 10, 10),
        TETRAHEDRON: (4, 11, 5, 5, 8, 8, 8, 8),
    }
    cells = [(HEXAHEDRON, rows.get(kind, corners)) for kind, corners in CELLS]
    with folder() as where:
        (xyz, triangles, _, ids, _), = converted(where, vtu(f"{where}/a.vtu", POINTS, cells))
        assert is_closed(triangles) and six_volumes(xyz, triangles) == SIX
        assert np.bincount(ids).tolist() == [TRIANGLES[kind] for kind, _ in CELLS]


def test_wedges():
    """VTK's documents and code differ in their order of points; both give the same skin."""
    other = [(kind, [c[k] for k in (0, 2, 1, 3, 5, 4)] if kind == WEDGE else c) for kind, c in CELLS]
    alone = [(kind, c) for kind, c in other if kind == WEDGE]
    with folder() as where:
        for cells, six in ((CELLS, SIX), (other, SIX), (alone, 3)):
            file = hdf(f"{where}/a.vtkhdf", [(POINTS, cells)])
            done = program("convert", file, "--skin", "-o", f"{where}/b.vtkhdf", "--force")
            assert ("which is turned" in done.stderr) == (cells is not CELLS), done.stderr
            (xyz, triangles, *_), = frames_of(f"{where}/b.vtkhdf")
            assert is_closed(triangles) and six_volumes(xyz, triangles) == six


def test_erosion():
    """Solids are deleted from frame to frame: a face keeps its id, and none is that of another."""
    random = np.random.default_rng(9)
    points, cells = mixed(random, 3)
    cells += [(TRIANGLE, (0, 1, 2)), (QUAD, (0, 1, 5, 4))]
    numbers = random.permutation(1000)[: len(cells)] - 300
    left, frames = np.arange(len(cells)), []
    for _ in range(6):
        frames.append((points + random.random(), [cells[k] for k in left], None, numbers[left]))
        left = np.sort(random.permutation(left)[: len(left) * 4 // 5])
    with folder() as where:
        file = hdf(f"{where}/a.vtkhdf", frames)
        known, twice, found = {}, 0, converted(where, file)
        assert len(found) == len(frames)
        for frame, (_, triangles, _, ids, arrays) in zip(frames, found):
            own = arrays["PrimitiveId"]
            assert len(set(own.tolist())) == len(own) == len(triangles)
            assert (own // 16 == ids).all()
            place = {number: k for k, number in enumerate(frame[3].tolist())}
            rows = [(place[i], t) for i, t in zip(ids.tolist(), triangles.tolist())]
            objects = [0] * len(frame[1])
            shells = [
                (k, [int(c) for c in row]) for k, (kind, row) in enumerate(frame[1]) if kind in (TRIANGLE, QUAD)
            ]
            same_faces(rows, brute(points, frame[1], objects) + shells)
            faces = {}
            for number, triangle in zip(own.tolist(), triangles.tolist()):
                faces.setdefault(number // 2, set()).update(triangle)
            for number, corners in faces.items():
                assert known.setdefault(number, corners) == corners
            twice += len(known.keys() & faces.keys())
        assert twice > 500
        # without a change no ids are made
        (*_, arrays), _ = converted(where, hdf(file, [frames[0], frames[0]]))
        assert "PrimitiveId" not in arrays
        # cells of one number have no ids of their own, and a line says so
        frames = [(p, c, o, np.minimum(n, 0)) for p, c, o, n in frames]
        hdf(file, frames)
        done = program("convert", file, "--skin", "-o", f"{where}/b.vtkhdf")
        assert "PrimitiveId is not made" in done.stderr and not done.returncode, done.stderr
        assert "PrimitiveId" not in frames_of(f"{where}/b.vtkhdf")[0][4]


def test_own_ids():
    """Those of the file, where it has them."""
    points, cells = block(2)
    with folder() as where:
        file = hdf(f"{where}/a.vtkhdf", [(points, cells)])
        with h5py.File(file, "a") as opened:
            opened["VTKHDF/CellData/PrimitiveId"] = 100 + np.arange(8)
        (_, _, _, ids, arrays), = converted(where, file)
        assert (arrays["PrimitiveId"] // 16 == 100 + ids).all()
        assert len(set(arrays["PrimitiveId"].tolist())) == 48


def test_inside():
    """Skins are closed: vertices of a small block are inside a large one."""
    points, cells = block(4)
    more, small = block(1, shift=(1.5, 1.25, 1.125))
    cells += [(kind, len(points) + row) for kind, row in small]
    with folder() as where:
        objects = [0] * 64 + [1]
        file = hdf(f"{where}/a.vtkhdf", [(np.concatenate([points, more]), cells, objects)])
        assert not program("convert", file, "--skin", "-o", f"{where}/b.vtkhdf").returncode
        done = program("run", f"{where}/b.vtkhdf", "-o", f"{where}/r.vtkhdf", "--inside")
        assert not done.returncode and "8 vertices inside" in done.stdout, done.stdout + done.stderr
        assert not program("check", f"{where}/r.vtkhdf", "--input", f"{where}/b.vtkhdf").returncode


def test_damage():
    points, cells = block(1)
    with folder() as where:
        for bad, word in (
            ((points, [(HEXAHEDRON, [*range(7), 99])]), "99"),
            ((points, [(HEXAHEDRON, range(7))]), "hexahedron of 7 points"),
            ((points, [(WEDGE, range(5))]), "wedge of 5 points"),
            ((points, [(15, range(8))]), "pentagonal prism"),
        ):
            hdf(f"{where}/a.vtkhdf", [bad])
            done = program("convert", f"{where}/a.vtkhdf", "--skin", "-o", f"{where}/b.vtkhdf")
            assert done.returncode and word in done.stderr.lower(), (word, done.stderr)
            assert done.stderr.count("\n") == 1, done.stderr
        # as of other meshes: the program that uses the points says so
        hdf(f"{where}/a.vtkhdf", [(np.where(points == 1, np.nan, points), cells)])
        assert not program("convert", f"{where}/a.vtkhdf", "--skin", "-o", f"{where}/b.vtkhdf").returncode
        done = program("run", f"{where}/b.vtkhdf", "-o", f"{where}/r.vtkhdf")
        assert done.returncode and "nan" in done.stderr.lower(), done.stderr
        hdf(f"{where}/a.vtkhdf", [(points, cells)])
        done = program("convert", f"{where}/a.vtkhdf", "--force", "-o", f"{where}/b.vtkhdf")
        assert done.returncode and HINT in done.stderr, done.stderr


# ---- formats


def by_meshio(path, form, **options):
    blocks = [(NAMES[kind], np.array([list(corners)])) for kind, corners in CELLS]
    meshio.Mesh(POINTS, blocks).write(path, file_format=form, **options)
    return path


def nastran(path):
    rows = [f"GRID,{k + 1},,{x},{y},{z}" for k, (x, y, z) in enumerate(POINTS)]
    names = {HEXAHEDRON: "CHEXA", PYRAMID: "CPYRAM", WEDGE: "CPENTA", TETRAHEDRON: "CTETRA"}
    for number, (kind, corners) in enumerate(CELLS, 1):
        nodes = [str(k + 1) for k in corners]
        rows.append(",".join([names[kind], str(number), "7", *nodes[:6]]))
        rows += [",".join(["", *nodes[6:]])] * (len(nodes) > 6)
    return text(path, "BEGIN BULK\n" + "\n".join(rows) + "\nENDDATA\n")


def abaqus(path):
    names = {HEXAHEDRON: "C3D8R", PYRAMID: "C3D5", WEDGE: "C3D6", TETRAHEDRON: "C3D4"}
    points = "\n".join(f"{k},{x},{y},{z}" for k, (x, y, z) in enumerate(POINTS, 1))
    cells = "\n".join(
        f"*ELEMENT, TYPE={names[kind]}\n{n},{','.join(str(k + 1) for k in c)}"
        for n, (kind, c) in enumerate(CELLS, 1)
    )
    return text(path, f"*NODE\n{points}\n{cells}\n")


def su2(path):
    cells = "\n".join(f"{kind} {' '.join(map(str, c))}" for kind, c in CELLS)
    points = "\n".join(" ".join(map(str, p)) for p in POINTS)
    return text(path, f"NDIME= 3\nNELEM= 4\n{cells}\nNPOIN= {len(POINTS)}\n{points}\nNMARK= 0\n")


def mdpa(path):
    names = {HEXAHEDRON: "3D8N", PYRAMID: "3D5N", WEDGE: "3D6N", TETRAHEDRON: "3D4N"}
    points = "\n".join(f"{k} {x} {y} {z}" for k, (x, y, z) in enumerate(POINTS, 1))
    blocks = [
        f"Begin Elements Element{names[kind]}\n{n} 0 {' '.join(str(k + 1) for k in c)}\nEnd Elements"
        for n, (kind, c) in enumerate(CELLS, 1)
    ]
    return text(path, "\n".join([f"Begin Nodes\n{points}\nEnd Nodes", *blocks]) + "\n")


def text(path, content):
    with open(path, "w") as stream:
        stream.write(content)
    return path


def tecplot(path):
    """A zone of bricks whose nodes repeat: so Tecplot's manual has other solids."""
    rows = {
        PYRAMID: (4, 5, 6, 7, 8, 8, 8, 8), WEDGE: (1, 5, 9, 9, 2, 6, 10, 10),
        TETRAHEDRON: (4, 11, 5, 5, 8, 8, 8, 8),
    }  # fmt: skip
    points = "\n".join(" ".join(map(str, p)) for p in POINTS)
    cells = "\n".join(" ".join(str(k + 1) for k in rows.get(kind, c)) for kind, c in CELLS)
    head = f"VARIABLES = X Y Z\nZONE NODES={len(POINTS)}, ELEMENTS=4, DATAPACKING=POINT, ZONETYPE=FEBRICK\n"
    return text(path, f"{head}{points}\n{cells}\n")


def ensight(path):
    names = {HEXAHEDRON: "hexa8", PYRAMID: "pyramid5", WEDGE: "penta6", TETRAHEDRON: "tetra4"}
    rows = ["a", "b", "node id assign", "element id assign", "part", f"{1:10}", "body", "coordinates"]
    rows += [f"{len(POINTS):10}", *(f"{x:12.5e}" for x in POINTS.T.ravel())]
    for kind, corners in CELLS:
        rows += [names[kind], f"{1:10}", "".join(f"{k + 1:10}" for k in corners)]
    text(f"{path}.geo", "\n".join(rows) + "\n")
    model = os.path.basename(path)
    return text(path, f"FORMAT\ntype: ensight gold\nGEOMETRY\nmodel: {model}.geo\n")


def formats(where):
    yield vtu(f"{where}/a.vtu", POINTS, CELLS), 1
    yield hdf(f"{where}/a.vtkhdf", [(POINTS, CELLS)]), 1
    for name, form, options in (
        ("a.vtk", "vtk", {}), ("b.msh", "gmsh22", {"binary": False}),
        ("c.msh", "gmsh22", {"binary": True}), ("a.mesh", "medit", {}), ("a.vol", "netgen", {}), ("a.e", "exodus", {}),
        ("a.xdmf", "xdmf", {}), ("a.avs", "avsucd", {}), ("a.f3grid", "flac3d", {}),
        ("a.lb8.ugrid", "ugrid", {}),
    ):  # fmt: skip
        yield by_meshio(f"{where}/{name}", form, **options), 1
    # meshio has VTK's order of nodes in it, which is not MED's
    yield by_meshio(f"{where}/a.med", "med"), -1
    yield abaqus(f"{where}/a.inp"), 1
    yield nastran(f"{where}/a.bdf"), 1
    yield su2(f"{where}/a.su2"), 1
    yield mdpa(f"{where}/a.mdpa"), 1
    yield tecplot(f"{where}/a.tec"), 1
    yield ensight(f"{where}/a.case"), 1


def test_formats():
    """One of each cell. Without a skin it is named, and the error says what helps."""
    with folder() as where:
        for file, sign in formats(where):
            refused(where, file)
            (xyz, triangles, objects, ids, _), = converted(where, file)
            blocks = objects is not None and len(set(objects.tolist())) > 1
            count = sum(TRIANGLES.values()) + 4 * blocks * 2
            assert blocks == file.endswith(".e"), file
            assert len(triangles) == count or blocks, (file, len(triangles))
            assert is_closed(triangles), file
            assert six_volumes(xyz, triangles) == sign * SIX, (file, six_volumes(xyz, triangles))
            if not blocks:
                assert sorted(np.unique(ids, return_counts=True)[1].tolist()) == [3, 3, 6, 8], file


def test_volumes():
    """Grids without a list of cells: their hexahedra are made for a skin alone."""
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkIOXML import vtkXMLImageDataWriter

    with folder() as where:
        image = vtkImageData()
        image.SetDimensions(3, 4, 5)
        writer = vtkXMLImageDataWriter()
        writer.SetFileName(f"{where}/a.vti")
        writer.SetInputData(image)
        assert writer.Write() == 1
        z, y, x = np.meshgrid(np.arange(5.0), np.arange(4.0), np.arange(3.0), indexing="ij")
        points = np.stack([x.ravel(), y.ravel(), z.ravel()], 1)
        rows = "\n".join(" ".join(map(str, p)) for p in points)
        text(f"{where}/a.tec", f"VARIABLES = X Y Z\nZONE I=3, J=4, K=5, DATAPACKING=POINT\n{rows}\n")
        numbers = "\n".join(f"{x:12.5e}" for x in points.T.ravel())
        text(f"{where}/g", f"a\nb\nnode id off\nelement id off\npart\n{1:10}\nc\nblock\n{3:10}{4:10}{5:10}\n{numbers}\n")
        text(f"{where}/a.case", "FORMAT\ntype: ensight gold\nGEOMETRY\nmodel: g\n")
        text(
            f"{where}/a.xdmf",
            "<Xdmf><Domain><Grid><Topology TopologyType='3DSMesh' Dimensions='5 4 3'/><Geometry>"
            f"<DataItem Dimensions='60 3' NumberType='Float' Precision='8'>{rows}</DataItem>"
            "</Geometry></Grid></Domain></Xdmf>",
        )
        for name in ("a.vti", "a.tec", "a.case", "a.xdmf"):
            refused(where, f"{where}/{name}")
            (xyz, triangles, _, ids, _), = converted(where, f"{where}/{name}")
            assert len(triangles) == 2 * 2 * (2 * 3 + 3 * 4 + 2 * 4), (name, len(triangles))
            assert is_closed(triangles) and six_volumes(xyz, triangles) == 6 * 24, name
            assert ids.max() == 23, name


def test_d3plot():
    """By lasso: solids of two parts, one of them deleted in the last state."""
    try:
        from lasso.dyna import ArrayType, D3plot
    except ImportError as what:
        print(f"skipped: {what}")
        return
    points, cells = block(2)
    base = points.astype("f4")
    solids = np.array([row for _, row in cells])
    plot = D3plot()
    alive = np.ones((3, 8))
    alive[2, 7] = 0
    plot.arrays = {
        ArrayType.node_coordinates: base,
        ArrayType.node_ids: np.arange(1, 28),
        ArrayType.element_solid_node_indexes: solids,
        ArrayType.element_solid_part_indexes: np.array([0] * 4 + [1] * 4),
        ArrayType.element_solid_ids: np.arange(1, 9),
        ArrayType.part_ids: np.array([1, 2]),
        ArrayType.part_titles_ids: np.array([1, 2]),
        ArrayType.part_titles: np.array([b"lower".ljust(72), b"upper".ljust(72)]),
        ArrayType.node_displacement: np.stack([base + np.float32(t) for t in range(3)]),
        ArrayType.global_timesteps: np.array([0, 1, 2], "f4"),
        ArrayType.element_solid_is_alive: alive,
    }
    with folder() as where:
        path = f"{where}/d3plot"
        plot.write_d3plot(path, single_file=False)
        with open(path, "r+b") as stream:
            stream.seek(14 * 4)
            stream.write(struct.pack("<f", 971))
        refused(where, path)
        found = converted(where, path)
        assert [len(frame[1]) for frame in found] == [64, 64, 32 + 28]
        for _, triangles, objects, ids, arrays in found:
            assert all(is_closed(triangles[objects == k]) for k in (0, 1))
            assert (arrays["PrimitiveId"] // 16 == ids).all() and set(ids.tolist()) <= set(range(1, 9))
        assert 8 not in found[2][3]


def test_options():
    """Several files of several formats, bodies, and vertices that are merged afterwards."""
    with folder() as where:
        one = vtu(f"{where}/a1.vtu", POINTS, CELLS)
        two = hdf(f"{where}/a2.vtkhdf", [(POINTS + 8, CELLS)])
        found = converted(where, one, two)
        assert [len(frame[1]) for frame in found] == [20, 20]
        for options in ({}, {"weld": 0}, {"weld": 0.25}):
            (xyz, triangles, objects, _, _), = converted(where, one, two, as_="objects", **options)
            assert len(triangles) == 40 and set(objects.tolist()) == {0, 1}
            assert all(six_volumes(xyz, triangles[objects == k]) in (SIX,) for k in (0, 1))


main(globals())
