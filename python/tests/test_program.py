"""The program that the package brings: run, info and check; files that it wrote."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import impinge
import numpy as np
from common import folder, generate, main, raises, same
from impinge.program import PROGRAM


def test_run():
    with folder() as where:
        batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
        generate(batch, "cloth-ball", "-n", "1500", "--frames", "12")
        said = impinge.run(batch, result, pairs="between", fail_on_collision=True)
        assert said["contacts"] > 0 and said["collision"]
        what = raises(impinge.ArgumentError, impinge.run, batch, result)
        assert what.code == -1 and "exists" in str(what), what
        impinge.run(batch, result, force=True, frames="10:12", quiet=True)
        assert impinge.info(result)["frames"] == 2 and impinge.info(batch)["frames"] == 12
        assert "frame_table" in impinge.info(batch, frames=":")
        assert isinstance(impinge.check(result, batch, sample=20), str)
        raises(impinge.InputError, impinge.info, f"{where}/none.vtkhdf")
        raises(impinge.InputError, impinge.run, result + "x", result, force=True)
        raises(impinge.DeviceError, impinge.run, batch, result, force=True, device="none such")
        raises(impinge.ArgumentError, impinge.run, batch, result, colour="red")


def test_events():
    """The same as JSON of the program; events that were approved are known."""
    with folder() as where:
        batch, result, approved = (f"{where}/{name}" for name in ("batch", "result", "approved.txt"))
        generate(batch, "cloth-ball", "-n", "1500", "--frames", "30")
        impinge.run(batch, result)
        found = impinge.events(result)
        out = subprocess.run([PROGRAM, "events", result, "--json"], capture_output=True, check=True)
        said = json.loads(out.stdout)
        assert len(found) > 1 and [e.hash for e in found] == [e["hash"] for e in said["events"]]
        assert found[0].name_a == said["events"][0]["name_a"] and found[0].depth is None
        assert [p.last_frame for p in found[0].parts] == [
            p["last_frame"] for p in said["events"][0]["parts"]
        ]
        assert [list(c) for c in found.changes] == [list(c.values()) for c in said["changes"]]
        late = impinge.events(result, new_since=found[-1].first_frame)
        assert 0 < len(late) < len(found) and late[-1] == found[-1]
        raises(impinge.InputError, impinge.events, result, states=approved)
        new = impinge.events(result, states=approved, approve=True)
        assert {e.state for e in new} == {"new"} and not new.gone
        assert {e.state for e in impinge.events(result, states=approved)} == {"known"}
        impinge.run(batch, result, frames="0:1", force=True)
        assert len(impinge.events(result, states=approved).gone) == len(found)
        raises(impinge.InputError, impinge.events, batch)


def test_shards():
    """The join of all shards has the contacts of one run."""
    with folder() as where:
        batch, whole, join = (f"{where}/{name}.vtkhdf" for name in ("batch", "whole", "join"))
        generate(batch, "cloth-ball", "-n", "1500", "--frames", "12")
        impinge.run(batch, whole)
        shards = [f"{where}/shard{i}.vtkhdf" for i in range(3)]
        for i, shard in enumerate(shards):
            impinge.run(batch, shard, shard=f"{i}/3")
        what = raises(impinge.InputError, impinge.merge, join, shards[1:])
        assert "of 3 shards 0 is missing" in str(what), what
        for options in {}, {"copy": True}, {"virtual": True}:
            said = impinge.merge(join, shards, force=True, **options)
            assert "3 shards" in said and ("keep it together" in said) == ("virtual" in options)
            with impinge.open(whole) as one, impinge.open(join) as other:
                assert len(one) == len(other) == 12
                for k in range(12):
                    same(one[k], other[k])


def test_differs():
    """check finds what was changed."""
    import h5py

    with folder() as where:
        batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
        generate(batch, "cloth-ball", "-n", "1500", "--frames", "12")
        impinge.run(batch, result)
        with h5py.File(result, "r+") as file:
            file["VTKHDF/CellData/Kind"][0] = 3
        raises(impinge.ImpingeError, impinge.check, result, batch)


def test_open():
    with folder() as where:
        batch = f"{where}/batch.vtkhdf"
        generate(batch, "cloth-ball", "-n", "1500", "--frames", "12")
        impinge.run(batch, f"{where}/result.vtkhdf")
        with impinge.open(batch) as frames, impinge.open(f"{where}/result.vtkhdf") as results:
            assert len(frames) == len(results) == 12
            assert isinstance(frames, impinge.Batch) and isinstance(results, impinge.Result)
            assert (frames.times == results.times).all() and len(set(frames.times)) == 12
            assert frames[-1].time == frames.times[11] and frames[-1].ids is None
            raises(IndexError, lambda: frames[12])
            found = results[11]
            objects = frames[11].objects
            assert (objects[found.a] == found.object_a).all()
            assert (objects[found.b] == found.object_b).all()
        raises(OSError, impinge.open, f"{where}/none.vtkhdf")


def test_interrupt():
    """Ctrl-C ends the program in order, and does not leave it running."""
    with folder() as where:
        batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
        generate(batch, "soup", "-n", "300000")
        at = []

        def send():
            at.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(1.0, send).start()
        raises(KeyboardInterrupt, impinge.run, batch, result, broad="brute")
        assert time.monotonic() - at[0] < 60  # brute takes far longer
        assert not os.path.exists(result)


def test_command():
    """The command of the package is the program, and the demo ends with 0."""
    command = os.path.join(os.path.dirname(sys.executable), "impinge")
    said = [
        subprocess.run([c, "--version"], capture_output=True, text=True, check=True).stdout
        for c in (command, PROGRAM)
    ]
    assert said[0] == said[1] and impinge.__version__ in said[0]
    demo = [sys.executable, "-m", "impinge.demo"]
    line = subprocess.run(demo, capture_output=True, text=True, check=True).stdout
    assert "contacts" in line and len(line.splitlines()) == 1


def test_verbs():
    """The program knows the verbs of the package; here their help is that of the verb itself."""
    from impinge import program

    command = [sys.executable, "-m", "impinge"]
    told = subprocess.run([PROGRAM, "help"], capture_output=True, text=True, check=True).stdout
    told = told[told.index("verbs of the Python package:") :].split("\n\n")[0]
    names = {line.split()[0] for line in told.splitlines()[1:] if line[2] != " "}
    own = {name for name in program._verbs if program._verb([name, "--help"])}
    assert names == own and "report" in own, (names, own)
    for name in own:
        helps = [
            subprocess.run([*command, *words], capture_output=True, text=True, check=True).stdout
            for words in ((name, "--help"), ("help", name), ("--help", name))
        ]
        assert helps[0] == helps[1] == helps[2] and "--output" in helps[0], helps
    convert = subprocess.run([*command, "help", "convert"], capture_output=True, text=True).stdout
    assert "usage: impinge convert FILE|FOLDER..." in convert


def test_lists():
    """Pairs of objects by name or number, as lists, files or both; errors name the argument."""
    with folder() as where:
        batch, result, file = (f"{where}/{n}" for n in ("batch.vtkhdf", "out.vtkhdf", "list.txt"))
        with open(f"{where}/in.obj", "w") as obj:
            for k, name in enumerate(("arm", "base", "the hand")):
                obj.write(f"o {name}\nv 0 0 0\nv 1 0 {k}\nv 0 1 {-k}\nf -3 -2 -1\n")
        impinge.convert(f"{where}/in.obj", batch, groups=True, quiet=True)
        with open(file, "w") as out:
            out.write('base "the hand"\n')

        def run(**options):
            return impinge.run(batch, result, force=True, **options)

        def pairs(**options):
            said = run(**options)
            impinge.check(result, batch)
            return [(p["name_a"], p["name_b"]) for p in said["object_pairs"]]

        arm, base, hand = "arm", "base", "the hand"
        assert pairs() == [(arm, base), (arm, hand), (base, hand)]
        assert pairs(object_pairs_exclude=[(arm, base)]) == [(arm, hand), (base, hand)]
        assert pairs(object_pairs_exclude=[(1, 0), (hand, 0)]) == [(base, hand)]
        assert pairs(object_pairs_exclude=file) == [(arm, base), (arm, hand)]
        assert pairs(object_pairs=[(arm, base), (base, hand)], object_pairs_exclude=file) == [
            (arm, base)
        ]
        assert pairs(object_pairs=[(arm, base)], object_pairs_exclude=True) == [
            (arm, hand),
            (base, hand),
        ]
        for name in ("object_pairs", "object_pairs_exclude"):
            what = raises(impinge.InputError, run, **{name: [(arm, "bass")]})
            assert str(what) == f"impinge: {name}: line 1: there is no object 'bass'; there is base"
            what = raises(impinge.ArgumentError, run, **{name: [("a\nb", 1)]})
            assert str(what).startswith(f"{name}: "), what
        everything = [(a, b) for a in range(3) for b in range(a, 3)]
        what = raises(
            impinge.ArgumentError, run, object_pairs_exclude=everything
        )
        assert "object_pairs_exclude: " in str(what) and "tmp" not in str(what)[len(batch) + 12 :], what
        what = raises(impinge.ArgumentError, run, object_pairs_exclude=True)
        assert "of which object_pairs" in str(what)


def test_pyvista():
    """Lines, vertices where these are too short to be seen, and all columns, where PyVista is there."""
    try:
        import pyvista  # noqa: F401
    except ImportError:
        print("skipped: no PyVista")
        return
    from common import soup

    found = impinge.contacts(*soup(500))
    shown = found.to_pyvista()
    assert shown.n_lines == len(found) and (shown.points.reshape(-1, 2, 3) == found.ends).all()
    rows = shown.cell_data["Contact"]
    assert (shown.cell_data["PrimitiveA"] == found.a[rows]).all()
    assert (rows[shown.n_verts :] == np.arange(len(found))).all()
    assert impinge.contacts([], []).to_pyvista().n_cells == 0
    assert isinstance(shown.cell_data["Kind"], np.ndarray)
    with folder() as where:
        batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
        generate(batch, "sheets", "-n", "600")
        impinge.run(batch, result, continuous=True)
        with impinge.open(result) as opened:
            found = opened[0]
        shown = found.to_pyvista()
        points = np.flatnonzero((found.ends[:, 0] == found.ends[:, 1]).all(axis=1))
        assert len(points) > 0 and set(points) <= set(shown.cell_data["Contact"][: shown.n_verts])
        at = shown.points[shown.verts.reshape(-1, 2)[:, 1]]
        assert (at == found.ends[shown.cell_data["Contact"][: shown.n_verts], 0]).all()
        titles = {"PrimitiveA", "PrimitiveB", "Kind", "Share", "Time", "FeatureA", "FeatureB"}
        assert titles | {"ObjectA", "ObjectB", "Contact"} <= set(shown.cell_data.keys())


main(globals())
