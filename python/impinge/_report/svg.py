"""The timeline: contacts of each frame, and below them when events last, as SVG in the page."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._events import Event
from .happened import Happened, by_size, target
from .sums import Sums
from .tables import link, step_word
from .words import count, number, plural

LANES = 12  # events at most
LANE = 16  # high
PLOT = 180  # high: the bars
RIGHT, TOP, BOTTOM = 28, 12, 48  # what is left free around the bars


class _Form(NamedTuple):
    """For a page of some width: texts keep their size."""

    name: str
    width: int
    left: int
    bars: int  #: at most; of more frames each bar is the one with the most contacts of several
    labels: int  #: of the axis, at most

    def x(self, at: float, frames: int) -> float:
        return self.left + (self.width - self.left - RIGHT) * at / max(frames, 1)


_FORMS = (_Form("large", 900, 64, 300, 9), _Form("small", 350, 60, 90, 4))


def timeline(sums: Sums, found: Happened) -> str:
    """Bars of contacts, with axes of frame numbers and times: for large and for small screens."""
    return "".join(_timeline(sums, found, form) for form in _FORMS)


def _timeline(sums: Sums, found: Happened, form: _Form) -> str:
    first, most = _bins(sums.contacts, form.bars)
    ticks = _ticks(int(most.max()) if len(most) else 0)
    lanes = by_size(found.events)[:LANES] if sums.frames > 1 else []
    lanes.sort(key=lambda event: event.event)
    parts = _y_axis(ticks, form) + _bars(sums, first, most, ticks[-1], form)
    parts += _x_axis(sums, form) + _lanes(sums, lanes, form)
    height = TOP + PLOT + BOTTOM + LANE * len(lanes)
    title, told = f"timeline-title-{form.name}", f"timeline-desc-{form.name}"
    head = (
        f'<svg class="{form.name}" viewBox="0 0 {form.width} {height}" role="group"'
        f' aria-labelledby="{title} {told}"><title id="{title}">{sums.nouns.capitalize()} of each'
        f" {step_word(sums)}</title>"
        f'<desc id="{told}">{_description(sums, len(most), len(lanes), len(found.events))}</desc>'
    )
    return head + "".join(parts) + "</svg>"


def _description(sums: Sums, bars: int, lanes: int, events: int) -> str:
    word = step_word(sums)
    if not sums.total:
        return f"No {word} has {sums.nouns}."
    k = sums.fullest
    most = count(sums.contacts[k])
    said = f"Most {sums.nouns}, {most}, are in {word} {sums.numbers[k]}, {sums.when(k)}."
    if bars < sums.frames:
        said += f" Each bar is the greatest number of several {word}s."
    if lanes:
        shown = (
            plural(events, "event")
            if lanes == events
            else f"the {lanes} largest of {events:,} events"
        )
        said += f" Below it: when {shown} last{'s' if events == 1 else ''}."
    return said


def _bins(contacts: np.ndarray, most: int) -> tuple:
    """The first frame of each bar, and the greatest number of contacts from there to the next."""
    bars = min(len(contacts), most)
    first = np.arange(bars) * len(contacts) // max(bars, 1)
    return first, np.maximum.reduceat(contacts, first) if bars else contacts


def _ticks(most: int) -> list[int]:
    """Round numbers from 0 on, of which the last is the top of the axis."""
    step = 1
    while 5 * step < most:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return list(range(0, max(most, 1) + step, step))


def _y_axis(ticks: list[int], form: _Form) -> list[str]:
    parts = []
    for tick in ticks:
        y = _y(tick, ticks[-1])
        parts.append(f'<path class="grid" d="M{form.left} {y:.1f}H{form.width - RIGHT}"/>')
        parts.append(
            f'<text x="{form.left - 6}" y="{y + 4:.1f}" class="right">{count(tick)}</text>'
        )
    return parts


def _y(value: float, top: int) -> float:
    return TOP + PLOT - PLOT * value / top


def _bars(sums: Sums, first: np.ndarray, most: np.ndarray, top: int, form: _Form) -> list[str]:
    """Each is a link, as high as the plot, so that a low one can be met."""
    parts, ends = [], np.append(first[1:], sums.frames)
    for start, end, value in zip(first.tolist(), ends.tolist(), most.tolist()):
        if not value:
            continue
        x, right, y = form.x(start, sums.frames), form.x(end, sums.frames), _y(value, top)
        k = start + int(np.argmax(sums.contacts[start:end]))
        kind = ' class="most"' if start <= sums.fullest < end else ""
        bar = (
            f'<title>{_tip(sums, start, end, value)}</title><rect class="hit" x="{x:.1f}" y="{TOP}"'
            f' width="{right - x:.1f}" height="{PLOT}"/><rect{kind} x="{x:.1f}" y="{y:.1f}"'
            f' width="{max((right - x) * 0.86, 0.5):.1f}" height="{TOP + PLOT - y:.1f}"/>'
        )
        parts.append(link(bar, sums.numbers[k]))
    return [f'<g class="bars">{"".join(parts)}</g>']


def _tip(sums: Sums, start: int, end: int, value: int) -> str:
    if end - start == 1:
        at = f"{step_word(sums)} {sums.numbers[start]} ({sums.when(start)})"
        return f"{at}: {plural(value, sums.noun)}"
    frames = f"{step_word(sums)}s {sums.numbers[start]} to {sums.numbers[end - 1]}"
    return f"{frames}: at most {plural(value, sums.noun)}"


def _x_axis(sums: Sums, form: _Form) -> list[str]:
    """Numbers of frames, and below them their times."""
    base = TOP + PLOT
    parts = [f'<path class="axis" d="M{form.left} {base}H{form.width - RIGHT}"/>']
    wanted = np.linspace(0, max(sums.frames - 1, 0), min(sums.frames, form.labels))
    for k in sorted({int(at) for at in wanted}):
        x = form.x(k + 0.43, sums.frames)
        parts.append(f'<text x="{x:.1f}" y="{base + 16}" class="middle">{sums.numbers[k]}</text>')
        time = number(sums.times[k])
        parts.append(f'<text x="{x:.1f}" y="{base + 32}" class="middle soft">{time}</text>')
    left = form.left - 6
    parts.append(f'<text x="{left}" y="{base + 16}" class="right">{step_word(sums)}</text>')
    time = "from time" if sums.continuous else "time"
    parts.append(f'<text x="{left}" y="{base + 32}" class="right soft">{time}</text>')
    return parts


def _lanes(sums: Sums, lanes: list[Event], form: _Form) -> list[str]:
    """A bar for each event, from its first frame to its last one."""
    place = {int(frame): k for k, frame in enumerate(sums.numbers)}
    parts = []
    for lane, event in enumerate(lanes):
        y = TOP + PLOT + BOTTOM - 6 + LANE * lane
        x = form.x(place[event.first_frame], sums.frames)
        right = form.x(place[event.last_frame] + 0.86, sums.frames)
        frames = (
            f"{plural(event.frames, step_word(sums))}, {event.first_frame} to {event.last_frame}"
        )
        bar = (
            f"<title>Event {event.event}: {frames}</title>"
            f'<rect x="{x:.1f}" y="{y}" width="{max(right - x, 2):.1f}" height="{LANE - 5}"'
            ' rx="3"/>'
        )
        parts.append(
            f'<text x="{form.left - 6}" y="{y + 10}" class="right">event {event.event}</text>'
        )
        parts.append(link(bar, *target(event)))
    return [f'<g class="lanes">{"".join(parts)}</g>'] if parts else []
