// SPDX-License-Identifier: MIT
// Vector operations, with values worked out from the definitions in AMD's documents.
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

TEST(VectorTest, Fp32) {
  check_both({
      {"v_add_f32 v0, v1, v2", "v1=1.5 v2=2.25", "v0=3.75"},
      {"v_add_f32 v0, -v1, |v2|", "v1=1.5 v2=-2.25", "v0=0.75"},
      {"v_sub_f32 v0, v1, v2", "v1=1.5 v2=2.25", "v0=-0.75"},
      {"v_subrev_f32 v0, v1, v2", "v1=1.5 v2=2.25", "v0=0.75"},
      {"v_mul_f32 v0, s1, v2", "s1=-3.0 v2=0.5", "v0=-1.5"},
      {"v_mul_f32 v0, 0.15915494, v2", "v2=1.0", "v0=0x3e22f983"},
      {"v_min_f32 v0, v1, v2", "v1=nan v2=2.0", "v0=2.0"},
      {"v_min_f32 v0, v1, v2", "v1=0x80000000 v2=0", "v0=0x80000000"},
      {"v_min_f32 v0, v1, v2", "v1=2.0 v2=0x7f800001", "v0=0x7fc00001"},
      {"v_max_f32 v0, v1, v1", "v1=0xff800001", "v0=0xffc00001"},
      {"v_max_f32 v0, v1, v2", "v1=0x80000000 v2=0", "v0=0"},
      {"v_max_f32 v0, v1, v2", "v1=-1.0 v2=2.0", "v0=2.0"},
      {"v_med3_f32 v0, v1, v2, v3", "v1=3.0 v2=1.0 v3=2.0", "v0=2.0"},
      {"v_max3_f32 v0, v1, v2, v3", "v1=3.0 v2=1.0 v3=2.0", "v0=3.0"},
      {"v_min3_f32 v0, v1, v2, v3", "v1=3.0 v2=1.0 v3=2.0", "v0=1.0"},
      // The product is not rounded: (1 + 2^-23)^2 - 1 - 2^-22 is 2^-46.
      {"v_fma_f32 v0, v1, v1, v2", "v1=0x3f800001 v2=0xbf800002", "v0=0x28800000"},
      {"v_fmac_f32 v0, v1, v2", "v0=1.0 v1=2.0 v2=3.0", "v0=7.0"},
      {"v_fmamk_f32 v0, v1, 0x40400000, v2", "v1=2.0 v2=1.0", "v0=7.0"},
      {"v_fmaak_f32 v0, v1, v2, 0x40400000", "v1=2.0 v2=1.0", "v0=5.0"},
      {"v_mul_f32 v0, v1, v2 clamp", "v1=2.0 v2=3.0", "v0=1.0"},
      {"v_mul_f32 v0, v1, v2 clamp", "v1=-2.0 v2=3.0", "v0=0.0"},
      {"v_mul_f32 v0, v1, v2 mul:4", "v1=2.0 v2=3.0", "v0=24.0"},
      {"v_trunc_f32 v0, v1", "v1=-2.75", "v0=-2.0"},
      {"v_floor_f32 v0, v1", "v1=-2.75", "v0=-3.0"},
      {"v_ceil_f32 v0, v1", "v1=-2.75", "v0=-2.0"},
      {"v_rndne_f32 v0, v1", "v1=2.5", "v0=2.0"},
      {"v_fract_f32 v0, v1", "v1=-2.75", "v0=0.25"},
      {"v_ldexp_f32 v0, v1, v2", "v1=1.5 v2=-3", "v0=0.1875"},
      {"v_frexp_mant_f32 v0, v1", "v1=12.0", "v0=0.75"},
      {"v_frexp_exp_i32_f32 v0, v1", "v1=12.0", "v0=4"},
  });
}

TEST(VectorTest, Transcendental) {
  check_both({
      {"v_exp_f32 v0, v1", "v1=-3.0", "v0=0.125"},
      {"v_log_f32 v0, v1", "v1=8.0", "v0=3.0"},
      {"v_rcp_f32 v0, v1", "v1=-4.0", "v0=-0.25"},
      {"v_rcp_f32 v0, v1", "v1=0x80000000", "v0=-inf"},
      {"v_rcp_iflag_f32 v0, v1", "v1=8.0", "v0=0.125"},
      {"v_rsq_f32 v0, v1", "v1=16.0", "v0=0.25"},
      {"v_sqrt_f32 v0, v1", "v1=6.25", "v0=2.5"},
      {"v_exp_f32 v0, v1", "v1=-140.0", "v0=0"},  // a denormal result is zero
      {"v_sin_f32 v0, v1", "v1=0.25", "v0=1.0"},
      {"v_cos_f32 v0, v1", "v1=0.5", "v0=-1.0"},
  });
}

TEST(VectorTest, Fp64) {
  check_both({
      {"v_add_f64 v[0:1], v[2:3], v[4:5]", "v[2:3]=1.5d v[4:5]=2.25d", "v[0:1]=3.75d"},
      {"v_mul_f64 v[0:1], v[2:3], -v[4:5]", "v[2:3]=1.5d v[4:5]=2.0d", "v[0:1]=-3.0d"},
      {"v_mul_f64 v[0:1], v[2:3], 0.5", "v[2:3]=1.5d", "v[0:1]=0.75d"},
      {"v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "v[2:3]=3.0d v[4:5]=4.0d v[6:7]=0.5d", "v[0:1]=12.5d"},
      {"v_min_f64 v[0:1], v[2:3], v[4:5]", "v[2:3]=nand v[4:5]=2.25d", "v[0:1]=2.25d"},
      {"v_ldexp_f64 v[0:1], v[2:3], v4", "v[2:3]=1.5d v4=4", "v[0:1]=24.0d"},
      {"v_rcp_f64 v[0:1], v[2:3]", "v[2:3]=4.0d", "v[0:1]=0.25d"},
      {"v_sqrt_f64 v[0:1], v[2:3]", "v[2:3]=6.25d", "v[0:1]=2.5d"},
      {"v_rndne_f64 v[0:1], v[2:3]", "v[2:3]=3.5d", "v[0:1]=4.0d"},
      {"v_floor_f64 v[0:1], v[2:3]", "v[2:3]=-0.5d", "v[0:1]=-1.0d"},
  });
  check(Architecture::kGfx942,
        {{"v_fmac_f64 v[0:1], v[2:3], v[4:5]", "v[0:1]=1.0d v[2:3]=3.0d v[4:5]=4.0d", "v[0:1]=13.0d"}});
}

TEST(VectorTest, Conversions) {
  check_both({
      {"v_cvt_f32_f16 v0, v1", "v1=1.5h", "v0=1.5"},
      {"v_cvt_f16_f32 v0, v1", "v1=0x3f801000", "v0=1.0h"},    // halfway, to even
      {"v_cvt_f16_f32 v0, v1", "v1=0x3f803000", "v0=0x3c02"},  // halfway, to even
      {"v_cvt_f16_f32 v0, v1", "v1=70000.0", "v0=0x7c00"},
      {"v_cvt_f16_f32 v0, v1", "v1=0x33000000", "v0=0"},  // half of the smallest denormal, to even
      {"v_cvt_f16_f32 v0, v1", "v1=0x33000001", "v0=1"},
      {"v_cvt_f32_u32 v0, v1", "v1=0xffffffff", "v0=4294967296.0"},
      {"v_cvt_f32_i32 v0, v1", "v1=-5", "v0=-5.0"},
      {"v_cvt_u32_f32 v0, v1", "v1=-5.0", "v0=0"},
      {"v_cvt_u32_f32 v0, v1", "v1=30000000000.0", "v0=0xffffffff"},
      {"v_cvt_i32_f32 v0, v1", "v1=-5.9", "v0=-5"},
      {"v_cvt_i32_f32 v0, v1", "v1=nan", "v0=0"},
      {"v_cvt_i32_f32 v0, v1", "v1=inf", "v0=0x7fffffff"},
      {"v_cvt_f64_f32 v[0:1], v2", "v2=1.5", "v[0:1]=1.5d"},
      {"v_cvt_f32_f64 v0, v[2:3]", "v[2:3]=1.5d", "v0=1.5"},
      {"v_cvt_f64_u32 v[0:1], v2", "v2=0xffffffff", "v[0:1]=4294967295.0d"},
      {"v_cvt_f64_i32 v[0:1], v2", "v2=-7", "v[0:1]=-7.0d"},
      {"v_cvt_u32_f64 v0, v[2:3]", "v[2:3]=7.9d", "v0=7"},
      {"v_cvt_f32_ubyte0 v0, v1", "v1=0x12345678", "v0=120.0"},
      {"v_cvt_f32_ubyte3 v0, v1", "v1=0x12345678", "v0=18.0"},
  });
  check(Architecture::kGfx942, {{"v_cvt_pkrtz_f16_f32 v0, v1, v2", "v1=1.5 v2=0x3f803fff", "v0=0x3c013e00"},
                                {"v_cvt_flr_i32_f32 v0, v1", "v1=-1.5", "v0=-2"}});
  check(Architecture::kGfx1100, {{"v_cvt_pk_rtz_f16_f32 v0, v1, v2", "v1=1.5 v2=0x3f803fff", "v0=0x3c013e00"}});
}

TEST(VectorTest, Integers) {
  check_both({
      {"v_add3_u32 v0, v1, v2, v3", "v1=1 v2=2 v3=-4", "v0=-1"},
      {"v_lshl_add_u32 v0, v1, 2, v3", "v1=5 v3=3", "v0=23"},
      {"v_add_lshl_u32 v0, v1, v2, 3", "v1=1 v2=2", "v0=24"},
      {"v_xad_u32 v0, v1, v2, v3", "v1=6 v2=3 v3=10", "v0=15"},
      {"v_mul_lo_u32 v0, v1, v2", "v1=0x10001 v2=0x10001", "v0=0x20001"},
      {"v_mul_hi_u32 v0, v1, v2", "v1=0x10001 v2=0x10001", "v0=1"},
      {"v_mul_hi_i32 v0, v1, v2", "v1=-1 v2=3", "v0=-1"},
      {"v_mul_u32_u24 v0, v1, v2", "v1=0xff000003 v2=5", "v0=15"},
      {"v_mul_i32_i24 v0, v1, v2", "v1=0x00ffffff v2=5", "v0=-5"},
      {"v_mad_u32_u24 v0, v1, v2, v3", "v1=0xff000003 v2=5 v3=1", "v0=16"},
      {"v_mad_i32_i24 v0, v1, v2, v3", "v1=0x00ffffff v2=5 v3=7", "v0=2"},
      {"v_and_b32 v0, v1, v2", "v1=0xf0 v2=0x3c", "v0=0x30"},
      {"v_or_b32 v0, v1, v2", "v1=0xf0 v2=0x3c", "v0=0xfc"},
      {"v_xor_b32 v0, v1, v2", "v1=0xf0 v2=0x3c", "v0=0xcc"},
      {"v_xnor_b32 v0, v1, v2", "v1=0xf0 v2=0x3c", "v0=0xffffff33"},
      {"v_not_b32 v0, v1", "v1=0xf0", "v0=0xffffff0f"},
      {"v_and_or_b32 v0, v1, v2, v3", "v1=0xf0 v2=0x3c v3=1", "v0=0x31"},
      {"v_or3_b32 v0, v1, v2, v3", "v1=1 v2=2 v3=4", "v0=7"},
      {"v_lshl_or_b32 v0, v1, 4, v3", "v1=0x80000001 v3=1", "v0=0x11"},
      {"v_bfi_b32 v0, v1, v2, v3", "v1=0xff v2=0x1234 v3=0xabcd", "v0=0xab34"},
      {"v_lshlrev_b32 v0, 36, v2", "v2=1", "v0=16"},
      {"v_lshrrev_b32 v0, 4, v2", "v2=0x80000000", "v0=0x8000000"},
      {"v_ashrrev_i32 v0, 4, v2", "v2=0x80000000", "v0=0xf8000000"},
      {"v_lshlrev_b64 v[0:1], 33, v[2:3]", "v[2:3]=3", "v[0:1]=0x600000000"},
      {"v_lshrrev_b64 v[0:1], 33, v[2:3]", "v[2:3]=0x600000000", "v[0:1]=3"},
      {"v_ashrrev_i64 v[0:1], 60, v[2:3]", "v[2:3]=0x8000000000000000", "v[0:1]=-8"},
      {"v_alignbit_b32 v0, v1, v2, 8", "v1=0x11223344 v2=0x55667788", "v0=0x44556677"},
      {"v_alignbyte_b32 v0, v1, v2, 2", "v1=0x11223344 v2=0x55667788", "v0=0x33445566"},
      {"v_bfe_u32 v0, v1, 4, 8", "v1=0xabcdef12", "v0=0xf1"},
      {"v_bfe_i32 v0, v1, 4, 8", "v1=0xabcdef12", "v0=0xfffffff1"},
      {"v_bfe_i32 v0, v1, 4, 0", "v1=0xabcdef12", "v0=0"},
      {"v_bfrev_b32 v0, v1", "v1=3", "v0=0xc0000000"},
      {"v_bcnt_u32_b32 v0, v1, v2", "v1=0xff v2=3", "v0=11"},
      {"v_perm_b32 v0, v1, v2, v3", "v1=0x11223344 v2=0x55667788 v3=0x05040100", "v0=0x33447788"},
      {"v_perm_b32 v0, v1, v2, v3", "v1=0x11223344 v2=0x5566f788 v3=0x0d0c0807", "v0=0xff00ff11"},
      {"v_min_i32 v0, v1, v2", "v1=-1 v2=1", "v0=-1"},
      {"v_max_i32 v0, v1, v2", "v1=-1 v2=1", "v0=1"},
      {"v_min_u32 v0, v1, v2", "v1=-1 v2=1", "v0=1"},
      {"v_max_u32 v0, v1, v2", "v1=-1 v2=1", "v0=-1"},
      {"v_med3_i32 v0, v1, v2, v3", "v1=-1 v2=1 v3=0", "v0=0"},
      {"v_mov_b32 v0, v1", "v1=0x12345678", "v0=0x12345678"},
      {"v_pack_b32_f16 v0, v1, v2", "v1=1.0h v2=2.0h", "v0=0x40003c00"},
  });
  check(Architecture::kGfx942,
        {{"v_add_u32 v0, v1, v2", "v1=-1 v2=3", "v0=2"},
         {"v_sub_u32 v0, v1, v2", "v1=1 v2=3", "v0=-2"},
         {"v_subrev_u32 v0, v1, v2", "v1=1 v2=3", "v0=2"},
         {"v_lshl_add_u64 v[0:1], v[2:3], 3, v[4:5]", "v[2:3]=0x20000000 v[4:5]=1", "v[0:1]=0x100000001"},
         {"v_mov_b64 v[0:1], v[2:3]", "v[2:3]=0x123456789", "v[0:1]=0x123456789"},
         {"v_lshlrev_b16 v0, 4, v1", "v0=0xffffffff v1=0x1234", "v0=0x2340"},
         {"v_ffbl_b32 v0, v1", "v1=0x50", "v0=4"},
         {"v_ffbh_u32 v0, v1", "v1=0x10000", "v0=15"},
         {"v_ffbh_i32 v0, v1", "v1=0xffff0000", "v0=16"}});
  check(Architecture::kGfx1100, {{"v_add_nc_u32 v0, v1, v2", "v1=-1 v2=3", "v0=2"},
                                 {"v_sub_nc_u32 v0, v1, v2", "v1=1 v2=3", "v0=-2"},
                                 {"v_subrev_nc_u32 v0, v1, v2", "v1=1 v2=3", "v0=2"},
                                 {"v_xor3_b32 v0, v1, v2, v3", "v1=1 v2=3 v3=4", "v0=6"},
                                 {"v_lshlrev_b16 v0, 4, v1", "v0=0xffffffff v1=0x1234", "v0=0xffff2340"},
                                 {"v_ctz_i32_b32 v0, v1", "v1=0x50", "v0=4"},
                                 {"v_clz_i32_u32 v0, v1", "v1=0", "v0=-1"},
                                 {"v_cls_i32 v0, v1", "v1=0x7fffffff", "v0=1"}});
}

TEST(VectorTest, Carries) {
  check(Architecture::kGfx942, {{"v_add_co_u32 v0, vcc, v1, v2", "v1=-1 v2=3", "v0=2 vcc=-1"},
                                {"v_addc_co_u32 v0, vcc, v1, v2, vcc", "v1=-1 v2=0 vcc=-1", "v0=0 vcc=-1"},
                                {"v_sub_co_u32 v0, vcc, v1, v2", "v1=1 v2=3", "v0=-2 vcc=-1"},
                                {"v_subb_co_u32 v0, vcc, v1, v2, vcc", "v1=3 v2=3 vcc=-1", "v0=-1 vcc=-1"},
                                {"v_subrev_co_u32 v0, s[4:5], v1, v2", "v1=1 v2=3", "v0=2 s[4:5]=0"},
                                {"v_subbrev_co_u32 v0, vcc, v1, v2, vcc", "v1=1 v2=3 vcc=-1", "v0=1 vcc=0"},
                                {"v_mad_u64_u32 v[0:1], s[4:5], v2, v3, v[6:7]", "v2=-1 v3=-1 v[6:7]=-1",
                                 "v[0:1]=0xfffffffe00000000 s[4:5]=-1"},
                                {"v_mad_i64_i32 v[0:1], s[4:5], v2, v3, v[6:7]", "v2=-2 v3=3 v[6:7]=1", "v[0:1]=-5"}});
  check(Architecture::kGfx1100,
        {{"v_add_co_u32 v0, vcc_lo, v1, v2", "v1=-1 v2=3", "v0=2 vcc_lo=-1"},
         {"v_add_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo", "v1=-1 v2=0 vcc_lo=-1", "v0=0 vcc_lo=-1"},
         {"v_sub_co_u32 v0, s4, v1, v2", "v1=1 v2=3", "v0=-2 s4=-1"},
         {"v_sub_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo", "v1=3 v2=3 vcc_lo=-1", "v0=-1 vcc_lo=-1"},
         {"v_subrev_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo", "v1=1 v2=3 vcc_lo=-1", "v0=1 vcc_lo=0"},
         {"v_mad_u64_u32 v[0:1], null, v2, v3, v[6:7]", "v2=7 v3=6 v[6:7]=1", "v[0:1]=43"}});
}

TEST(VectorTest, DivisionSteps) {
  // Nothing to scale; a quotient near the largest number: only the denominator is scaled; a denormal denominator; a
  // tiny numerator; zero by zero.
  check(Architecture::kGfx942,
        {{"v_div_scale_f32 v0, vcc, v1, v2, v3", "v1=3.0 v2=3.0 v3=2.0 vcc=-1", "v0=3.0 vcc=0"},
         {"v_div_scale_f32 v0, vcc, v1, v2, v3", "v1=0x0f000000 v2=0x0f000000 v3=0x70000000", "v0=0x2f000000 vcc=-1"},
         {"v_div_scale_f32 v0, vcc, v1, v2, v3", "v1=0x70000000 v2=0x0f000000 v3=0x70000000", "v0=0x70000000 vcc=-1"},
         {"v_div_scale_f32 v0, vcc, v1, v2, v3", "v1=0x00400000 v2=0x00400000 v3=0x01000000", "v0=0x20000000 vcc=0"},
         {"v_div_scale_f32 v0, vcc, v1, v2, v3", "v1=0x05000000 v2=0x04000000 v3=0x05000000", "v0=0x25000000 vcc=0"},
         {"v_div_scale_f32 v0, vcc, v1, v2, v3", "v1=0 v2=0 v3=0 vcc=-1", "v0=0x7fc00000 vcc=0"},
         {"v_div_fmas_f32 v0, v1, v2, v3", "v1=2.0 v2=3.0 v3=1.0 vcc=0", "v0=7.0"},
         {"v_div_fmas_f32 v0, v1, v2, v3", "v1=2.0 v2=3.0 v3=2.0 vcc=-1", "v0=0x61000000"},
         {"v_div_fmas_f32 v0, v1, v2, v3", "v1=2.0 v2=3.0 v3=1.0 vcc=-1", "v0=0x20e00000"}});
  check_both({
      {"v_div_fixup_f32 v0, v1, v2, v3", "v1=0.5 v2=-4.0 v3=2.0", "v0=-0.5"},
      {"v_div_fixup_f32 v0, v1, v2, v3", "v1=0.5 v2=0 v3=-2.0", "v0=-inf"},
      {"v_div_fixup_f32 v0, v1, v2, v3", "v1=0.5 v2=0 v3=0", "v0=0xffc00000"},
      {"v_div_fixup_f32 v0, v1, v2, v3", "v1=0.5 v2=inf v3=2.0", "v0=0"},
      {"v_div_fixup_f32 v0, v1, v2, v3", "v1=0.5 v2=inf v3=inf", "v0=0xffc00000"},
      {"v_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "v[2:3]=0.5d v[4:5]=4.0d v[6:7]=-2.0d", "v[0:1]=-0.5d"},
  });
}

}  // namespace
}  // namespace aaco::amd
