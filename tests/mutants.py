#!/usr/bin/env python3
"""Mutants: faults, each of which the tests that it names must find.

  mutants.py --look BUILD     every test of this build is named by a mutant, and every mutant fits the sources
  mutants.py [NAME...]        applies them to a copy of the tree (build/mutants), all or those of these tests

The mutants are in tests/mutants/*.toml: `what` is wrong, `file`, its text `old`, which stands there once, `new`,
and `tests`; with `soak`, a number, IMPINGE_SOAK is that while the tests run. A test counts as one that can fail
if it passes without the mutant and fails with it. One that is skipped, or goes on for ever, does not."""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build/mutants/impinge"
LIMIT_S = 1800  # of one test
ENDED = ("Failed", "Exception", "Subprocess")  # ctest's words; a crash ends a test too


def mutants():
    for path in sorted((ROOT / "tests/mutants").glob("*.toml")):
        for mutant in tomllib.loads(path.read_text())["mutant"]:
            yield mutant


def misfits():
    """Mutants that the sources have outgrown."""
    for p in mutants():
        path = ROOT / p["file"]
        count = path.read_text().count(p["old"]) if path.exists() else 0
        if count != 1 or p["old"] == p["new"]:
            yield "%s: \"%s\" does not fit: its text is there %d times" % (p["file"], p["what"], count)


def tests_of(build):
    text = subprocess.run(["ctest", "--test-dir", build, "-N"], check=True, capture_output=True, text=True).stdout
    return re.findall(r"^ *Test +#\d+: (\S+)", text, re.M)


def look(build):
    named = {t for p in mutants() for t in p["tests"]}
    tests = tests_of(build)
    wrong = list(misfits())
    wrong += ["%s: no mutant shows that it can fail" % t for t in tests if t not in named | {"mutants"}]
    if not tests:
        wrong.append("%s has no tests" % build)
    print("\n".join(wrong) if wrong else "%d tests, %d mutants" % (len(tests), len(list(mutants()))))
    return not wrong


def make_copy():
    """The tree as it is, without what git ignores; its own build stays from one call to the next."""
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    kept = {name for name in files if name and (ROOT / name).is_file()}
    for name in kept:
        to = COPY / name
        if not to.exists() or to.read_bytes() != (ROOT / name).read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to)
    for path in COPY.rglob("*"):
        name = path.relative_to(COPY)
        if path.is_file() and name.parts[0] != "build" and str(name) not in kept:
            path.unlink()
    links = {COPY.parent / "shared": ROOT.parent / "shared", COPY / "build/venv": ROOT / "build/venv"}
    for link, to in links.items():
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(to)


def run(*command, soak=0):
    variables = {k: v for k, v in os.environ.items() if k != "IMPINGE_SOAK"}
    if soak:
        variables["IMPINGE_SOAK"] = str(soak)
    return subprocess.run(
        command, cwd=COPY, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def build():
    made = run("cmake", "--build", "--preset", "release")
    return None if made.returncode == 0 else made.stdout


def outcomes(tests, soak):
    """How each ends: Passed, Failed, Skipped, Timeout."""
    name = "^(%s)$" % "|".join(map(re.escape, tests))
    text = run("ctest", "--preset", "release", "-R", name, "--timeout", str(LIMIT_S), soak=soak).stdout
    found = re.findall(r"Test +#\d+: (\S+) [.]*\s*(?:\*\*\*)?(\w+)", text)
    return {t: end for t, end in found if t in tests}


def tried(mutant, tests, sound):
    """Applies it. Returns which tests it did not end, and how they did."""
    path = COPY / mutant["file"]
    text = path.read_text()
    path.write_text(text.replace(mutant["old"], mutant["new"]))
    try:
        errors = build()
        if errors:
            return {t: "not built\n" + errors[-2000:] for t in tests}
        ends = outcomes(tests, mutant.get("soak", 0))
    finally:
        path.write_text(text)
    good = [t for t in tests if ends.get(t) in ENDED and sound.get((t, mutant.get("soak", 0))) == "Passed"]
    return {t: ends.get(t, "not run") for t in tests if t not in good}


def sound_outcomes(todo):
    """{(test, soak): how it ends}: what fails then shows nothing when it fails again."""
    sound = {}
    for soak in sorted({p.get("soak", 0) for p, _ in todo}):
        tests = sorted({t for p, tests in todo if p.get("soak", 0) == soak for t in tests})
        ends = outcomes(tests, soak) if tests else {}
        for t in tests:
            sound[t, soak] = ends.get(t, "not run")
            if sound[t, soak] != "Passed":
                print("%s: %s without a mutant" % (t, sound[t, soak]), flush=True)
    return sound


def run_all(names):
    make_copy()
    if not (COPY / "build/release").is_dir() and run("cmake", "--preset", "release").returncode:
        sys.exit("the copy in build/mutants cannot be configured")
    errors = build()
    if errors:
        sys.exit(errors)
    todo = [(p, [t for t in p["tests"] if not names or t in names]) for p in mutants()]
    if not any(tests for _, tests in todo):
        sys.exit("no mutant is for %s" % " ".join(names))
    sound = sound_outcomes(todo)
    caught = collections.defaultdict(int)
    survived = 0
    for p, tests in todo:
        if not tests:
            continue
        left = tried(p, tests, sound)
        for t in tests:
            caught[t] += t not in left
        survived += len(left)
        line = "%s (%s)" % (p["what"], p["file"])
        print("%s: %s" % (" ".join(t for t in tests if t not in left) or "NONE", line), flush=True)
        for t, end in left.items():
            print("    %s: %s" % (t, end), flush=True)
    print("%d tests of %d end with a wrong answer; %d times one did not" % (
        sum(map(bool, caught.values())), len(caught), survived))
    return survived == 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--look", metavar="BUILD", help="only check that they fit")
    p.add_argument("test", nargs="*")
    args = p.parse_args()
    sys.exit(0 if (look(args.look) if args.look else run_all(args.test)) else 1)


if __name__ == "__main__":
    main()
