"""Small inputs that once failed, with what is right: ../shared/cases, where that folder is.

A case either gives the right value or is refused in a line that names what is meant.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from common import folder, main, raises

import impinge
from impinge.program import PROGRAM

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
CPU = ("--device", "cpu")


class Said:
    def __init__(self, process):
        self.code = process.returncode
        self.out, self.err = process.stdout, process.stderr

    def __repr__(self):
        return f"exit {self.code}: {self.out}{self.err}"


def program(*words, where, **environment):
    """The program as a user starts it, for at most five minutes; what Python has no part in, without it."""
    begin = [sys.executable, "-m", "impinge"] if words[0] == "convert" else [PROGRAM]
    process = subprocess.run(
        [*begin, *map(str, words)],
        cwd=where,
        capture_output=True,
        text=True,
        timeout=300,
        env=dict(os.environ, **environment),
    )
    return Said(process)


def refused(said, *words):
    """In one line that has these words."""
    lines = [line for line in said.err.splitlines() if "warning: " not in line]
    assert said.code in (1, 2, 3, 5) and len(lines) == 1, said
    assert all(word in lines[0] for word in words), said


def batch(name, where, *options):
    said = program("convert", CASES / name, "-o", "b.vtkhdf", "--force", *options, where=where)
    return said


def contacts(name, where, *options, **environment):
    """How many, of a batch or of what convert makes of a file; None where it is refused."""
    path = CASES / name
    if path.suffix != ".vtkhdf":
        said = batch(name, where)
        if said.code:
            refused(said)
            return None
        path = where / "b.vtkhdf"
    if not {"--device"} & set(options):
        options += CPU
    said = program(
        "run", path, "-o", "r.vtkhdf", "--force", "--json", *options, where=where, **environment
    )
    if said.code not in (0, 10):
        refused(said)
        return None
    found = json.loads(said.out)
    return found["candidates" if "candidates" in options else "contacts"]


def has_opencl(where):
    found = "\n1  " in program("devices", where=where).out
    if not found:
        print("  skipped: no OpenCL")
    return found


def checked(name, where):
    said = program("check", "r.vtkhdf", "--input", CASES / name, where=where)
    assert said.code == 0, said


# ---- readers


def test_inp():
    with folder() as at:
        where = Path(at)
        found = contacts("two_node_blocks.inp", where)
        assert found == 1, found
        said = batch("instance.inp", where)
        if said.code:
            refused(said, "nstance")
        else:
            with impinge.open(where / "b.vtkhdf") as opened:
                assert opened[0].triangles.shape == (4, 3)
                z = opened[0].points[:, 2]
                assert (z.min(), z.max()) == (0, 5)


def test_bdf():
    with folder() as at:
        assert contacts("cp.bdf", Path(at)) == 0
        assert contacts("include.bdf", Path(at)) == 1


def test_others():
    with folder() as at:
        where = Path(at)
        assert contacts("tec2.dat", where) == 1
        assert contacts("quad.off", where) == 2  # the triangle meets both halves of the quad
        for name in ("sameline.off", "lag.vtu", "lag.vtkhdf"):
            assert contacts(name, where) == 1, name
        assert contacts("openfoam_cube", where) == 0
        assert contacts("shared.exo", where) == 0


def test_gltf():
    with folder() as at:
        where = Path(at)
        said = batch("anim.gltf", where)
        if said.code:
            refused(said, "anim")
            return
        with impinge.open(where / "b.vtkhdf") as opened:
            assert len(opened) >= 2
            ends = [opened[k].points[3:, 2] for k in (0, len(opened) - 1)]
            assert np.allclose(ends[0] - ends[1], 2), ends


def test_ghosts():
    with folder() as at:
        where = Path(at)
        assert contacts("ghost2.vtkhdf", where) == 3
        said = program("info", CASES / "ghost2.vtkhdf", where=where)
        assert "2" in said.out and "ghost" in said.out + said.err, said


def test_arrays():
    with folder() as at:
        where = Path(at)
        said = batch("parts.vtp", where)
        assert said.code == 0, said
        with impinge.open(where / "b.vtkhdf") as opened:
            cells = opened.file["VTKHDF/CellData"]
            assert sorted(set(cells["ObjectId"][:].tolist())) == [-5, 12]
            assert "object_ids" not in opened.file["impinge"]
        said = program(
            "run", "b.vtkhdf", "-o", "r.vtkhdf", "--pairs", "between", "--json", where=where
        )
        assert said.code == 0 and json.loads(said.out)["contacts"] > 0, said
        said = program(
            "run", "b.vtkhdf", "-o", "p.vtkhdf", "--objects", "array:PartId", where=where
        )
        assert said.code == 0, said


def test_order():
    """Negative numbers are numbers."""
    with folder() as at:
        where = Path(at)
        files = sorted((CASES / "neg").iterdir())
        said = program("convert", *files, "-o", "b.vtkhdf", where=where)
        assert said.code == 0, said
        with impinge.open(where / "b.vtkhdf") as opened:
            sources = opened.file["impinge/frame_sources"].asstr()[:]
        numbers = [int("".join(c for c in Path(s).stem if c in "-0123456789")) for s in sources]
        assert numbers == [-10, -2, -1, 0, 1, 2, 10], numbers


# ---- what leaves


def script(name, where):
    """A script of a user, which calls the program and the package by their names."""
    bin_ = where / "bin"
    bin_.mkdir(exist_ok=True)
    for called, words in (("impinge", ["-m", "impinge"]), ("python", [])):
        text = f'#!/bin/sh\nexec {sys.executable} {" ".join(words)} "$@"\n'
        (bin_ / called).write_text(text)
        (bin_ / called).chmod(0o755)
    environment = dict(os.environ, PATH=f"{bin_}:{os.environ['PATH']}", TMPDIR=str(where))
    command = ["bash" if name.endswith(".sh") else sys.executable, CASES / name]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, env=environment)
    return Said(done)


def test_false_green():
    with folder() as at:
        said = script("ci_false_green.sh", Path(at))
        told = [line for line in said.out.splitlines() if "exit code" in line]
        codes = [line.split("exit code ")[1].split()[0] for line in told]
        assert codes[0] != "0" and codes[1] == "10", said


def test_names():
    with folder() as at:
        said = script("names_by_cwd.sh", Path(at))
        lines = [line for line in said.out.splitlines() if line.startswith("objects")]
        assert len(lines) == 2 and all("lower" in line and "upper" in line for line in lines), said


def test_merged():
    """Alone, a join that refers to its shards is refused, and a copy is whole."""
    with folder() as at:
        where = Path(at)
        said = script("merged_without_shards.sh", where)
        moved = next(where.glob("**/b/m.vtkhdf"))
        if "program: rc 0" in said.out:  # a copy
            assert said.out.count("ends[0]") == 2, said
            lines = [line.split(" ", 1)[1] for line in said.out.splitlines() if "ends[0]" in line]
            assert lines[0] == lines[1], said
        shards = [where / f"s{k}.vtkhdf" for k in range(2)]
        source = moved.parent.parent / "a" / "in.vtkhdf"
        for k, shard in enumerate(shards):
            impinge.run(source, shard, shard=f"{k}/2")
        (where / "c").mkdir()
        made = program("merge", "--virtual", where / "m.vtkhdf", *shards, where=where)
        assert made.code == 0, made
        shutil.copy(where / "m.vtkhdf", where / "c")
        raises(impinge.InputError, lambda: impinge.open(where / "c" / "m.vtkhdf")[50])


def test_touching_parts():
    try:
        import trimesh  # noqa: F401
    except ImportError:
        print("  skipped: no trimesh")
        return
    with folder() as at:
        said = script("stl_touching_parts.sh", Path(at))
        found = {}
        for line in said.out.splitlines():
            name, _, text = line.partition(": ")
            found[name] = text.split(" contacts")[0].split()[-1] if " contacts" in text else text
        assert found["touch.obj"] == found["touch.stl"] and "36" in found["touch.stl"], said
        assert found["stack.obj"] == found["stack.stl"] and "64" in found["stack.stl"], said


def test_silent_empty():
    """The five calls of the script, each of which says what to do."""
    random = np.random.default_rng(2).random
    points = np.repeat(random((300, 3)), 3, 0) + random((900, 3)) / 5
    triangles = np.arange(900).reshape(-1, 3)
    objects = np.arange(300) % 2
    call, wrong = impinge.contacts, impinge.ArgumentError
    assert len(call(points, triangles, objects)) > 0
    raises(wrong, call, points, np.c_[np.full(300, 3), triangles])
    raises(wrong, call, points, triangles, pairs="between")
    raises(wrong, call, points, triangles, object_pairs=[(0, 1)])
    raises(wrong, call, points, triangles, objects, object_pairs=[(0, 2)])
    raises(wrong, call, points, triangles, objects, object_pairs=[(0, 1)], pairs="self")
    raises(wrong, call, points, triangles, objects, object_pairs=[])


def test_line_of_features():
    """With a separation the line is that of the least feature; the documentation says so."""
    with folder() as at:
        where = Path(at)
        said = program("convert", CASES / "st.obj", CASES / "st.obj", "-o", "b.vtkhdf", where=where)
        assert said.code == 0, said
        impinge.run(where / "b.vtkhdf", where / "r.vtkhdf", continuous=True, min_separation=0.6)
        found = impinge.open(where / "r.vtkhdf")[0]
        assert len(found) == 1
        assert 0.1 <= np.linalg.norm(found.ends[0, 1] - found.ends[0, 0]) <= 0.6


# ---- the core


def test_bounds_that_grow():
    candidates = ("--stage", "candidates", "--min-separation")
    cases = {
        "grid-misses.vtkhdf": ("--min-separation", 4, "--pairs", "between"),
        "rtree-duplicates.vtkhdf": (*candidates, 10),
        "nan-rows.vtkhdf": (*candidates, 30, "--on-bad", "skip"),
    }
    with folder() as at:
        where, found = Path(at), {name: set() for name in cases}
        for name, options in cases.items():
            for method in ("grid", "rtree", "hash", "tiles", "tree", "brute"):
                rows = contacts(name, where, "--continuous", "--broad", method, *options)
                found[name].add(rows)
                checked(name, where)
                with impinge.open(where / "r.vtkhdf") as opened:
                    assert all(np.isfinite(step.ends).all() for step in opened)
        assert found["grid-misses.vtkhdf"] == found["rtree-duplicates.vtkhdf"] == {1}, found
        assert len(found["nan-rows.vtkhdf"]) == 1, found


_fast = "double impinge_test_fast(double x) { return x * 2; }\n"


def test_float_environment():
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        print("  skipped: no compiler")
        return
    with folder() as at:
        where = Path(at)
        (where / "fast.c").write_text(_fast)
        made = [compiler, "-shared", "-fPIC", "-ffast-math", "fast.c", "-o", "libfast.so"]
        subprocess.run(made, cwd=where, check=True)
        assert contacts("float-environment.vtkhdf", where) == 0
        fast = dict(LD_PRELOAD=str(where / "libfast.so"))
        for device in ("cpu", "opencl") if has_opencl(where) else ("cpu",):
            found = contacts("float-environment.vtkhdf", where, "--device", device, **fast)
            assert found == 0, (device, found)


def test_denormals():
    with folder() as at:
        where = Path(at)
        # Kernels that are in no cache, compiled quickly.
        flush = dict(
            POCL_EXTRA_BUILD_FLAGS="-cl-denorms-are-zero -cl-opt-disable",
            POCL_CACHE_DIR=f"{at}/pocl",
            XDG_CACHE_HOME=at,
        )
        opencl = ("--device", "opencl", "--broad", "brute")
        if has_opencl(where):
            found = contacts("float32-denormals.vtkhdf", where, *opencl, **flush)
            assert found == 0, found
        contacts("continuous-denormal-order.vtkhdf", where, "--continuous")
        checked("continuous-denormal-order.vtkhdf", where)


def test_adjacent_repeats():
    with folder() as at:
        where = Path(at)
        contacts("adjacent-repeats.vtkhdf", where, "--continuous", "--adjacent", "test")
        checked("adjacent-repeats.vtkhdf", where)


def test_times():
    with folder() as at:
        where = Path(at)
        said = program("info", CASES / "frame-times.vtkhdf", where=where)
        found = contacts("frame-times.vtkhdf", where, "--continuous")
        assert found is None, (found, said)


def test_turning():
    with folder() as at:
        where = Path(at)
        for name in ("turning-far-from-origin.vtkhdf", "turning-whole-turns.vtkhdf"):
            found = contacts(name, where, "--continuous")
            assert found == 0, (name, found)
            checked(name, where)
        name = "turning-small-tolerance.vtkhdf"
        if contacts(name, where, "--continuous", "--tolerance", "1e-14") is not None:
            checked(name, where)


def test_bounded_work():
    """They end, or are refused."""
    with folder() as at:
        where = Path(at)
        contacts("spin.vtkhdf", where, "--continuous")
        found = contacts("slow-exact.vtkhdf", where, "--continuous")
        assert found is not None
        checked("slow-exact.vtkhdf", where)


def test_memory():
    with folder() as at:
        where = Path(at)
        name = CASES / "memory-6GB.vtkhdf"
        for words in (("run", name, "-o", "r.vtkhdf", "--mem-limit", "64M", *CPU), ("info", name)):
            pid = os.fork()
            if not pid:
                os.chdir(where)
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1), os.dup2(null, 2)
                os.execv(PROGRAM, [str(PROGRAM), *map(str, words)])
            _, status, used = os.wait4(pid, 0)
            assert os.waitstatus_to_exitcode(status) in (0, 3, 5), words
            assert used.ru_maxrss < 400_000, (words, used.ru_maxrss)  # KiB, with libraries


def test_points_are_seen():
    """Contacts in a point are drawn."""
    try:
        import vtk  # noqa: F401
    except ImportError:
        print("  skipped: no vtk")
        return
    with folder() as at:
        said = script("invisible_points.py", Path(at))
        pixels = dict(line.rsplit(" ", 2)[:2] for line in said.out.splitlines() if "pixels" in line)
        assert int(pixels["representation Points"]) > 0, said


if CASES.is_dir():
    main(globals())
else:
    print("  skipped: no ../shared/cases")
