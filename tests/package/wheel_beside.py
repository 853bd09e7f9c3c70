"""The package beside others that bring HDF5, OpenMP or C++ of their own, in one process: wheel_beside.py
others|impinge, which are imported and used first. In the folder is batch.vtkhdf. All that are installed take part."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import numpy


def use_h5py(h5py) -> None:
    with h5py.File("h5py.h5", "w") as file:
        file.create_dataset("x", data=numpy.arange(1000), compression="gzip")
    with h5py.File("h5py.h5") as file:
        assert file["x"][-1] == 999


def use_netCDF4(netCDF4) -> None:
    with netCDF4.Dataset("netcdf.nc", "w") as file:
        file.createDimension("n", 7)
        file.createVariable("x", "f8", ("n",))[:] = numpy.arange(7)
    with netCDF4.Dataset("netcdf.nc") as file:
        assert file["x"][6] == 6


def use_vtk(vtk) -> None:
    reader = vtk.vtkHDFReader()
    reader.SetFileName("batch.vtkhdf")
    reader.Update()
    assert reader.GetOutputDataObject(0) is not None


def use_pxr(pxr) -> None:
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.CreateNew("stage.usdc")
    UsdGeom.Sphere.Define(stage, "/ball").GetRadiusAttr().Set(2.0)
    stage.Save()


def use_ipctk(ipctk) -> None:
    """An OpenMP or TBB of its own."""


USE = {"h5py": use_h5py, "netCDF4": use_netCDF4, "vtk": use_vtk, "pxr": use_pxr, "ipctk": use_ipctk}


def others() -> list[str]:
    used = []
    for name, use in USE.items():
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError:
            print(f"skipped: no {name}")
            continue
        use(module)
        used.append(name)
    return used


def impinge_itself() -> int:
    import impinge

    assert [device["platform"] for device in impinge.devices()] == ["host"]
    said = impinge.run("batch.vtkhdf", "result.vtkhdf", force=True)
    with impinge.open("batch.vtkhdf") as batch, impinge.open("result.vtkhdf") as result:
        for frame, expected in zip(batch, result):
            found = impinge.contacts(frame.points, frame.triangles, frame.objects)
            assert numpy.array_equal(found.ends, expected.ends)
        total = sum(map(len, result))
    assert total == said["contacts"] > 0
    assert len(impinge.contacts([], [])) == 0
    return total


def main(first: str) -> None:
    if first == "others":
        others()
    total = impinge_itself()
    names = others()
    assert impinge_itself() == total
    libraries = set(re.findall(r"/(lib(?:hdf5|gomp|omp|iomp5|gmp)[^/ ]*)\.so", Path("/proc/self/maps").read_text()))
    print(f"{total} contacts beside {', '.join(names)}; {first} first; libraries: {', '.join(sorted(libraries))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
