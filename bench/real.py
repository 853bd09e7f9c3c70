"""Real scenes, where they lie beside the checkout: ../shared/data, or $IMPINGE_DATA."""

import os
import subprocess
from pathlib import Path

DATA = Path(os.environ.get("IMPINGE_DATA", Path(__file__).resolve().parents[2] / "shared/data"))

# row, files in DATA, pairs
BATCHES = [
    ("cloth-funnel", ["cloth-funnel.vtkhdf"], "all"),
    ("rod-twist", ["rod-twist.vtkhdf"], "all"),
    ("can-crush", ["can-crush-surface.vtkhdf"], "all"),
    ("torus-sphere", ["torus-sphere-surface.vtkhdf"], "all"),
    ("warping-spheres", ["warping_spheres.vtkhdf"], "all"),
    ("fcl-env-rob", ["meshes/fcl/env.obj", "meshes/fcl/rob.obj"], "between"),
]


def there():
    """Names and pairs of those that can be had."""
    return [(name, pairs) for name, files, pairs in BATCHES if all(map(Path.exists, paths(files)))]


def paths(files):
    return [DATA / f for f in files]


def make_batch(impinge, name, batch):
    """Links to the file, or converts meshes, which become objects. `batch` is new if they are."""
    files = next(paths(f) for n, f, _ in BATCHES if n == name)
    if batch.exists() and batch.stat().st_mtime >= max(f.stat().st_mtime for f in files):
        return
    batch.unlink(missing_ok=True)
    if files[0].suffix == ".vtkhdf":
        batch.symlink_to(files[0])
    else:
        command = [impinge, "convert", *files, "--as", "objects", "-o", batch, "-q"]
        subprocess.run(command, check=True)
