"""What the tests share. A test is a program: it runs all functions whose names begin with test_."""

import gc
import subprocess
import tempfile
import time

import numpy as np


def main(names):
    """Runs the tests of a module, by its globals()."""
    for name, test in list(names.items()):
        if name.startswith("test_"):
            at = time.monotonic()
            print(f"  {name}", flush=True)
            test()
            gc.collect()
            print(f"    {time.monotonic() - at:.2f} s", flush=True)


def folder():
    """A folder that goes with the object."""
    return tempfile.TemporaryDirectory(prefix="impinge-")


def generate(path, scene, *options):
    """A batch of a scene, by the program of the package."""
    from impinge.program import PROGRAM

    subprocess.run([str(PROGRAM), "generate", scene, "-o", str(path), "-q", *options], check=True)
    return path


def soup(n, size=0.05, seed=1):
    """points (3 n, 3) and triangles (n, 3): n triangles in the unit cube, none of which share a
    vertex."""
    random = np.random.default_rng(seed)
    points = random.random((n, 1, 3)) + size * random.standard_normal((n, 3, 3))
    return points.reshape(-1, 3), np.arange(3 * n, dtype=np.int32).reshape(n, 3)


COLUMNS = (
    "a", "b", "kind", "ends", "share", "feature_a", "feature_b", "depth",
    "collision_first", "collision",
)  # fmt: skip


def same(one, other, columns=COLUMNS):
    """Both contacts are the same bits."""
    for name in columns:
        x, y = getattr(one, name), getattr(other, name)
        assert (x is None) == (y is None), name
        if x is not None:
            assert x.shape == y.shape and x.dtype == y.dtype, (
                name,
                x.shape,
                y.shape,
                x.dtype,
                y.dtype,
            )
            assert x.tobytes() == y.tobytes(), name


def raises(kind, call, *arguments, **options):
    """Returns the exception, which must be of this kind."""
    try:
        call(*arguments, **options)
    except kind as what:
        return what
    raise AssertionError(f"no {kind.__name__}")


def address(array):
    return array.__array_interface__["data"][0]
