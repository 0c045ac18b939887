// SPDX-License-Identifier: MIT
#include "report/flame/node_flame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

namespace aaco::report {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

OpKernelRow op(const char* name, const char* type, std::optional<double> time_ns) {
  OpKernelRow row;
  row.node_name = name;
  row.op_type = type;
  row.time_ns = time_ns;
  return row;
}

std::vector<std::string> labels_of(const plot::Chart& chart) {
  std::vector<std::string> labels;
  for (const plot::Series& series : chart.series) {
    labels.insert(labels.end(), series.labels.begin(), series.labels.end());
  }
  return labels;
}

TEST(NodeFlame, NodesStandUnderTheModulesOfTheirNames) {
  const plot::Chart chart = node_flame_graph({op("/layer1/conv1/Conv", "Conv", 600), op("/layer1/Add", "Add", 200),
                                              op("head", "Gemm", 200), op("/layer1/Relu", "Relu", std::nullopt)});
  EXPECT_THAT(labels_of(chart),
              UnorderedElementsAre("layer1: 800.0 ns, 80.0 %", "conv1: 600.0 ns, 60.0 %", "Conv: 600.0 ns, 60.0 %",
                                   "Add: 200.0 ns, 20.0 %", "head: 200.0 ns, 20.0 %"));
  EXPECT_THAT(chart.caption, HasSubstr("1 node too short to time is left out"));
}

TEST(NodeFlame, WithoutModulesUnderTheirOperators) {
  EXPECT_THAT(labels_of(node_flame_graph({op("n1", "Conv", 60), op("n2", "Conv", 40)})),
              UnorderedElementsAre("Conv: 100.0 ns, 100.0 %", "n1: 60.00 ns, 60.0 %", "n2: 40.00 ns, 40.0 %"));
}

TEST(NodeFlame, WithoutTimesThereIsNone) {
  EXPECT_FALSE(plot::has_data(node_flame_graph({op("n", "Conv", std::nullopt)})));
}

}  // namespace
}  // namespace aaco::report
