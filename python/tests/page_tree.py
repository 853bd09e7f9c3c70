"""A page of HTML as a tree, and what tests ask of it. Elements must be closed in order."""

from html.parser import HTMLParser

VOID = ("meta", "input", "img", "br", "link")


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent, self.parts = tag, attributes, parent, []

    def __getitem__(self, name):
        return self.attributes[name]

    def get(self, name):
        return self.attributes.get(name)

    def elements(self):
        """All below it, in order."""
        for part in self.parts:
            if isinstance(part, Element):
                yield part
                yield from part.elements()

    def all(self, tag, **attributes):
        """`class_` is one of the classes."""
        kind = attributes.pop("class_", None)
        return [
            e for e in self.elements()
            if e.tag == tag and all(e.get(n.replace("_", "-")) == v for n, v in attributes.items())
            and (kind is None or kind in (e.get("class") or "").split())
        ]  # fmt: skip

    def id(self, name):
        """The element with that id, or None; ids are unique."""
        found = [e for e in self.elements() if e.get("id") == name]
        assert len(found) <= 1, name
        return found[0] if found else None

    def text(self):
        """What people read of it, with single blanks."""
        return " ".join("".join(self._texts()).split())

    def data(self):
        """What a script has."""
        return "".join(self.parts)

    def _texts(self):
        for part in self.parts:
            if isinstance(part, str):
                yield part
            elif part.tag not in ("script", "style", "title", "desc"):
                yield " " if part.tag in ("br", "td", "th", "tr", "p", "details") else ""
                yield from part._texts()

    def rows(self):
        """The first table in it, without what its rows fold away: rows of cells."""
        body = self.all("tbody")[0]
        found = [row for row in body.parts if row.get("class") != "more"]
        return [[cell for cell in row.parts if cell.tag in ("td", "th")] for row in found]

    def folded(self):
        """What each row of the first table folds away, or None, in the order of rows."""
        made = []
        for row in self.all("tbody")[0].parts:
            if row.get("class") == "more":
                made[-1] = row
            else:
                made.append(None)
        return made


class _Parser(HTMLParser):
    def __init__(self):
        super().__init__()
        self.root = self.now = Element("page", {}, None)

    def handle_starttag(self, tag, attributes):
        made = Element(tag, dict(attributes), self.now)
        self.now.parts.append(made)
        if tag not in VOID:
            self.now = made

    def handle_startendtag(self, tag, attributes):
        self.now.parts.append(Element(tag, dict(attributes), self.now))

    def handle_endtag(self, tag):
        assert tag == self.now.tag, f"</{tag}> in <{self.now.tag}>"
        self.now = self.now.parent

    def handle_data(self, data):
        self.now.parts.append(data)


def parsed(page):
    parser = _Parser()
    parser.feed(page)
    parser.close()
    assert parser.now is parser.root, f"<{parser.now.tag}> is not closed"
    return parser.root
