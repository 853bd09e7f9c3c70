"""The page as a person uses it: in Chromium, without a network, with real waiting; and the picture.

IMPINGE_WRITE_GOLDEN=1 writes golden/*.png anew: look at them before they are kept."""

import base64
import importlib.util
import io
import json
import os
import time
from pathlib import Path

import impinge
import numpy as np
from browser import Browser, found
from common import folder, generate, main
from page_tree import parsed

MISSING = [name for name in ("h5py", "k3d", "PIL") if importlib.util.find_spec(name) is None]
MISSING += [] if found() else ["Chromium"]
SCENE = ("cloth-ball", "-n", "6000", "--frames", "20")
GOLDEN = Path(__file__).with_name("golden")
ROOT = "document.documentElement.dataset"


def made(where, name="page", scene=SCENE, **options):
    batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
    if not os.path.exists(result):
        generate(batch, *scene)
        impinge.run(batch, result, quiet=True)
    impinge.report(result, f"{where}/{name}.html", force=True, **options)
    return result, f"{where}/{name}.html"


def waited(browser, expression, seconds=60):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        value = browser.value(expression)
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError((expression, browser.errors))


def opened(browser, path, width=1100, dark=False):
    """Shows the page, and waits until it has drawn."""
    feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.call("Emulation.setEmulatedMedia", features=[feature])
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    assert browser.open(path, f"{ROOT}.shown"), browser.errors
    waited(browser, "document.documentElement.classList.contains('has-view')")


def pixels(browser, selector):
    """(height, width, 3), of an element, when what was asked for is on the screen."""
    browser.value(
        "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))"
    )
    box = browser.value(
        f"(() => {{ const r = document.querySelector('{selector}').getBoundingClientRect();"
        " return JSON.stringify([r.left + scrollX, r.top + scrollY, r.width, r.height]) })()"
    )
    x, y, width, height = json.loads(box)
    return captured(browser, x, y, width, height)


def captured(browser, x, y, width, height):
    from PIL import Image

    clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
    data = browser.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))


def still(browser, selector):
    """The same, when two of them are equal."""
    before = pixels(browser, selector)
    for _ in range(40):
        time.sleep(0.1)
        now = pixels(browser, selector)
        if now.shape == before.shape and (now == before).all():
            return now
        before = now
    raise AssertionError(selector)


def fired(browser, name, change, event):
    browser.value(f"(() => {{ const e = document.getElementById('{name}'); {change};"
                  f" e.dispatchEvent(new Event('{event}')) }})()")  # fmt: skip


def key(browser, name, code):
    for kind in ("rawKeyDown", "char", "keyUp") if name == "Enter" else ("rawKeyDown", "keyUp"):
        text = {"text": "\r"} if kind == "char" else {}
        browser.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                     windowsVirtualKeyCode=code, **text)  # fmt: skip


def test_alone():
    """Without a network it is drawn, and the console has no error; the slider goes to a frame."""
    with folder() as where, Browser() as browser:
        _, path = made(where)
        opened(browser, path)
        assert browser.value("document.getElementById('view-note').hidden")
        assert browser.value("document.getElementById('still').hidden")
        drawn = "document.getElementById('view-print').src"
        before = waited(browser, drawn)
        assert before.startswith("data:image/png")
        fired(browser, "view-frame", "e.value = 0", "input")
        waited(browser, f"{ROOT}.shown === '0' && {drawn} !== {json.dumps(before)}")
        assert not browser.errors, browser.errors
        asked = [url for url in browser.asked if not url.startswith(("data:", "blob:"))]
        assert asked == ["file://" + os.path.abspath(path)], asked


def test_links():
    """A click on an event, a bar or a row goes to its frame and place; so does the keyboard."""
    with folder() as where, Browser() as browser:
        result, path = made(where)
        data = json.loads(parsed(open(path).read()).id("view-data").data())
        start = data["frames"][data["start"]]["number"]
        opened(browser, path)
        assert browser.value(f"{ROOT}.frame") == str(start)
        event = next(e for e in impinge.events(result) if e.worst[0].frame != start)
        frame, row = event.worst[0].frame, f"#events tbody tr:nth-child({event.event + 1})"
        browser.value(f"document.querySelector('{row} td:nth-child(3)').click()")
        waited(browser, f"{ROOT}.frame === '{frame}'")
        target = [float(x) for x in waited(browser, f"{ROOT}.target").split()]
        waited(browser, f"document.querySelector('{row}').getAttribute('aria-current')")
        want = np.array(event.worst[0].point) - data["centre"]
        assert np.abs(target - want).max() < 1e-4 * max(np.abs(want).max(), 1), (target, want)
        assert browser.value("document.getElementById('view-label').textContent").startswith(
            f"Frame {frame}, time "
        )
        assert browser.value("document.querySelector('.bars a.now').dataset.frame") == str(frame)
        check_keys(browser, start)
        bar = "document.querySelector('svg.large .bars a')"
        browser.value(f"{bar}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        first = int(browser.value(f"{bar}.dataset.frame"))
        waited(browser, f"{ROOT}.frame === '{first}'")
        worst = "document.querySelector('#worst tbody tr a')"
        browser.value(f"{worst}.click()")
        waited(browser, f"{ROOT}.frame === {worst}.dataset.frame")


def check_keys(browser, start):
    """Tab reaches one bar; arrows go to the others."""
    stops = "[...document.querySelectorAll('svg.large .bars a')].filter(a => a.tabIndex === 0)"
    assert browser.value(f"{stops}.length") == 1
    assert browser.value(f"{stops}[0].dataset.frame") == str(start)
    browser.value(f"{stops}[0].focus()")
    key(browser, "ArrowLeft", 37)
    key(browser, "Enter", 13)
    waited(browser, f"{ROOT}.frame === '{start - 1}'")
    browser.value("document.querySelector('#events a').focus()")
    key(browser, "Enter", 13)
    waited(browser, f"{ROOT}.frame === document.querySelector('#events a').dataset.frame")


def test_nearest():
    """A link to a frame that is left out goes to the nearest one, and says so."""
    with folder() as where, Browser() as browser:
        _, path = made(where, frames=2)
        shown = json.loads(parsed(open(path).read()).id("view-data").data())["frames"]
        opened(browser, path)
        numbers = [frame["number"] for frame in shown]
        bars = "[...document.querySelectorAll('svg.large .bars a')]"
        other = next(
            int(n) for n in json.loads(browser.value(f"JSON.stringify({bars}.map(a => a.dataset.frame))"))
            if int(n) not in numbers
        )  # fmt: skip
        browser.value(f"{bars}.find(a => a.dataset.frame === '{other}').dispatchEvent("
                      "new MouseEvent('click', {bubbles: true}))")  # fmt: skip
        said = "document.getElementById('view-label').textContent"
        waited(browser, f"{said}.startsWith('Frame {other} is not in this file')")
        nearest = min(numbers, key=lambda n: abs(n - other))
        assert browser.value(f"{ROOT}.frame") == str(nearest)
        assert f"frame {nearest}, time" in browser.value(said)


def test_controls():
    """Switches hide objects, the slider changes opacity, and curves show through all of it."""
    with folder() as where, Browser() as browser:
        _, path = made(where)
        opened(browser, path)
        all_of_it = still(browser, "#canvas")
        boxes = "document.querySelectorAll('[data-group]')"
        assert browser.value(f"{boxes}.length") == 2
        browser.value(f"{boxes}[1].click()")
        one = still(browser, "#canvas")
        browser.value(f"{boxes}[0].click()")
        curves = still(browser, "#canvas")[:-110]  # without the axes
        assert (all_of_it != one).any(axis=2).mean() > 0.03, "the ball"
        assert (curves == 255).all(axis=2).mean() > 0.98, "nothing but curves"
        inked = (curves < 70).all(axis=2)
        assert inked.sum() > 300, inked.sum()
        for i in (0, 1):
            browser.value(f"{boxes}[{i}].click()")
        assert (still(browser, "#canvas") == all_of_it).all()
        fired(browser, "view-opacity", "e.value = 100", "input")
        opaque = still(browser, "#canvas")[:-110]
        faces = (opaque < 255).any(axis=2)
        assert np.abs(opaque[faces].astype(int) - all_of_it[:-110][faces]).mean() > 15
        assert (opaque[inked] < 70).all(axis=1).mean() > 0.97, "curves are drawn over everything"
        fired(browser, "view-opacity", "e.value = 50", "input")
        fired(browser, "view-colour", "e.value = 'contacts'", "change")
        waited(browser, f"{ROOT}.shown && !document.getElementById('view-heat').hidden")
        heat = still(browser, "#canvas")[:-110].astype(int)
        grey = (np.ptp(heat, axis=2) < 25) & (heat < 250).all(axis=2)
        assert grey.sum() > 0.5 * (heat < 250).any(axis=2).sum(), "primitives without contacts"
        assert not browser.errors, browser.errors


def contrast(one, other):
    """Of two colours, as WCAG has it."""

    def light(colour):
        part = np.asarray(colour) / 255
        linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        return linear @ np.array([0.2126, 0.7152, 0.0722])

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_axes():
    """The letters of the axes can be read, in light and in dark, also when that changes."""
    with folder() as where, Browser() as browser:
        _, path = made(where)
        opened(browser, path, dark=True)
        check_letters(still(browser, "#canvas"))
        light = [{"name": "prefers-color-scheme", "value": "light"}]
        browser.call("Emulation.setEmulatedMedia", features=light)
        waited(browser, "getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'")
        time.sleep(1)
        check_letters(still(browser, "#canvas"))


def check_letters(shown):
    """Of the pixels in the corner that have no hue, which are the letters and the background."""
    corner = shown[-100:, -100:].reshape(-1, 3).astype(int)
    grey = corner[np.ptp(corner, axis=1) < 14]
    paper = np.median(corner, axis=0)
    letters = [contrast(colour, paper) for colour in grey]
    assert sum(ratio > 4.5 for ratio in letters) > 20 and max(letters) > 10, sorted(letters)


def test_phone():
    """At 390 pixels nothing is wider than the screen, and fingers find what they operate."""
    with folder() as where, Browser() as browser:
        _, path = made(where)
        opened(browser, path, width=390)
        browser.value("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert browser.value("document.scrollingElement.scrollWidth") <= 390
        wide = browser.value(
            "[...document.querySelectorAll('main *')].filter(e => !e.closest('.wide, #canvas, svg') &&"
            " e.getBoundingClientRect().right > 390).map(e => e.outerHTML.slice(0, 80)).join()"
        )
        assert not wide, wide
        low = browser.value(
            "[...document.querySelectorAll('#controls input[type=range], button, select, fieldset label,"
            " summary, tr.goes')].filter(e => e.getBoundingClientRect().height < 39.5)"
            ".map(e => e.outerHTML.slice(0, 80)).join()"
        )
        assert not low, low
        sizes = browser.value(
            "[...document.querySelectorAll('svg.small text')].map(e =>"
            " e.getBoundingClientRect().height).reduce((a, b) => Math.min(a, b))"
        )
        assert sizes >= 11, sizes


def test_without():
    """Without WebGL, or without scripts, the picture is there, and nothing seems to be a link."""
    with folder() as where:
        _, path = made(where)
        with Browser("--disable-3d-apis") as browser:
            assert browser.open(path, "!document.getElementById('view-note').hidden")
            said = browser.value("document.getElementById('view-note').textContent")
            assert "WebGL" in said and "picture above" in said
            check_picture(pixels(browser, "#still"))
            assert browser.value("document.querySelectorAll('a[href]').length") == 0
            assert browser.value("document.getElementById('controls').hidden")
        with Browser() as browser:
            browser.call("Emulation.setScriptExecutionDisabled", value=True)
            browser.call("Page.navigate", url="file://" + os.path.abspath(path))
            time.sleep(2)
            check_picture(captured(browser, 0, 0, 780, 1200))


def check_picture(shown):
    """It has the cloth, the ball and curves."""
    assert (shown < 90).all(axis=2).sum() > 200
    assert (np.ptp(shown.astype(int), axis=2) > 40).mean() > 0.05


SECTIONS = (60, 150, 330, 140, 130, 60)  # pixels of each in a golden file
ACROSS = 275
DRAWN = (2, 3)  # of them, the 3D view and the timeline: fonts matter less there
DRAWN_AWAY, TEXT_AWAY = 8, 14  # of 255, in the mean; other fonts make 1 and 9


def shrunk(image, height):
    from PIL import Image

    return np.asarray(Image.fromarray(image).resize((ACROSS, height), Image.Resampling.BOX))


def test_golden():
    """The page looks as it did: each of its sections, made as large as in the file, since lines are
    as long as the fonts of a machine make them."""
    with folder() as where, Browser() as browser:
        _, path = made(where)
        for name, how in (("light", {}), ("dark", {"dark": True}), ("phone", {"width": 390})):
            opened(browser, path, **how)
            browser.value(
                "[document.querySelector('header'), ...document.querySelectorAll('section')]"
                ".forEach((e, i) => e.id = 'part-' + i)"
            )
            still(browser, "#canvas")
            shown = [pixels(browser, f"#part-{i}") for i in range(len(SECTIONS))]
            check_golden(f"report-{name}", [shrunk(*of) for of in zip(shown, SECTIONS)])


def test_picture():
    """The picture, which needs no browser, looks as it did, and each time the same."""
    from PIL import Image

    with folder() as where:
        _, path = made(where)
        one = parsed(open(path).read()).id("still")["src"]
        _, path = made(where, "other")
        assert parsed(open(path).read()).id("still")["src"] == one
        data = base64.b64decode(one.split(",")[1])
        assert len(data) < 60_000, len(data)
        image = np.asarray(Image.open(io.BytesIO(data)))
        assert image.shape == (450, 720, 3)
        check_picture(image)
        check_golden("report-still", [shrunk(image, 172)])


def blurred(image):
    """Means of squares of 8 pixels, so that letters are grey."""
    height, width = (8 * (n // 8) for n in image.shape[:2])
    return image[:height, :width].reshape(height // 8, 8, width // 8, 8, 3).mean(axis=(1, 3))


def check_golden(name, parts):
    from PIL import Image

    path = GOLDEN / f"{name}.png"
    if os.environ.get("IMPINGE_WRITE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        Image.fromarray(np.concatenate(parts)).quantize(128).save(path, optimize=True)
    known = np.asarray(Image.open(path).convert("RGB"))
    first = 0
    for i, part in enumerate(parts):
        want = known[first : first + len(part)]
        first += len(part)
        away = np.abs(blurred(part.astype(float)) - blurred(want.astype(float)))
        print(f"    {name} {i}: {away.mean():.2f} of 255 away")
        assert away.mean() < (DRAWN_AWAY if i in DRAWN else TEXT_AWAY), (name, i, away.mean())
    assert first == len(known)


if MISSING:
    print("skipped: no", " and no ".join(MISSING))
else:
    main(globals())
