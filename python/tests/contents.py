"""What becomes of what a file may have: read it, compare it with a plain file, and sort."""

import os
import subprocess
import sys
import textwrap

import impinge
import numpy as np
from impinge.importers import notes
from impinge.importers.mesh import join
from impinge.importers.readers import open_file

PROGRAM = os.path.join(os.path.dirname(sys.executable), "impinge")


def convert(path, where, **options):
    """The batch, by the command, and what was said."""
    out = f"{where}/out.vtkhdf"
    words = [word for name, value in options.items() for word in (f"--{name}", str(value)) if word]
    command = [PROGRAM, "convert", path, "-o", out, "--force", *words]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return out, said.stderr


def contacts(path, where, *words):
    out = f"{where}/result.vtkhdf"
    command = [PROGRAM, "run", path, "-o", out, "--force", *words]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    with impinge.open(out) as result:
        return sum(len(frame) for frame in result)


class Found:
    """A file's frames: times, and the points of each cell; or the text of its error."""

    def __init__(self, path):
        notes.forget()
        self.path, self.text, self.cells, self.times, self.mesh = path, "", [], None, None
        self._read(path, False)
        self.of_skin = self.text.endswith("; --skin reads the surface of solids")
        if self.of_skin:
            self._read(path, True)
        self.counted = notes.counts()
        self.skipped = self.mesh.skipped if self.mesh else 0

    def _read(self, path, skin):
        self.text = ""
        try:
            source = open_file(path, False, skin)
            self.times = source.times
            for k in range(len(source.times or [0])):
                mesh = self.mesh = join(path, source.read(k), True, skin)
                corners = np.split(mesh.corners, mesh.ends[:-1]) if len(mesh.types) else []
                self.cells.append([mesh.points[c].tolist() for c in corners])
        except impinge.InputError as what:
            self.text = str(what)

    def kind(self, plain, mark):
        """Refused; of a skin alone; counted, where a warning has the mark, or lines are more; else taken."""
        if self.text:
            return "refused"
        if self.of_skin:
            return "with --skin"
        if any(mark in what for what in self.counted) or self.skipped > plain.skipped:
            return "counted"
        return "taken"


def sort(where, plain, files, marks=None, ignored=(), other=()):
    """files: word: what writes a file to a folder, and returns its path. Of those that are not
    refused the cells must be those of the plain file, and perhaps more, unless the word moves them;
    refusals name file and word; what is counted has the cells of the plain file alone. marks: words
    that are called otherwise in messages. ignored: what says nothing of the mesh, and is not told.
    other: words whose files have other cells than the plain one."""
    marks = marks or {}
    os.makedirs(f"{where}/plain")
    whole = Found(plain(f"{where}/plain"))
    assert not whole.text and whole.cells[0], whole.text
    kinds: dict = {"taken": [], "with --skin": [], "refused": [], "counted": [], "ignored": []}
    for number, (word, make) in enumerate(files.items()):
        folder = f"{where}/{number}"
        os.makedirs(folder)
        found = Found(make(folder))
        mark = marks.get(word, word)
        kind = found.kind(whole, mark)
        if kind == "refused":
            assert folder in found.text.split(": ")[0], (word, found.text)
            assert mark.lower() in found.text.lower() and "\n" not in found.text, (word, found.text)
        elif kind == "counted":
            assert found.cells[0] == whole.cells[0], (word, found.cells, whole.cells)
        else:
            assert found.cells[0], word
            for cell in whole.cells[0] if word not in other else ():
                assert cell in found.cells[0], (word, cell, found.cells)
            if word in ignored:
                assert found.cells == whole.cells and kind == "taken", word
                kind = "ignored"
        kinds[kind].append(word)
    return kinds


def section(title, text, kinds, between="; "):
    """Of the file."""
    made = [f"## {title}", "", *textwrap.wrap(text, 118), ""] if text else [f"## {title}", ""]
    for kind, words in kinds.items():
        if words:
            line = f"- **{kind}**: " + between.join(words)
            made += textwrap.wrap(line, 118, subsequent_indent="  ", break_on_hyphens=False)
    return [*made, ""]
