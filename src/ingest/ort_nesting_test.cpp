// SPDX-License-Identifier: MIT
#include "ingest/ort_nesting.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

KernelRow kernel(const std::string& name, const std::string& op, int64_t start_us, int64_t dur_us,
                 int64_t iter_idx = 0) {
  KernelRow row;
  row.iter_idx = iter_idx;
  row.node_name = name;
  row.op_type = op;
  row.t_start_ns = start_us * 1000;
  row.t_end_ns = (start_us + dur_us) * 1000;
  row.output_shapes = "[2]";
  return row;
}

// before, outer { inner { a, a }, t, inner { a } }, after: by their ends.
std::vector<KernelRow> nested() {
  return {kernel("before", "Abs", 0, 5),  kernel("a", "Add", 12, 1),       kernel("a", "Add", 14, 1),
          kernel("inner", "Loop", 11, 6), kernel("t", "Tanh", 18, 1),      kernel("a", "Add", 21, 1),
          kernel("inner", "Loop", 20, 5), kernel("outer", "Loop", 10, 20), kernel("after", "Abs", 31, 2)};
}

TEST(OrtNesting, CountsByTheContainersAround) {
  const NestedExecutions executions = nested_executions(nested(), 0);
  const NestedExecutions expected{{{{}, "before", "Abs", "[2]"}, 1},    {{{}, "after", "Abs", "[2]"}, 1},
                                  {{{}, "outer", "Loop", "[2]"}, 1},    {{{"outer"}, "inner", "Loop", "[2]"}, 2},
                                  {{{"outer"}, "t", "Tanh", "[2]"}, 1}, {{{"outer", "inner"}, "a", "Add", "[2]"}, 3}};
  EXPECT_EQ(executions, expected);
}

// One clock tick holds the end of a node and the start of the next.
TEST(OrtNesting, WhatEndedAsTheContainerBeganWasBeforeIt) {
  const NestedExecutions executions =
      nested_executions({kernel("before", "Abs", 10, 0), kernel("a", "Add", 10, 1), kernel("loop", "Loop", 10, 5)}, 0);
  EXPECT_EQ(executions.at({{}, "before", "Abs", "[2]"}), 1);
  EXPECT_EQ(executions.at({{"loop"}, "a", "Add", "[2]"}), 1);
}

TEST(OrtNesting, OtherThreadsAndInferencesAreNotInside) {
  std::vector<KernelRow> kernels{kernel("a", "Add", 12, 1), kernel("b", "Add", 12, 1, 1),
                                 kernel("loop", "Loop", 10, 5)};
  kernels[0].thread_id = 9;
  const NestedExecutions executions = nested_executions(kernels, 0);
  EXPECT_EQ(executions.size(), 2);
  EXPECT_EQ(executions.at({{}, "a", "Add", "[2]"}), 1);
}

}  // namespace
}  // namespace aaco
