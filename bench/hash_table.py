"""How the table of --broad hash depends on its length and on the size of its cells: chains, pairs
that are examined, how evenly h spreads cells, and bytes, as Markdown.

    build/venv/bin/python bench/hash_table.py BATCH.vtkhdf...

Counted from the first frame of each batch by the formulas of kernels/README.md, not by the program:
numbers of cells are those of a frame whose middle is the origin."""

import sys

import h5py
import numpy as np

PRIMES = (2000689, 8000981, 5123693)
TABLES = (1, 2, 3, 6)  # buckets for each primitive; the paper has 3
CELLS = (0.5, 1, 2)  # in mean edges; the paper has 1
SPAN = 4  # cells along an axis at most: kernels/cell.h
LENGTHS = 200  # tables from LEAST n to MOST n buckets: is h as even for any length?
LEAST, MOST = 2.5, 3.5


def first(steps, name):
    return int(np.ravel(steps[name])[0]) if name in steps else 0


def read(path):
    """Corners of the primitives of the first frame: [n, 4, 3]; a triangle repeats its last one."""
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        steps = root.get("Steps", {})
        cells = root["Polygons"] if "Polygons" in root else root
        n = int(cells["NumberOfCells"][0])
        ids = int(cells["NumberOfConnectivityIds"][0])
        at = [first(steps, s) for s in ("PointOffsets", "CellOffsets", "ConnectivityIdOffsets")]
        point = root["Points"][at[0] : at[0] + int(root["NumberOfPoints"][0])]
        start = cells["Offsets"][at[1] : at[1] + n + 1]
        corner = cells["Connectivity"][at[2] : at[2] + ids]
    place = np.minimum(np.arange(4)[None, :], (np.diff(start) - 1)[:, None])
    return point.astype(np.float64)[corner[start[:-1, None] + place]]


def mean_edge(p):
    """of triangles three edges, of tetrahedra six"""
    flat = (p[:, 2] == p[:, 3]).all(1)
    pairs = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    length = np.stack([np.linalg.norm(p[:, a] - p[:, b], axis=1) for a, b in pairs])
    counts = np.ones_like(length, dtype=bool)
    counts[3:, flat] = False
    return length[counts].mean()


def entries(p, size):
    """Every cell of every primitive, with its level: [entries, 4]."""
    middle = (p.min((0, 1)) + p.max((0, 1))) / 2
    low = np.floor((p.min(1) - middle) / size).astype(np.int64)
    high = np.floor((p.max(1) - middle) / size).astype(np.int64)
    level = np.zeros(len(p), np.int64)
    while True:
        up = level[:, None]
        large = ((high >> up) - (low >> up) >= SPAN).any(1)
        if not large.any():
            break
        level[large] += 1
    low, high = low >> level[:, None], high >> level[:, None]
    span = high - low + 1
    count = span.prod(1)
    which = np.repeat(np.arange(len(p)), count)
    k = np.arange(count.sum()) - np.repeat(count.cumsum() - count, count)
    x, y = span[which, 0], span[which, 1]
    step = np.stack([k % x, k // x % y, k // (x * y)], 1)
    return np.concatenate([low[which] + step, level[which, None]], 1)


def hashes(cell, length):
    return (cell[:, :3] @ np.array(PRIMES, np.int64)) % length


def evenness(cell, length):
    """Chi-square of different cells over the buckets, by its degrees of freedom: 1 as of random
    numbers, less if more even."""
    count = np.bincount(hashes(cell, length), minlength=length)
    mean = len(cell) / length
    return ((count - mean) ** 2).sum() / mean / (length - 1)


def pairs(count):
    return int((count * (count - 1) // 2).sum())


def row(n, all_cells, cell, same, table):
    length = table * n
    chain = np.bincount(hashes(all_cells, length), minlength=length)
    used = chain > 0
    return "| %dn | %.2f | %d | %.1f | %.2f | %.2f | %.0f | %.0f |" % (
        table,
        chain[used].mean(),
        chain.max(),
        pairs(chain) / n,
        pairs(chain) / max(pairs(same), 1),
        evenness(cell, length),
        4 * table + 8 * len(all_cells) / n,
        8 * len(all_cells) / n,
    )


def report(path):
    p = read(path)
    n, edge = len(p), mean_edge(p)
    print("\n%s: %s primitives\n" % (path.rsplit("/", 1)[-1].rsplit(".", 1)[0], "{:,}".format(n)))
    for size in CELLS:
        all_cells = entries(p, size * edge)
        cell, same = np.unique(all_cells, axis=0, return_counts=True)
        print("Cells of %g mean edges: %.2f for each primitive, %.2f different ones\n"
              % (size, len(all_cells) / n, len(cell) / n))
        print("| table | mean chain | longest | pairs / n | of them in one cell: 1 in |"
              " chi-square | bytes / n, lists | sorted |")
        print("|--:|--:|--:|--:|--:|--:|--:|--:|")
        for table in TABLES:
            print(row(n, all_cells, cell, same, table))
        if size == 1:
            lengths = np.linspace(LEAST * n, MOST * n, LENGTHS).astype(np.int64)
            chi = np.sort([evenness(cell, length) for length in lengths])
            print("\nChi-square for %d lengths from %gn to %gn: %.2f at least, %.2f in the middle, "
                  "%.2f at most" % (LENGTHS, LEAST, MOST, chi[0], chi[LENGTHS // 2], chi[-1]))
        print()


for batch in sys.argv[1:]:
    report(batch)
