"""Frames that were read, on the standard error of the process that asked for it."""

from __future__ import annotations

import os
import sys
import time

EVERY = 0.5  # seconds between two lines; a terminal has one line, which changes more often
EVERY_TTY = 0.1


def wanted(when: str, quiet: bool) -> bool:
    """By --progress: auto is only on a terminal."""
    if quiet or when == "never":
        return False
    return when == "always" or (when == "auto" and sys.stderr.isatty())


class Progress:
    """Writes to this file descriptor; None: nothing."""

    def __init__(self, where: int | None, total: int):
        self._where, self._total, self._drawn = where, total, time.monotonic()
        self._tty = where is not None and os.isatty(where)

    def show(self, done: int) -> None:
        now = time.monotonic()
        soon = now - self._drawn < (EVERY_TTY if self._tty else EVERY)
        if soon and done < self._total:
            return
        self._drawn = now
        text = f"reading frame {done}/{self._total}"
        self._write(f"\r{text}\x1b[K" if self._tty else f"{text}\n")

    def clear(self) -> None:
        if self._tty:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        if self._where is None:
            return
        try:
            os.write(self._where, text.encode())
        except OSError:
            self._where = None
