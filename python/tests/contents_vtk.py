"""Files for what VTK's file formats may have, by "VTK File Formats" (docs.vtk.org) and vtkCellType.h."""
# ruff: noqa: E501

import re

from contents import section, sort
from sample import put

TRIANGLE = "0 0 0 1 0 0 0 1 0"


def array(name, content, kind="Float64", width=1):
    return (
        f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{width}" format="ascii">'
        f"{content}</DataArray>"
    )


def cells(tag, corners, offsets, types=""):
    made = array("connectivity", corners, "Int64") + array("offsets", offsets, "Int64")
    return f"<{tag}>{made}{types and array('types', types, 'UInt8')}</{tag}>"


def file(kind, body, more=""):
    return f'<VTKFile type="{kind}" version="1.0">\n<{kind}{more}>{body}</{kind}></VTKFile>'


def poly(inside="", points=TRIANGLE, extra="", counts=""):
    """A triangle, as PolyData, and more inside its piece or beside it."""
    n = len(points.split()) // 3
    body = f"<Points>{array('Points', points, width=3)}</Points>\n{inside}"
    body += cells("Polys", "0 1 2", "3")
    piece = f'<Piece NumberOfPoints="{n}" {counts or POLYS}>{body}</Piece>'
    return file("PolyData", extra + piece)


POLYS = 'NumberOfPolys="1"'


def grid(types="5", corners="0 1 2", offsets="3", points=TRIANGLE, inside=""):
    n, m = len(points.split()) // 3, len(types.split())
    body = f"<Points>{array('Points', points, width=3)}</Points>{inside}"
    body += cells("Cells", corners, offsets, types)
    return file(
        "UnstructuredGrid", f'<Piece NumberOfPoints="{n}" NumberOfCells="{m}">{body}</Piece>'
    )


def of(content, name="a.vtp", **others):
    """Writes files; the first is read."""

    def make(where):
        for other, text in others.items():
            put(f"{where}/{other.replace('_', '.')}", text)
        return put(f"{where}/{name}", content)

    return make


def surface(kind, more, inside):
    return file(
        kind, f'<Piece Extent="0 1 0 1 0 0">{inside}</Piece>', f' WholeExtent="0 1 0 1 0 0"{more}'
    )


SQUARE = "0 0 0 1 0 0 0 1 0 1 1 0"
AXES = "".join(array(a, "0 1" if a != "z" else "0") for a in "xyz")
COUNTED = POLYS + ' Number{}="1"'


def xml(where):
    points = f"<Points>{array('Points', SQUARE, width=3)}</Points>"
    block = '<VTKFile type="{0}" version="1.0"><{0}>{1}</{0}></VTKFile>'
    leaf = '<DataSet index="0" name="a" file="b.vtp"/>'
    whole = '<PPoints><PDataArray type="Float64" Name="Points" NumberOfComponents="3"/></PPoints>'
    parallel = '<VTKFile type="P{0}" version="1.0"><P{0} GhostLevel="0">{1}<Piece Source="{2}"/></P{0}></VTKFile>'
    time = f"<FieldData>{array('TimeValue', '2.5')}</FieldData>"
    one = array("x", "1")
    files = {
        "PolyData": of(poly()),
        "UnstructuredGrid": of(grid(), "a.vtu"),
        "StructuredGrid": of(surface("StructuredGrid", "", points), "a.vts"),
        "RectilinearGrid": of(
            surface("RectilinearGrid", "", f"<Coordinates>{AXES}</Coordinates>"), "a.vtr"
        ),
        "ImageData": of(surface("ImageData", ' Origin="1 2 3" Spacing="2 1 1"', ""), "a.vti"),
        "PPolyData": of(parallel.format("PolyData", whole, "b.vtp"), "a.pvtp", b_vtp=poly()),
        "PUnstructuredGrid": of(
            parallel.format("UnstructuredGrid", whole, "b.vtu"), "a.pvtu", b_vtu=grid()
        ),
        "PPolyData, CellData that is not declared": of(
            parallel.format("PolyData", whole, "b.vtp"),
            "a.pvtp",
            b_vtp=poly(f"<CellData>{array('PartId', '7', 'Int32')}</CellData>"),
        ),
        "PPolyData, vtkGhostType that is not declared": of(
            parallel.format("PolyData", whole, "b.vtp"),
            "a.pvtp",
            b_vtp=poly(f"<CellData>{array('vtkGhostType', '0', 'UInt8')}</CellData>"),
        ),
        "a Piece that is missing": of(parallel.format("PolyData", whole, "b.vtp"), "a.pvtp"),
        "vtkMultiBlockDataSet": of(
            block.format("vtkMultiBlockDataSet", leaf), "a.vtm", b_vtp=poly()
        ),
        "a DataSet that is missing": of(block.format("vtkMultiBlockDataSet", leaf), "a.vtm"),
        "vtkPartitionedDataSetCollection": of(
            block.format(
                "vtkPartitionedDataSetCollection", f'<Partitions index="0">{leaf}</Partitions>'
            ),
            "a.vtpc",
            b_vtp=poly(),
        ),
        "vtkHierarchicalBoxDataSet": of(block.format("vtkHierarchicalBoxDataSet", leaf), "a.vtm"),
        "vtkOverlappingAMR": of(block.format("vtkOverlappingAMR", leaf), "a.vtm"),
        "HyperTreeGrid": of(block.format("HyperTreeGrid", ""), "a.vtu"),
        "Table": of(block.format("Table", ""), "a.vtu"),
        "Verts": of(poly(cells("Verts", "0", "1"), counts=COUNTED.format("OfVerts"))),
        "Lines": of(poly(cells("Lines", "0 1", "2"), counts=COUNTED.format("OfLines"))),
        "Strips": of(poly(cells("Strips", "0 1 2", "3"), counts=COUNTED.format("OfStrips"))),
        "FieldData, TimeValue": of(poly(extra=time)),
        "DataArray, TimeStep": of(poly().replace('Name="Points"', 'Name="Points" TimeStep="0"')),
        "PointData": of(poly(f"<PointData>{array('x', '1 2 3')}</PointData>")),
        "CellData, floats": of(poly(f"<CellData>{one}</CellData>")),
        "CellData, integers": of(poly(f"<CellData>{array('PartId', '7', 'Int32')}</CellData>")),
        "CellData, ObjectId": of(poly(f"<CellData>{array('ObjectId', '-7', 'Int32')}</CellData>")),
        "CellData, GlobalCellIds": of(
            poly(f"<CellData>{array('GlobalCellIds', '7', 'Int64')}</CellData>")
        ),
        "PointData, GlobalPointIds": of(
            poly(f"<PointData>{array('GlobalPointIds', '7 8 9', 'Int64')}</PointData>")
        ),
        "another element": of(poly("<Frob/>")),
        "another array of cells": of(
            poly().replace('Name="offsets"', 'Name="weights"').replace("</Polys>", one + "</Polys>")
        ),
    }
    marks = {
        "PointData": "PointData/x",
        "CellData, floats": "CellData/x",
        "PPolyData, CellData that is not declared": "CellData/PartId",
        "PPolyData, vtkGhostType that is not declared": "CellData/vtkGhostType",
        "a Piece that is missing": "piece 0 cannot be read",
        "a DataSet that is missing": "b.vtp",
        "DataArray, TimeStep": "TimeStep",
        "another element": "<Frob>",
        "another array of cells": "'weights'",
    }
    grids = ("StructuredGrid", "RectilinearGrid", "ImageData")
    kinds = sort(where, of(poly()), files, marks, other=grids)
    # left out and counted, so the triangle is missing
    text = (
        "`vtkGhostType`: duplicate and hidden cells are left out and counted; of structured grids "
    )
    text += "also those with a hidden point. Volumes of structured grids are refused."
    return section("VTK XML: elements and arrays", text, kinds)


CORNERS = {
    0: 0, 1: 1, 2: 3, 3: 2, 4: 3, 5: 3, 6: 4, 7: 5, 8: 4, 9: 4, 10: 4, 11: 8, 12: 8, 13: 6, 14: 5,
    15: 10, 16: 12, 21: 3, 22: 6, 23: 8, 24: 10, 25: 20, 26: 15, 27: 13, 28: 9, 29: 27, 30: 6,
    31: 12, 32: 18, 33: 24, 34: 7, 35: 4, 36: 8, 37: 19, 41: 4, 68: 2, 69: 3, 70: 4, 71: 4, 72: 8,
    73: 6, 74: 5, 75: 2, 76: 3, 77: 4, 78: 4, 79: 8, 80: 6, 81: 5,
}  # fmt: skip
HIGHER = {69: (6, 10), 70: (9, 16), 71: (10, 20), 76: (6,), 77: (9,), 78: (10,), 68: (3,), 75: (4,)}
NAMES = {41: "convex point set"}


def types(where):
    points = TRIANGLE + "".join(f" {k % 3} {k % 5} {k}" for k in range(1, 30))
    files, marks = {}, {}
    for kind, sizes in {k: (n, *HIGHER.get(k, ())) for k, n in CORNERS.items()}.items():
        for n in sizes:
            word = f"{kind}" + (f" of {n} points" if kind > 67 else "")
            corners = " ".join(str(3 + k) for k in range(n))
            content = grid(f"5 {kind}", f"0 1 2 {corners}", f"3 {3 + n}", points)
            files[word] = of(content, "a.vtu")
            marks[word] = "which is not read"
    kinds = sort(where, of(grid("5", points=points), "a.vtu"), files, marks)
    text = "By their numbers. Those with no points (0) are nothing, points and lines are counted."
    return section("VTK: types of cells", text, kinds)


HEAD = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n"
LEGACY = HEAD + f"POINTS 3 double\n{TRIANGLE}\nPOLYGONS 1 4\n3 0 1 2\n"


def legacy(where):
    def plain(text):
        return of(text, "a.vtk")

    points = f"POINTS 4 double\n{SQUARE}\n"
    grid = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET {}\n"
    data = LEGACY + "POINT_DATA 3\n{}\n1 2 3 4 5 6 7 8 9\n"
    files = {
        "DATASET POLYDATA": plain(LEGACY),
        "DATASET UNSTRUCTURED_GRID, CELLS, CELL_TYPES": plain(
            grid.format("UNSTRUCTURED_GRID") + points + "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\n"
        ),
        "DATASET STRUCTURED_GRID, DIMENSIONS": plain(
            grid.format("STRUCTURED_GRID") + "DIMENSIONS 2 2 1\n" + points
        ),
        "DATASET STRUCTURED_POINTS, ORIGIN, SPACING": plain(
            grid.format("STRUCTURED_POINTS") + "DIMENSIONS 2 2 1\nORIGIN 1 2 3\nSPACING 2 1 1\n"
        ),
        "DATASET RECTILINEAR_GRID, X_COORDINATES": plain(
            grid.format("RECTILINEAR_GRID") + "DIMENSIONS 2 2 1\nX_COORDINATES 2 float\n0 1\n"
            "Y_COORDINATES 2 float\n0 1\nZ_COORDINATES 1 float\n0\n"
        ),
        "DATASET TABLE": plain(grid.format("TABLE") + "ROW_DATA 1\nFIELD FieldData 1\na 1 1 int\n1\n"),
        "DATASET UNDIRECTED_GRAPH": plain(
            grid.format("UNDIRECTED_GRAPH") + "POINTS 1 float\n0 0 0\nVERTICES 1\nEDGES 0\n"
        ),
        "FIELD without DATASET": plain("# vtk DataFile Version 3.0\nx\nASCII\nFIELD x 1\na 1 1 int\n3\n"),
        "VERTICES": plain(LEGACY + "VERTICES 1 2\n1 0\n"),
        "LINES": plain(LEGACY + "LINES 1 3\n2 0 1\n"),
        "TRIANGLE_STRIPS": plain(LEGACY + "TRIANGLE_STRIPS 1 4\n3 0 1 2\n"),
        "POINTS, twice": plain(LEGACY + f"POINTS 3 double\n{TRIANGLE}\n"),
        "POLYGONS, twice": plain(LEGACY + "POLYGONS 1 4\n3 2 1 0\n"),
        "DATASET, twice": plain(LEGACY + "DATASET POLYDATA\n"),
        "FIELD, TIME": plain(LEGACY.replace("POINTS", "FIELD F 1\nTIME 1 1 double\n2.5\nPOINTS", 1)),
        "POINT_DATA, SCALARS": plain(LEGACY + "POINT_DATA 3\nSCALARS x float 1\nLOOKUP_TABLE default\n1 2 3\n"),
        "VECTORS": plain(data.format("VECTORS x float")),
        "NORMALS": plain(data.format("NORMALS x float")),
        "CELL_DATA, SCALARS of integers": plain(
            LEGACY + "CELL_DATA 1\nSCALARS PartId int 1\nLOOKUP_TABLE default\n7\n"
        ),
        "GLOBAL_IDS": plain(LEGACY + "POINT_DATA 3\nGLOBAL_IDS g vtkIdType\n7 8 9\n"),
        "METADATA": plain(
            LEGACY.replace("POLYGONS", "METADATA\nINFORMATION 0\n\nPOLYGONS", 1)
        ),
        "another word": plain(LEGACY + "FROB 3\n"),
    }  # fmt: skip
    marks = {
        "POINT_DATA, SCALARS": "PointData/x", "VECTORS": "PointData/x", "NORMALS": "PointData/x",
        "POINTS, twice": "POINTS", "POLYGONS, twice": "POLYGONS", "DATASET, twice": "dataset",
        "another word": "frob", "DATASET TABLE": "vtkTable", "GLOBAL_IDS": "PointData/g",
        "DATASET UNDIRECTED_GRAPH": "vtkUndirectedGraph", "FIELD without DATASET": "",
    }  # fmt: skip
    grids = [word for word in files if re.search("STRUCTURED_(GRID,|POINTS)|RECTI", word)]
    kinds = sort(where, plain(LEGACY), files, marks, ("METADATA",), grids)
    return section("VTK, legacy files: keywords", "", kinds)
