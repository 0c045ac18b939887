// SPDX-License-Identifier: MIT
// Scalar operations, with values worked out from the definitions in AMD's documents.
#include <gtest/gtest.h>

#include "fixture/fragment.h"

namespace aaco::amd {
namespace {

void check(Architecture architecture, std::initializer_list<InstructionCase> cases) {
  for (const InstructionCase& one : cases) {
    EXPECT_EQ(problem_of(architecture, one), "");
  }
}

void check_both(std::initializer_list<InstructionCase> cases) {
  check(Architecture::kGfx942, cases);
  check(Architecture::kGfx1100, cases);
}

TEST(ScalarTest, SumsHaveTheCarryOrTheOverflowInScc) {
  check_both({
      {"s_add_u32 s0, s1, s2", "s1=0xffffffff s2=2", "s0=1 scc=1"},
      {"s_add_u32 s0, s1, s2", "s1=5 s2=2 scc=1", "s0=7 scc=0"},
      {"s_addc_u32 s0, s1, s2", "s1=0xffffffff s2=0 scc=1", "s0=0 scc=1"},
      {"s_addc_u32 s0, s1, s2", "s1=3 s2=4 scc=1", "s0=8 scc=0"},
      {"s_sub_u32 s0, s1, s2", "s1=1 s2=2", "s0=0xffffffff scc=1"},
      {"s_subb_u32 s0, s1, s2", "s1=5 s2=5 scc=1", "s0=0xffffffff scc=1"},
      {"s_subb_u32 s0, s1, s2", "s1=5 s2=4 scc=1", "s0=0 scc=0"},
      {"s_add_i32 s0, s1, s2", "s1=0x7fffffff s2=1", "s0=0x80000000 scc=1"},
      {"s_add_i32 s0, s1, s2", "s1=-1 s2=1 scc=1", "s0=0 scc=0"},
      {"s_sub_i32 s0, s1, s2", "s1=0x80000000 s2=1", "s0=0x7fffffff scc=1"},
      {"s_addk_i32 s0, 0xfffe", "s0=1 scc=1", "s0=-1 scc=0"},
      {"s_mulk_i32 s0, 0xfffd", "s0=7 scc=1", "s0=-21 scc=1"},
      {"s_lshl2_add_u32 s0, s1, s2", "s1=0x40000001 s2=3", "s0=7 scc=1"},
  });
}

TEST(ScalarTest, ProductsAndExtrema) {
  check_both({
      {"s_mul_i32 s0, s1, s2", "s1=-3 s2=7 scc=1", "s0=-21 scc=1"},
      {"s_mul_hi_u32 s0, s1, s2", "s1=0xffffffff s2=0xffffffff", "s0=0xfffffffe"},
      {"s_mul_hi_i32 s0, s1, s2", "s1=-1 s2=2", "s0=-1"},
      {"s_min_i32 s0, s1, s2", "s1=-1 s2=2", "s0=-1 scc=1"},
      {"s_min_u32 s0, s1, s2", "s1=-1 s2=2", "s0=2 scc=0"},
      {"s_max_i32 s0, s1, s2", "s1=-1 s2=2 scc=1", "s0=2 scc=0"},
      {"s_max_u32 s0, s1, s2", "s1=-1 s2=2", "s0=-1 scc=1"},
      {"s_abs_i32 s0, s1", "s1=-5", "s0=5 scc=1"},
      {"s_abs_i32 s0, s1", "s1=0x80000000", "s0=0x80000000 scc=1"},
      {"s_abs_i32 s0, s1", "s1=0 scc=1", "s0=0 scc=0"},
  });
}

TEST(ScalarTest, BitsOfOneAndTwoWords) {
  check_both({
      {"s_and_b32 s0, s1, s2", "s1=0xf0 s2=0x3c", "s0=0x30 scc=1"},
      {"s_and_b32 s0, s1, s2", "s1=0xf0 s2=0x0f scc=1", "s0=0 scc=0"},
      {"s_or_b64 s[0:1], s[2:3], s[4:5]", "s[2:3]=0x100000000 s[4:5]=2", "s[0:1]=0x100000002 scc=1"},
      {"s_xor_b64 s[0:1], s[2:3], s[4:5]", "s[2:3]=7 s[4:5]=7 scc=1", "s[0:1]=0 scc=0"},
      {"s_not_b32 s0, s1", "s1=-1 scc=1", "s0=0 scc=0"},
      {"s_not_b64 s[0:1], s[2:3]", "s[2:3]=0xffffffff", "s[0:1]=0xffffffff00000000 scc=1"},
      {"s_nand_b32 s0, s1, s2", "s1=0xf0 s2=0x3c", "s0=0xffffffcf"},
      {"s_nor_b32 s0, s1, s2", "s1=0xf0 s2=0x3c", "s0=0xffffff03"},
      {"s_xnor_b32 s0, s1, s2", "s1=0xf0 s2=0x3c", "s0=0xffffff33"},
      {"s_bitset1_b32 s0, 10", "s0=1", "s0=0x401"},
      {"s_bitset0_b32 s0, 0", "s0=3", "s0=2"},
      {"s_pack_ll_b32_b16 s0, s1, s2", "s1=0x11112222 s2=0x33334444", "s0=0x44442222"},
      {"s_pack_lh_b32_b16 s0, s1, s2", "s1=0x11112222 s2=0x33334444", "s0=0x33332222"},
      {"s_pack_hh_b32_b16 s0, s1, s2", "s1=0x11112222 s2=0x33334444", "s0=0x33331111"},
  });
  check(Architecture::kGfx942, {{"s_andn2_b64 s[0:1], s[2:3], s[4:5]", "s[2:3]=0xff s[4:5]=0xf", "s[0:1]=0xf0 scc=1"},
                                {"s_orn2_b32 s0, s1, s2", "s1=1 s2=0xfffffff0", "s0=0xf"}});
  check(Architecture::kGfx1100, {{"s_and_not1_b32 s0, s1, s2", "s1=0xff s2=0xf", "s0=0xf0 scc=1"},
                                 {"s_or_not1_b32 s0, s1, s2", "s1=1 s2=0xfffffff0", "s0=0xf"}});
}

TEST(ScalarTest, ShiftsAndFields) {
  check_both({
      {"s_lshl_b32 s0, s1, s2", "s1=3 s2=33", "s0=6 scc=1"},
      {"s_lshl_b64 s[0:1], s[2:3], s4", "s[2:3]=1 s4=40", "s[0:1]=0x10000000000 scc=1"},
      {"s_lshr_b32 s0, s1, 4", "s1=0x80000000", "s0=0x8000000 scc=1"},
      {"s_lshr_b64 s[0:1], s[2:3], 4", "s[2:3]=0xf scc=1", "s[0:1]=0 scc=0"},
      {"s_ashr_i32 s0, s1, 4", "s1=0x80000000", "s0=0xf8000000 scc=1"},
      {"s_ashr_i64 s[0:1], s[2:3], 60", "s[2:3]=0x8000000000000000", "s[0:1]=0xfffffffffffffff8"},
      {"s_bfe_u32 s0, s1, 0x80004", "s1=0xabcdef12", "s0=0xf1 scc=1"},
      {"s_bfe_i32 s0, s1, 0x80004", "s1=0xabcdef12", "s0=0xfffffff1 scc=1"},
      {"s_bfe_u32 s0, s1, 0x4", "s1=-1 scc=1", "s0=0 scc=0"},
      {"s_bfe_u64 s[0:1], s[2:3], 0x80020", "s[2:3]=0x12300000000", "s[0:1]=0x23 scc=1"},
      {"s_bfm_b32 s0, 4, 8", "", "s0=0xf00"},
      {"s_brev_b32 s0, s1", "s1=1", "s0=0x80000000"},
      {"s_sext_i32_i8 s0, s1", "s1=0x1280", "s0=0xffffff80"},
      {"s_sext_i32_i16 s0, s1", "s1=0x18001", "s0=0xffff8001"},
  });
}

TEST(ScalarTest, CountsAndSearches) {
  check_both({{"s_bcnt1_i32_b32 s0, s1", "s1=0xf1", "s0=5 scc=1"},
              {"s_bcnt1_i32_b64 s0, s[2:3]", "s[2:3]=0x8000000000000001", "s0=2 scc=1"}});
  check(Architecture::kGfx942, {{"s_ff1_i32_b32 s0, s1", "s1=0x50", "s0=4"},
                                {"s_ff1_i32_b64 s0, s[2:3]", "s[2:3]=0", "s0=-1"},
                                {"s_ff1_i32_b64 s0, s[2:3]", "s[2:3]=0x100000000", "s0=32"},
                                {"s_flbit_i32_b32 s0, s1", "s1=0x10000", "s0=15"},
                                {"s_flbit_i32 s0, s1", "s1=0xffff0000", "s0=16"},
                                {"s_flbit_i32 s0, s1", "s1=-1", "s0=-1"}});
  check(Architecture::kGfx1100, {{"s_ctz_i32_b32 s0, s1", "s1=0x50", "s0=4"},
                                 {"s_ctz_i32_b64 s0, s[2:3]", "s[2:3]=0x100000000", "s0=32"},
                                 {"s_clz_i32_u32 s0, s1", "s1=0", "s0=-1"},
                                 {"s_cls_i32 s0, s1", "s1=0x7fffffff", "s0=1"}});
}

TEST(ScalarTest, MovesAndChoices) {
  check_both({
      {"s_mov_b32 s0, 1.0", "", "s0=1.0"},
      {"s_mov_b64 s[0:1], -2", "", "s[0:1]=-2"},
      {"s_mov_b64 s[0:1], 1.0", "", "s[0:1]=1.0d"},
      {"s_mov_b64 s[0:1], 0x12345678", "", "s[0:1]=0x12345678"},
      {"s_movk_i32 s0, 0x8000", "", "s0=0xffff8000"},
      {"s_cselect_b32 s0, s1, s2", "s1=1 s2=2 scc=1", "s0=1"},
      {"s_cselect_b64 s[0:1], -1, 0", "scc=0", "s[0:1]=0"},
      {"s_cselect_b64 s[0:1], -1, 0", "scc=1", "s[0:1]=-1"},
  });
}

TEST(ScalarTest, ComparisonsSetScc) {
  check_both({
      {"s_cmp_lt_i32 s0, s1", "s0=-1 s1=1", "scc=1"},
      {"s_cmp_lt_u32 s0, s1", "s0=-1 s1=1 scc=1", "scc=0"},
      {"s_cmp_le_i32 s0, s1", "s0=1 s1=1", "scc=1"},
      {"s_cmp_gt_i32 s0, s1", "s0=1 s1=1 scc=1", "scc=0"},
      {"s_cmp_ge_u32 s0, s1", "s0=-1 s1=1", "scc=1"},
      {"s_cmp_eq_u32 s0, s1", "s0=3 s1=3", "scc=1"},
      {"s_cmp_lg_u32 s0, s1", "s0=3 s1=3 scc=1", "scc=0"},
      {"s_cmp_eq_u64 s[0:1], s[2:3]", "s[0:1]=0x100000000 s[2:3]=0 scc=1", "scc=0"},
      {"s_cmp_lg_u64 s[0:1], s[2:3]", "s[0:1]=0x100000000 s[2:3]=0", "scc=1"},
      {"s_cmpk_lt_i32 s0, 0xffff", "s0=-2", "scc=1"},
      {"s_cmpk_eq_u32 s0, 0xffff", "s0=0xffff", "scc=1"},
      {"s_bitcmp1_b32 s0, 4", "s0=0x10", "scc=1"},
      {"s_bitcmp0_b32 s0, 4", "s0=0x10 scc=1", "scc=0"},
  });
}

TEST(ScalarTest, SavingExec) {
  check(Architecture::kGfx942,
        {{"s_and_saveexec_b64 s[0:1], s[2:3]", "exec=0xff s[2:3]=0xf0", "s[0:1]=0xff exec=0xf0 scc=1"},
         {"s_or_saveexec_b64 s[0:1], s[2:3]", "exec=0xf s[2:3]=0xf0", "s[0:1]=0xf exec=0xff scc=1"},
         {"s_andn2_saveexec_b64 s[0:1], s[2:3]", "exec=0xf0 s[2:3]=0xff", "s[0:1]=0xf0 exec=0xf scc=1"},
         {"s_xor_saveexec_b64 s[0:1], s[2:3]", "exec=0xf0 s[2:3]=0xf0", "s[0:1]=0xf0 exec=0 scc=0"}});
  check(Architecture::kGfx1100,
        {{"s_and_saveexec_b32 s0, s2", "exec_lo=0xff s2=0xf0", "s0=0xff exec_lo=0xf0 scc=1"},
         {"s_or_saveexec_b32 s0, s2", "exec_lo=0xf s2=0xf0", "s0=0xf exec_lo=0xff scc=1"},
         {"s_and_not1_saveexec_b32 s0, s2", "exec_lo=0xf0 s2=0xff", "s0=0xf0 exec_lo=0xf scc=1"}});
}

TEST(ScalarTest, Branches) {
  check_both({
      {"s_branch 1\ns_mov_b32 s0, 1\ns_mov_b32 s1, 2", "s0=7 s1=7", "s0=7 s1=2"},
      {"s_cbranch_scc1 1\ns_mov_b32 s0, 1\ns_mov_b32 s1, 2", "s0=7 scc=0", "s0=1 s1=2"},
      {"s_cbranch_scc0 1\ns_mov_b32 s0, 1\ns_mov_b32 s1, 2", "s0=7 scc=0", "s0=7 s1=2"},
      {"s_cbranch_vccz 1\ns_mov_b32 s0, 1\ns_mov_b32 s1, 2", "s0=7 vcc=0", "s0=7 s1=2"},
      {"s_cbranch_vccnz 1\ns_mov_b32 s0, 1\ns_mov_b32 s1, 2", "s0=7 vcc=4", "s0=7 s1=2"},
      {"s_cbranch_execz 1\ns_mov_b32 s0, 1\ns_mov_b32 s1, 2", "s0=7 exec=1", "s0=1 s1=2"},
      {"s_cbranch_execnz 1\ns_mov_b32 s0, 1\ns_mov_b32 s1, 2", "s0=7 exec=1", "s0=7 s1=2"},
  });
}

}  // namespace
}  // namespace aaco::amd
