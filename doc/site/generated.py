"""What pages have that is made when the site is built: chapters of the package's names, the help of each verb, and the
contents of the site, which are the lists of links in doc/index.md."""

import re
import subprocess
import sys

CHAPTERS = {
    "Contacts": "contacts touches between clearance near parts Pipeline Options",
    "What is found": "Contacts Contact ObjectPair Kind Relation Parts",
    "Contours and regions": "contours Contours Contour regions Regions Region Parting",
    "Closed objects": "inside winding depth Solids Winding Depth",
    "Files": "convert open write Batch Frame Result run check info merge export",
    "Events and pages": "events Events Event EventPart EventChange GoneEvent report",
    "Primitives that come and go": "Model",
    "Rigid bodies": "pcs RigidBody Push write_bodies read_urdf PCS Bodies BodyContact",
    "Devices and versions": "devices version opencl_version",
}


def python_reference():
    import impinge

    left, out = set(impinge.__all__), ""
    for title, names in CHAPTERS.items():
        some = [name for name in names.split() if name in left]
        left.difference_update(some)
        out += chapter(title, some)
    errors = {name for name in left if isinstance(getattr(impinge, name), type) and issubclass(getattr(impinge, name), Exception)}
    out += chapter("Errors and warnings", sorted(errors))
    return out + (chapter("Others", sorted(left - errors)) if left - errors else "")


def chapter(title, names):
    import impinge

    out = f"## {title}\n\n```{{eval-rst}}\n"
    for name in names:
        thing = getattr(impinge, name)
        kind = "autofunction" if not isinstance(thing, type) else "autoexception" if issubclass(thing, Exception) else "autoclass"
        out += f".. {kind}:: impinge.{name}\n" + "   :members:\n" * (kind == "autoclass") + "\n"
    return out + "```\n\n"


def commands():
    """All verbs, as the program prints them, in its order; those of the package as that does."""
    overview = said("help")
    out = f"```text\n{overview}\n```\n\n"
    for verb in verbs(overview):
        if verb not in ("help", "version"):
            out += f"## {verb}\n\n```text\n{said(verb, '--help')}\n```\n\n"
    return out


def said(*arguments):
    """As the command `impinge` of the package."""
    start = "import sys; from impinge.program import main; sys.exit(main())"
    command = [sys.executable, "-c", start, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def verbs(overview):
    for part in overview.split("\n\n"):
        if part.startswith("verbs"):
            yield from (line.split()[0] for line in part.splitlines()[1:] if line[2] != " ")


MADE = {"@PYTHON@": python_reference, "@COMMANDS@": commands}


def contents(text):
    """A hidden tree for each heading with a list."""
    out = ""
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        links = re.findall(r"^- \[(.*?)\]\((.*?)\.md\)", part, re.M)
        lines = "".join(f"{title} <{page}>\n" for title, page in links)
        out += f"\n```{{toctree}}\n:hidden:\n:caption: {part.splitlines()[0]}\n\n{lines}```\n"
    return out


def source_read(app, name, source):
    if name == "doc/index":
        source[0] += contents(source[0])
    for mark, make in MADE.items():
        if mark in source[0]:
            source[0] = source[0].replace(mark, make())
