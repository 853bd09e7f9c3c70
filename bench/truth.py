"""Verdicts on pairs of triangles beside CGAL and igl: bench/python/truth.py, in the environment of package.py."""

import package
from contestants import CGAL, TBB, cpp_program


class Truth(package.Package):
    script = "truth.py"

    def words(self, args):
        program, version = cpp_program("CGAL", package.ROOT / "build", args.isa, [[*CGAL, *TBB]])
        if not program:
            raise OSError("there is no truth without CGAL")
        self.versions += ", CGAL %s" % version
        return ["--cgal", program]


RUN = Truth("truth", "impinge, CGAL and igl: do two triangles meet?", None, [])
