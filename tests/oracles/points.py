"""What README.md says of contacts in one point, which are lines without length, by pixels of VTK: the
representation *Points* and *Point Gaussian* show each of them where it is. points.py IMPINGE, in an
empty folder."""
import subprocess
import sys

import h5py
import numpy as np
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401 (registers the renderer)
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkFiltersCore import vtkTubeFilter
from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkRenderingCore import (vtkActor, vtkPointGaussianMapper, vtkPolyDataMapper, vtkRenderer,
                                         vtkRenderWindow, vtkWindowToImageFilter)

from checks import expect, status

SIZE = 400


def impinge(*arguments):
    subprocess.run([sys.argv[1], *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, timeout=300)


def read(path):
    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    reader.SetStep(0)
    reader.Update()
    return reader


def surface(reader):
    """ParaView's *Extract Surface*."""
    made = vtkGeometryFilter()
    made.SetInputConnection(reader.GetOutputPort())
    return made


def tubes(reader):
    made = vtkTubeFilter()
    made.SetInputConnection(reader.GetOutputPort())
    made.SetRadius(0.05)
    return made


def actor_of(mapper, source):
    actor = vtkActor()
    mapper.SetInputConnection(source.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor.SetMapper(mapper)
    return actor


def lines_actor(source, points):
    """points: the representation *Points*."""
    actor = actor_of(vtkPolyDataMapper(), source)
    if points:
        actor.GetProperty().SetRepresentationToPoints()
        actor.GetProperty().SetPointSize(8)
    return actor


def gaussian_actor(source, radius):
    mapper = vtkPointGaussianMapper()
    mapper.SetScaleFactor(radius)
    return actor_of(mapper, source)


def drawn(actors, box, at):
    """The picture, (SIZE, SIZE) brightness, and the pixels (x, y) of some places in it."""
    view, window, image = vtkRenderer(), vtkRenderWindow(), vtkWindowToImageFilter()
    for actor in actors:
        view.AddActor(actor)
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    window.SetSize(SIZE, SIZE)
    window.AddRenderer(view)
    view.GetActiveCamera().SetPosition(0.3, -0.7, 1)
    view.ResetCamera(*box)
    window.Render()
    places = []
    for place in at:
        view.SetWorldPoint(*place, 1)
        view.WorldToDisplay()
        places.append(view.GetDisplayPoint()[:2])
    image.SetInput(window)
    image.Update()
    shown = vtk_to_numpy(image.GetOutput().GetPointData().GetScalars()).max(axis=1)
    return shown.reshape(SIZE, SIZE), np.array(places).round().astype(int)


def seen(actors, box, at):
    """Of the places, how many are drawn, and of all pixels, how many."""
    picture, places = drawn(actors, box, at)
    return int((picture[places[:, 1], places[:, 0]] > 0).sum()), int((picture > 0).sum())


def check(path, truth, radius):
    """Every contact of the first step is seen, where it is."""
    reader = read(path)
    ends = vtk_to_numpy(reader.GetOutput().GetPoints().GetData()).reshape(-1, 2, 3)
    expect(np.ptp(ends, axis=1).max() < 1e-12, f"{path}: lines with a length")
    expect(truth is None or np.allclose(ends[:, 0], truth), f"{path}: contacts at {ends[:, 0]}")
    at = ends[:, 0] if truth is None else np.array(truth)
    low, high = at.min(axis=0) - 1, at.max(axis=0) + 1
    box = [value for pair in zip(low, high) for value in pair]
    for name, source in (("lines", reader), ("Tube", tubes(reader))):
        _, pixels = seen([lines_actor(source, False)], box, at)
        expect(pixels == 0, f"{path}: {name}: {pixels} pixels; what README.md says is no longer so")
    for name, actor in (("Points", lines_actor(surface(reader), True)),
                        ("Point Gaussian", gaussian_actor(surface(reader), radius))):
        contacts, pixels = seen([lines_actor(reader, False), actor], box, at)
        expect(contacts == len(at) and pixels < SIZE * SIZE / 2,
               f"{path}: {name}: {contacts} of {len(at)} contacts seen, {pixels} pixels")


def check_mixed(path):
    """Segments beside points: lines as before, and all contacts by dots."""
    reader = read(path)
    ends = vtk_to_numpy(reader.GetOutput().GetPoints().GetData()).reshape(-1, 2, 3)
    points = (ends[:, 0] == ends[:, 1]).all(axis=1)
    expect(points.any() and not points.all(), f"{path}: {points.sum()} of {len(points)} are points")
    low, high = ends.reshape(-1, 3).min(axis=0), ends.reshape(-1, 3).max(axis=0)
    box = [value for pair in zip(low - 0.2, high + 0.2) for value in pair]
    both = [lines_actor(reader, False), lines_actor(surface(reader), True)]
    for some in (ends[points][:, 0], ends[~points].mean(axis=1)):
        contacts, _ = seen(both, box, some)
        expect(contacts == len(some), f"{path}: {contacts} of {len(some)} contacts seen")


def text(name, vertices, faces):
    with open(name, "w", encoding="ascii") as file:
        file.writelines(f"v {x} {y} {z}\n" for x, y, z in vertices)
        file.writelines(f"f {a} {b} {c}\n" for a, b, c in faces)


def main():
    # a vertex goes through a triangle
    still, faces = [(0, 0, 0), (2, 0, 0), (0, 2, 0)], [(1, 2, 3), (4, 5, 6)]
    text("f_0.obj", [*still, (.2, .2, 1), (.3, .2, 1), (.2, .3, 2)], faces)
    text("f_1.obj", [*still, (.2, .2, -1), (.3, .2, -1), (.2, .3, .5)], faces)
    impinge("convert", "f_0.obj", "f_1.obj", "-o", "one.vtkhdf")
    impinge("run", "one.vtkhdf", "-o", "one.out.vtkhdf", "--continuous", "--device", "cpu")
    check("one.out.vtkhdf", [(.2, .2, 0)], 0.05)
    impinge("generate", "sheets", "-n", "600", "-o", "sheets.vtkhdf")
    impinge("run", "sheets.vtkhdf", "-o", "sheets.out.vtkhdf", "--continuous", "--device", "cpu")
    check("sheets.out.vtkhdf", None, 0.01)
    # one triangle is touched by a vertex, another is cut
    text("mixed.obj", [*still, (.2, .2, 0), (.3, .2, 1), (.2, .3, 1), (.5, .5, -.3), (.9, .5, .5), (.5, .9, .5)],
         [*faces, (7, 8, 9)])
    impinge("convert", "mixed.obj", "-o", "mixed.vtkhdf")
    impinge("run", "mixed.vtkhdf", "-o", "mixed.out.vtkhdf", "--device", "cpu")
    check_mixed("mixed.out.vtkhdf")
    with h5py.File("mixed.out.vtkhdf") as file:
        expect(len(file["VTKHDF/Lines/Offsets"]) == 3, "a cell for each contact")
    return status()


sys.exit(main())
