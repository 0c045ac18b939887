// SPDX-License-Identifier: MIT
// Comparisons, moves between lanes, parts of registers, pairs in one operation, and MODE.
#include <bit>
#include <gtest/gtest.h>

#include "fixture/fragment.h"
#include "half.h"

namespace aaco::amd {
namespace {

constexpr Architecture kBoth[] = {Architecture::kGfx942, Architecture::kGfx1100};

void check(Architecture architecture, std::initializer_list<InstructionCase> cases) {
  for (const InstructionCase& one : cases) {
    EXPECT_EQ(problem_of(architecture, one), "");
  }
}

// Each lane of the register holds its number.
void number_lanes(Fragment& fragment, int index) {
  for (int lane = 0; lane < fragment.wave().lanes(); ++lane) {
    fragment.wave().registers(index)[lane] = static_cast<std::uint32_t>(lane);
  }
}

TEST(CompareTest, GiveAMaskOfActiveLanes) {
  check(Architecture::kGfx942,
        {{"v_cmp_lt_f32 vcc, v1, v2", "v1=1.0 v2=2.0 exec=0xf0", "vcc=0xf0"},
         {"v_cmp_nlt_f32 vcc, v1, v2", "v1=nan v2=2.0", "vcc=-1"},
         {"v_cmp_lg_f32 vcc, v1, v2", "v1=nan v2=2.0", "vcc=0"},
         {"v_cmp_neq_f32 vcc, v1, v2", "v1=nan v2=2.0", "vcc=-1"},
         {"v_cmp_o_f32 vcc, v1, v2", "v1=nan v2=2.0", "vcc=0"},
         {"v_cmp_u_f32 s[4:5], v1, v1", "v1=nan", "s[4:5]=-1"},
         {"v_cmp_gt_f32 vcc, |v1|, v2", "v1=-3.0 v2=2.0", "vcc=-1"},
         {"v_cmp_gt_i32 vcc, v1, v2", "v1=-1 v2=2", "vcc=0"},
         {"v_cmp_gt_u32 vcc, v1, v2", "v1=-1 v2=2", "vcc=-1"},
         {"v_cmp_ne_u32 vcc, 3, v2", "v2=2", "vcc=-1"},
         {"v_cmp_le_i64 s[4:5], v[2:3], v[4:5]", "v[2:3]=-2 v[4:5]=1", "s[4:5]=-1"},
         {"v_cmp_lt_u64 s[4:5], v[2:3], v[4:5]", "v[2:3]=-2 v[4:5]=1", "s[4:5]=0"},
         {"v_cmp_eq_f64 s[4:5], v[2:3], v[4:5]", "v[2:3]=1.5d v[4:5]=1.5d", "s[4:5]=-1"},
         {"v_cmp_gt_f16 vcc, v1, v2", "v1=0x12343c00 v2=0.5h", "vcc=-1"},
         {"v_cmp_gt_u16 vcc, v1, v2", "v1=0x10001 v2=2", "vcc=0"},
         {"v_cmp_u_f16_sdwa vcc, v1, v1 src0_sel:WORD_1 src1_sel:WORD_1", "v1=0x7e000000", "vcc=-1"},
         {"v_cmp_class_f32 vcc, v1, v2", "v1=-inf v2=4", "vcc=-1"},
         {"v_cmp_class_f32 vcc, v1, v2", "v1=0x00000001 v2=0x80", "vcc=-1"},
         {"v_cmp_class_f32 vcc, v1, v2", "v1=0x7fc00000 v2=0x3fd", "vcc=0"},
         {"v_cmpx_eq_u32 vcc, v1, v2", "v1=1 v2=1 exec=0xf", "vcc=0xf exec=0xf"}});
  check(Architecture::kGfx1100, {{"v_cmp_ge_f32 vcc_lo, v1, v2", "v1=3.0 v2=2.0 exec_lo=0xf0", "vcc_lo=0xf0"},
                                 {"v_cmp_ngt_f32 s4, v1, v2", "v1=nan v2=2.0", "s4=-1"},
                                 {"v_cmpx_lt_i32 v1, v2", "v1=3 v2=2 vcc_lo=7", "exec_lo=0 vcc_lo=7"}});
}

TEST(LaneTest, ReadWriteAndChoose) {
  for (const Architecture architecture : kBoth) {
    check(architecture,
          {{"v_readlane_b32 s0, v1, 5", "v1=77", "s0=77"}, {"v_readfirstlane_b32 s0, v1", "v1=78", "s0=78"}});
    Fragment fragment(architecture);
    number_lanes(fragment, 1);
    fragment.set("s2", 99);
    fragment.set("exec", 0x10);
    ASSERT_EQ(fragment.run("v_writelane_b32 v1, s2, 7\nv_readfirstlane_b32 s3, v1\nv_readlane_b32 s4, v1, 9"), "");
    EXPECT_EQ(fragment.get("v1", 7), 99U);
    EXPECT_EQ(fragment.get("v1", 8), 8U);
    EXPECT_EQ(fragment.get("s3"), 4U);
    EXPECT_EQ(fragment.get("s4"), 9U);
  }
  check(Architecture::kGfx942, {{"v_cndmask_b32 v0, v1, v2, vcc", "v1=1 v2=2 vcc=0", "v0=1"},
                                {"v_cndmask_b32 v0, v1, v2, s[4:5]", "v1=1 v2=2 s[4:5]=-1", "v0=2"},
                                {"v_accvgpr_write_b32 a3, v1", "v1=5", "a3=5"},
                                {"v_accvgpr_read_b32 v1, a3", "a3=6", "v1=6"}});
  check(Architecture::kGfx1100, {{"v_cndmask_b32 v0, v1, v2, vcc_lo", "v1=1 v2=2 vcc_lo=-1", "v0=2"}});
}

TEST(LaneTest, CountsLanesBelow) {
  Fragment fragment(Architecture::kGfx942);
  ASSERT_EQ(fragment.run("v_mbcnt_lo_u32_b32 v0, -1, 0\nv_mbcnt_hi_u32_b32 v0, -1, v0"), "");
  EXPECT_EQ(fragment.get("v0", 0), 0U);
  EXPECT_EQ(fragment.get("v0", 31), 31U);
  EXPECT_EQ(fragment.get("v0", 63), 63U);
}

TEST(LaneTest, InactiveLanesKeepTheirValues) {
  for (const Architecture architecture : kBoth) {
    Fragment fragment(architecture);
    fragment.set("v0", 7);
    fragment.set("v1", 9);
    fragment.set("exec", 2);
    ASSERT_EQ(fragment.run("v_mov_b32 v0, v1"), "");
    EXPECT_EQ(fragment.get("v0", 0), 7U);
    EXPECT_EQ(fragment.get("v0", 1), 9U);
  }
}

TEST(LaneTest, DppMovesLanes) {
  struct Move {
    const char* text;
    int lane;
    std::uint64_t value;
  };
  const Move moves[] = {
      {"quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", 6, 7}, {"row_shr:1 row_mask:0xf bank_mask:0xf", 5, 4},
      {"row_shr:1 row_mask:0xf bank_mask:0xf", 16, 100},  // no source: the old value stays
      {"row_shl:2 row_mask:0xf bank_mask:0xf", 3, 5},           {"row_ror:4 row_mask:0xf bank_mask:0xf", 1, 13},
      {"row_mirror row_mask:0xf bank_mask:0xf", 18, 29},        {"row_half_mirror row_mask:0xf bank_mask:0xf", 9, 14},
      {"row_shr:1 row_mask:0xd bank_mask:0xf", 20, 100}};
  for (const Architecture architecture : kBoth) {
    for (const Move& move : moves) {
      Fragment fragment(architecture);
      number_lanes(fragment, 1);
      fragment.set("v0", 100);
      ASSERT_EQ(fragment.run(std::string("v_mov_b32_dpp v0, v1 ") + move.text), "");
      EXPECT_EQ(fragment.get("v0", move.lane), move.value) << move.text;
    }
  }
  Fragment cdna(Architecture::kGfx942);
  number_lanes(cdna, 1);
  ASSERT_EQ(cdna.run("v_add_u32_dpp v0, v1, v1 row_bcast:15 row_mask:0xa bank_mask:0xf"), "");
  EXPECT_EQ(cdna.get("v0", 20), 35U);  // the last lane of the row before, and its own
  EXPECT_EQ(cdna.get("v0", 4), 0U);
  Fragment rdna(Architecture::kGfx1100);
  number_lanes(rdna, 1);
  ASSERT_EQ(rdna.run("v_mov_b32_dpp v0, v1 row_xmask:3 row_mask:0xf bank_mask:0xf\n"
                     "v_mov_b32_dpp v2, v1 row_share:5 row_mask:0xf bank_mask:0xf\n"
                     "v_mov_b32_dpp v3, v1 dpp8:[7,6,5,4,3,2,1,0]"),
            "");
  EXPECT_EQ(rdna.get("v0", 17), 18U);
  EXPECT_EQ(rdna.get("v2", 30), 21U);
  EXPECT_EQ(rdna.get("v3", 9), 14U);
}

TEST(LaneTest, SdwaReadsAndWritesParts) {
  check(Architecture::kGfx942,
        {{"v_or_b32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD",
          "v1=0x12345678 v2=0x10000", "v0=0x11234"},
         {"v_cvt_f32_f16_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", "v1=0x3e000000", "v0=1.5"},
         {"v_cvt_f16_f32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD", "v0=0x1111 v1=1.5",
          "v0=0x3e000000"},
         {"v_cvt_f16_f32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD", "v0=0x1111 v1=1.5",
          "v0=0x3e001111"},
         {"v_mov_b32_sdwa v0, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1", "v1=0x8000",
          "v0=0xffffff80"},
         {"v_mov_b32_sdwa v0, v1 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3", "v0=-1 v1=0x42000000",
          "v0=0xff42ffff"}});
}

TEST(LaneTest, HalvesAndTheUpperHalfOfTheirRegister) {
  check(Architecture::kGfx942, {{"v_add_f16 v0, v1, v2", "v0=-1 v1=1.5h v2=0.25h", "v0=0x3f00"},
                                {"v_fma_f16 v0, v1, v2, v3", "v0=0xffff0000 v1=1.5h v2=2.0h v3=1.0h", "v0=0xffff4400"},
                                {"v_cvt_f16_f32 v0, v1", "v0=-1 v1=1.5", "v0=0x3e00"}});
  check(Architecture::kGfx1100, {{"v_add_f16 v0, v1, v2", "v0=-1 v1=1.5h v2=0.25h", "v0=0xffff3f00"},
                                 {"v_cvt_f16_f32 v0, v1", "v0=-1 v1=1.5", "v0=0xffff3e00"},
                                 {"v_dot2acc_f32_f16 v0, v1, v2", "v0=1.0 v1=0x40003c00 v2=0x42004000", "v0=9.0"}});
  for (const Architecture architecture : kBoth) {
    check(architecture, {{"v_mul_f16 v0, v1, -v2", "v1=1.5h v2=2.0h", "v0=0xc200"},
                         {"v_sub_f16 v0, v1, v2", "v1=1.5h v2=2.0h", "v0=0xb800"},
                         {"v_max_f16 v0, v1, v2", "v1=1.5h v2=0xfe00", "v0=0x3e00"},
                         {"v_min_f16 v0, v1, v2", "v1=1.5h v2=1.0h", "v0=0x3c00"},
                         // 2^-24 + 1 * 1 + the product's rest: rounded once.
                         {"v_fma_f16 v0, v1, v2, v3", "v1=0x3c01 v2=0x3c01 v3=0xbc02", "v0=0x0010"}});
  }
}

TEST(LaneTest, PairsAndMixedProducts) {
  for (const Architecture architecture : kBoth) {
    check(architecture,
          {{"v_pk_add_f16 v0, v1, v2", "v1=0x40003c00 v2=0x3c003c00", "v0=0x42004000"},
           {"v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]", "v1=0x40003c00 v2=0x3c003c00", "v0=0x40004200"},
           {"v_pk_add_f16 v0, v1, v2 neg_lo:[0,1]", "v1=0x40003c00 v2=0x3c003c00", "v0=0x42000000"},
           {"v_pk_mul_f16 v0, v1, v2", "v1=0x40003c00 v2=0x42004200", "v0=0x46004200"},
           {"v_pk_fma_f16 v0, v1, v2, v3", "v1=0x40003c00 v2=0x42004200 v3=0x3c003c00", "v0=0x47004400"},
           {"v_fma_mix_f32 v0, v1, v2, v3 op_sel_hi:[1,0,0]", "v1=0x40003c00 v2=2.5 v3=1.0", "v0=3.5"},
           {"v_fma_mix_f32 v0, v1, v2, -v3 op_sel:[1,0,0] op_sel_hi:[1,0,0]", "v1=0x40003c00 v2=2.5 v3=1.0", "v0=4.0"},
           {"v_fma_mixlo_f16 v0, v1, v2, 0", "v0=0xffff0000 v1=1.5 v2=2.0", "v0=0xffff4200"},
           {"v_fma_mixhi_f16 v0, v1, v2, 0", "v0=0x1111 v1=1.5 v2=2.0", "v0=0x42001111"}});
  }
  check(Architecture::kGfx942,
        {{"v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]",
          "v[2:3]=0x400000003f800000 v[4:5]=0x4040000040400000 v[6:7]=0x3f8000003f800000", "v0=4.0 v1=7.0"},
         {"v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel_hi:[0,1]", "v[2:3]=0x400000003f800000 v[4:5]=0x4040000040400000",
          "v0=3.0 v1=3.0"},
         {"v_pk_add_f32 v[0:1], v[2:3], 1.0 op_sel_hi:[1,0]", "v[2:3]=0x400000003f800000", "v0=2.0 v1=3.0"},
         {"v_pk_add_f32 v[0:1], v[2:3], v[4:5] neg_lo:[0,1] neg_hi:[0,1]",
          "v[2:3]=0x400000003f800000 v[4:5]=0x3f8000003f800000", "v0=0.0 v1=1.0"},
         {"v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]", "v[2:3]=0x200000001 v[4:5]=0x400000003", "v0=2 v1=3"}});
}

TEST(LaneTest, VopdReadsBothBeforeItWritesEither) {
  check(
      Architecture::kGfx1100,
      {{"v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2", "v1=1 v2=2", "v0=1 v3=2"},
       {"v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0", "v0=1 v1=2", "v0=2 v1=1"},
       {"v_dual_fmac_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v0, v5", "v0=1.0 v1=2.0 v2=3.0 v5=10.0", "v0=7.0 v3=10.0"},
       {"v_dual_cndmask_b32 v0, v1, v2 :: v_dual_add_nc_u32 v3, v4, v5", "v1=1 v2=2 vcc_lo=-1 v4=3 v5=4", "v0=2 v3=7"},
       {"v_dual_fmaak_f32 v0, v1, v2, 0x40400000 :: v_dual_sub_f32 v3, v4, v5", "v1=2.0 v2=1.0 v4=1.0 v5=3.0",
        "v0=5.0 v3=-2.0"}});
}

TEST(ModeTest, DenormalsAndRounding) {
  // A sum of the smallest normal and minus three quarters of it is a denormal.
  const InstructionCase kept = {"v_add_f32 v0, v1, v2", "v1=0x00800000 v2=0x80600000", "v0=0x00200000"};
  EXPECT_EQ(problem_of(Architecture::kGfx942, kept), "");
  check(Architecture::kGfx942, {{"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\nv_add_f32 v0, v1, v2",
                                 "v1=0x00800000 v2=0x80600000", "v0=0x00800000"},
                                {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\nv_add_f32 v0, v1, v2",
                                 "v1=1.0 v2=0x20000000", "v0=0x3f800001"},
                                {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\nv_add_f32 v0, v1, v2",
                                 "v1=0x3f800001 v2=0x9f000000", "v0=0x3f800000"}});
  check(Architecture::kGfx1100, {{"s_denorm_mode 12\nv_mul_f32 v0, 1.0, v1", "v1=0x00400000", "v0=0"},
                                 {"s_round_mode 2\nv_add_f32 v0, v1, v2", "v1=1.0 v2=0x9f000000", "v0=0x3f7fffff"}});
}

}  // namespace
}  // namespace aaco::amd
