// SPDX-License-Identifier: MIT
// Opcodes that no other test executes, each with values worked out from AMD's documents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture/fragment.h"

namespace aaco::amd {
namespace {

using testing::HasSubstr;

constexpr Architecture kBoth[] = {Architecture::kGfx942, Architecture::kGfx1100};

void check(Architecture architecture, std::initializer_list<InstructionCase> cases) {
  for (const InstructionCase& instruction : cases) {
    EXPECT_EQ(problem_of(architecture, instruction), "");
  }
}

void check_both(std::initializer_list<InstructionCase> cases) {
  check(Architecture::kGfx942, cases);
  check(Architecture::kGfx1100, cases);
}

TEST(OpcodeCases, ScalarBits) {
  check_both({
      {"s_or_b32 s0, s1, s2", "s1=0xf0 s2=0xf00", "s0=0xff0 scc=1"},
      {"s_xor_b32 s0, s1, s2", "s1=0xff s2=0xff scc=1", "s0=0 scc=0"},
      {"s_and_b64 s[0:1], s[2:3], s[4:5]", "s[2:3]=0xff000000ff s[4:5]=0xf00000000f", "s[0:1]=0xf00000000f scc=1"},
      {"s_nand_b64 s[0:1], s[2:3], s[4:5]", "s[2:3]=-1 s[4:5]=0xf", "s[0:1]=-16 scc=1"},
      {"s_nor_b64 s[0:1], s[2:3], s[4:5]", "s[2:3]=1 s[4:5]=2", "s[0:1]=-4 scc=1"},
      {"s_xnor_b64 s[0:1], s[2:3], s[4:5]", "s[2:3]=5 s[4:5]=-6", "s[0:1]=0 scc=0"},
      {"s_lshl1_add_u32 s0, s1, s2", "s1=0x80000000 s2=1", "s0=1 scc=1"},
      {"s_lshl3_add_u32 s0, s1, s2", "s1=2 s2=1 scc=1", "s0=17 scc=0"},
      {"s_lshl4_add_u32 s0, s1, s2", "s1=2 s2=1 scc=1", "s0=33 scc=0"},
      // Eight bits from bit 4 on, with their sign.
      {"s_bfe_i64 s[0:1], s[2:3], s4", "s[2:3]=0xf80 s4=0x80004", "s[0:1]=-8 scc=1"},
      {"s_bitcmp0_b64 s[2:3], s4", "s[2:3]=0x100000000 s4=32 scc=1", "scc=0"},
      {"s_bitcmp0_b64 s[2:3], s4", "s[2:3]=0x100000000 s4=31", "scc=1"},
      {"s_bitcmp1_b64 s[2:3], s4", "s[2:3]=0x100000000 s4=32", "scc=1"},
  });
  check(Architecture::kGfx942, {
                                   {"s_andn2_b32 s0, s1, s2", "s1=0xff s2=0xf", "s0=0xf0 scc=1"},
                                   {"s_orn2_b64 s[0:1], s[2:3], s[4:5]", "s[2:3]=0 s[4:5]=-16", "s[0:1]=15 scc=1"},
                                   {"s_flbit_i32_b64 s0, s[2:3]", "s[2:3]=0x100", "s0=55"},
                                   {"s_flbit_i32_b64 s0, s[2:3]", "s[2:3]=0", "s0=-1"},
                               });
  check(Architecture::kGfx1100,
        {
            {"s_and_not1_b64 s[0:1], s[2:3], s[4:5]", "s[2:3]=0xff s[4:5]=0xf", "s[0:1]=0xf0 scc=1"},
            {"s_or_not1_b64 s[0:1], s[2:3], s[4:5]", "s[2:3]=0 s[4:5]=-16", "s[0:1]=15 scc=1"},
            {"s_clz_i32_u64 s0, s[2:3]", "s[2:3]=0x100", "s0=55"},
            {"s_clz_i32_u64 s0, s[2:3]", "s[2:3]=0", "s0=-1"},
            {"s_xor_saveexec_b32 s0, s1", "s1=3 exec=5", "s0=5 exec=6 scc=1"},
            {"s_and_saveexec_b64 s[0:1], s[2:3]", "s[2:3]=3 exec=5", "s0=5 exec=1 scc=1"},
            {"s_or_saveexec_b64 s[0:1], s[2:3]", "s[2:3]=3 exec=5", "s0=5 exec=7 scc=1"},
            {"s_xor_saveexec_b64 s[0:1], s[2:3]", "s[2:3]=3 exec=5", "s0=5 exec=6 scc=1"},
            {"s_and_not1_saveexec_b64 s[0:1], s[2:3]", "s[2:3]=3 exec=5", "s0=5 exec=2 scc=1"},
        });
}

// The image of a fragment lies at 0: an instruction of one word each.
TEST(OpcodeCases, ProgramCounter) {
  check_both({
      {"s_getpc_b64 s[0:1]", "s[0:1]=-1", "s[0:1]=4"},
      {"s_mov_b32 s0, 16\ns_mov_b32 s1, 0\ns_setpc_b64 s[0:1]\ns_mov_b32 s5, 1", "s5=7", "s5=7"},
      {"s_mov_b32 s0, 16\ns_mov_b32 s1, 0\ns_swappc_b64 s[2:3], s[0:1]\ns_mov_b32 s5, 1", "s5=7", "s5=7 s[2:3]=12"},
  });
}

TEST(OpcodeCases, Mode) {
  for (const Architecture architecture : kBoth) {
    Fragment fragment(architecture);
    fragment.set("s1", 2);
    ASSERT_EQ(fragment.run("s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s1"), "");
    EXPECT_EQ(fragment.wave().mode, 0xf2U);
    ASSERT_EQ(fragment.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 1"), "");
    EXPECT_EQ(fragment.wave().mode, 0xd2U);
  }
}

TEST(OpcodeCases, WhatDoesNothingHere) {
  for (const Architecture architecture : kBoth) {
    Fragment fragment(architecture);
    const std::string own =
        architecture == Architecture::kGfx942
            ? "s_sendmsg sendmsg(MSG_INTERRUPT)\n"
            : "s_set_inst_prefetch_distance 1\ns_waitcnt_vmcnt null, 0\ns_waitcnt_lgkmcnt null, 0\n";
    EXPECT_EQ(fragment.run(own + "s_sleep 1\ns_setprio 1\ns_dcache_inv\nv_nop"), "");
  }
}

TEST(OpcodeCases, Times) {
  Fragment cdna(Architecture::kGfx942);
  cdna.set("s[0:1]", ~std::uint64_t{0});
  cdna.set("s[2:3]", ~std::uint64_t{0});
  ASSERT_EQ(cdna.run("s_memtime s[0:1]\ns_memrealtime s[2:3]"), "");
  EXPECT_EQ(cdna.get("s[0:1]"), 0U);  // a fragment counts no instructions
  EXPECT_EQ(cdna.get("s[2:3]"), 0U);
  Fragment rdna(Architecture::kGfx1100);
  rdna.set("s[0:1]", ~std::uint64_t{0});
  ASSERT_EQ(rdna.run("s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_REALTIME)"), "");
  EXPECT_EQ(rdna.get("s[0:1]"), 0U);
}

TEST(OpcodeCases, WhatEndsAKernelIsSaid) {
  for (const Architecture architecture : kBoth) {
    EXPECT_THAT(Fragment(architecture).run("s_trap 2"), HasSubstr("traps"));
    EXPECT_THAT(Fragment(architecture).run("s_sethalt 1"), HasSubstr("traps"));
  }
  Fragment rdna(Architecture::kGfx1100);
  EXPECT_THAT(rdna.run("s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DOORBELL)"), HasSubstr("traps"));
  EXPECT_THAT(rdna.run("s_code_end"), HasSubstr("behind the end of the kernel"));
  EXPECT_THAT(rdna.run(".long 0"), HasSubstr("behind the end of the kernel"));  // v_illegal
}

TEST(OpcodeCases, Floats) {
  check_both({
      {"v_max_f64 v[0:1], v[2:3], v[4:5]", "v[2:3]=1.5d v[4:5]=2.5d", "v[0:1]=2.5d"},
      {"v_rsq_f64 v[0:1], v[2:3]", "v[2:3]=4.0d", "v[0:1]=0.5d"},
      {"v_trunc_f64 v[0:1], v[2:3]", "v[2:3]=-2.75d", "v[0:1]=-2.0d"},
      {"v_ceil_f64 v[0:1], v[2:3]", "v[2:3]=-2.75d", "v[0:1]=-2.0d"},
      {"v_fract_f64 v[0:1], v[2:3]", "v[2:3]=-2.75d", "v[0:1]=0.25d"},
      {"v_frexp_mant_f64 v[0:1], v[2:3]", "v[2:3]=12.0d", "v[0:1]=0.75d"},
      {"v_frexp_exp_i32_f64 v0, v[2:3]", "v[2:3]=12.0d", "v0=4"},
      {"v_subrev_f16 v0, v1, v2", "v1=1.5h v2=2.25h", "v0=0.75h"},
      {"v_rcp_f16 v0, v1", "v1=4.0h", "v0=0.25h"},
      {"v_sqrt_f16 v0, v1", "v1=4.0h", "v0=2.0h"},
      {"v_exp_f16 v0, v1", "v1=-3.0h", "v0=0.125h"},
      {"v_log_f16 v0, v1", "v1=8.0h", "v0=3.0h"},
      {"v_pk_min_f16 v0, v1, v2", "v1=0xc0003c00 v2=0xbc004000", "v0=0xc0003c00"},
      {"v_pk_max_f16 v0, v1, v2", "v1=0xc0003c00 v2=0xbc004000", "v0=0xbc004000"},
      {"v_cvt_i32_f64 v0, v[2:3]", "v[2:3]=-2.75d", "v0=-2"},
      {"v_cvt_f16_u16 v0, v1", "v1=7", "v0=7.0h"},
      {"v_cvt_f16_i16 v0, v1", "v1=0xfff9", "v0=-7.0h"},
      {"v_cvt_f32_ubyte1 v0, v1", "v1=0x04030201", "v0=2.0"},
      {"v_cvt_f32_ubyte2 v0, v1", "v1=0x04030201", "v0=3.0"},
  });
  check(Architecture::kGfx942, {{"v_mul_legacy_f32 v0, v1, v2", "v0=1.0 v1=0.0 v2=inf", "v0=0.0"}});
  check(Architecture::kGfx1100, {{"v_fmac_f16 v0, v1, v2", "v0=1.0h v1=2.0h v2=3.0h", "v0=7.0h"},
                                 {"v_mul_dx9_zero_f32 v0, v1, v2", "v0=1.0 v1=0.0 v2=inf", "v0=0.0"},
                                 {"v_cvt_floor_i32_f32 v0, v1", "v1=-2.5", "v0=-3"}});
}

TEST(OpcodeCases, Integers) {
  check_both({
      {"v_mul_hi_u32_u24 v0, v1, v2", "v1=0xffffff v2=0xffffff", "v0=0xffff"},
      {"v_mul_lo_u16 v0, v1, v2", "v1=0x101 v2=0x101", "v0=0x201"},
      {"v_lshrrev_b16 v0, v1, v2", "v1=4 v2=0xf0f0", "v0=0xf0f"},
      {"v_bfm_b32 v0, v1, v2", "v1=4 v2=8", "v0=0xf00"},
      {"v_min3_u32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=2"},
      {"v_max3_u32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=-1"},
      {"v_med3_u32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=3"},
      {"v_min3_i32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=-1"},
      {"v_max3_i32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=3"},
      {"v_min_u16 v0, v1, v2", "v1=1 v2=0xffff", "v0=1"},
      {"v_max_u16 v0, v1, v2", "v1=1 v2=0xffff", "v0=0xffff"},
      {"v_min_i16 v0, v1, v2", "v1=1 v2=0xffff", "v0=0xffff"},
      {"v_max_i16 v0, v1, v2", "v1=1 v2=0xffff", "v0=1"},
      {"v_swap_b32 v0, v1", "v0=3 v1=4", "v0=4 v1=3"},
  });
  check(Architecture::kGfx942, {
                                   {"v_add_i32 v0, v1, v2", "v1=7 v2=-3", "v0=4"},
                                   {"v_sub_i32 v0, v1, v2", "v1=3 v2=7", "v0=-4"},
                                   {"v_add_u16 v0, v1, v2", "v1=0xffff v2=2", "v0=1"},
                                   {"v_sub_u16 v0, v1, v2", "v1=1 v2=2", "v0=0xffff"},
                                   {"v_accvgpr_mov_b32 a0, a1", "a0=1 a1=7", "a0=7"},
                               });
  check(Architecture::kGfx1100, {
                                    {"v_add_nc_i32 v0, v1, v2", "v1=7 v2=-3", "v0=4"},
                                    {"v_sub_nc_i32 v0, v1, v2", "v1=3 v2=7", "v0=-4"},
                                    {"v_add_nc_u16 v0, v1, v2", "v1=0xffff v2=2", "v0=1"},
                                    {"v_sub_nc_u16 v0, v1, v2", "v1=1 v2=2", "v0=0xffff"},
                                    {"v_subrev_co_u32 v0, vcc_lo, v1, v2", "v1=5 v2=3", "v0=-2"},
                                    {"v_mad_i64_i32 v[0:1], null, v2, v3, v[4:5]", "v2=-2 v3=3 v[4:5]=10", "v[0:1]=4"},
                                    {"v_mbcnt_hi_u32_b32 v0, v1, v2", "v1=-1 v2=5", "v0=5"},
                                });
}

// Sixteen choices of four bits: lane i of a row takes lane 15 - i, of its row or of the other.
TEST(OpcodeCases, PermutationsOfRows) {
  for (const bool across : {false, true}) {
    Fragment fragment(Architecture::kGfx1100);
    for (int lane = 0; lane < 32; ++lane) {
      fragment.wave().registers(1)[lane] = static_cast<std::uint32_t>(100 + lane);
    }
    fragment.set("s2", 0x89ab'cdef);
    fragment.set("s3", 0x0123'4567);
    ASSERT_EQ(fragment.run(across ? "v_permlanex16_b32 v0, v1, s2, s3" : "v_permlane16_b32 v0, v1, s2, s3"), "");
    for (int lane = 0; lane < 32; ++lane) {
      const int row = across ? 1 - lane / 16 : lane / 16;
      EXPECT_EQ(fragment.get("v0", lane), static_cast<std::uint64_t>(100 + 16 * row + 15 - lane % 16)) << lane;
    }
  }
}

}  // namespace
}  // namespace aaco::amd
