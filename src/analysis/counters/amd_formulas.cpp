// SPDX-License-Identifier: MIT
// After rocprof-compute's analysis panels (src/rocprof_compute_soc/analysis_configs/<gfx>/NNNN_*.yaml), each named with
// its number. Cycles of the device are GRBM_GUI_ACTIVE, which each die counts for itself.
#include "analysis/counters/formulas.h"

namespace aaco {

namespace {

using enum CounterSum;

constexpr std::string_view kSpeedOfLight = "rocprof-compute panel 0200, System Speed-of-Light";
constexpr std::string_view kSpi = "rocprof-compute panel 0600, Workgroup Manager";
constexpr std::string_view kWavefront = "rocprof-compute panel 0700, Wavefront";
constexpr std::string_view kMix = "rocprof-compute panel 1000, Instruction Mix";
constexpr std::string_view kPipeline = "rocprof-compute panel 1100, Compute Pipeline";
constexpr std::string_view kLds = "rocprof-compute panel 1200, Local Data Share";
constexpr std::string_view kL1 = "rocprof-compute panel 1600, Vector L1 Data Cache";
constexpr std::string_view kL2 = "rocprof-compute panel 1700, L2 Cache";
constexpr std::string_view kDerived = "rocprofiler-sdk counter_defs.yaml";
constexpr std::string_view kRoofline = "rocprof-compute panel 0400, Roofline";
constexpr std::string_view kCdna1 = "panel 0200; rate: AMD CDNA white paper";
constexpr std::string_view kCdna2 = "panel 0200; rate: AMD CDNA 2 white paper";
constexpr std::string_view kCdna3 = "panel 0200; rate: AMD CDNA 3 white paper, without sparsity";
constexpr std::string_view kCdna4 = "panel 0200; rate: AMD CDNA 4 white paper, without sparsity";
constexpr std::string_view kRegisterFile = "LLVM AMDGPU usage, register allocation; AMDGPUBaseInfo's occupancy limits";

constexpr CounterTerm kTerms[] = {
    {"cycles", kAmd, "(GRBM_GUI_ACTIVE / $xcd)", kSpeedOfLight},
    {"cu_cycles", kAmd, "(@cycles * $cu)", kSpeedOfLight},
    {"spi_cycles", kAmd, "(GRBM_SPI_BUSY / $xcd * $se)", kSpi},
    {"l1_to_l2", kAmd,
     "(TCP_TCC_READ_REQ_sum + TCP_TCC_WRITE_REQ_sum + TCP_TCC_ATOMIC_WITH_RET_REQ_sum + "
     "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum)",
     kL1},
    {"l1_bytes", kMi100 | kMi200, "(64 * TCP_TOTAL_CACHE_ACCESSES_sum)", kL1},
    {"l1_bytes", kMi300 | kMi350, "(128 * TCP_TOTAL_CACHE_ACCESSES_sum)", kL1},
    {"l1_to_l2_bytes", kMi100 | kMi200, "(64 * @l1_to_l2)", kL1},
    {"l1_to_l2_bytes", kMi300 | kMi350,
     "(128 * TCP_TCC_READ_REQ_sum + 64 * (TCP_TCC_WRITE_REQ_sum + TCP_TCC_ATOMIC_WITH_RET_REQ_sum + "
     "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum))",
     kL1},
    {"l2_bytes", kMi100, "(64 * TCC_REQ_sum)", kL2},
    {"l2_bytes", kMi200On, "(128 * TCC_REQ_sum)", kL2},
    {"read_bytes", kMi100 | kMi200 | kUnknownAmd,
     "(32 * TCC_EA_RDREQ_32B_sum + 64 * (TCC_EA_RDREQ_sum - TCC_EA_RDREQ_32B_sum))", kL2},
    {"read_bytes", kMi350, "(128 * TCC_EA0_RDREQ_128B_sum + 64 * TCC_EA0_RDREQ_64B_sum + 32 * TCC_EA0_RDREQ_32B_sum)",
     kL2},
    {"read_bytes", kMi300 | kMi350 | kUnknownAmd,
     "(128 * TCC_BUBBLE_sum + 64 * (TCC_EA0_RDREQ_sum - TCC_BUBBLE_sum - TCC_EA0_RDREQ_32B_sum) + 32 * "
     "TCC_EA0_RDREQ_32B_sum)",
     kL2},
    {"read_bytes", kAmd, "(1024 * FETCH_SIZE)", kDerived},
    {"write_bytes", kMi100 | kMi200 | kUnknownAmd,
     "(64 * TCC_EA_WRREQ_64B_sum + 32 * (TCC_EA_WRREQ_sum - TCC_EA_WRREQ_64B_sum))", kL2},
    {"write_bytes", kMi300 | kMi350 | kUnknownAmd,
     "(64 * TCC_EA0_WRREQ_64B_sum + 32 * (TCC_EA0_WRREQ_sum - TCC_EA0_WRREQ_64B_sum))", kL2},
    {"write_bytes", kAmd, "(1024 * WRITE_SIZE)", kDerived},
    {"valu_flop", kMi200On | kUnknownAmd,
     "(64 * (SQ_INSTS_VALU_ADD_F16 + SQ_INSTS_VALU_MUL_F16 + SQ_INSTS_VALU_TRANS_F16 + 2 * SQ_INSTS_VALU_FMA_F16 + "
     "SQ_INSTS_VALU_ADD_F32 + SQ_INSTS_VALU_MUL_F32 + SQ_INSTS_VALU_TRANS_F32 + 2 * SQ_INSTS_VALU_FMA_F32 + "
     "SQ_INSTS_VALU_ADD_F64 + SQ_INSTS_VALU_MUL_F64 + SQ_INSTS_VALU_TRANS_F64 + 2 * SQ_INSTS_VALU_FMA_F64))",
     kPipeline},
    {"mfma_flop", kMi200On | kUnknownAmd,
     "(512 * (SQ_INSTS_VALU_MFMA_MOPS_F16 + SQ_INSTS_VALU_MFMA_MOPS_BF16 + SQ_INSTS_VALU_MFMA_MOPS_F32 + "
     "SQ_INSTS_VALU_MFMA_MOPS_F64))",
     kPipeline},
    {"all_flop", kMi200, "(@valu_flop + @mfma_flop)", kPipeline},
    {"all_flop", kMi300, "(@valu_flop + @mfma_flop + 512 * SQ_INSTS_VALU_MFMA_MOPS_F8)", kPipeline},
    {"all_flop", kMi350,
     "(@valu_flop + @mfma_flop + 512 * (SQ_INSTS_VALU_MFMA_MOPS_F8 + SQ_INSTS_VALU_MFMA_MOPS_F6F4))", kPipeline},
    {"lds_bytes_moved", kAmd, "((SQ_LDS_IDX_ACTIVE - SQ_LDS_BANK_CONFLICT) * 4 * $lds_banks)", kLds},
    // Operations a cycle and compute unit.
    {"valu_peak", kKnownAmd, "($sclk * $cu * 128 / 1000)", kSpeedOfLight},
    {"f64_peak", kMi200 | kMi300, "($sclk * $cu * 256 / 1000)", kCdna2},
    {"f64_peak", kMi350, "($sclk * $cu * 128 / 1000)", kCdna4},
    {"f32_peak", kKnownAmd, "($sclk * $cu * 256 / 1000)", kCdna1},
    {"f16_peak", kMi100 | kMi200, "($sclk * $cu * 1024 / 1000)", kCdna2},
    {"f16_peak", kMi300, "($sclk * $cu * 2048 / 1000)", kCdna3},
    {"f16_peak", kMi350, "($sclk * $cu * 4096 / 1000)", kCdna4},
    {"i8_peak", kMi200, "($sclk * $cu * 1024 / 1000)", kCdna2},
    {"i8_peak", kMi300, "($sclk * $cu * 4096 / 1000)", kCdna3},
    {"i8_peak", kMi350, "($sclk * $cu * 8192 / 1000)", kCdna4},
    {"f6f4_peak", kMi350, "($sclk * $cu * 16384 / 1000)", kCdna4},
    // Nanoseconds that the matrix units need at their peak: one type after the other.
    {"mfma_time", kMi200On,
     "(512 * ((SQ_INSTS_VALU_MFMA_MOPS_F16 + SQ_INSTS_VALU_MFMA_MOPS_BF16) / @f16_peak + SQ_INSTS_VALU_MFMA_MOPS_F32 / "
     "@f32_peak + SQ_INSTS_VALU_MFMA_MOPS_F64 / @f64_peak))",
     kRoofline},
    {"f8_time", kMi300, "(512 * SQ_INSTS_VALU_MFMA_MOPS_F8 / @i8_peak)", kRoofline},
    {"f8_time", kMi350, "(512 * (SQ_INSTS_VALU_MFMA_MOPS_F8 / @i8_peak + SQ_INSTS_VALU_MFMA_MOPS_F6F4 / @f6f4_peak))",
     kRoofline},
    {"measured_mfma_time", kMi200On,
     "(512 * (SQ_INSTS_VALU_MFMA_MOPS_F16 / $measured_f16 + SQ_INSTS_VALU_MFMA_MOPS_BF16 / $measured_bf16 + "
     "SQ_INSTS_VALU_MFMA_MOPS_F32 / $measured_f32 + SQ_INSTS_VALU_MFMA_MOPS_F64 / $measured_f64))",
     kRoofline},
    // Waves that fit a SIMD, by its registers, and then a compute unit, in whole workgroups.
    {"simd_waves", kMi100,
     "min(10, min(floor(256 / max(1, ceil(max($vgprs, $agprs) / 4) * 4)), floor(800 / max(1, $sgprs))))",
     kRegisterFile},
    {"simd_waves", kMi200On,
     "min(8, min(floor(512 / max(1, ceil((ceil($vgprs / 4) * 4 + $agprs) / 8) * 8)), floor(800 / max(1, $sgprs))))",
     kRegisterFile},
    {"group_waves", kKnownAmd, "ceil($workgroup / $wave_size)", kRegisterFile},
    {"group_waves", kKnownAmd, "ceil($workgroup_x * $workgroup_y * $workgroup_z / $wave_size)", kRegisterFile},
    {"groups", kKnownAmd,
     "min(floor(4 * @simd_waves / @group_waves), min(16 + 64 * max(0, 2 - @group_waves), floor($lds_bytes / max(1, "
     "$lds))))",
     kRegisterFile},
};

constexpr std::string_view kWithoutF8 = "MFMA of 8-bit and smaller floating point was not counted: at least";
constexpr std::string_view kFabric = "what the L2 cache moves over the fabric: of memory that is not on the device too";

constexpr CounterFormula kFormulas[] = {
    {"achieved_occupancy", kAmd, kSum, "100 * SQ_LEVEL_WAVES_ACCUM / (@cu_cycles * $waves_per_cu)", kSpeedOfLight},
    {"theoretical_occupancy", kKnownAmd, kMean, "100 * @groups * @group_waves / $waves_per_cu", kRegisterFile},
    {"active_waves", kAmd, kSum, "SQ_LEVEL_WAVES_ACCUM / @cycles", kSpeedOfLight, "$waves_per_cu * $cu"},
    {"waves", kAmd, kSum, "SQ_WAVES", kDerived},
    {"cu_utilization", kAmd, kSum, "100 * SQ_BUSY_CU_CYCLES / @cu_cycles", kSpeedOfLight},
    {"gpu_busy", kAmd, kSum, "100 * GRBM_GUI_ACTIVE / GRBM_COUNT", kSpi},

    {"vgprs", kAmd, kMean, "$vgprs", kWavefront},
    {"agprs", kAmd, kMean, "$agprs", kWavefront},
    {"sgprs", kAmd, kMean, "$sgprs", kWavefront},
    {"lds_per_workgroup", kAmd, kMean, "$lds", kWavefront},
    {"scratch_per_workitem", kAmd, kMean, "$scratch", kWavefront},
    // Later ones access scratch memory with instructions that this counter does not see.
    {"spill_instructions", kMi100 | kMi200, kSum, "TA_BUFFER_WAVEFRONTS_sum / SQ_WAVES", kMix},

    {"valu_utilization", kAmd, kSum, "100 * SQ_ACTIVE_INST_VALU / @cu_cycles", kSpeedOfLight},
    {"mfma_utilization", kMi200On, kSum, "100 * SQ_VALU_MFMA_BUSY_CYCLES / (4 * @cu_cycles)", kSpeedOfLight},
    {"salu_utilization", kAmd, kSum, "100 * SQ_ACTIVE_INST_SCA / @cu_cycles", kSpeedOfLight},
    {"vmem_utilization", kMi200On, kSum, "100 * (SQ_ACTIVE_INST_FLAT + SQ_ACTIVE_INST_VMEM) / @cu_cycles",
     kSpeedOfLight},
    {"branch_utilization", kMi200On, kSum, "100 * SQ_ACTIVE_INST_MISC / @cu_cycles", kSpeedOfLight},
    {"lds_utilization", kAmd, kSum, "100 * SQ_LDS_IDX_ACTIVE / @cu_cycles", kLds},
    {"l2_utilization", kAmd, kSum, "100 * TCC_BUSY_sum / ($l2_channels * @cycles)", kL2},
    {"active_lanes", kAmd, kSum, "100 * SQ_THREAD_CYCLES_VALU / SQ_ACTIVE_INST_VALU / 64", kSpeedOfLight},
    {"ipc", kAmd, kSum, "SQ_INSTS / SQ_BUSY_CU_CYCLES", kSpeedOfLight, "5"},

    {"l1_hit_rate", kAmd, kSum, "100 - 100 * @l1_to_l2 / TCP_TOTAL_CACHE_ACCESSES_sum", kL1},
    {"l1_bandwidth", kMi100 | kMi200, kSum, "@l1_bytes / $duration", kSpeedOfLight, "$sclk / 1000 * 64 * $cu",
     "$measured_l1"},
    {"l1_bandwidth", kMi300 | kMi350, kSum, "@l1_bytes / $duration", kSpeedOfLight, "$sclk / 1000 * 128 * $cu",
     "$measured_l1"},
    {"l2_hit_rate", kAmd, kSum, "100 * TCC_HIT_sum / (TCC_HIT_sum + TCC_MISS_sum)", kL2},
    {"l2_bandwidth", kMi100 | kMi200, kSum, "@l2_bytes / $duration", kSpeedOfLight, "$sclk / 1000 * 64 * $l2_channels",
     "$measured_l2"},
    {"l2_bandwidth", kMi300 | kMi350, kSum, "@l2_bytes / $duration", kSpeedOfLight, "$sclk / 1000 * 128 * $l2_channels",
     "$measured_l2"},
    {"scalar_hit_rate", kAmd, kSum, "100 * SQC_DCACHE_HITS / (SQC_DCACHE_HITS + SQC_DCACHE_MISSES)", kSpeedOfLight},
    {"instruction_hit_rate", kAmd, kSum, "100 * SQC_ICACHE_HITS / (SQC_ICACHE_HITS + SQC_ICACHE_MISSES)",
     kSpeedOfLight},
    {"lds_bandwidth", kAmd, kSum, "@lds_bytes_moved / $duration", kSpeedOfLight, "$sclk * $cu * 0.128",
     "$measured_lds"},
    {"hbm_bandwidth", kAmd, kSum, "(@read_bytes + @write_bytes) / $duration", kRoofline, "$hbm_bw", "$measured_hbm",
     kFabric},
    {"hbm_read_bandwidth", kAmd, kSum, "@read_bytes / $duration", kSpeedOfLight, "$hbm_bw", "$measured_hbm", kFabric},
    {"hbm_write_bandwidth", kAmd, kSum, "@write_bytes / $duration", kSpeedOfLight, "$hbm_bw", "$measured_hbm", kFabric},
    {"hbm_bytes", kAmd, kSum, "@read_bytes + @write_bytes", kRoofline, "", "", kFabric},
    {"hbm_read_share", kMi300 | kMi350 | kUnknownAmd, kSum, "100 * TCC_EA0_RDREQ_DRAM_sum / TCC_EA0_RDREQ_sum", kL2},
    {"hbm_read_share", kMi200 | kUnknownAmd, kSum, "100 * TCC_EA_RDREQ_DRAM_sum / TCC_EA_RDREQ_sum", kL2},

    {"valu_rate", kMi200On | kUnknownAmd, kSum, "@valu_flop / $duration", kSpeedOfLight, "@valu_peak",
     "$measured_valu"},
    {"f64_rate", kMi200On | kUnknownAmd, kSum, "512 * SQ_INSTS_VALU_MFMA_MOPS_F64 / $duration", kSpeedOfLight,
     "@f64_peak", "$measured_f64"},
    {"f32_rate", kMi200On | kUnknownAmd, kSum, "512 * SQ_INSTS_VALU_MFMA_MOPS_F32 / $duration", kSpeedOfLight,
     "@f32_peak", "$measured_f32"},
    {"f16_rate", kMi200On | kUnknownAmd, kSum, "512 * SQ_INSTS_VALU_MFMA_MOPS_F16 / $duration", kSpeedOfLight,
     "@f16_peak", "$measured_f16"},
    {"bf16_rate", kMi200On | kUnknownAmd, kSum, "512 * SQ_INSTS_VALU_MFMA_MOPS_BF16 / $duration", kSpeedOfLight,
     "@f16_peak", "$measured_bf16"},
    {"f8_rate", kMi300 | kMi350, kSum, "512 * SQ_INSTS_VALU_MFMA_MOPS_F8 / $duration", kSpeedOfLight, "@i8_peak"},
    {"f6f4_rate", kMi350, kSum, "512 * SQ_INSTS_VALU_MFMA_MOPS_F6F4 / $duration", kSpeedOfLight, "@f6f4_peak"},
    {"i8_rate", kMi200On | kUnknownAmd, kSum, "512 * SQ_INSTS_VALU_MFMA_MOPS_I8 / $duration", kSpeedOfLight, "@i8_peak",
     "$measured_i8"},
    {"flop", kMi200On, kSum, "@all_flop", kPipeline},
    {"flop", kMi300 | kMi350 | kUnknownAmd, kSum, "@valu_flop + @mfma_flop", kPipeline, "", "", kWithoutF8},

    {"intensity_hbm", kMi200On, kSum, "@all_flop / (@read_bytes + @write_bytes)", kRoofline},
    {"intensity_hbm", kMi300 | kMi350 | kUnknownAmd, kSum, "(@valu_flop + @mfma_flop) / (@read_bytes + @write_bytes)",
     kRoofline, "", "", kWithoutF8},
    {"intensity_l2", kMi200On, kSum, "@all_flop / @l1_to_l2_bytes", kRoofline},
    {"intensity_l2", kMi300 | kMi350, kSum, "(@valu_flop + @mfma_flop) / @l1_to_l2_bytes", kRoofline, "", "",
     kWithoutF8},
    {"intensity_l1", kMi200On, kSum, "@all_flop / @l1_bytes", kRoofline},
    {"intensity_l1", kMi300 | kMi350, kSum, "(@valu_flop + @mfma_flop) / @l1_bytes", kRoofline, "", "", kWithoutF8},
    {"roofline_compute", kMi200, kSum, "100 * max(@valu_flop / @valu_peak, @mfma_time) / $duration", kRoofline},
    {"roofline_compute", kMi300 | kMi350, kSum, "100 * max(@valu_flop / @valu_peak, @mfma_time + @f8_time) / $duration",
     kRoofline},
    {"roofline_compute", kMi300 | kMi350, kSum, "100 * max(@valu_flop / @valu_peak, @mfma_time) / $duration", kRoofline,
     "", "", kWithoutF8},
    {"roofline_memory", kAmd, kSum, "100 * (@read_bytes + @write_bytes) / $hbm_bw / $duration", kRoofline},
    {"measured_roofline_compute", kMi200On, kSum,
     "100 * max(@valu_flop / $measured_valu, @measured_mfma_time) / $duration", kRoofline, "", "", kWithoutF8},
    {"measured_roofline_memory", kAmd, kSum, "100 * (@read_bytes + @write_bytes) / $measured_hbm / $duration",
     kRoofline},

    {"wait_dependency", kAmd, kSum, "100 * SQ_WAIT_ANY / SQ_WAVE_CYCLES", kWavefront},
    {"wait_issue", kAmd, kSum, "100 * SQ_WAIT_INST_ANY / SQ_WAVE_CYCLES", kWavefront},
    {"wave_active", kAmd, kSum, "100 * SQ_ACTIVE_INST_ANY / SQ_WAVE_CYCLES", kWavefront},
    {"l1_stall_l2_data", kAmd, kSum, "100 * TCP_PENDING_STALL_CYCLES_sum / TCP_GATE_EN1_sum", kL1},
    {"l1_stall_l2_request", kAmd, kSum, "100 * TCP_TCR_TCP_STALL_CYCLES_sum / TCP_GATE_EN1_sum", kL1},
    {"l1_stall_tag_read", kAmd, kSum, "100 * TCP_READ_TAGCONFLICT_STALL_CYCLES_sum / TCP_GATE_EN1_sum", kL1},
    {"l1_stall_tag_write", kAmd, kSum, "100 * TCP_WRITE_TAGCONFLICT_STALL_CYCLES_sum / TCP_GATE_EN1_sum", kL1},
    {"l1_stall_tag_atomic", kAmd, kSum, "100 * TCP_ATOMIC_TAGCONFLICT_STALL_CYCLES_sum / TCP_GATE_EN1_sum", kL1},
    {"lds_bank_conflicts", kAmd, kSum, "100 * SQ_LDS_BANK_CONFLICT / SQ_LDS_IDX_ACTIVE", kLds},
    {"write_starved", kAmd, kSum, "100 * TCC_TOO_MANY_EA_WRREQS_STALL_sum / TCC_BUSY_sum", kL2},
    {"not_placed", kAmd, kSum, "100 * SPI_RA_REQ_NO_ALLOC_CSN / @spi_cycles", kSpi},
    {"no_scratch", kAmd, kSum, "100 * SPI_RA_TMP_STALL_CSN / @spi_cycles", kSpi},
    {"no_waveslot", kAmd, kSum, "100 * SPI_RA_WAVE_SIMD_FULL_CSN / @cu_cycles", kSpi},
    {"no_vgpr", kAmd, kSum, "100 * SPI_RA_VGPR_SIMD_FULL_CSN / @cu_cycles", kSpi},
    {"no_sgpr", kAmd, kSum, "100 * SPI_RA_SGPR_SIMD_FULL_CSN / @cu_cycles", kSpi},
    {"no_lds", kAmd, kSum, "400 * SPI_RA_LDS_CU_FULL_CSN / @cu_cycles", kSpi},
    {"no_barrier", kAmd, kSum, "400 * SPI_RA_BAR_CU_FULL_CSN / @cu_cycles", kSpi},

    {"vmem_latency", kAmd, kSum, "SQ_INST_LEVEL_VMEM_ACCUM / SQ_INSTS_VMEM", kPipeline},
    {"smem_latency", kAmd, kSum, "SQ_INST_LEVEL_SMEM_ACCUM / SQ_INSTS_SMEM", kPipeline},
    {"lds_latency", kAmd, kSum, "SQ_INST_LEVEL_LDS_ACCUM / SQ_INSTS_LDS", kLds},
    {"hbm_read_latency", kMi300 | kMi350 | kUnknownAmd, kSum, "TCC_EA0_RDREQ_LEVEL_sum / TCC_EA0_RDREQ_sum", kL2},
    {"hbm_read_latency", kMi100 | kMi200 | kUnknownAmd, kSum, "TCC_EA_RDREQ_LEVEL_sum / TCC_EA_RDREQ_sum", kL2},
    {"hbm_write_latency", kMi300 | kMi350 | kUnknownAmd, kSum, "TCC_EA0_WRREQ_LEVEL_sum / TCC_EA0_WRREQ_sum", kL2},
    {"hbm_write_latency", kMi100 | kMi200 | kUnknownAmd, kSum, "TCC_EA_WRREQ_LEVEL_sum / TCC_EA_WRREQ_sum", kL2},
};

constexpr CounterFormula kDerivedFormulas[] = {
    {"achieved_occupancy", kAmd, kMean, "OccupancyPercent", kDerived},
    {"achieved_occupancy", kAmd, kMean, "100 * MeanOccupancyPerCU / $waves_per_cu", kDerived},
    {"waves", kAmd, kSum, "Wavefronts", kDerived},
    {"gpu_busy", kAmd, kMean, "GPUBusy", kDerived},
    {"valu_utilization", kAmd, kMean, "VALUBusy", kDerived},
    {"mfma_utilization", kAmd, kMean, "MfmaUtil", kDerived},
    {"salu_utilization", kAmd, kMean, "SALUBusy", kDerived},
    {"vmem_utilization", kAmd, kMean, "MemUnitBusy", kDerived},
    {"active_lanes", kAmd, kMean, "VALUUtilization", kDerived},
    {"l2_hit_rate", kAmd, kMean, "L2CacheHit", kDerived},
    {"lds_bank_conflicts", kAmd, kMean, "LDSBankConflict", kDerived, "", "", "of the device's time"},
    {"memory_unit_stalled", kAmd, kMean, "MemUnitStalled", kDerived},
    {"write_unit_stalled", kAmd, kMean, "WriteUnitStalled", kDerived},
};

}  // namespace

std::span<const CounterTerm> amd_terms() { return kTerms; }
std::span<const CounterFormula> amd_formulas() { return kFormulas; }
std::span<const CounterFormula> amd_derived_formulas() { return kDerivedFormulas; }

}  // namespace aaco
