// SPDX-License-Identifier: MIT
#include "report/names/kernel_names.h"

#include <gtest/gtest.h>
#include <string>

#include "base/text/characters.h"

namespace aaco::report {
namespace {

TEST(KernelNames, KeepTheFunctorTheTileAndTheType) {
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::"
                              "BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, "
                              "std::array<char*, 3ul>)"),
            "vectorized_elementwise<8,CUDAFunctor_add<BFloat16>>");
  EXPECT_EQ(
      short_kernel_name("Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x128_MI16x16x1_SN_LDSB1_MIAV0_MIWT1"),
      "Cijk_Alik_Bljk_B_MT16x16x128_MI16x16x1");
  EXPECT_EQ(short_kernel_name("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_128x128_64x4_tn>(Params)"),
            "cutlass_80_tensorop_bf16_s16816gemm_128x128_64x4_tn");
  EXPECT_EQ(short_kernel_name("ncclDevKernel_Generic(ncclDevComm*, channelMasks, ncclWork*)"), "ncclDevKernel_Generic");
  EXPECT_EQ(short_kernel_name("at::f<g(int)::{lambda()#1}::operator()() const::{lambda(c10::Half)#2}>(int)"),
            "f<g[Half]>");
  EXPECT_EQ(
      short_kernel_name("void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native"
                        "::FillFunctor<float> >(at::TensorIteratorBase&, at::native::FillFunctor<float> const&)::"
                        "{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::FillFunctor<float> "
                        ">(at::TensorIteratorBase&, at::native::FillFunctor<float> const&)::{lambda(int)#1})"),
      "elementwise<128,4,FillFunctor<float>>");
}

TEST(KernelNames, LeaveOtherNames) {
  for (const char* name : {"Memcpy DtoD (Device -> Device)", "aten::addmm", "inspect.py(2397): _signature", "attn_fwd",
                           "", "(nothing recorded)", "3 others"}) {
    EXPECT_EQ(short_kernel_name(name), name);
  }
}

TEST(KernelNames, OfDifferentNamesNoTwoAreTheSame) {
  const std::string tile = "Cijk_Ailk_Bjlk_H_MT16x16x8_MI4x4_";
  const std::vector<std::string> texts =
      short_kernel_names({tile + "SN_LDSB0", tile + "SN_LDSB1", tile + "SN_LDSB0", "a::f<1>(int)", "b::f<1>(int)"});
  EXPECT_EQ(texts[0], texts[2]);
  EXPECT_EQ(texts[0], "Cijk_Ailk_Bjlk_H_MT16x16x8_MI4x4 …LDSB0");
  EXPECT_EQ(texts[1], "Cijk_Ailk_Bjlk_H_MT16x16x8_MI4x4 …LDSB1");
  EXPECT_NE(texts[3], texts[4]);
}

TEST(KernelNames, DamagedOnesEnd) {
  for (const std::string& name : {std::string(50'000, '<'), "f" + std::string(50'000, '<'), std::string("f<a>)>>("),
                                  std::string("f<lambda("), std::string("f<>(") + std::string(300, '(')}) {
    EXPECT_LE(length_of(short_kernel_name(name)), kLongestKernel) << name.substr(0, 20);
  }
}

// Names that differ at their very end, beyond what is shown.
TEST(KernelNames, LongNamesDifferToo) {
  const std::string same(200, 'k');
  const std::vector<std::string> texts = short_kernel_names({same + "a", same + "b", same + "a" + same});
  EXPECT_NE(texts[0], texts[1]);
  EXPECT_NE(texts[0], texts[2]);
  EXPECT_NE(texts[1], texts[2]);
}

}  // namespace
}  // namespace aaco::report
