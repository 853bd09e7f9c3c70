"""What the tests share. A test is a program: it runs all functions whose names begin with test_."""

import gc
import os
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import numpy as np


def main(names):
    """Runs the tests of a module, by its globals()."""
    for name, test in list(names.items()):
        if name.startswith("test_"):
            at, used = time.monotonic(), processor_time()
            print(f"  {name}", flush=True)
            test()
            gc.collect()
            print(f"    {time.monotonic() - at:.2f} s, {processor_time() - used:.2f} s of a processor", flush=True)


def processor_time():
    """Of this process and of those that it has waited for, in seconds."""
    return sum(os.times()[:4])


def folder():
    """A folder that goes with the object."""
    return tempfile.TemporaryDirectory(prefix="impinge-")


def generate(path, scene, *options):
    """A batch of a scene, by the program of the package."""
    from impinge.program import PROGRAM

    subprocess.run([str(PROGRAM), "generate", scene, "-o", str(path), "-q", *options], check=True)
    return path


def check_page(name, head, makers):
    """The page python/NAME is `head` and the lines that each of the makers gives of a folder.
    IMPINGE_WRITE_TABLE=1 writes it."""
    page, lines = Path(__file__).parents[1] / name, [*head.splitlines(), ""]
    for maker in makers:
        with folder() as where:
            lines += maker(where)
    lines = "\n".join(lines).rstrip().split("\n")
    if os.environ.get("IMPINGE_WRITE_TABLE"):
        page.write_text("\n".join(lines) + "\n")
    known = page.read_text().splitlines()
    differs = [f"-{a}\n+{b}" for a, b in zip(known, lines) if a != b]
    assert known == lines, "\n".join([f"python/{name} differs:", *differs])


def program(*words):
    """The program of the package, with what it prints."""
    from impinge.program import PROGRAM

    return subprocess.run([str(PROGRAM), *map(str, words)], capture_output=True, text=True)


def can_simulate():
    """Has it been built with ODE?"""
    with folder() as where:
        return program("pcs", "cradle", "-o", f"{where}/a", "--frames", 1).returncode == 0


def soup(n, size=0.05, seed=1):
    """points (3 n, 3) and triangles (n, 3): n triangles in the unit cube, none of which share a
    vertex."""
    random = np.random.default_rng(seed)
    points = random.random((n, 1, 3)) + size * random.standard_normal((n, 3, 3))
    return points.reshape(-1, 3), np.arange(3 * n, dtype=np.int32).reshape(n, 3)


def write_batch(path, frames):
    """A batch of frames, each a list of parts: (points, cells), all triangles or tetrahedra."""
    import h5py

    parts = [part for frame in frames for part in frame]
    corners = parts[0][1].shape[1]
    sizes = [[len(points), len(cells), cells.size] for points, cells in parts]
    firsts = np.array([[sum(len(f) for f in frames[:k]), len(f)] for k, f in enumerate(frames)])
    starts = np.concatenate([[[0, 0, 0]], np.cumsum(sizes, 0)])[firsts[:, 0]]
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([2, 0])
        root.attrs["Type"] = np.bytes_("PolyData" if corners == 3 else "UnstructuredGrid")
        group = root if corners == 4 else root.create_group("Polygons")
        root["NumberOfPoints"] = [s[0] for s in sizes]
        root["Points"] = np.concatenate([points for points, _ in parts])
        group["NumberOfCells"] = [s[1] for s in sizes]
        group["NumberOfConnectivityIds"] = [s[2] for s in sizes]
        group["Connectivity"] = np.concatenate([cells.ravel() for _, cells in parts])
        group["Offsets"] = np.concatenate([corners * np.arange(len(c) + 1) for _, c in parts])
        if corners == 4:
            root["Types"] = np.full(sum(s[1] for s in sizes), 10, np.uint8)
        for name in () if corners == 4 else ("Vertices", "Lines", "Strips"):
            for counts in ("NumberOfCells", "NumberOfConnectivityIds"):
                root[f"{name}/{counts}"] = np.zeros(len(parts), int)
            root[f"{name}/Connectivity"] = np.zeros(0, int)
            root[f"{name}/Offsets"] = np.zeros(len(parts), int)
        steps = root.create_group("Steps")
        steps.attrs["NSteps"] = len(frames)
        steps["Values"] = np.arange(len(frames)) / 2
        steps["PartOffsets"], steps["NumberOfParts"] = firsts[:, 0], firsts[:, 1]
        steps["PointOffsets"] = starts[:, 0]
        for name, start in (("CellOffsets", starts[:, 1]), ("ConnectivityIdOffsets", starts[:, 2])):
            columns = np.zeros((len(frames), 1 if corners == 4 else 4), int)
            columns[:, 0 if corners == 4 else 2] = start
            steps[name] = columns


def columns_in_memory():
    """Those that contacts have which no file gave."""
    from impinge._contacts import columns

    names = [c.name for c in columns if c.dtype is not None]
    return names + [c.first for c in columns if c.file_first]


def same(one, other, columns=None):
    """Both contacts are the same bits."""
    for name in columns or columns_in_memory():
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
    raise AssertionError(f"no {getattr(kind, '__name__', kind)}")


def interrupt_in(seconds, times):
    """Sends SIGINT to this process; the processor time that it had used then goes into times."""
    def send():
        times.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    timer.start()
    return timer


def address(array):
    return array.__array_interface__["data"][0]
