"""What `./dev bench` can be told."""

import argparse
import os
from pathlib import Path

import caches
import contours
import devices
import exact
import inside
import load
import moving
import near
import outlier
import package
import peers
import programs
import sets
import shards
import sizes
import space
import steps
import threads
import truth
from contestants import instruction_set

BUILD = Path(__file__).resolve().parent.parent / "build"
APART = {"outlier": outlier, "sizes": sizes, "moving": moving, "load": load, "steps": steps}  # runs of their own,
CLUSTER = [shards.RUN_SHARDS, space.RUN, devices.RUN, threads.RUN]
PYTHON = [package.RUN, peers.RUN, truth.RUN, near.RUN, inside.RUN, contours.RUN, caches.RUN]
APART |= {run.__name__: run for run in [*programs.ALL, exact.RUN, *PYTHON, *CLUSTER]}  # and those that are programs


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, "%s: %s\n" % (self.prog, message))


def is_program(run):
    return isinstance(run, programs.Program)


def holds(isa, native):
    """Nothing holds a program to a set: it has what the processor has."""
    return isa.name in ("", native)


def parse(text):
    more = "A run with options of its own: ./dev bench --gpu-peers --help"
    p = Parser(prog="./dev bench", description=text, epilog=more)

    def option(name, text, **kind):
        p.add_argument(name, help=text, **(kind or {"action": "store_true"}))

    every = ["*"]
    program = BUILD / "release/impinge"
    option("--rows", "such as 'cloth-2*/contacts' (all)", nargs="+", default=every, metavar="NAME")
    option("--reps", "least number of turns of each (7)", type=int, default=7, metavar="N")
    option("--large", "also 20 million triangles, impinge only")
    option("--hash", "also candidates as --broad hash finds them")
    option("--trees", "also by --broad tree: two bodies beside FCL and Coal, a body with itself")
    option("--awkward", "also scenes that grids don't like, and 1,000 small frames, impinge only")
    option("--outlier", "instead: what a large triangle costs, over its size")
    option("--sizes", "instead: time for each tetrahedron, from 10^4 to 10^7, impinge only")
    option("--moving", "instead: frames in which a tool alone moves, kept and anew")
    option("--steps", "instead: between two frames alone, beside ipc-toolkit: rows swept-*")
    option("--load", "instead: how long a batch takes to load, also compressed, beside h5py")
    option("--model", "instead: a model in memory of which 1 %% move")
    option("--missile", "instead: a missile's flight, watched by four kinds of detectors")
    option("--tree-table", "instead: all kinds of trees beside each other")
    option("--refit", "instead: when trees of a cloth are better made again")
    option("--growth", "instead: trees of spheres and the hash, from 10^4 to 10^7 triangles")
    option("--pcs", "instead: possible collision sets of bodies of many sizes, scenes and stacks, beside what others take")
    option("--exact", "instead: false negatives and positives between frames, beside ipc-toolkit")
    option("--distance", "instead: distances of convex bodies that are known, beside libccd")
    option("--python", "instead: the Python package beside C, ipctk, trimesh and FCL")
    option("--peers", "instead: pairs beside trueform, MeshLib, igl, Embree 4 and FCL, with 1, 2, ... all threads")
    option("--truth", "instead: verdicts on pairs of triangles beside CGAL and igl")
    option("--near", "instead: distances beside ipctk, trueform, FCL and Coal")
    option("--inside", "instead: points in closed meshes beside trimesh, igl, trueform, MeshLib and VTK")
    option("--contours", "instead: curves of two bodies beside trueform, and beside contacts")
    option("--caches", "instead: deforming caches beside h5py and ovclash")
    option("--shards", "instead: shards one after another, their join, and a thousand of them")
    option("--space", "instead: frames in slabs: time, memory, and how many primitives slabs have")
    option("--devices", "instead: two OpenCL devices of the processors beside one of them")
    option("--threads", "instead: what of each stage one thread does alone, and how much faster several are")
    option("--keep", "copy the results to bench/results, to the folder of the instruction set; all, without a run of its own")
    option("--check", "fail if they are worse than those in bench/results, or than --against")
    option("--against", "another impinge: which of both is faster", type=Path, metavar="PROGRAM")
    option("--isa", "all held to this instruction set", choices=[s.isa for s in sets.SETS])
    option("--impinge", "another program to time", type=Path, default=program, metavar="PATH")
    args = p.parse_args()
    if args.reps < 1:
        p.error("--reps: from 1 on")
    if args.keep and args.rows != every:
        p.error("--keep is for all rows")
    if args.keep and args.against:
        p.error("--keep is for times beside peers, which do not take part with --against")
    apart = [name for name in APART if getattr(args, name.replace("-", "_"))]
    if apart and (len(apart) > 1 or args.large or args.hash or args.trees or args.awkward):
        p.error("--%s is a run of its own" % apart[0])
    args.apart = APART[apart[0]] if apart else None
    if args.against and (hasattr(args.apart, "contestants") or is_program(args.apart)):
        p.error("--%s is measured beside its own peer only, not --against" % apart[0])
    if args.against and not os.access(args.against, os.X_OK):
        p.error("--against: %s is no program" % args.against)
    args.against = args.against and args.against.resolve()
    args.native = instruction_set(args.impinge)
    isa, args.isa = args.isa, sets.choose(args.isa, args.native)
    if not args.isa:
        p.error("--isa %s: this processor has %s" % (isa, args.native))
    if is_program(args.apart) and not holds(args.isa, args.native):
        p.error("--%s cannot be held to an instruction set" % apart[0])
    return args
