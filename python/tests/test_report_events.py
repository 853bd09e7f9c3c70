"""What happened, on the page: events, the worst contacts of each, and where links go."""

import importlib.util
import json
import os
import re

import impinge
import numpy as np
from common import folder, generate, main
from page_tree import parsed

MISSING = [name for name in ("h5py", "k3d") if importlib.util.find_spec(name) is None]
SCENE = ("cloth-ball", "-n", "6000", "--frames", "20")  # several events, with splits and merges


def made(where, *options, **run):
    batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
    generate(batch, *options)
    impinge.run(batch, result, quiet=True, **run)
    return batch, result


def page_of(result, **options):
    impinge.report(result, f"{result}.html", force=True, **options)
    with open(f"{result}.html", encoding="utf-8") as file:
        return parsed(file.read())


def number(text):
    return float(text.replace(",", "").split()[0])


def test_table():
    """The table of events is what `impinge events` says."""
    with folder() as where:
        batch, result = made(where, *SCENE)
        page, found = page_of(result), impinge.events(result)
        head = [cell.text() for cell in page.id("events").all("th")]
        rows = page.id("events").rows()
        assert len(rows) == len(found) > 5 and found.changes
        assert f": {len(found)} events." in page.all("p", class_="summary")[0].text()
        words = {}
        for row, event in zip(rows, found):
            cells = dict(zip(head, (cell.text() for cell in row)))
            assert cells["Event"] == f"Event {event.event}"
            both = ("cloth (0)", "ball (1)")[event.a], ("cloth (0)", "ball (1)")[event.b]
            itself = event.a == event.b
            assert cells["Objects"] == (f"{both[0]} with itself" if itself else ", ".join(both))
            frames = [int(n) for n in re.findall(r"\d+", cells["Frames"].split("time")[0])]
            first, last = event.first_frame, event.last_frame
            assert frames == [first, last, event.frames][first == last :], cells
            times = [event.first_time, event.last_time][: 1 + (first != last)]
            assert cells["Frames"].split("time ")[1] == " to ".join(f"{t:.6g}" for t in times)
            assert number(cells["Most contacts"]) == event.contacts
            assert cells["Most contacts"].endswith(f"in frame {event.contacts_frame}")
            assert abs(number(cells["Length"] or "0") - event.length) <= 1e-5 * event.length
            place = cells["Where it is worst"].split(" in ")
            assert place[1] == f"frame {event.worst[0].frame}"
            told = [float(x) for x in place[0].split()]
            assert np.allclose(told, event.worst[0].point, rtol=1e-5)
            words[event.event] = cells["Splits and merges"]
        check_changes(words, found.changes)


def check_changes(words, changes):
    """Every frame of a change is in the words of its events, and no other."""
    want = {event: set() for event in words}
    for change in changes:
        want[change.event].add(change.frame)
        want[change.other_event].add(change.frame)
        if change.event != change.other_event:
            verb = "joins" if change.change == "split" else "merges into"
            assert f"{verb} event {change.other_event}" in words[change.event]
            assert re.search(
                rf"event {change.event} (joins|merges into) it", words[change.other_event]
            )
    for event, told in words.items():
        frames = {
            int(n) for part in re.findall(r"frames? ([\d, ]+)", told) for n in part.split(",")
        }
        assert frames == want[event], (event, told)
        kinds = {change.change for change in changes if change.event == change.other_event == event}
        assert ("splits in" in told, "parts of it join" in told) == (
            "split" in kinds,
            "merge" in kinds,
        )


def test_links():
    """They go to frames that are drawn, and places are where contacts are."""
    with folder() as where:
        batch, result = made(where, *SCENE)
        page = page_of(result)
        with impinge.open(result) as frames:
            middles = [found.ends.mean(axis=1) for found in frames]
        links = page.all("a")
        assert all(len(middles[int(link["data-frame"])]) for link in links)
        assert not [link for link in links if link.get("href")], "without a script they go nowhere"
        placed = [link for link in links if link.get("data-place")]
        for link in placed:
            at = np.array([float(x) for x in link["data-place"].split()])
            away = np.abs(middles[int(link["data-frame"])] - at).max(axis=1).min()
            assert away < 1e-12, (link["data-frame"], away)
        events = len(impinge.events(result))
        for part, least in (("events", events), ("worst", events)):
            assert all(row[0 if part == "events" else 2].all("a") for row in page.id(part).rows())
            assert sum(link in placed for link in page.id(part).all("a")) >= least
        for form in ("large", "small"):
            (timeline,) = page.all("svg", class_=form)
            bars = [
                int(link["data-frame"]) for link in timeline.all("g", class_="bars")[0].all("a")
            ]
            assert bars == [k for k in range(20) if len(middles[k])]
            assert len(timeline.all("g", class_="lanes")[0].all("a")) == min(events, 12)


def test_worst():
    """Of each event its worst contacts, of equal ones the first."""
    with folder() as where:
        batch, result = made(where, *SCENE)
        page, found = page_of(result), impinge.events(result)
        assert sum(event.contacts_all for event in found) == impinge.info(result)["contacts"]
        rows, folded = page.id("worst").rows(), page.id("worst").folded()
        events = {event.event: event for event in found}
        told, lengths = [], []
        with impinge.open(result) as frames:
            for row, rest in zip(rows, folded):
                event = events[int(row[0].text().split()[1])]
                count = re.search(r"([\d,]+) contacts?", row[0].text())[1]
                assert number(count) == event.contacts_all
                more = rest.rows() if rest else []
                check_contacts([row[1:], *more], event, frames)
                told.append(event.event)
                lengths.append(number(row[1].text()))
        assert len(set(told)) == len(told) == min(len(found), 40)
        assert lengths == sorted(lengths, reverse=True)


def check_contacts(rows, event, frames):
    assert len(rows) == min(event.contacts_all, 5)
    for row, contact in zip(rows, event.worst):
        cells = [cell.text() for cell in row]
        found = frames[contact.frame]
        pairs = zip(found.a.tolist(), found.b.tolist())
        wanted = {contact.primitive_a, contact.primitive_b}
        i = next(i for i, pair in enumerate(pairs) if set(pair) == wanted)
        length = np.linalg.norm(found.ends[i, 1] - found.ends[i, 0])
        assert abs(number(cells[0]) - length) <= 1e-5 * length
        assert int(cells[1]) == contact.frame
        assert {int(number(cells[3])), int(number(cells[4]))} == wanted


def test_pairs():
    """Without events the worst contacts are those of each pair of objects, in all blocks."""
    from impinge._report import sums

    kept, sums.BLOCK = sums.BLOCK, 100
    try:
        check_pairs(40, "spheres", "-n", "4000", distance=0.05)
        check_pairs(2, *SCENE, distance=0.003)
    finally:
        sums.BLOCK = kept


def check_pairs(shown, *scene, **run):
    with folder() as where:
        batch, result = made(where, *scene, **run)
        os.rename(batch, f"{where}/moved")
        page = page_of(result)
        assert "the input" in page.id("no-events").text()
        least = {}
        with impinge.open(result) as frames:
            for found in frames:
                for a, b, distance in zip(found.object_a, found.object_b, found.distance):
                    least.setdefault((min(a, b), max(a, b)), []).append(distance)
        order = sorted(least, key=lambda pair: (min(least[pair]), pair))
        rows, folded = page.id("worst").rows(), page.id("worst").folded()
        assert len(rows) == shown <= len(order)
        assert (f"40 of {len(order)} pairs" in page.text()) == (len(order) > 40)
        for row, rest, pair in zip(rows, folded, order):
            told = [int(n) for n in re.findall(r"\((\d+)\)", row[0].text())]
            assert tuple(dict.fromkeys(told)) == tuple(dict.fromkeys(pair))
            assert number(row[0].text()) == len(least[pair])
            values = [number(row[1].text())]
            values += [number(cells[0].text()) for cells in (rest.rows() if rest else [])]
            assert np.allclose(values, sorted(least[pair])[:5], rtol=1e-5)


def test_reasons():
    """A result that has no events says why."""
    with folder() as where:
        batch, result = made(where, *SCENE, stage="candidates")
        assert "--stage candidates" in page_of(result).id("no-events").text()
        impinge.run(batch, result, quiet=True, force=True, rows="objects")
        said = page_of(result).id("no-events").text()
        assert "rows are pairs of objects" in said and result not in said
        impinge.run(batch, result, quiet=True, force=True)
        page = page_of(result, input=f"{where}/none")
        assert "is not there" in page.id("no-events").text() and not page.id("events")


def test_frames():
    """Of the frames that fit, those of events come before others."""
    with folder() as where:
        batch, result = made(where, *SCENE)
        found = sorted(impinge.events(result), key=lambda event: -event.contacts)
        most = impinge.info(result)["contacts_most_frame"]
        wanted = list(dict.fromkeys([most, *(event.worst[0].frame for event in found)]))[:5]
        page = page_of(result, frames=5)
        data = json.loads(page.id("view-data").data())
        assert sorted(wanted) == [frame["number"] for frame in data["frames"]]
        assert data["frames"][data["start"]]["number"] == most


def test_palette():
    """Each object has its colour, in tables and in 3D; of very many the last ones share one."""
    from impinge._report.palette import OWN, Palette

    involved = [70, 3, 5]
    palette = Palette(involved, list(range(80)), {5: "five"})
    assert len(palette.groups) == OWN + 1 and palette.groups[-1].name == f"{80 - OWN} other objects"
    groups = palette.group(np.arange(80))
    assert all(groups[number] < OWN for number in involved) and groups[79] == OWN
    assert palette.groups[groups[5]].name == "five" and palette.groups[groups[3]].name == "object 3"
    assert f"#{palette.groups[groups[70]].colour:06x}" in palette.swatch(70)
    own = [group.colour for group in palette.groups[:28]]
    assert len(set(own)) == len(own)
    assert Palette([], [4], {}).group(np.array([4])).tolist() == [0]


if MISSING:
    print("skipped: no", " and no ".join(MISSING))
else:
    main(globals())
