"""The join of shards as VTK's own reader shows it: all frames, forth and back, are those of a single run.
shards.py IMPINGE, in an empty folder."""
import subprocess
import sys

from same import check

IMPINGE, SHARDS = sys.argv[1], 5


def impinge(*words):
    subprocess.run([IMPINGE, *words, "-q"], check=True)


impinge("generate", "cloth-ball", "-o", "in.vtkhdf", "-n", "3000", "--frames", "23")
impinge("run", "in.vtkhdf", "-o", "whole.vtkhdf")
for i in range(SHARDS):
    impinge("run", "in.vtkhdf", "-o", f"shard{i}.vtkhdf", "--shard", f"{i}/{SHARDS}")
shards = [f"shard{i}.vtkhdf" for i in range(SHARDS)]
impinge("merge", "join.vtkhdf", *shards, "--virtual")
impinge("merge", "copy.vtkhdf", *shards, "--copy")
for name in ("join.vtkhdf", "copy.vtkhdf"):
    frames, points = check("whole.vtkhdf", name)
    assert frames == 23 and points > 24 * 1000, (name, frames, points)
