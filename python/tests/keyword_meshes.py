"""A file for each keyword of the other formats: for test_keywords.py."""

import base64
import json
import re

import h5py
import manuals
import numpy as np
from keyword_files import Found, section, sort
from sample import put

# ---- SU2, Tecplot, OFF

SU2 = "NDIME= 3\nNELEM= 1\n5 0 1 2 0\nNPOIN= 4\n0 0 0 0\n1 0 0 1\n0 1 0 2\n0 0 1 3\n"
SU2_TAKEN = {
    "NDIME": SU2,
    "NELEM": SU2,
    "NPOIN": SU2,
    "NMARK": SU2 + "NMARK= 0\n",
    "IZONE": "IZONE= 1\n" + SU2,
    "NZONE": "NZONE= 1\n" + SU2,
    "MARKER_TAG": SU2 + "NMARK= 1\nMARKER_TAG= a\nMARKER_ELEMS= 1\n5 0 1 3\n",
    "MARKER_ELEMS": SU2 + "NMARK= 1\nMARKER_TAG= a\nMARKER_ELEMS= 1\n5 0 1 3\n",
    "SEND_RECV": SU2 + "NMARK= 1\nMARKER_TAG= a\nMARKER_ELEMS= 1\nSEND_RECV= 1\n1 0 0\n",
}


def su2(where):
    def files():
        for word in manuals.words(manuals.SU2):
            rows = "1 0 0 0\n" if word.endswith("_POINTS") else ""
            yield word, SU2_TAKEN.get(word, f"{SU2}{word}= 1\n{rows}")
        for kind, width in ((3, 2), (5, 3), (9, 4), (10, 4), (12, 8), (13, 6), (14, 5)):
            row = " ".join(str(k % 4) for k in range(width))
            more = SU2.replace("NELEM= 1\n", f"NELEM= 2\n{kind} {row} 1\n")
            yield f"type {kind}", more

    yield from section(
        "SU2, .su2: keywords, and types of elements", sort(where, ".su2", files(), SU2)
    )


ZONE = (
    "ZONE N=4, E=1, ZONETYPE=FETRIANGLE, DATAPACKING=POINT{}\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 2 3\n"
)
TEC = 'VARIABLES = "X" "Y" "Z"\n'


def tecplot(where):
    plain = TEC + ZONE.format("")
    records = {
        "TITLE": 'TITLE="a"\n' + plain,
        "FILETYPE": "FILETYPE=FULL\n" + plain,
        "VARIABLES": plain,
        "ZONE": plain,
        "TEXT": plain + 'TEXT X=1, Y=2, T="ZONE 1"\n',
        "GEOMETRY": plain + "GEOMETRY X=0, Y=0, T=LINE, CS=GRID\n1\n2\n0 0\n1 1\n",
        "CUSTOMLABELS": plain + 'CUSTOMLABELS "a" "b"\n',
        "DATASETAUXDATA": plain + 'DATASETAUXDATA a="b"\n',
        "VARAUXDATA": plain + 'VARAUXDATA 1 a="b"\n',
    }
    kinds = sort(
        where, ".dat", ((w, records[w]) for w in manuals.words(manuals.TECPLOT_RECORDS)), plain
    )
    yield from section("Tecplot, .dat .tec in text: records", kinds)
    block = TEC + "ZONE NODES=4, ELEMENTS=1, ZONETYPE=FETRIANGLE, DATAPACKING=BLOCK{}\n"
    block += "0 1 0 0\n0 0 1 0\n0 0 0 1\n1 2 3\n"
    ordered = (
        TEC + "ZONE I=3, J=2, K=1, DATAPACKING=POINT\n0 0 0\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n"
    )
    two = plain + "ZONE N=4, E=1, ZONETYPE=FETRIANGLE, DATAPACKING=POINT, {}\n{}"
    values = {
        "T": 'T="a"',
        "STRANDID": "STRANDID=1",
        "SOLUTIONTIME": "SOLUTIONTIME=0.5",
        "NV": "NV=1",
        "FACES": "FACES=3",
        "TOTALNUMFACENODES": "TOTALNUMFACENODES=6",
        "PARENTZONE": "PARENTZONE=0",
        "NUMCONNECTEDBOUNDARYFACES": "NUMCONNECTEDBOUNDARYFACES=0",
        "C": "C=RED",
        "TOTALNUMBOUNDARYCONNECTIONS": "TOTALNUMBOUNDARYCONNECTIONS=0",
        "FACENEIGHBORMODE": "FACENEIGHBORMODE=LOCALONETOONE",
        "FACENEIGHBORCONNECTIONS": "FACENEIGHBORCONNECTIONS=0",
        "DT": "DT=(SINGLE SINGLE SINGLE)",
        "AUXDATA": 'AUXDATA a="b"',
        "VARLOCATION": "VARLOCATION=(NODAL,NODAL,NODAL)",
        "PASSIVEVARLIST": "PASSIVEVARLIST=()",
    }
    own = {
        "ZONETYPE": plain,
        "DATAPACKING": block.format(""),
        "NODES": block.format(""),
        "ELEMENTS": block.format(""),
        "N": plain,
        "E": plain,
        "ET": TEC
        + ZONE.format("").replace(
            "ZONETYPE=FETRIANGLE, DATAPACKING=POINT", "F=FEPOINT, ET=TRIANGLE"
        ),
        "VARSHARELIST": two.format("VARSHARELIST=([1-3]=1)", "1 2 4\n"),
        "CONNECTIVITYSHAREZONE": two.format("CONNECTIVITYSHAREZONE=1", "1 1 1\n" * 4),
        "D": two.format("D=(1,2,3)", "1 2 4\n"),
    }
    own["F"] = own["ET"]

    def files():
        for word in manuals.words(manuals.TECPLOT_ZONE):
            if word not in ("I", "J", "K"):
                yield word, own.get(word, TEC + ZONE.format(f", {values.get(word, '')}"))

    kinds = sort(where, ".dat", files(), plain)
    found = Found(put(f"{where}/a.dat", ordered))
    assert found.mesh.types.tolist() == [9, 9]
    kinds["taken"] += ["I", "J", "K"]
    yield from section("Tecplot: what the head of a zone has", kinds)
    kinds = {"taken": [], "with --skin": [], "counted": [], "refused": []}
    for word in manuals.words(manuals.TECPLOT_TYPES):
        width = {"FELINESEG": 2, "FETRIANGLE": 3, "FEBRICK": 8}.get(word, 4)
        rows = " ".join(str(k % 4 + 1) for k in range(width))
        more = plain + ZONE.format("").replace("FETRIANGLE", word).replace("1 2 3\n", rows + "\n")
        more = plain + ordered[len(TEC) :] if word == "ORDERED" else more
        found = Found(put(f"{where}/a.dat", more))
        if found.text:
            assert re.match(f"{where}/a.dat: line [0-9]+: ", found.text) and word in found.text
            kinds["refused"].append(word)
        else:
            of = "with --skin" if found.of_skin else "taken"
            kinds["counted" if found.mesh.skipped else of].append(word)
    cube = TEC + "ZONE I=2, J=2, K=2, DATAPACKING=POINT\n" + "0 0 0\n" * 8
    assert Found(put(f"{where}/a.dat", cube)).of_skin
    yield from section("Tecplot: types of zones (ORDERED: surfaces; volumes with --skin)", kinds)


def off(where):
    plain = "OFF\n4 1 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n"
    extra = {"C": " 255 0 0 255", "N": " 0 0 1", "ST": " 0.5 0.5"}

    def files():
        for word in manuals.words(manuals.OFF):
            head, binary = word.replace("_BINARY", ""), "BINARY" in word
            more = "".join(extra.get(k, "") for k in re.findall("ST|C|N", head[:-3]))
            rows = "".join(f"{x}{more}\n" for x in ("0 0 0", "1 0 0", "0 1 0", "0 0 1"))
            name = f"{head} BINARY" if binary else head
            yield name, f"{name}\n4 1 0\n{rows}3 0 1 2\n"

    yield from section("OFF, .off: first words", sort(where, ".off", files(), plain))


# ---- Medit, Netgen, Kratos, FLAC3D, AVS, UGRID, TetGen

MEDIT = (
    "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n"
    "Triangles 1\n1 2 3 1\n{}End\n"
)


def medit(where):
    own = {
        "Edges": "Edges 1\n1 2 1\n",
        "Quadrilaterals": "Quadrilaterals 1\n1 2 3 4 1\n",
        "Tetrahedra": "Tetrahedra 1\n1 2 3 4 1\n",
        "Pyramids": "Pyramids 1\n1 2 3 4 1 1\n",
        "Prisms": "Prisms 1\n1 2 3 4 1 2 1\n",
        "Hexahedra": "Hexahedra 1\n1 2 3 4 1 2 3 4 1\n",
        "MeshVersionFormatted": "",
        "Dimension": "",
        "Vertices": "",
        "Triangles": "",
        "End": "",
    }

    def files():
        for word in manuals.words(manuals.MEDIT):
            yield word, MEDIT.format(own.get(word, f"{word}\n1\n1 1 1\n"))

    yield from section("Medit, .mesh: keywords", sort(where, ".mesh", files(), MEDIT.format("")))


NETGEN = (
    "mesh3d\ndimension\n3\ngeomtype\n0\n# x\nsurfaceelements\n1\n1 1 1 0 3 1 2 3\n{}points\n4\n"
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\nendmesh\n"
)


def netgen(where):
    own = {
        "surfaceelementsgi": "surfaceelementsgi\n1\n1 1 1 0 3 1 2 4 1 2 4\n",
        "surfaceelementsuv": "surfaceelementsuv\n1\n1 1 1 0 3 1 2 4 0 0 0 0 0 0\n",
        "volumeelements": "volumeelements\n1\n1 4 1 2 3 4\n",
        "edgesegments": "edgesegments\n1\n1 0 1 2\n",
        "edgesegmentsgi": "edgesegmentsgi\n1\n1 0 1 2\n",
        "edgesegmentsgi2": "edgesegmentsgi2\n1\n1 0 1 2 -1 -1 0 0 1 0 1 0\n",
        "pointelements": "pointelements\n1\n1 1\n",
        "materials": "materials\n1\n1 a\n",
        "bcnames": "bcnames\n1\n1 a\n",
        "identificationtypes": "identificationtypes\n1\n2\n",
    }
    plain = NETGEN.format("")
    always = ("mesh3d", "dimension", "geomtype", "surfaceelements", "points", "endmesh")

    def files():
        for word in manuals.words(manuals.NETGEN):
            yield (
                word,
                NETGEN.format("" if word in always else own.get(word, f"{word}\n1\n1 2 3\n")),
            )

    yield from section("Netgen, .vol .vol.gz: sections", sort(where, ".vol", files(), plain))


KRATOS = (
    "Begin Nodes\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\nEnd Nodes\n"
    "Begin Elements ShellThinElement3D3N\n1 0 1 2 3\nEnd Elements\n"
)


def kratos(where):
    own = {
        "Nodes": "",
        "Elements": "",
        "Conditions": "Begin Conditions SurfaceCondition3D3N\n1 0 1 2 4\nEnd Conditions\n",
        "Geometries": "Begin Geometries Triangle3D3\n1 1 2 4\nEnd Geometries\n",
        "SubModelPart": "Begin SubModelPart a\nBegin SubModelPartElements\n1\n"
        "End SubModelPartElements\nEnd SubModelPart\n",
        "Mesh": "Begin Mesh 1\nBegin MeshElements\n1\nEnd MeshElements\nEnd Mesh\n",
    }

    def files():
        for word in manuals.words(manuals.KRATOS):
            yield word, KRATOS + own.get(word, f"Begin {word} 1\n1 2 3\nEnd {word}\n")

    yield from section("Kratos, .mdpa: blocks", sort(where, ".mdpa", files(), KRATOS))


def others(where):
    grid = "* a comment\nG 1 0 0 0\nG 2 1 0 0\nG 3 0 1 0\nG 4 0 0 1\nF T3 1 1 2 3\n"
    rows = {"T4": "1 2 3 4", "T3": "1 2 4", "Q4": "1 2 3 4", "P5": "1 2 3 4 1", "W6": "1 2 3 4 1 2"}

    def flac():
        for word in manuals.words(manuals.FLAC3D):
            kind, _, shape = word.partition("_")
            row = f"{kind} {shape} 2 {rows.get(shape, '1 2 3 4 1 2 3 4')}\n"
            row = "G 9 1 1 1\n" if kind == "G" else row
            row = f'{kind} "a" SLOT 1\n1\n' if "GROUP" in kind else row
            yield word.replace("_", " "), grid + row

    yield from section("FLAC3D, .f3grid in text: lines", sort(where, ".f3grid", flac(), grid))
    avs = "4 {} 0 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n1 1 tri 1 2 3\n"
    nodes = {"pt": "1", "line": "1 2", "tri": "1 2 4", "quad": "1 2 3 4", "tet": "1 2 3 4",
             "prism": "1 2 3 4 1 2", "hex": "1 2 3 4 1 2 3 4"}  # fmt: skip

    def cells():
        for word in manuals.words(manuals.AVS):
            yield word, avs.format(2) + f"2 1 {word} {nodes.get(word, '1 2 3 4 1')}\n"

    yield from section(
        "AVS UCD, .avs in text: types of cells", sort(where, ".avs", cells(), avs.format(1))
    )
    points = "0 0 0 1 0 0 0 1 0 0 0 1\n"
    shapes = {
        "triangles": 3,
        "quads": 4,
        "tetrahedra": 4,
        "pyramids": 5,
        "prisms": 6,
        "hexahedra": 8,
    }

    def ugrid():
        for word in manuals.words(manuals.UGRID):
            counts = [4, 1, 0, 0, 0, 0, 0]
            if word in shapes:
                counts[1 + list(shapes).index(word)] += 1
            faces = "1 2 3\n" + ("1 2 4\n" if word == "triangles" else "")
            faces += "1 2 3 4\n" if word == "quads" else ""
            marks = "1 " * (counts[1] + counts[2])
            solid = word in ("tetrahedra", "pyramids", "prisms", "hexahedra")
            solids = " ".join("12341234"[: shapes[word]]) + "\n" if solid else ""
            yield word, " ".join(map(str, counts)) + f"\n{points}{faces}{marks}\n{solids}"

    plain = f"4 1 0 0 0 0 0\n{points}1 2 3\n1\n"
    kinds = sort(where, ".ugrid", ugrid(), plain, False)
    yield from section("AFLR, .ugrid: what its first line counts", kinds)


# ---- MED


MED_SOLIDS = {"PY5": [1, 2, 3, 4, 1], "PE6": [1, 2, 3, 4, 1, 2], "HE8": [1, 2, 3, 4] * 2}


def med_file(path, name=None, above=None):
    with h5py.File(path, "w") as file:
        file.create_group("INFOS_GENERALES")
        mesh = file.create_group("ENS_MAA/m")
        mesh.attrs.update({"ESP": 3, "TYP": 0, "REP": 0})
        step = mesh.create_group("-0000000000000000001-0000000000000000001")
        step.attrs.update({"NDT": -1, "NOR": -1, "PDT": -1.0})
        points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
        step["NOE/COO"] = points.ravel("F")
        kinds = {"TR3": [1, 2, 3]}
        if name not in (None, "TR3", "JNT", "FAC"):
            kinds[name] = {"TE4": [1, 2, 3, 4], "QU4": [1, 2, 3, 4], **MED_SOLIDS}.get(name, [1, 2, 3])
        for kind, row in kinds.items():
            data = step.create_dataset(f"MAI/{kind}/NOD", data=row)
            data.attrs["NBR"] = 1
        if name == "POG":
            step["MAI/POG/IND"] = [1, 4]
        if name in ("JNT", "FAC"):
            (mesh if name == "JNT" else step).create_group(name)
        if above:
            file.create_group(above)
    return path


def med(where):
    whole = Found(med_file(f"{where}/plain.med"))
    assert whole.cells[0] and not whole.text, whole.text
    kinds = {"taken": [], "with --skin": [], "counted": [], "refused": []}
    for word in manuals.words(manuals.MED):
        found = Found(med_file(f"{where}/a.med", word))
        if found.text:
            assert found.text.startswith(f"{where}/a.med: /ENS_MAA/m") and word in found.text
            kinds["refused"].append(word)
        else:
            of = "with --skin" if found.of_skin else "taken"
            kinds["counted" if found.mesh.skipped else of].append(word)
            assert found.of_skin or found.cells[0][-1] == whole.cells[0][0] or word in ("TR3",), word
    for above in ("CHA", "LIENS"):
        found = Found(med_file(f"{where}/a.med", None, above))
        assert list(found.counted) == [{"CHA": "fields (CHA)", "LIENS": "links (LIENS)"}[above]]
    assert "XXX" in Found(med_file(f"{where}/a.med", None, "XXX")).text
    kinds["ignored"] = ["CHA", "LIENS"]
    yield from section("MED, .med: kinds of elements, groups of a mesh and of the file", kinds)


# ---- glTF


def gltf_tree(**parts):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
    data = points.tobytes() + np.array([0, 1, 2], "<u2").tobytes()
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 6},
        ],
        "buffers": [{"byteLength": 54, "uri": "data:;base64," + base64.b64encode(data).decode()}],
    }
    tree.update(parts)
    return tree


def extended(name):
    tree = gltf_tree(extensionsUsed=[name])
    mark = {name: {}}
    if "material" in name or "texture" in name or "packing" in name:
        tree["materials"] = [{"extensions": mark}]
        tree["extensionsRequired"] = [name]
    elif name == "KHR_mesh_quantization":
        tree["extensionsRequired"] = [name]
    elif "meshopt" in name:
        tree["bufferViews"][0]["extensions"] = mark
    elif any(word in name for word in ("mesh", "draco", "primitive", "ngon", "splatting")):
        tree["meshes"][0]["primitives"][0]["extensions"] = mark
    else:
        tree["nodes"][0]["extensions"] = mark
    return json.dumps(tree)


def gltf(where):
    plain = json.dumps(gltf_tree())
    files = ((name, extended(name)) for name in manuals.words(manuals.GLTF_EXTENSIONS))
    kinds = sort(where, ".gltf", files, plain, False)
    yield from section("glTF, .gltf .glb: extensions", kinds)
    kinds = {"taken": [], "counted": []}
    for mode, word in enumerate(manuals.words(manuals.GLTF_PARTS)[:7]):
        tree = gltf_tree()
        tree["meshes"][0]["primitives"].append({"attributes": {"POSITION": 0}, "mode": mode})
        if mode == 4:
            tree["meshes"][0]["primitives"][1]["indices"] = 1
        found = Found(put(f"{where}/a.gltf", json.dumps(tree)))
        assert not found.text, found.text
        kinds["counted" if found.mesh.skipped else "taken"].append(word)
    kinds["taken"] += manuals.words(manuals.GLTF_PARTS)[7:]  # test_gltf.py
    yield from section("glTF: modes of primitives, and what moves nodes and vertices", kinds)
