// SPDX-License-Identifier: MIT
// Known cases: those of AMD's tables of registers and waves, and what LLVM's compiler says of such kernels.
#include "occupancy.h"

#include <gtest/gtest.h>

namespace aaco::amd {
namespace {

KernelMetadata kernel(std::uint32_t vgprs, std::uint32_t sgprs, std::uint32_t lds, std::uint32_t threads,
                      std::uint32_t lanes) {
  KernelMetadata made;
  made.vgprs = vgprs;
  made.sgprs = sgprs;
  made.lds_bytes = lds;
  made.most_threads = threads;
  made.wave_lanes = lanes;
  return made;
}

// CDNA: 512 registers in eights. 64 fit eight times, 65 (72) seven times, 128 four times, 129 (136) three times.
TEST(Occupancy, OfVectorRegistersOnCdna) {
  for (const auto& [vgprs, waves] : {std::pair{1U, 8U},
                                     {64U, 8U},
                                     {65U, 7U},
                                     {72U, 7U},
                                     {73U, 6U},
                                     {80U, 6U},
                                     {96U, 5U},
                                     {128U, 4U},
                                     {129U, 3U},
                                     {168U, 3U},
                                     {169U, 2U},
                                     {256U, 2U},
                                     {257U, 1U},
                                     {512U, 1U}}) {
    EXPECT_EQ(occupancy_of("gfx942", kernel(vgprs, 32, 0, 256, 64)).waves, waves) << vgprs;
  }
}

// Navi 31: 1536 registers in granules of 24. 96 fit sixteen times, 97 (120) twelve times, 256 (264) five times.
TEST(Occupancy, OfVectorRegistersOnRdna3) {
  for (const auto& [vgprs, waves] :
       {std::pair{1U, 16U}, {96U, 16U}, {97U, 12U}, {120U, 12U}, {121U, 10U}, {144U, 10U}, {192U, 8U}, {256U, 5U}}) {
    EXPECT_EQ(occupancy_of("gfx1100", kernel(vgprs, 32, 0, 256, 32)).waves, waves) << vgprs;
  }
}

TEST(Occupancy, OfScalarRegistersOnCdnaAlone) {
  EXPECT_EQ(occupancy_of("gfx942", kernel(32, 96, 0, 256, 64)).waves, 8U);
  EXPECT_EQ(occupancy_of("gfx942", kernel(32, 106, 0, 256, 64)).waves, 7U);
  EXPECT_EQ(occupancy_of("gfx1100", kernel(32, 106, 0, 256, 32)).waves, 16U);
}

// Blocks of four waves on four SIMDs: 32 KiB are two blocks of CDNA's 64 KiB, and four of a work-group processor's 128.
TEST(Occupancy, OfSharedMemory) {
  EXPECT_EQ(occupancy_of("gfx942", kernel(32, 32, 32768, 256, 64)).waves, 2U);
  EXPECT_EQ(occupancy_of("gfx942", kernel(32, 32, 32769, 256, 64)).waves, 1U);
  EXPECT_EQ(occupancy_of("gfx942", kernel(32, 32, 16384, 256, 64), 16384).waves, 2U);
  EXPECT_EQ(occupancy_of("gfx1100", kernel(32, 32, 32768, 128, 32)).waves, 4U);
  EXPECT_EQ(occupancy_of("gfx1100", kernel(32, 32, 32768, 1024, 32)).waves, 16U);
}

TEST(Occupancy, IsNotKnownOfOthers) { EXPECT_EQ(occupancy_of("gfx700", kernel(32, 32, 0, 256, 64)).most, 0U); }

}  // namespace
}  // namespace aaco::amd
