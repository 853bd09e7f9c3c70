"""What `./dev bench --gpu-peers` needs, in a folder that can be carried to a machine without a network, in loads of a
limited size: wheels, a loader of OpenCL, scenes. Files are cut where a load is full."""

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import real
from contestants import say

PEERS = ("newton==1.8.0", "warp-lang==1.19.0")
SCENES = ("cloth-funnel", "rod-twist")
SUMS = "SHA256SUMS"  # of whole files, in every load
LOAD = 40  # MiB of a load: beside it a checkout travels
BLOCK = 1 << 20
PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
GLIBC = ("2_28", "2_27", "2_24", "2_17", "2_12", "2_5")
LOADER, DRIVER = "libOpenCL.so.1", "libnvidia-opencl.so.1"
VENDORS = "/etc/OpenCL/vendors"
DRIVERS = ("/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib")


# ---- loads


def sha256(path):
    made = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            made.update(block)
    return made.hexdigest()


def pack(files, folder, most):
    """Copies files to folder/0, folder/1 ..., each with at most so many bytes. A file that goes on in the next load is
    NAME.cut0, NAME.cut1 ..."""
    sums = "".join(f"{sha256(file)}  {file.name}\n" for file in files).encode()
    if most <= len(sums):
        raise ValueError(f"loads of {most} bytes are too small")
    load, room = None, 0
    for file in files:
        left, cut = file.stat().st_size, 0
        with open(file, "rb") as source:
            while left or not cut:
                if not room:
                    load = 0 if load is None else load + 1
                    room = most - begin(folder / str(load), sums)
                size = min(left, room)
                whole = size == left and not cut
                copy(source, folder / str(load) / (file.name if whole else f"{file.name}.cut{cut}"), size)
                left, room, cut = left - size, room - size, cut + 1
    return load + 1


def begin(load, sums):
    """Returns the bytes that every load has."""
    load.mkdir(parents=True)
    (load / SUMS).write_bytes(sums)
    return len(sums)


def copy(source, path, size):
    with open(path, "wb") as file:
        while size:
            block = source.read(min(size, BLOCK))
            file.write(block)
            size -= len(block)


def cuts_of(folder, name):
    """A file, or its cuts in order."""
    cuts = {}
    for path in folder.glob(f"[0-9]*/{name}*"):
        found = re.fullmatch(re.escape(name) + r"(?:\.cut(\d+))?", path.name)
        if found:
            cuts[int(found[1] or 0)] = path
    return [cuts[k] for k in sorted(cuts)]


def join(folder, into):
    """The files of all loads, whole, in `into`. What is not there, or not as it was, is an error."""
    lists = list(folder.glob(f"[0-9]*/{SUMS}"))
    if not lists:
        raise FileNotFoundError(f"{folder}: no load with a {SUMS}: --fetch makes them")
    if len({path.read_text() for path in lists}) > 1:
        raise ValueError(f"{folder}: loads of different fetches")
    into.mkdir(parents=True, exist_ok=True)
    for line in lists[0].read_text().splitlines():
        expected, name = line.split("  ", 1)
        path = into / name
        if path.exists() and sha256(path) == expected:
            continue
        with open(path, "wb") as whole:
            for cut in cuts_of(folder, name):
                with open(cut, "rb") as part:
                    shutil.copyfileobj(part, whole)
        if sha256(path) != expected:
            path.unlink()
            raise ValueError(f"{folder}: {name} is not whole: a load is not there, or was changed")


# ---- fetching


def download(python, wheel, into):
    platforms = [word for glibc in GLIBC for word in ("--platform", f"manylinux_{glibc}_x86_64")]
    platforms += ["--platform", "manylinux2014_x86_64", "--platform", "manylinux1_x86_64"]
    version = ["--python-version", python, "--implementation", "cp", *platforms]
    command = [*PIP, "download", "--only-binary=:all:", *version, "-d", into, *PEERS, "h5py", wheel]
    subprocess.run(list(map(str, command)), check=True, stdout=sys.stderr)


def loader():
    """The file of a loader of OpenCL, or None."""
    try:
        library = ctypes.CDLL(LOADER)
    except OSError:
        return None
    with open("/proc/self/maps") as maps:
        paths = [line.split(maxsplit=5)[-1].strip() for line in maps if "libOpenCL.so" in line]
    del library
    return Path(paths[0])


def fetch(folder, pythons, wheel, most):
    """Returns the number of loads."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / "0" / SUMS).exists():
            raise FileExistsError(f"{folder} has other files")
        shutil.rmtree(folder)
    with tempfile.TemporaryDirectory(prefix="impinge-") as made:
        made = Path(made)
        for python in pythons:
            say(f"wheels for Python {python}")
            download(python, wheel, made)
        found = loader()
        if found:
            shutil.copy(found, made / LOADER)
        for name in SCENES:
            for end in (".vtkhdf", ".pairs.npz"):
                if (real.DATA / (name + end)).exists():
                    shutil.copy(real.DATA / (name + end), made)
        return pack(sorted(made.iterdir()), folder, most)


# ---- the other machine


def check_python(sums, minor):
    """Fails where no wheel of a list is for this version of Python 3, and some are for others."""
    made_for = sorted({int(found) for found in re.findall(r"-cp3(\d+)-cp3\d+-", sums)})
    if made_for and minor not in made_for:
        versions = ", ".join(f"3.{found}" for found in made_for)
        raise ValueError(f"the wheels are for Python {versions}, this is 3.{minor}: --fetch --python 3.{minor} makes others")


def install(folder):
    """Returns the folder of packages, which is made once, and that of whole files."""
    whole, site = folder / "whole", folder / "site"
    join(folder, whole)
    check_python((folder / "0" / SUMS).read_text(), sys.version_info.minor)
    done, wanted = site / ".done", f"{sys.version} {sha256(whole.parent / '0' / SUMS)}"
    if not done.exists() or done.read_text() != wanted:
        say(f"packages, in {site}")
        shutil.rmtree(site, ignore_errors=True)
        names = [*PEERS, "h5py", "impinge"]
        command = [*PIP, "install", "--no-index", "--find-links", whole, "--no-compile", "--target", site, *names]
        subprocess.run(list(map(str, command)), check=True, stdout=sys.stderr)
        done.write_text(wanted)
    return site, whole


def environment(site, whole, given=os.environ, drivers=DRIVERS, vendors=VENDORS):
    """Variables with which a Python finds the packages, the scenes, a loader of OpenCL and NVIDIA's driver."""
    made = {**given, "PYTHONPATH": str(site), "PYTHONNOUSERSITE": "1"}
    if any(whole.glob("*.vtkhdf")):
        made.setdefault("IMPINGE_DATA", str(whole))
    if (whole / LOADER).exists() and not loader():
        made["LD_LIBRARY_PATH"] = ":".join(filter(None, (given.get("LD_LIBRARY_PATH"), str(whole))))
    told = any(name in given for name in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"))
    found = [path for folder in drivers if (path := Path(folder) / DRIVER).exists()]
    if found and not told and not any(Path(vendors).glob("*nvidia*")):
        (whole / "vendors").mkdir(exist_ok=True)
        (whole / "vendors/nvidia.icd").write_text(f"{found[0]}\n")
        made["OCL_ICD_VENDORS"] = str(whole / "vendors")
    return made
