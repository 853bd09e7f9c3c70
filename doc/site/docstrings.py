"""The docstrings of the package as reStructuredText. They name arguments and columns as `name: text`, with or without
an indent on the lines after it; here these become definitions."""

import re

ITEM = re.compile(r"([a-z_]\w*(?:\([\w, ]*\)|(?:, [a-z_]\w*)*(?: to [a-z_]\w*)?)): (.*)")


def marked(lines):
    """Changes the lines of a docstring in place."""
    if lines and lines[0].startswith("Alias for field number"):
        lines[:] = [""]  # a field of a named tuple, which its class describes
        return
    out, paragraph = [], []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
            continue
        out += definitions(paragraph) if paragraph and ITEM.match(paragraph[0]) else code(paragraph)
        out.append("")
        paragraph = []
    lines[:] = out


def plain(line):
    """Stars and trailing underscores mean nothing."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(part if part.startswith("`") else re.sub(r"\*|_(?!\w)", r"\\\g<0>", part) for part in parts)


def code(paragraph):
    """A paragraph that is indented is code, where no definition goes on."""
    if paragraph and all(line.startswith("    ") for line in paragraph):
        return ["::", "", *paragraph]
    return [plain(line) for line in paragraph]


def definitions(paragraph):
    out = []
    for line in paragraph:
        item = ITEM.match(line)
        if item:
            names = ", ".join(f"``{name}``" for name in re.split(", ", item[1]))
            out += ["", names, "    " + plain(item[2])]
        else:
            out.append("    " + plain(line.strip()))
    return [*out, ""]
