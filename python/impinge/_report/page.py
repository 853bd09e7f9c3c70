"""The page: HTML that needs nothing but itself."""

from __future__ import annotations

import time
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .batch import Source
from .event_table import event_table
from .happened import Happened
from .stage import stage
from .still import address
from .sums import RELATIONS, Contact, Relation, Sums
from .svg import timeline
from .tables import Context, data, link, more, step_word, steps_word, table
from .view import View
from .words import count, number, plural, point, size, text
from .worst import Group, Worst

PAIRS = 200  # rows of that table at most
FRAME_ROWS = 1000
SCRIPTS = ("unpack.js", "view.js", "links.js")

# Whatever the page contains, the browser loads nothing for it.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src data: blob:"
)


class Told(NamedTuple):
    """All that the page tells, but for the 3D view."""

    sums: Sums
    context: Context
    source: Source
    path: Path  #: of the result
    found: Happened
    worst: Worst
    picture: bytes  #: of the frame with the most contacts, or none


def _own(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


def page(told: Told, shown: View | None, scripts: str) -> str:
    """`scripts`: what the 3D view needs, or ""."""
    sums, context = told.sums, told.context
    title = f"{sums.nouns.capitalize()}{sums.within} in {text(told.path.name)}"
    parts = [f"<header><h1>{title}</h1>{_summary(sums, told.found)}</header>"]
    if sums.total:
        picture = address(told.picture) if told.picture else ""
        parts += [
            _section("Events", event_table(sums, told.found, context)),
            _section("3D view", stage(sums, told.source, context.palette, shown, picture)),
        ]
    parts += [
        _section("Timeline", f"<figure>{timeline(sums, told.found)}</figure>" + _frames(sums))
    ]
    if sums.total:
        parts += [_section(_worst_title(sums), _worst(sums, told.worst, context))]
    if sums.has_relations:
        parts += [_section("Relations of objects", _relations(sums, context))]
    if sums.total:
        parts += [_section("Pairs of objects", _pairs(sums, context))]
    parts += [_section("How this was made", _provenance(sums, told.path))]
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
    held = "".join(f'<script type="{kind}" id="{name}">{it}</script>\n' for name, kind, it in parts)
    code = "\n".join(_own(name) for name in SCRIPTS)
    return f'{held}<script>\n(function () {{\n"use strict";\n{code}}})();\n</script>\n'


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>"


def _summary(sums: Sums, found: Happened) -> str:
    hit = sums.hit
    said = (
        f'<span id="contacts">{data(sums.total)}</span>'
        f" {sums.noun if sums.total == 1 else sums.nouns}{sums.within} in"
        f' <span id="frames-with-contacts">{data(len(hit))}</span> of'
        f' <span id="frames">{data(sums.frames)}</span> {steps_word(sums, sums.frames)}'
    )
    said += f": {plural(len(found.events), 'event')}." if found.events else "."
    if sums.total:
        most = count(sums.contacts[sums.fullest])
        said += f" First {step_word(sums)} with {sums.nouns}: {_at(sums, hit[0])}."
        said += f" Most in one {step_word(sums)}: {most}, in {_at(sums, sums.fullest)}."
    if sums.has_distance and sums.total:
        k = int(np.nanargmin(sums.least))
        said += f" The least distance is {number(sums.least[k])}, in {_at(sums, k)}."
    if sums.has_thickness and sums.total:
        k = int(np.nanargmax(sums.deepest))
        said += f" The deepest penetration is {number(sums.deepest[k])}, in {_at(sums, k)}."
    if sums.depth > 0:
        said += f" The greatest depth is {number(sums.depth)}."
    if "stage=candidates" in str(sums.origin.get("options", "")):
        said += " These are candidates: pairs whose bounding boxes overlap. The run did not test"
        said += " them further."
    if not sums.complete:
        said += " <strong>The result is not complete: the run ended early.</strong>"
    return f'<p class="summary">{said}</p>'


def _at(sums: Sums, k: Any) -> str:
    return f"{link(f'{step_word(sums)} {sums.numbers[k]}', sums.numbers[k])} ({sums.when(k)})"


def _frames(sums: Sums) -> str:
    """The numbers of the timeline."""
    rows = [
        [
            link(str(sums.numbers[k]), sums.numbers[k]),
            number(sums.first[k]),
            count(sums.contacts[k]),
        ]
        + [count(sums.candidates[k])]
        + ([number(sums.least[k])] if sums.has_distance else [])
        + ([number(sums.deepest[k])] if sums.has_thickness else [])
        for k in sums.hit[:FRAME_ROWS]
    ]
    if not rows:
        return ""
    time = "First contact" if sums.continuous else "Time"
    names = [step_word(sums).capitalize(), time, sums.nouns.capitalize(), "Candidates"]
    names += ["Least distance"] if sums.has_distance else []
    names += ["Deepest penetration"] if sums.has_thickness else []
    rest = more(len(sums.hit), FRAME_ROWS, f"{step_word(sums)}s with {sums.nouns}, the first ones")
    summary = f"Numbers of {step_word(sums)}s with {sums.nouns}"
    return f"<details><summary>{summary}</summary>{table(names, rows)}{rest}</details>"


def _pairs(sums: Sums, context: Context) -> str:
    titles = ["Object A", "Object B", sums.nouns.capitalize(), step_word(sums).capitalize() + "s"]
    rows = [
        [context.object(p.a), context.object(p.b), data(p.contacts), count(p.frames)]
        + ([number(p.distance)] if sums.has_distance else [])
        + ([number(p.penetration)] if sums.has_thickness else [])
        + ([number(p.depth)] if sums.has_depth else [])
        for p in sums.pairs[:PAIRS]
    ]
    titles += ["Least distance"] if sums.has_distance else []
    titles += ["Deepest penetration"] if sums.has_thickness else []
    titles += ["Greatest depth"] if sums.has_depth else []
    made = table(titles, rows, (0, 1))
    rest = more(len(sums.pairs), PAIRS, f"pairs of objects, those with the most {sums.nouns}")
    return f'<div id="pairs" class="tall">{made}</div>{rest}'


def _relations(sums: Sums, context: Context) -> str:
    """Objects that are not apart in every frame, the deepest first."""
    if not sums.relations:
        return '<p id="relations">All objects are apart, in all frames.</p>'
    titles = ["Object A", "Object B"] + [f"Frames {words}" for words in RELATIONS]
    titles += ["Most vertices inside", "Greatest depth", "Where", "Parts swallowed"]
    rows = [
        [context.object(r.a), context.object(r.b), *map(count, r.frames), count(r.inside)]
        + [number(r.depth) if r.depth else "", _deepest(r, context), count(r.swallowed)]
        for r in sums.relations[:PAIRS]
    ]
    made = table(titles, rows, (0, 1, 8))
    rest = more(len(sums.relations), PAIRS, "pairs of objects, the deepest ones")
    return f'<div id="relations" class="tall">{made}</div>{rest}'


def _deepest(relation: Relation, context: Context) -> str:
    if not relation.depth:
        return ""
    frame = link(f"frame {relation.frame}", relation.frame)
    return f"vertex {relation.vertex} of {context.object(relation.owner)}, {frame}"


_measures = {
    "depth": ("deepest first", "Depth"),
    "distance": ("nearest first", "Distance"),
    "penetration": ("deepest first", "Penetration"),
    "length": ("longest first", "Length"),
    "time": ("earliest first", "Time"),
}


def _worst_title(sums: Sums) -> str:
    return (
        "Nearest pairs" if sums.has_distance and not sums.has_thickness else f"Worst {sums.nouns}"
    )


def _worst(sums: Sums, worst: Worst, context: Context) -> str:
    order, title = _measures[sums.measure]
    of_events = any(group.event is not None for group in worst.groups)
    timed = sums.measure == "time"
    titles = ["Event" if of_events else "Objects", title, step_word(sums).capitalize()]
    titles += ([] if timed else ["Time"]) + ["Primitive A", "Primitive B", "Kind", "Points"]
    left = (0, len(titles) - 2, len(titles) - 1)
    rows = []
    for group in worst.groups:
        rows.append([_group(sums, group, context), *_contact(sums, group.contacts[0], timed)])
        next_ones = [_contact(sums, contact, timed) for contact in group.contacts[1:]]
        if next_ones:
            inner = table(titles[1:], next_ones, tuple(i - 1 for i in left[1:]))
            rows.append([f"<details><summary>The next {len(next_ones)}</summary>{inner}</details>"])
    what = "event" if of_events else "pair of objects"
    said = f"<p>The worst {sums.noun} of each {what}, {order}. Ties: first found.</p>"
    listed = "events" if of_events else "pairs of objects"
    if of_events and sums.measure in ("length", "time"):
        listed += f", those with the most {sums.nouns} in one {step_word(sums)}"
    rest = more(worst.total, len(worst.groups), listed)
    return f'{said}<div id="worst" class="tall">{table(titles, rows, left)}</div>{rest}'


def _group(sums: Sums, group: Group, context: Context) -> str:
    """Whose worst contact it is, and of how many."""
    where = context.objects(*group.objects)
    total = f"<small>{plural(group.total, sums.noun)}</small>"
    name = "" if group.event is None else f"<b>Event {group.event}</b> "
    return f"{name}{total}<br>{where}"


def _contact(sums: Sums, contact: Contact, timed: bool) -> list[str]:
    frame = sums.numbers[contact.frame]
    cells = [number(contact.measure), link(str(frame), frame, contact.ends.mean(axis=0))]
    cells += [] if timed else [number(contact.time)]
    for side in (0, 1):
        called = [f"id {contact.ids[side]}"] if contact.ids else []
        called += [f"source {contact.sources[side]}"] if contact.sources else []
        small = f" <small>({', '.join(called)})</small>" if called else ""
        cells.append(str(contact.primitives[side]) + small)
    points = [point(end) for end in contact.ends]
    return [*cells, text(contact.kind), "<br>".join(dict.fromkeys(points))]


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
        ("Size of the input", f"{int(origin.get('input_bytes', 0)):,} bytes"),
        ("Hash of the input", f"{origin.get('input_hash', '')} (XXH3)"),
        ("Candidates", f"{int(sums.candidates.sum()):,} pairs whose bounding boxes overlap"),
    ]
    if "input" not in origin:  # of arrays
        rows = [("Made", f"{made}, of arrays")] + [
            row for row in rows if row[0] in ("Complete", "impinge", "Options", "Device", "Candidates")
        ]
    body = "".join(f'<tr><th scope="row">{name}</th><td class="left">{text(value)}</td></tr>'
                   for name, value in rows)  # fmt: skip
    said = "impinge finds every collision in frames of triangles and tetrahedra, exactly."
    return (
        f'<p>{said}</p><div class="wide"><table id="provenance"><tbody>{body}</tbody></table></div>'
    )
