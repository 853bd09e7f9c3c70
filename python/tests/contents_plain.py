"""Files for what STL, PLY and OpenFOAM may have."""
# ruff: noqa: E501

import struct

from contents import section, sort
from contents_vtk import of
from sample import put

# ---- STL: the words of 3D Systems' StereoLithography interface specification, 1989

FACET = (
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
)
SOLID = f"solid a\n{FACET}endsolid a\n"


def stl(where):
    def plain(text):
        return of(text, "a.stl")

    facet = struct.pack("<12f", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0)

    def binary(attribute=0, count=1, more=b"", head=b"solid"):
        body = facet + struct.pack("<H", attribute)
        content = head.ljust(80) + struct.pack("<I", count) + body + more
        return lambda where: put(f"{where}/a.stl", content)

    files = {
        "solid, facet, normal, outer, loop, vertex, endloop, endfacet, endsolid": plain(SOLID),
        "several solids": plain(SOLID + SOLID),
        "a loop of four vertices": plain(SOLID.replace("endloop", "vertex 1 1 0\nendloop")),
        "a facet without a normal": plain(SOLID.replace(" normal 0 0 1", "")),
        "a facet that does not end": plain(SOLID.replace("endfacet\n", "")),
        "a solid that does not end": plain(SOLID.replace("endsolid a", "")),
        "words outside of a solid": plain(SOLID + "color 1 2 3\n"),
        "color, or another word in a solid": plain(
            SOLID.replace("facet n", "color 1 2 3\nfacet n", 1)
        ),
        "binary: header, number of triangles, normal, corners": binary(),
        "binary: COLOR= and MATERIAL= in the header": binary(head=b"COLOR=\1\2\3\4,MATERIAL="),
        "binary: attributes (colours)": binary(attribute=5),
        "binary: more triangles announced than there are": binary(count=2, head=b""),
        "binary: data behind the triangles": binary(more=b"abcd", head=b""),
    }
    marks = {
        "a loop of four vertices": "line 7: 'vertex'",
        "a facet without a normal": "line 3: 'outer' where normal",
        "a facet that does not end": "endfacet",
        "a solid that does not end": "within a solid",
        "words outside of a solid": "line 10: 'color' outside",
        "color, or another word in a solid": "line 2: 'color'",
        "binary: attributes (colours)": "attributes",
        "binary: more triangles announced than there are": "2 triangles",
        "binary: data behind the triangles": "its length",
    }
    text = "Each triangle brings its corners along; which are one vertex: "
    text += "[impinge_weld.h](../host/impinge_weld.h), tolerance 0, in each solid."
    ignored = ("binary: COLOR= and MATERIAL= in the header",)
    return section("STL", text, sort(where, plain(SOLID), files, marks, ignored))


# ---- PLY: elements and properties of Turk's "The PLY Polygon File Format", 1998, and of Stanford's files

PLY = "ply\nformat ascii 1.0\n{}element vertex 4\nproperty float x\nproperty float y\nproperty float z\n{}"
PLY += "element face 1\nproperty list uchar int vertex_indices\n{}end_header\n"
POINTS = ["0 0 0", "1 0 0", "0 1 0", "1 1 0"]


def ply(where):
    def plain(first="", vertex="", face="", values="", of_face="", last=""):
        rows = "".join(f"{p} {values}\n" for p in POINTS)
        return of(PLY.format(first, vertex, face) + rows + f"3 0 1 2 {of_face}\n{last}", "a.ply")

    def element(name, properties, rows):
        head = f"element {name} {len(rows)}\n" + "".join(f"property {p}\n" for p in properties)
        return plain(face=head, last="".join(f"{row}\n" for row in rows))

    indices = "list uchar int vertex_indices"
    files = {
        "element vertex, face; property x, y, z, vertex_indices": plain(),
        "property vertex_index": of(
            PLY.format("", "", "").replace("indices", "index") + "\n".join(POINTS) + "\n3 0 1 2\n", "a.ply"
        ),
        "comment, obj_info": plain("comment a\nobj_info num_cols 3\n"),
        "properties of vertices: normals, colours, confidence": plain(
            vertex="property float nx\nproperty uchar red\n", values="1 2"
        ),
        "properties of faces: colours, texture coordinates": plain(
            face="property uchar red\nproperty list uchar float texcoord\n", of_face="1 2 0.5 0.5"
        ),
        "element tristrips": element("tristrips", [indices], ["4 0 1 2 3"]),
        "element edge": element("edge", ["int vertex1", "int vertex2"], ["0 1"]),
        "element material": element("material", ["int ambient_red"], ["1"]),
        "element camera": element("camera", ["float view_px"], ["1"]),
        "element range_grid": element("range_grid", [indices], ["1 0"]),
        "another element with points": element("more", ["float x", "float y", "float z"], ["1 2 3"]),
        "another element with corners": element("polygon", [indices], ["3 0 1 2"]),
        "an element twice": element("face", [indices], ["3 0 1 2"]),
        "a face without vertex_indices": of(
            PLY.format("", "", "").replace("indices", "numbers") + "\n".join(POINTS) + "\n3 0 1 2\n", "a.ply"
        ),
        "vertices without z": of(
            PLY.format("", "", "").replace("float z", "float w") + "\n".join(POINTS) + "\n3 0 1 2\n", "a.ply"
        ),
        "data behind the last element": plain(last="3 0 1 2\n"),
    }  # fmt: skip
    marks = {
        "another element with points": "element more", "another element with corners": "element polygon",
        "an element twice": "element face is there twice", "data behind the last element": "data behind",
        "a face without vertex_indices": "without vertex_indices", "vertices without z": "without x, y and z",
    }  # fmt: skip
    ignored = [word for word in files if word.startswith(("comment", "properties"))]
    return section("PLY", "", sort(where, plain(), files, marks, ignored))


# ---- OpenFOAM: polyMesh and the types of patches of the user guide, 4.1 and 5.2

FOAM = "FoamFile\n{\n version 2.0;\n format ascii;\n class x;\n object x;\n}\n"
MESH = {
    "points": "4\n(\n(0 0 0)\n(1 0 0)\n(0 1 0)\n(0 0 1)\n)\n",
    "faces": "4\n(\n3(0 2 1)\n4(0 1 3 3)\n3(1 2 3)\n3(0 3 2)\n)\n",
    "owner": "4{0}\n",
    "neighbour": "0()\n",
    "boundary": "2\n(\nwall\n{\n type wall;\n inGroups 1(wall);\n nFaces 3;\n startFace 0;\n}\n"
    "other\n{\n type patch;\n nFaces 1;\n startFace 3;\n}\n)\n",
}
TYPES = (
    "patch wall empty symmetry symmetryPlane wedge cyclic cyclicAMI cyclicACMI cyclicSlip "
    "nonuniformTransformCyclic mapped mappedPatch mappedWall directMappedPatch"
).split()


def case(where, mesh="constant/polyMesh", **parts):
    """A case with these files of its mesh, and others by their paths."""
    for name, text in {**MESH, **parts}.items():
        put(f"{where}/{name if '/' in name else mesh + '/' + name}", FOAM + text)
    put(f"{where}/system/controlDict", FOAM)
    return where


def foam(where):
    def plain(**parts):
        return lambda where: case(where, **parts)

    def moved(where):
        put(f"{where}/0/U", "x")
        return case(where, **{"0.5/polyMesh/points": MESH["points"].replace("1 0 0", "2 0 0")})

    files = {f"type {kind}": plain(boundary=MESH["boundary"].replace("type patch", f"type {kind}"))
             for kind in TYPES}  # fmt: skip
    files.update({
        "points, faces, owner, neighbour, boundary": plain(),
        "a list of equal numbers, N{VALUE}": plain(),
        "TIME/polyMesh/points": moved,
        "constant/REGION/polyMesh": lambda where: case(case(where), mesh="constant/air/polyMesh"),
        "cellZones": plain(cellZones="0()"),
        "faceZones": plain(faceZones="0()"),
        "pointZones": plain(pointZones="0()"),
        "sets": plain(**{"constant/polyMesh/sets/a": "0()"}),
        "cellLevel, pointLevel, refinementHistory": plain(cellLevel="0()"),
        "a decomposed case, processor0": lambda where: case(where, mesh="processor0/constant/polyMesh"),
        "a decomposed case, processors4": lambda where: case(where, mesh="processors4/constant/polyMesh"),
        "processor0/TIME/polyMesh of a case that is whole": plain(
            **{"processor0/0.5/polyMesh/points": MESH["points"]}
        ),
        "#include": plain(boundary=MESH["boundary"].replace("wall\n{", '#include "x"\nwall\n{', 1)),
        "$NAME": plain(boundary=MESH["boundary"].replace("nFaces 1", "nFaces $n")),
        "a patch that is missing": plain(boundary=MESH["boundary"].replace("2\n(", "3\n(", 1)),
        "faces in no patch": plain(boundary=MESH["boundary"].replace("nFaces 3", "nFaces 2")),
    })  # fmt: skip
    marks = {
        "cellLevel, pointLevel, refinementHistory": "cellLevel",
        "a decomposed case, processor0": "decomposed case (processor0",
        "a decomposed case, processors4": "decomposed case (processors4",
        "processor0/TIME/polyMesh of a case that is whole": "processor0/0.5/polyMesh",
        "$NAME": "'$n;'", "a patch that is missing": "2 patches, of 3", "faces in no patch": "no patch",
    }  # fmt: skip
    kinds = sort(where, plain(), files, marks)
    text = "All patches but those between processors (counted) are surfaces, also cyclic and empty ones."
    return section("OpenFOAM: polyMesh, and types of patches", text, kinds)
