"""The program impinge and its library, from the clone that this recipe is in: as it is, by dev_path, or its release, by the tag."""

import os

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Impinge(CMakePackage):
    """Every collision in a batch of simulation frames, exactly: all contacts of triangles and tetrahedra, the
    pairs within a distance, the times of impact between frames; the same bits on every device."""

    git = "file://" + os.path.abspath(os.path.join(__file__, *[os.pardir] * 8))

    license("MIT")

    version("0.1.0", tag="v0.1.0")

    variant("opencl", default=True, description="OpenCL devices; the loader is opened at run time")
    variant("shared", default=True, description="libimpinge as a shared library")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gmp")
    depends_on("hdf5@1.10: ~mpi")
    depends_on("xxhash")
    depends_on("opencl-headers", type="build", when="+opencl")

    def cmake_args(self):
        return [
            self.define_from_variant("IMP_OPENCL", "opencl"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("IMP_ODE", "OFF"),  # Spack has no ODE
            self.define("IMP_TESTS", "OFF"),
            self.define("IMP_WERROR", "OFF"),
        ]

    def test_contacts(self):
        """finds the contacts of a scene, and finds them again by other arithmetic"""
        impinge = which(self.prefix.bin.impinge)
        impinge("generate", "cloth-ball", "-n", "3000", "-o", "batch.vtkhdf")
        impinge("run", "batch.vtkhdf", "-o", "result.vtkhdf", "--device", "cpu")
        impinge("check", "result.vtkhdf", "--input", "batch.vtkhdf")
