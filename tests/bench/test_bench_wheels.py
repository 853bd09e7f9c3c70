"""bench/gpu_wheels.py and bench/gpu_peers.py, without packages: loads and what is made of them, variables, options, and
where a table goes."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import gpu_peers
import gpu_wheels

MOST = 2000
SIZES = {"a.whl": 5000, "b": 0, "c.npz": 1, "d.whl": 32_345, "d.whl2": 7}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Loads(Folder):
    def setUp(self):
        super().setUp()
        self.files = []
        for k, (name, size) in enumerate(SIZES.items()):
            self.files.append(self.folder / name)
            self.files[-1].write_bytes(bytes((k + i * i) % 251 for i in range(size)))
        self.loads, self.whole = self.folder / "loads", self.folder / "whole"
        self.count = gpu_wheels.pack(self.files, self.loads, MOST)

    def join(self):
        gpu_wheels.join(self.loads, self.whole)

    def assertFails(self, *words):
        with self.assertRaises((ValueError, OSError)) as failed:
            self.join()
        for word in words:
            self.assertIn(word, str(failed.exception))

    def test_whole(self):
        self.join()
        for file in self.files:
            self.assertEqual((self.whole / file.name).read_bytes(), file.read_bytes(), file.name)
        self.assertEqual(len(list(self.whole.iterdir())), len(SIZES))

    def test_loads_are_full_and_no_larger(self):
        self.assertEqual(sorted(p.name for p in self.loads.iterdir()), sorted(map(str, range(self.count))))
        sizes = [sum(p.stat().st_size for p in (self.loads / str(k)).iterdir()) for k in range(self.count)]
        self.assertEqual(set(sizes[:-1]), {MOST})
        self.assertLessEqual(sizes[-1], MOST)
        self.assertTrue(list(self.loads.glob("*/d.whl.cut10")))  # which comes after .cut9

    def test_again_where_whole_files_are_spoilt(self):
        self.join()
        (self.whole / "a.whl").write_bytes(b"")
        self.test_whole()

    def test_a_load_is_not_there(self):
        path = next(self.loads.glob("*/d.whl.cut3"))
        path.rename(self.folder / "aside")
        self.assertFails("d.whl", "not whole")
        self.assertFalse((self.whole / "d.whl").exists())
        (self.folder / "aside").rename(path)
        self.test_whole()

    def test_a_byte_is_another(self):
        path = next(self.loads.glob("*/a.whl.cut1"))
        path.write_bytes(b"\0" + path.read_bytes()[1:])
        self.assertFails("a.whl")

    def test_of_two_fetches(self):
        (self.loads / "1" / gpu_wheels.SUMS).write_text("")
        self.assertFails("different fetches")

    def test_nothing(self):
        with self.assertRaisesRegex(FileNotFoundError, "--fetch"):
            gpu_wheels.join(self.folder, self.whole)

    def test_other_versions_of_python(self):
        some = "".join(f"00  {name}.whl\n" for name in ("h5py-3-cp39-cp39-any", "h5py-3-cp312-cp312-any", "impinge-0-cp38-abi3-any"))
        gpu_wheels.check_python(some, 12)
        gpu_wheels.check_python("00  newton-1-py3-none-any.whl\n", 8)
        for minor in (8, 11):
            with self.assertRaisesRegex(ValueError, f"3.9, 3.12, this is 3.{minor}"):
                gpu_wheels.check_python(some, minor)

    def test_too_small(self):
        with self.assertRaises(ValueError):
            gpu_wheels.pack(self.files, self.folder / "small", 10)

    def test_does_not_replace_what_others_made(self):
        with self.assertRaises(FileExistsError):
            gpu_wheels.fetch(self.folder, [], None, MOST)


class Variables(Folder):
    def of(self, given, loader=None, driver=False, vendors="vendors of this machine"):
        drivers = self.folder / "drivers"
        drivers.mkdir(exist_ok=True)
        (drivers / gpu_wheels.DRIVER).unlink(missing_ok=True)
        if driver:
            (drivers / gpu_wheels.DRIVER).touch()
        with mock.patch.object(gpu_wheels, "loader", lambda: loader):
            return gpu_wheels.environment(Path("/site"), self.folder, given, [drivers], self.folder / vendors)

    def test_packages(self):
        self.assertEqual(self.of({"A": "b"}), {"A": "b", "PYTHONPATH": "/site", "PYTHONNOUSERSITE": "1"})

    def test_scenes(self):
        (self.folder / "cloth.vtkhdf").touch()
        self.assertEqual(self.of({})["IMPINGE_DATA"], str(self.folder))
        self.assertEqual(self.of({"IMPINGE_DATA": "mine"})["IMPINGE_DATA"], "mine")

    def test_a_loader_where_there_is_none(self):
        (self.folder / gpu_wheels.LOADER).touch()
        self.assertEqual(self.of({"LD_LIBRARY_PATH": "x"})["LD_LIBRARY_PATH"], f"x:{self.folder}")
        self.assertEqual(self.of({})["LD_LIBRARY_PATH"], str(self.folder))
        self.assertNotIn("LD_LIBRARY_PATH", self.of({}, loader=Path("its own")))

    def test_a_driver_that_no_file_names(self):
        made = self.of({}, driver=True)
        icd = Path(made["OCL_ICD_VENDORS"]) / "nvidia.icd"
        self.assertEqual(icd.read_text().strip(), str(self.folder / "drivers" / gpu_wheels.DRIVER))
        self.assertNotIn("OCL_ICD_VENDORS", self.of({}))
        self.assertEqual(self.of({"OCL_ICD_VENDORS": "mine"}, driver=True)["OCL_ICD_VENDORS"], "mine")
        self.assertNotIn("OCL_ICD_VENDORS", self.of({"OCL_ICD_FILENAMES": "mine"}, driver=True))
        self.assertNotIn("OCL_ICD_VENDORS", self.of({}, driver=True, vendors="vendors"))  # of nvidia.icd


class Command(Folder):
    def test_options(self):
        for words in (["--fetch", "a", "--keep"], ["--fetch", "a", "--wheels", "b"], ["--keep", "--small"], ["--load", "0"], ["--keep", "--scenes", "a"], ["--small", "--scenes", "a"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                gpu_peers.parse(words)
        self.assertEqual(gpu_peers.parse(["--fetch", "a", "--python", "3.10", "3.12"]).python, ["3.10", "3.12"])

    def stored(self, newton):
        results, out = self.folder / "results", self.folder / "out"
        for path in (results, out):
            path.mkdir(exist_ok=True)
        (out / "gpu-peers.md").write_text(f"# title\n\nPython 3; newton on {newton}; impinge on it.\n")
        (out / "gpu-peers.csv").touch()
        with (
            mock.patch.multiple(gpu_peers, RESULTS=results, ROOT=self.folder, instruction_set=lambda _: "x86-64-v3 (AVX2)"),
            mock.patch.object(gpu_peers, "say"),
        ):
            gpu_peers.keep(out, self.folder)
        return {path.parent.name for path in results.glob("*/gpu-peers.*")}

    def test_kept_by_device(self):
        self.assertEqual(self.stored("NVIDIA H200"), {"nvidia-h200"})

    def test_kept_without_a_gpu(self):
        self.assertEqual(self.stored("the processor, one thread"), {"x86-64-v3"})


if __name__ == "__main__":
    unittest.main()
