# SPDX-License-Identifier: MIT
"""The wheel that scripts/package makes: test_wheel.py BUILD_FOLDER. Made once, of the modules of the daily build."""

import base64
import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python/packaging"))
sys.path.insert(0, str(SOURCE / "tests/cli"))
import components  # noqa: E402
import elf  # noqa: E402
import stage  # noqa: E402
import tiny_onnx  # noqa: E402
import wheel as wheels  # noqa: E402

BUILD = Path(sys.argv.pop(1))
WORK = Path(tempfile.mkdtemp())  # outside the sources, whose .deps/ the program would look into

# What the program and its modules open at run time. No table of a library names these, so that no checker of wheels sees them: a
# library that is opened must be listed here with the place that it comes from.
OPENED = {
    "libduckdb.so": "wheel",
    "libopenblas.so.0": "wheel",
    "libaaco_cuda.so": "wheel",
    "libaaco_hip.so": "wheel",
    "libaaco_observe_cuda.so": "wheel",
    "libonnxruntime.so": "extra: cpu, cuda or migraphx",
    **dict.fromkeys(
        ["libcublas.so.13", "libcublasLt.so.13", "libcublasLt.so.12", "libcudart.so.13", "libcudnn.so.9", "libcufft.so.12",
         "libcupti.so.13", "libcurand.so.10", "libnccl.so.2", "libnvJitLink.so.13", "libnvrtc.so.13"],
        "NVIDIA: CUDA 13, or its packages on PyPI"),
    **dict.fromkeys(["libcuda.so.1", "libnvidia-ml.so.1"], "NVIDIA's driver"),
    "libcuda.so": "not opened: the name that `aaco observe --pid` looks for among a process's mapped files",
    **dict.fromkeys(["libcudart.so", "libamdhip64.so"], "not opened: names that the kernel plane looks for among a process's mapped files"),
    "libc.so": "not opened: the beginning of the C library's name, among a process's mapped files",
    **dict.fromkeys(
        ["libamd_smi.so", "libamdhip64.so.6", "libamdhip64.so.7", "libMIOpen.so.1", "librccl.so.1", "librocblas.so.0", "librocblas.so.3", "librocblas.so.4",
         "librocblas.so.5", "librocprofiler-sdk.so.1", "librocprofiler-sdk-roctx.so", "librocprofiler-sdk-roctx.so.1", "libroctx64.so",
         "libroctx64.so.4"],
        "AMD's ROCm"),
}  # fmt: skip


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        wheels.COMPRESSION = 6  # a third of the time, and a hundredth larger: what is too large then is nearly so
        cls.path = wheels.build_wheel(BUILD, BUILD, WORK)
        cls.archive = zipfile.ZipFile(cls.path)
        cls.names = cls.archive.namelist()
        cls.info = next(name for name in cls.names if name.endswith("/METADATA")).split("/")[0]
        cls.target = WORK / "target"
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check",
                        "--target", str(cls.target), str(cls.path)], check=True)  # fmt: skip
        cls.native = cls.target / "aaco/native"

    @classmethod
    def tearDownClass(cls) -> None:
        cls.archive.close()
        shutil.rmtree(WORK)

    def read(self, name: str) -> str:
        return self.archive.read(f"{self.info}/{name}").decode()

    def run_installed(self, *arguments: str, **environment: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            clean = {"PATH": "/usr/bin:/bin", "HOME": folder, **environment}
            ended = subprocess.run([sys.executable, str(self.target / "bin/aaco"), *arguments], cwd=folder, env=clean, capture_output=True, text=True)
        return ended.stdout + ended.stderr

    def test_the_tag_is_what_the_files_need(self) -> None:
        self.assertIn(f"Tag: {wheels.TAG}\n", self.read("WHEEL"))
        self.assertIn(wheels.TAG, self.path.name)
        for file in self.native.rglob("*"):
            if file.is_file() and elf.is_elf(file):
                self.assertEqual(elf.too_new(file), [], file.name)
        # The check can fail: Debian 12's own libstdc++ needs a newer glibc, which is why it is not in a package.
        system = stage.find_library("libstdc++.so.6")
        self.assertRegex(" ".join(elf.too_new(system)), r"GLIBC_2\.3[5-9] \(.*arc4random")

    def test_auditwheel_agrees(self) -> None:
        try:
            import auditwheel  # noqa: F401
        except ImportError:
            self.skipTest("auditwheel is not installed")
        said = subprocess.run([sys.executable, "-m", "auditwheel", "show", str(self.path)], capture_output=True, text=True)
        constrained = re.search(r"constrains the platform tag to\s+\"(\S+)\"", said.stdout)
        self.assertTrue(constrained, said.stdout + said.stderr)
        self.assertEqual(constrained[1], "manylinux_2_34_x86_64")

    def test_every_library_that_is_opened_is_listed_and_what_should_be_here_is(self) -> None:
        seen = set()
        for file in [self.native / "bin/aaco", *self.native.glob("lib/aaco/libaaco_*.so")]:
            texts = subprocess.run(["strings", "-n", "6", str(file)], capture_output=True, text=True, check=True).stdout
            linked = set(elf.needed(file)) | elf.SYSTEM_LIBRARIES
            seen |= set(re.findall(r"^lib[\w+-]+\.so(?:\.\d+)*$", texts, re.MULTILINE)) - linked
        self.assertEqual(seen - set(OPENED), set())
        here = {file.name for file in (self.native / "lib/aaco").iterdir()}
        for name in ("libduckdb.so", "libopenblas.so.0"):
            self.assertIn(name, here)
        for name, origin in OPENED.items():
            if origin != "wheel":
                self.assertNotIn(name, here)

    def test_record_has_each_file_with_its_hash(self) -> None:
        rows = {name: (digest, size) for name, digest, size in csv.reader(self.read("RECORD").splitlines())}
        self.assertEqual(set(rows), set(self.names))
        self.assertEqual(rows.pop(f"{self.info}/RECORD"), ("", ""))
        for name, (digest, size) in rows.items():
            content = self.archive.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            self.assertEqual((digest, size), (f"sha256={expected}", str(len(content))), name)

    def test_the_sbom_names_every_bundled_library_with_licence_and_hash(self) -> None:
        bill = json.loads(self.read("sboms/aaco.cdx.json"))
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.6"))
        hashes = {}
        for component in bill["components"]:
            licence = component["licenses"][0]
            self.assertTrue(licence.get("expression") or licence["license"]["name"], component["name"])
            self.assertTrue(component["version"] and component["purl"], component["name"])
            for file in component.get("components", []):
                hashes[Path(file["name"]).name] = file["hashes"][0]["content"]
        own = {"libaaco_cuda.so", "libaaco_hip.so", "libaaco_observe_cuda.so"}
        libraries = {file.name: file for file in (self.native / "lib/aaco").iterdir() if file.is_file() and file.name not in own}
        self.assertTrue((self.native / "lib/aaco/aaco_python_hook/sitecustomize.py").is_file())
        self.assertEqual(set(hashes), set(libraries))
        for name, file in libraries.items():
            self.assertEqual(hashes[name], hashlib.sha256(file.read_bytes()).hexdigest(), name)
        self.assertLessEqual({"libcli11-dev", "nlohmann-json3-dev", "onnx"}, {each["name"] for each in bill["components"]})

    def test_a_library_without_a_licence_makes_no_package(self) -> None:
        with self.assertRaisesRegex(components.Problem, "bash has no licence"):
            components.debian_component("bash", "bundled library")

    def test_licences_are_in_the_metadata_and_the_files(self) -> None:
        metadata = self.read("METADATA")
        for name in re.findall(r"^License-File: (.*)$", metadata, re.MULTILINE):
            self.assertIn(f"{self.info}/licenses/{name}", self.names)
        self.assertRegex(metadata, r"License-Expression: .*\bMIT\b")
        for extra in ("cpu", "cuda", "migraphx", "arrow"):
            self.assertIn(f"Provides-Extra: {extra}\n", metadata)

    def test_the_same_sources_give_the_same_bytes(self) -> None:
        files = wheels.wheel_files(wheels.stage(BUILD, BUILD, WORK / "again"), WORK / "again/licences")
        self.assertEqual({name for name in self.names if name != f"{self.info}/RECORD"}, set(files))
        for name, (content, mode) in files.items():
            self.assertEqual(self.archive.read(name), content, name)
            self.assertEqual(self.archive.getinfo(name).external_attr >> 16, 0o100000 | mode, name)
            self.assertEqual(self.archive.getinfo(name).date_time, (2023, 11, 14, 22, 13, 20))
        self.assertEqual(self.names[:-1], sorted(self.names[:-1]))

    def test_modules_that_do_not_fit_are_wheels_which_complete_the_program(self) -> None:
        tree = wheels.stage(BUILD, BUILD, WORK / "apart")
        if not tree.modules:
            self.skipTest("no module is built here")
        module = tree.modules[0]
        whole = wheels.wheel_files(tree, WORK / "apart/licences")
        without = wheels.wheel_files(tree, WORK / "apart/licences", (module,))
        own = wheels.module_files(tree, module)
        moved = {name for name in whole if name not in without}
        self.assertEqual(moved, {name for name in own if name.startswith("aaco/native/")})
        self.assertTrue(moved)
        extra = wheels.MODULE_FILES[module][1]
        metadata = without[f"{self.info}/METADATA"][0].decode()
        self.assertIn(f'Requires-Dist: aaco-{module}=={tree.version}; extra == "{extra}"\n', metadata)
        path = wheels.write_wheel(WORK, f"aaco_{module}", tree.version, own)
        target = WORK / "module"
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check",
                        "--target", str(target), str(path)], check=True)  # fmt: skip
        for name in moved:
            self.assertEqual((target / name).read_bytes(), whole[name][0])

    def test_the_entry_point_starts_the_program_from_anywhere(self) -> None:
        version = self.info.removeprefix("aaco-").removesuffix(".dist-info")
        self.assertEqual(self.run_installed("--version"), f"{version}\n")
        link = WORK / "linked"  # as pipx and uv make it
        link.symlink_to(self.target / "bin/aaco")
        said = subprocess.run([sys.executable, str(link), "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, f"{version}\n")
        module = subprocess.run([sys.executable, "-m", "aaco", "--version"], env={"PYTHONPATH": str(self.target)}, capture_output=True, text=True, check=True)
        self.assertEqual(module.stdout, f"{version}\n")
        # What pip is to put a line with its interpreter's path above.
        self.assertTrue(self.archive.read(f"aaco-{version}.data/scripts/aaco").startswith(b"#!python\n"))

    def test_libraries_and_configs_are_the_wheels_own(self) -> None:
        findings = json.loads(self.run_installed("doctor", "--json"))
        details = {each["name"]: each["detail"] for each in findings["checks"]}
        self.assertIn(str(self.native / "lib/aaco/libduckdb.so"), details["DuckDB"])
        self.assertIn(str(self.native / "share/aaco/configs/models.yaml"), details["models.yaml"])
        bill = json.loads(self.read("sboms/aaco.cdx.json"))
        duckdb = next(each for each in bill["components"] if each["name"] == "duckdb")
        self.assertTrue(details["DuckDB"].startswith(f"v{duckdb['version']} "), details["DuckDB"])
        self.assertIn("not found in this Python", details["ONNX Runtime"])

    def test_onnx_runtime_is_that_of_the_interpreter_and_a_clash_is_named(self) -> None:
        runtime = next((SOURCE / ".deps/onnxruntime/lib").glob("libonnxruntime.so.*.*"))
        with tempfile.TemporaryDirectory() as folder:
            packages = Path(folder)
            (packages / "onnxruntime/capi").mkdir(parents=True)
            (packages / "onnxruntime/capi" / runtime.name).symlink_to(runtime)
            for name in ("onnxruntime-1.31.1", "onnxruntime_gpu-1.31.1"):
                (packages / f"{name}.dist-info").mkdir()
                (packages / f"{name}.dist-info/RECORD").write_text(f"onnxruntime/capi/{runtime.name},,\n")
            findings = json.loads(self.run_installed("doctor", "--json", PYTHONPATH=folder))
            model = packages / "relu.onnx"
            model.write_bytes(tiny_onnx.relu())
            first_run = self.run_installed("run", str(model), "--backend", "cpu", "--processes", "1", "--iterations", "2", PYTHONPATH=folder)
            no_provider = self.run_installed("run", str(model), "--backend", "cuda", "--processes", "1", PYTHONPATH=folder)
        details = {each["name"]: each for each in findings["checks"]}
        self.assertIn(str(packages / "onnxruntime/capi" / runtime.name), details["ONNX Runtime"]["detail"])
        clash = details["ONNX Runtime's packages"]
        self.assertEqual(clash["state"], "wrong version")
        self.assertTrue(clash["detail"].startswith("onnxruntime 1.31.1 and onnxruntime-gpu 1.31.1 are installed in one folder"))
        for said in (first_run, no_provider):
            self.assertIn("onnxruntime 1.31.1 and onnxruntime-gpu 1.31.1 are installed in one folder", said)
        self.assertEqual(clash["remedy"], "pip uninstall onnxruntime onnxruntime-gpu, then pip install the one that you need")

    def test_a_report_is_the_same_as_the_builds(self) -> None:
        trace = str(SOURCE / "tests/golden/traces/before_rank0.json")
        here = subprocess.run([str(BUILD / "bin/aaco"), "trace", "report", trace], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.run_installed("trace", "report", trace), here)


if __name__ == "__main__":
    unittest.main()
