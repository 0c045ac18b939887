# SPDX-License-Identifier: MIT
"""The metrics that the classifier sees, in its order. All are ratios, or times and rates of one node or one processor, so that a faster or larger machine's
look alike. Suspect values (more than a roof) count: that a cache serves a model is a fact of it."""
import numpy

FEATURES = ("dispatch_cost_share", "mean_node_time", "microkernel_fraction_count", "microkernel_fraction_time", "cpu_overhead_ratio", "launch_rate",
            "bandwidth_roof_fraction", "flops_roof_fraction", "intensity_over_ridge", "high_intensity_time_share", "movement_time_share", "node_time_coverage",
            "cpu_utilisation", "run_delay_share", "off_cpu_share", "crowded_out_share", "involuntary_switch_rate", "psi_cpu", "quota_throttled_share",
            "quota_throttled_periods", "pause_share", "threads_per_processor", "minor_fault_rate", "latency_cv_within")
CLASSES = ("launch-bound", "compute-bound", "memory-bound", "movement-bound", "cpu-bound", "quota-bound", "input-bound", "oversubscribed")
LEAST_SLOWER = 1.1  # an oversubscribed run that is not slower than its base by so much is limited by something else


def vector(metrics):
    return [metrics.get(name, numpy.nan) for name in FEATURES]


def known_rows(rows):
    """Those whose cause took effect."""
    base = {(row["file"], row["draw"]): row["metrics"].get("latency_p50") for row in rows if row["truth"] == row["base"]}
    for row in rows:
        before = base.get((row["file"], row["draw"]))
        if row["truth"] == "oversubscribed" and (before is None or row["metrics"]["latency_p50"] < LEAST_SLOWER * before):
            continue
        yield row
