// SPDX-License-Identifier: MIT
#include "kind/observation/rank/process_rank.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

using namespace std::string_view_literals;

TEST(ProcessRank, IsOfTheLauncher) {
  const ProcessRank torchrun = rank_in("PATH=/bin\0RANK=3\0LOCAL_RANK=1\0WORLD_SIZE=8\0"sv);
  EXPECT_EQ(torchrun.rank, 3);
  EXPECT_EQ(torchrun.local_rank, 1);
  EXPECT_EQ(torchrun.world_size, 8);
  EXPECT_EQ(torchrun.variable, "RANK");
  EXPECT_EQ(torchrun.conflict, "");
  const ProcessRank srun = rank_in("SLURM_PROCID=5\0SLURM_LOCALID=2\0SLURM_NTASKS=16\0"sv);
  EXPECT_EQ(srun.rank, 5);
  EXPECT_EQ(srun.local_rank, 2);
  EXPECT_EQ(srun.world_size, 16);
}

TEST(ProcessRank, NamesWhatContradicts) {
  const ProcessRank rank = rank_in("SLURM_PROCID=0\0RANK=3\0PMI_RANK=3\0"sv);
  EXPECT_EQ(rank.rank, 3);
  EXPECT_EQ(rank.conflict, "SLURM_PROCID is 0");
  EXPECT_FALSE(rank.world_size);
}

TEST(ProcessRank, OfOtherTextsThereIsNone) {
  for (const std::string_view text :
       {""sv, "RANK=\0"sv, "RANK=first\0"sv, "RANK=-1\0"sv, "MYRANK=3\0"sv, "RANKS=3\0"sv}) {
    EXPECT_FALSE(rank_in(text).rank) << text;
  }
}

}  // namespace
}  // namespace aaco
