"""The public headers with their comments marked for Doxygen. In the sources these are plain: a comment stands before
what it is about, or behind it on the same line; `/* ---- name */` begins a chapter."""

import re

HEADERS = ("impinge.h", "impinge_contours.h", "impinge_regions.h", "impinge_weld.h", "impinge_pcs.h")
COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
CHAPTER = re.compile(r"\s*-{4}\s*(.*?)\s*$", re.S)
ANY = r"/\*(?:(?!\*/).)*\*/"  # a comment
NAME = r"\*?\w+(?:\[\w+\])?"
SEVERAL = re.compile(
    rf"(?P<before>^ +{ANY}\n)?^ +(?P<type>(?:const )?[a-z]\w* )(?P<names>{NAME}(?:,\s+{NAME})+);(?P<behind> +{ANY})?",
    re.S | re.M,
)


def chapters(text):
    """The names of the groups of a header's chapters."""
    return [group(name[1]) for name in map(CHAPTER.match, COMMENT.findall(text)) if name]


def group(title):
    return "group_" + re.sub(r"\W+", "_", title.lower()).strip("_")


def documented(name, text):
    """The comment at the top is that of group_NAME, which has all of a header without chapters."""
    first = COMMENT.search(text)
    rest = SEVERAL.sub(one_each, text[first.end() :])
    out = f"/** @defgroup {group(name)} {name}\n *{escaped(first[1]).rstrip()} */\n"
    opened = not chapters(text)
    start = 'extern "C" {\n#endif\n'
    at = rest.index(start) + len(start) if opened else 0
    out += rest[:at] + f"/** @addtogroup {group(name)}\n @{{ */\n" * opened
    for comment in COMMENT.finditer(rest, at):
        out += rest[at : comment.start()] + marked(comment, rest, opened)
        opened = opened or bool(CHAPTER.match(comment[1]))
        at = comment.end()
    end = rest.rindex("#ifdef __cplusplus")
    return out + rest[at:end] + "/** @} */\n" * opened + rest[end:]


def marked(comment, text, opened):
    chapter = CHAPTER.match(comment[1])
    if chapter:
        return "/** @} */\n" * opened + f"/** @defgroup {group(chapter[1])} {chapter[1]}\n @{{ */"
    behind = text[: comment.start()].rpartition("\n")[2].strip()
    return ("/**<" if behind else "/**") + escaped(comment[1]) + "*/"


def one_each(several):
    """Members that are declared together have the same comment."""
    out = several["before"] or ""
    for name in re.split(r",\s+", several["names"]):
        out += f"    {several['type']}{name};{several['behind'] or ''}\n"
        if several["before"] and not several["behind"]:
            out += several["before"]
    return out.removesuffix(several["before"] or "\n").removesuffix("\n")


def escaped(text):
    """Without Doxygen's commands and HTML; code, which is indented, as it is."""
    lines = text.split("\n")
    return "\n".join(line if line.startswith(" *     ") else re.sub(r"[\\@<>#&%]", r"\\\g<0>", line) for line in lines)
