"""The file below HDF5 while a batch is written. HDF5 does not survive a write that fails: what it could not
write stays in its caches, and a later close ends the process. So here no write fails: what does not
fit on the disk is kept in memory until the file is closed, and the error is told to the writer."""

from __future__ import annotations

import io
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C comes after a call of HDF5: an exception within it would be a write that fails."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list = []
    handlers = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    held = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in held:
        signal.signal(number, lambda *what: came.append(what))
    try:
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        for what in came[:1]:
            held[what[0]](*what)


class Sink:
    """A new file, as h5py takes file objects. `error`: why it is not whole, or None."""

    def __init__(self, path: str):
        self.error: Exception | None = None
        self._file = io.FileIO(path, "x+")
        self._at = 0
        self._end = 0
        self._rest: list[tuple[int, bytes]] = []  # what is not in the file, and where it belongs

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self._end)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def write(self, data: memoryview) -> int:
        """All of it, or an `error`."""
        data, at = memoryview(data).cast("B"), self._at
        try:
            while len(data) and self.error is None:
                done = os.pwrite(self._file.fileno(), data, at)
                data, at = data[done:], at + done
        except Exception as what:
            self.error = what
        if len(data):
            self._rest.append((at, bytes(data)))
        self._at = at + len(data)
        self._end = max(self._end, self._at)
        return self._at

    def readinto(self, buffer: memoryview) -> int:
        into, at = memoryview(buffer).cast("B"), self._at
        found = os.pread(self._file.fileno(), len(into), at)
        into[: len(found)] = found
        into[len(found) :] = bytes(len(into) - len(found))
        for first, data in self._rest:
            begin, end = max(first, at), min(first + len(data), at + len(into))
            if begin < end:
                into[begin - at : end - at] = data[begin - first : end - first]
        self._at = at + len(into)
        return len(into)

    def read(self, size: int) -> bytes:
        data = bytearray(size)
        self.readinto(memoryview(data))
        return bytes(data)

    def truncate(self, size: int) -> int:
        try:
            if self.error is None:
                os.ftruncate(self._file.fileno(), size)
        except Exception as what:
            self.error = what
        self._end = size
        return size

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self._file.close()
