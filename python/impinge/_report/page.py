"""The page: HTML that needs nothing but itself."""

from __future__ import annotations

import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from .batch import Source
from .k3d_source import gradient
from .sums import RELATIONS, Contact, Relation, Sums
from .svg import timeline
from .view import View
from .words import count, number, plural, point, size, text

TOO_SMALL = "not even one frame fits in the size that this file may have"
PAIRS = 200  # rows of that table at most

# Whatever the page contains, the browser loads nothing for it.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src data: blob:"
)


def _own(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


def page(
    sums: Sums, names: dict[int, str], source: Source, path: Path, shown: View | None, scripts: str
) -> str:
    """`names`: of objects; `scripts`: what the 3D view needs, or ""."""
    title = f"{sums.nouns.capitalize()}{sums.within} in {text(path.name)}"
    parts = [
        f"<header><h1>{title}</h1>{_summary(sums)}</header>",
        _section("Timeline", f"<figure>{timeline(sums)}</figure>" + _frames(sums)),
        _section("Worst frame in 3D", _view(sums, source, shown)) if sums.total else "",
        _section("Relations of objects", _relations(sums, names)) if sums.has_relations else "",
        _section("Pairs of objects", _pairs(sums, names)) if sums.total else "",
        _section(_worst_title(sums), _worst(sums, names)) if sums.total else "",
        _section("How this was made", _provenance(sums, path)),
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{title}</title>\n'
        f"<style>\n{_own('page.css')}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + f"\n</main>\n{scripts}</body>\n</html>\n"
    )


def scripts(shown: View, k3d_source: str, plot: str) -> str:
    """Data first: the code runs when it is read. Nothing in the data can end an element."""
    parts = [("view-data", "application/json", shown.data.replace("<", "\\u003c"))]
    parts += [("k3d", "text/plain", k3d_source), ("k3d-plot", "text/plain", plot)]
    data = "".join(f'<script type="{kind}" id="{name}">{it}</script>\n' for name, kind, it in parts)
    return f"{data}<script>\n{_own('view.js')}</script>\n"


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>"


def _data(value: int) -> str:
    """Programs read the value, people the text."""
    return f'<data value="{int(value)}">{count(value)}</data>'


def _word(sums: Sums) -> str:
    return "step" if sums.continuous else "frame"


def _s(value: int) -> str:
    return "" if value == 1 else "s"


def _summary(sums: Sums) -> str:
    word, hit = _word(sums), sums.hit
    said = (
        f'<span id="contacts">{_data(sums.total)}</span>'
        f" {sums.noun if sums.total == 1 else sums.nouns}{sums.within} in"
        f' <span id="frames-with-contacts">{_data(len(hit))}</span> of'
        f' <span id="frames">{_data(sums.frames)}</span> {word}{_s(sums.frames)}.'
    )
    if sums.total:
        said += f" The first are in {_at(sums, hit[0])},"
        said += f" most, {count(sums.contacts[sums.fullest])}, in {_at(sums, sums.fullest)}."
    if sums.has_distance and sums.total:
        k = int(np.nanargmin(sums.least))
        said += f" The least distance is {number(sums.least[k])}, in {_at(sums, k)}."
    if sums.has_thickness and sums.total:
        k = int(np.nanargmax(sums.deepest))
        said += f" The deepest penetration is {number(sums.deepest[k])}, in {_at(sums, k)}."
    if sums.depth > 0:
        said += f" The greatest depth is {number(sums.depth)}."
    if "stage=candidates" in str(sums.origin.get("options", "")):
        said += " These are pairs whose bounds overlap: the run looked no further."
    if not sums.complete:
        said += " <strong>The result is not complete.</strong>"
    return f'<p class="summary">{said}</p>'


def _at(sums: Sums, k: Any) -> str:
    return f"{_word(sums)} {sums.numbers[k]} ({sums.when(k)})"


FRAME_ROWS = 1000


def _frames(sums: Sums) -> str:
    """The numbers of the timeline."""
    rows = [
        [str(sums.numbers[k]), number(sums.first[k]), count(sums.contacts[k])]
        + [count(sums.candidates[k])]
        + ([number(sums.least[k])] if sums.has_distance else [])
        + ([number(sums.deepest[k])] if sums.has_thickness else [])
        for k in sums.hit[:FRAME_ROWS]
    ]
    if not rows:
        return ""
    time = "First contact" if sums.continuous else "Time"
    names = [_word(sums).capitalize(), time, sums.nouns.capitalize(), "Candidates"]
    names += ["Least distance"] if sums.has_distance else []
    names += ["Deepest penetration"] if sums.has_thickness else []
    more = _more(len(sums.hit), FRAME_ROWS, f"{_word(sums)}s with {sums.nouns}")
    summary = f"Numbers of {_word(sums)}s with {sums.nouns}"
    return f"<details><summary>{summary}</summary>{_table('', names, rows)}{more}</details>"


def _more(total: int, most: int, what: str) -> str:
    return f"<p>The first {most:,} of {total:,} {what}.</p>" if total > most else ""


def _table(caption: str, names: list[str], rows: list[list[str]], left: tuple = ()) -> str:
    """Columns of numbers, except those in `left`. Cells are HTML."""
    head = "".join(f'<th scope="col"{_left(i, left)}>{name}</th>' for i, name in enumerate(names))
    body = "".join(
        "<tr>" + "".join(f"<td{_left(i, left)}>{cell}</td>" for i, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    caption = f"<caption>{caption}</caption>" if caption else ""
    return (
        f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _left(column: int, left: tuple) -> str:
    return ' class="left"' if column in left else ""


def _object(number: int, names: dict[int, str]) -> str:
    return f"{text(names[number])} <small>({number})</small>" if number in names else str(number)


def _pairs(sums: Sums, names: dict[int, str]) -> str:
    titles = ["Object A", "Object B", sums.nouns.capitalize(), _word(sums).capitalize() + "s"]
    rows = [
        [_object(p.a, names), _object(p.b, names), _data(p.contacts), count(p.frames)]
        + ([number(p.distance)] if sums.has_distance else [])
        + ([number(p.penetration)] if sums.has_thickness else [])
        + ([number(p.depth)] if sums.has_depth else [])
        for p in sums.pairs[:PAIRS]
    ]
    titles += ["Least distance"] if sums.has_distance else []
    titles += ["Deepest penetration"] if sums.has_thickness else []
    titles += ["Greatest depth"] if sums.has_depth else []
    table = _table("", titles, rows, (0, 1))
    return f'<div id="pairs">{table}</div>' + _more(len(sums.pairs), PAIRS, "pairs of objects")


def _relations(sums: Sums, names: dict[int, str]) -> str:
    """Objects that are not apart in every frame, the deepest first."""
    if not sums.relations:
        return '<p id="relations">All objects are apart, in all frames.</p>'
    titles = ["Object A", "Object B"] + [f"Frames {words}" for words in RELATIONS]
    titles += ["Most vertices inside", "Greatest depth", "Where", "Parts swallowed"]
    rows = [
        [_object(r.a, names), _object(r.b, names), *map(count, r.frames), count(r.inside)]
        + [number(r.depth) if r.depth else "", _deepest(r, names), count(r.swallowed)]
        for r in sums.relations[:PAIRS]
    ]
    table = _table("", titles, rows, (0, 1, 8))
    return f'<div id="relations">{table}</div>' + _more(len(sums.relations), PAIRS, "relations")


def _deepest(relation: Relation, names: dict[int, str]) -> str:
    if not relation.depth:
        return ""
    return f"vertex {relation.vertex} of {_object(relation.owner, names)}, frame {relation.frame}"


_measures = {
    "depth": ("deepest", "Depth"),
    "distance": ("nearest", "Distance"),
    "length": ("longest segments", "Length"),
    "time": ("earliest", "Time"),
}


def _worst_title(sums: Sums) -> str:
    return "Nearest pairs" if sums.has_distance else "Worst contacts"


def _worst(sums: Sums, names: dict[int, str]) -> str:
    what, title = _measures[sums.measure]
    timed = sums.measure == "time"
    titles = [title, _word(sums).capitalize()] + ([] if timed else ["Time"])
    titles += ["Primitive A", "Primitive B", "Object A", "Object B", "Kind", "Points"]
    rows = [_contact(sums, contact, names, timed) for contact in sums.worst]
    left = tuple(range(len(titles) - 4, len(titles)))
    said = f"<p>The {len(rows)} {what} of {plural(sums.total, sums.noun)}"
    said += ", at the same measure those found first.</p>" if len(rows) < sums.total else ".</p>"
    return said + f'<div id="worst">{_table("", titles, rows, left)}</div>'


def _contact(sums: Sums, contact: Contact, names: dict[int, str], timed: bool) -> list[str]:
    cells = [number(contact.measure), str(sums.numbers[contact.frame])]
    cells += [] if timed else [number(contact.time)]
    for side in (0, 1):
        called = [f"id {contact.ids[side]}"] if contact.ids else []
        called += [f"source {contact.sources[side]}"] if contact.sources else []
        small = f" <small>({', '.join(called)})</small>" if called else ""
        cells.append(str(contact.primitives[side]) + small)
    cells += [_object(contact.objects[side], names) for side in (0, 1)]
    points = [point(end) for end in contact.ends]
    return [*cells, text(contact.kind), "<br>".join(dict.fromkeys(points))]


def _view(sums: Sums, source: Source, shown: View | None) -> str:
    if shown is None:
        reason = source.reason or TOO_SMALL
        return f'<p id="no-view">Not drawn: {text(reason)}.</p>'
    start = " The mesh is as at the beginning of the step." if sums.continuous else ""
    left = f'<p id="left-out">{text(shown.left_out)}</p>' if shown.left_out else ""
    lines = "from each to what is near" if sums.has_distance else "where they meet"
    return (
        '<p id="view-note" hidden></p><noscript><p>The 3D view needs JavaScript.</p></noscript>'
        '<div id="view"><div id="canvas"></div><img id="view-print" alt="The frame in 3D">'
        '<div class="controls"><label for="view-frame" id="view-label">Frame</label>'
        '<input id="view-frame" type="range" min="0" max="0" step="1" value="0"></div>'
        f'<p class="legend"><span class="swatch none"></span>no {sums.noun} <span class="swatch"'
        f' style="background: {gradient()}"></span>{_range(sums, shown.most)} of a'
        f' primitive <span class="swatch line"></span>{lines}, a dot where that is short</p>'
        f'<p class="hint">Drag to turn, scroll to zoom, drag with the right button to move.{start}'
        f"</p></div>{left}"
    )


def _range(sums: Sums, most: int) -> str:
    return f"1 {sums.noun}" if most < 2 else f"1 to {count(most)} {sums.nouns}"


def _provenance(sums: Sums, path: Path) -> str:
    origin = sums.origin
    made = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(path.stat().st_mtime))
    rows = [
        ("Result", f"{path.name}, written {made}, {size(path.stat().st_size)}"),
        ("Complete", "yes" if sums.complete else "no"),
        ("impinge", origin.get("version", "")),
        ("Command", origin.get("command", "")),
        ("Options", origin.get("options", "")),
        ("Device", origin.get("device", "")),
        ("Input", origin.get("input", "")),
        ("Its size", f"{int(origin.get('input_bytes', 0)):,} bytes"),
        ("Its hash", f"{origin.get('input_hash', '')} (XXH3)"),
        ("Candidates", f"{int(sums.candidates.sum()):,} pairs whose bounds overlap"),
    ]
    body = "".join(f'<tr><th scope="row">{name}</th><td class="left">{text(value)}</td></tr>'
                   for name, value in rows)  # fmt: skip
    said = "impinge finds every collision in frames of triangles and tetrahedra, exactly."
    return f'<p>{said}</p><table id="provenance"><tbody>{body}</tbody></table>'
