#!/usr/bin/env python3
"""Two figures of the papers (kernels/README.md), as SVG.

  picture_papers.py triangle OUT.svg                  [K] figure 2: a triangle in its k-DOP
  picture_papers.py trajectory BATCH.vtkhdf OUT.svg   [P] figure 1: the box of all that a body sweeps
                                                      from the first frame to the second
"""
import sys

import numpy as np

STYLE = """<style>text{font:13px sans-serif;fill:#333}path,rect{fill:none;stroke-width:1.5}
.body{fill:#cfe0f2;stroke:#0057a8}.way{stroke:#9bbcdc}.bound{stroke:#d0661b}.line{stroke:#ddd}</style>
"""
TRIANGLE = np.array([[2, 1], [6, 2], [4, 6]], float)
DIRECTIONS = np.array([[1, 0], [0, 1], [1, 1], [1, -1]], float)
MOMENTS = 9  # at how many the body is drawn
CUBE = [(0, 1), (1, 3), (3, 2), (2, 0), (4, 5), (5, 7), (7, 6), (6, 4), (0, 4), (1, 5), (2, 6), (3, 7)]


class Sheet:
    """A drawing in the coordinates of what is drawn, y upward."""

    def __init__(self, low, high, width):
        self.low, self.scale = np.array(low, float), width / (high[0] - low[0])
        self.high = np.array(high, float)
        self.size = (np.array(high, float) - low) * self.scale
        self.parts = []

    def at(self, point):
        x, y = (np.array(point, float) - self.low) * self.scale
        return f"{x:.2f} {self.size[1] - y:.2f}"

    def line(self, points, kind, close=False):
        self.parts.append(f'<path class="{kind}" d="M{"L".join(map(self.at, points))}{"Z" * close}"/>')

    def text(self, point, text, anchor="middle"):
        x, y = self.at(point).split()
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>')

    def save(self, path):
        wide, high = self.size
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{high:.0f}" '
        head += f'viewBox="0 0 {wide:.0f} {high:.0f}">\n{STYLE}<rect width="100%" height="100%" style="fill:#fff"/>\n'
        with open(path, "w", encoding="utf-8") as file:
            file.write(head + "\n".join(self.parts) + "\n</svg>\n")


def clipped(polygon, direction, most):
    """The part of a polygon where direction . x <= most."""
    out = []
    for p, q in zip(polygon, np.roll(polygon, -1, 0)):
        a, b = direction @ p - most, direction @ q - most
        if a <= 0:
            out.append(p)
        if a * b < 0:
            out.append(p + (q - p) * a / (a - b))
    return np.array(out)


def triangle(out):
    sheet = Sheet((-1, -1.2), (10, 7.4), 560)
    bound = np.array([[-9, -9], [19, -9], [19, 19], [-9, 19]], float)
    for d in DIRECTIONS:
        most, least = (TRIANGLE @ d).max(), (TRIANGLE @ d).min()
        bound = clipped(clipped(bound, d, most), -d, -least)
    for k in range(0, 8):
        sheet.line([(k, 0), (k, 7)], "line")
        sheet.line([(0, k), (7, k)], "line")
        if k:
            sheet.text((k, -0.35), k)
            sheet.text((-0.35, k - 0.1), k)
    sheet.line(bound, "bound", True)
    sheet.line(TRIANGLE, "body", True)
    for p in TRIANGLE:
        sheet.text(p + (0.2, 0.2), f"({p[0]:g}, {p[1]:g})", "start")
    for i, d in enumerate(DIRECTIONS):
        products = TRIANGLE @ d
        text = f"({d[0]:g}, {d[1]:g}): {products.min():g} to {products.max():g}"
        sheet.text((7.3, 6 - 0.6 * i), text, "start")
    sheet.save(out)


def turned(q, points):
    w, v = q[0], q[1:]
    return points + 2 * np.cross(v, np.cross(v, points) + w * points)


def between(p, q, share):
    """Rotations, along the shorter arc."""
    q = q if p @ q >= 0 else -q
    angle = np.arccos(min(1, p @ q))
    if angle < 1e-9:
        return p
    return (np.sin((1 - share) * angle) * p + np.sin(share * angle) * q) / np.sin(angle)


def trajectory(batch, out):
    import h5py

    with h5py.File(batch) as file:
        group = file["impinge/bodies"]
        points = group["points"][: group["point_offsets"][1]]
        count = len(group["object_id"])
        centre, rotation = (group[name][:: count][:2] for name in ("centre", "rotation"))

    def at(share):
        middle = centre[0] + share * (centre[1] - centre[0])
        return (turned(between(rotation[0], rotation[1], share), points) + middle)[:, :2]

    swept = np.concatenate([at(share) for share in np.linspace(0, 1, 1001)])
    low, high = swept.min(0), swept.max(0)
    margin = 0.12 * (high - low).max()
    sheet = Sheet(low - margin, high + margin, 560)
    sheet.line([low, (high[0], low[1]), high, (low[0], high[1])], "bound", True)
    shares = np.linspace(0, 1, MOMENTS)
    for share in shares:
        corners = at(share)
        for a, b in CUBE:
            sheet.line([corners[a], corners[b]], "body" if share in (0, 1) else "way")
    for share, text in ((0, "frame f"), (1, "frame f + 1")):
        sheet.text(at(share).mean(0), text)
    sheet.text((low[0] + margin / 4, high[1] + margin / 3), "trajectory box", "start")
    sheet.save(out)


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    {"triangle": triangle, "trajectory": trajectory}[what](*paths)
