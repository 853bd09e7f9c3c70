"""Deforming caches: floats beside h5py, contacts beside ovclash: bench/python/caches.py, in the environment of
package.py."""

import package
from programs import Demand

# as bench/python calls them
H5PY, READERS = "h5py", ("USD", "Alembic", "MDD", "PC2")
SPEED = "60 frames of 100,352 points: the same floats, in the same arrays"

DEMANDS = [Demand(SPEED, reader, H5PY, "call", 2) for reader in READERS]


class Caches(package.Package):
    script, option = "caches.py", None


RUN = Caches("caches", "impinge reads deforming caches, beside h5py and ovclash", None, [], DEMANDS)
