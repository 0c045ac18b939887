// SPDX-License-Identifier: MIT
// Nsight Compute gives most figures itself: on the raw page under the metric's name, on the details page (in braces)
// under its section and label. Byte and time units are those of BaseUnits in counter_reader.h.
#include "analysis/counters/formulas.h"

namespace aaco {

namespace {

using enum CounterSum;

constexpr std::string_view kNcu = "Nsight Compute Profiling Guide, metrics";
constexpr std::string_view kDetails = "Nsight Compute, details page";
constexpr std::string_view kRooflineChart = "Nsight Compute, section SpeedOfLight_RooflineChart";

constexpr std::string_view kHalfChart = "Nsight Compute, section SpeedOfLight_HierarchicalHalfRooflineChart";
// The counters count operations, two for a multiplication with addition: NVIDIA's answer to "How many FLOPs does one
// tensor_op_hmma instruction do?" (developer forum, 285256).
constexpr std::string_view kTensorOps = "Nsight Compute, sm__ops_path_tensor_*";
// Nsight Compute's roofline charts hold the rate against peak_sustained times the clock.
constexpr std::string_view kPeakSustained = "Nsight Compute Profiling Guide, peak_sustained and roofline charts";

constexpr std::string_view kWarpState = "Nsight Compute, section WarpStateStats";

constexpr CounterTerm kTerms[] = {
    {"fp32_flop", kNvidia,
     "(smsp__sass_thread_inst_executed_op_fadd_pred_on.sum + smsp__sass_thread_inst_executed_op_fmul_pred_on.sum + 2 * "
     "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum)",
     kNcu},
    {"fp64_flop", kNvidia,
     "(smsp__sass_thread_inst_executed_op_dadd_pred_on.sum + smsp__sass_thread_inst_executed_op_dmul_pred_on.sum + 2 * "
     "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum)",
     kNcu},
    // The same by SM, as profiles by metric often have them.
    {"fp32_flop", kNvidia,
     "(sm__sass_thread_inst_executed_op_fadd_pred_on.sum + sm__sass_thread_inst_executed_op_fmul_pred_on.sum + 2 * "
     "sm__sass_thread_inst_executed_op_ffma_pred_on.sum)",
     kNcu},
    {"fp64_flop", kNvidia,
     "(sm__sass_thread_inst_executed_op_dadd_pred_on.sum + sm__sass_thread_inst_executed_op_dmul_pred_on.sum + 2 * "
     "sm__sass_thread_inst_executed_op_dfma_pred_on.sum)",
     kNcu},
    // Two numbers in a register.
    {"fp16_flop", kNvidia,
     "(2 * smsp__sass_thread_inst_executed_op_hadd_pred_on.sum + 2 * "
     "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum + 4 * smsp__sass_thread_inst_executed_op_hfma_pred_on.sum)",
     kHalfChart},
    {"fp16_flop", kNvidia,
     "(2 * sm__sass_thread_inst_executed_op_hadd_pred_on.sum + 2 * "
     "sm__sass_thread_inst_executed_op_hmul_pred_on.sum + 4 * sm__sass_thread_inst_executed_op_hfma_pred_on.sum)",
     kHalfChart},
    {"tensor_flop", kNvidia,
     "(sm__ops_path_tensor_src_fp64.sum + sm__ops_path_tensor_src_tf32_dst_fp32.sum + "
     "sm__ops_path_tensor_src_bf16_dst_fp32.sum + sm__ops_path_tensor_src_fp16.sum + sm__ops_path_tensor_src_fp8.sum)",
     kTensorOps},
    // The part of the elapsed cycles that the tensor cores need at their peak: one type after the other.
    {"tensor_share", kNvidia,
     "(sm__ops_path_tensor_src_fp64.sum.per_cycle_elapsed / sm__ops_path_tensor_src_fp64.sum.peak_sustained + "
     "sm__ops_path_tensor_src_tf32_dst_fp32.sum.per_cycle_elapsed / "
     "sm__ops_path_tensor_src_tf32_dst_fp32.sum.peak_sustained + "
     "sm__ops_path_tensor_src_bf16_dst_fp32.sum.per_cycle_elapsed / "
     "sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained + "
     "sm__ops_path_tensor_src_fp16.sum.per_cycle_elapsed / sm__ops_path_tensor_src_fp16.sum.peak_sustained + "
     "sm__ops_path_tensor_src_fp8.sum.per_cycle_elapsed / sm__ops_path_tensor_src_fp8.sum.peak_sustained)",
     kPeakSustained},
    {"fp32_share", kNvidia,
     "((smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed + "
     "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed + "
     "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2) / "
     "derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2)",
     kRooflineChart},
    {"fp64_share", kNvidia,
     "((smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed + "
     "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed + "
     "derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2) / "
     "derived__sm__sass_thread_inst_executed_op_dfma_pred_on_x2)",
     kRooflineChart},
};

constexpr std::string_view kScalarOnly = "without FP16 and tensor cores: at least";
constexpr std::string_view kNoScalarHalf = "without FP16 outside of the tensor cores: at least";
constexpr std::string_view kNoTensor = "without tensor cores: at least";

constexpr CounterFormula kFormulas[] = {
    {"achieved_occupancy", kNvidia, kMean, "sm__warps_active.avg.pct_of_peak_sustained_active", kNcu},
    {"achieved_occupancy", kNvidia, kMean, "{Occupancy: Achieved Occupancy}", kDetails},
    {"theoretical_occupancy", kNvidia, kMean, "sm__maximum_warps_per_active_cycle_pct", kNcu},
    {"theoretical_occupancy", kNvidia, kMean, "{Occupancy: Theoretical Occupancy}", kDetails},
    {"active_waves", kNvidia, kMean, "sm__warps_active.sum.per_cycle_active", kNcu},
    {"registers_per_thread", kNvidia, kMean, "launch__registers_per_thread", kNcu},
    {"registers_per_thread", kNvidia, kMean, "{Launch Statistics: Registers Per Thread}", kDetails},
    {"shared_memory_per_block", kNvidia, kMean, "launch__shared_mem_per_block", kNcu},
    {"shared_memory_per_block", kNvidia, kMean,
     "{Launch Statistics: Dynamic Shared Memory Per Block} + {Launch Statistics: Static Shared Memory Per Block} + "
     "{Launch Statistics: Driver Shared Memory Per Block}",
     kDetails},
    {"spill_requests", kNvidia, kSum, "derived__local_spilling_requests", kNcu},
    {"spill_requests", kNvidia, kSum, "sass__inst_executed_register_spilling", kNcu},
    {"spill_requests", kNvidia, kSum, "{Memory Workload Analysis: Local Memory Spilling Requests}", kDetails},

    {"sm_throughput", kNvidia, kMean, "sm__throughput.avg.pct_of_peak_sustained_elapsed", kNcu},
    {"sm_throughput", kNvidia, kMean, "{GPU Speed Of Light Throughput: Compute (SM) Throughput}", kDetails},
    {"memory_throughput", kNvidia, kMean, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", kNcu},
    {"memory_throughput", kNvidia, kMean, "{GPU Speed Of Light Throughput: Memory Throughput}", kDetails},
    {"l1_throughput", kNvidia, kMean, "l1tex__throughput.avg.pct_of_peak_sustained_active", kNcu},
    {"l1_throughput", kNvidia, kMean, "{GPU Speed Of Light Throughput: L1/TEX Cache Throughput}", kDetails},
    {"l2_throughput", kNvidia, kMean, "lts__throughput.avg.pct_of_peak_sustained_elapsed", kNcu},
    {"l2_throughput", kNvidia, kMean, "{GPU Speed Of Light Throughput: L2 Cache Throughput}", kDetails},
    {"hbm_throughput", kNvidia, kMean, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", kNcu},
    {"hbm_throughput", kNvidia, kMean, "dram__throughput.avg.pct_of_peak_sustained_elapsed", kNcu},
    {"hbm_throughput", kNvidia, kMean, "{GPU Speed Of Light Throughput: DRAM Throughput}", kDetails},
    {"tensor_utilization", kNvidia, kMean, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", kNcu},
    {"tensor_utilization", kNvidia, kMean, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", kNcu},
    {"ipc", kNvidia, kMean, "sm__inst_executed.avg.per_cycle_active", kNcu},
    {"ipc", kNvidia, kMean, "{Compute Workload Analysis: Executed Ipc Active}", kDetails},

    {"l1_hit_rate", kNvidia, kMean, "l1tex__t_sector_hit_rate.pct", kNcu},
    {"l1_hit_rate", kNvidia, kMean, "{Memory Workload Analysis: L1/TEX Hit Rate}", kDetails},
    {"l2_hit_rate", kNvidia, kMean, "lts__t_sector_hit_rate.pct", kNcu},
    {"l2_hit_rate", kNvidia, kMean, "{Memory Workload Analysis: L2 Hit Rate}", kDetails},
    {"l1_bandwidth", kNvidia, kSum, "l1tex__t_bytes.sum / $duration", kNcu},
    {"l1_bandwidth", kNvidia, kMean, "l1tex__t_bytes.sum.per_second / 1e9", kNcu},
    {"l2_bandwidth", kNvidia, kSum, "lts__t_bytes.sum / $duration", kNcu},
    {"l2_bandwidth", kNvidia, kMean, "lts__t_bytes.sum.per_second / 1e9", kNcu},
    {"l2_bandwidth", kNvidia, kSum, "32 * lts__t_sectors.sum / $duration", kNcu},
    {"hbm_bandwidth", kNvidia, kSum, "dram__bytes.sum / $duration", kNcu},
    {"hbm_bandwidth", kNvidia, kMean, "dram__bytes.sum.per_second / 1e9", kNcu},
    {"hbm_bandwidth", kNvidia, kSum, "(dram__bytes_read.sum + dram__bytes_write.sum) / $duration", kNcu},
    {"hbm_bandwidth", kNvidia, kMean, "{Memory Workload Analysis: Memory Throughput} / 1e9", kDetails},
    {"hbm_read_bandwidth", kNvidia, kSum, "dram__bytes_read.sum / $duration", kNcu},
    {"hbm_read_bandwidth", kNvidia, kMean, "dram__bytes_read.sum.per_second / 1e9", kNcu},
    {"hbm_write_bandwidth", kNvidia, kSum, "dram__bytes_write.sum / $duration", kNcu},
    {"hbm_write_bandwidth", kNvidia, kMean, "dram__bytes_write.sum.per_second / 1e9", kNcu},
    {"hbm_bytes", kNvidia, kSum, "dram__bytes.sum", kNcu},
    {"hbm_bytes", kNvidia, kSum, "dram__bytes_read.sum + dram__bytes_write.sum", kNcu},

    {"fp32_rate", kNvidia, kSum, "@fp32_flop / $duration", kNcu},
    {"fp32_rate", kNvidia, kMean,
     "(smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed + "
     "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed + "
     "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2) * smsp__cycles_elapsed.avg.per_second / 1e9",
     kRooflineChart},
    {"fp64_rate", kNvidia, kSum, "@fp64_flop / $duration", kNcu},
    {"fp64_rate", kNvidia, kMean,
     "(smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed + "
     "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed + "
     "derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2) * smsp__cycles_elapsed.avg.per_second / 1e9",
     kRooflineChart},
    {"fp16_rate", kNvidia, kSum, "@fp16_flop / $duration", kHalfChart},
    {"tensor_fp64_rate", kNvidia, kSum, "sm__ops_path_tensor_src_fp64.sum / $duration", kTensorOps},
    {"tensor_fp64_rate", kNvidia, kMean,
     "sm__ops_path_tensor_src_fp64.sum.per_cycle_elapsed * sm__cycles_elapsed.avg.per_second / 1e9", kTensorOps},
    {"tensor_tf32_rate", kNvidia, kSum, "sm__ops_path_tensor_src_tf32_dst_fp32.sum / $duration", kTensorOps},
    {"tensor_tf32_rate", kNvidia, kMean,
     "sm__ops_path_tensor_src_tf32_dst_fp32.sum.per_cycle_elapsed * sm__cycles_elapsed.avg.per_second / 1e9",
     kTensorOps},
    {"tensor_bf16_rate", kNvidia, kSum, "sm__ops_path_tensor_src_bf16_dst_fp32.sum / $duration", kTensorOps},
    {"tensor_bf16_rate", kNvidia, kMean,
     "sm__ops_path_tensor_src_bf16_dst_fp32.sum.per_cycle_elapsed * sm__cycles_elapsed.avg.per_second / 1e9",
     kTensorOps},
    {"tensor_fp16_rate", kNvidia, kSum, "sm__ops_path_tensor_src_fp16.sum / $duration", kTensorOps},
    {"tensor_fp16_rate", kNvidia, kSum,
     "(sm__ops_path_tensor_src_fp16_dst_fp16.sum + sm__ops_path_tensor_src_fp16_dst_fp32.sum) / $duration", kTensorOps},
    {"tensor_fp16_rate", kNvidia, kMean,
     "sm__ops_path_tensor_src_fp16.sum.per_cycle_elapsed * sm__cycles_elapsed.avg.per_second / 1e9", kTensorOps},
    {"tensor_fp8_rate", kNvidia, kSum, "sm__ops_path_tensor_src_fp8.sum / $duration", kTensorOps},
    {"tensor_fp8_rate", kNvidia, kMean,
     "sm__ops_path_tensor_src_fp8.sum.per_cycle_elapsed * sm__cycles_elapsed.avg.per_second / 1e9", kTensorOps},
    {"tensor_int8_rate", kNvidia, kSum, "sm__ops_path_tensor_src_int8.sum / $duration", kTensorOps},
    {"tensor_int8_rate", kNvidia, kMean,
     "sm__ops_path_tensor_src_int8.sum.per_cycle_elapsed * sm__cycles_elapsed.avg.per_second / 1e9", kTensorOps},
    {"flop", kNvidia, kSum, "@fp32_flop + @fp64_flop + @fp16_flop + @tensor_flop", kTensorOps},
    {"flop", kNvidia, kSum, "@fp32_flop + @fp64_flop + @tensor_flop", kTensorOps, "", "", kNoScalarHalf},
    {"flop", kNvidia, kSum, "@fp32_flop + @fp64_flop", kNcu, "", "", kScalarOnly},
    {"intensity_hbm", kNvidia, kSum, "(@fp32_flop + @fp64_flop + @fp16_flop + @tensor_flop) / dram__bytes.sum",
     kTensorOps},
    {"intensity_hbm", kNvidia, kSum,
     "(@fp32_flop + @fp64_flop + @fp16_flop + @tensor_flop) / (dram__bytes_read.sum + dram__bytes_write.sum)",
     kTensorOps},
    {"intensity_hbm", kNvidia, kSum, "(@fp32_flop + @fp64_flop + @tensor_flop) / dram__bytes.sum", kTensorOps, "", "",
     kNoScalarHalf},
    {"intensity_hbm", kNvidia, kSum,
     "(@fp32_flop + @fp64_flop + @tensor_flop) / (dram__bytes_read.sum + dram__bytes_write.sum)", kTensorOps, "", "",
     kNoScalarHalf},
    {"intensity_hbm", kNvidia, kSum, "(@fp32_flop + @fp64_flop) / dram__bytes.sum", kNcu, "", "", kScalarOnly},
    {"intensity_hbm", kNvidia, kSum, "(@fp32_flop + @fp64_flop) / (dram__bytes_read.sum + dram__bytes_write.sum)", kNcu,
     "", "", kScalarOnly},
    {"roofline_compute", kNvidia, kMean, "100 * max(max(@fp32_share, @fp64_share), @tensor_share)", kPeakSustained},
    {"roofline_compute", kNvidia, kMean, "100 * max(@fp32_share, @fp64_share)", kRooflineChart, "", "", kNoTensor},
    {"roofline_memory", kNvidia, kMean, "dram__bytes.sum.pct_of_peak_sustained_elapsed", kPeakSustained},
    {"roofline_memory", kNvidia, kMean,
     "100 * dram__bytes.sum.per_second / (dram__bytes.sum.peak_sustained * dram__cycles_elapsed.avg.per_second)",
     kRooflineChart},
    {"stall_long_scoreboard", kNvidia, kMean,
     "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", kWarpState},
    {"stall_short_scoreboard", kNvidia, kMean,
     "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", kWarpState},
    {"stall_wait", kNvidia, kMean, "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", kWarpState},
    {"stall_barrier", kNvidia, kMean, "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", kWarpState},
    {"stall_mio_throttle", kNvidia, kMean, "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
     kWarpState},
    {"stall_lg_throttle", kNvidia, kMean, "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
     kWarpState},
    {"stall_tex_throttle", kNvidia, kMean, "smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio",
     kWarpState},
    {"stall_math_pipe_throttle", kNvidia, kMean,
     "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", kWarpState},
    {"stall_imc_miss", kNvidia, kMean, "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio", kWarpState},
    {"stall_no_instruction", kNvidia, kMean, "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
     kWarpState},
    {"stall_not_selected", kNvidia, kMean, "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio",
     kWarpState},
    {"stall_dispatch", kNvidia, kMean, "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
     kWarpState},
    {"stall_drain", kNvidia, kMean, "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio", kWarpState},
    {"stall_membar", kNvidia, kMean, "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", kWarpState},
    {"stall_sleeping", kNvidia, kMean, "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio", kWarpState},
    {"stall_branch_resolve", kNvidia, kMean, "smsp__average_warps_issue_stalled_branch_resolve_per_issue_active.ratio",
     kWarpState},
    {"stall_gmma", kNvidia, kMean, "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", kWarpState},
    {"stall_misc", kNvidia, kMean, "smsp__average_warps_issue_stalled_misc_per_issue_active.ratio", kWarpState},
};

}  // namespace

std::span<const CounterTerm> nvidia_terms() { return kTerms; }
std::span<const CounterFormula> nvidia_formulas() { return kFormulas; }

}  // namespace aaco
