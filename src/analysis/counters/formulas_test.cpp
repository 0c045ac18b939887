// SPDX-License-Identifier: MIT
// Each formula with counters of which the answer is worked out by hand: a machine of 10 compute units of 32 waves at
// 1 GHz, 4 L2 channels, 100 GB/s, 2 dies, 4 shader engines; a kernel of 1000 ns, which are 1000 cycles of each die.
#include "analysis/counters/formulas.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/counters/compiled_formulas.h"
#include "analysis/counters/kernel_counters.h"
#include "analysis/counters/test_counters.h"

namespace aaco {
namespace {

struct Case {
  const char* gfx;  // "" where the trace says nothing of the machine
  std::string_view metric;
  std::string counters;
  double value;
  double percent = -1;  // of the roof; -1 where it has none
};

const std::string kGui = "GRBM_GUI_ACTIVE=2000; ";
const std::string kLaunch =
    "Workgroup_Size=256; LDS_Per_Workgroup=512; Scratch_Per_Workitem=1024; Arch_VGPR=44; Accum_VGPR=44; SGPR=64";
const std::string kRead90a = "TCC_EA_RDREQ_sum=100; TCC_EA_RDREQ_32B_sum=20; ";                       // 5760 B
const std::string kWrite90a = "TCC_EA_WRREQ_sum=50; TCC_EA_WRREQ_64B_sum=40; ";                       // 2880 B
const std::string kRead942 = "TCC_BUBBLE_sum=10; TCC_EA0_RDREQ_sum=100; TCC_EA0_RDREQ_32B_sum=20; ";  // 6400 B
const std::string kRead950 =
    "TCC_EA0_RDREQ_128B_sum=10; TCC_EA0_RDREQ_64B_sum=20; TCC_EA0_RDREQ_32B_sum=5; ";  // 2720 B
const std::string kWrite942 = "TCC_EA0_WRREQ_sum=50; TCC_EA0_WRREQ_64B_sum=40; ";
// 64 x 102 = 6528 FLOP.
const std::string kValu =
    "SQ_INSTS_VALU_ADD_F16=1; SQ_INSTS_VALU_MUL_F16=2; SQ_INSTS_VALU_TRANS_F16=3; SQ_INSTS_VALU_FMA_F16=4; "
    "SQ_INSTS_VALU_ADD_F32=5; SQ_INSTS_VALU_MUL_F32=6; SQ_INSTS_VALU_TRANS_F32=7; SQ_INSTS_VALU_FMA_F32=8; "
    "SQ_INSTS_VALU_ADD_F64=9; SQ_INSTS_VALU_MUL_F64=10; SQ_INSTS_VALU_TRANS_F64=11; SQ_INSTS_VALU_FMA_F64=12; ";
const std::string kNoValu =
    "SQ_INSTS_VALU_ADD_F16=0; SQ_INSTS_VALU_MUL_F16=0; SQ_INSTS_VALU_TRANS_F16=0; SQ_INSTS_VALU_FMA_F16=0; "
    "SQ_INSTS_VALU_ADD_F32=0; SQ_INSTS_VALU_MUL_F32=0; SQ_INSTS_VALU_TRANS_F32=0; SQ_INSTS_VALU_FMA_F32=0; "
    "SQ_INSTS_VALU_ADD_F64=0; SQ_INSTS_VALU_MUL_F64=0; SQ_INSTS_VALU_TRANS_F64=0; SQ_INSTS_VALU_FMA_F64=0; ";
// 512 x 14 = 7168 FLOP.
const std::string kMfma =
    "SQ_INSTS_VALU_MFMA_MOPS_F16=2; SQ_INSTS_VALU_MFMA_MOPS_BF16=3; SQ_INSTS_VALU_MFMA_MOPS_F32=4; "
    "SQ_INSTS_VALU_MFMA_MOPS_F64=5; ";
const std::string kF8 = "SQ_INSTS_VALU_MFMA_MOPS_F8=6; ";      // 3072 FLOP
const std::string kF6F4 = "SQ_INSTS_VALU_MFMA_MOPS_F6F4=7; ";  // 3584 FLOP
const std::string kToL2 =
    "TCP_TCC_READ_REQ_sum=10; TCP_TCC_WRITE_REQ_sum=5; TCP_TCC_ATOMIC_WITH_RET_REQ_sum=3; "
    "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum=2; ";

std::string sass(const char* type, const char* unit = "smsp") {
  std::string all;
  for (const char* name : {"add=1", "mul=2", "fma=3"}) {
    const std::string text(name);
    all += std::string(unit) + "__sass_thread_inst_executed_op_" + type + text.substr(0, 3) + "_pred_on.sum" +
           text.substr(3) + "00; ";
  }
  return all;  // 100 + 200 + 2 x 300 = 900 FLOP
}

std::string sass_rate(const char* type) {
  const std::string op = std::string("smsp__sass_thread_inst_executed_op_") + type;
  return op + "add_pred_on.sum.per_cycle_elapsed [inst/cycle]=1; " + op +
         "mul_pred_on.sum.per_cycle_elapsed [inst/cycle]=2; derived__" + op +
         "fma_pred_on_x2=6; smsp__cycles_elapsed.avg.per_second [Ghz]=2";
}

std::vector<Case> amd_cases() {
  return {
      {"gfx90a", "achieved_occupancy", kGui + "SQ_LEVEL_WAVES=0; SQ_ACCUM_PREV_HIRES=160000", 50},
      {"gfx90a", "theoretical_occupancy", kLaunch, 62.5},  // 5 waves of 88 registers a SIMD, 5 groups of 4 of 32
      {"gfx908", "theoretical_occupancy", kLaunch + "; VGPR_Count=64", 50},
      {"gfx942", "theoretical_occupancy",
       "Workgroup_Size=64; LDS_Block_Size=8192; VGPR_Count=4; Accum_VGPR_Count=0; "
       "SGPR_Count=16",
       25},  // 8 groups fit the LDS
      {"gfx950", "theoretical_occupancy", "wgr=64; lds=0; arch_vgpr=4; accum_vgpr=0; sgpr=112", 87.5},  // 800 / 112
      {"gfx90a", "theoretical_occupancy",
       "Workgroup_Size_X=16; Workgroup_Size_Y=16; Workgroup_Size_Z=1; LDS_Block_Size=512; VGPR_Count=44; "
       "Accum_VGPR_Count=44; SGPR_Count=64",
       62.5},
      {"gfx90a", "active_waves", kGui + "SQ_LEVEL_WAVES_ACCUM=160000", 160, 50},
      {"", "waves", "SQ_WAVES=7", 7},
      {"gfx90a", "cu_utilization", kGui + "SQ_BUSY_CU_CYCLES=2500", 25},
      {"", "gpu_busy", kGui + "GRBM_COUNT=4000", 50},
      {"", "vgprs", kLaunch, 44},
      {"", "agprs", kLaunch, 44},
      {"", "sgprs", kLaunch, 64},
      {"", "lds_per_workgroup", kLaunch, 512},
      {"", "scratch_per_workitem", kLaunch, 1024},
      {"gfx90a", "spill_instructions", "TA_BUFFER_WAVEFRONTS_sum=30; SQ_WAVES=10", 3},
      {"gfx90a", "valu_utilization", kGui + "SQ_ACTIVE_INST_VALU=5000", 50},
      {"gfx90a", "mfma_utilization", kGui + "SQ_VALU_MFMA_BUSY_CYCLES=10000", 25},
      {"gfx90a", "salu_utilization", kGui + "SQ_ACTIVE_INST_SCA=1000", 10},
      {"gfx90a", "vmem_utilization", kGui + "SQ_ACTIVE_INST_FLAT=100; SQ_ACTIVE_INST_VMEM=200", 3},
      {"gfx90a", "branch_utilization", kGui + "SQ_ACTIVE_INST_MISC=100", 1},
      {"gfx90a", "lds_utilization", kGui + "SQ_LDS_IDX_ACTIVE=4000", 40},
      {"gfx90a", "l2_utilization", kGui + "TCC_BUSY_sum=1000", 25},
      {"", "active_lanes", "SQ_THREAD_CYCLES_VALU=3200; SQ_ACTIVE_INST_VALU=100", 50},
      {"", "ipc", "SQ_INSTS=100; SQ_BUSY_CU_CYCLES=50", 2, 40},

      {"", "l1_hit_rate", kToL2 + "TCP_TOTAL_CACHE_ACCESSES_sum=80", 75},
      {"gfx908", "l1_bandwidth", "TCP_TOTAL_CACHE_ACCESSES_sum=1000", 64, 10},
      {"gfx90a", "l1_bandwidth", "TCP_TOTAL_CACHE_ACCESSES_sum=1000", 64, 10},
      {"gfx942", "l1_bandwidth", "TCP_TOTAL_CACHE_ACCESSES_sum=1000", 128, 10},
      {"", "l2_hit_rate", "TCC_HIT_sum=30; TCC_MISS=10", 75},
      {"gfx908", "l2_bandwidth", "TCC_REQ_sum=1000", 64, 25},
      {"gfx90a", "l2_bandwidth", "TCC_REQ_sum=1000", 128, 50},
      {"gfx942", "l2_bandwidth", "TCC_REQ_sum=1000", 128, 25},
      {"", "scalar_hit_rate", "SQC_DCACHE_HITS=3; SQC_DCACHE_MISSES=1", 75},
      {"", "instruction_hit_rate", "SQC_ICACHE_HITS=9; SQC_ICACHE_MISSES=1", 90},
      {"gfx90a", "lds_bandwidth", "SQ_LDS_IDX_ACTIVE=1100; SQ_LDS_BANK_CONFLICT=100", 128, 10},
      {"gfx90a", "hbm_bandwidth", kRead90a + kWrite90a, 8.64, 8.64},
      {"", "hbm_bandwidth", kRead90a + kWrite90a, 8.64},
      {"gfx908", "hbm_read_bandwidth", kRead90a, 5.76, 5.76},
      {"gfx942", "hbm_read_bandwidth", kRead942, 6.4, 6.4},
      {"gfx950", "hbm_read_bandwidth", kRead950, 2.72, 2.72},
      {"", "hbm_read_bandwidth", "FETCH_SIZE=1.0", 1.024},
      {"gfx942", "hbm_write_bandwidth", kWrite942, 2.88, 2.88},
      {"", "hbm_write_bandwidth", "WRITE_SIZE=2.0", 2.048},
      {"gfx942", "hbm_bytes", kRead942 + kWrite942, 9280},
      {"gfx942", "hbm_read_share", "TCC_EA0_RDREQ_DRAM_sum=90; TCC_EA0_RDREQ_sum=100", 90},
      {"gfx90a", "hbm_read_share", "TCC_EA_RDREQ_DRAM_sum=45; TCC_EA_RDREQ_sum=50", 90},

      {"gfx90a", "valu_rate", kValu, 6.528, 0.51},
      {"gfx90a", "f16_rate", kMfma, 1.024, 0.01},
      {"gfx942", "f16_rate", kMfma, 1.024, 0.005},
      {"gfx950", "bf16_rate", kMfma, 1.536, 0.00375},
      {"gfx90a", "f32_rate", kMfma, 2.048, 0.08},
      {"gfx942", "f64_rate", kMfma, 2.56, 0.1},
      {"gfx950", "f64_rate", kMfma, 2.56, 0.2},
      {"gfx942", "f8_rate", kF8, 3.072, 0.0075},
      {"gfx950", "f6f4_rate", kF6F4, 3.584, 0.0021875},
      {"gfx90a", "i8_rate", "SQ_INSTS_VALU_MFMA_MOPS_I8=8", 4.096, 0.04},
      {"gfx942", "i8_rate", "SQ_INSTS_VALU_MFMA_MOPS_I8=8", 4.096, 0.01},
      {"gfx950", "i8_rate", "SQ_INSTS_VALU_MFMA_MOPS_I8=8", 4.096, 0.005},
      {"gfx90a", "flop", kValu + kMfma, 13696},
      {"gfx942", "flop", kValu + kMfma + kF8, 16768},
      {"gfx950", "flop", kValu + kMfma + kF8 + kF6F4, 20352},
      {"", "flop", kValu + kMfma, 13696},

      {"gfx90a", "intensity_hbm", kValu + kMfma + kRead90a + kWrite90a, 13696.0 / 8640},
      {"gfx942", "intensity_hbm", kValu + kMfma + kF8 + kRead942 + kWrite942, 16768.0 / 9280},
      {"gfx942", "intensity_hbm", kValu + kMfma + kRead942 + kWrite942, 13696.0 / 9280},
      {"gfx90a", "intensity_l2", kValu + kMfma + kToL2, 13696.0 / 1280},
      {"gfx942", "intensity_l2", kValu + kMfma + kF8 + kToL2, 16768.0 / 1920},
      {"gfx942", "intensity_l2", kValu + kMfma + kToL2, 13696.0 / 1920},
      {"gfx90a", "intensity_l1", kValu + kMfma + "TCP_TOTAL_CACHE_ACCESSES_sum=80", 13696.0 / 5120},
      {"gfx942", "intensity_l1", kValu + kMfma + kF8 + "TCP_TOTAL_CACHE_ACCESSES_sum=80", 16768.0 / 10240},
      {"gfx942", "intensity_l1", kValu + kMfma + "TCP_TOTAL_CACHE_ACCESSES_sum=80", 13696.0 / 10240},
      {"gfx90a", "roofline_compute", kValu + kMfma, 0.51},         // of the VALU, 6528 / 1280
      {"gfx90a", "roofline_compute", kNoValu + kMfma, 0.205},      // 0.25 + 0.8 + 1 ns
      {"gfx942", "roofline_compute", kNoValu + kMfma + kF8, 0.2},  // 0.125 + 0.8 + 1 + 0.075 ns
      {"gfx942", "roofline_compute", kNoValu + kMfma, 0.1925},
      {"gfx950", "roofline_compute", kNoValu + kMfma + kF8 + kF6F4, 0.2921875},
      {"gfx90a", "roofline_memory", kRead90a + kWrite90a, 8.64},
      {"measured", "measured_roofline_compute", kValu + kMfma, 1.02},  // of the VALU, 6528 / 640
      {"measured", "measured_roofline_compute", kNoValu + kMfma, 0.41},
      {"measured", "measured_roofline_memory", kRead90a + kWrite90a, 17.28},

      {"", "wait_dependency", "SQ_WAIT_ANY=60; SQ_WAVE_CYCLES=100", 60},
      {"", "wait_issue", "SQ_WAIT_INST_ANY=25; SQ_WAVE_CYCLES=100", 25},
      {"", "wave_active", "SQ_ACTIVE_INST_ANY=10; SQ_WAVE_CYCLES=100", 10},
      {"", "l1_stall_l2_data", "TCP_PENDING_STALL_CYCLES_sum=10; TCP_GATE_EN1_sum=100", 10},
      {"", "l1_stall_l2_request", "TCP_TCR_TCP_STALL_CYCLES_sum=20; TCP_GATE_EN1_sum=100", 20},
      {"", "l1_stall_tag_read", "TCP_READ_TAGCONFLICT_STALL_CYCLES_sum=1; TCP_GATE_EN1_sum=100", 1},
      {"", "l1_stall_tag_write", "TCP_WRITE_TAGCONFLICT_STALL_CYCLES_sum=2; TCP_GATE_EN1_sum=100", 2},
      {"", "l1_stall_tag_atomic", "TCP_ATOMIC_TAGCONFLICT_STALL_CYCLES_sum=3; TCP_GATE_EN1_sum=100", 3},
      {"", "lds_bank_conflicts", "SQ_LDS_BANK_CONFLICT=100; SQ_LDS_IDX_ACTIVE=1000", 10},
      {"", "write_starved", "TCC_TOO_MANY_EA_WRREQS_STALL_sum=5; TCC_BUSY_sum=1000", 0.5},
      {"gfx90a", "not_placed", "GRBM_SPI_BUSY=1000; SPI_RA_REQ_NO_ALLOC_CSN=100", 5},
      {"gfx90a", "no_scratch", "GRBM_SPI_BUSY=1000; SPI_RA_TMP_STALL_CSN=200", 10},
      {"gfx90a", "no_waveslot", kGui + "SPI_RA_WAVE_SIMD_FULL_CSN=100", 1},
      {"gfx90a", "no_vgpr", kGui + "SPI_RA_VGPR_SIMD_FULL_CSN=200", 2},
      {"gfx90a", "no_sgpr", kGui + "SPI_RA_SGPR_SIMD_FULL_CSN=300", 3},
      {"gfx90a", "no_lds", kGui + "SPI_RA_LDS_CU_FULL_CSN=25", 1},
      {"gfx90a", "no_barrier", kGui + "SPI_RA_BAR_CU_FULL_CSN=50", 2},
      {"", "vmem_latency", "SQ_INST_LEVEL_VMEM_ACCUM=500; SQ_INSTS_VMEM=10", 50},
      {"", "smem_latency", "SQ_INST_LEVEL_SMEM_ACCUM=300; SQ_INSTS_SMEM=10", 30},
      {"", "lds_latency", "SQ_INST_LEVEL_LDS_ACCUM=200; SQ_INSTS_LDS=10", 20},
      {"", "hbm_read_latency", "TCC_EA0_RDREQ_LEVEL_sum=1000; TCC_EA0_RDREQ_sum=100", 10},
      {"gfx90a", "hbm_read_latency", "TCC_EA_RDREQ_LEVEL_sum=1000; TCC_EA_RDREQ_sum=50", 20},
      {"", "hbm_write_latency", "TCC_EA0_WRREQ_LEVEL_sum=300; TCC_EA0_WRREQ_sum=10", 30},
      {"gfx90a", "hbm_write_latency", "TCC_EA_WRREQ_LEVEL_sum=400; TCC_EA_WRREQ_sum=10", 40},
  };
}

std::vector<Case> derived_cases() {
  return {
      {"", "achieved_occupancy", "OccupancyPercent=12.5", 12.5},
      {"gfx90a", "achieved_occupancy", "MeanOccupancyPerCU=8.0", 25},
      {"", "waves", "Wavefronts=7", 7},
      {"", "gpu_busy", "GPUBusy=90.0", 90},
      {"", "valu_utilization", "VALUBusy=11.0", 11},
      {"gfx942", "mfma_utilization", "MfmaUtil=12.0", 12},
      {"", "salu_utilization", "SALUBusy=13.0", 13},
      {"", "vmem_utilization", "MemUnitBusy=14.0", 14},
      {"", "active_lanes", "VALUUtilization=15.0", 15},
      {"", "l2_hit_rate", "L2CacheHit=16.0", 16},
      {"", "lds_bank_conflicts", "LDSBankConflict=17.0", 17},
      {"", "memory_unit_stalled", "MemUnitStalled=18.0", 18},
      {"", "write_unit_stalled", "WriteUnitStalled=19.0", 19},
  };
}

// Operations of the tensor cores on one type of input.
std::string ops(const std::string& type, int count) {
  return "sm__ops_path_tensor_src_" + type + ".sum=" + std::to_string(count) + "; ";
}

std::string ops_rate(const std::string& type) {
  return "sm__ops_path_tensor_src_" + type +
         ".sum.per_cycle_elapsed [1/cycle]=20; sm__cycles_elapsed.avg.per_second [cycle/nsecond]=2; ";
}

std::string ops_peak(const std::string& type, int per_cycle, int peak) {
  const std::string name = "sm__ops_path_tensor_src_" + type + ".sum.";
  return name + "per_cycle_elapsed=" + std::to_string(per_cycle) + "; " + name +
         "peak_sustained=" + std::to_string(peak) + "; ";
}

std::vector<Case> nvidia_cases() {
  const std::string light = "GPU Speed Of Light Throughput: ";
  const std::string memory = "Memory Workload Analysis: ";
  const std::string half =
      "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum=300; "
      "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum=400; "
      "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum=500; ";
  const std::string all_ops = ops("fp64", 1000) + ops("tf32_dst_fp32", 2000) + ops("bf16_dst_fp32", 3000) +
                              ops("fp16", 4000) + ops("fp8", 5000);
  const std::string peaks =
      "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed=10; "
      "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed=20; "
      "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2=70; "
      "derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2=400; "
      "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed=5; "
      "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed=5; "
      "derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2=10; "
      "derived__sm__sass_thread_inst_executed_op_dfma_pred_on_x2=200; ";
  const std::string tensor_peaks = ops_peak("fp64", 1, 100) + ops_peak("tf32_dst_fp32", 4, 200) +
                                   ops_peak("bf16_dst_fp32", 200, 400) + ops_peak("fp16", 40, 400) +
                                   ops_peak("fp8", 40, 800);
  std::vector<Case> cases = {
      {"", "achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active [%]=74.43", 74.43},
      {"", "achieved_occupancy", "Occupancy: Achieved Occupancy [%]=40.5", 40.5},
      {"", "theoretical_occupancy", "sm__maximum_warps_per_active_cycle_pct [%]=100", 100},
      {"", "theoretical_occupancy", "Occupancy: Theoretical Occupancy [%]=50", 50},
      {"", "active_waves", "sm__warps_active.sum.per_cycle_active [warp]=6287.49", 6287.49},
      {"", "registers_per_thread", "launch__registers_per_thread [register/thread]=16", 16},
      {"", "registers_per_thread", "Launch Statistics: Registers Per Thread [register/thread]=32", 32},
      {"", "shared_memory_per_block", "launch__shared_mem_per_block [Kbyte/block]=1.02", 1020},
      {"", "shared_memory_per_block",
       "Launch Statistics: Dynamic Shared Memory Per Block [Kbyte/block]=1; Launch Statistics: Static Shared Memory "
       "Per "
       "Block [byte/block]=24; Launch Statistics: Driver Shared Memory Per Block [Kbyte/block]=1",
       2024},
      {"", "spill_requests", "derived__local_spilling_requests=5", 5},
      {"", "spill_requests", "sass__inst_executed_register_spilling=6", 6},
      {"", "spill_requests", memory + "Local Memory Spilling Requests=7", 7},
      {"", "sm_throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed [%]=34.35", 34.35},
      {"", "sm_throughput", light + "Compute (SM) Throughput [%]=34", 34},
      {"", "memory_throughput", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed [%]=69.94", 69.94},
      {"", "memory_throughput", light + "Memory Throughput [%]=70", 70},
      {"", "l1_throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active [%]=18.62", 18.62},
      {"", "l1_throughput", light + "L1/TEX Cache Throughput [%]=19", 19},
      {"", "l2_throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed [%]=78.73", 78.73},
      {"", "l2_throughput", light + "L2 Cache Throughput [%]=79", 79},
      {"", "hbm_throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed [%]=69.94", 69.94},
      {"", "hbm_throughput", "dram__throughput.avg.pct_of_peak_sustained_elapsed [%]=68", 68},
      {"", "hbm_throughput", light + "DRAM Throughput [%]=67", 67},
      {"", "tensor_utilization", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed [%]=9", 9},
      {"", "tensor_utilization", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active [%]=10", 10},
      {"", "ipc", "sm__inst_executed.avg.per_cycle_active [inst/cycle]=1.5", 1.5},
      {"", "ipc", "Compute Workload Analysis: Executed Ipc Active [inst/cycle]=1.25", 1.25},
      {"", "l1_hit_rate", "l1tex__t_sector_hit_rate.pct [%]=33.3", 33.3},
      {"", "l1_hit_rate", memory + "L1/TEX Hit Rate [%]=30", 30},
      {"", "l2_hit_rate", "lts__t_sector_hit_rate.pct [%]=66.6", 66.6},
      {"", "l2_hit_rate", memory + "L2 Hit Rate [%]=60", 60},
      {"", "l1_bandwidth", "l1tex__t_bytes.sum [Kbyte]=2", 2},
      {"", "l1_bandwidth", "l1tex__t_bytes.sum.per_second [Tbyte/s]=1.5", 1500},
      {"", "l2_bandwidth", "lts__t_bytes.sum [Mbyte]=3", 3000},
      {"", "l2_bandwidth", "lts__t_bytes.sum.per_second [Gbyte/s]=40", 40},
      {"", "l2_bandwidth", "lts__t_sectors.sum [sector]=1000", 32},
      {"", "hbm_bandwidth", "dram__bytes.sum [Mbyte]=4", 4000},
      {"", "hbm_bandwidth", "dram__bytes.sum.per_second [Gbyte/second]=50", 50},
      {"", "hbm_bandwidth", "dram__bytes_read.sum [byte]=3000; dram__bytes_write.sum [Kbyte]=1", 4},
      {"", "hbm_bandwidth", memory + "Memory Throughput [Gbyte/s]=60", 60},
      {"", "hbm_read_bandwidth", "dram__bytes_read.sum [Kbyte]=3", 3},
      {"", "hbm_read_bandwidth", "dram__bytes_read.sum.per_second [Mbyte/s]=3000", 3},
      {"", "hbm_write_bandwidth", "dram__bytes_write.sum [Kbyte]=5", 5},
      {"", "hbm_write_bandwidth", "dram__bytes_write.sum.per_second [byte/s]=6000000000", 6},
      {"", "hbm_bytes", "dram__bytes.sum [Kbyte]=7", 7000},
      {"", "hbm_bytes", "dram__bytes_read.sum [Kbyte]=7; dram__bytes_write.sum [Kbyte]=1", 8000},
      {"", "fp32_rate", sass("f"), 0.9},
      {"", "fp32_rate", sass("f", "sm"), 0.9},
      {"", "fp64_rate", sass("d", "sm"), 0.9},
      {"", "flop", sass("f", "sm") + sass("d", "sm") + sass("h", "sm") + all_ops, 1800 + 1800 + 15000},
      {"", "fp32_rate", sass_rate("f"), 18},
      {"", "fp64_rate", sass("d"), 0.9},
      {"", "fp64_rate", sass_rate("d"), 18},
      {"", "flop", sass("f") + sass("d"), 1800},
      {"", "fp16_rate", half, 3.4},
      {"", "tensor_fp64_rate", ops("fp64", 8000), 8},
      {"", "tensor_fp64_rate", ops_rate("fp64"), 40},
      {"", "tensor_tf32_rate", ops("tf32_dst_fp32", 9000), 9},
      {"", "tensor_tf32_rate", ops_rate("tf32_dst_fp32"), 40},
      {"", "tensor_bf16_rate", ops("bf16_dst_fp32", 10000), 10},
      {"", "tensor_bf16_rate", ops_rate("bf16_dst_fp32"), 40},
      {"", "tensor_fp16_rate", ops("fp16", 11000), 11},
      {"", "tensor_fp16_rate", ops("fp16_dst_fp16", 5000) + ops("fp16_dst_fp32", 7000), 12},
      {"", "tensor_fp16_rate", ops_rate("fp16"), 40},
      {"", "tensor_fp8_rate", ops("fp8", 12000), 12},
      {"", "tensor_fp8_rate", ops_rate("fp8"), 40},
      {"", "tensor_int8_rate", ops("int8", 13000), 13},
      {"", "tensor_int8_rate", ops_rate("int8"), 40},
      {"", "flop", sass("f") + sass("d") + half + all_ops, 1800 + 3400 + 15000},
      {"", "flop", sass("f") + sass("d") + all_ops, 1800 + 15000},
      {"", "intensity_hbm", sass("f") + sass("d") + half + all_ops + "dram__bytes.sum [byte]=200", 101},
      {"", "intensity_hbm",
       sass("f") + sass("d") + half + all_ops + "dram__bytes_read.sum [byte]=50; dram__bytes_write.sum [byte]=50", 202},
      {"", "intensity_hbm", sass("f") + sass("d") + all_ops + "dram__bytes.sum [byte]=200", 84},
      {"", "intensity_hbm",
       sass("f") + sass("d") + all_ops + "dram__bytes_read.sum [byte]=50; dram__bytes_write.sum [byte]=50", 168},
      {"", "roofline_compute", peaks + tensor_peaks, 100 * (0.01 + 0.02 + 0.5 + 0.1 + 0.05)},
      {"", "roofline_compute", peaks, 25},
      {"", "roofline_memory", "dram__bytes.sum.pct_of_peak_sustained_elapsed [%]=61.5", 61.5},
      {"", "roofline_memory",
       "dram__bytes.sum.per_second [Tbyte/s]=2.4; dram__bytes.sum.peak_sustained [Kbyte/cycle]=1.5; "
       "dram__cycles_elapsed.avg.per_second [Ghz]=3.2",
       50},
      {"", "intensity_hbm", sass("f") + sass("d") + "dram__bytes.sum [byte]=900", 2},
      {"", "intensity_hbm", sass("f") + sass("d") + "dram__bytes_read.sum [byte]=400; dram__bytes_write.sum [byte]=500",
       2},
  };
  for (const CounterFormula& formula : nvidia_formulas()) {
    if (formula.metric.starts_with("stall_")) {
      cases.push_back({"", formula.metric, std::string(formula.expression) + " [inst]=1.5", 1.5});
    }
  }
  return cases;
}

// "{2.1: IPC Avg}" as the database's reader names it.
std::vector<Case> rocprof_compute_cases() {
  std::vector<Case> cases;
  for (const CounterFormula& formula : rocprof_compute_formulas()) {
    std::string name(formula.expression.substr(1, formula.expression.size() - 2));
    name.replace(name.find(':'), 1, ".7");
    cases.push_back({"gfx942", formula.metric, name + "=1.5", 1.5});
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> all = amd_cases();
  for (const auto& more : {derived_cases(), rocprof_compute_cases(), nvidia_cases()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

TraceCounters counters_of(const Case& example) {
  CounterTrace trace;
  const std::string gfx = example.gfx;
  if (!gfx.empty()) {
    trace.machine("system", "sysinfo",
                  "gpu_arch=" + (gfx == "measured" ? "gfx90a" : gfx) +
                      "; cu_per_gpu=10; max_waves_per_cu=32; wave_size=64; max_sclk=1000; total_l2_chan=4; hbm_bw=100; "
                      "num_xcd=2; se_per_gpu=4; lds_banks_per_cu=32");
  }
  if (gfx == "measured") {
    trace.machine("roof", "roofline",
                  "HBMBw=50; FP32Flops=640; MFMAF16Flops=5120; MFMABF16Flops=5120; MFMAF32Flops=1280; "
                  "MFMAF64Flops=1280");
  }
  trace.kernel("k", 1000, example.counters);
  return kernel_counters(trace.table);
}

TEST(Formulas, EachWithCountersWorkedOutByHand) {
  for (const Case& example : all_cases()) {
    SCOPED_TRACE(std::string(example.gfx) + " " + std::string(example.metric) + " of " + example.counters);
    const TraceCounters counters = counters_of(example);
    ASSERT_EQ(counters.kernels.size(), 1);
    const CounterValue* const value = counters.kernels[0].find(example.metric);
    ASSERT_NE(value, nullptr);
    EXPECT_NEAR(value->value, example.value, 1e-9 * std::abs(example.value));
    ASSERT_EQ(value->roof.has_value(), example.percent >= 0);
    if (value->roof) {
      EXPECT_NEAR(value->roof->percent, example.percent, 1e-9);
    }
    EXPECT_FALSE(value->suspect);
  }
}

TEST(Formulas, NoneIsWithoutACase) {
  std::set<const CounterFormula*> used;
  std::set<std::string> texts;
  for (const Case& example : all_cases()) {
    const TraceCounters counters = counters_of(example);
    for (const CounterValue& value : counters.kernels.at(0).values) {
      used.insert(value.formula->formula);
      texts.insert(value.formula->text);
    }
  }
  for (const auto& formulas : {amd_formulas(), amd_derived_formulas(), rocprof_compute_formulas(), nvidia_formulas()}) {
    for (const CounterFormula& formula : formulas) {
      EXPECT_TRUE(used.contains(&formula)) << formula.metric << ": " << formula.expression;
    }
  }
  for (const auto& terms : {amd_terms(), nvidia_terms()}) {
    for (const CounterTerm& term : terms) {
      const bool of_roofs = term.name.ends_with("_peak");
      const bool is_named = std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return text.find(term.expression) != std::string::npos;
      });
      EXPECT_TRUE(is_named || of_roofs || term.expression.find('@') != std::string_view::npos) << term.name;
    }
  }
}

TEST(Formulas, AllAreCompiledForTheirArchitectures) {
  const CompiledFormulas& compiled = compiled_formulas();
  for (size_t i = 0; i < kCounterArchitectures; ++i) {
    std::set<const CounterFormula*> there;
    for (const CompiledFormula& formula : compiled.by_architecture[i]) {
      there.insert(formula.formula);
      EXPECT_LT(formula.metric, counter_metrics().size()) << formula.formula->metric;
      EXPECT_EQ(formula.text.find('@'), std::string::npos);
      EXPECT_FALSE(formula.formula->source.empty());
      for (const std::string& name : formula.expression.expression.names()) {
        const bool known = !name.starts_with('$') || name == kDurationQuantity ||
                           std::any_of(machine_quantities().begin(), machine_quantities().end(),
                                       [&](const auto& each) { return each.name == name; }) ||
                           std::any_of(launch_quantities().begin(), launch_quantities().end(),
                                       [&](const auto& each) { return each.name == name; });
        EXPECT_TRUE(known) << name;
      }
    }
    for (const auto& formulas :
         {amd_formulas(), amd_derived_formulas(), rocprof_compute_formulas(), nvidia_formulas()}) {
      for (const CounterFormula& formula : formulas) {
        const bool applies = (formula.architectures & set_of(static_cast<CounterArchitecture>(i))) != 0;
        EXPECT_EQ(there.contains(&formula), applies) << i << " " << formula.metric << ": " << formula.expression;
      }
    }
  }
}

TEST(Formulas, EveryMetricHasOne) {
  std::set<std::string_view> metrics;
  for (const auto& formulas : {amd_formulas(), amd_derived_formulas(), rocprof_compute_formulas(), nvidia_formulas()}) {
    for (const CounterFormula& formula : formulas) {
      metrics.insert(formula.metric);
    }
  }
  for (const CounterMetric& metric : counter_metrics()) {
    EXPECT_TRUE(metrics.contains(metric.id)) << metric.id;
  }
}

}  // namespace
}  // namespace aaco
