"""The table of events: what happened, when, where and how bad it is."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .._events import Event, EventChange
from .happened import Happened, by_size, target
from .sums import Sums
from .tables import Context, link, more, step_word, steps_word, table
from .words import count, number, plural, point, text

ROWS = 200
FRAMES_NAMED = 4  # frames of splits that a row names

#: Figures that only some results have.
_FIGURES = (
    ("area", "Area"),
    ("penetration", "Deepest penetration"),
    ("least_distance", "Least distance"),
    ("depth", "Greatest depth"),
)


def event_table(sums: Sums, found: Happened, context: Context) -> str:
    """Its section, or a sentence why there is none."""
    if found.reason:
        return f'<p id="no-events">{text(found.reason)}</p>'
    listed = sorted(by_size(found.events)[:ROWS], key=lambda event: event.event)
    figures = [(key, title) for key, title in _FIGURES if _has(listed, key)]
    changes = _changes(found.changes, sums)
    word = step_word(sums).capitalize()
    titles = ["Event", "Objects", word + "s", f"Most {sums.nouns}", "Length"]
    titles += [*(title for _, title in figures), "Where it is worst"]
    titles += ["Splits and merges"] if changes else []
    rows = [_row(sums, event, context, figures, changes) for event in listed]
    left = (0, 1, len(titles) - 1, len(titles) - 1 - bool(changes))
    said = f"<p>{_explained(sums)}</p>"
    made = f'<div id="events" class="tall">{table(titles, rows, left)}</div>'
    what = f"events, those with the most {sums.nouns} in one {word.lower()}"
    return said + made + more(len(found.events), ROWS, what)


def _has(listed: list[Event], key: str) -> bool:
    return any(getattr(event, key, None) is not None for event in listed)


def _explained(sums: Sums) -> str:
    """What an event is."""
    word = step_word(sums)
    return (
        f"An event: {sums.nouns} of the same objects, connected on the mesh and from {word} to"
        f" {word}."
        f' <span class="live">Select a row to see it in 3D.</span>'
    )


def _row(
    sums: Sums, event: Event, context: Context, figures: list, changes: dict[int, list[str]]
) -> list[str]:
    at = target(event)
    frames = (
        f"{event.first_frame}"
        if event.frames == 1
        else f"{event.first_frame} to {event.last_frame}"
    )
    same = number(event.first_time) == number(event.last_time)
    times = number(event.first_time) + ("" if same else f" to {number(event.last_time)}")
    most = f"{step_word(sums)} {event.contacts_frame}"
    cells = [link(f"Event {event.event}", *at), context.objects(event.a, event.b)]
    cells += [
        _two(f"{frames} <small>({plural(event.frames, step_word(sums))})</small>", f"time {times}")
    ]
    cells += [_two(count(event.contacts), f"in {link(most, event.contacts_frame)}")]
    cells += [number(event.length) if event.length else ""]
    cells += [_figure(getattr(event, key, None)) for key, _ in figures]
    cells += [_two(point(at.place), f"in {step_word(sums)} {at.frame}")]
    return cells + (["; ".join(changes.get(event.event, []))] if changes else [])


def _two(large: str, small: str) -> str:
    """Lines of a cell."""
    return f"{large}<br><small>{small}</small>"


def _figure(value: Any) -> str:
    return "" if value is None else number(value)


def _changes(changes: list[EventChange], sums: Sums) -> dict[int, list[str]]:
    """Of each event, in words."""
    own: dict = defaultdict(lambda: defaultdict(list))
    for change in changes:
        event, other, frame = change.event, change.other_event, change.frame
        if event == other:
            own[event]["splits" if change.change == "split" else "parts of it join"].append(frame)
        elif change.change == "split":
            own[event][f"a part of it joins event {other}"].append(frame)
            own[other][f"a part of event {event} joins it"].append(frame)
        else:
            own[event][f"merges into event {other}"].append(frame)
            own[other][f"event {event} merges into it"].append(frame)
    return {
        event: [_said(words, frames, sums) for words, frames in kinds.items()]
        for event, kinds in own.items()
    }


def _said(words: str, frames: list[int], sums: Sums) -> str:
    """ "splits in frames 12, 21, 22, 23 and 4 more"."""
    once = list(dict.fromkeys(frames))
    named = ", ".join(link(str(frame), frame) for frame in once[:FRAMES_NAMED])
    rest = f" and {len(once) - FRAMES_NAMED} more" if len(once) > FRAMES_NAMED else ""
    return f"{words} in {steps_word(sums, len(once))} {named}{rest}"
