"""Contacts and distances on a GPU beside newton's, false and missed pairs counted: bench/python/gpu_peers.py, also on a
machine without a network. Without --fetch and --wheels both are done here."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import gpu_wheels
import programs
from contestants import instruction_set, say

ROOT = Path(__file__).resolve().parent.parent
NAME = "gpu-peers"
RESULTS, OUT = ROOT / "bench/results", ROOT / "build/bench/out"
RUN = programs.Program(NAME, "impinge beside newton: pairs, and times where both are on a GPU", None, [])


def parse(words):
    p = argparse.ArgumentParser(prog="./dev bench --gpu-peers", description=__doc__, allow_abbrev=False)
    here = "%d.%d" % sys.version_info[:2]
    p.add_argument("--gpu-peers", action="store_true", help="names this run")
    p.add_argument("--fetch", type=Path, metavar="DIR", help="only makes DIR, with all that is needed, in loads DIR/0, DIR/1 ...")
    p.add_argument("--wheels", type=Path, metavar="DIR", help="only runs, with what --fetch has made; needs no network")
    p.add_argument("--python", nargs="+", default=[here], metavar="X.Y", help=f"with --fetch: versions that may run it ({here})")
    p.add_argument("--load", type=int, default=gpu_wheels.LOAD, metavar="MIB", help=f"with --fetch: the most of a load ({gpu_wheels.LOAD})")
    p.add_argument("--small", action="store_true", help="a scene that takes seconds")
    p.add_argument("--scenes", nargs="+", metavar="NAME", help="only these, where a machine is lent for minutes: see the script")
    p.add_argument("--device", help="of impinge (NVIDIA's; the host where newton has no GPU)")
    p.add_argument("--out", type=Path, default=OUT, metavar="DIR", help="for the tables (build/bench/out)")
    p.add_argument("--keep", action="store_true", help="copies them to bench/results, to the folder of the GPU or the instruction set")
    args = p.parse_args(words)
    if args.fetch and (args.wheels or args.small or args.scenes or args.device or args.keep):
        p.error("--fetch runs nothing")
    if args.small and args.scenes:
        p.error("--small is a scene of its own")
    if args.keep and (args.small or args.scenes):
        p.error("--keep is for all scenes")
    if args.load < 1:
        p.error("--load: from 1 on")
    return args


def wheel():
    """That ./dev wheel has made."""
    made = sorted((ROOT / "build/wheel").glob("impinge-*_x86_64.whl"))
    if not made:
        sys.exit("no wheel of impinge in build/wheel: ./dev wheel x86_64")
    return made[-1]


def start(python, *words, **more):
    return subprocess.run([*python, *map(str, words)], **more)


def compare(folder, args):
    site, whole = gpu_wheels.install(folder)
    env = gpu_wheels.environment(site, whole)
    script = [sys.executable, "-B", ROOT / "bench/python/gpu_peers.py"]
    path = args.out / (NAME + "-figures.csv")
    args.out.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    words = ["--csv", path] + ["--small"] * args.small + (["--device", args.device] if args.device else [])
    words += ["--scenes", *args.scenes] if args.scenes else []
    done = start(script, *words, env=env, stdout=subprocess.PIPE, text=True)
    if not path.exists():
        return done.returncode or 1
    figures = programs.read_csv(path)
    path.unlink()
    head = next(line for line in done.stdout.splitlines() if line.startswith("Python "))
    RUN.write_all(args.out, figures, head + ".", None)
    print((args.out / (NAME + ".md")).read_text())
    if args.keep and not done.returncode:
        keep(args.out, site)
    return done.returncode


def keep(out, site):
    """In the folder of the GPU as its table names it, else of the instruction set."""
    head = (out / (NAME + ".md")).read_text().splitlines()[2]
    gpu = head.split("newton on ")[1].split(";")[0]
    isa = instruction_set(site / "impinge/bin/impinge").split(" ")[0]
    folder = RESULTS / (isa if gpu.startswith("the processor") else gpu.lower().replace(" ", "-"))
    folder.mkdir(exist_ok=True)
    for end in (".md", ".csv"):
        shutil.copy(out / (NAME + end), folder)
    say(f"stored in {folder.relative_to(ROOT)}")


def main():
    args = parse(sys.argv[1:])
    folder = args.fetch or args.wheels or ROOT / "build/gpu-peers"
    try:
        if not args.wheels:
            loads = gpu_wheels.fetch(folder.resolve(), args.python, wheel(), args.load << 20)
            say(f"{folder}: {loads} loads, {folder}/0 to {folder}/{loads - 1}, each with at most {args.load} MiB")
        return 0 if args.fetch else compare(folder.resolve(), args)
    except (OSError, ValueError, subprocess.CalledProcessError) as e:
        sys.exit(f"./dev bench --gpu-peers: {e}")


if __name__ == "__main__":
    sys.exit(main())
