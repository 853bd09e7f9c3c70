"""ipc-toolkit's answers to questions on moving features, as ../question.h has them: do a vertex and a face, or two
edges, meet? `ipctk_queries.py FILE THREADS SECONDS METHOD` prints a line for each group of questions: its number, how
many were asked, how many meet; false negatives, false positives, and those without an answer after so many seconds.
Last the microseconds for a question, of those with an answer.

ipc-toolkit has no call that answers each of many questions, so each is one from Python, which takes about 2 us.
Nothing stops a call but the end of its process: then another process takes over with the next question."""

import mmap
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import time

import ipctk
import numpy as np

METHODS = {
    "default": lambda: ipctk.TightInclusionCCD(),
    "unscaled": lambda: ipctk.TightInclusionCCD(conservative_rescaling=1),
    "accd": lambda: ipctk.AdditiveCCD(),
}
NUMBERS = 27  # of a question: its kind, 24 coordinates, what is true, its group
NEVER = -1
PIECE = 2048
APART, MEET, OPEN, GIVEN_UP = range(4)


def shared(n, kind):
    """Zeros that all processes see."""
    return np.frombuffer(mmap.mmap(-1, max(1, n * np.dtype(kind).itemsize)), kind, n)


class Questions:
    def __init__(self, path, limit, method):
        self.all = np.memmap(path, np.float64, "r").reshape(-1, NUMBERS)
        self.limit = limit
        self.method = METHODS[method]()
        self.answer = shared(len(self.all), np.int8)
        self.answer[:] = OPEN
        self.seconds = shared(len(self.all), np.float64)

    def work(self, first, last):
        """A process ends here, after the last question or in one that takes too long."""
        calls = self.method.point_triangle_ccd, self.method.edge_edge_ccd
        orders = [3, 0, 1, 2, 7, 4, 5, 6], list(range(8))
        for i in range(first, last):
            kind = int(self.all[i, 0])
            points = list(np.array(self.all[i, 1:25]).reshape(8, 3)[orders[kind]])
            signal.setitimer(signal.ITIMER_VIRTUAL, self.limit)
            start = time.perf_counter()
            meet = calls[kind](*points)[0]
            self.seconds[i] = time.perf_counter() - start
            self.answer[i] = MEET if meet else APART

    def after(self, first, last):
        """A process has ended: what is left of its part. One that failed otherwise fails all."""
        left = np.flatnonzero(self.answer[first:last] == OPEN)
        if not len(left):
            return []
        self.answer[first + left[0]] = GIVEN_UP
        return [(first + left[0] + 1, last)]

    def ask_all(self, threads):
        parts = [(i, min(i + PIECE, len(self.all))) for i in range(0, len(self.all), PIECE)]
        parts.reverse()
        running = {}
        while parts or running:
            while parts and len(running) < threads:
                part = parts.pop()
                process = multiprocessing.Process(target=self.work, args=part)
                process.start()
                running[process.sentinel] = process, part
            for sentinel in multiprocessing.connection.wait(running):
                process, part = running.pop(sentinel)
                process.join()
                if process.exitcode not in (0, -signal.SIGVTALRM):
                    sys.exit("a process ended with %d" % process.exitcode)
                parts += self.after(*part)

    def print_counts(self, out):
        groups, meet = self.all[:, 26].astype(int), self.all[:, 25] != NEVER
        for group in np.unique(groups):
            mine = groups == group
            of = self.answer[mine]
            counts = of >= 0, meet[mine], (of == APART) & meet[mine], (of == MEET) & ~meet[mine], of == GIVEN_UP
            print(group, *map(np.count_nonzero, counts), file=out)
        known = self.answer != GIVEN_UP
        print("%.3f" % (1e6 * self.seconds[known].mean()), file=out, flush=True)


def main(path, threads, limit, method):
    multiprocessing.set_start_method("fork")
    ipctk.set_num_threads(1)
    ipctk.set_logger_level(ipctk.LoggerLevel.off)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Tight-Inclusion writes there, and nothing else stops it
    questions = Questions(path, float(limit), method)
    questions.ask_all(int(threads))
    questions.print_counts(out)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(ipctk.__version__)
    else:
        main(*sys.argv[1:])
