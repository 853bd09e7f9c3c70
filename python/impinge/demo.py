"""python -m impinge.demo: where a ball goes through a sheet of cloth."""

from __future__ import annotations

from collections import Counter

import numpy as np

from . import Kind, __version__, contacts


def grid(rows: int, columns: int) -> np.ndarray:
    """(m, 3) the two triangles of each cell of a grid of vertices, row by row."""
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    a, b, c, d = first, first + 1, first + columns + 1, first + columns
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def sheet(n: int) -> np.ndarray:
    """(n * n, 3) points of a square with waves."""
    x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    return np.stack([x, y, 0.1 * np.sin(5 * x)], -1).reshape(-1, 3)


def ball(n: int, radius: float) -> np.ndarray:
    """(n * n, 3) points of a ball that is open at its poles."""
    u, v = np.meshgrid(np.linspace(0.1, 3, n), np.linspace(0, 2 * np.pi, n), indexing="ij")
    across = np.sin(u)
    return radius * np.stack([across * np.cos(v), across * np.sin(v), np.cos(u)], -1).reshape(-1, 3)


def scene(n: int = 60) -> tuple:
    """points (2 n n, 3), triangles (m, 3), objects (m,): 0 is the sheet, 1 the ball."""
    points = np.concatenate([sheet(n), ball(n, 0.5)])
    one = grid(n, n)
    triangles = np.concatenate([one, one + n * n]).astype(np.int32)
    return points, triangles, np.repeat(np.arange(2, dtype=np.int32), len(one))


def main() -> None:
    points, triangles, objects = scene()
    found = contacts(points, triangles, objects, pairs="between")
    kinds = Counter(Kind(k).name.lower() for k in found.kind.tolist())
    said = ", ".join(f"{count} {name}" for name, count in sorted(kinds.items()))
    print(
        f"impinge {__version__}: {len(triangles)} triangles, {len(found)} contacts ({said}), "
        f"{1000 * found.seconds:.1f} ms"
    )


if __name__ == "__main__":
    main()
