"""What is in a wheel: wheel_inside.py WHEEL GLIBC. Libraries with their licences; nothing that needs a newer
glibc, an OpenCL loader or another library of the machine than glibc's and gcc's; no symbol of HDF5, OpenMP or
GMP that another library of the process could take for its own."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

OF_THE_SYSTEM = re.compile(r"(lib(c|m|dl|pthread|rt|gcc_s)|ld-linux-.*)\.so\.\d+$")
LICENSES = ["LICENSE", "README", "gcc", "gmp", "hdf5", "libaec", "libccd", "ode", "xxhash", "zlib", "LGPL-3", "GPL-3"]


def said(*command: object) -> str:
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=True).stdout


def number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def needs(file: Path) -> list[str]:
    return re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-dW", file))


def symbols(file: Path) -> tuple[list[str], list[str]]:
    """The dynamic symbols, defined and wanted, these with versions."""
    defined, wanted = [], []
    for line in said("readelf", "--dyn-syms", "-W", file).splitlines():
        words = line.split()
        if len(words) < 8 or not words[0].rstrip(":").isdigit():
            continue
        if words[6] == "UND":
            wanted.append(words[7])
        elif words[4] != "LOCAL" and words[5] == "DEFAULT":
            defined.append(words[7])
    return defined, wanted


def check(folder: Path, glibc: str) -> list[str]:
    elf = [f for f in folder.rglob("*") if f.is_file() and f.read_bytes()[:4] == b"\x7fELF"]
    brought = [f.name for f in elf if f.parent.name == "impinge.libs"]
    wrong, newest = [], "0"
    for file in elf:
        for name in needs(file):
            if name not in brought and not OF_THE_SYSTEM.match(name):
                wrong.append(f"{file.name} needs {name}")
        defined, wanted = symbols(file)
        for name in wanted:
            version = re.search(r"@GLIBC_([0-9.]+)", name)
            if version:
                newest = max(newest, version[1], key=number)
                if number(version[1]) > number(glibc):
                    wrong.append(f"{file.name} needs {name}")
        if file.name == "_engine.abi3.so" and defined != ["PyInit__engine"]:
            wrong.append(f"{file.name} exports {defined}")
        if file.name == "impinge":
            wrong += [f"impinge exports {n}" for n in defined if re.match(r"H5|GOMP|omp_|XXH|d[A-Z]", n)]
    for name in ("_engine.abi3.so", "impinge"):
        if name not in [f.name for f in elf]:
            wrong.append(f"no {name}")
    licenses = {f.name.split(".")[0]: f for f in next(folder.glob("*.dist-info")).glob("licenses/**/*") if f.is_file()}
    for name in LICENSES:
        if not any(has == name or name == "gcc" and has.startswith("gcc-") for has in licenses):
            wrong.append(f"no licence of {name}: {sorted(licenses)}")
    print(f"glibc {newest}; brings {', '.join(sorted(brought))}; licences: {', '.join(sorted(licenses))}")
    return wrong


def main(wheel: str, glibc: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        wrong = check(Path(folder), glibc)
    for line in wrong:
        print(f"{Path(wheel).name}: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
