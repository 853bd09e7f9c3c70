"""Pages of the manual, executed as they stand there: pages.py PAGE... [--write]

Of each page, in a folder of its own, in order:

- `console`: each line that begins with `$ ` is a command of bash; what it prints must stand below it.
- `python`: runs, with the names of the blocks before it. What it prints must stand in the block of `text` next to it.
- A block of Python, C, C++ or CMake whose first line names a file is that file; so is one of `literalinclude`.
- Any other block needs the comment `<!-- not executed: REASON -->` above it.

`...` in an output stands for any text, such as a time. A page that needs packages names them: `<!-- needs: trimesh -->`.
impinge and python3 are those of PATH. --write: puts what was printed into the page."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.S | re.M)
FILE = re.compile(r"""^(?:\"\"\"|\# |/\* |// ).*?(?P<name>\w+\.(?:py|c|cpp|txt))\b[^\n]*\n""")
UNTOUCHED = re.compile(r"<!-- not executed: .+ -->\n\n?$")


class Page:
    def __init__(self, path):
        self.path = Path(path).resolve()
        self.text = self.path.read_text(encoding="utf-8")
        self.blocks = list(BLOCK.finditer(self.text))
        self.names, self.count = {}, 0  # of Python; what was executed
        self.now, self.silent = {}, {}  # new texts of blocks; what Python printed that no block has

    def run(self):
        for number, block in enumerate(self.blocks):
            kind = block["info"].split(" ")[0]
            if UNTOUCHED.search(self.text[: block.start()]):
                continue
            if kind == "{literalinclude}":
                shutil.copy(self.path.parent / block["info"].split(" ")[1], ".")
            elif kind == "console":
                self.now[number] = console(block["text"])
                self.count += 1
            elif FILE.match(block["text"]) and kind in ("python", "c", "cpp", "cmake"):
                Path(FILE.match(block["text"])["name"]).write_text(block["text"], encoding="utf-8")
            elif kind == "python":
                self.python(number, block["text"])
                self.count += 1
            elif kind not in ("text", "{toctree}", "{contents}", "{note}"):
                self.fail(block, f"a block of '{kind}' is neither executed nor says why not")

    def python(self, number, code):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{self.path.name}, block {number}", "exec"), self.names)
        follows = self.blocks[number + 1 : number + 2]
        if follows and follows[0]["info"] == "text" and not self.text[self.blocks[number].end() : follows[0].start()].strip():
            self.now[number + 1] = printed.getvalue()
        elif printed.getvalue():
            self.silent[number] = printed.getvalue()

    def differs(self):
        """The blocks whose text is not what was printed."""
        return [n for n, now in self.now.items() if not matches(self.blocks[n]["text"], now)]

    def written(self):
        text, at = "", 0
        for number in sorted([*self.differs(), *self.silent]):
            block = self.blocks[number]
            if number in self.silent:
                text += f"{self.text[at : block.end()]}\n\n```text\n{self.silent[number].rstrip()}\n```"
                at = block.end()
            else:
                text += self.text[at : block.start("text")] + kept(block["text"], self.now[number])
                at = block.end("text")
        return text + self.text[at:]

    def fail(self, block, why):
        sys.exit(f"{self.path}:{self.text[: block.start()].count(chr(10)) + 1}: {why}")


def console(text):
    """The commands of a block, each with what it prints."""
    out = ""
    for line in text.splitlines():
        if line.startswith("$ "):
            both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            done = subprocess.run(["bash", "-c", line[2:]], text=True, **both)
            if done.returncode:
                sys.exit(f"{line}: exit {done.returncode}: {done.stdout}")
            out += f"{line}\n" + "".join(f"{one.rstrip()}\n" for one in done.stdout.splitlines())
    return re.sub(r"written in \S+ s \(", "written in ... s (", out)


def matches(expected, printed):
    pattern = re.escape(expected).replace(r"\.\.\.", ".*?")
    return re.fullmatch(pattern, printed, re.S) is not None


def kept(expected, printed):
    """What was printed, with the lines of the page that stand for any text."""
    some = [line for line in expected.splitlines() if "..." in line]
    return "".join(next((e for e in some if matches(e, line)), line) + "\n" for line in printed.splitlines())


def no_windows():
    with contextlib.suppress(ImportError):
        import pyvista

        pyvista.DataSet.plot = pyvista.PolyData.plot = lambda *_, **__: None


def lacks(page):
    said = re.search(r"<!-- needs: (.*?) -->", page.text)
    return [name for name in (said[1].split(", ") if said else []) if find_spec(name) is None]


def main(paths, write):
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    no_windows()
    for path in paths:
        page = Page(path)
        if lacks(page):
            print(f"skipped: {page.path.name}: no {', '.join(lacks(page))}")
            continue
        with tempfile.TemporaryDirectory() as folder, at(folder):
            page.run()
        if write:
            page.path.write_text(page.written(), encoding="utf-8")
        elif page.silent:
            number, printed = next(iter(page.silent.items()))
            page.fail(page.blocks[number], f"it prints, and no block of text follows: {printed}")
        elif page.differs():
            number = page.differs()[0]
            page.fail(page.blocks[number], f"says\n{page.blocks[number]['text']}but this is printed:\n{page.now[number]}")
        elif not page.count:
            sys.exit(f"{page.path}: nothing was executed")
        print(f"{page.path.name}: {page.count} blocks as they stand there")


@contextlib.contextmanager
def at(folder):
    here = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


if __name__ == "__main__":
    main([a for a in sys.argv[1:] if a != "--write"], "--write" in sys.argv)
