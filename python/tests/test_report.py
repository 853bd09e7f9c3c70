"""The page of a result: its numbers, its size, what it loads and what it shows."""

import html
import importlib.util
import json
import os
import re
import subprocess
import sys
import zlib
from base64 import b64decode

import impinge
import numpy as np
from common import folder, generate, main, raises, soup
from page_tree import parsed

MISSING = [name for name in ("h5py", "k3d") if importlib.util.find_spec(name) is None]


def made(where, scene, *options, **run):
    """A batch of a scene, and its result."""
    batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
    generate(batch, scene, *options)
    impinge.run(batch, result, quiet=True, **run)
    return batch, result


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def told(page, name):
    """The number in an element."""
    return int(parsed(page).id(name).all("data")[0]["value"])


def rows(page, name):
    """The rows of a table, each the texts of its cells."""
    return [[cell.text() for cell in row] for row in parsed(page).id(name).rows()]


def summary(page):
    return parsed(page).all("p", class_="summary")[0].text()


def number(cell):
    return float(cell.replace(",", "").split()[0])


def numbered(cell):
    """The object of a cell: "0", or "cloth (0)"."""
    return int(re.search(r"(-?\d+)[ )]*$", cell)[1])


def check_sums(page, result):
    """Sums on the page are those of the program."""
    info = impinge.info(result)
    assert told(page, "frames") == info["frames"]
    assert told(page, "contacts") == info["contacts"]
    assert told(page, "frames-with-contacts") == info["frames_with_contacts"]
    want = sorted((p["a"], p["b"], p["contacts"]) for p in info["object_pairs"])
    found = rows(page, "pairs") if want else []
    assert sorted((*map(numbered, row[:2]), int(number(row[2]))) for row in found) == want
    return info


def check_alone(page):
    """Nothing in it is loaded, nor is it in the code that is packed in it."""
    code = zlib.decompress(b64decode(page.split('id="k3d">')[1].split("<")[0])).decode()
    for source in (page, code):
        assert not re.search(r"(https?|wss?)://", source)
        assert not re.search(r"url\((fonts|/)", source)
    tree = parsed(page)
    assert not [e for e in tree.elements() if e.get("href")]
    sources = [e["src"] for e in tree.elements() if e.get("src")]
    assert all(source.startswith("data:image/png;base64,") for source in sources), sources
    assert "default-src 'none'" in page


def test_sums():
    with folder() as where:
        _, result = made(where, "cloth-ball", "-n", "1500", "--frames", "12", pairs="all")
        path = f"{where}/page.html"
        said = impinge.report(result, path)
        page = text(path)
        info = check_sums(page, result)
        check_alone(page)
        assert said["bytes"] == os.path.getsize(path) < 5_000_000
        assert said["frames_drawn"] == info["frames_with_contacts"] and not said["left_out"]
        assert 'Complete</th><td class="left">yes' in page and info["input_hash"] in page
        with impinge.open(result) as frames:
            length = max(
                np.linalg.norm(f.ends[:, 1] - f.ends[:, 0], axis=1).max() for f in frames if len(f)
            )
            per_pair = [{(a, b) for a, b in zip(f.object_a, f.object_b)}
                        for f in frames]  # fmt: skip
        assert abs(number(rows(page, "worst")[0][1]) - length) < 1e-5 * length
        for a, b, _, frames in rows(page, "pairs"):
            both = numbered(a), numbered(b)
            assert int(frames) == sum(both in pairs for pairs in per_pair)
        said = impinge.report(result, path, frames=3, force=True)
        assert said["frames_drawn"] == 3


def test_blocks():
    """Rows are read in blocks of frames; the page is the same for any size of these."""
    from impinge._report import sums

    with folder() as where:
        _, result = made(where, "cloth-ball", "-n", "1500", "--frames", "12")
        impinge.report(result, f"{where}/one.html")
        kept, sums.BLOCK = sums.BLOCK, 50
        try:
            impinge.report(result, f"{where}/many.html")
        finally:
            sums.BLOCK = kept
        assert impinge.info(result)["contacts"] > 100
        assert text(f"{where}/one.html") == text(f"{where}/many.html")


def unpacked(packed, columns):
    """The other side of codec.py, by numpy."""
    planes = np.frombuffer(zlib.decompress(b64decode(packed)), np.uint8).reshape(4, columns, -1)
    steps = sum(planes[k].astype(np.int64) << 8 * k for k in range(4)).astype(np.uint32)
    return np.cumsum(steps.astype(np.int32).astype(np.int64), axis=1).T


def view(page):
    return json.loads(page.split('id="view-data">')[1].split("</script>")[0])


def curves(ends, short):
    """Lines, and the middles of all that joins and is short: by a search through common points."""
    at = {}
    for i, line in enumerate(ends.tolist()):
        for end in line:
            at.setdefault(tuple(end), []).append(i)
    part, lines, dots = np.full(len(ends), -1), [], []
    for first in range(len(ends)):
        todo = [first] if part[first] < 0 else []
        part[todo] = first
        for i in todo:
            new = [j for end in ends[i].tolist() for j in at[tuple(end)] if part[j] < 0]
            part[new] = first
            todo += dict.fromkeys(new)
        if todo:
            points = ends[todo].reshape(-1, 3)
            low, high = points.min(axis=0), points.max(axis=0)
            if np.linalg.norm(high - low) < short:
                dots.append((low + high) / 2)
            else:
                lines += todo
    return ends[sorted(lines)], np.array(dots).reshape(-1, 3)


def test_drawn():
    """Meshes and lines in the page are those of the files, and counts those of the contacts."""
    with folder() as where:
        batch, result = made(where, "cloth-ball", "-n", "1500", "--frames", "12")
        impinge.report(result, f"{where}/page.html")
        data = view(text(f"{where}/page.html"))
        with impinge.open(batch) as frames, impinge.open(result) as results:
            hit = [k for k in range(12) if len(results[k])]
            assert [shown["number"] for shown in data["frames"]] == hit and len(data["meshes"]) == 1
            for k, shown in zip(hit, data["frames"]):
                points, found = frames[k].points, results[k]
                drawn = unpacked(shown["points"], 3) * data["step"]
                ends = unpacked(shown["ends"], 3) * data["step"]
                dots = unpacked(shown["dots"], 3) * data["step"]
                shift = (drawn - points).mean(axis=0)
                assert np.abs(drawn - points - shift).max() < 2e-5 * np.ptp(points)
                seen = np.ptp(data["seen"], axis=0).max()
                lines, true_dots = curves(found.ends, seen / 200)
                for drawn, true in ((ends, lines.reshape(-1, 3)), (dots, true_dots)):
                    assert drawn.shape == true.shape
                    away = np.abs(drawn - shift - true)
                    assert away.max(initial=0) < 2e-5 * np.ptp(points), away.max()
                assert (unpacked(data["meshes"][0]["faces"], 3) == frames[k].triangles).all()
                groups = unpacked(data["meshes"][0]["groups"], 1)[:, 0]
                assert (groups == frames[k].objects).all() and len(data["colours"]) == 2
                counts = np.bincount(np.r_[found.a, found.b], minlength=len(frames[k].triangles))
                assert (unpacked(shown["counts"], 1)[:, 0] == counts).all()


def test_names():
    """Names come from files, and stay text."""
    evil = '<script>alert("1")</script>&'
    import h5py

    with folder() as where:
        batch, result = f"{where}/a<b>&.vtkhdf", f"{where}/<i>r.vtkhdf"
        generate(batch, "cloth-ball", "-n", "1500", "--frames", "12")
        with h5py.File(batch, "r+") as file:
            del file["impinge/object_names"]
            utf8 = h5py.string_dtype("utf-8", 40)
            file["impinge/object_names"] = np.array([evil.encode(), b"ball"], utf8)
        impinge.run(batch, result)
        impinge.report(result, f"{where}/page.html")
        page = text(f"{where}/page.html")
        assert evil not in page and html.escape(evil) in page and "ball" in page
        assert "<i>r" not in page and "&lt;i&gt;r.vtkhdf" in page and "a<b>" not in page
        assert [row[0].split()[0] for row in rows(page, "pairs")][0].startswith("<script>")


def test_size():
    """A smaller page has fewer frames, then fewer faces, and says so."""
    with folder() as where:
        _, result = made(where, "cloth-ball", "-n", "6000", "--frames", "20")
        path, drawn = f"{where}/page.html", []
        impinge.report(result, path)
        other = len(text(path).encode()) - len(json.dumps(view(text(path))))
        for size in (20_000_000, other + 250_000, other + 20_000, 200_000):
            said = impinge.report(result, path, size=size, force=True)
            page = text(path)
            assert len(page.encode()) <= size
            assert ("Left out" in page) == bool(said["left_out"])
            drawn.append((said["frames_drawn"], "faces" in said["left_out"]))
        assert drawn[0][0] > drawn[1][0] > drawn[2][0] == 1 and drawn[3] == (0, False), drawn
        assert [cut for _, cut in drawn] == [False, False, True, False], drawn
        assert "No 3D view" in page
        raises(impinge.ArgumentError, impinge.report, result, path, size=10, force=True)


def test_input():
    """Without its input, or with another one, the page has no 3D, and says why."""
    with folder() as where:
        batch, result = made(where, "cloth-ball", "-n", "1500", "--frames", "12")
        path, moved = f"{where}/page.html", f"{where}/moved.vtkhdf"
        os.rename(batch, moved)
        said = impinge.report(result, path)
        page = text(path)
        assert said["frames_drawn"] == 0 and "is not there" in page and "view-data" not in page
        check_sums(page, result)
        assert impinge.report(result, path, input=moved, force=True)["frames_drawn"] > 0
        other = generate(f"{where}/other.vtkhdf", "cloth-ball", "-n", "3000", "--frames", "12")
        said = impinge.report(result, path, input=other, force=True)
        assert said["frames_drawn"] == 0 and "bytes" in said["not_drawn"]
        import h5py

        with h5py.File(moved, "r+") as file:  # of the same size
            file["VTKHDF/Points"][...] = file["VTKHDF/Points"][...] + 10
        said = impinge.report(result, path, input=moved, force=True)
        assert said["frames_drawn"] == 0 and "somewhere else" in said["not_drawn"]
        check_sums(text(path), result)


def test_damaged_input():
    """A frame of the input that cannot be read: no 3D, and the page says so."""
    import h5py

    with folder() as where:
        batch, result = made(
            where, "tissue-fold", "-n", "1500", "--set", "begin=38", "--frames", "4"
        )
        worst = impinge.info(result)["contacts_most_frame"]
        with h5py.File(batch, "r+") as file:
            other = (worst + 1) % 4
            file["VTKHDF/Steps/ConnectivityIdOffsets"][other] = 10**6
        said = impinge.report(result, f"{where}/page.html")
        assert said["frames_drawn"] == 0 and "cannot be read" in said["not_drawn"], said
        check_sums(text(f"{where}/page.html"), result)


def test_tetrahedra():
    """Depths, and the outer faces of tetrahedra."""
    with folder() as where:
        options = ("-n", "1500", "--set", "begin=38", "--frames", "3")
        batch, result = made(where, "tissue-fold", *options)
        impinge.report(result, f"{where}/page.html")
        page = text(f"{where}/page.html")
        check_sums(page, result)
        with impinge.open(batch) as frames, impinge.open(result) as results:
            depth = max(found.depth.max() for found in results)
            cells = frames[0].triangles
        assert depth > 0
        shown = [number(row[1]) for row in rows(page, "worst")]
        assert abs(shown[0] - depth) < 1e-5 * depth and shown == sorted(shown, reverse=True)
        assert f"greatest depth is {depth:.6g}" in summary(page)
        assert number(rows(page, "pairs")[0][4]) == shown[0]
        sides = np.sort(cells[:, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]].reshape(-1, 3))
        _, times = np.unique(sides, axis=0, return_counts=True)
        data = view(page)
        drawn = unpacked(data["meshes"][data["frames"][0]["mesh"]]["faces"], 3)
        assert len(drawn) == (times == 1).sum() < len(sides) / 2


def test_distances():
    """Pairs within a distance: the nearest ones, and the least distance of frames and objects."""
    with folder() as where:
        _, result = made(where, "cloth-ball", "-n", "1500", "--frames", "12", distance=0.01)
        impinge.report(result, f"{where}/page.html")
        page = text(f"{where}/page.html")
        info = check_sums(page, result)
        with impinge.open(result) as frames:
            found = np.sort(np.concatenate([f.distance for f in frames]))
            least = {n: f.distance.min() for n, f in enumerate(frames) if len(f)}
        assert abs(number(rows(page, "worst")[0][1]) - found[0]) <= 1e-5 * found[0]
        assert summary(page).startswith(f"{info['contacts']:,} pairs within 0.01 in")
        assert f"The least distance is {found[0]:.6g}, in frame " in summary(page)
        told = parsed(page).text().split("How this was made")[0]
        assert "Nearest pairs" in told and "no pair 1 to " in told and "contact" not in told
        table = page.split("Numbers of frames with pairs")[1].split("</table>")[0]
        told_least = re.findall(r"<td>([^<]*)</td></tr>", table)
        assert np.allclose([float(cell) for cell in told_least], list(least.values()), rtol=1e-5)
        by_pair = {(p["a"], p["b"]): p["least_distance"] for p in info["object_pairs"]}
        for a, b, _, _, distance in rows(page, "pairs"):
            assert np.isclose(float(distance), by_pair[numbered(a), numbered(b)], rtol=1e-5)
        assert 'id="view-data"' in page


def test_thickness():
    """Pairs within their thickness: the deepest penetration of frames and objects."""
    with folder() as where:
        _, result = made(where, "cloth-ball", "-n", "1500", "--frames", "12", thickness=0.02)
        impinge.report(result, f"{where}/page.html")
        page = text(f"{where}/page.html")
        info = check_sums(page, result)
        with impinge.open(result) as frames:
            deepest = [f.penetration.max() for f in frames if len(f)]
        assert summary(page).startswith(f"{info['contacts']:,} pairs within their thickness in")
        assert f"The deepest penetration is {max(deepest):.6g}, in frame " in summary(page)
        assert abs(number(rows(page, "worst")[0][1]) - max(deepest)) <= 1e-5 * max(deepest)
        table = page.split("Numbers of frames with pairs")[1].split("</table>")[0]
        told = re.findall(r"<td>([^<]*)</td></tr>", table)
        assert np.allclose([float(cell) for cell in told], deepest, rtol=1e-5)
        by_pair = {(p["a"], p["b"]): p["deepest_penetration"] for p in info["object_pairs"]}
        for a, b, _, _, _, most in rows(page, "pairs"):
            assert np.isclose(float(most), by_pair[numbered(a), numbered(b)], rtol=1e-5)


def test_inside():
    """Vertices inside closed objects: the relations of objects, the deepest first."""
    with folder() as where:
        batch, result = made(where, "spheres", "-n", "4000", inside=True)
        impinge.report(result, f"{where}/page.html")
        page = text(f"{where}/page.html")
        info = check_sums(page, result)
        assert summary(page).startswith(f"{info['contacts']:,} vertices inside in")
        assert "No 3D view" not in page, "the result is of this batch"
        assert "vertices inside objects, not contacts" in parsed(page).id("no-events").text()
        told = {(numbered(row[0]), numbered(row[1])): row for row in rows(page, "relations")}
        assert len(told) == len(info["relations"]) > 5
        depths = [float(row[7] or 0) for row in rows(page, "relations")]
        assert depths == sorted(depths, reverse=True) and depths[0] > 0
        for pair in info["relations"]:
            row = told[pair["a"], pair["b"]]
            frames = [pair["frames"][name] for name in ("touching", "crossing", "a_in_b", "b_in_a")]
            assert [int(cell) for cell in row[2:6]] == frames
            assert int(row[6]) == max(pair["inside_a"], pair["inside_b"])
            assert np.isclose(float(row[7] or 0), pair["depth"], rtol=1e-5)
            where_told = f"vertex {pair['depth_vertex']} of" if pair["depth"] else ""
            assert row[8].startswith(where_told) and int(row[9]) == pair["swallowed"]
        impinge.run(batch, result, quiet=True, inside=[0, "ball-2"], rows="contacts", force=True)
        assert impinge.info(result)["closed_objects"] == 2
        impinge.report(result, f"{where}/page.html", force=True)
        assert " contacts in" in summary(text(f"{where}/page.html"))


def test_continuous():
    with folder() as where:
        _, result = made(where, "sheets", "-n", "2000", continuous=True)
        impinge.report(result, f"{where}/page.html")
        page = text(f"{where}/page.html")
        check_sums(page, result)
        with impinge.open(result) as results:
            first = results[0].time.min()
        worst = rows(page, "worst")
        assert "earliest first" in page and abs(number(worst[0][1]) - first) < 1e-5 * first
        assert "in 1 of 1 step" in summary(page)
        assert worst[0][5] in ("vertex-face", "edge-edge")


def test_empty():
    """No contacts, and no frames."""
    with folder() as where:
        batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
        impinge.write(batch, soup(3, 1e-4))
        impinge.run(batch, result)
        said = impinge.report(result, f"{where}/page.html")
        page = text(f"{where}/page.html")
        check_sums(page, result)
        assert said["contacts"] == 0 and "No frame has contacts" in page
        assert "3D" not in parsed(page).text() and not parsed(page).all("a")
        impinge.run(batch, result, continuous=True, force=True, quiet=True)
        said = impinge.report(result, f"{where}/page.html", force=True)
        assert said["frames"] == 0 and said["bytes"] < 50_000


def test_incomplete():
    """Of a run that was killed: what it has, and that it is not all. Names of primitives are in the
    table, and cells may change from frame to frame."""
    import h5py

    with folder() as where:
        options = ("-n", "3000", "--set", "begin=74", "--frames", "4")
        _, result = made(where, "scalpel", *options)
        with h5py.File(result, "r+") as file:
            assert "PrimitiveIdA" in file["VTKHDF/CellData"]
            file["impinge/frames_done"][()] = 3
        impinge.report(result, f"{where}/page.html")
        page = text(f"{where}/page.html")
        info = check_sums(page, result)
        assert info["frames"] == 3 and info["contacts"] > 0 and not info["complete"]
        assert "The result is not complete" in page and "(id " in page
        assert len(view(page)["meshes"]) > 1


def test_refused():
    with folder() as where:
        batch, result = made(where, "cloth-ball", "-n", "1500", "--frames", "12")
        path = f"{where}/page.html"
        open(path, "w").close()
        what = raises(impinge.ArgumentError, impinge.report, result, path)
        assert "exists" in str(what) and os.path.getsize(path) == 0
        what = raises(impinge.InputError, impinge.report, batch, path, force=True)
        assert batch in str(what) and "PrimitiveA" in str(what)
        before = os.path.getsize(batch), os.path.getsize(result)
        for kept in (batch, result):
            raises(impinge.ArgumentError, impinge.report, result, kept, force=True)
        assert before == (os.path.getsize(batch), os.path.getsize(result))
        raises(impinge.InputError, impinge.report, path, f"{where}/new.html")
        raises(impinge.InputError, impinge.report, f"{where}/none", f"{where}/new.html")
        raises(impinge.ArgumentError, impinge.report, result, path, force=True, frames=0)
        raises(impinge.ImpingeError, impinge.report, result, f"{where}/none/page.html")
        assert sorted(os.listdir(where)) == ["batch.vtkhdf", "page.html", "result.vtkhdf"]


def test_packages():
    """A missing package is named, with what installs it."""
    sys.modules["k3d"], kept = None, sys.modules.get("k3d")
    try:
        with folder() as where:
            what = raises(impinge.ArgumentError, impinge.report, f"{where}/a", f"{where}/b")
    finally:
        del sys.modules["k3d"]
        if kept:
            sys.modules["k3d"] = kept
    assert "needs k3d: pip install 'impinge[report]'" in str(what)


def test_command():
    """impinge report and python -m impinge report, and their exit codes."""
    with folder() as where:
        _, result = made(where, "cloth-ball", "-n", "1500", "--frames", "12")
        path = f"{where}/page.html"
        command = os.path.join(os.path.dirname(sys.executable), "impinge")

        def ended(*words):
            done = subprocess.run(words, capture_output=True, text=True)
            return done.returncode, len(done.stdout.splitlines()), len(done.stderr.splitlines())

        assert ended(command, "report", result, "-o", path) == (0, 1, 0)
        module = (sys.executable, "-m", "impinge")
        assert ended(*module, "report", result, "-o", path, "-q", "--force") == (0, 0, 0)
        assert ended(command, "report", result, "-o", path) == (2, 0, 1)
        assert ended(command, "report", result)[0] == 2
        assert ended(command, "report", path, "-o", f"{where}/new.html") == (3, 0, 1)
        assert ended(*module, "--version")[0] == 0


def joined(where, batch):
    """The shards of a batch, and their joined result."""
    shards = [f"{where}/shard-{i}.vtkhdf" for i in range(3)]
    for i, shard in enumerate(shards):
        impinge.run(batch, shard, shard=f"{i}/3", quiet=True)
    impinge.merge(f"{where}/joined.vtkhdf", shards, virtual=True)
    return f"{where}/joined.vtkhdf", shards


def without_run(page, result):
    """What does not say how and when a result was made, nor its name."""
    page = page.replace(os.path.basename(result), "RESULT")
    for name in ("Result", "Command"):
        page, count = re.subn(rf'<th scope="row">{name}</th><td[^>]*>.*?</td>', "", page)
        assert count == 1, name
    return page


def test_joined():
    """The page of joined shards is that of a single run."""
    scenes = ("cloth-ball", "-n", "1500", "--frames", "12"), ("tissue-fold", "-n", "1500", "--set", "begin=30", "--frames", "9")
    for scene in scenes:
        with folder() as where:
            batch, single = made(where, *scene)
            result, _ = joined(where, batch)
            pages = []
            for path in (single, result):
                said = impinge.report(path, f"{path}.html")
                pages.append(without_run(text(f"{path}.html"), path))
                assert said["contacts"] > 0 and said["frames_drawn"] > 0, said
                check_sums(pages[-1], path)
            assert pages[0] == pages[1]


def test_shard_lost():
    """A file behind a joined result that is not as it was is named, and no page is written."""
    with folder() as where:
        batch, _ = made(where, "cloth-ball", "-n", "1500", "--frames", "12")
        result, shards = joined(where, batch)
        command = os.path.join(os.path.dirname(sys.executable), "impinge")

        def refused(shard):
            words = [command, "report", result, "-o", f"{where}/page.html"]
            done = subprocess.run(words, capture_output=True, text=True)
            lines = done.stderr.splitlines()
            assert done.returncode == 3 and not done.stdout and len(lines) == 1, done
            assert os.path.basename(result) in lines[0] and os.path.basename(shard) in lines[0]
            assert not os.path.exists(f"{where}/page.html")
            what = raises(impinge.InputError, impinge.report, result, f"{where}/page.html")
            assert os.path.basename(shard) in str(what)

        os.rename(shards[2], f"{where}/kept")
        refused(shards[2])
        with open(f"{where}/kept", "rb") as file, open(shards[2], "wb") as cut:
            cut.write(file.read()[: os.path.getsize(f"{where}/kept") // 2])
        refused(shards[2])
        os.replace(shards[1], shards[2])  # each in the place of the other; this one is longer
        os.rename(f"{where}/kept", shards[1])
        refused(shards[1])


if MISSING:
    print("skipped: no", " and no ".join(MISSING))
else:
    main(globals())
