// SPDX-License-Identifier: MIT
// What rocprof-compute's analysis database says of a kernel already, where its definition is ours: held against each
// other dispatch by dispatch in tests/traces/check_counters.py. Its figures are named by panel and label, as in
// "2.1: L2 Cache Hit Rate Avg"; it averages them over the dispatches of the kernel.
#include "analysis/counters/formulas.h"

namespace aaco {

namespace {

using enum CounterSum;

constexpr std::string_view kSource = "rocprof-compute's analysis database";
constexpr std::string_view kNote = "rocprof-compute's mean over the dispatches";

constexpr CounterFormula taken(std::string_view metric, std::string_view figure) {
  return {metric, kKnownAmd, kMean, figure, kSource, "", "", kNote};
}

constexpr CounterFormula kFormulas[] = {
    taken("valu_rate", "{2.1: VALU FLOPs Avg}"),
    taken("salu_utilization", "{2.1: SALU Utilization Avg}"),
    taken("valu_utilization", "{2.1: VALU Utilization Avg}"),
    taken("vmem_utilization", "{2.1: VMEM Utilization Avg}"),
    taken("branch_utilization", "{2.1: Branch Utilization Avg}"),
    taken("active_lanes", "{2.1: VALU Active Threads Pct of Peak}"),
    taken("ipc", "{2.1: IPC Avg}"),
    taken("active_waves", "{2.1: Wavefront Occupancy Avg}"),
    taken("achieved_occupancy", "{2.1: Wavefront Occupancy Pct of Peak}"),
    taken("lds_bandwidth", "{2.1: Theoretical LDS Bandwidth Avg}"),
    taken("l1_hit_rate", "{2.1: vL1D Cache Hit Rate Avg}"),
    taken("l1_bandwidth", "{2.1: vL1D Cache BW Avg}"),
    taken("l2_hit_rate", "{2.1: L2 Cache Hit Rate Avg}"),
    taken("l2_bandwidth", "{2.1: L2 Cache BW Avg}"),
    taken("hbm_read_bandwidth", "{2.1: L2-Fabric Read BW Avg}"),
    taken("hbm_write_bandwidth", "{2.1: L2-Fabric Write BW Avg}"),
    taken("hbm_read_latency", "{2.1: L2-Fabric Read Latency Avg}"),
    taken("hbm_write_latency", "{2.1: L2-Fabric Write Latency Avg}"),
    taken("scalar_hit_rate", "{2.1: sL1D Cache Hit Rate Avg}"),
    taken("instruction_hit_rate", "{2.1: L1I Hit Rate Avg}"),
    taken("gpu_busy", "{6.1: Accelerator Utilization Avg}"),
    taken("cu_utilization", "{6.1: SIMD Utilization Avg}"),
    taken("not_placed", "{6.2: Not-scheduled Rate (Workgroup Manager) Avg}"),
    taken("no_scratch", "{6.2: Scratch Stall Rate Avg}"),
    taken("no_waveslot", "{6.2: Insufficient SIMD Waveslots Avg}"),
    taken("no_vgpr", "{6.2: Insufficient SIMD VGPRs Avg}"),
    taken("waves", "{7.1: Total Wavefronts Avg}"),
    taken("vgprs", "{7.1: VGPRs Avg}"),
    taken("agprs", "{7.1: AGPRs Avg}"),
    taken("sgprs", "{7.1: SGPRs Avg}"),
    taken("lds_per_workgroup", "{7.1: LDS Allocation Avg}"),
    taken("scratch_per_workitem", "{7.1: Scratch Allocation Avg}"),
    taken("vmem_latency", "{11.2: VMEM Latency Avg}"),
    taken("smem_latency", "{11.2: SMEM Latency Avg}"),
    taken("lds_utilization", "{12.1: Utilization Avg}"),
    taken("lds_latency", "{12.2: LDS Latency Avg}"),
    taken("l2_utilization", "{17.1: Utilization Avg}"),
    taken("hbm_read_share", "{17.2: HBM Read Traffic Avg}"),
};

}  // namespace

std::span<const CounterFormula> rocprof_compute_formulas() { return kFormulas; }

}  // namespace aaco
