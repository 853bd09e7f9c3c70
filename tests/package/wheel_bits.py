"""A wheel's program beside this build's: wheel_bits.py NATIVE FOLDER OTHER [WORD...]. OTHER with its WORDs, such as
an emulator before it, writes the same bytes of scenes, and the same bits of every array of results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import numpy

# scene, size, words of generate; and of each run on it
JOBS = [
    ("cloth-ball", 1500, ["--frames", "12"], [["--end-features"], ["--distance", "0.01"], ["--continuous"]]),
    ("sheets", 3000, [], [["--continuous", "--min-separation", "0.001"]]),
    ("spheres", 4000, ["--frames", "2"], [["--inside"], ["--inside", "--rows", "contacts"]]),
    ("spheres", 4000, ["--seed", "1"], [["--thickness", "0.02"], ["--rows", "objects"]]),
    ("dense", 1500, ["--frames", "2"], [[], ["--distance", "0.005"]]),
    ("scalpel", 6000, ["--frames", "2", "--set", "begin=75"], [["--broad", "grid"], ["--threads", "1"]]),
    ("missile", 3000, ["--set", "begin=2", "--set", "step=0.1"], [[], ["--continuous"]]),
]
# of the job, not of what it found
TOLD = ("seconds", "command", "device", "created", "version", "host")


def run(program: list[str], *words: object) -> None:
    subprocess.run([*program, *map(str, words), "-q"], check=True)


def arrays(path: Path) -> dict[str, numpy.ndarray]:
    found = {}

    def visit(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return found


def same(first: Path, second: Path) -> int:
    """The number of bytes that were compared; of times and names of the machine none are."""
    one, other = arrays(first), arrays(second)
    assert one.keys() == other.keys(), sorted(one.keys() ^ other.keys())
    total = 0
    for name, array in one.items():
        if name.rsplit("/", 1)[-1].lower() in TOLD:
            continue
        assert array.dtype == other[name].dtype and numpy.shape(array) == numpy.shape(other[name]), name
        assert numpy.asarray(array).tobytes() == numpy.asarray(other[name]).tobytes(), name
        total += numpy.asarray(array).nbytes
    return total


def main(native: str, folder: str, *other: str) -> None:
    mine, theirs = [native], list(other)
    where = Path(folder)
    for scene, size, words, runs in JOBS:
        batch, again = where / f"{scene}.vtkhdf", where / f"{scene}-wheel.vtkhdf"
        for program, file in ((mine, batch), (theirs, again)):
            run(program, "generate", scene, "-n", size, *words, "-o", file, "--force")
        assert batch.read_bytes() == again.read_bytes(), scene
        for options in runs:
            results = [where / "native.vtkhdf", where / "wheel.vtkhdf"]
            for program, file in zip((mine, theirs), results):
                run(program, "run", batch, "-o", file, "--force", "--device", "cpu", *options)
            print(f"{scene} {' '.join(options)}: {same(*results)} bytes are the same")
    if len(theirs) > 1:
        return  # ODE of another processor has fused multiplications, which Debian's compiler makes there
    results = [where / "simulated", where / "simulated-wheel"]
    for program, file in zip((mine, theirs), results):
        run(program, "pcs", "boxes", "--bodies", 2, "--seed", 3, "--step", 0.1, "--frames", 12, "-o", file)
    written = [file.with_name(file.name + ".batch.vtkhdf") for file in results]
    print(f"pcs: {same(*results) + same(*written)} bytes are the same")


if __name__ == "__main__":
    main(*sys.argv[1:])
