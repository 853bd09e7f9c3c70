"""The Python package beside imp_detect in C, ipctk, trimesh and FCL: the same work, in turns, in
one run. Ends with 1 where answers differ that must be the same.

    compare.py [--small] [--detect PROGRAM] [--csv FILE]

It needs impinge with h5py. What is not there of ipctk, trimesh and python-fcl, or bench_detect, is
left out. `./dev bench --python` has all of them."""

import sys

import ball
import cloth
import memory
import pipelines
from measure import Sheet, Turns, main

SIZES = {"cloth": 200_000, "ball": 6000, "frames": 60, "memory": 2_000_000}
SMALL = {"cloth": 6000, "ball": 1500, "frames": 12, "memory": 20_000}
TURNS, FEW = Turns(7, 8.0), Turns(2, 0.0)
PACKAGES = ("impinge", "numpy", "ipctk", "trimesh", "python-fcl")


def compare(folder, small, turns, detect):
    sheet, sizes = Sheet(), SMALL if small else SIZES
    cloth.contacts(sheet, folder, sizes["cloth"], turns, detect)
    for smooth in (False, True):
        cloth.touches(sheet, folder, sizes["cloth"], turns, smooth)
    ball.pairs(sheet, folder, sizes["ball"], sizes["frames"], turns)
    pipelines.both(sheet, folder, sizes["cloth"], turns)
    memory.peaks(sheet, folder, sizes["memory"], detect)
    return sheet


if __name__ == "__main__":
    sys.exit(main(__doc__, PACKAGES, compare, FEW, TURNS, ("--detect", "bench_detect of the build")))
