"""What the README tells to type: its commands and its Python, run as they stand there, on files that
its own commands made. That way of reading and VTK must agree with the text that `run` writes.

readme.py PROGRAM README"""

import os
import re
import subprocess
import sys
import tempfile

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader


def vtk_lines(path, k):
    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    reader.SetStep(k)
    reader.Update()
    return reader.GetOutput()


program, readme = (os.path.abspath(path) for path in sys.argv[1:3])
with open(readme, encoding="utf-8") as file:
    text = file.read()
use = text[text.index("\n## Use") :]
commands = re.search(r"\n```\n(.*?)\n```", use, re.S).group(1)
python = re.findall(r"```python\n(.*?)```", use, re.S)
if not python or "impinge run " not in commands:
    sys.exit("the README has no examples")

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.symlink(program, "impinge")
    path = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]}
    for command in commands.splitlines():
        subprocess.run(command, shell=True, check=True, env=path)
    names = {}
    for block in python:
        exec(block, names)  # one after the other, as somebody would who reads on

    run = [program, "run", "cloth.vtkhdf", "-o", "again.vtkhdf", "--collide-txt", "again.txt", "-q"]
    subprocess.run(run, check=True)
    rows = numpy.loadtxt("again.txt", ndmin=2)
    rows = rows[rows[:, 0] == names["k"]]
    if len(rows) == 0:
        sys.exit("a frame without contacts shows nothing")
    lines = vtk_lines("contacts.vtkhdf", names["k"])
    points = vtk_to_numpy(lines.GetPoints().GetData())
    kinds = vtk_to_numpy(lines.GetCellData().GetArray("Kind"))
    numpy.testing.assert_array_equal(numpy.stack([names["a"], names["b"]], 1), rows[:, 1:3])
    numpy.testing.assert_array_equal(names["ends"].reshape(-1, 6), rows[:, 3:9])
    numpy.testing.assert_array_equal(points.reshape(-1, 6), rows[:, 3:9])
    if len(kinds) != len(rows) or not set(kinds) <= {1, 2, 3}:
        sys.exit(f"kinds: {kinds}")
    print(f"frame {names['k']}: {len(rows)} contacts, the same in h5py, VTK and text")
    os.chdir("/")
