"""What type checkers find: all wrong uses of the package (typed_uses.py), nothing in right ones, and
nothing in the package itself; and that the words which they know are those of the library."""

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import typing
from pathlib import Path

import impinge
from common import folder, main, program
from impinge import _options, _words
from impinge._contacts import Contacts

HERE = Path(__file__).resolve().parent
USES = HERE / "typed_uses.py"
PROJECT = HERE.parents[1] / "pyproject.toml"
PACKAGE = Path(impinge.__file__).parent


def check_found(found):
    """found: lines of USES."""
    wrong = {
        number
        for number, line in enumerate(USES.read_text().splitlines(), 1)
        if line.endswith("  # wrong")
    }
    assert len(wrong) > 30
    found = set(found)
    assert found == wrong, f"not found: {sorted(wrong - found)}, too many: {sorted(found - wrong)}"


def test_mypy():
    if importlib.util.find_spec("mypy") is None:
        print("skipped: no mypy")
        return
    with folder() as where:
        shutil.copy(USES, where)
        words = ["--config-file", str(PROJECT), "--cache-dir", f"{where}/cache", "--no-error-summary"]
        command = [sys.executable, "-m", "mypy", *words, "-p", "impinge", "-m", "typed_uses"]
        said = subprocess.run(
            command, cwd=where, capture_output=True, text=True, env=dict(os.environ, MYPYPATH=where)
        )
    assert said.returncode in (0, 1) and not said.stderr, said.stderr
    found = re.findall(r"^typed_uses\.py:(\d+): error", said.stdout, re.M)
    others = [
        line
        for line in said.stdout.splitlines()
        if ": error" in line and not line.startswith("typed_uses.py:")
    ]
    assert not others, "\n".join(others)
    check_found(map(int, found))


def test_pyright():
    """By basedpyright, which is pyright with its own JavaScript."""
    if importlib.util.find_spec("basedpyright") is None:
        print("skipped: no basedpyright")
        return
    with folder() as where:
        shutil.copy(USES, where)
        how = {"typeCheckingMode": "standard", "reportUnusedExpression": False, "include": ["typed_uses.py"]}
        Path(f"{where}/pyrightconfig.json").write_text(json.dumps(how))
        command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
        said = subprocess.run(command, cwd=where, capture_output=True, text=True)
    assert said.returncode in (0, 1), said.stderr
    found = [one for one in json.loads(said.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    check_found(one["range"]["start"]["line"] + 1 for one in found)


LITERALS = {
    "adjacent": _words.Adjacent,
    "pairs": _words.Pairs,
    "update": _words.Update,
    "volume": _words.Volume,
    "build": _words.Build,
    "descent": _words.Descent,
    "stage": _words.Stage,
    "contacts": _words.ContactKinds,
    "rows": _words.Rows,
    "inside_open": _words.InsideOpen,
    "inside_winding": _words.InsideWinding,
    "on_bad": _words.OnBad,
}


def test_words():
    """Those of the library, those of the program's help, and those of the options."""
    assert LITERALS.keys() == _options._choices.keys()
    for name, literal in LITERALS.items():
        assert set(typing.get_args(literal)) == set(_options._choices[name]), name
    assert set(typing.get_args(_words.NearRows)) <= set(typing.get_args(_words.Rows))
    said = program("help", "run").stdout
    (broad,) = re.findall(r"^ +--broad ([\w|-]+)", said, re.M)
    assert set(broad.split("|")) == set(typing.get_args(_words.Broad)), broad
    options = {name.replace("-", "_") for name in re.findall(r"^ +(?:-\w, )?--([\w-]+)", said, re.M)}
    typed = set(typing.get_type_hints(_words.RunOptions)) | {"output", "help", "version"}
    assert options | {"object_pairs_exclude", "allowed"} == typed, options ^ typed
    known = set(typing.get_type_hints(impinge.Options)) | {"adjacent", "pairs", "device", "update", "continuous"}
    assert known == _options._names, known ^ _options._names


def annotated(path, name):
    """Names that a class of a module has for type checkers."""
    return {
        inner.target.id
        for node in ast.walk(ast.parse((PACKAGE / path).read_text()))
        if isinstance(node, ast.ClassDef) and node.name == name
        for inner in ast.walk(node)
        if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name)
    }


def test_columns():
    """Type checkers know the columns that there are."""
    columns = annotated("_contacts.py", "Contacts")
    assert columns == set(Contacts.__slots__), columns ^ set(Contacts.__slots__)


if __name__ == "__main__":
    main(globals())
