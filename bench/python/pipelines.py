"""Two pipelines of one thread each: one after another, and in two threads of Python."""

import threading

import impinge
from measure import alternate, generate, read, timed

TABLE = "two pipelines with a thread each, {:,} triangles twice"
ROW, BESIDE = "one after another", "in two threads of Python"


def both(sheet, folder, size, turns):
    batch = generate(folder / f"cloth-{size}.vtkhdf", "cloth-fold", "-n", size)
    positions, triangles, _ = read(batch)
    points, table = positions[0], TABLE.format(len(triangles))
    made = [impinge.Pipeline(update="rebuild", device="cpu", threads=1) for _ in range(2)]
    found = [None, None]

    def work(k):
        found[k] = len(made[k].contacts(points, triangles))

    def in_threads():
        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return tuple(found)

    def in_a_row():
        work(0)
        work(1)
        return tuple(found)

    answers = alternate({ROW: timed(in_a_row), BESIDE: timed(in_threads)}, turns)
    for name, (times, counts) in answers.items():
        sheet.times(table, name, times)
        sheet.count(table, name, "contacts", sum(counts))
    if len({count for _, counts in answers.values() for count in counts}) != 1:
        sheet.fault(f"{table}: contacts differ")
