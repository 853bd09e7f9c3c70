"""Files that are written: beside what they replace, and only in its place when they are whole."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from ._library import error, lib

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def claim(path: str, force: bool, how: str = "force=True") -> None:
    """Raises what would be refused in the end, before all is made: a folder that is missing or may not
    be written to, and a file that exists, unless it is to be replaced. how: what replaces it."""
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        why = "Permission denied" if os.path.isdir(folder) else "No such file or directory"
        raise error(lib.IMP_ERR_FILE, f"{path}: cannot be written: {why}")
    if not os.path.exists(path):
        return
    if not os.path.isfile(path):
        raise error(lib.IMP_ERR_ARGUMENT, f"{path}: not a file, and so not replaced")
    if not force:
        raise error(lib.IMP_ERR_EXISTS, f"{path}: exists already; {how} replaces it")


# The endings of files that are not VTKHDF: those that the program refuses (host/file/output_file.c).
_OTHERS = frozenset(
    ".csv .txt .json .html .htm .svg .pdf .png .jpg .jpeg .gif .xlsx .xls .ods .docx .zip .gz .bz2 .xz "
    ".npy .npz .mat .xml .yaml .md .obj .mtl .stl .ply .off .vtk .vtp .vtu .vtm .pvd .pvtp .pvtu .xdmf "
    ".xmf .msh .mesh .inp .bdf .nas .exo .nc .gltf .glb .abc .mdd .pc2 .usd .usda .usdc .usdz .fbx .dae "
    ".urdf".split()
)


def check_ending(path: str) -> None:
    """An ArgumentError for the name of another kind of file than VTKHDF."""
    if os.path.splitext(path)[1].lower() in _OTHERS:
        what = f"{path}: what is written here is VTKHDF (HDF5), whatever its name; use .vtkhdf"
        raise error(lib.IMP_ERR_ARGUMENT, what)


@contextmanager
def replacing(path: str, durable: bool = True) -> Iterator[str]:
    """The name of a new file, hidden beside `path`. In the end it takes the place of that, or of what
    it links to; after an error it is removed. durable: it is to outlive a failure of power."""
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    part = os.path.join(folder, f".{name[:40]}.part-{secrets.token_hex(4)}")
    try:
        yield part
        with disk(path):
            if durable:
                sync(part)
            os.replace(part, real)
    finally:
        if os.path.exists(part):
            os.unlink(part)


def sync(path: str) -> None:
    """On the disk, so that the name is never that of a file without its content."""
    at = os.open(path, os.O_RDONLY)
    try:
        os.fsync(at)
    finally:
        os.close(at)


@contextmanager
def disk(path: str) -> Iterator[None]:
    """What the system says of a file that cannot be written, in one line."""
    try:
        yield
    except OSError as what:
        code = lib.IMP_ERR_DISK if what.errno in _FULL else lib.IMP_ERR_FILE
        raise error(code, f"{path}: cannot be written: {what.strerror or what}") from what
