// SPDX-License-Identifier: MIT
#include "workload/program.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

std::string text_of(const Program& program) {
  std::string text;
  for (const Command& command : program.commands()) {
    const char* const kinds[] = {"op", "copy", "set", "record", "wait", "collective", "host"};
    const bool is_event = command.kind == CommandKind::kRecord || command.kind == CommandKind::kWait;
    text += std::string(kinds[static_cast<size_t>(command.kind)]) + std::to_string(command.stream) +
            (is_event ? ":" + std::to_string(command.index) : "") + " ";
  }
  return text;
}

// Waits and records stand where streams change, and are those of the order, not of the program.
TEST(Program, OneByOneKeepsTheWorkOfEachStreamInOneOrder) {
  float data[4] = {};
  Program program(3);
  program.op(0, FillArgs{data, 4, 1.0, Dtype::kF32});
  program.set(0, data, 0, 4);
  program.after(1, 0);
  program.copy(1, data, data + 1, 4);
  CollectiveCommand sum;
  sum.ranks = {{2, data, data}};
  sum.count = 1;
  program.collective(sum);
  program.op(0, FillArgs{data, 4, 1.0, Dtype::kF32});
  const Program ordered = program.one_by_one();
  EXPECT_EQ(text_of(ordered), "op0 set0 record0:0 wait1:0 copy1 record1:1 wait2:1 collective2 record2:2 wait0:2 op0 ");
  EXPECT_EQ(ordered.collectives().size(), 1U);
  EXPECT_EQ(ordered.flops(), program.flops());
  EXPECT_EQ(ordered.ideal_bytes(), program.ideal_bytes());
}

}  // namespace
}  // namespace aaco
