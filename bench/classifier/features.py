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


# Limits that the rules have a class for: a run of another one tells nothing of them.
OF_RULES = ("launch-bound", "compute-bound", "memory-bound", "cpu-bound", "quota-bound")
# Recorded before `aaco run --load` told what the kernel woke a sleeping thread too late by from its sleep.
SLEPT_LATE = ("378a5af64a6a",)


SHARES_NOTHING = "the runtime shares no tiny operator among threads"
NOT_SLOWER = f"not {LEAST_SLOWER} times slower than its undisturbed run"
NO_EFFECT = (SHARES_NOTHING, NOT_SLOWER)


def why_left_out(row, undisturbed):
    """Why the cause of a run did not take effect, or was measured otherwise; none where the run is judged. `undisturbed`: the mean latency of the same draw
    without the cause."""
    if row["truth"] == "input-bound" and row["revision"] in SLEPT_LATE:
        return "its waking late counted as sleep"
    if row["truth"] == "quota-bound" and not row["metrics"].get("quota_throttled_share"):
        return "the quota stopped nothing"
    if row["truth"] == "oversubscribed":
        if row["base"] == "launch-bound":
            return SHARES_NOTHING
        if undisturbed is None:
            return "without its undisturbed run"
        if row["metrics"]["latency_mean"] < LEAST_SLOWER * undisturbed:
            return NOT_SLOWER
    return None


def with_reasons(rows):
    """Each row, and why it is left out."""
    rows = list(rows)
    undisturbed = {(row["file"], row["draw"]): row["metrics"].get("latency_mean") for row in rows if row["truth"] == row["base"]}
    return [(row, why_left_out(row, undisturbed.get((row["file"], row["draw"])))) for row in rows]
