"""A file for each keyword of Abaqus, Nastran and Gmsh, and what became of it."""

import re

import contents
import manuals
from sample import put


class Found(contents.Found):
    """What became of a file."""

    def kind(self, word):
        if self.text:
            return "refused"
        if self.of_skin:
            return "with --skin"
        named = any(
            word in re.split(r"[ *$()]+", noted) or word == noted.lstrip("*$")
            for noted in self.counted
        )
        return "ignored" if named else "taken"


def sort(where, ending, files, plain, lines=True):
    """Words by what became of them. Of those that are not refused the cells must be those of the
    plain file, and more; refusals name the file, the line and the word."""
    whole = Found(put(f"{where}/plain{ending}", plain))
    assert not whole.text and whole.cells[0], whole.text
    kinds = {"taken": [], "with --skin": [], "refused": [], "ignored": []}
    for word, content in files:
        path = put(f"{where}/a{ending}", content)
        found = Found(path)
        kind = found.kind(word)
        if kind == "refused":
            at = rf"{re.escape(path)}: {'line [0-9]+: ' if lines else ''}"
            assert re.match(at, found.text) and word in found.text, (word, found.text)
            assert "\n" not in found.text
        else:
            for cell in whole.cells[0]:
                assert cell in found.cells[0], (word, cell)
        if kind == "ignored":
            assert found.cells == whole.cells, word
        kinds[kind].append(word)
    return kinds


def section(title, kinds):
    """Of the file."""
    return contents.section(title, "", kinds, ", ")


# ---- Abaqus

NODES = "*NODE, NSET=N\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"
PLAIN = NODES + "*ELEMENT, TYPE=S3, ELSET=E\n1,1,2,3\n"
ABAQUS_TAKEN = {
    "ASSEMBLY": "*ASSEMBLY, NAME=A\n",
    "ELCOPY": "*ELCOPY, OLD SET=E, ELEMENT SHIFT=10, SHIFT NODES=1\n",
    "ELEMENT": "*ELEMENT, TYPE=S3\n2,1,2,4\n",
    "ELGEN": "*ELGEN\n1,2,1,5\n",
    "ELSET": "*ELSET, ELSET=F\nE\n",
    "END ASSEMBLY": "*END ASSEMBLY\n",
    "END INSTANCE": "*PART,NAME=P\n*END PART\n*INSTANCE,NAME=I,PART=P\n*END INSTANCE\n",
    "END PART": "*PART, NAME=P\n*END PART\n",
    "HEADING": "*HEADING\na title\n",
    "INCLUDE": "*INCLUDE, INPUT=plain.inc\n",
    "INSTANCE": "*PART,NAME=P\n*END PART\n*INSTANCE,NAME=I,PART=P\n1,2,3\n*END INSTANCE\n",
    "NCOPY": "*NCOPY, OLD SET=N, CHANGE NUMBER=10, SHIFT\n1,2,3\n",
    "NFILL": "*NFILL\n1,2,2,10\n",
    "NGEN": "*NODE\n14,0,0,11\n*NGEN\n4,14,1\n",
    "NODE": "*NODE\n9,1,1,1\n",
    "NSET": "*NSET, NSET=M, GENERATE\n1,3\n",
    "PART": "*PART, NAME=P\n*END PART\n",
    "SYSTEM": "*SYSTEM\n1,2,3\n",
}


def abaqus(where):
    put(f"{where}/plain.inc", "*NODE\n77,1,2,3\n")

    def files():
        for word in manuals.words(manuals.ABAQUS) + manuals.words(manuals.CALCULIX):
            generic = f"*{word}, NAME=X\n1, 2.\n"
            yield word, PLAIN + ABAQUS_TAKEN.get(word, generic)

    yield from section("Abaqus and CalculiX, .inp: keywords", sort(where, ".inp", files(), PLAIN))
    solids = ("as hexahedra, with --skin", "as wedges, with --skin", "as pyramids, with --skin")
    named = ("as triangles", "as quads", "as tetrahedra", *solids, "counted", "refused")
    kinds = {k: [] for k in named}
    for name in manuals.words(manuals.ABAQUS_ELEMENTS):
        kinds[element(where, name)].append(name)
    yield from section("Abaqus and CalculiX, .inp: types of elements", kinds)
    values = {
        "SURFACE, TYPE=SEGMENTS": "",
        "SURFACE, TYPE=CYLINDER": "",
        "SURFACE, TYPE=REVOLUTION": "",
        "MODEL CHANGE, TYPE=ELEMENT": "",
        "RESTART, READ": "",
        "NODE, SYSTEM=S": "1,1,90,45\n",
        "NGEN, LINE=P": "1,3\n",
        "NGEN, LINE=C": "1,3\n",
        "NFILL, BIAS=2": "1,2,2\n",
        "NFILL, SINGULAR=1": "1,2,2\n",
        "NCOPY, REFLECT=POINT": "1\n",
        "ELCOPY, REFLECT": "",
        "ELEMENT, OFFSET=3, TYPE=S3": "2,1,2,4\n",
        "INSTANCE, LIBRARY=X, NAME=I": "",
        "INCLUDE, PASSWORD=X, INPUT=plain.inc": "",
        "NCOPY, POLE, OLD SET=N": "",
    }
    for value, data in values.items():
        found = Found(put(f"{where}/a.inp", f"{PLAIN}*{value}\n{data}"))
        word = value.split(",")[0]
        assert found.text.startswith(f"{where}/a.inp: line ") and f"*{word}" in found.text, value
    yield from section("Abaqus: values of parameters", {"refused": [f"*{v}" for v in values]})


def element(where, name):
    for width in (4, 3, 5, 6, 8):
        row = ",".join(map(str, [2, 1, 2, 3, 4, 4, 3, 2, 1][: width + 1]))
        found = Found(put(f"{where}/a.inp", f"{PLAIN}*ELEMENT, TYPE={name}\n{row}\n"))
        if not found.text:
            extra = {
                5: "as triangles", 9: "as quads", 10: "as tetrahedra",
                12: "as hexahedra, with --skin", 13: "as wedges, with --skin",
                14: "as pyramids, with --skin",
            }  # fmt: skip
            types = found.mesh.types.tolist()
            if len(types) == 2:
                return extra[types[1]]
            assert types == [5] and found.mesh.skipped == 1, name
            return "counted"
    # of none of these numbers of nodes: it is not said of its type, but of its nodes
    assert re.match(rf"{where}/a.inp: line [0-9]+: \*ELEMENT: TYPE={name}, ", found.text), (
        found.text
    )
    return "refused"


# ---- Nastran

GRIDS = "".join(f"GRID,{k + 1},,{x}\n" for k, x in enumerate(("0.,0.,0.", "1.,,0.", ",1.", ",,1.")))
BULK = "BEGIN BULK\n" + GRIDS + "CTRIA3,1,1,1,2,3\n"
NASTRAN_TAKEN = {
    "CHEXA": "CHEXA,2,1,1,2,3,4,1,2\n,3,4\n",
    "CORD1C": "CORD1C,9,1,2,3\n",
    "CORD1R": "CORD1R,9,1,2,3\n",
    "CORD1S": "CORD1S,9,1,2,3\n",
    "CORD2C": "CORD2C,9,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n",
    "CORD2R": "CORD2R,9,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n",
    "CORD2S": "CORD2S,9,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n",
    "CPENTA": "CPENTA,2,1,1,2,3,4,1,2\n",
    "CPYRA": "CPYRA,2,1,1,2,3,4,1\n",
    "CPYRAM": "CPYRAM,2,1,1,2,3,4,1\n",
    "CQUAD4": "CQUAD4,2,1,1,2,3,4\n",
    "CQUADR": "CQUADR,2,1,1,2,3,4\n",
    "CSHEAR": "CSHEAR,2,1,1,2,3,4\n",
    "CTETRA": "CTETRA,2,1,1,2,3,4\n",
    "CTRIA3": "CTRIA3,2,1,1,2,4\n",
    "CTRIAR": "CTRIAR,2,1,1,2,4\n",
    "ENDDATA": "ENDDATA\n",
    "GRDSET": "GRDSET,,,,,,,6\n",
    "GRID": "GRID,9,,1.,1.,1.\n",
    "INCLUDE": "INCLUDE 'plain.inc'\n",
}


def nastran(where):
    put(f"{where}/plain.inc", "GRID,77,,1.,2.,3.\n")
    cards = manuals.words(manuals.NASTRAN)
    files = ((card, BULK + NASTRAN_TAKEN.get(card, f"{card},7,1,1,2,3,4\n")) for card in cards)
    yield from section("Nastran, .bdf .nas .fem .dat: bulk data", sort(where, ".bdf", files, BULK))
    others = {
        "BEGIN SUPER": "BEGIN SUPER=1\n",
        "AUXMODEL": "BEGIN BULK AUXMODEL=1\n",
        "a second BEGIN BULK": BULK + "BEGIN BULK\n",
        "a replication =": BULK + "=,*1\n",
        "CHEXA of more than eight nodes": BULK + "CHEXA,2,1,1,2,3,4,1,2\n,3,4,1\n",
        "CTETRA of ten nodes": BULK + "CTETRA,2,1,1,2,3,4,5,6\n,7,8,9,10\n",
    }
    for what, content in others.items():
        found = Found(put(f"{where}/a.bdf", content))
        assert re.match(f"{where}/a.bdf: line [0-9]+: ", found.text), (what, found.text)
    yield from section("Nastran: what else is refused", {"refused": list(others)})


# ---- Gmsh

MSH2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
MSH_NODES = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
MSH_CELLS = "$Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n"


def gmsh(where):
    plain = MSH2 + MSH_NODES + MSH_CELLS
    own = {
        "MeshFormat": plain,
        "Nodes": plain,
        "Elements": plain,
        "PhysicalNames": MSH2
        + '$PhysicalNames\n1\n2 1 "a"\n$EndPhysicalNames\n'
        + MSH_NODES
        + MSH_CELLS,
        "Entities": (
            MSH2.replace("2.2", "4.1") + "$Entities\n0 0 1 0\n1 0 0 0 1 1 1 0 0\n"
            "$EndEntities\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"
            "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n"
        ),
    }
    parts = (
        "$PartitionedEntities\n1\n0\n0 0 1 0\n1 2 1 1 1 0 0 0 1 1 1 0 0\n$EndPartitionedEntities\n"
    )
    entities = own["Entities"]
    at = entities.index("$Nodes")
    own["PartitionedEntities"] = entities[:at] + parts + entities[at:]

    def files():
        for word in manuals.words(manuals.GMSH):
            yield (
                word,
                own.get(word, f"{MSH2}${word}\n1\n1 2 3\n$End{word}\n{MSH_NODES}{MSH_CELLS}"),
            )

    kinds = sort(where, ".msh", files(), plain)
    assert "Comments" in kinds["taken"]
    yield from section("Gmsh, .msh: sections", {k: [f"${w}" for w in v] for k, v in kinds.items()})
    known = {2: "triangle", 3: "quad", 4: "tetrahedron", 15: "point", 1: "line"}
    known.update({5: "hexahedron", 6: "prism", 7: "pyramid"})
    kinds = {"taken": [], "with --skin": [], "counted": [], "refused": []}
    width = {
        2: 3,
        3: 4,
        4: 4,
        15: 1,
        1: 2,
        8: 3,
        26: 4,
        27: 5,
        28: 6,
        62: 7,
        63: 8,
        64: 9,
        65: 10,
        66: 11,
        5: 8,
        6: 6,
        7: 5,
        9: 6,
        10: 9,
        11: 10,
        12: 27,
        16: 8,
        17: 20,
        18: 15,
        19: 13,
    }
    for kind in [*range(1, 67), *range(71, 81), *range(82, 87), *range(90, 99), 140]:
        row = " 1 2 3 4" * 7
        corners = " ".join(row.split()[: width.get(kind, 20)])
        cells = f"$Elements\n2\n1 2 2 0 1 1 2 3\n2 {kind} 2 0 1 {corners}\n$EndElements\n"
        found = Found(put(f"{where}/a.msh", MSH2 + MSH_NODES + cells))
        title = f"{kind} ({known[kind]})" if kind in known else str(kind)
        if found.text:
            assert found.text.startswith(f"{where}/a.msh: ") and "read" in found.text, found.text
            kinds["refused"].append(title)
        else:
            thin = found.mesh.skipped
            assert thin + len(found.mesh.types) == 2, kind
            of = "with --skin" if found.of_skin else "taken"
            kinds["counted" if thin else of].append(title)
    yield from section("Gmsh: types of elements", kinds)
