"""Random meshes, for decks.py and decks_counted.py."""


class Mesh:
    """`points` by number, and `cells`: (number, numbers of points)."""

    def __init__(self, random, solids=True, first=1):
        n = random.randint(4, 12)
        self.numbers = random.sample(range(first, 40 * n), n)
        self.points = {k: [round(random.uniform(-9, 9), 3) for _ in range(3)] for k in self.numbers}
        self.random = random
        self.cells = []
        ids = random.sample(range(1, 900), random.randint(1, 9))
        for number in ids:
            width = random.choice((3, 3, 4, 0) if solids else (3, 4))
            corners = random.sample(self.numbers, width or 4)
            self.cells.append((number, width, corners))  # width 0: a tetrahedron

    def truth(self, cells=None, moved=None):
        at = moved or (lambda x: x)
        return [[at(self.points[k]) for k in corners] for _, _, corners in cells or self.cells]


def spread(random, items, most):
    """In parts, in their order."""
    items, parts = list(items), []
    while items:
        k = random.randint(1, min(most, len(items)))
        parts.append(items[:k])
        items = items[k:]
    return parts


def shuffled(random, items):
    return random.sample(list(items), len(list(items)))
