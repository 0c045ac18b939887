// SPDX-License-Identifier: MIT
#include "base/process/launcher.h"

#include <gtest/gtest.h>
#include <map>

namespace aaco {
namespace {

Result<std::optional<JobShare>> share_in(const std::map<std::string, std::string>& variables) {
  return job_share([&](const char* name) -> const char* {
    const auto variable = variables.find(name);
    return variable == variables.end() ? nullptr : variable->second.c_str();
  });
}

TEST(Launcher, NoneIsNoShare) {
  EXPECT_FALSE(*share_in({}));
  // In a batch script, which runs once: srun alone makes steps.
  EXPECT_FALSE(*share_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "77"}}));
  EXPECT_FALSE(*share_in({{"RANK", "0"}, {"WORLD_SIZE", "8"}}));  // a container's, of another job
  EXPECT_FALSE(*share_in({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}));
}

TEST(Launcher, EachSaysItInItsOwnWords) {
  const auto open_mpi =
      *share_in({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_NAMESPACE", "123@1"}});
  ASSERT_TRUE(open_mpi);
  EXPECT_EQ(open_mpi->index, 2);
  EXPECT_EQ(open_mpi->count, 4);
  EXPECT_EQ(open_mpi->job, "123@1");
  const auto slurm =
      *share_in({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "3"}, {"SLURM_JOB_ID", "77"}, {"SLURM_STEP_ID", "5"}});
  ASSERT_TRUE(slurm);
  EXPECT_EQ(slurm->job, "77.5");
  // By hand, before any launcher.
  EXPECT_EQ((*share_in({{"AACO_SHARD", "1"},
                        {"AACO_SHARDS", "2"},
                        {"AACO_JOB", "j"},
                        {"SLURM_PROCID", "7"},
                        {"SLURM_STEP_NUM_TASKS", "8"},
                        {"SLURM_JOB_ID", "77"}}))
                ->index,
            1);
}

TEST(Launcher, SaysWhatMakesNoSense) {
  EXPECT_NE(share_in({{"RANK", "x"}, {"WORLD_SIZE", "2"}, {"TORCHELASTIC_RUN_ID", "r"}}).error().message.find("RANK=x"),
            std::string::npos);
  EXPECT_FALSE(share_in({{"RANK", "2"}, {"WORLD_SIZE", "2"}, {"TORCHELASTIC_RUN_ID", "r"}}));
  EXPECT_FALSE(share_in({{"RANK", "-1"}, {"WORLD_SIZE", "2"}, {"TORCHELASTIC_RUN_ID", "r"}}));
  EXPECT_NE(share_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}).error().message.find("PMI_JOBID"), std::string::npos);
}

}  // namespace
}  // namespace aaco
