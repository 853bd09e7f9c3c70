"""The Python package of impinge, from the clone that this recipe is in: as it is, by dev_path, or its release, by the tag."""

import os

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PyImpinge(PythonPackage):
    """Exact collision detection on NumPy arrays, and the program impinge, which the package brings."""

    git = "file://" + os.path.abspath(os.path.join(__file__, *[os.pardir] * 8))

    license("MIT")

    version("0.1.0", tag="v0.1.0")

    variant("files", default=True, description="h5py, to open batches and results")

    import_modules = ["impinge"]

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gmp")
    depends_on("hdf5@1.10: ~mpi")
    depends_on("xxhash")
    depends_on("opencl-headers", type="build")
    depends_on("python@3.9:", type=("build", "link", "run"))
    depends_on("py-scikit-build-core@0.10:", type="build")
    depends_on("py-cffi@1.16:", type=("build", "run"))
    depends_on("py-numpy@1.22:", type=("build", "run"))
    depends_on("py-h5py@3:", type=("build", "run"), when="+files")
