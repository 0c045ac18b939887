// SPDX-License-Identifier: MIT
#include <algorithm>

#include "analysis/counters/formulas.h"

namespace aaco {

namespace {

constexpr CounterMetric kMetrics[] = {
    {"achieved_occupancy", "occupancy", "achieved", "%"},
    {"theoretical_occupancy", "occupancy", "theoretical", "%"},
    {"active_waves", "occupancy", "wavefronts or warps at a time", "waves"},
    {"waves", "occupancy", "wavefronts launched", "waves"},
    {"cu_utilization", "occupancy", "compute units busy", "%"},
    {"gpu_busy", "occupancy", "device busy", "%"},

    {"vgprs", "resources", "VGPRs", "registers"},
    {"agprs", "resources", "AGPRs", "registers"},
    {"sgprs", "resources", "SGPRs", "registers"},
    {"registers_per_thread", "resources", "registers of a thread", "registers"},
    {"lds_per_workgroup", "resources", "LDS of a workgroup", "B"},
    {"shared_memory_per_block", "resources", "shared memory of a block", "B"},
    {"scratch_per_workitem", "resources", "scratch of a work-item", "B"},
    {"spill_instructions", "resources", "spill and stack instructions", "per wave"},
    {"spill_requests", "resources", "spill requests", "requests"},

    {"sm_throughput", "speed of light", "SM", "%"},
    {"memory_throughput", "speed of light", "memory", "%"},
    {"l1_throughput", "speed of light", "L1", "%"},
    {"l2_throughput", "speed of light", "L2", "%"},
    {"hbm_throughput", "speed of light", "HBM", "%"},
    {"valu_utilization", "speed of light", "VALU busy", "%"},
    {"mfma_utilization", "speed of light", "MFMA busy", "%"},
    {"tensor_utilization", "speed of light", "tensor cores busy", "%"},
    {"salu_utilization", "speed of light", "SALU busy", "%"},
    {"vmem_utilization", "speed of light", "VMEM busy", "%"},
    {"branch_utilization", "speed of light", "branch unit busy", "%"},
    {"lds_utilization", "speed of light", "LDS busy", "%"},
    {"l2_utilization", "speed of light", "L2 busy", "%"},
    {"active_lanes", "speed of light", "lanes active", "%"},
    {"ipc", "speed of light", "instructions a cycle", "instructions/cycle"},

    {"l1_hit_rate", "caches", "L1 hits", "%"},
    {"l1_bandwidth", "caches", "L1", "GB/s"},
    {"l2_hit_rate", "caches", "L2 hits", "%"},
    {"l2_bandwidth", "caches", "L2", "GB/s"},
    {"scalar_hit_rate", "caches", "scalar cache hits", "%"},
    {"instruction_hit_rate", "caches", "instruction cache hits", "%"},
    {"lds_bandwidth", "caches", "LDS", "GB/s"},
    {"hbm_bandwidth", "caches", "HBM", "GB/s"},
    {"hbm_read_bandwidth", "caches", "HBM read", "GB/s"},
    {"hbm_write_bandwidth", "caches", "HBM write", "GB/s"},
    {"hbm_bytes", "caches", "HBM traffic", "B"},
    {"hbm_read_share", "caches", "reads that go to HBM", "%"},

    {"valu_rate", "arithmetic", "VALU", "GFLOP/s"},
    {"f64_rate", "arithmetic", "MFMA FP64", "GFLOP/s"},
    {"f32_rate", "arithmetic", "MFMA FP32", "GFLOP/s"},
    {"f16_rate", "arithmetic", "MFMA FP16", "GFLOP/s"},
    {"bf16_rate", "arithmetic", "MFMA BF16", "GFLOP/s"},
    {"f8_rate", "arithmetic", "MFMA FP8", "GFLOP/s"},
    {"f6f4_rate", "arithmetic", "MFMA FP6 and FP4", "GFLOP/s"},
    {"i8_rate", "arithmetic", "MFMA INT8", "GOP/s"},
    {"fp32_rate", "arithmetic", "FP32", "GFLOP/s"},
    {"fp64_rate", "arithmetic", "FP64", "GFLOP/s"},
    {"fp16_rate", "arithmetic", "FP16", "GFLOP/s"},
    {"tensor_fp64_rate", "arithmetic", "tensor cores FP64", "GFLOP/s"},
    {"tensor_tf32_rate", "arithmetic", "tensor cores TF32", "GFLOP/s"},
    {"tensor_bf16_rate", "arithmetic", "tensor cores BF16", "GFLOP/s"},
    {"tensor_fp16_rate", "arithmetic", "tensor cores FP16", "GFLOP/s"},
    {"tensor_fp8_rate", "arithmetic", "tensor cores FP8", "GFLOP/s"},
    {"tensor_int8_rate", "arithmetic", "tensor cores INT8", "GOP/s"},
    {"flop", "arithmetic", "operations", "FLOP"},

    {"intensity_hbm", "roofline", "of HBM", "FLOP/B"},
    {"intensity_l2", "roofline", "of L2", "FLOP/B"},
    {"intensity_l1", "roofline", "of L1", "FLOP/B"},
    {"roofline_compute", "roofline", "time that arithmetic needs", "%"},
    {"roofline_memory", "roofline", "time that HBM needs", "%"},
    {"measured_roofline_compute", "roofline", "time that arithmetic needs, by measured roofs", "%"},
    {"measured_roofline_memory", "roofline", "time that HBM needs, by measured roofs", "%"},

    {"wait_dependency", "stalls", "waves wait for a result", "%"},
    {"wait_issue", "stalls", "waves wait to issue", "%"},
    {"wave_active", "stalls", "waves issue", "%"},
    {"l1_stall_l2_data", "stalls", "L1 waits for data of L2", "%"},
    {"l1_stall_l2_request", "stalls", "L1 waits for L2 to take a request", "%"},
    {"l1_stall_tag_read", "stalls", "L1 tag conflict, read", "%"},
    {"l1_stall_tag_write", "stalls", "L1 tag conflict, write", "%"},
    {"l1_stall_tag_atomic", "stalls", "L1 tag conflict, atomic", "%"},
    {"lds_bank_conflicts", "stalls", "LDS bank conflicts of its time", "%"},
    {"write_starved", "stalls", "L2 waits for write credits", "%"},
    {"memory_unit_stalled", "stalls", "memory unit", "%"},
    {"write_unit_stalled", "stalls", "write unit", "%"},
    {"not_placed", "stalls", "workgroups not placed", "%"},
    {"no_scratch", "stalls", "no scratch free", "%"},
    {"no_waveslot", "stalls", "no wave slot free", "%"},
    {"no_vgpr", "stalls", "no VGPRs free", "%"},
    {"no_sgpr", "stalls", "no SGPRs free", "%"},
    {"no_lds", "stalls", "no LDS free", "%"},
    {"no_barrier", "stalls", "no barrier free", "%"},
    {"stall_long_scoreboard", "stalls", "long scoreboard", "cycles/instruction"},
    {"stall_short_scoreboard", "stalls", "short scoreboard", "cycles/instruction"},
    {"stall_wait", "stalls", "wait", "cycles/instruction"},
    {"stall_barrier", "stalls", "barrier", "cycles/instruction"},
    {"stall_mio_throttle", "stalls", "MIO throttle", "cycles/instruction"},
    {"stall_lg_throttle", "stalls", "LG throttle", "cycles/instruction"},
    {"stall_tex_throttle", "stalls", "TEX throttle", "cycles/instruction"},
    {"stall_math_pipe_throttle", "stalls", "math pipe throttle", "cycles/instruction"},
    {"stall_imc_miss", "stalls", "constant cache miss", "cycles/instruction"},
    {"stall_no_instruction", "stalls", "no instruction", "cycles/instruction"},
    {"stall_not_selected", "stalls", "not selected", "cycles/instruction"},
    {"stall_dispatch", "stalls", "dispatch", "cycles/instruction"},
    {"stall_drain", "stalls", "drain", "cycles/instruction"},
    {"stall_membar", "stalls", "memory barrier", "cycles/instruction"},
    {"stall_sleeping", "stalls", "sleeping", "cycles/instruction"},
    {"stall_branch_resolve", "stalls", "branch resolve", "cycles/instruction"},
    {"stall_gmma", "stalls", "warpgroup MMA", "cycles/instruction"},
    {"stall_misc", "stalls", "other", "cycles/instruction"},

    {"vmem_latency", "latencies", "VMEM", "cycles"},
    {"smem_latency", "latencies", "SMEM", "cycles"},
    {"lds_latency", "latencies", "LDS", "cycles"},
    {"hbm_read_latency", "latencies", "L2 to memory, read", "cycles"},
    {"hbm_write_latency", "latencies", "L2 to memory, write", "cycles"},
};

}  // namespace

std::span<const CounterMetric> counter_metrics() { return kMetrics; }

size_t find_counter_metric(std::string_view id) {
  const auto* metric =
      std::find_if(std::begin(kMetrics), std::end(kMetrics), [&](const CounterMetric& each) { return each.id == id; });
  return static_cast<size_t>(metric - std::begin(kMetrics));
}

}  // namespace aaco
