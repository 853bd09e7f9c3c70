"""Several OpenCL devices of one machine (impinge run --device opencl:all) beside one of them. Where there is no GPU two
devices are made of the processors: PoCL's `basic`, which computes in the caller's thread, and its `pthread` with one
thread. Results are compared byte by byte."""

import os
import tempfile
from pathlib import Path

import shards
from contestants import say
from programs import Demand

FOLDED = ("cloth-fold", 200_000, 60)
TWO = {"POCL_DEVICES": "pthread basic", "POCL_MAX_PTHREAD_COUNT": "1"}

RUN_TWO = "folded cloth, 199,712 triangles, 60 frames: two devices of one processor each"
FIRST, SECOND, ALL = "the first", "the second", "both, opencl:all"

DEMANDS = [Demand(RUN_TWO, ALL, FIRST, "all", 1 / 1.5), Demand(RUN_TWO, ALL, SECOND, "all", 1 / 1.5)]


class Devices(shards.Shards):
    def on(self, batch, result, device):
        self.call("run", batch, "-o", result, "--device", device, "--threads", 1, "--force", "-q")

    def measure(self, args, folder):
        self.impinge = args.impinge
        os.environ.update(TWO)
        with tempfile.TemporaryDirectory(dir=folder, prefix="devices-") as where:
            batch, plain, result = (Path(where) / (name + ".vtkhdf") for name in ("folded", "plain", "result"))
            self.generate(batch, *FOLDED)
            self.run_batch(batch, plain)
            for device in ("1", "2", "opencl:all"):
                self.on(batch, result, device)
                self.same(plain, result)
            say("one device, the other, and both")
            times = shards.in_turns(
                {
                    FIRST: lambda: self.on(batch, result, "1"),
                    SECOND: lambda: self.on(batch, result, "2"),
                    ALL: lambda: self.on(batch, result, "opencl:all"),
                }
            )
        return shards.figures_of(RUN_TWO, "all", times)


RUN = Devices("devices", "impinge: several devices", "impinge", [], DEMANDS)
