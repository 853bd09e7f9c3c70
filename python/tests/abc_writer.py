"""Writes Alembic files by alembic3d, of which the tests know what they gave."""

import imath
import numpy as np
from alembic3d import Abc, AbcCoreAbstract, AbcGeom


def _array(kind, values):
    made = kind(len(values))
    np.asarray(made)[:] = values
    return made


def points_of(values):
    return _array(imath.V3fArray, np.asarray(values, np.float32))


def whole(values):
    return _array(imath.IntArray, np.asarray(values, np.int32))


def vector(times):
    made = AbcCoreAbstract.TimeVector()
    for time in times:
        made.append(float(time))
    return made


def cyclic(times, period):
    kind = AbcCoreAbstract.TimeSamplingType(len(times), period)
    return AbcCoreAbstract.TimeSampling(kind, vector(times))


def acyclic(times):
    kind = AbcCoreAbstract.TimeSamplingType(AbcCoreAbstract.AcyclicFlag.kAcyclic)
    return AbcCoreAbstract.TimeSampling(kind, vector(times))


def uniform(step, start=0.0):
    return AbcCoreAbstract.TimeSampling(step, start)


def matrix(rows):
    made = AbcGeom.XformSample()
    made.setMatrix(imath.M44d(*np.asarray(rows, float).ravel().tolist()))
    return made


class Writer:
    """An archive, closed at the end of `with`. Objects are given as numbers, since each that is
    held keeps the archive open; `of` is what they are below, without it the top."""

    def __init__(self, path):
        self._archive = Abc.OArchive(path)
        self._made = []

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self._made.clear()
        del self._archive

    def _sampling(self, made):
        return 0 if made is None else self._archive.addTimeSampling(made)

    def add(self, kind, name, of=None, *more):
        above = self._archive.getTop() if of is None else self._made[of]
        self._made.append(kind(above, name, *more))
        return len(self._made) - 1

    def group(self, name, of=None):
        return self.add(Abc.OObject, name, of)

    def xform(self, name, samples, sampling=None, of=None):
        """samples: matrices for rows, or (matrix, whether that of the parent counts)."""
        number = self.add(AbcGeom.OXform, name, of, self._sampling(sampling))
        for sample in samples:
            if not isinstance(sample, AbcGeom.XformSample):
                rows, inherits = sample if isinstance(sample, tuple) else (sample, True)
                sample = matrix(rows)
                sample.setInheritsXforms(inherits)
            self._made[number].getSchema().set(sample)
        return number

    def mesh(self, name, samples, faces, sampling=None, of=None, cage=None):
        """samples: points, or (points, faces) where these change, with a face as a list of corners;
        or samples of alembic3d. cage: holes of a subdivision surface."""
        kind = AbcGeom.OPolyMesh if cage is None else AbcGeom.OSubD
        number = self.add(kind, name, of, self._sampling(sampling))
        for sample in samples:
            points, of_sample = sample if isinstance(sample, tuple) else (sample, faces)
            corners = whole([corner for face in of_sample for corner in face])
            self.faces(number, points, corners, whole([len(face) for face in of_sample]), cage)
        return number

    def faces(self, mesh, points, corners, counts, holes=None):
        """A sample."""
        form = AbcGeom.OPolyMeshSchemaSample if holes is None else AbcGeom.OSubDSchemaSample
        more = {"holes": whole(holes)} if holes else {}
        made = form(points_of(points), whole(corners), whole(counts), **more)
        self._made[mesh].getSchema().set(made)

    def looks(self, mesh, points, faces):
        """A sample with velocities, normals and texture coordinates, and a user property."""
        corners = [corner for face in faces for corner in face]
        counts = whole([len(face) for face in faces])
        scope = AbcGeom.GeometryScope.kVertexScope
        normals = AbcGeom.ON3fGeomParamSample(points_of(points), scope)
        flat = _array(imath.V2fArray, np.asarray(points, np.float32)[:, :2])
        uvs = AbcGeom.OV2fGeomParamSample(flat, scope)
        made = AbcGeom.OPolyMeshSchemaSample(
            points_of(points), whole(corners), counts, uvs, normals
        )
        made.setVelocities(points_of(points))
        schema = self._made[mesh].getSchema()
        schema.set(made)
        Abc.OFloatProperty(schema.getUserProperties(), "mass").setValue(2.0)

    def face_set(self, mesh, name, faces):
        made = self._made[mesh].getSchema().createFaceSet(name)
        made.getSchema().set(AbcGeom.OFaceSetSchemaSample(whole(faces)))

    def instance(self, of, source, name):
        assert self._made[of].addChildInstance(self._made[source], name)

    def visible(self, of, values, sampling=None):
        made = AbcGeom.CreateVisibilityProperty(self._made[of], self._sampling(sampling))
        for value in values:
            made.setValue(value)
