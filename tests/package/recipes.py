"""The recipes of doc/packaging, without their tools: that of Spack is executed with a stand-in for Spack, and names only
what CMake and pyproject.toml know; those of conda and Debian install every header, and need what pyproject.toml needs.
Where Python has rattler-build, conda's is rendered for both processors.

recipes.py SOURCE"""

import re
import runpy
import sys
import types
from pathlib import Path

source = Path(sys.argv[1])
packaging = source / "doc/packaging"
wrong = []
cmake = (source / "CMakeLists.txt").read_text()
project = (source / "pyproject.toml").read_text()
version = re.search(r"project\(impinge VERSION (\S+)", cmake)[1]
options = set(re.findall(r"^(?:option|set)\((IMP_\w+|BUILD_SHARED_LIBS)", cmake, re.M))
headers = {p.name for p in (source / "host").glob("*.h") if "IMP_API" in p.read_text()}


def check(right, what):
    if not right:
        wrong.append(what)


def newer(name):
    """What pyproject.toml and CMake want of this at least."""
    least = re.search(r'"%s>=([\d.]+)' % name, project) or re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", cmake)
    return least[1]


# ---- Spack: its directives are recorded, and its methods are called


def directives(path):
    said = []

    def directive(name):
        return lambda *words, **how: said.append((name, words, how))

    class Package:
        spec = types.SimpleNamespace(satisfies=lambda text: True)

        def define(self, name, value):
            return (name, value)

        def define_from_variant(self, name, variant):
            check(any(n == "variant" and w[0] == variant for n, w, h in said), f"{path}: there is no variant {variant}")
            return (name, variant)

    module = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on"):
        setattr(module, name, directive(name))
    module.which = None
    names = ["spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"]
    sys.modules.update({name: types.ModuleType(name) for name in names}, **{"spack.package": module})
    for system in ("CMake", "Python"):
        made = types.ModuleType(system)
        setattr(made, f"{system}Package", type(f"{system}Package", (Package,), {}))
        sys.modules[f"spack_repo.builtin.build_systems.{system.lower()}"] = made
    names = runpy.run_path(str(path))
    return said, next(v for k, v in names.items() if isinstance(v, type) and v.__module__ == "<run_path>")


def spack(name):
    path = packaging / f"spack/spack_repo/impinge/packages/{name}/package.py"
    said, made = directives(path)
    needs = {re.match(r"[\w-]+", w[0])[0]: w[0] for n, w, h in said if n == "depends_on"}
    check(("version", (version,), {"tag": f"v{version}"}) in said, f"{path}: no version {version}")
    check(made.git == f"file://{source.resolve()}", f"{path}: {made.git} is not this clone")
    check({"c", "cmake", "pkgconfig", "gmp", "hdf5", "xxhash", "opencl-headers"} <= set(needs), f"{path}: needs {set(needs)}")
    check("~mpi" in needs["hdf5"], f"{path}: HDF5 for MPI does not do")
    check(needs["cmake"] == f"cmake@{newer('cmake')}:", f"{path}: {needs['cmake']}")
    return path, made, needs


path, made, needs = spack("impinge")
for option, value in made().cmake_args():
    check(option in options, f"{path}: CMake has no {option}")
path, made, needs = spack("py_impinge")
for name in ("scikit-build-core", "cffi", "numpy"):
    check(needs[f"py-{name}"] == f"py-{name}@{newer(name)}:", f"{path}: not as in pyproject.toml: {name}")

# ---- conda

path = packaging / "conda/recipe.yaml"
recipe = path.read_text()
for header in headers:
    check(f"- {header}\n" in recipe, f"{path}: its test does not look for {header}")
for option in re.findall(r"-D(IMP_\w+)", recipe):
    check(option in options, f"{path}: CMake has no {option}")
for name in ("scikit-build-core", "cffi", "numpy"):
    check(f"- {name} >={newer(name)}\n" in recipe, f"{path}: not as in pyproject.toml: {name}")
check(f"- cmake >={newer('cmake')}\n" in recipe, f"{path}: cmake")
try:
    from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig
except ImportError:
    pass  # ./dev soak has it
else:
    variants = "c_compiler: [gcc]\nc_stdlib: [sysroot]\nc_stdlib_version: ['2.28']\npython: ['3.9.*', '3.13.*']\n"
    for platform in ("linux-64", "linux-aarch64"):
        machine = PlatformConfig(target_platform=platform, build_platform=platform, host_platform=platform)
        made = Stage0Recipe.from_file(str(path)).render(VariantConfig.from_yaml(variants), RenderConfig(platform=machine))
        made = [v.recipe.to_dict() for v in made]
        names = sorted(n for n, _ in {(v["package"]["name"], v["build"]["string"]) for v in made})
        check(names == ["impinge", "impinge", "libimpinge"], f"{path}: {platform}: {names}")
        for one in made:
            needs = one["requirements"]
            check(f"gcc_{platform}" in needs["build"], f"{path}: {platform}: {needs}")
        print(f"rendered for {platform}: {', '.join(names)}")

# ---- Debian

debian = packaging / "debian"
control = (debian / "control").read_text()
packages = re.findall(r"^Package: (\S+)", control, re.M)
check(f"libimpinge{'.'.join(version.split('.')[:2])}" in packages, "debian/control: no package of the library's soname")
for package in packages:
    check((debian / f"{package}.install").exists(), f"debian/{package}.install is missing")
for option in re.findall(r"-D(IMP_\w+)", (debian / "rules").read_text()):
    check(option in options, f"debian/rules: CMake has no {option}")
check(f"cmake (>= {newer('cmake')})" in control, "debian/control: cmake")

print("\n".join(wrong) or f"Spack, conda, Debian: {', '.join(packages)}")
sys.exit(bool(wrong))
