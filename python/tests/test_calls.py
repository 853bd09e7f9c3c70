"""Errors, Ctrl-C, threads and memory of calls."""

import os
import signal
import threading
import time
import warnings

import impinge
import numpy as np
from common import address, interrupt_in, main, raises, same, soup
from impinge._library import lib

POINTS, TRIANGLES = soup(400)
LONG = soup(400_000, 1e-4)  # by brute force many seconds


def test_errors():
    """Exceptions by code, with the library's text."""
    bad = POINTS.copy()
    bad[4, 1] = np.nan
    what = raises(impinge.InputError, impinge.contacts, bad, TRIANGLES)
    assert what.code == -3 and "triangle 1" in str(what), what
    assert impinge.contacts(bad, TRIANGLES, on_bad="skip").bad == 1
    what = raises(impinge.DeviceError, impinge.contacts, POINTS, TRIANGLES, device="no such device")
    assert "no such device" in str(what), what
    what = raises(MemoryError, impinge.contacts, *soup(200_000), mem_limit=1000)
    assert isinstance(what, impinge.MemoryLimitError) and str(what)
    what = raises(ValueError, impinge.contacts, POINTS, TRIANGLES, adjacent="often")
    assert isinstance(what, impinge.ArgumentError) and "'skip', 'test'" in str(what)
    raises(impinge.ArgumentError, impinge.contacts, POINTS, TRIANGLES, dop_k=7)
    raises(impinge.ArgumentError, impinge.contacts, POINTS, TRIANGLES, threads=2**40)
    raises(TypeError, impinge.contacts, POINTS, TRIANGLES, colour="red")
    pipeline = impinge.Pipeline()
    pipeline.close()
    pipeline.close()
    raises(impinge.ArgumentError, pipeline.contacts, POINTS, TRIANGLES)


def long_call(pipeline):
    return pipeline.contacts(*LONG)


def test_interrupt():
    """Ctrl-C ends a long call within a second of processor time. After that the pipeline can be used again. OpenCL
    drivers have been loaded, of which some set a handler of their own."""
    impinge.devices()
    with impinge.Pipeline(device="cpu", broad="brute") as pipeline:
        expected = pipeline.contacts(POINTS, TRIANGLES)
        for _ in range(2):
            times = []
            interrupt_in(0.4, times)
            raises(KeyboardInterrupt, long_call, pipeline)
            assert time.process_time() - times[0] < 1
            same(pipeline.contacts(POINTS, TRIANGLES), expected)
        raises(KeyboardInterrupt, signal.raise_signal, signal.SIGINT)


def test_interrupt_handler():
    """A handler that does not raise: the call ends all the same. An ignored signal ends nothing."""
    came = []
    before = signal.signal(signal.SIGINT, lambda *_: came.append(1))
    try:
        with impinge.Pipeline(device="cpu", broad="brute") as pipeline:
            interrupt_in(0.4, [])
            raises(impinge.Cancelled, long_call, pipeline)
            assert came == [1]
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            expected = pipeline.contacts(*soup(6000))
            timer = interrupt_in(0.01, [])
            same(pipeline.contacts(*soup(6000)), expected)
            timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


def test_interrupt_many():
    """A signal at any time of short calls leaves nothing behind that ends a later call."""
    with impinge.Pipeline(device="cpu") as pipeline:
        expected = pipeline.contacts(POINTS, TRIANGLES)
        for i in range(100):
            try:
                interrupt_in(0.0005 + 0.0001 * (i % 10), [])
                for _ in range(10_000):
                    same(pipeline.contacts(POINTS, TRIANGLES), expected)
                raise AssertionError("no KeyboardInterrupt")
            except KeyboardInterrupt:
                same(pipeline.contacts(POINTS, TRIANGLES), expected)


def test_cancel():
    """Of another thread, and in another thread."""
    with impinge.Pipeline(device="cpu", broad="brute") as pipeline:
        ended = []

        def work():
            ended.append(raises(impinge.Cancelled, long_call, pipeline))

        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.4)
        pipeline.cancel()
        thread.join(1)
        assert not thread.is_alive() and ended[0].code == -8


def test_others_run():
    """Other threads run during a call."""
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    with impinge.Pipeline(device="cpu", broad="brute", threads=1) as pipeline:
        cells = soup(8000, 1e-3)
        before, at = counted[0], time.monotonic()
        pipeline.contacts(*cells)
        took, ran = time.monotonic() - at, counted[0] - before
    done.set()
    thread.join()
    assert took > 0.05 and ran > took / 0.001 / 30, (took, ran)


def test_two_threads():
    """Two threads, each with a pipeline, find what one finds; and both with one pipeline."""
    scenes = [soup(20_000, seed=seed) for seed in (1, 2)]
    expected = [impinge.contacts(*scene) for scene in scenes]
    shared = impinge.Pipeline(device="cpu")
    faults = []

    def work(k):
        try:
            with impinge.Pipeline(device="cpu", threads=1) as pipeline:
                for p in (pipeline, pipeline, shared, pipeline, shared):
                    same(p.contacts(*scenes[k]), expected[k])
        except BaseException as what:
            faults.append(what)

    threads = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults


def test_fork():
    """The child of a fork is told that it cannot compute, and can with one thread."""
    expected = impinge.contacts(POINTS, TRIANGLES)
    child = os.fork()
    if not child:
        try:
            signal.alarm(20)
            raises(impinge.ArgumentError, impinge.contacts, POINTS, TRIANGLES)
            same(impinge.contacts(POINTS, TRIANGLES, device="cpu", threads=1), expected)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_warnings():
    """What the library notes is a warning after the call, and only once."""
    with impinge.Pipeline() as pipeline, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for line in (b"one", b"two", b"x" * 5000):
            lib.rows_note(pipeline._notes, line)
        for _ in range(2):
            pipeline.contacts(POINTS, TRIANGLES)
    assert [str(w.message) for w in seen] == ["one", "two"]
    assert all(w.category is impinge.ImpingeWarning for w in seen)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with impinge.Pipeline() as pipeline:
            for call in (pipeline.contacts, lambda *of: list(pipeline.frames([of[0]], of[1]))):
                lib.rows_note(pipeline._notes, b"one")
                call(POINTS, TRIANGLES)
    assert [w.filename for w in seen] == [__file__] * 2, seen


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grows(call, times, most):
    """Does memory grow by more than that, in bytes? Not after it has been used once."""
    for _ in range(times // 5 + 1):
        call()
    before = resident()
    for _ in range(times):
        call()
    assert resident() - before < most, (resident() - before, call)


def test_leaks():
    """Pipelines, contacts and errors leave nothing behind."""
    with impinge.Pipeline(device="cpu", threads=1) as pipeline:
        grows(lambda: pipeline.contacts(POINTS, TRIANGLES), 1000, 400_000)
        bad = POINTS.copy()
        bad[0] = np.inf
        grows(lambda: raises(impinge.InputError, pipeline.contacts, bad, TRIANGLES), 1000, 400_000)
        many = soup(3000, 0.3)
        size = pipeline.contacts(*many).ends.nbytes
        assert size > 1_000_000
        grows(lambda: pipeline.contacts(*many), 20, 2 * size)
    grows(lambda: impinge.contacts(POINTS, TRIANGLES, threads=1), 1000, 400_000)
    grows(lambda: impinge.Pipeline(device="cpu", threads=1), 50, 1_000_000)


def test_results_stay():
    """Arrays outlive what they came from, and do not share memory."""
    with impinge.Pipeline(device="cpu") as pipeline:
        first, second = (pipeline.contacts(POINTS, TRIANGLES) for _ in range(2))
    expected = first.ends.copy()
    assert address(first.ends) != address(second.ends)
    second.ends[:] = 0
    a = first.a
    del second, pipeline
    assert (first.ends == expected).all() and a.flags.writeable
    del first
    impinge.contacts(POINTS, TRIANGLES)
    assert (a == impinge.contacts(POINTS, TRIANGLES).a).all()


main(globals())
