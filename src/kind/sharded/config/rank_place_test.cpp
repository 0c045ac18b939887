// SPDX-License-Identifier: MIT
#include "kind/sharded/config/rank_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace aaco::sharded {
namespace {

using ::testing::HasSubstr;
using Environment = std::map<std::string, std::string>;

Result<std::optional<RankPlace>> place_in(const Environment& variables) {
  return rank_place([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string problem_in(const Environment& variables) {
  const auto place = place_in(variables);
  return place ? "" : place.error().message;
}

const Environment kTorchrun = {
    {"RANK", "3"},       {"WORLD_SIZE", "4"},         {"LOCAL_RANK", "1"},      {"LOCAL_WORLD_SIZE", "2"},
    {"GROUP_RANK", "1"}, {"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "29500"}, {"TORCHELASTIC_RUN_ID", "r"},
};

Environment with(Environment variables, const Environment& more) {
  for (const auto& [name, value] : more) {
    variables[name] = value;
  }
  return variables;
}

TEST(RankPlace, WithoutALauncherThereIsNone) {
  EXPECT_FALSE(*place_in({}));
  // A batch script, which runs once, and an interactive step of one task.
  EXPECT_FALSE(*place_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}));
  EXPECT_FALSE(*place_in({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_STEP_NODELIST", "a"}}));
  EXPECT_FALSE(*place_in({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}));
}

TEST(RankPlace, Torchrun) {
  const auto place = *place_in(kTorchrun);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 3);
  EXPECT_EQ(place->ranks, 4);
  EXPECT_EQ(place->local_rank, 1);
  EXPECT_EQ(place->local_ranks, 2);
  EXPECT_EQ(place->address, "10.0.0.1");
  EXPECT_EQ(rendezvous_port(*place), 29500);
  // One rank by torchrun is a rank: it starts no others.
  EXPECT_EQ((*place_in({{"RANK", "0"}, {"WORLD_SIZE", "1"}}))->ranks, 1);
}

TEST(RankPlace, AnAgentsPortIsNotBound) {
  const auto place = *place_in(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}}));
  EXPECT_TRUE(place->port_is_taken);
  EXPECT_EQ(rendezvous_port(*place), 29501);
  EXPECT_FALSE((*place_in(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "False"}})))->port_is_taken);
}

TEST(RankPlace, TheSecretIsTheJobs) {
  const auto secret_in = [](const Environment& variables) {
    return job_secret([&](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_EQ(secret_in(kTorchrun),
            secret_in(with(kTorchrun, {{"RANK", "0"}, {"LOCAL_RANK", "0"}, {"GROUP_RANK", "0"}})));
  EXPECT_NE(secret_in(kTorchrun), secret_in(with(kTorchrun, {{"TORCHELASTIC_RUN_ID", "s"}})));
  EXPECT_NE(secret_in({{"SLURM_JOB_ID", "1"}}), secret_in({{"SLURM_JOB_ID", "2"}}));
  EXPECT_EQ(secret_in(with(kTorchrun, {{"AACO_JOB_SECRET", "x"}})), "x");
}

TEST(RankPlace, Mpirun) {
  const Environment one_node = {{"OMPI_COMM_WORLD_RANK", "1"},
                                {"OMPI_COMM_WORLD_SIZE", "2"},
                                {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  const auto place = *place_in(one_node);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 1);
  EXPECT_EQ(place->local_ranks, 2);
  EXPECT_EQ(place->address, "");
  // It says no address: several nodes need one.
  const Environment two_nodes =
      with(one_node, {{"OMPI_COMM_WORLD_LOCAL_RANK", "0"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}});
  EXPECT_THAT(problem_in(two_nodes), HasSubstr("MASTER_ADDR is not set"));
  EXPECT_EQ((*place_in(with(two_nodes, {{"MASTER_ADDR", "a"}, {"MASTER_PORT", "4000"}})))->port, 4000);
}

TEST(RankPlace, Srun) {
  const auto place = *place_in({{"SLURM_PROCID", "5"},
                                {"SLURM_NTASKS", "8"},
                                {"SLURM_LOCALID", "1"},
                                {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"},
                                {"SLURM_STEP_NODELIST", "node[03-04]"},
                                {"MASTER_PORT", "4000"}});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 5);
  EXPECT_EQ(place->ranks, 8);
  EXPECT_EQ(place->local_rank, 1);
  EXPECT_EQ(place->local_ranks, 4);
  EXPECT_EQ(place->address, "node03");
}

TEST(RankPlace, HostLists) {
  EXPECT_EQ(first_host("a"), "a");
  EXPECT_EQ(first_host("a,b"), "a");
  EXPECT_EQ(first_host("node[7]"), "node7");
  EXPECT_EQ(first_host("node[07-09,11],x"), "node07");
  EXPECT_EQ(first_host("r[1-2]-gpu,y"), "r1-gpu");
  EXPECT_EQ(first_host("broken[1"), "broken1");
}

TEST(RankPlace, NestedLaunchersAgree) {
  // torchrun on each of two nodes, by srun.
  const auto place = *place_in(with(kTorchrun, {{"SLURM_PROCID", "1"},
                                                {"SLURM_STEP_NUM_TASKS", "2"},
                                                {"SLURM_LOCALID", "0"},
                                                {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                                                {"SLURM_STEP_NODELIST", "n[1-2]"}}));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 3);
  EXPECT_EQ(place->address, "10.0.0.1");
}

TEST(RankPlace, ConflictsAreErrors) {
  const Environment mpirun = {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "3"}};
  const std::string problem = problem_in(with(kTorchrun, mpirun));
  EXPECT_THAT(problem, HasSubstr("two launchers disagree: RANK=3 WORLD_SIZE=4 of torchrun"));
  EXPECT_THAT(problem, HasSubstr("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=3 of mpirun"));
}

TEST(RankPlace, NonsenseIsAnError) {
  EXPECT_THAT(problem_in({{"RANK", "0"}}), HasSubstr("WORLD_SIZE is not"));
  EXPECT_THAT(problem_in({{"RANK", "x"}, {"WORLD_SIZE", "2"}}), HasSubstr("RANK=x is no number"));
  EXPECT_THAT(problem_in({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}), HasSubstr("RANK=-1"));
  EXPECT_THAT(problem_in({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), HasSubstr("no such rank"));
  EXPECT_THAT(problem_in(with(kTorchrun, {{"LOCAL_RANK", "2"}})), HasSubstr("LOCAL_RANK=2"));
  EXPECT_THAT(problem_in(with(kTorchrun, {{"MASTER_PORT", "70000"}})), HasSubstr("is no port"));
}

}  // namespace
}  // namespace aaco::sharded
