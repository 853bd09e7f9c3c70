"""Contacts are the same in a process whose floating-point environment another package has changed:
rounding, and on x86-64 denormals that are flushed to zero, as a library does when it is imported
that was linked with -ffast-math."""

import ctypes
import platform
import threading
from contextlib import contextmanager

import impinge
import numpy as np
from common import main, raises, same

LIBM = ctypes.CDLL("libm.so.6")
X86 = platform.machine() in ("x86_64", "AMD64")
NEAREST = 0
ROUNDINGS = (NEAREST, 0x400, 0x800, 0xC00) if X86 else (NEAREST, 0x400000, 0x800000, 0xC00000)
FLUSH = 0x8040  # of MXCSR: results that are denormals become 0, and operands that are count as 0
PLACE = slice(28, 32)  # of MXCSR in glibc's fenv_t
MODES = [(rounding, flush) for rounding in ROUNDINGS for flush in ((0, FLUSH) if X86 else (0,))]


def environment():
    """fenv_t of this thread."""
    bytes_of = ctypes.create_string_buffer(64)
    LIBM.fegetenv(bytes_of)
    return bytearray(bytes_of.raw)


def mode():
    """Rounding and flushing of this thread."""
    control = int.from_bytes(environment()[PLACE], "little")
    return LIBM.fegetround(), control & FLUSH if X86 else 0


def set_mode(rounding, flush):
    assert LIBM.fesetround(rounding) == 0
    if X86:
        bytes_of = environment()
        control = int.from_bytes(bytes_of[PLACE], "little") & ~FLUSH | flush
        bytes_of[PLACE] = control.to_bytes(4, "little")
        LIBM.fesetenv(bytes(bytes_of))
    assert mode() == (rounding, flush)


@contextmanager
def within(wanted):
    """Another mode, in which only the library is called; it must be the same at the end."""
    set_mode(*wanted)
    try:
        yield
        left = mode()
    finally:
        set_mode(NEAREST, 0)
    assert left == wanted, (left, wanted)


def frames(unit, dtype):
    """points (300, 3), twice: integers times 2^unit; triangles (100, 3)."""
    random = np.random.default_rng(3)
    points = [np.ldexp(random.integers(0, 40, (300, 3)).astype(dtype), unit) for _ in range(2)]
    return *(p.astype(dtype) for p in points), np.arange(300, dtype=np.int32).reshape(100, 3)


def test_contacts():
    """Coordinates of usual size, such that products of them underflow, and denormals."""
    for unit, dtype in (
        (0, np.float64),
        (-1010, np.float64),
        (-1074, np.float64),
        (-149, np.float32),
    ):
        first, second, triangles = frames(unit, dtype)
        static = impinge.contacts(first, triangles, threads=2)
        moving = impinge.between(first, second, triangles, threads=2)
        assert len(static) > 10 and len(moving) > 10
        for wanted in MODES:
            with within(wanted):
                again = impinge.contacts(first, triangles, threads=2)
                moved = impinge.between(first, second, triangles, threads=2)
            same(again, static)
            same(moved, moving)


def test_errors():
    """The caller's mode comes back after an exception, too."""
    first, _, triangles = frames(0, np.float64)
    first[5, 1] = np.nan
    for wanted in MODES:
        with within(wanted):
            raises(impinge.InputError, impinge.contacts, first, triangles)
            raises(impinge.DeviceError, impinge.contacts, first, triangles, device="no such device")


def test_threads():
    """A thread has the mode of the one that made it."""
    first, second, triangles = frames(-1074, np.float64)
    moving, found = impinge.between(first, second, triangles), []
    with within(MODES[-1]):
        thread = threading.Thread(
            target=lambda: found.append(impinge.between(first, second, triangles))
        )
        thread.start()
        thread.join()
    same(found[0], moving)


if __name__ == "__main__":
    main(globals())
