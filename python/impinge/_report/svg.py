"""The timeline: contacts of each frame, as SVG in the page."""

from __future__ import annotations

import numpy as np

from .sums import Sums
from .words import count, number

BARS = 300  # at most; of more frames each bar is the one with the most contacts of several
WIDTH, HEIGHT = 900, 240
LEFT, RIGHT, TOP, BOTTOM = 64, 28, 12, 48  # what is left free around the bars


def timeline(sums: Sums) -> str:
    """Bars of contacts, with axes of frame numbers and times."""
    first, most = _bins(sums.contacts)
    ticks = _ticks(int(most.max()) if len(most) else 0)
    parts = _y_axis(ticks) + _bars(sums, first, most, ticks[-1]) + _x_axis(sums)
    head = (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="timeline-title'
        f' timeline-desc"><title id="timeline-title">{sums.nouns.capitalize()} of each'
        f' {_word(sums)}</title>'
        f'<desc id="timeline-desc">{_description(sums, len(most))}</desc>'
    )
    return head + "".join(parts) + "</svg>"


def _word(sums: Sums) -> str:
    return "step" if sums.continuous else "frame"


def _description(sums: Sums, bars: int) -> str:
    if not sums.total:
        return f"No {_word(sums)} has {sums.nouns}."
    k = sums.fullest
    said = (
        f"Most {sums.nouns}, {count(sums.contacts[k])}, are in {_word(sums)} {sums.numbers[k]},"
        f" {sums.when(k)}."
    )
    if bars < sums.frames:
        said += f" Each bar is the greatest number of several {_word(sums)}s."
    return said


def _bins(contacts: np.ndarray) -> tuple:
    """The first frame of each bar, and the greatest number of contacts from there to the next."""
    bars = min(len(contacts), BARS)
    first = np.arange(bars) * len(contacts) // max(bars, 1)
    return first, np.maximum.reduceat(contacts, first) if bars else contacts


def _ticks(most: int) -> list[int]:
    """Round numbers from 0 on, of which the last is the top of the axis."""
    step = 1
    while 5 * step < most:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return list(range(0, max(most, 1) + step, step))


def _y_axis(ticks: list[int]) -> list[str]:
    parts = []
    for tick in ticks:
        y = _y(tick, ticks[-1])
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" class="right">{count(tick)}</text>')
    return parts


def _y(value: float, top: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top


def _x(at: float, frames: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * at / max(frames, 1)


def _bars(sums: Sums, first: np.ndarray, most: np.ndarray, top: int) -> list[str]:
    parts, ends = [], np.append(first[1:], sums.frames)
    for start, end, value in zip(first.tolist(), ends.tolist(), most.tolist()):
        if not value:
            continue
        x, right, y = _x(start, sums.frames), _x(end, sums.frames), _y(value, top)
        width = max((right - x) * 0.86, 0.5)
        kind = ' class="most"' if start <= sums.fullest < end else ""
        parts.append(
            f'<rect{kind} x="{x:.1f}" y="{y:.1f}" width="{width:.1f}"'
            f' height="{HEIGHT - BOTTOM - y:.1f}"><title>{_tip(sums, start, end, value)}</title>'
            "</rect>"
        )
    return [f'<g class="bars">{"".join(parts)}</g>']


def _tip(sums: Sums, start: int, end: int, value: int) -> str:
    if end - start == 1:
        at = f"{_word(sums)} {sums.numbers[start]} ({sums.when(start)})"
        return f"{at}: {count(value)} {sums.nouns}"
    frames = f"{_word(sums)}s {sums.numbers[start]} to {sums.numbers[end - 1]}"
    return f"{frames}: at most {count(value)} {sums.nouns}"


def _x_axis(sums: Sums) -> list[str]:
    """Numbers of frames, and below them their times."""
    base = HEIGHT - BOTTOM
    parts = [f'<path class="axis" d="M{LEFT} {base}H{WIDTH - RIGHT}"/>']
    wanted = np.linspace(0, sums.frames - 1, min(sums.frames, 9)) if sums.frames else []
    for k in sorted({int(at) for at in wanted}):
        x = _x(k + 0.43, sums.frames)
        parts.append(f'<text x="{x:.1f}" y="{base + 16}" class="middle">{sums.numbers[k]}</text>')
        time = number(sums.times[k])
        parts.append(f'<text x="{x:.1f}" y="{base + 32}" class="middle soft">{time}</text>')
    parts.append(f'<text x="{LEFT - 6}" y="{base + 16}" class="right">{_word(sums)}</text>')
    time = "from time" if sums.continuous else "time"
    parts.append(f'<text x="{LEFT - 6}" y="{base + 32}" class="right soft">{time}</text>')
    return parts
