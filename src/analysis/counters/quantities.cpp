// SPDX-License-Identifier: MIT
#include "analysis/counters/quantities.h"

namespace aaco {

namespace {

constexpr MachineQuantity kMachine[] = {
    {"$cu", "compute units", "cu_per_gpu", "numCU", "Cu_Count", ""},
    {"$waves_per_cu", "wavefronts that a compute unit holds", "max_waves_per_cu", "maxWavesPerCU", "Max_Waves_Per_Cu",
     ""},
    {"$wave_size", "work-items of a wavefront", "wave_size", "waveSize", "Wave_Front_Size", ""},
    {"$sclk", "highest engine clock, MHz", "max_sclk", "sclk", "Max_Engine_Clk_Fcompute", ""},
    {"$l2_channels", "channels of the L2 cache", "total_l2_chan", "totalL2Banks", "", ""},
    {"$hbm_bw", "peak bandwidth of the memory, GB/s", "hbm_bw", "hbmBW", "", ""},
    {"$xcd", "dies that count cycles of their own", "num_xcd", "", "Num_Xcc", ""},
    {"$se", "shader engines", "se_per_gpu", "numSE", "", ""},
    {"$lds_banks", "banks of a compute unit's LDS", "lds_banks_per_cu", "LDSBanks", "", ""},
    {"$lds_bytes", "bytes of a compute unit's LDS", "", "", "Lds_Size_In_Kb", "", 1024},
    {"$measured_hbm", "measured memory bandwidth, GB/s", "", "", "", "HBMBw"},
    {"$measured_l2", "measured L2 bandwidth, GB/s", "", "", "", "L2Bw"},
    {"$measured_l1", "measured L1 bandwidth, GB/s", "", "", "", "L1Bw"},
    {"$measured_lds", "measured LDS bandwidth, GB/s", "", "", "", "LDSBw"},
    {"$measured_valu", "measured FP32 FMA rate, GFLOP/s", "", "", "", "FP32Flops"},
    {"$measured_f64", "measured FP64 MFMA rate, GFLOP/s", "", "", "", "MFMAF64Flops"},
    {"$measured_f32", "measured FP32 MFMA rate, GFLOP/s", "", "", "", "MFMAF32Flops"},
    {"$measured_f16", "measured FP16 MFMA rate, GFLOP/s", "", "", "", "MFMAF16Flops"},
    {"$measured_bf16", "measured BF16 MFMA rate, GFLOP/s", "", "", "", "MFMABF16Flops"},
    {"$measured_i8", "measured INT8 MFMA rate, GOP/s", "", "", "", "MFMAI8Ops"},
};

using Columns = std::string_view[];
constexpr Columns kVgprs = {"Arch_VGPR", "VGPR_Count", "arch_vgpr", "vgpr", "arch_vgpr_count"};
constexpr Columns kAgprs = {"Accum_VGPR", "Accum_VGPR_Count", "accum_vgpr", "accum_vgpr_count"};
constexpr Columns kSgprs = {"SGPR", "SGPR_Count", "sgpr", "sgpr_count"};
constexpr Columns kWorkgroup = {"Workgroup_Size", "wgr"};
constexpr Columns kWorkgroupX = {"Workgroup_Size_X", "workgroup_size_x"};
constexpr Columns kWorkgroupY = {"Workgroup_Size_Y", "workgroup_size_y"};
constexpr Columns kWorkgroupZ = {"Workgroup_Size_Z", "workgroup_size_z"};
constexpr Columns kLds = {"LDS_Per_Workgroup", "LDS_Block_Size",    "Group_Segment_Size", "lds",
                          "lds_block_size_v",  "group_segment_size"};
constexpr Columns kScratch = {"Scratch_Per_Workitem", "Scratch_Size", "Private_Segment_Size", "scr",
                              "private_segment_size"};

constexpr LaunchQuantity kLaunch[] = {
    {"$vgprs", "vector registers", kVgprs},
    {"$agprs", "accumulation registers", kAgprs},
    {"$sgprs", "scalar registers", kSgprs},
    {"$workgroup", "work-items of a workgroup", kWorkgroup},
    {"$workgroup_x", "work-items of a workgroup in x", kWorkgroupX},
    {"$workgroup_y", "work-items of a workgroup in y", kWorkgroupY},
    {"$workgroup_z", "work-items of a workgroup in z", kWorkgroupZ},
    {"$lds", "bytes of LDS of a workgroup", kLds},
    {"$scratch", "bytes of scratch memory of a work-item", kScratch},
};

}  // namespace

std::span<const MachineQuantity> machine_quantities() { return kMachine; }
std::span<const LaunchQuantity> launch_quantities() { return kLaunch; }

}  // namespace aaco
