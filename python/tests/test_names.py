"""Bodies of one name in a file are objects of their own: their contacts are between objects."""

import sys

import impinge
import numpy as np
from common import folder, main

try:
    import contents_plain as plain
    import contents_solvers as solvers
    import contents_vtk as vtk
    import netCDF4
    import samples
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

from contents import Found, contacts, convert  # noqa: E402
from impinge.importers.mesh import distinct  # noqa: E402

ONE, TWO = "0 0 0 1 0 0 0 1 0", "0.2 0.2 -1 0.2 0.3 1 3 3 0.5"  # two triangles that cross


def rows(triangle):
    return np.array(triangle.split(), float).reshape(3, 3)


def stl_twice(where):
    facets = (plain.FACET.replace("vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0", "".join(
        f"vertex {x:g} {y:g} {z:g}\n" for x, y, z in rows(of))) for of in (ONE, TWO))  # fmt: skip
    return samples.put(f"{where}/a.stl", "".join(f"solid p\n{f}endsolid p\n" for f in facets))


def listing(kind, inside):
    return f'<VTKFile type="{kind}" version="1.0"><{kind}>{inside}</{kind}></VTKFile>'


def two_files(where):
    """Data sets of a list of blocks, both named p."""
    for k, of in enumerate((ONE, TWO)):
        samples.put(f"{where}/{k}.vtp", vtk.poly(points=of))
    return "".join(f'<DataSet index="{k}" name="p" file="{k}.vtp"/>' for k in range(2))


def blocks_twice(where):
    return samples.put(f"{where}/a.vtm", listing("vtkMultiBlockDataSet", two_files(where)))


def exodus_twice(where):
    path = solvers.exodus_file(where, blocks=(("TRI", 3), ("TRI", 3)))
    with netCDF4.Dataset(path, "a") as file:
        names = file.createVariable("eb_names", "S1", ("num_el_blk", "len_name"))
        names[:] = np.array([list("p".ljust(33, "\0"))] * 2, "S1")
        for axis, column in zip("xyz", rows(TWO).T):
            file.variables[f"coord{axis}"][3:6] = column
    return path


def part(number, of, name="p"):
    points = solvers.coordinates(rows(of))
    return f"part\n{number:10}\n{name}\n{points}{solvers.TRIA}"


GOLD = "a\nb\nnode id off\nelement id off\n"


def gold_twice(where):
    return solvers.ensight_files(where, geo=GOLD + part(1, ONE) + part(7, TWO))


def six_twice(where):
    at = np.concatenate([rows(ONE), rows(TWO)])
    text = "".join("".join(f"{x:12.5e}" for x in p) + "\n" for p in at)
    parts = "".join(f"part {k}\np\ntria3\n{1:8}\n{3 * k - 2:8}{3 * k - 1:8}{3 * k:8}\n"
                    for k in (1, 2))  # fmt: skip
    geo = f"{GOLD}coordinates\n{6:8}\n{text}{parts}"
    return solvers.ensight_files(where, solvers.ONE_CASE.replace(" gold", ""), geo)


def xdmf_twice(where):
    grids = (
        solvers.uniform(
            "p", geometry=f"<Geometry>{solvers.ITEM.format('3 3', 'Float', of)}</Geometry>"
        )
        for of in (ONE, TWO)
    )
    return samples.put(f"{where}/a.xdmf", solvers.xdmf_file(*grids))


def tecplot_twice(where):
    zones = (f'ZONE T="p", N=3, E=1, F=FEPOINT, ET=TRIANGLE\n{of}\n1 2 3\n' for of in (ONE, TWO))
    return samples.put(f"{where}/a.tec", 'VARIABLES = "X" "Y" "Z"\n' + "".join(zones))


def test_distinct():
    given = ["a", "a (2)", "a", "", "", "a", "b", "b", "b (2)", "a (2)"]
    want = ["a", "a (2)", "a (3)", "", "", "a (4)", "b", "b (3)", "b (2)", "a (2) (2)"]
    assert distinct(given) == want, distinct(given)
    assert distinct([]) == [] and distinct(want) == want


def test_names():
    """Bodies of one name are two objects, whose contacts are between objects."""
    makers = (stl_twice, blocks_twice, exodus_twice, gold_twice, six_twice, xdmf_twice)
    for make in (*makers, tecplot_twice):
        with folder() as where:
            path = make(where)
            found = Found(path)
            assert found.mesh and found.mesh.names == ["p", "p (2)"], (path, found.text, found.mesh)
            batch, _ = convert(path, where)
            assert contacts(batch, where, "--pairs", "between") == 1, path


def test_parts_of_one_name():
    """Parts of a PVD have names of their own at all times; files of one group are one object."""
    with folder() as where:
        two_files(where)
        one = '<DataSet timestep="{}" part="{}" {} file="{}.vtp"/>'
        listed = one.format(0, 0, 'name="p"', 0) + one.format(0, 1, 'name="p"', 1)
        listed += one.format(1, 1, 'name="p"', 1)
        path = samples.put(f"{where}/a.pvd", listing("Collection", listed))
        batch, _ = convert(path, where)
        assert contacts(batch, where, "--pairs", "between") == 1
        with impinge.open(batch) as found:
            names = [[found.names[n] for n in frame.objects.tolist()] for frame in found]
        assert names == [["p", "p (2)"], ["p (2)"]], names
        samples.put(path, listing("Collection", listed.replace("name=", "group=")))
        assert Found(path).mesh.names == ["p"]
        # of several without a name and with one number each is an object
        samples.put(path, listing("Collection", one.format(0, 0, "", 0) + one.format(0, 0, "", 1)))
        batch, _ = convert(path, where)
        assert contacts(batch, where, "--pairs", "between") == 1
        assert Found(path).mesh.names == ["part 0", "part 0 (2)"]


def test_one_body():
    """Pieces of one partitioned data set are one object."""
    with folder() as where:
        inside = f'<Partitions index="0" name="p">{two_files(where)}</Partitions>'
        path = samples.put(f"{where}/a.vtpc", listing("vtkPartitionedDataSetCollection", inside))
        found = Found(path)
        assert len(found.cells[0]) == 2 and len(found.mesh.names) == 1, (found.text, found.mesh)


def test_file_twice():
    """As objects it is two bodies, read here or by the program."""
    with folder() as where:
        off = samples.put(f"{where}/a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
        obj = samples.put(f"{where}/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        for file in (off, obj):
            impinge.convert([file, file], f"{where}/b.vtkhdf", as_="objects", force=True)
            with impinge.open(f"{where}/b.vtkhdf") as found:
                assert list(found.names.values()) == [file, f"{file} (2)"], found.names


def test_names_in_time():
    """A part of EnSight keeps its name where another one of its description is not there."""
    with folder() as where:
        times = "TIME\ntime set: 1\nnumber of steps: 3\nfilename numbers: 0 1 2\n"
        case = solvers.CASE.replace("a.geo", "1 g*.geo").format(f"{times}time values: 0 1 2\n")
        first, second = part(1, ONE), part(7, TWO)
        for k, parts in enumerate((first + second, second, second + first)):
            samples.put(f"{where}/g{k}.geo", GOLD + parts)
        batch, _ = convert(samples.put(f"{where}/a.case", case), where)
        with impinge.open(batch) as found:
            names = [[found.names[n] for n in frame.objects.tolist()] for frame in found]
        assert names == [["p", "p (2)"], ["p (2)"], ["p (2)", "p"]], names


main(globals())
