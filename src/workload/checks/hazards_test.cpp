// SPDX-License-Identifier: MIT
#include "workload/checks/hazards.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco {
namespace {

std::array<char, 256> memory{};

void write(Program& program, int32_t stream, size_t at, size_t bytes) {
  program.set(stream, memory.data() + at, 0, bytes);
}
// Reads the first half of the memory given, writes the second.
void move_down(Program& program, int32_t stream, size_t from, size_t to, size_t bytes) {
  program.copy(stream, memory.data() + to, memory.data() + from, bytes);
}

TEST(Hazards, OneStreamHasNone) {
  Program program(1);
  write(program, 0, 0, 64);
  move_down(program, 0, 0, 64, 64);
  EXPECT_TRUE(find_hazards(program, 1).empty());
}

TEST(Hazards, TwoStreamsOnMemoryOfTheirOwnHaveNone) {
  Program program(2);
  write(program, 0, 0, 64);
  write(program, 1, 64, 64);
  EXPECT_TRUE(find_hazards(program, 1).empty());
}

TEST(Hazards, ReadersOfTheSameMemoryDoNotRace) {
  Program program(2);
  move_down(program, 0, 0, 64, 32);
  move_down(program, 1, 0, 128, 32);
  EXPECT_TRUE(find_hazards(program, 1).empty());
}

TEST(Hazards, AReadOfWhatAnotherStreamWritesNeedsAnEvent) {
  Program program(2);
  write(program, 0, 0, 64);
  move_down(program, 1, 32, 128, 8);
  const std::vector<Hazard> hazards = find_hazards(program, 1);
  ASSERT_FALSE(hazards.empty());
  EXPECT_EQ(hazards[0].text,
            "set (command 0, stream 0) writes what copy (command 1, stream 1) reads, and nothing orders them");
}

TEST(Hazards, TheNextIterationRacesWithWhatStillReads) {
  Program program(2);
  write(program, 0, 0, 64);
  program.after(1, 0);
  move_down(program, 1, 0, 128, 64);
  const std::vector<Hazard> hazards = find_hazards(program, 1);
  ASSERT_EQ(hazards.size(), 1U);
  EXPECT_THAT(hazards[0].text, testing::HasSubstr("of the next iteration"));
  program.after(0, 1);  // the next iteration's write then comes after the copy
  EXPECT_TRUE(find_hazards(program, 1).empty());
}

TEST(Hazards, OrderPassesThroughAThirdStream) {
  Program program(3);
  write(program, 0, 0, 64);
  program.after(1, 0);
  write(program, 1, 64, 8);
  program.after(2, 1);
  move_down(program, 2, 0, 128, 64);
  program.after(0, 2);
  program.after(1, 2);
  EXPECT_TRUE(find_hazards(program, 1).empty());
}

TEST(Hazards, AWaitForAnOlderRecordDoesNotOrderWhatCameLater) {
  Program program(2);
  const int32_t event = program.record(0);
  write(program, 0, 0, 64);
  program.wait(1, event);
  move_down(program, 1, 0, 128, 64);
  EXPECT_FALSE(find_hazards(program, 1).empty());
}

TEST(Hazards, AHostStepOrdersEverythingAfterItsStream) {
  Program program(2);
  write(program, 0, 0, 64);
  program.host_step(0, [] { return Result<void>(); });
  move_down(program, 1, 0, 128, 64);
  program.host_step(1, [] { return Result<void>(); });
  EXPECT_TRUE(find_hazards(program, 1).empty());
}

TEST(Hazards, ColumnsOfOneMatrixOnTwoStreamsDoNotConflict) {
  // A matrix of 4 rows of 16 floats: streams 0 and 1 write its left and right halves, or overlapping ones.
  std::array<float, 64> matrix{};
  std::array<float, 64> other{};
  const auto columns = [&](int64_t first, int64_t count) {
    GemmArgs args;
    args.a = args.b = other.data();
    args.c = matrix.data() + first;
    args.m = 4;
    args.n = count;
    args.k = 1;
    args.lda = 1;
    args.ldb = count;
    args.ldc = 16;
    return args;
  };
  Program apart(2);
  apart.op(0, columns(0, 8));
  apart.op(1, columns(8, 8));
  EXPECT_TRUE(find_hazards(apart, 1).empty());
  Program crossing(2);
  crossing.op(0, columns(0, 9));
  crossing.op(1, columns(8, 8));
  EXPECT_FALSE(find_hazards(crossing, 1).empty());
}

TEST(Hazards, ACollectiveWritesWhatEveryRankReceives) {
  Program program(2);
  CollectiveCommand gather{Collective::kAllGather,
                           {{0, memory.data(), memory.data() + 64}, {1, memory.data() + 8, memory.data() + 96}},
                           2,
                           Dtype::kF32};
  program.collective(gather);
  move_down(program, 1, 64, 160, 16);  // rank 0's result, read by rank 1's stream
  EXPECT_FALSE(find_hazards(program, 2).empty());
}

}  // namespace
}  // namespace aaco
