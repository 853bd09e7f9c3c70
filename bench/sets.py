"""Instruction sets: what holds each contestant to one, so that a processor is measured as if it had
no more (--isa)."""

from dataclasses import dataclass, field


@dataclass
class Set:
    """Without a name: whatever the processor has."""

    isa: str = ""  # for `bench_job bench --isa`
    name: str = ""  # as `impinge devices` has it; the first word is a folder of bench/results
    march: str = "native"  # for compilers of peers
    embree: str = ""  # for rtcNewDevice
    environment: dict = field(default_factory=dict)  # for runtimes that compile when they start
    pocl: tuple = ()  # processors that PoCL then names: one of them
    too_wide: tuple = ()  # contestants that use more, whatever they are told

    @property
    def folder(self):
        return self.name.split(" ")[0]

    def compile_flags(self):
        flags = ["-march=" + self.march]
        return flags + ['-DEMBREE_ISA="%s"' % self.embree] if self.embree else flags

    def environment_in(self, build):
        """PoCL keeps what it compiled, whatever it was told when it did."""
        if not self.name:
            return {}
        return {**self.environment, "POCL_CACHE_DIR": str(build / "bench" / self.folder / "pocl")}

    def holds(self, name, device=""):
        """Is this contestant held? PoCL is if the name of its device says so."""
        if not self.name:
            return True
        if name == "PoCL":
            return any("-%s-" % p in device for p in self.pocl)
        known = ("cpu", "Intel OpenCL", "Embree", "CGAL", "ipc-toolkit", "FCL", "Coal")
        return name in known and name not in self.too_wide


def runtimes(pocl, intel, libc):
    """PoCL's library of built-in functions, which decides what processor it compiles for; that of
    Intel's runtime; what glibc's memcpy must not use."""
    return {
        "POCL_KERNELLIB_NAME": pocl,
        "CL_CONFIG_CPU_TARGET_ARCH": intel,
        **({"GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + libc} if libc else {}),
    }


NO_AVX512 = "-AVX512F,-AVX512VL,-AVX512BW"

NATIVE = Set()
SETS = [  # each has all of those before it
    Set(
        *("base", "x86-64 (SSE2)", "x86-64", "isa=sse2"),
        runtimes("sse2", "corei7", NO_AVX512 + ",-AVX2,-AVX,-AVX_Fast_Unaligned_Load"),
        pocl=("athlon64", "x86-64"),
        too_wide=("Intel OpenCL", "ipc-toolkit"),  # SSE4.2 at least; compiled for AVX2
    ),
    Set(
        *("v3", "x86-64-v3 (AVX2)", "x86-64-v3", "isa=avx2"),
        runtimes("avx2", "core-avx2", NO_AVX512),
        pocl=("haswell",),
    ),
    Set(
        *("v4", "x86-64-v4 (AVX-512)", "x86-64-v4", "isa=avx512"),
        runtimes("avx512", "skx", ""),
        pocl=("skylake-avx512",),
    ),
]


def choose(isa, native):
    """A set by the word of --isa, NATIVE for "", and None if a processor of the set `native` does
    not have it."""
    if not isa:
        return NATIVE
    names = [s.name for s in SETS]
    wanted = next(s for s in SETS if s.isa == isa)
    has = native in names and names.index(wanted.name) <= names.index(native)
    return wanted if has else None
