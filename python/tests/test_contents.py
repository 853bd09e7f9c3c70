"""What becomes of all that a format may have, by its manual: a file for each. IMPINGE_WRITE_TABLE=1
writes python/contents.md."""
# ruff: noqa: E501

import sys

from common import check_page, main

try:
    import alembic3d  # noqa: F401
    import contents_caches as caches
    import contents_plain as plain
    import contents_solvers as solvers
    import contents_vtk as vtk
    import h5py  # noqa: F401
    import lasso  # noqa: F401
    import netCDF4  # noqa: F401
    import vtkmodules  # noqa: F401
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

HEAD = """# What is taken of files of VTK, STL, PLY, OpenFOAM, Exodus, EnSight, LS-DYNA, XDMF and Alembic

Made by `python/tests/test_contents.py` (`IMPINGE_WRITE_TABLE=1` writes it again), which writes a file for each thing
that a format's manual lists and has it read. *Taken* is what makes, moves or names points and cells, or gives a time.
*Refused* is an error that names the file, the line where there are lines, and the thing. *Counted* is left out, and
said in one warning with how often it is there. *Ignored* says nothing of the mesh. What is in none of these lists is
refused.
"""
MAKERS = (
    vtk.xml, vtk.types, vtk.legacy, solvers.lists, plain.stl, plain.ply, plain.foam, solvers.exodus,
    solvers.ensight, solvers.dyna, solvers.xdmf, caches.alembic,
)  # fmt: skip


def test_contents():
    check_page("contents.md", HEAD, MAKERS)


main(globals())
