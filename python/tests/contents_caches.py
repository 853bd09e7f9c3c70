"""Files for what Alembic may have: schemas of AbcGeom 1.8."""

import numpy as np
from contents import section, sort

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
FACES = [[0, 1, 2], [0, 3, 1]]


def alembic(where):
    import abc_writer as abc
    from alembic3d import AbcGeom

    step = abc.uniform(1.0)

    def of(more, samples=(POINTS,), faces=FACES, **how):
        def make(where):
            path = f"{where}/a.abc"
            with abc.Writer(path) as file:
                mesh = file.mesh("m", samples, faces, step, **how)
                more(file, mesh)
            return path

        return make

    def nothing(file, mesh):
        pass

    def kind(name):
        return of(lambda file, mesh: file.add(getattr(AbcGeom, f"O{name}"), "other"))

    def instance(file, mesh):
        group = file.group("g")
        file.instance(group, mesh, "copy")

    def below(rows):
        def make(where):
            path = f"{where}/a.abc"
            with abc.Writer(path) as file:
                file.mesh("m", [POINTS], FACES, of=file.xform("x", [rows]))
            return path

        return make

    def seen(values):
        def more(file, mesh):
            other = file.mesh("other", [POINTS], FACES)
            file.visible(other, values, step)

        return of(more)

    def material(file, mesh):
        from alembic3d import AbcMaterial

        file.add(AbcMaterial.OMaterial, "other")

    moved, projected = np.diag([2.0, 2, 2, 1]), np.eye(4)
    projected[2, 3] = 1.0
    files = {
        "PolyMesh: P, .faceIndices, .faceCounts": of(nothing),
        "topology that changes": of(nothing, [(POINTS, FACES), (POINTS[:3], FACES[:1])]),
        "Xform": below(moved),
        "instances": of(instance),
        "FaceSet": of(lambda file, mesh: file.face_set(mesh, "left", [0])),
        "visible: 1, -1": seen([1, -1]),
        "visible: 0": seen([0]),
        "SubD": of(nothing, cage=[]),
        "SubD: .holes": of(nothing, faces=[*FACES, [1, 2, 3]], cage=[2]),
        "Curves": kind("Curves"),
        "Points": kind("Points"),
        "NuPatch": kind("NuPatch"),
        "Camera": kind("Camera"),
        "Light": kind("Light"),
        "another schema": of(material),
        ".velocities, N, uv, .userProperties": of(
            lambda file, mesh: file.looks(mesh, POINTS, FACES), ()
        ),
        "Xform: a projection": below(projected),
        "FaceSet: a face that is missing": of(
            lambda file, mesh: file.face_set(mesh, "left", [2]), faces=FACES
        ),
        "faces of more corners than there are": of(
            lambda file, mesh: file.faces(mesh, POINTS, [0, 1], [3]), ()
        ),
    }
    marks = {
        "visible: 0": "hidden",
        "SubD": "subdivision",
        "SubD: .holes": "hole",
        "NuPatch": "NURBS",
        "another schema": "the schema AbcMaterial_Material_v1",
        "Xform: a projection": "projection",
        "FaceSet: a face that is missing": "has face 2",
        "faces of more corners than there are": "faces of 3 corners",
    }
    other = ("Xform", "topology that changes")
    ignored = (".velocities, N, uv, .userProperties",)
    text = "Frames are at all samples in time. Of a SubD the cage is read. What is hidden is left "
    text += (
        "out while it is. An archive in HDF5, and one that its writer has not closed, is refused."
    )
    return section("Alembic", text, sort(where, of(nothing), files, marks, ignored, other))
