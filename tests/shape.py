#!/usr/bin/env python3
"""The shape of the code against its norms: circles of includes, lengths of functions and files, members
of structs, names of static functions. Prints the figures, then what is wrong, and ends with 1 if
anything is. shape.py [ROOT]"""
import re
import sys
from collections import defaultdict
from pathlib import Path

FILE_MOST = 800  # lines
MEDIAN_MOST, NINETY_MOST = 12, 22  # lines of a function, braces and all
MEMBERS_MOST = 20  # of a struct without a reason beside it
CIRCLES_MOST = 0  # modules of one folder that include each other

root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
sources = sorted(root.glob("host/**/*.[ch]"))
faults = []


def circles(includes):
    """Sets of names that reach each other (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(x):
        index[x] = low[x] = len(index)
        stack.append(x)
        for y in includes[x]:
            if y not in index:
                visit(y)
            if y in stack:
                low[x] = min(low[x], low[y])
        if low[x] == index[x]:
            at = stack.index(x)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for x in includes:
        if x not in index:
            visit(x)
    return found


def check_circles():
    """A module is a header and the sources of the same stem. Folders are looked at together, so that
    a circle across folders is seen as well."""
    module_of = lambda path: str(path.relative_to(root / "host").with_suffix(""))
    headers = {path.name: module_of(path) for path in sources if path.suffix == ".h"}
    includes = {module_of(path): set() for path in sources}
    for path in sources:
        for name in re.findall(r'#\s*include "([^"]+)"', path.read_text()):
            if headers.get(name, module_of(path)) != module_of(path):
                includes[module_of(path)].add(headers[name])
    found = circles(includes)
    count = sum(len(circle) for circle in found)
    print(f"{len(includes)} modules, {count} in circles of includes")
    for circle in found if count > CIRCLES_MOST else []:
        faults.append("these include each other: " + ", ".join(circle))


def function_lengths(text):
    """Of bodies that begin and end with a brace in the first column, as clang-format has them."""
    begin = 0
    for number, line in enumerate(text.split("\n")):
        if line.startswith("{"):
            begin = number
        elif line.startswith("}") and begin:
            yield number - begin + 1
            begin = 0


def check_functions():
    lengths = sorted(n for path in sources for n in function_lengths(path.read_text()))
    median, ninety = lengths[len(lengths) // 2], lengths[len(lengths) * 9 // 10]
    print(f"{len(lengths)} functions: median {median} lines, 90 % have at most {ninety}")
    if median > MEDIAN_MOST or ninety > NINETY_MOST:
        faults.append(f"functions: more than {MEDIAN_MOST} (median) or {NINETY_MOST} (90 %) lines")


def members_of(body):
    """Names that a struct declares."""
    body = re.sub(r"\([^()]*\)", "", body)  # arguments of functions, macros
    return sum(part.count(",") + 1 for part in body.split(";") if part.strip())


def check_structs():
    count, most = 0, 0
    for path in sources:
        text = path.read_text()
        for match in re.finditer(r"(/\*(?:[^*]|\*(?!/))*\*/\n)?(?:typedef )?struct (\w+) \{\n(.*?)\n\}", text, re.S):
            before, name, body = match.groups()
            plain = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
            members = members_of(re.sub(r"\[[^]]*\]", "", plain))
            count, most = count + 1, max(most, members)
            if members > MEMBERS_MOST and "members:" not in (before or ""):
                faults.append(f"{path.relative_to(root)}: struct {name} has {members} members, more than "
                              f"{MEMBERS_MOST}, and no reason in the comment before it (\"members: ...\")")
    print(f"{count} structs, at most {most} members")


def check_files():
    lengths = [(len(path.read_text().split("\n")) - 1, path) for path in sources]
    print(f"{len(lengths)} files, {sum(n for n, _ in lengths)} lines, at most {max(lengths)[0]}")
    for n, path in lengths:
        if n > FILE_MOST:
            faults.append(f"{path.relative_to(root)}: {n} lines, more than {FILE_MOST}")


def blank(text):
    """Spaces in place of comments, strings and lines of the preprocessor."""
    spaces = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', spaces, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", spaces, text, flags=re.M)


def outermost_heads(text):
    """What stands before each brace of depth 0, from the end of the declaration before."""
    depth = start = 0
    for at, c in enumerate(text):
        if c == "{":
            if depth == 0:
                yield text[start:at]
            depth += 1
        elif c == "}":
            depth -= 1
        if depth == 0 and c in ";}":
            start = at + 1


STATIC = re.compile(r"\bstatic\b([^=]*?)\b(\w+)\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\s*$", re.S)
OF_QSORT = re.compile(r"\s*const void \*\s*\w+,\s*const void \*\s*\w+\s*$")


def check_static_names():
    """A static function has a name of its own, so that a search or a breakpoint finds one place."""
    files = defaultdict(set)
    for top in ("host", "kernels", "data", "tests", "bench"):
        for path in sorted(root.glob(top + "/**/*.*")):
            if path.suffix not in (".c", ".h", ".cl"):
                continue
            for head in outermost_heads(blank(path.read_text())):
                match = STATIC.search(head)
                if match and not ("int" in match[1].split() and OF_QSORT.match(match[3])):
                    files[match[2]].add(str(path.relative_to(root)))
    doubled = {name: of for name, of in files.items() if len(of) > 1 and name != "main"}
    print(f"{len(files)} names of static functions, {len(doubled)} in several files")
    for name, of in sorted(doubled.items()):
        faults.append(f"static {name}() is defined in {', '.join(sorted(of))}")


if len(sources) < 200:
    sys.exit(f"{root}: only {len(sources)} sources")
check_circles()
check_functions()
check_structs()
check_files()
check_static_names()
print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
sys.exit(bool(faults))
