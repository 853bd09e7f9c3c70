#!/usr/bin/env python3
"""Pictures of rigid bodies, from a batch of `generate missile` or of `pcs` (format.md, /impinge/bodies), by VTK.

  picture_rigid.py flight BATCH.vtkhdf OUT.png    the missile on its way
  picture_rigid.py kdops BATCH.vtkhdf OUT.png     its nose in k-DOPs
  picture_rigid.py ball-slope|dominoes BATCH.vtkhdf OUT.png   these scenes of pcs
"""
import itertools
import sys

import h5py
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
from vtkmodules.vtkCommonColor import vtkNamedColors
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersCore import (vtkFeatureEdges, vtkHull, vtkMassProperties, vtkPolyDataNormals,
                                       vtkTriangleFilter, vtkTubeFilter)
from vtkmodules.vtkRenderingCore import (vtkActor, vtkBillboardTextActor3D, vtkPolyDataMapper, vtkRenderer,
                                         vtkTextActor)
import vtkmodules.vtkRenderingFreeType  # noqa: F401 (registers text)

from picture import save

LARGER = 12  # how much larger than it is the missile is drawn
MOMENTS = 10  # at how many it is
PHASES = [("launch", 0.01, -35, 30), ("boost", 0.16, 0, 22), ("guidance", 0.5, 0, 28),
          ("hit", 0.9, 0, 62)]  # part of its way; how far before and above it this is said, m
BODY = 2  # the missile

AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
DIAGONALS = [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, 1)]
EDGES = [(1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1)]
DOPS = {6: AXES, 8: DIAGONALS, 14: AXES + DIAGONALS, 18: AXES + EDGES, 26: AXES + DIAGONALS + EDGES}


def matrix(q):
    """Rotation of a quaternion w x y z."""
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def surface(points, triangles=None):
    """Triangles, or one line through all points."""
    data, where, cells = vtkPolyData(), vtkPoints(), vtkCellArray()
    where.SetData(numpy_to_vtk(np.ascontiguousarray(points, float), deep=True))
    data.SetPoints(where)
    rows = np.arange(len(points))[None] if triangles is None else triangles
    ends = np.arange(len(rows) + 1) * rows.shape[1]
    cells.SetData(numpy_to_vtkIdTypeArray(ends.astype(np.int64), deep=True),
                  numpy_to_vtkIdTypeArray(rows.ravel().astype(np.int64), deep=True))
    if triangles is None:
        data.SetLines(cells)
    else:
        data.SetPolys(cells)
    return data


def actor(source, colour, opacity=1.0, ambient=0.1):
    mapper, made = vtkPolyDataMapper(), vtkActor()
    mapper.SetInputConnection(source.GetOutputPort())
    mapper.ScalarVisibilityOff()
    made.SetMapper(mapper)
    look = made.GetProperty()
    look.SetColor(vtkNamedColors().GetColor3d(colour))
    look.SetOpacity(opacity)
    look.SetAmbient(ambient)
    look.SetSpecular(0.15)
    look.SetSpecularPower(20)
    return made


def smooth(data, angle=35):
    normals = vtkPolyDataNormals()
    normals.SetInputData(data)
    normals.SetFeatureAngle(angle)
    return normals


def tube(data, radius):
    made = vtkTubeFilter()
    made.SetInputData(data)
    made.SetRadius(radius)
    made.SetNumberOfSides(10)
    return made


class Batch:
    """What is drawn of a batch of rigid bodies."""

    def __init__(self, path):
        with h5py.File(path) as file:
            group, root = file["impinge/bodies"], file["VTKHDF"]
            self.count = len(group["object_id"])
            self.rest, self.ends = group["points"][:], group["point_offsets"][:]
            self.centre = group["centre"][:].reshape(-1, self.count, 3)
            self.rotation = group["rotation"][:].reshape(-1, self.count, 4)
            self.objects = root["CellData/ObjectId"][:]
            self.corners = root["Polygons/Connectivity"][:].reshape(-1, 3)

    def shape(self, body):
        """Its points in its own coordinates, and triangles of them."""
        used, rows = np.unique(self.corners[self.objects == body], return_inverse=True)
        assert len(used) == self.ends[body + 1] - self.ends[body]
        return self.rest[self.ends[body]:self.ends[body + 1]], rows.reshape(-1, 3)

    def posed(self, body, frame, larger=1):
        points, triangles = self.shape(body)
        turned = larger * points @ matrix(self.rotation[frame, body]).T
        return surface(turned + self.centre[frame, body], triangles)


def phase(name, place):
    made = vtkBillboardTextActor3D()
    made.SetInput(name)
    made.SetPosition(*place)
    look = made.GetTextProperty()
    look.SetFontSize(22)
    look.SetJustificationToCentered()
    look.SetColor(0.1, 0.1, 0.1)
    return made


def look_at(view, position, focus, angle):
    camera = view.GetActiveCamera()
    camera.SetPosition(*position)
    camera.SetFocalPoint(*focus)
    camera.SetViewUp(0, 0, 1)
    camera.SetViewAngle(angle)
    view.ResetCameraClippingRange()


def flight(batch):
    view = vtkRenderer()
    view.SetBackground(0.86, 0.92, 0.97)
    view.AddActor(actor(smooth(batch.posed(0, 0), 80), "DarkSeaGreen", 1.0, 0.1))
    view.AddActor(actor(smooth(batch.posed(1, 0)), "SlateGray", 1.0, 0.25))
    seen = batch.centre[:, BODY, 2] > 0  # above the ground
    last = int(np.argmin(seen)) if not seen.all() else len(seen)
    view.AddActor(actor(tube(surface(batch.centre[:last, BODY]), 1.2), "OrangeRed", 1.0, 0.5))
    way = np.r_[0, np.cumsum(np.linalg.norm(np.diff(batch.centre[:last, BODY], axis=0), axis=1))]
    for part in np.linspace(0.03, 0.97, MOMENTS):
        frame = int(np.searchsorted(way, part * way[-1]))
        view.AddActor(actor(smooth(batch.posed(BODY, frame, LARGER)), "Firebrick", 1.0, 0.4))
    for name, part, along, above in PHASES:
        frame = int(np.searchsorted(way, part * way[-1]))
        view.AddActor(phase(name, batch.centre[frame, BODY] + (along, 0, above)))
    look_at(view, (-260, -880, 285), (-425, 0, 42), 24)
    return [view], (1200, 420)


def ball_slope(batch):
    """The ball at moments that are equally far apart on its way."""
    view = vtkRenderer()
    view.SetBackground(1, 1, 1)
    view.AddActor(actor(smooth(batch.posed(0, 0)), "Gainsboro", 1.0, 0.2))
    view.AddActor(actor(smooth(batch.posed(1, 0)), "LightSteelBlue", 1.0, 0.2))
    way = np.r_[0, np.cumsum(np.linalg.norm(np.diff(batch.centre[:, 2], axis=0), axis=1))]
    view.AddActor(actor(tube(surface(batch.centre[:, 2]), 0.03), "Black", 1.0, 0.5))
    for at in np.arange(0, way[-1], 1.15):
        view.AddActor(actor(smooth(batch.posed(2, int(np.searchsorted(way, at)))), "OrangeRed", 0.75, 0.25))
    look_at(view, (1.5, -22, 6), (2.3, 0, 0.9), 25)
    return [view], (1200, 420)


def dominoes(batch):
    """When half of them have fallen."""
    view = vtkRenderer()
    view.SetBackground(1, 1, 1)
    frame = len(batch.centre) // 2
    view.AddActor(actor(smooth(batch.posed(0, 0)), "Gainsboro", 1.0, 0.2))
    for body in range(1, batch.count):
        view.AddActor(actor(smooth(batch.posed(body, frame)), "IndianRed", 1.0, 0.25))
    look_at(view, (3, -17, 6.5), (9.9, 0, 0.2), 30)
    return [view], (1200, 420)


def dop_view(k, number, body, size):
    hull, made, volume = vtkHull(), vtkTriangleFilter(), vtkMassProperties()
    hull.SetInputData(body)
    for direction, sign in itertools.product(DOPS[k], (1, -1)):
        hull.AddPlane(*(sign * np.array(direction) / np.linalg.norm(direction)))
    made.SetInputConnection(hull.GetOutputPort())
    volume.SetInputConnection(made.GetOutputPort())
    volume.Update()
    edges = vtkFeatureEdges()
    edges.SetInputConnection(hull.GetOutputPort())
    edges.SetFeatureAngle(1)
    edges.ColoringOff()
    edges.Update()
    view = vtkRenderer()
    view.SetBackground(1, 1, 1)
    view.SetViewport(number / len(DOPS), 0, (number + 1) / len(DOPS), 1)
    view.AddActor(actor(smooth(body), "Chocolate", 1.0, 0.2))
    view.AddActor(actor(hull, "SteelBlue", 0.22, 0.4))
    view.AddActor(actor(tube(edges.GetOutput(), 0.004 * size), "MidnightBlue"))
    return view, volume.GetVolume()


def label(view, text):
    made = vtkTextActor()
    made.SetInput(text)
    made.GetTextProperty().SetFontSize(20)
    made.GetTextProperty().SetJustificationToCentered()
    made.GetTextProperty().SetColor(0.1, 0.1, 0.1)
    made.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    made.GetPositionCoordinate().SetValue(0.5, 0.04)
    view.AddViewProp(made)


def kdops(batch):
    points, triangles = batch.shape(BODY)
    nose = triangles[(points[triangles][:, :, 0] > 2.1).all(axis=1)]
    used, rows = np.unique(nose, return_inverse=True)
    turned = points[used] @ matrix(np.array([0.86, 0.1, -0.36, 0.34])).T
    turned -= 0.5 * (turned.min(axis=0) + turned.max(axis=0))
    body = surface(turned, rows.reshape(-1, 3))
    size = np.linalg.norm(np.ptp(turned, axis=0))
    made = [dop_view(k, i, body, size) for i, k in enumerate(DOPS)]
    for k, (view, volume) in zip(DOPS, made):
        label(view, f"k = {k}: {100 * volume / made[0][1]:.0f} %")
        camera = view.GetActiveCamera()
        camera.SetParallelProjection(True)
        camera.SetParallelScale(0.62 * size)
        camera.SetPosition(0.5, -1.5, 0.7)
        camera.SetFocalPoint(0, 0, -0.06 * size)
        camera.SetViewUp(0, 0, 1)
        view.ResetCameraClippingRange()
    return [view for view, _ in made], (1400, 330)


def main():
    draw = {"flight": flight, "kdops": kdops, "ball-slope": ball_slope, "dominoes": dominoes}[sys.argv[1]]
    save(*draw(Batch(sys.argv[2])), sys.argv[3])


if __name__ == "__main__":
    main()
