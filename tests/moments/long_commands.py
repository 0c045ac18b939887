# SPDX-License-Identifier: MIT
"""Commands that work for long, and moments at which something may happen to them."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "limits"))
from commands import Place  # noqa: E402

ENDLESS = "'with recursive t(i) as (select 1 union all select i+1 from t) select count(*) from t'"
LONG = ["trace report", "trace report page", "trace report gzip", "trace report session", "trace diff", "trace import", "trace export chrome",
        "trace export perfetto", "trace export parquet", "sessions verify trace", "endless sql", "long run", "long queue", "long training"]
MORE = {
    "sessions verify trace": "sessions verify {trace}",
    "endless sql": f"trace sql --session {{trace}} --sessions sessions {ENDLESS}",
    "long run": "run relu.onnx --backend cpu --threads 1 --processes 2 --iterations 100000000 --warmup 0 --no-roofs --quiet --telemetry --sessions {out}",
    "long queue": "queue run tiny_kernel_stress --device cpu --streams 3 --iterations 100000000 --warmup 1 --processes 1 --param tensor_size=64 "
                  "--param ops_per_stream=5 --quiet --sessions {out}",
    "long training": "llama run --preset nano --device cpu:0 --num-steps 900000 --warmup 1 --processes 1 --no-check --quiet --sessions {out}",
}


def long_place(aaco, folder, full):
    return Place(aaco, folder, events=2_000_000 if full else 90_000, more=MORE)


def is_endless(name):
    return name.startswith(("endless", "long"))


def moments_of(place, name, full):
    """Seconds after the start, spread over how long the command takes."""
    if is_endless(name):
        return [0.2, 0.7, 1.5] if full else [0.7]
    seconds = []
    for _ in range(2):  # the first one loads libraries, too
        out = pathlib.Path(tempfile.mkdtemp(dir=place.folder))
        began = time.monotonic()
        subprocess.run(place.line(name, out), cwd=place.folder, env=place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds.append(time.monotonic() - began)
        shutil.rmtree(out)
    return [min(seconds) * part for part in ((0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.93) if full else (0.25, 0.6))]
