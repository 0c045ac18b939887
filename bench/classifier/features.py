# SPDX-License-Identifier: MIT
"""The metrics that the classifier sees, in its order. All are ratios, or times and rates of one node or one processor, so that a faster or larger machine's
look alike. Suspect values (more than a roof) count: that a cache serves a model is a fact of it."""
import numpy

FEATURES = ("dispatch_cost_share", "mean_node_time", "microkernel_fraction_count", "microkernel_fraction_time", "launch_rate",
            "bandwidth_roof_fraction", "flops_roof_fraction", "intensity_over_ridge", "movement_time_share", "node_time_coverage",
            "cpu_utilisation", "run_delay_share", "off_cpu_share", "crowded_out_share", "involuntary_switch_rate", "psi_cpu", "quota_throttled_share",
            "pause_share", "threads_per_processor", "minor_fault_rate", "latency_cv_within")
CLASSES = ("launch-bound", "compute-bound", "memory-bound", "movement-bound", "cpu-bound", "quota-bound", "input-bound", "oversubscribed")
LEAST_SLOWER = 1.3  # an oversubscribed run that is not slower than its base by so much is limited by something else


def vector(metrics):
    return [metrics.get(name, numpy.nan) for name in FEATURES]


def known_rows(rows):
    """Those whose cause took effect."""
    rows = list(rows)
    base = {(row["file"], row["draw"]): row["metrics"].get("latency_p50") for row in rows if row["truth"] == row["base"]}
    for row in rows:
        before = base.get((row["file"], row["draw"]))
        is_slower = before is not None and row["metrics"]["latency_p50"] >= LEAST_SLOWER * before
        if row["truth"] == "oversubscribed" and (row["base"] == "launch-bound" or not is_slower):  # the runtime shares no tiny operator
            continue
        yield row
