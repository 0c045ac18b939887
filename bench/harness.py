# SPDX-License-Identifier: MIT
"""What the measuring scripts of this folder share."""
import concurrent.futures
import ctypes
import json
import math
import os
import platform
import queue
import shutil
import subprocess
import sys
import time


def revision():
    """Of the sources, "-dirty" behind it where files were changed since; AACO_REVISION says it of a program that was carried elsewhere."""
    git = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=os.path.dirname(os.path.abspath(__file__)), capture_output=True, text=True)
    return os.environ.get("AACO_REVISION") or (git.stdout.strip() if git.returncode == 0 else "unknown")


def environment(aaco):
    """Where and with what a result was measured."""
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,power.limit", "--format=csv,noheader"], capture_output=True,
                         text=True).stdout.strip() if shutil.which("nvidia-smi") else "none"
    version = subprocess.run([aaco, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return dict(cpu=cpu, processors=os.cpu_count(), kernel=platform.release(), load=os.getloadavg(), gpu=gpu, aaco=version, revision=revision(),
                date=time.strftime("%Y-%m-%d", time.gmtime()))


def json_of(command, allowed=(0,), variables=None):
    """What a command prints, as JSON; ends the program when its exit code is not one of `allowed`. `variables`: of its environment, beside ours."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(variables or {})})
    if done.returncode not in allowed:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def rows_of(aaco, session, select):
    """The rows of a query over a session's tables, as dicts."""
    return json_of([aaco, "trace", "sql", "--session", str(session), "--json", select])


def integers_of(duckdb, query):
    """The rows of a query on Parquet files whose columns are integers; `duckdb` is the path of libduckdb.so."""
    library = ctypes.CDLL(duckdb)
    library.duckdb_value_int64.restype = ctypes.c_int64
    for function in ("duckdb_row_count", "duckdb_column_count"):
        getattr(library, function).restype = ctypes.c_uint64
    library.duckdb_result_error.restype = ctypes.c_char_p
    database, connection, result = ctypes.c_void_p(), ctypes.c_void_p(), (ctypes.c_uint64 * 6)()
    if library.duckdb_open(None, ctypes.byref(database)) or library.duckdb_connect(database, ctypes.byref(connection)):
        sys.exit(f"{duckdb}: cannot open a database")
    if library.duckdb_query(connection, query.encode(), result):
        sys.exit(f"{query}: {library.duckdb_result_error(result).decode()}")
    columns = library.duckdb_column_count(result)
    rows = [[library.duckdb_value_int64(result, ctypes.c_uint64(column), ctypes.c_uint64(row)) for column in range(columns)]
            for row in range(library.duckdb_row_count(result))]
    library.duckdb_destroy_result(result)
    library.duckdb_disconnect(ctypes.byref(connection))
    library.duckdb_close(ctypes.byref(database))
    return rows


def in_lanes(lanes, count, measure):
    """measure(i, lane) of each i below count, in each lane one at a time; what they give, in the order of i."""
    free = queue.SimpleQueue()
    for lane in lanes:
        free.put(lane)

    def one(i):
        lane = free.get()
        try:
            return measure(i, lane)
        finally:
            free.put(lane)
    with concurrent.futures.ThreadPoolExecutor(len(lanes)) as pool:
        return list(pool.map(one, range(count)))


def t_quantile(p, degrees):
    """Student's t by bisection on its distribution function, integrated by Simpson's rule."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    density = lambda x: scale * (1 + x * x / degrees) ** (-(degrees + 1) / 2)

    def cdf(x, n=400):
        h = x / n
        return 0.5 + h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) * density(i * h) for i in range(n + 1))
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if cdf(middle) < p else (low, middle)
    return (low + high) / 2


def interval(values, confidence):
    """The mean of values and its interval by Student's t."""
    n = len(values)
    mean = sum(values) / n
    sigma = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    half = t_quantile(0.5 + confidence / 2, n - 1) * sigma / math.sqrt(n)
    return mean, mean - half, mean + half


def clopper_pearson(k, n, confidence=0.95):
    """Exact interval of a probability of which n trials showed k, by bisection on the binomial distribution function."""
    if n == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    cdf = lambda p, k: sum(math.comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(k + 1))

    def solve(condition):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if condition(middle) else (low, middle)
        return low
    return (0.0 if k == 0 else solve(lambda p: 1 - cdf(p, k - 1) < tail), 1.0 if k == n else solve(lambda p: cdf(p, k) > tail))
