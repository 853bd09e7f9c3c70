#!/usr/bin/env python3
"""The pictures of the README: a frame of a batch with the contacts of a result, drawn by VTK.

  picture.py cloth|scalpel|sheets BATCH.vtkhdf RESULT.vtkhdf OUT.png [FRAME]

With `sheets` FRAME is that with which a step begins, and contacts have the colour of their time.
"""
import sys

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonColor import vtkNamedColors
from vtkmodules.vtkCommonCore import vtkLookupTable, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
from vtkmodules.vtkFiltersCore import vtkGlyph3D, vtkPolyDataNormals, vtkTubeFilter, vtkThreshold
from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor
from vtkmodules.vtkRenderingCore import (vtkActor, vtkDataSetMapper, vtkPolyDataMapper, vtkRenderer,
                                         vtkRenderWindow, vtkWindowToImageFilter, vtkLight)
import vtkmodules.vtkRenderingFreeType  # noqa: F401 (registers text)
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401 (registers the renderer)


# what there is to see: colour and opacity of each object, whether it has sharp edges and whether its
# triangles are seen; thickness of contacts, and what their colour means; the camera, and how far down the
# picture goes
LOOKS = {
    "cloth": {
        "bodies": [("LightSteelBlue", 0.6, False, False), ("Wheat", 1.0, False, False)],
        "contacts": 0.0012,
        "from": (1.0, -1.6, 1.1),
        "zoom": 1.58,
        "centre": 0,
        "size": (1200, 640),
    },
    "scalpel": {
        "bodies": [("Salmon", 0.25, True, True), ("LightSteelBlue", 1.0, True, False)],
        "contacts": 0.0013,
        "from": (-1.3, 0.75, 0.95),
        "zoom": 1.36,
        "centre": -0.17,
        "size": (1000, 540),
    },
    "sheets": {
        "bodies": [("WhiteSmoke", 1.0, False, True), ("Wheat", 0.3, False, True)],
        "contacts": 0.0026,
        "colour": "share of the step",
        "from": (0.9, -1.5, 0.85),
        "zoom": 1.62,
        "centre": -0.1,
        "size": (1200, 600),
    },
}


def read(path, frame):
    """One step of a VTKHDF file."""
    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(Pipeline.TIME_STEPS())
    if times is None:  # the reader does not tell the time of a single step
        reader.Update()
    else:
        reader.UpdateTimeStep(times[frame])
    copy = reader.GetOutputDataObject(0).NewInstance()
    copy.DeepCopy(reader.GetOutputDataObject(0))
    return copy


def body(mesh, number, colour, opacity, sharp, edges):
    """The surface of one object."""
    mesh.GetCellData().SetActiveScalars("ObjectId")
    pick = vtkThreshold()
    pick.SetInputData(mesh)
    pick.SetInputArrayToProcess(0, 0, 0, 1, "ObjectId")
    pick.SetLowerThreshold(number)
    pick.SetUpperThreshold(number)
    surface = vtkGeometryFilter()
    surface.SetInputConnection(pick.GetOutputPort())
    smooth = vtkPolyDataNormals()
    smooth.SetInputConnection(surface.GetOutputPort())
    smooth.SetSplitting(sharp)
    smooth.SetFeatureAngle(40)
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(smooth.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor = vtkActor()
    actor.SetMapper(mapper)
    p = actor.GetProperty()
    p.SetColor(vtkNamedColors().GetColor3d(colour))
    p.SetOpacity(opacity)
    p.SetSpecular(0.2)
    p.SetSpecularPower(20)
    p.SetAmbient(0.3 if sharp and not edges else 0.0)
    p.SetEdgeVisibility(edges)
    p.SetEdgeOpacity(0.15)
    p.SetLineWidth(0.6)
    return actor


def contact_lines(result, width):
    tube = vtkTubeFilter()
    tube.SetInputData(result)
    tube.SetRadius(width)
    tube.SetNumberOfSides(8)
    mapper = vtkDataSetMapper()
    mapper.SetInputConnection(tube.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(vtkNamedColors().GetColor3d("Red"))
    actor.GetProperty().SetAmbient(0.5)
    return actor


def times_table():
    """Of colours, from the start of a step to its end: blue, green, yellow, red."""
    table = vtkLookupTable()
    table.SetHueRange(0.66, 0.0)
    table.SetTableRange(0, 1)
    table.Build()
    return table


def contact_balls(result, size, timed):
    """The lines of contacts in one point have no length: balls, with the colour of their time or red."""
    ends = vtk_to_numpy(result.GetPoints().GetData()).reshape(-1, 2, 3)
    points = timed | (ends[:, 0] == ends[:, 1]).all(axis=1)
    places, where = vtkPolyData(), vtkPoints()
    where.SetData(numpy_to_vtk(np.ascontiguousarray(ends[points].mean(axis=1)), deep=True))
    places.SetPoints(where)
    if timed:
        places.GetPointData().SetScalars(result.GetCellData().GetArray("Share"))
    ball, balls = vtkSphereSource(), vtkGlyph3D()
    ball.SetRadius(size)
    balls.SetInputData(places)
    balls.SetSourceConnection(ball.GetOutputPort())
    balls.ScalingOff()
    balls.SetColorModeToColorByScalar()
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(balls.GetOutputPort())
    mapper.SetScalarVisibility(timed)
    mapper.SetLookupTable(times_table())
    mapper.UseLookupTableScalarRangeOn()
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(vtkNamedColors().GetColor3d("Red"))
    actor.GetProperty().SetAmbient(0.4 if timed else 0.5)
    return actor


def times_bar(title):
    bar = vtkScalarBarActor()
    bar.SetLookupTable(times_table())
    bar.SetTitle(title)
    bar.SetNumberOfLabels(3)
    bar.SetLabelFormat("%.1f")
    bar.SetOrientationToHorizontal()
    bar.SetPosition(0.04, 0.82)
    bar.SetWidth(0.28)
    bar.SetHeight(0.13)
    bar.UnconstrainedFontSizeOn()
    bar.SetTextPositionToPrecedeScalarBar()
    for text in (bar.GetTitleTextProperty(), bar.GetLabelTextProperty()):
        text.SetColor(0.1, 0.1, 0.1)
        text.SetFontSize(16)
        text.BoldOff()
        text.ItalicOff()
        text.ShadowOff()
    return bar


def contact_actors(result, look, size):
    width = look["contacts"] * size
    if "colour" in look:
        return [contact_balls(result, width, True), times_bar(look["colour"])]
    return [contact_lines(result, width), contact_balls(result, 2 * width, False)]


def save(views, size, out):
    """Lights, and all views in one picture."""
    window = vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    window.SetAlphaBitPlanes(1)
    window.SetSize(*size)
    for view in views:
        for x, y, power in ((0.6, 1, 0.9), (-1, 0.3, 0.4)):
            light = vtkLight()
            light.SetLightTypeToCameraLight()
            light.SetPosition(x, y, 1)
            light.SetIntensity(power)
            view.AddLight(light)
        view.UseDepthPeelingOn()
        view.UseFXAAOn()
        window.AddRenderer(view)
    window.Render()
    image = vtkWindowToImageFilter()
    image.SetInput(window)
    writer = vtkPNGWriter()
    writer.SetFileName(out)
    writer.SetCompressionLevel(9)
    writer.SetInputConnection(image.GetOutputPort())
    writer.Write()


def main():
    look = LOOKS[sys.argv[1]]
    batch, result, out = sys.argv[2:5]
    frame = int(sys.argv[5]) if len(sys.argv) > 5 else -1
    mesh, contacts = read(batch, frame), read(result, frame)
    size = mesh.GetLength()
    kinds = vtk_to_numpy(contacts.GetCellData().GetArray("Kind"))
    print(f"{len(kinds)} contacts")
    view = vtkRenderer()
    view.SetBackground(1, 1, 1)
    for number, body_look in enumerate(look["bodies"]):
        view.AddActor(body(mesh, number, *body_look))
    for actor in contact_actors(contacts, look, size):
        view.AddViewProp(actor)
    camera = view.GetActiveCamera()
    camera.SetPosition(*look["from"])
    camera.SetFocalPoint(0, 0, 0)
    camera.SetViewUp(0, 0, 1)
    view.ResetCamera()
    camera.Zoom(look["zoom"])
    camera.SetWindowCenter(0, look["centre"])
    save([view], look["size"], out)


if __name__ == "__main__":
    main()
