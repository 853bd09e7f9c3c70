"""The engine: its errors as exceptions, its choices as words."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from functools import lru_cache

# Threads that spin while they wait stall others where processors are shared; the program impinge
# sets the same. OpenMP reads this once, when it is loaded.
_waiting = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "1000"}
_set = [] if "OMP_WAIT_POLICY" in os.environ else [k for k in _waiting if k not in os.environ]
os.environ.update({k: _waiting[k] for k in _set})
try:
    from ._engine import ffi, lib
finally:
    for _k in _set:
        del os.environ[_k]


class ImpingeError(Exception):
    """A failure of the library or of the program. `code`: its number in impinge.h, below 0."""

    code = 0


class ArgumentError(ImpingeError, ValueError):
    """An argument or an option is not valid, or an output exists."""


class InputError(ImpingeError):
    """The input is missing, damaged or not supported: a point that is NaN or infinite."""


class NotClosedError(InputError, ArgumentError):
    """A mesh that was handed over to be closed, and is not, or has points that are NaN: an `InputError`
    that is a `ValueError`."""


class DeviceError(ImpingeError):
    """No usable device, or a device failed."""


class MemoryLimitError(ImpingeError, MemoryError):
    """Out of memory, or over `mem_limit`; of the program also: no space left on the disk."""


class Cancelled(ImpingeError):
    """`cancel()` was called."""


class ImpingeWarning(UserWarning):
    """What the library warns of."""


_exceptions = {
    lib.IMP_ERR_ARGUMENT: ArgumentError,
    lib.IMP_ERR_EXISTS: ArgumentError,
    lib.IMP_ERR_INPUT: InputError,
    lib.IMP_ERR_DEVICE: DeviceError,
    lib.IMP_ERR_MEMORY: MemoryLimitError,
    lib.IMP_ERR_DISK: MemoryLimitError,
    lib.IMP_ERR_CANCELLED: Cancelled,
}


def error(code: int, message: str) -> ImpingeError:
    """The exception of a code of impinge.h."""
    made = _exceptions.get(code, ImpingeError)(message)
    made.code = code
    return made


def check(code: int) -> None:
    """Raises what a function of the library has returned."""
    if code:
        raise error(code, text(lib.imp_error_text()))


def text(pointer) -> str:
    return ffi.string(pointer).decode("utf-8", "replace")


# OpenMP's threads do not exist in the child of a fork, which would wait for them for ever.
_computed = _forked = False


def _note_fork() -> None:
    global _forked
    _forked = _computed


os.register_at_fork(after_in_child=_note_fork)


def check_fork(threads: int) -> None:
    """Raises where a call would never return. Called before every call that computes."""
    global _computed
    _computed = True
    if _forked and threads != 1:
        message = (
            "the parent of this fork has used impinge: use the start method spawn, or threads=1"
        )
        raise error(lib.IMP_ERR_ARGUMENT, message)


def in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def warn(notes) -> None:
    """Shows what the library has noted during a call."""
    if not notes.used:
        return
    lines = bytes(ffi.buffer(notes.text, notes.used)).decode("utf-8", "replace")
    notes.used = 0
    for line in lines.splitlines():
        tell(line)


def tell(message: str) -> None:
    """A warning that names the line outside this package that led to it."""
    level, at = 1, sys._getframe()
    while at.f_back and at.f_globals.get("__name__", "").split(".")[0] == __package__:
        level, at = level + 1, at.f_back
    warnings.warn(message, ImpingeWarning, stacklevel=level)


def words(enum: str) -> dict[str, int]:
    """The choices of an enum of impinge.h: {"skip": 0, "test": 1} of "imp_adjacent"."""
    names = ffi.typeof("enum " + enum).relements
    prefix = os.path.commonprefix(list(names))
    start = prefix.rindex("_") + 1
    order = sorted(names.items(), key=lambda item: item[1])
    return {name[start:].lower().replace("_", "-"): value for name, value in order}


def install(extra: str) -> str:
    """The command for the packages of an extra: where impinge is installed, pip adds them to it."""
    return f"pip install 'impinge[{extra}]'"


def version() -> str:
    """The version of the library."""
    return text(lib.imp_version())


def opencl_version() -> str:
    """The version of the OpenCL API that the library uses, "" if it was built without."""
    return text(lib.imp_opencl_version())


def devices() -> list[dict]:
    """The devices, in the order of their numbers: the host ("cpu"), then those of OpenCL, whose
    drivers are loaded into this process. Each has `platform`, `name`, `version`, `driver`,
    `is_gpu`, `fp64`, `memory` and `largest_buffer` (bytes), `compute_units`."""
    found: list[dict] = []
    info = ffi.new("imp_device_info *")
    while lib.rows_device_at(len(found), info):
        found.append(as_dict(info))
    return found


@lru_cache(maxsize=None)
def _members(pointer) -> tuple[list[str], list[str]]:
    """The names of all members of a struct, and of those that are texts."""
    fields = pointer.item.fields
    kinds = "pointer", "array"
    return [name for name, _ in fields], [name for name, of in fields if of.type.kind in kinds]


def as_dict(struct) -> dict:
    """The numbers and texts of a struct of impinge.h by their names; "" for a pointer that is NULL."""
    names, texts = _members(ffi.typeof(struct))
    made = {name: getattr(struct, name) for name in names}
    for name in texts:
        made[name] = text(made[name]) if made[name] else ""
    return made
