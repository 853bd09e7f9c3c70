"""What readers of VTK, OpenFOAM, Exodus, EnSight, d3plot and XDMF make of files: shared points,
numbers of cells, ghosts, times."""

import os
import sys

import impinge
import numpy as np
from common import folder, main, raises

try:
    import contents_plain as plain
    import contents_solvers as solvers
    import contents_vtk as vtk
    import h5py
    import netCDF4  # noqa: F401
    import samples
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

from contents import Found, convert  # noqa: E402
from impinge.importers import ensight, exodus, notes, vtk_data, xdmf_tree  # noqa: E402
from impinge.importers.mesh import Piece, join, uniform  # noqa: E402

FILE_OF_STEPS = "FILE\nfile set: 1\nnumber of steps: 2\n"

# ---- points that pieces share


def piece(points, nodes, name=""):
    points = np.array(points, float)
    made = Piece(points, *uniform(5, [[0, 1, 2]]), name)
    return made._replace(nodes=None if nodes is None else np.array(nodes))


def test_nodes():
    """One number at one place is one point; at several places it is several, which are counted."""
    a, b, c, d = [0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]
    first, second = piece([a, b, c], [5, 2, 9]), piece([d, c, b], [1, 9, 2])
    for pieces, points, corners, apart in (
        ([first, second], 4, [0, 1, 2, 3, 2, 1], 0),
        ([first, piece([d, c, b], None)], 6, [0, 1, 2, 3, 4, 5], 0),
        ([first, second, piece([d, a, b], [9, 9, 2])], 6, [0, 1, 2, 3, 2, 1, 4, 5, 1], 2),
        ([piece([a, b, a], [1, 2, 1])], 2, [0, 1, 0], 0),
        ([piece([a, b, [-0.0, 0, 0]], [1, 2, 1])], 2, [0, 1, 0], 0),
    ):
        notes.forget()
        mesh = join("a", pieces)
        assert len(mesh.points) == points and mesh.corners.tolist() == corners, mesh
        assert notes.counts().get(notes.APART, 0) == apart, notes.counts()
        flat = np.concatenate([p.points[p.corners] for p in pieces])
        assert (mesh.points[mesh.corners] == flat).all()


def test_parts():
    """Parts of a PVD share by GlobalPointIds; numbers of nodes of other files are their own."""
    with folder() as where:
        ids = vtk.array("GlobalPointIds", "7 8 9", "Int64")
        other = vtk.poly(f"<PointData>{ids}</PointData>", points="1 0 0 0 1 0 1 1 0")
        other = other.replace("7 8 9", "8 9 3")
        head = '<VTKFile type="Collection"><Collection>{}</Collection></VTKFile>'
        rows = "".join(f'<DataSet timestep="0" part="{k}" file="{k}.vtp"/>' for k in range(2))
        samples.put(f"{where}/0.vtp", vtk.poly(f"<PointData>{ids}</PointData>"))
        samples.put(f"{where}/1.vtp", other)
        found = Found(samples.put(f"{where}/a.pvd", head.format(rows)))
        assert len(found.mesh.points) == 4 and found.mesh.names == ["part 0", "part 1"]
        for k in range(2):
            os.makedirs(f"{where}/{k}", exist_ok=True)
            solvers.exodus_file(f"{where}/{k}")
        found = Found(samples.put(f"{where}/b.pvd", head.format(rows.replace(".vtp", "/a.exo"))))
        assert len(found.mesh.points) == 6, found.text


# ---- ghosts


def test_ghosts():
    """Left out and counted, in every form; of structured grids also by points."""
    text = notes.GHOSTS
    flags = vtk.array("vtkGhostType", "{}", "UInt8")
    with folder() as where:
        for flag, gone in ((0, 0), (1, 1), (32, 1), (33, 1), (2, 0), (16, 0)):
            cells = vtk.cells("Polys", "0 1 2 2 1 0", "3 6")
            content = vtk.poly(f"<CellData>{flags.format(f'0 {flag}')}</CellData>")
            content = content.replace(vtk.cells("Polys", "0 1 2", "3"), cells)
            path = f"{where}/a.vtp"
            found = Found(samples.put(path, content.replace('Polys="1"', 'Polys="2"')))
            assert len(found.cells[0]) == 2 - gone, (flag, found.text)
            assert (
                found.counted.get(text, 0) == gone and found.mesh.ids.tolist() == [0, 1][: 2 - gone]
            )
            if gone:
                _, said = convert(path, where)
                assert f"a.vtp: {text}" in said and "such in this file" not in said
        points = vtk.array("Points", "0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0", width=3)
        points = f"<Points>{points}</Points>"
        whole = vtk.surface("StructuredGrid", "", "{}" + points).replace("0 1 0 1", "0 2 0 1")
        for data, gone in (("Cell", "0 32"), ("Cell", "1 0"), ("Point", "2 0 0 0 0 0")):
            arrays = f"<{data}Data>{flags.format(gone)}</{data}Data>"
            found = Found(samples.put(f"{where}/a.vts", whole.format(arrays)))
            assert len(found.cells[0]) == 1 and found.counted == {text: 1}, (
                data,
                found.text,
                found.counted,
            )
        found = Found(samples.put(f"{where}/a.vts", whole.format("")))
        assert len(found.cells[0]) == 2 and not found.counted


WHOLE = '<PPoints><PDataArray type="Float64" Name="Points" NumberOfComponents="3"/></PPoints>'


def parallel(where, declared, *arrays):
    """A .pvtp of two pieces that are one triangle, each with the arrays of its cell."""
    inner = "".join(f'<PDataArray type="{kind}" Name="{name}"/>' for kind, name in declared)
    body = f'{WHOLE}<PCellData>{inner}</PCellData><Piece Source="0.vtp"/><Piece Source="1.vtp"/>'
    for k, own in enumerate(arrays):
        samples.put(f"{where}/{k}.vtp", vtk.poly(f"<CellData>{own}</CellData>"))
    return samples.put(
        f"{where}/a.pvtp",
        f'<VTKFile type="PPolyData" version="1.0"><PPolyData>{body}</PPolyData></VTKFile>',
    )


def test_undeclared():
    """Ghosts of a piece that the whole file does not declare would be cells: VTK drops the array.
    Other arrays are counted."""
    ghosts = [vtk.array("vtkGhostType", flag, "UInt8") for flag in "01"]
    part_ids = vtk.array("PartId", "7", "Int32")
    with folder() as where:
        found = Found(parallel(where, [("UInt8", "vtkGhostType")], *ghosts))
        assert len(found.cells[0]) == 1 and found.counted == {notes.GHOSTS: 1}, found.text
        found = Found(parallel(where, [], "", ghosts[1]))
        want = f"{where}/1.vtp: CellData/vtkGhostType, which a.pvtp does not declare"
        assert found.text == want, found.text
        found = Found(parallel(where, [("Int32", "PartId")], part_ids, part_ids))
        assert not found.counted and found.mesh.arrays["PartId"].tolist() == [7, 7]
        found = Found(parallel(where, [], part_ids, part_ids))
        want = "CellData/PartId of a piece, which is not kept: the file does not declare it"
        assert len(found.cells[0]) == 2 and found.counted == {want: 2}, found.counted


# ---- arrays and numbers


def test_arrays():
    """Integers of cells are kept, through polygons that are cut; others are named in one line."""
    arrays = vtk.array("PartId", "3 4 5", "Int32") + vtk.array("heat", "1 2 3")
    inside = vtk.cells("Lines", "0 1", "2") + f"<CellData>{arrays}{{}}</CellData>"
    content = vtk.poly(inside, vtk.SQUARE, counts='NumberOfPolys="2" NumberOfLines="1"')
    one, two = vtk.cells("Polys", "0 1 2", "3"), vtk.cells("Polys", "0 1 2 0 1 3 2", "3 7")
    content = content.replace(one, two)
    with folder() as where:
        for more, ids in (("", [1, 2]), (vtk.array("SourceId", "70 80 90", "Int64"), [80, 90]),
                          (vtk.array("GlobalElementId", "7 8 9", "Int64"), [8, 9])):  # fmt: skip
            path = samples.put(f"{where}/a.vtp", content.format(more))
            found = Found(path)
            assert found.mesh.ids.tolist() == ids and found.mesh.arrays["PartId"].tolist() == [4, 5]
            assert found.counted == {"CellData/heat": 1}
        _, said = convert(path, where)
        want = "1 array is not kept: CellData/heat; CellData of integers with one component is kept"
        assert want in said and "a point or a line, which is ignored" in said, said
        made = vtk.array("ObjectId", "{}", "Int64")
        for numbers, names in (
            ("5 -7 5", [-7, 5]),
            ("1 2147483647 -2147483648", [-(2**31), 2**31 - 1]),
        ):
            found = Found(samples.put(path, content.format(made.format(numbers))))
            assert found.mesh.names == names and not found.text
        found = Found(samples.put(path, content.format(made.format("1 2147483648 1"))))
        assert f"{path}: CellData/ObjectId: 2147483648, outside int32" == found.text
        # beside a file without numbers they are names
        samples.put(f"{where}/b.vtp", vtk.poly())
        samples.put(path, content.format(made.format("5 -7 5")))
        impinge.convert([path, f"{where}/b.vtp"], f"{where}/o.vtkhdf", as_="objects", quiet=True)
        with h5py.File(f"{where}/o.vtkhdf") as file:
            found = file["impinge/object_names"].asstr()[:].tolist()
        assert found == [f"{path}: -7", f"{path}: 5", f"{where}/b.vtp"], found


def test_odd_names():
    """Arrays of cells whose names a batch cannot have are named as lost."""
    core = vtk_modules("vtkmodules.vtkCommonCore")
    arrays = "".join(vtk.array(name, "7", "Int32") for name in ("a/b", ".", "PartId"))
    with folder() as where:
        path = samples.put(f"{where}/a.vtp", vtk.poly(f"<CellData>{arrays}</CellData>"))
        found = Found(path)
        assert list(found.mesh.arrays) == ["PartId"], found.text
        assert found.counted == {"CellData/a/b": 1, "CellData/.": 1}, found.counted
        _, said = convert(path, where)
        assert "2 arrays are not kept: CellData/a/b, CellData/.;" in said, said
        reader = vtk_modules("vtkmodules.vtkIOXML").vtkXMLPolyDataReader()
        reader.SetFileName(path)
        reader.Update()
    data = reader.GetOutput()
    for kind in (core.vtkIntArray, core.vtkDoubleArray):
        unnamed = kind()
        unnamed.InsertNextValue(3)
        data.GetCellData().Initialize()
        data.GetCellData().AddArray(unnamed)
        notes.forget()
        mesh = join("a", vtk_data.pieces("a", data))
        assert not mesh.arrays and notes.counts() == {"CellData/": 1}, notes.counts()


def vtk_modules(name):
    return vtk_data.need("a", name)


def test_arrays_in_time():
    """An array of one frame is not that of another name in the next one."""
    names, out = ("PartId", "ZoneId"), "out.vtkhdf"
    with folder() as where:
        for k, name in enumerate(names):
            inside = f"<CellData>{vtk.array(name, '7', 'Int32')}</CellData>"
            samples.put(f"{where}/a{k}.vtp", vtk.poly(inside))
        impinge.convert([f"{where}/a{k}.vtp" for k in range(2)], f"{where}/{out}", quiet=True)
        with impinge.open(f"{where}/{out}") as batch:
            found = [[batch.cell_arrays(k)[name].tolist() for name in names] for k in range(2)]
        assert found == [[[7], [0]], [[0], [7]]], found


# ---- times


def test_times():
    with folder() as where:
        text = vtk.LEGACY.replace(
            "POINTS", "FIELD F 2\nTIME 1 1 double\n{}\nCYCLE 1 1 int\n3\nPOINTS", 1
        )
        for k, time in enumerate((2.5, 0.5)):
            samples.put(f"{where}/a{k}.vtk", text.format(time))
        names = [f"{where}/a{k}.vtk" for k in (1, 0)]
        out = f"{where}/out.vtkhdf"
        impinge.convert(names, out, order="given", quiet=True)
        with impinge.open(out) as batch:
            assert batch.times.tolist() == [0.5, 2.5]


# ---- OpenFOAM


def test_foam():
    """Patches share points and keep the numbers of faces; a region has points of its own."""
    with folder() as where:
        found = Found(plain.case(where))
        assert len(found.mesh.points) == 4 and found.mesh.ids.tolist() == [0, 1, 2, 3]
        assert found.mesh.names == ["wall", "other"] and not found.counted
        plain.case(where, mesh="constant/air/polyMesh")
        found = Found(where)
        assert len(found.mesh.points) == 8
        assert found.mesh.names == ["wall", "other", "air/wall", "air/other"]
        plain.case(where, mesh="constant/air/polyMesh", cellZones="0()")
        plain.case(where, cellZones="0()")
        assert Found(where).counted == {"cellZones": 2}  # in both regions
        samples.put(f"{where}/0/U", "x")
        moved = plain.FOAM + plain.MESH["points"].replace("1 0 0", "2 0 0")
        samples.put(f"{where}/-0.5/air/polyMesh/points", moved)
        found = Found(where)
        assert found.times == [-0.5], found.times
        assert np.ptp(found.mesh.points[:4], 0).tolist() == [1, 1, 1]
        assert np.ptp(found.mesh.points[4:], 0).tolist() == [2, 1, 1]


# ---- Exodus


def test_exodus():
    with folder() as where:
        for names, moved in (
            (("disp_x", "heat", "disp_y", "disp_z"), [1, 1, 1]),
            (("DISPLX", "displ"), [1, 0, 0]),
            (("displacement_2",), [0, 1, 0]),
        ):
            found = Found(solvers.exodus_file(where, names=names))
            assert found.times == [2.5] and found.mesh.points[0].tolist() == moved, found.text
        blocks = (("TRI", 3), ("SPHERE", 1), ("QUAD", 4), ("NSIDED", 0))
        more = {"elem_num_map": (("num_elem",), [70, 80, 90, 95])}
        found = Found(solvers.exodus_file(where, blocks, more))
        assert found.mesh.ids.tolist() == [70, 90, 95] and found.skipped == 1
        assert found.mesh.names == ["block 1", "block 3", "block 4"]
        assert len(found.mesh.points) == 3 + 5  # the last two share four
        found = Found(solvers.exodus_file(where, blocks))
        assert found.mesh.ids.tolist() == [1, 3, 4]
        # what no step moves is read once, as it is
        path = solvers.exodus_file(where, names=("heat",))
        with netCDF4.Dataset(path, "a") as file:
            file.variables["time_whole"][:] = [0, 1]
            file.variables["coordz"][:3] = -0.0
        read, exodus._Exodus._block = exodus._Exodus._block, counting(exodus._Exodus._block)
        try:
            found = Found(path)
            assert len(found.cells) == 2 and exodus._Exodus._block.calls == 1, found.text
        finally:
            exodus._Exodus._block = read
        assert np.signbit(found.mesh.points[:, 2]).all(), found.mesh.points


def counting(function):
    """The function, and how often it was called."""

    def made(*given):
        made.calls += 1
        return function(*given)

    made.calls = 0
    return made


# ---- EnSight


def test_ensight():
    """Text and binary are the same, EnSight 6 shares nodes of parts; numbers, steps, times."""
    with folder() as where:
        whole = Found(solvers.ensight_files(where))
        for make in (lambda: solvers.binary(where, False), lambda: solvers.binary(where, True)):
            found = Found(make())
            assert found.cells == whole.cells and found.mesh.names == ["skin"], found.text
        found = Found(solvers.six(where))
        assert found.cells == whole.cells and found.mesh.ids.tolist() == [77]
        with open(f"{where}/a.geo") as stream:
            text = stream.read()
        more = f"part 2\nbone\ntria3\n{1:8}\n{78:8}{8:8}{7:8}{10:8}\n"
        found = Found(
            solvers.ensight_files(where, solvers.CASE.format("").replace(" gold", ""), text + more)
        )
        assert len(found.mesh.points) == 4 and found.mesh.names == ["skin", "bone"], found.text
        assert found.mesh.ids.tolist() == [77, 78]
        gone = text.replace(f"{9:8}\n", f"{999:8}\n")
        found = Found(
            solvers.ensight_files(where, solvers.CASE.format("").replace(" gold", ""), gone)
        )
        assert "there is no node 999, of an element of skin" in found.text, found.text
        times = "TIME\ntime set: 1\nnumber of steps: 2\nfilename numbers: 3 7\n"
        times += "time values:\n0.5\n1.25\n"
        case = solvers.CASE.replace("a.geo", "1 a**.geo").format(times)
        for k, x in ((3, "3.00000e+00"), (7, "7.00000e+00")):
            samples.put(f"{where}/a{k:02}.geo", solvers.GOLD.replace("1.00000e+00", x, 1))
        found = Found(samples.put(f"{where}/a.case", case))
        assert found.times == [0.5, 1.25] and [c[0][1][0] for c in found.cells] == [3, 7]
        for k in (3, 7):  # a model of all steps, and one of which all are in one file
            os.unlink(f"{where}/a{k:02}.geo")
        still = solvers.CASE.format(times)
        steps = solvers.CASE.replace("a.geo", "1 1 a.geo").format(times + FILE_OF_STEPS)
        step = "BEGIN TIME STEP\n{}END TIME STEP\n"
        last = solvers.GOLD.replace("1.00000e+00", "7.00000e+00", 1)
        for case_, geo, parsed, ends in (
            (still, solvers.GOLD, 1, [1, 1]),
            (steps, step.format(solvers.GOLD) + step.format(last), 2, [1, 7]),
        ):
            path = solvers.ensight_files(where, case_, geo)
            before, ensight._words = ensight._words, counting(ensight._words)
            try:
                found = Found(path)
                assert [c[0][1][0] for c in found.cells] == ends, found.text
                assert ensight._words.calls == parsed
            finally:
                ensight._words = before
        huge = (2**31 - 1).to_bytes(4, "big")  # elements, of which there is no number
        path = solvers.binary(where, False)
        with open(f"{where}/a.geo", "r+b") as stream:
            data = stream.read()
            stream.seek(data.index(b"tria3") + 80)
            stream.write(huge)
        assert "the file ends where" in Found(path).text
        samples.put(f"{where}/a.case", case)
        samples.put(f"{where}/a03.geo", solvers.GOLD)
        what = raises(impinge.InputError, impinge.convert, f"{where}/a.case", f"{where}/o.vtkhdf")
        assert "a07.geo" in str(what)


# ---- d3plot


def test_dyna():
    """Parts share nodes; an element that is deleted is left out from then on."""
    try:
        from lasso.dyna import ArrayType, D3plot
    except ImportError as what:
        print(f"    skipped: {what}")
        return
    with folder() as where:
        sample = next(samples.d3plot(where))
        found = Found(sample.file)
        assert len(found.mesh.points) == 7 and found.mesh.ids.tolist() == [1, 2, 3, 4]
        plot = D3plot(sample.file)
        alive = np.ones((3, 4))
        alive[2, 1] = 0
        plot.arrays[ArrayType.element_shell_is_alive] = alive
        plot.arrays[ArrayType.element_shell_ids] = np.array([40, 30, 20, 10])
        plot.write_d3plot(sample.file, single_file=False)
        with open(sample.file, "r+b") as stream:
            stream.seek(14 * 4)
            stream.write(np.float32(971).tobytes())
        found = Found(sample.file)
        assert [len(cells) for cells in found.cells] == [4, 4, 3], found.text
        assert found.mesh.ids.tolist() == [40, 20, 10] and len(found.mesh.points) == 7


# ---- XDMF


def test_xdmf():
    with folder() as where:
        whole = Found(samples.put(f"{where}/a.xdmf", solvers.xdmf_file(solvers.uniform())))
        for make in (solvers.heavy, lambda where: solvers.raw(where, "")):
            assert Found(make(where)).cells == whole.cells
        moved = solvers.GEOMETRY.replace("1.0 0.0", "2.0 0.0", 1)
        time = '<Time Value="{}"/>'
        grids = [
            solvers.uniform(more=time.format(t), geometry=g)
            for t, g in ((2, moved), (1, solvers.GEOMETRY))
        ]
        found = Found(
            samples.put(
                f"{where}/a.xdmf", solvers.xdmf_file(solvers.collection("Temporal", *grids))
            )
        )
        assert found.times == [1, 2] and [c[0][1][0] for c in found.cells] == [1, 2]
        two = solvers.collection(
            "Spatial", solvers.uniform("left"), solvers.uniform("right", geometry=moved)
        )
        found = Found(samples.put(f"{where}/a.xdmf", solvers.xdmf_file(two)))
        assert found.mesh.names == ["left", "right"] and len(found.mesh.points) == 66
        # two grids of one Geometry share its points; a mesh that is there twice is read once
        include = '<xi:include xpointer="xpointer(//Grid[@Name=&quot;left&quot;]/{})"/>'
        other = solvers.topology("Triangle", [2, 1, 3]) + include.format("Geometry")
        other = f'<Grid Name="b">{other}</Grid>'
        found = Found(
            samples.put(f"{where}/a.xdmf", solvers.xdmf_file(solvers.uniform("left"), other))
        )
        assert len(found.mesh.points) == 33 and len(found.cells[0]) == 2, found.text
        both = include.format("*[self::Topology or self::Geometry]")
        series = [solvers.collection("Temporal", *(f'<Grid Name="t">{both}{time.format(t)}</Grid>'
                  for t in times)) for times in ((0, 1), (0, 1))]  # fmt: skip
        found = Found(
            samples.put(f"{where}/a.xdmf", solvers.xdmf_file(solvers.uniform("left"), *series))
        )
        assert found.times == [0, 1] and [len(c) for c in found.cells] == [1, 1], found.text


def test_xdmf_arrays():
    """Arrays of grids whose mesh another one has are lost, and named; each path is walked once."""
    include = '<xi:include xpointer="xpointer(//Grid[@Name=&quot;left&quot;]/*[self::Topology or '
    include += 'self::Geometry])"/>'
    item = solvers.ITEM.format(1, "Float", "1.5")
    row = f'<Grid Name="t">{include}<Time Value="{{}}"/><Attribute Name="{{}}" Center="Cell">'
    row += f"{item}</Attribute></Grid>"
    again = f'<Grid Name="b">{include}<Attribute Name="p">{item}</Attribute></Grid>'
    series = [solvers.collection("Temporal", *(row.format(t, f"{name}{t}") for t in range(4)))
              for name in "uv"]  # fmt: skip
    walked = xdmf_tree.Tree._walk
    with folder() as where:
        for grids, lost in (
            ([again], ["p"]),
            (series[:1], ["u0", "u1", "u2", "u3"]),
            (series, [f"{name}{t}" for name in "vu" for t in range(4)]),
        ):
            content = solvers.xdmf_file(solvers.uniform("left"), *grids)
            path = samples.put(f"{where}/a.xdmf", content)
            xdmf_tree.Tree._walk = counting(walked)
            try:
                found = Found(path)
                assert xdmf_tree.Tree._walk.calls == 1
            finally:
                xdmf_tree.Tree._walk = walked
            assert sorted(found.counted) == sorted(lost), (found.counted, found.text)


main(globals())
