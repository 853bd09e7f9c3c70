"""The 3D view's part of the page: the picture that is there before it, and its controls."""

from __future__ import annotations

from .batch import Source
from .k3d_source import gradient
from .palette import Palette, square
from .sums import Sums
from .tables import step_word
from .view import View, label
from .words import count, text

TOO_SMALL = "not even one frame fits in the size that this file may have"


def stage(sums: Sums, source: Source, palette: Palette, shown: View | None, picture: str) -> str:
    """picture: its address, or ""."""
    said = label(sums, sums.fullest)
    parts = []
    if picture:
        parts.append(f'<img id="still" src="{picture}" alt="Picture of {said}">')
    if shown is not None:
        parts.append('<div id="canvas" hidden></div><img id="view-print" alt="The frame in 3D">')
    made = f'<div id="stage">{"".join(parts)}</div>' if parts else ""
    caption = (
        f'<p id="still-label">{said[0].upper() + said[1:]}, the most in one frame.</p>'
        if picture
        else ""
    )
    if shown is None:
        reason = source.reason or TOO_SMALL
        return (
            f'<div id="view">{made}{caption}</div><p id="no-view">No 3D view: {text(reason)}.</p>'
        )
    left = f'<p id="left-out">{text(shown.left_out)}</p>' if shown.left_out else ""
    return (
        f'<div id="view" tabindex="-1">{made}{caption}<p id="view-note" hidden></p>'
        f"<noscript><p>The 3D view needs JavaScript.</p></noscript>"
        f"{_controls(sums, palette)}{_legend(sums, shown)}</div>{left}"
    )


def _controls(sums: Sums, palette: Palette) -> str:
    switches = "".join(
        f'<label><input type="checkbox" checked data-group="{i}">{square(group.colour)}'
        f"<span>{text(group.name)}</span></label>"
        for i, group in enumerate(palette.groups)
    )
    return (
        '<div id="controls" hidden>'
        '<p id="view-label" role="status"></p>'
        '<div class="control wide-control"><label for="view-frame">'
        f"{step_word(sums).capitalize()}</label>"
        '<input id="view-frame" type="range" min="0" max="0" step="1" value="0"></div>'
        '<div class="control"><label for="view-opacity">Opacity</label>'
        '<input id="view-opacity" type="range" min="0" max="100" step="5" value="50"></div>'
        '<div class="control"><label for="view-colour">Colour by</label><select id="view-colour">'
        '<option value="object">object</option>'
        f'<option value="contacts">{sums.nouns}</option></select></div>'
        '<div class="control"><button type="button" id="view-whole">Show all</button>'
        f'<button type="button" id="view-near">Show {sums.nouns}</button></div>'
        f"<fieldset><legend>Objects</legend>{switches}</fieldset></div>"
    )


def _legend(sums: Sums, shown: View) -> str:
    lines = "from each to what is near" if sums.has_distance else "where objects meet"
    start = " The mesh is as at the beginning of the step." if sums.continuous else ""
    most = f"1 {sums.noun}" if shown.most < 2 else f"1 to {count(shown.most)} {sums.nouns}"
    return (
        '<div id="legend" hidden>'
        f'<p><span class="swatch line"></span>{lines} <span class="swatch dot"></span>the same, '
        'too short for a line <span id="view-heat" hidden><span class="swatch none"></span>no'
        f' {sums.noun} <span class="swatch" style="background: {gradient()}"></span>{most} of a '
        'primitive</span></p><p class="hint">Drag to turn, scroll to zoom, drag with the right'
        f" button to move.{start}</p></div>"
    )
