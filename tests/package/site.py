"""The built manual has every name of the public headers and of the Python package, the numbers of the former and what the
headers begin with, and loads nothing from a network.

site.py HTML HOST"""

import html as hypertext
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import impinge
from pycparser import c_ast, c_parser
from pycparser.c_generator import CGenerator

html, host = map(Path, sys.argv[1:3])
PLAIN = {"stddef.h": "typedef unsigned long size_t;", "stdint.h": ""}
for bits in (8, 16, 32, 64):
    PLAIN["stdint.h"] += f"typedef int int{bits}_t; typedef unsigned uint{bits}_t;"


def inventory():
    """What Sphinx has a place for: {(domain:type, name)}."""
    data = (html / "objects.inv").read_bytes()
    text = zlib.decompress(data.split(b"\n", 4)[4]).decode()
    return {tuple(reversed(line.split(" ", 2)[:2])) for line in text.splitlines()}


def declared():
    """The names in the headers, as a parser of C reads them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in PLAIN.items():
            Path(folder, name).write_text(text)
        headers = "".join(f'#include "{path.name}"\n' for path in sorted(host.glob("impinge*.h")))
        text = subprocess.run(
            ["cc", "-E", "-P", "-nostdinc", f"-I{folder}", f"-I{host}", "-D__attribute__(x)=", "-xc", "-"],
            input=headers, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    tree = c_parser.CParser().parse(text)
    names, numbers = set(), set()

    class Names(c_ast.NodeVisitor):
        def visit_Struct(self, node):
            for member in node.decls or ():
                names.add(("c:member", f"{node.name}.{member.name}"))
                names.add(("c:struct", node.name))

        def visit_Enum(self, node):
            names.add(("c:enum", node.name))
            names.update(("c:enumerator", f"{node.name}.{value.name}") for value in node.values or ())
            numbers.update(f"enumerator {value.name} = {CGenerator().visit(value.value)}" for value in node.values or ())

        def visit_Decl(self, node):
            if isinstance(node.type, c_ast.FuncDecl) and node.name.startswith("imp_"):
                names.add(("c:function", node.name))
            self.generic_visit(node)

    Names().visit(tree)
    for node in tree.ext:
        if isinstance(node, c_ast.Typedef) and node.name.startswith("imp"):
            struct = isinstance(node.type, c_ast.TypeDecl) and isinstance(node.type.type, c_ast.Struct)
            if not struct or not node.type.type.decls:
                names.add(("c:type", node.name))
    return names, numbers


def opening(path):
    """The paragraphs of the comment that a header begins with, without code, as words."""
    text = re.match(r"/\*(.*?)\*/", path.read_text(encoding="utf-8"), re.S)[1]
    paragraphs = re.sub(r"^ \*(?= |$)", "", text, flags=re.M).split("\n\n")
    return [words(p.replace("`", "")) for p in paragraphs if not p.startswith("     ")]


def words(text):
    return " ".join(text.split())


def shown(page):
    """The words that a page shows."""
    return words(hypertext.unescape(re.sub(r"<[^>]*>", "", page.read_text(encoding="utf-8"))))


def of_package():
    for name in impinge.__all__:
        yield f"impinge.{name}"
        thing = getattr(impinge, name)
        for member, what in vars(thing).items() if isinstance(thing, type) else ():
            if not member.startswith("_") and callable(what) and what.__doc__ and not isinstance(what, type):
                yield f"impinge.{name}.{member}"


there = inventory()
wanted, numbers = declared()
assert len(wanted) > 300, wanted
missing = sorted(name for kind, name in wanted - there)
assert not missing, f"the reference of C has no {', '.join(missing)}"
reference = shown(html / "doc/api-c.html")
versions = re.findall(r"^#define (IMP_VERSION\w* \S+)$", (host / "impinge.h").read_text(), re.M)
openings = [text for path in sorted(host.glob("impinge*.h")) for text in opening(path)]
assert len(numbers) > 60 and len(versions) == 4 and len(openings) > 10, (numbers, versions, openings)
for text in [*sorted(numbers), *versions, *openings]:
    assert re.search(rf"{re.escape(text)}(?!\w)", reference), f"the reference of C does not say: {text}"
python = {name for kind, name in there if kind.startswith("py:")}
missing = sorted(set(of_package()) - python)
assert not missing, f"the reference of Python has no {', '.join(missing)}"

pages = sorted(html.rglob("*.html"))
assert (html / "index.html") in pages and len(pages) > 50, pages
for page in pages:
    text = page.read_text(encoding="utf-8")
    loads = re.findall(r'<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)="(?:https?:)?//[^"]*"', text)
    assert not loads, f"{page}: loads {loads}"
print(f"{len(pages)} pages; {len(wanted)} names of C, {len(numbers)} numbers, {len(set(of_package()))} of Python")
