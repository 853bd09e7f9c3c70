#!/usr/bin/env python3
"""The pictures of the README: a frame of a batch with the contacts of a result, drawn by VTK.

  picture.py cloth|scalpel BATCH.vtkhdf RESULT.vtkhdf OUT.png [FRAME]
"""
import sys

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonColor import vtkNamedColors
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
from vtkmodules.vtkFiltersCore import vtkPolyDataNormals, vtkTubeFilter, vtkThreshold
from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkRenderingCore import (vtkActor, vtkDataSetMapper, vtkPolyDataMapper, vtkRenderer,
                                         vtkRenderWindow, vtkWindowToImageFilter, vtkLight)
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401 (registers the renderer)


# what there is to see: colour and opacity of each object, whether it has sharp edges and whether its
# triangles are seen; thickness of contacts; the camera, and how far down the picture goes
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
}


def read(path, frame):
    """One step of a VTKHDF file."""
    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(Pipeline.TIME_STEPS())
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
    view.AddActor(contact_lines(contacts, look["contacts"] * size))
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
