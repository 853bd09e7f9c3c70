"""What becomes of each keyword of each format that is read here: a file for each one of manuals.py.
IMPINGE_WRITE_TABLE=1 writes python/keywords.md."""

import json
import sys

from common import check_page, folder, main
from sample import put

try:
    import keyword_files as decks
    import keyword_meshes as meshes
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

from keyword_files import Found  # noqa: E402

HEAD = """# Keywords of the formats that are read here

Made by `python/tests/test_keywords.py` (`IMPINGE_WRITE_TABLE=1` writes it again): for each keyword
that a format's manual lists ([tests/manuals.py](tests/manuals.py)) it writes a file and has it
read. *Taken* is what makes, moves or names nodes and elements; *refused* is an error that names
file, line and keyword; *ignored* is neither surface nor solid, moves none, and is counted in one
warning. A keyword in none of these lists is refused.
"""


MAKERS = (
    decks.abaqus,
    decks.nastran,
    decks.gmsh,
    meshes.su2,
    meshes.tecplot,
    meshes.off,
    meshes.medit,
    meshes.netgen,
    meshes.kratos,
    meshes.others,
    meshes.med,
    meshes.gltf,
)


def test_keywords():
    check_page("keywords.md", HEAD, MAKERS)


def test_unknown():
    """A word that no manual has is refused, and named."""
    cases = {
        ".inp": decks.PLAIN + "*NOSUCHWORD\n",
        ".bdf": decks.BULK + "NOSUCH,1\n",
        ".su2": meshes.SU2 + "NOSUCH= 1\n",
        ".mesh": meshes.MEDIT.format("NoSuch\n1\n1\n"),
        ".vol": meshes.NETGEN.format("nosuch\n1\n1\n"),
        ".mdpa": meshes.KRATOS + "Begin NoSuch\nEnd NoSuch\n",
        ".off": "NOSUCH\n",
        ".dat": meshes.TEC + meshes.ZONE.format(", NOSUCH=1"),
        ".f3grid": "NOSUCH 1\n",
        ".gltf": json.dumps(
            meshes.gltf_tree(extensionsUsed=["NO_SUCH"], extensionsRequired=["NO_SUCH"])
        ),
    }
    with folder() as where:
        for ending, content in cases.items():
            path = put(f"{where}/a{ending}", content)
            found = Found(path)
            assert found.text.startswith(path) and "NOSUCH" in found.text.upper().replace("_", "")


def test_refused_formats():
    """Formats that no reader reads honestly are refused by name."""
    from impinge.importers.readers import REFUSED

    with folder() as where:
        for ending, what in REFUSED.items():
            found = Found(put(f"{where}/a{ending}", "x"))
            assert found.text.startswith(f"{where}/a{ending}: {what}: not read"), found.text
        found = Found(put(f"{where}/a.msh", "(0 grid)"))
        assert "ANSYS" in found.text, found.text


main(globals())
