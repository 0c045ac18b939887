#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""on_other_machine.py xeon|bare COMMAND...: runs a command where /proc/cpuinfo and /sys/devices/system/cpu tell of another processor
than this machine's, with other environment variables: what passes only on one machine fails there. The processors stay as many.

xeon: a Xeon with a frequency driver, a fourth level of cache and other vulnerabilities; more variables are set.
bare: neither vulnerabilities nor caches, as in some sandboxes; of the variables only PATH and TMPDIR.

The double is bound over the real files in a mount namespace of its own. Where that is not allowed it exits with 77 and says so."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip  # noqa: E402

CPUINFO, CPUS = pathlib.Path("/proc/cpuinfo"), pathlib.Path("/sys/devices/system/cpu")
MORE_VARIABLES = {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_L2_SIZE": "524288", "MKL_CBWR": "COMPATIBLE", "AACO_ANOTHER": "1", "MALLOC_ARENA_MAX": "4"}
XEON = {"vendor_id": "GenuineIntel", "cpu family": "6", "model": "143", "model name": "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "stepping": "8",
        "microcode": "0xffffffff", "bugs": "spectre_v1 spectre_v2 spec_store_bypass swapgs retbleed eibrs_pbrsb gds"}
VULNERABILITIES = {"retbleed": "Mitigation: Enhanced IBRS", "gather_data_sampling": "Unknown: Dependent on hypervisor status", "mds": "Not affected"}
FREQUENCY = {"scaling_governor": "powersave", "scaling_driver": "intel_pstate", "energy_performance_preference": "balance_performance",
             "scaling_min_freq": "800000", "scaling_max_freq": "3800000"}


def write(files, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text + "\n")


def copy_texts(source, target):
    """sysfs as plain files; links lead out of what is copied, and some files cannot be read."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_symlink():
            continue
        if entry.is_dir():
            copy_texts(entry, target / entry.name)
        else:
            try:
                (target / entry.name).write_bytes(entry.read_bytes())
            except OSError:
                pass


def xeon_line(line):
    key, colon, _value = line.partition(":")
    return f"{key}: {XEON[key.strip()]}" if colon and key.strip() in XEON else line


def make_double(name, folder):
    """The files of `folder`: cpuinfo, and cpu/ as /sys/devices/system/cpu."""
    cpus = folder / "cpu"
    copy_texts(CPUS, cpus)
    shutil.rmtree(cpus / "vulnerabilities", ignore_errors=True)
    processors = [path for path in cpus.glob("cpu[0-9]*") if path.is_dir()]
    lines = CPUINFO.read_text().splitlines()
    if name == "xeon":
        lines = [xeon_line(line) for line in lines]
        write(VULNERABILITIES, cpus / "vulnerabilities")
        write({"no_turbo": "0"}, cpus / "intel_pstate")
        for path in processors:
            write(FREQUENCY, path / "cpufreq")
            write({"level": "4", "type": "Unified", "size": "128M", "shared_cpu_list": "0"}, path / "cache" / "index9")
    else:
        lines = [line for line in lines if line.partition(":")[0].strip() not in ("microcode", "bugs")]
        for path in processors:
            shutil.rmtree(path / "cache", ignore_errors=True)
    (folder / "cpuinfo").write_text("\n".join(lines) + "\n")


def variables_of(name):
    if name == "xeon":
        return {**os.environ, **MORE_VARIABLES}
    return {key: value for key, value in os.environ.items() if key in ("PATH", "TMPDIR")}


def main(name, *command):
    bind = f'mount --bind "$0/cpuinfo" {CPUINFO} && mount --bind "$0/cpu" {CPUS}'
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        make_double(name, folder)
        tried = subprocess.run(["unshare", "--mount", "sh", "-c", bind, folder], capture_output=True, text=True)
        if tried.returncode != 0:
            skip(f"no files can be bound over {CPUINFO} and {CPUS} here: {tried.stderr.strip()}")
        return subprocess.run(["unshare", "--mount", "sh", "-c", bind + ' && exec "$@"', folder, *command], env=variables_of(name)).returncode


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("xeon", "bare"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
