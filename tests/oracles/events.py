"""`impinge events` against events that are found here by brute force: all pairs of contacts of a frame, and of
two frames, are compared. Scenes with known splits and merges; real data; steps between frames, distances,
solids, contacts within an object, meshes that change, ghosts; rows in another order; shards; approved events.
events.py IMPINGE SHARED, in an empty folder."""
import csv
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

from checks import expect, status

IMPINGE, DATA = sys.argv[1], Path(sys.argv[2]) / "data"
checked = 0


def impinge(*arguments, code=0):
    done = subprocess.run([IMPINGE, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    expect(done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}: {done.stderr}")
    return done


def events_of(result, *options):
    return json.loads(impinge("events", result, "--json", *options).stdout)


# ---- by brute force


class Mesh:
    """The cells of each frame of a batch, and their ids."""

    def __init__(self, path):
        root = h5py.File(path)["VTKHDF"]
        self.solid = root.attrs["Type"] in (b"UnstructuredGrid", "UnstructuredGrid")
        cells = root if self.solid else root["Polygons"]
        self.of = {key: cells[key][:] for key in ("NumberOfCells", "NumberOfConnectivityIds", "Offsets", "Connectivity")}
        self.points = root["NumberOfPoints"][:]
        self.steps = root["Steps"] if "Steps" in root else None
        self.types = root["Types"][:] if self.solid else None

    def first(self, name, frame):
        at = self.steps[name]
        kind = 0 if len(at.shape) == 1 or at.shape[1] == 1 else 2
        return int(at[frame]) if len(at.shape) == 1 else int(at[frame][kind])

    def vertices(self, frame):
        """A set of vertex numbers for each cell of the frame."""
        part, parts, cell, place = 0, len(self.points), 0, 0
        if self.steps is not None:
            part = int(self.steps["PartOffsets"][frame])
            parts = int(self.steps["NumberOfParts"][frame]) if "NumberOfParts" in self.steps else 1
            cell, place = self.first("CellOffsets", frame), self.first("ConnectivityIdOffsets", frame)
        # Offsets have one entry more for each part; those of parts before begin where their cells did
        row = cell + part_offset_entries(self.of["NumberOfCells"], cell)
        found, before = [], 0
        for p in range(part, part + parts):
            count = int(self.of["NumberOfCells"][p])
            ends = self.of["Offsets"][row:row + count + 1]
            for i in range(count):
                found.append(frozenset(before + int(v) for v in self.of["Connectivity"][place + ends[i]:place + ends[i + 1]]))
            row += count + 1
            place += int(self.of["NumberOfConnectivityIds"][p])
            before += int(self.points[p])
        return found


def part_offset_entries(counts, cell):
    """How many parts have their cells before this one."""
    parts, cells = 0, 0
    while cells < cell:
        cells += int(counts[parts])
        parts += 1
    return parts


class Contact:
    def __init__(self, frame, a, b, cells, ids, objects, values):
        self.frame, self.a, self.b, self.values = frame, a, b, values
        (self.low, oa), (self.high, ob) = (a, objects[0]), (b, objects[1])
        self.sides = [(oa, ids[0], cells[a], a), (ob, ids[1], cells[b], b)]
        if ob < oa:
            self.sides.reverse()

    def pair(self):
        return self.sides[0][0], self.sides[1][0]


def near(x, y):
    """Whether two primitives are the same or have a common vertex."""
    return x[1] == y[1] or not x[2].isdisjoint(y[2])


def neighbours(p, q):
    if p.pair() != q.pair():
        return False
    straight = near(p.sides[0], q.sides[0]) and near(p.sides[1], q.sides[1])
    if p.pair()[0] != p.pair()[1]:
        return straight
    return straight or (near(p.sides[0], q.sides[1]) and near(p.sides[1], q.sides[0]))


def read_frames(result, batch):
    """The contacts of each frame, in order of pairs."""
    file, mesh = h5py.File(result), Mesh(batch)
    cells, counts = file["VTKHDF/CellData"], file["VTKHDF/Lines/NumberOfCells"][:]
    columns = {name: cells[name][:] for name in cells}
    points, frames, first, last = file["VTKHDF/Points"][:].reshape(-1, 2, 3), [], 0, None
    for k, count in enumerate(counts):
        number = int(file["impinge/input_frame"][k])
        shape = mesh.vertices(number) if count else None
        rows = []
        for i in range(first, first + count):
            a, b = int(columns["PrimitiveA"][i]), int(columns["PrimitiveB"][i])
            ids = (int(columns["PrimitiveIdA"][i]), int(columns["PrimitiveIdB"][i])) if "PrimitiveIdA" in columns else (a, b)
            values = {name: columns[name][i] for name in ("Kind", "Time", "Depth", "Distance", "Penetration") if name in columns}
            values["Points"] = points[i]
            rows.append(Contact(number, a, b, shape, ids, (int(columns["ObjectA"][i]), int(columns["ObjectB"][i])), values))
        rows.sort(key=lambda r: (r.a, r.b, r.values.get("Time", 0), tuple(r.values["Points"].ravel())))
        frames.append((number, float(file["VTKHDF/Steps/Values"][k]), rows))
        first += count
    return frames


def patches_of(rows):
    """Lists of positions of connected rows, in order of their first."""
    left, found = set(range(len(rows))), []
    while left:
        patch, new = set(), {min(left)}
        while new:
            left -= new
            patch |= new
            new = {j for j in left if any(neighbours(rows[i], rows[j]) for i in new)}
        found.append(sorted(patch))
    return sorted(found)


class Part:
    def __init__(self, event, number, frame):
        self.event, self.number, self.first, self.patches = event, number, frame, []


def events_by_force(frames):
    """The events, each a list of parts, and the changes."""
    parts, events, changes, before = [], [], [], []
    for k, (number, _, rows) in enumerate(frames):
        patches = patches_of(rows)
        owner = [None] * len(patches)
        last = frames[k - 1][2] if k else []
        links = {p: [c for c, patch in enumerate(patches)
                     if any(neighbours(last[i], rows[j]) for i in parts[p].patches[-1][1] for j in patch)]
                 for p in before}
        for p in before:
            free = [c for c in links[p] if owner[c] is None]
            if free:
                owner[max(free, key=lambda c: (len(patches[c]), -c))] = p
        for c, patch in enumerate(patches):
            if owner[c] is None:
                old = [p for p in before if c in links[p]]
                if not old:
                    events.append([])
                event = parts[old[0]].event if old else len(events) - 1
                parts.append(Part(event, len(events[event]), k))
                events[event].append(parts[-1])
                owner[c] = len(parts) - 1
        for p in before:
            for c in links[p]:
                if owner[c] != p:
                    kind = "split" if p in owner else "merge"
                    changes.append((number, kind == "merge", p, owner[c]))
        for c, p in enumerate(owner):
            parts[p].patches.append((k, patches[c]))
        before = sorted(owner)
    changes.sort(key=lambda c: ([n for n, _, _ in frames].index(c[0]), *c[1:]))
    return events, [
        {"frame": n, "change": "merge" if merge else "split", "event": parts[p].event, "part": parts[p].number,
         "other_event": parts[q].event, "other_part": parts[q].number} for n, merge, p, q in changes]


def length_of(rows):
    return sum(math.dist(*r.values["Points"]) for r in rows if r.values["Kind"] & 15 == 2 or r.values["Kind"] == 10)


def severity(row):
    v = row.values
    return v["Penetration"] if "Penetration" in v else -v["Distance"] if "Distance" in v else v.get("Depth", 0)


def rank(row):
    """Of equal bits with the program's, so that the order is."""
    v, (x, y, z) = row.values, row.values["Points"][1] - row.values["Points"][0]
    known = any(name in v for name in ("Penetration", "Distance", "Depth"))
    return severity(row) if known else -v["Time"] if "Time" in v else math.sqrt(x * x + y * y + z * z)


def place(row):
    return row.frame, row.sides[0][3], row.sides[1][3], *(0.5 * row.values["Points"][0] + 0.5 * row.values["Points"][1])


def figures(frames, event):
    """What the program says of an event, except for its hash."""
    of = {}
    for part in event:
        for k, patch in part.patches:
            of.setdefault(k, []).extend(patch)
    steps = sorted(of)
    rows = {k: [frames[k][2][i] for i in sorted(of[k])] for k in steps}
    every = [r for k in steps for r in rows[k]]
    times = lambda k: [float(r.values.get("Time", frames[k][1])) for r in rows[k]]
    most = max(steps, key=lambda k: (len(rows[k]), -k))
    worst = max(every, key=severity)  # the first of several
    expect(steps == list(range(steps[0], steps[-1] + 1)), f"frames {steps}")
    return {
        "a": every[0].pair()[0], "b": every[0].pair()[1], "first_frame": frames[steps[0]][0],
        "last_frame": frames[steps[-1]][0], "first_time": min(times(steps[0])), "last_time": max(times(steps[-1])),
        "frames": len(steps), "contacts": len(rows[most]), "contacts_frame": frames[most][0],
        "worst_frame": worst.frame, "primitive_a": worst.sides[0][3], "primitive_b": worst.sides[1][3],
        "contacts_all": len(every), "worst": [place(r) for r in sorted(every, key=rank, reverse=True)[:5]],
        "point": list(worst.values["Points"].mean(0)), "primitives": sorted({s[1] for r in every for s in r.sides}),
        "length": max(length_of(rows[k]) for k in steps),
        "depth": max(r.values.get("Depth", 0) for r in every),
        "least_distance": min(r.values.get("Distance", np.inf) for r in every),
        "penetration": max(r.values.get("Penetration", 0) for r in every),
    }


def hash_of(objects, primitives):
    """FNV-1a of the line of the states file after the hash."""
    ranges, start = [], 0
    for i in range(1, len(primitives) + 1):
        if i == len(primitives) or primitives[i] != primitives[i - 1] + 1:
            a, b = primitives[start], primitives[i - 1]
            ranges.append(f"{a}" if a == b else f"{a}..{b}")
            start = i
    h = 14695981039346656037
    for byte in f"{objects} {','.join(ranges)}".encode():
        h = (h ^ byte) * 1099511628211 % 2 ** 64
    return f"{h:016x}"


def objects_text(said):
    name = lambda key: f'"{said["name_" + key]}"' if f"name_{key}" in said else str(said[key])
    return f"{name('a')} {name('b')}"


def close(x, y):
    return x == y or abs(x - y) <= 1e-9 * max(abs(x), abs(y), 1e-3)


def compare(about, result, batch, least=1):
    global checked
    frames = read_frames(result, batch)
    events, changes = events_by_force(frames)
    said = events_of(result)
    expect(len(said["events"]) == len(events) >= least, f"{about}: {len(said['events'])} events, not {len(events)}")
    expect(said["changes"] == changes, f"{about}: changes {said['changes']}\nnot {changes}")
    for e, (event, told) in enumerate(zip(events, said["events"])):
        want = figures(frames, event)
        expect(told["event"] == e, f"{about}: id {told['event']}")
        for key, value in want.items():
            if key == "primitives":
                expect(told[key] == len(value), f"{about}: {e}: {told[key]} primitives, not {len(value)}")
                expect(told["hash"] == hash_of(objects_text(told), value), f"{about}: {e}: hash {told['hash']}")
            elif key == "worst":
                said_worst = [(w["frame"], w["primitive_a"], w["primitive_b"], *w["point"]) for w in told[key]]
                expect(said_worst == value, f"{about}: {e}: worst {said_worst}, not {value}")
            elif key == "point":
                expect(all(map(close, told[key], value)), f"{about}: {e}: point {told[key]}, not {value}")
            elif key in told or key not in ("depth", "least_distance", "penetration"):
                same = close(told[key], value) if key == "length" else told[key] == value
                expect(same, f"{about}: {e}: {key} {told[key]}, not {value}")
        parts = [{"part": p.number, "first_frame": frames[p.first][0], "last_frame": frames[p.patches[-1][0]][0],
                  "contacts": max(len(x) for _, x in p.patches)} for p in event]
        expect([{key: p[key] for key in parts[0]} for p in told["parts"]] == parts, f"{about}: {e}: {told['parts']}, not {parts}")
    columns = h5py.File(result)["VTKHDF/CellData"]
    for column, key in (("EndFeatures", "area"), ("Depth", "depth"), ("Distance", "least_distance"), ("Penetration", "penetration")):
        expect(all((key in told) == (column in columns) for told in said["events"]), f"{about}: {key}")
    compare_csv(about, result, said)
    checked += 1
    return said


def compare_csv(about, result, said):
    """The table of --csv has what JSON has."""
    impinge("events", result, "--csv", "events.csv", "--force", "-q")
    with open("events.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    expect(len(rows) == len(said["events"]), f"{about}: {len(rows)} rows of CSV")
    for row, told in zip(rows, said["events"]):
        merged = sorted({c["other_event"] for c in said["changes"]
                         if c["change"] == "merge" and c["event"] == told["event"] != c["other_event"]})
        expect(row["merged_into"] == " ".join(map(str, merged)), f"{about}: merged into {row['merged_into']}, not {merged}")
        x = dict(told, object_a=told["a"], object_b=told["b"], parts=len(told["parts"]), x=told["point"][0],
                 y=told["point"][1], z=told["point"][2], name_a=told.get("name_a", ""), name_b=told.get("name_b", ""),
                 state="", merged_into=row["merged_into"])
        for key, text in row.items():
            want = x.get(key, "")
            expect(text == str(want) or float(text) == want, f"{about}: CSV: {key} {text}, not {want}")


# ---- scenes


def write_obj(name, groups):
    """groups: name, points, faces."""
    with open(name, "w") as file:
        first = 1
        for group, points, faces in groups:
            print(f"o {group}", file=file)
            for p in points:
                print("v", *map(repr, map(float, p)), file=file)
            for f in faces:
                print("f", *(int(v) + first for v in f), file=file)
            first += len(points)


def grid(n, height):
    """A sheet over [0, 2] x [0, 1], as triangles."""
    x, y = np.meshgrid(np.linspace(0, 2, 2 * n + 1), np.linspace(0, 1, n + 1), indexing="ij")
    points = np.stack([x, y, height(x, y)], -1).reshape(-1, 3)
    at = np.arange(len(points)).reshape(x.shape)
    a, b, c, d = at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]
    return points, np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])


def bump(x, y, at, size):
    return size * np.exp(-30 * ((x - at) ** 2 + (y - 0.5) ** 2))


def bumps(levels, name):
    """A plate, and above it a sheet with two bumps that are pressed through it, the left one deeper."""
    files = []
    for k, level in enumerate(levels):
        sheet = grid(24, lambda x, y: level - bump(x, y, 0.7, 1.0) - bump(x, y, 1.3, 0.8) + 1e-4 * x)
        files.append(f"{name}.{k}.obj")
        write_obj(files[-1], [("plate", *grid(7, lambda x, y: 0.013 * x - 0.007 * y)), ("sheet", *sheet)])
    impinge("convert", *files, "--groups", "-o", f"{name}.vtkhdf", "--force", "-q")
    return f"{name}.vtkhdf"


def known_scene():
    """The left bump comes first, then the right one; they merge, and part again."""
    batch = bumps([1.5, 0.9, 0.7, 0.5, 0.35, 0.25, 0.18, 0.14, 0.11, 0.18, 1.5, 0.7], "bumps")
    impinge("run", batch, "-o", "bumps.out.vtkhdf", "--pairs", "between", "-q")
    said = compare("bumps", "bumps.out.vtkhdf", batch)
    spans = [(e["first_frame"], e["last_frame"], len(e["parts"])) for e in said["events"]]
    expect(spans == [(1, 9, 2), (2, 6, 1), (11, 11, 1), (11, 11, 1)], f"bumps: events {spans}")
    told = [tuple(c.values()) for c in said["changes"]]
    expect(told == [(7, "merge", 1, 0, 0, 0), (9, "split", 0, 0, 0, 1)], f"bumps: changes {told}")
    expect([e["state"] for e in said["events"] if "state" in e] == [], "bumps: states")
    names = {(e["name_a"], e["name_b"]) for e in said["events"]}
    expect(names == {("plate", "sheet")}, f"bumps: {names}")
    told = events_of("bumps.out.vtkhdf", "--new-since", 5)
    expect([e["event"] for e in told["events"]] == [2, 3] and told["events_all"] == 4, "bumps: --new-since")
    expect(not told["changes"], "bumps: changes of events before --new-since")
    return batch


def regions_of(file, k):
    """Of a file of --regions, step k: the region of each cell, or -1, and the area of each region."""
    root = h5py.File(file)["VTKHDF"]
    first = root["Steps/CellDataOffsets/Region"][:]
    last = first[k + 1] if k + 1 < len(first) else len(root["CellData/Region"])
    at, rows = root["Steps/FieldDataOffsets/Area"][k], root["Steps/FieldDataSizes/Area"][k][1]
    return root["CellData/Region"][first[k]:last], root["FieldData/Area"][at:at + rows]


def compare_areas(about, batch, *options):
    """Areas against those of --regions: of an event all regions that have one of its primitives."""
    impinge("run", batch, "-o", "areas.out.vtkhdf", "--regions", "areas.vtkhdf", "--force", "-q", *options)
    said = compare(about, "areas.out.vtkhdf", batch)
    frames = read_frames("areas.out.vtkhdf", batch)
    for event, told in zip(events_by_force(frames)[0], said["events"]):
        bound = {}
        for k, patch in (x for part in event for x in part.patches):
            numbers = [s[3] for i in patch for s in frames[k][2][i].sides]
            bound.setdefault(k, set()).update(regions_of("areas.vtkhdf", k)[0][numbers].tolist())
        want = max(regions_of("areas.vtkhdf", k)[1][sorted(x - {-1})].sum() for k, x in bound.items())
        expect(want > 0 and close(told["area"], want), f"{about}: {told['event']}: area {told['area']}, not {want}")
    return said


def areas(batch):
    """The bumps of a sheet that are below a plate, and the holes in the plate; the same in frames whose rows are in
    another order, of shards and of blocks. Another input may have any points."""
    said = compare_areas("areas", batch, "--pairs", "between")
    expect(len(said["events"]) == 4 and len({e["area"] for e in said["events"]}) == 4, "areas: events")
    same_by_shards("areas", "areas.out.vtkhdf", batch, "--end-features", "--pairs", "between")
    compare_areas("areas of one object", "one.vtkhdf")
    for column, value in (("EndFeatures", 7), ("Kind", 17), ("Kind", 0)):
        shutil.copy("areas.out.vtkhdf", "damaged.vtkhdf")
        with h5py.File("damaged.vtkhdf", "r+") as file:
            file[f"VTKHDF/CellData/{column}"][5] = value
        done = impinge("events", "damaged.vtkhdf", code=3)
        expect("damaged" in done.stderr and done.stderr.count("\n") == 1, f"{column} {value}: {done.stderr}")
    shutil.copy(batch, "other.vtkhdf")
    with h5py.File("other.vtkhdf", "r+") as file:
        file["VTKHDF/Points"][:] = np.nan
    done = impinge("events", "areas.out.vtkhdf", "--input", "other.vtkhdf", code=3)
    expect("is not the input" in done.stderr, done.stderr)


def fence(name, frames, faces, *run):
    """A zigzag of triangles that stands on a large one: triangle i has the vertices i, i + 1, i + 2. frames: the heights
    of some even vertices; all others are at -1, odd ones at 1."""
    floor = ("floor", [[-9, -9, 0], [99, -9, 0], [0, 99, 0]], [[0, 1, 2]])
    files = [f"{name}.{k}.obj" for k in range(len(frames))]
    for file, heights in zip(files, frames):
        points = [[v, 0.1 * v, 1 if v % 2 else heights.get(v, -1)] for v in range(max(faces) + 3)]
        write_obj(file, [floor, ("fence", points, [[i, i + 1, i + 2] for i in faces])])
    impinge("convert", *files, "--groups", "-o", f"{name}.vtkhdf", "-q")
    impinge("run", f"{name}.vtkhdf", "-o", f"{name}.out.vtkhdf", "-q", *run)
    said = compare(name, f"{name}.out.vtkhdf", f"{name}.vtkhdf")
    return said, [[(p["first_frame"], p["last_frame"], p["contacts"]) for p in e["parts"]] for e in said["events"]]


def fences():
    """Ties: of two parts with three contacts each the one with the least pair goes on; of two events that a patch is
    linked to it belongs to the older one; of equally bad contacts the first one is named, in whichever patch."""
    lifted = [{v: 0.5 for v in some} for some in ((), (4, 6), (0, 2, 4, 6))]
    said, parts = fence("twins", lifted, range(8, -1, -1))
    expect(parts == [[(0, 2, 9), (1, 1, 3)]], f"twins: {parts}")
    lifted = [{v: 0.5 for v in some} for some in ((18, 20), (14, 16, 22, 24), ())]
    said, parts = fence("between", lifted, range(37))
    expect(parts == [[(0, 2, 37), (1, 1, 5)], [(0, 1, 17)]], f"between: {parts}")
    told = [tuple(c.values()) for c in said["changes"]]
    expect(told == [(1, "split", 0, 0, 0, 1), (1, "split", 1, 0, 0, 1),
                    (2, "merge", 1, 0, 0, 0), (2, "merge", 0, 1, 0, 0)], f"between: {told}")
    near = [{v: 0.5 for v in range(0, 18, 2)}, {0: 0.5, 2: 0.5, 6: 2, 8: 2, 10: 2, 14: 0.5, 16: 0.5}]
    said, parts = fence("worst", near, [0, 10, 11, 12, 1, 13, 14, 5, 6, 7, 8, 9, 2, 3, 4], "--distance", 0.6)
    expect(len(parts) == 1 and len(parts[0]) == 2, f"worst: {parts}")
    worst = said["events"][0]
    expect((worst["worst_frame"], worst["primitive_b"]) == (1, 2), f"worst: {worst}")


def one_object():
    """The same two sheets as one object, whose triangles are in any order: either side may have the lower number."""
    files, random = [], np.random.default_rng(11)
    for k in range(10):
        groups = read_obj(f"bumps.{k}.obj")
        if not k:
            order = random.permutation(sum(len(faces) for _, faces in groups))
        points = np.concatenate([p for p, _ in groups])
        faces = np.concatenate([f for _, f in groups])[order]
        files.append(f"one.{k}.obj")
        write_obj(files[-1], [("both", points, faces)])
    impinge("convert", *files, "-o", "one.vtkhdf", "-q")
    impinge("run", "one.vtkhdf", "-o", "one.out.vtkhdf", "-q")
    said = compare("one object", "one.out.vtkhdf", "one.vtkhdf")
    spans = [(e["first_frame"], e["last_frame"], len(e["parts"])) for e in said["events"]]
    expect(spans == [(1, 9, 2), (2, 6, 1)], f"one object: events {spans}")


def shared_vertices():
    """Objects that have vertices in common: contacts of other objects are no neighbours."""
    files = []
    for k in range(10):
        (points, faces), (more, others) = read_obj(f"bumps.{k}.obj")
        files.append(f"cut.{k}.obj")
        with open(files[-1], "w") as file:
            for p in np.concatenate([points, more]):
                print("v", *map(repr, map(float, p)), file=file)
            for name, of in (("plate", faces), ("sheet", others)):
                middle = np.concatenate([points, more])[of].mean(1)[:, 0]
                for part in range(3):
                    print(f"o {name}{part}", file=file)
                    for f in of[np.minimum(middle // 0.69, 2) == part]:
                        print("f", *(f + 1), file=file)
    impinge("convert", *files, "--groups", "-o", "cut.vtkhdf", "-q")
    impinge("run", "cut.vtkhdf", "-o", "cut.out.vtkhdf", "-q")
    said = compare("shared vertices", "cut.out.vtkhdf", "cut.vtkhdf", 4)
    expect(len({(e["a"], e["b"]) for e in said["events"]}) > 3, "shared vertices: few pairs of objects")


def read_obj(name):
    """Points, and faces by their numbers in the file, of each group."""
    groups = []
    for line in Path(name).read_text().splitlines():
        word, *rest = line.split()
        if word == "o":
            groups.append(([], []))
        else:
            groups[-1]["vf".index(word)].append([float(x) if word == "v" else int(x) - 1 for x in rest])
    return [(np.array(p), np.array(f)) for p, f in groups]


def shuffle(result, out):
    """The same rows, those of each frame in another order."""
    shutil.copy(result, out)
    random = np.random.default_rng(5)
    with h5py.File(out, "r+") as file:
        counts, order, first = file["VTKHDF/Lines/NumberOfCells"][:], [], 0
        for n in counts:
            order.append(first + random.permutation(n))
            first += n
        order = np.concatenate(order)
        cells = file["VTKHDF/CellData"]
        for name in cells:
            cells[name][:] = cells[name][:][order]
        points = file["VTKHDF/Points"]
        points[:] = points[:].reshape(-1, 6)[order].reshape(-1, 3)


def same(about, result, other):
    x, y = events_of(result), events_of(other)
    for key in ("events", "changes"):
        expect(x[key] == y[key], f"{about}: {key} are other ones")


def same_by_shards(about, result, batch, *options):
    for shards in (3, 7):
        files = [f"shard.{i}.vtkhdf" for i in range(shards)]
        for i, file in enumerate(files):
            impinge("run", batch, "-o", file, "--shard", f"{i}/{shards}", "--force", "-q", *options)
        impinge("merge", "merged.vtkhdf", *files, "--force", "-q")
        same(f"{about}: {shards} shards", result, "merged.vtkhdf")
    impinge("run", batch, "-o", "blocks.vtkhdf", "--block", 1, "--threads", 1, "--force", "-q", *options)
    same(f"{about}: blocks", result, "blocks.vtkhdf")
    shuffle(result, "shuffled.vtkhdf")
    same(f"{about}: shuffled", result, "shuffled.vtkhdf")


def small_scenes():
    for about, scene, run, least in (
        ("cloth", ("cloth-ball", "--primitives", 600, "--frames", 25), (), 1),
        ("solids", ("tissue-fold", "--primitives", 1500, "--frames", 12, "--set", "begin=30"), (), 1),
        ("steps", ("cloth-ball", "--primitives", 400, "--frames", 25), ("--continuous",), 1),
        ("fast", ("sheets", "--primitives", 600), ("--continuous",), 1),
        ("near", ("cloth-ball", "--primitives", 400, "--frames", 20), ("--distance", 0.03), 1),
        ("thick", ("cloth-ball", "--primitives", 400, "--frames", 20), ("--thickness", 0.03), 1),
        ("soup", ("soup", "--primitives", 400, "--frames", 3), (), 5),
        ("ids", ("scalpel", "--primitives", 3000, "--frames", 26), (), 1),
        ("backwards", ("cloth-ball", "--primitives", 600, "--frames", 25), ("--frames", "::-3"), 1),
    ):
        batch, out = f"{about}.vtkhdf", f"{about}.out.vtkhdf"
        impinge("generate", *scene, "-o", batch, "-q")
        impinge("run", batch, "-o", out, "-q", *run)
        said = compare(about, out, batch, least)
        expect(sum(e["contacts"] for e in said["events"]) > 10, f"{about}: few contacts")
        if about != "fast":  # one step
            same_by_shards(about, out, batch, *run)


def ghosts():
    """Cells that are left out keep their numbers."""
    batch = "cloth.vtkhdf"
    shutil.copy(batch, "ghosts.vtkhdf")
    with h5py.File("ghosts.vtkhdf", "r+") as file:
        count = int(file["VTKHDF/Polygons/NumberOfCells"][0])
        ghost = np.zeros(count, np.uint8)
        ghost[::7] = 1
        file["VTKHDF/CellData/vtkGhostType"] = ghost
        steps = file["VTKHDF/Steps/CellDataOffsets"]
        steps["vtkGhostType"] = np.zeros(len(file["VTKHDF/Steps/Values"]), np.int64)
    impinge("run", "ghosts.vtkhdf", "-o", "ghosts.out.vtkhdf", "-q")
    compare("ghosts", "ghosts.out.vtkhdf", "ghosts.vtkhdf")


def renumbered():
    """Where the mesh changes vertices get other numbers: primitives are known by their ids alone."""
    shutil.copy("ids.vtkhdf", "renumbered.vtkhdf")
    with h5py.File("renumbered.vtkhdf", "r+") as file:
        root, done, random = file["VTKHDF"], {}, np.random.default_rng(7)
        steps = root["Steps"]
        for k in range(len(steps["Values"])):
            part, first = int(steps["PartOffsets"][k]), int(np.ravel(steps["ConnectivityIdOffsets"][k])[0])
            count, ids = int(root["NumberOfPoints"][part]), int(root["NumberOfConnectivityIds"][part])
            if first not in done:
                done[first] = random.permutation(count)
                root["Connectivity"][first:first + ids] = done[first][root["Connectivity"][first:first + ids]]
            at = int(steps["PointOffsets"][k])
            points = np.empty((count, 3))
            points[done[first]] = root["Points"][at:at + count]
            root["Points"][at:at + count] = points
    expect(len(done) > 2, f"renumbered: {len(done)} meshes")
    impinge("run", "renumbered.vtkhdf", "-o", "renumbered.out.vtkhdf", "-q")
    compare("renumbered", "renumbered.out.vtkhdf", "renumbered.vtkhdf")


def real_data():
    batch = DATA / "torus-sphere-surface.vtkhdf"
    if not batch.exists():
        print(f"skipped: no {batch}")
        return
    impinge("run", batch, "-o", "torus.vtkhdf", "-q")
    said = events_of("torus.vtkhdf")
    spans = [(e["first_frame"], e["last_frame"], e["contacts"]) for e in said["events"]]
    expect(spans == [(9, 38, 832)], f"torus-sphere: events {spans}")
    same_by_shards("torus-sphere", "torus.vtkhdf", batch)


# ---- approved events


def states(result, *options):
    said = events_of(result, "--states", "approved.txt", *options)
    return [e["state"] for e in said["events"]], said


def approved(batch):
    """Approved events are known in a repaired scene, if they are much the same; others are new or gone."""
    result = "bumps.out.vtkhdf"
    impinge("events", result, "--states", "approved.txt", code=3)
    found, said = states(result, "--approve")
    expect(set(found) == {"new"} and not said["gone"], f"before any is approved: {found}")
    lines = Path("approved.txt").read_text().splitlines()
    expect([x[:16] for x in lines[1:]] == [e["hash"] for e in said["events"]], f"approved: {lines}")
    found, said = states(result)
    expect(set(found) == {"known"} and said["known"] == 4 and said["new"] == 0, f"approved: {found}")
    # earlier and later, and a little deeper: known; both bumps apart: one event is gone
    for levels, want, gone in (
        ([1.5, 1.5, 0.72, 0.55, 0.4, 0.3, 0.21, 1.5], ["known", "known"], 0),
        ([0.9], ["known"], 2),
        ([0.05], ["new"], 0),
        ([1.5], [], 4),
    ):
        repaired = bumps(levels, "repaired")
        impinge("run", repaired, "-o", "repaired.out.vtkhdf", "--pairs", "between", "-q", "--force")
        if levels == [0.05]:  # only the event of the right bump is approved
            Path("approved.txt").write_text("\n".join([lines[0], "# why: a seam", "", lines[2]]) + "\n")
        found, said = states("repaired.out.vtkhdf")
        told = [e["hash"] for e in said["gone"]]
        expect(found == want and len(told) == gone, f"{levels}: {found}, {len(told)} gone")
        Path("approved.txt").write_text("\n".join(lines) + "\n")
    refused(result, lines)


def refused(result, lines):
    head, good = lines[0], lines[1]
    for text, word in (
        ("", "is not a file of approved events"),
        (f"{good}\n", "is not a file of approved events"),
        (head.replace("number", "PrimitiveId") + "\n", "primitives by PrimitiveId"),
        (f"{head}\n{good[:-1]}\n", "line 2: is damaged"),
        (f"{head}\nx\n", "line 2: does not begin"),
        (f"{head}\n{'0' * 16} 3\n", "line 2: has no two objects"),
        (f"{head}\n{hash_line('3 4 5..')}\n", "line 2: not a list"),
        (f"{head}\n{hash_line('3 4 5..4')}\n", "line 2: not a list"),
        (f"{head}\n{hash_line('3 4 5,')}\n", "line 2: not a list"),
    ):
        Path("bad.txt").write_text(text)
        for more in ((), ("--approve",)):
            done = impinge("events", result, "--states", "bad.txt", *more, code=3)
            expect(word in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, f"{text}: {done.stderr}")
        expect(Path("bad.txt").read_text() == text, f"a file that is none of approved events was changed: {text}")


def hash_line(text):
    h = 14695981039346656037
    for byte in text.encode():
        h = (h ^ byte) * 1099511628211 % 2 ** 64
    return f"{h:016x} {text}"


batch = known_scene()
fences()
one_object()
areas(batch)
shared_vertices()
approved(batch)
small_scenes()
ghosts()
renumbered()
real_data()
print(f"{checked} results")
sys.exit(status())
