"""How to get the Python package with an extra: every text has a command that works. Where the package is, in python/,
that is also pip install 'impinge[EXTRA]', for pip adds to what is installed; elsewhere only what a clone gives. Code has
each of both in one place, so that it is one line that changes when an index has impinge.

texts.py SOURCE PROGRAM"""

import ast
import re
import subprocess
import sys
from pathlib import Path

source, program = Path(sys.argv[1]), sys.argv[2]
TEXTS = ("*.md", "*.c", "*.h", "*.py", "*.ipynb", "*.sh", "*.yaml", "*.toml", "*.cff", "dev")
WORKS = re.compile(r"pip install (-v )?'(\.|impinge)\[([a-z,]+)\]'")
wrong = []


def texts():
    for top in ("host", "kernels", "data", "bench", "python", "doc", "tests", "."):
        for pattern in TEXTS:
            paths = (source / top).glob(pattern) if top == "." else (source / top).rglob(pattern)
            yield from (p for p in paths if p != Path(__file__).resolve() and not {"build", "mutants"} & set(p.relative_to(source).parts))


extras = re.search(r"^\[project\.optional-dependencies\]\n(.*?)\n\n", (source / "pyproject.toml").read_text(), re.S | re.M)
extras = set(re.findall(r"^(\w+) = \[", extras[1], re.M))
commands = 0
for path in texts():
    name = str(path.relative_to(source))
    if name == "host/base/package.h":
        continue
    text = re.sub(r"\s+", " ", path.read_text())
    for found in re.finditer(r"\S*\b(?:impinge|\.)\[[a-z]+\]'?|pip3? install [^`;]{0,4}impinge\b", text):
        at = text[max(0, found.start() - 20) : found.end() + 20]
        rule = WORKS.search(at)
        if not re.search(r"impinge\[(%s|\{)|'\.\[|pip3? install" % "|".join(extras), found[0]):
            continue  # an index into something
        commands += 1
        if name == "python/impinge/_library.py" and "impinge[{extra}]'" in at:
            continue
        if name == "python/README.md" and re.search(r"`'\.\[(%s)\]'`" % "|".join(extras), at):
            continue
        if not rule or rule[3] not in extras or (rule[2] == "impinge" and not name.startswith("python/")):
            wrong.append(f"{name}: not a command that works: ...{at}...")

# in code, no text but that of the function
for path in (source / "python/impinge").rglob("*.py"):
    tree = ast.parse(path.read_text())
    docs = {id(n.body[0].value) for n in ast.walk(tree) if isinstance(n, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and n.body and isinstance(n.body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            if re.search(r"pip install '?(impinge|\.\[)", node.value) and path.name != "_library.py":
                wrong.append(f"{path}: line {node.lineno} has a command of its own: install() of _library.py is for that")
for path in [p for end in ("*.c", "*.h") for p in (source / "host").rglob(end)]:
    if "pip install" in path.read_text() and path.name != "package.h":
        wrong.append(f"{path}: has a command of its own: PACKAGE_WITH of package.h is for that")

# what the program says is what the header has
form = re.search(r'#define PACKAGE_WITH\(extra\) "(.*)" extra "(.*)"', (source / "host/base/package.h").read_text())
for words, extra in ((["help", "convert"], "io"), (["report"], "report")):
    said = subprocess.run([program, *words], capture_output=True, text=True)
    if form[1] + extra + form[2] not in said.stdout + said.stderr:
        wrong.append(f"impinge {' '.join(words)} does not say {form[1] + extra + form[2]}")
    if not WORKS.match(form[1] + extra + form[2]):
        wrong.append(f"package.h: {form[0]} does not work")

if commands < 10 or not {"io", "files", "report"} <= extras:
    wrong.append(f"only {commands} commands were found, of the extras {sorted(extras)}")
print("\n".join(wrong) or f"{commands} places say how to get an extra")
sys.exit(bool(wrong))
