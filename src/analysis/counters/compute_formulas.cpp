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

constexpr CounterFormula formula(std::string_view metric, std::string_view figure) {
  return {metric, kKnownAmd, kMean, figure, kSource, "", "", kNote};
}

constexpr CounterFormula kFormulas[] = {
    formula("valu_rate", "{2.1: VALU FLOPs Avg}"),
    formula("salu_utilization", "{2.1: SALU Utilization Avg}"),
    formula("valu_utilization", "{2.1: VALU Utilization Avg}"),
    formula("vmem_utilization", "{2.1: VMEM Utilization Avg}"),
    formula("branch_utilization", "{2.1: Branch Utilization Avg}"),
    formula("active_lanes", "{2.1: VALU Active Threads Pct of Peak}"),
    formula("ipc", "{2.1: IPC Avg}"),
    formula("active_waves", "{2.1: Wavefront Occupancy Avg}"),
    formula("achieved_occupancy", "{2.1: Wavefront Occupancy Pct of Peak}"),
    formula("lds_bandwidth", "{2.1: Theoretical LDS Bandwidth Avg}"),
    formula("l1_hit_rate", "{2.1: vL1D Cache Hit Rate Avg}"),
    formula("l1_bandwidth", "{2.1: vL1D Cache BW Avg}"),
    formula("l2_hit_rate", "{2.1: L2 Cache Hit Rate Avg}"),
    formula("l2_bandwidth", "{2.1: L2 Cache BW Avg}"),
    formula("hbm_read_bandwidth", "{2.1: L2-Fabric Read BW Avg}"),
    formula("hbm_write_bandwidth", "{2.1: L2-Fabric Write BW Avg}"),
    formula("hbm_read_latency", "{2.1: L2-Fabric Read Latency Avg}"),
    formula("hbm_write_latency", "{2.1: L2-Fabric Write Latency Avg}"),
    formula("scalar_hit_rate", "{2.1: sL1D Cache Hit Rate Avg}"),
    formula("instruction_hit_rate", "{2.1: L1I Hit Rate Avg}"),
    formula("gpu_busy", "{6.1: Accelerator Utilization Avg}"),
    formula("cu_utilization", "{6.1: SIMD Utilization Avg}"),
    formula("not_placed", "{6.2: Not-scheduled Rate (Workgroup Manager) Avg}"),
    formula("no_scratch", "{6.2: Scratch Stall Rate Avg}"),
    formula("no_waveslot", "{6.2: Insufficient SIMD Waveslots Avg}"),
    formula("no_vgpr", "{6.2: Insufficient SIMD VGPRs Avg}"),
    formula("waves", "{7.1: Total Wavefronts Avg}"),
    formula("vgprs", "{7.1: VGPRs Avg}"),
    formula("agprs", "{7.1: AGPRs Avg}"),
    formula("sgprs", "{7.1: SGPRs Avg}"),
    formula("lds_per_workgroup", "{7.1: LDS Allocation Avg}"),
    formula("scratch_per_workitem", "{7.1: Scratch Allocation Avg}"),
    formula("vmem_latency", "{11.2: VMEM Latency Avg}"),
    formula("smem_latency", "{11.2: SMEM Latency Avg}"),
    formula("lds_utilization", "{12.1: Utilization Avg}"),
    formula("lds_latency", "{12.2: LDS Latency Avg}"),
    formula("l2_utilization", "{17.1: Utilization Avg}"),
    formula("hbm_read_share", "{17.2: HBM Read Traffic Avg}"),
};

}  // namespace

std::span<const CounterFormula> rocprof_compute_formulas() { return kFormulas; }

}  // namespace aaco
