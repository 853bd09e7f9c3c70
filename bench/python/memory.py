"""The most memory of a call with many triangles, of a process of its own, beside C."""

import subprocess
import sys

import impinge
from cloth import PIPELINE, C
from measure import Detector, flatten, generate, read, read_flat

TABLE = "folded cloth, {:,} triangles: most memory of a call"
PEAK, RESULTS, REST = "more than before, MB", "results, MB", "without results, MB"
TIMES = 3


def peaks(sheet, folder, size, detect):
    batch = generate(folder / f"cloth-{size}.vtkhdf", "cloth-fold", "-n", size)
    positions, triangles, objects = read(batch)
    flat = folder / "memory.flat"
    flatten(flat, positions[0], triangles, objects)
    del positions, objects
    table = TABLE.format(len(triangles))
    found = {PIPELINE: [], **({C: []} if detect else {})}
    for _ in range(TIMES):
        for name, some in found.items():
            some.append(by_c(detect, flat) if name == C else by_python(flat))
    counts = {contacts for some in found.values() for contacts, *_ in some}
    if len(counts) != 1:
        sheet.fault(f"{table}: contacts differ: {sorted(counts)}")
    for name, some in found.items():
        peak, results = min((peak, results) for _, peak, results in some)
        sheet.megabytes(table, name, PEAK, peak)
        sheet.megabytes(table, name, RESULTS, results)
        sheet.megabytes(table, name, REST, peak - results)
        sheet.count(table, name, "contacts", some[0][0])


def by_c(detect, flat):
    program = Detector(detect, flat)
    program.close()
    return program.contacts, program.bytes, 0


def by_python(flat):
    command = [sys.executable, __file__, str(flat)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return tuple(map(int, done.stdout.split()))


# ---- the process


def status(name):
    """A line of Linux' /proc/self/status in bytes."""
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(name))


def child(flat):
    """Prints contacts, and bytes: more than before the pipeline was made; of the results."""
    points, triangles, objects = read_flat(flat)
    before = status("VmRSS:")
    pipeline = impinge.Pipeline(update="rebuild", device="cpu")
    found = pipeline.contacts(points, triangles, objects)
    results = sum(array.nbytes for array in (found.a, found.b, found.kind, found.ends))
    print(len(found), status("VmHWM:") - before, results)


if __name__ == "__main__":
    child(sys.argv[1])
