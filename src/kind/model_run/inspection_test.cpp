// SPDX-License-Identifier: MIT
#include "kind/model_run/inspection.h"

#include <gtest/gtest.h>
#include <tuple>

namespace aaco {
namespace {

GraphNodeRow row(const std::string& name, const std::string& scope, const std::string& input,
                 const std::string& output) {
  GraphNodeRow made;
  made.name = name;
  made.scope = scope;
  made.inputs = "[\"" + input + "\"]";
  made.outputs = "[\"" + output + "\"]";
  return made;
}

ProfiledNode seen(const std::vector<int64_t>& input, const std::vector<int64_t>& output) {
  return {0, "Abs", "CPUExecutionProvider", {{input, "float"}}, {{output, "float"}}};
}

TEST(ExecutedShapes, OfNodesWhoseNameIsTheirOwn) {
  ModelGraph graph;
  graph.nodes = {row("a", "", "x", "h"), row("twice", "if_1.then_branch", "h", "y"),
                 row("twice", "if_2.then_branch", "z", "w")};
  OrtProfile profile;
  profile.nodes = {{"a", seen({2}, {3})}, {"twice", seen({5}, {7})}};
  const KnownShapes known = executed_shapes(graph, profile);
  EXPECT_EQ(known, (KnownShapes{{"x", {{2}, "float32"}}, {"h", {{3}, "float32"}}}));
}

// The maker of h saw one shape of it, its takers others: neither the last nor the first of them is the truth.
TEST(ExecutedShapes, OfATensorThatWasSeenWithTwoShapes) {
  ModelGraph graph;
  graph.nodes = {row("a", "", "x", "h"), row("b", "", "h", "r"), row("c", "", "r", "s"), row("d", "", "r", "t")};
  OrtProfile profile;
  profile.nodes = {{"a", seen({2}, {3, 4})}, {"b", seen({5, 4}, {6})}, {"c", seen({6, 6}, {1})}, {"d", seen({6}, {1})}};
  const KnownShapes known = executed_shapes(graph, profile);
  EXPECT_EQ(known.at("h").first, (std::vector<int64_t>{-1, 4}));
  EXPECT_FALSE(known.contains("r"));
}

ModelGraph computing(const std::vector<std::tuple<std::string, std::string, std::optional<double>>>& nodes) {
  ModelGraph graph;
  for (const auto& [op_type, dtype, flops] : nodes) {
    GraphNodeRow made;
    made.op_type = op_type;
    made.dtype = dtype;
    made.flops = flops;
    graph.nodes.push_back(made);
  }
  return graph;
}

// A float model of which only index arithmetic has known FLOPs does not compute in int64.
TEST(ArithmeticDtype, IsOfTheModelsNumbersAndNotOfItsIndices) {
  const std::vector<PortNote> floats{{"x", "float32", {4}, "", "", ""}};
  EXPECT_EQ(arithmetic_dtype(computing({{"Mystery", "float32", {}}, {"Add", "int64", 9}}), floats), "float32");
  EXPECT_EQ(arithmetic_dtype(computing({{"ArgMax", "int64", 9}}), floats), "float32");
  EXPECT_EQ(arithmetic_dtype(computing({{"MatMul", "float16", 5}, {"Add", "int64", 9}}), floats), "float16");
  EXPECT_EQ(arithmetic_dtype(computing({{"MatMulInteger", "int32", 9}, {"Mul", "float32", 1}}), floats), "int32");
  EXPECT_EQ(arithmetic_dtype(computing({{"Add", "int64", 9}}), {{"i", "int64", {4}, "", "", ""}}), "int64");
  EXPECT_EQ(arithmetic_dtype(computing({{"Gather", "float32", 0}}), floats), "");
}

// A loop of 20 products in float64 beside one in float32.
TEST(ArithmeticDtype, CountsBodiesAsOftenAsTheyRan) {
  ModelGraph graph = computing({{"MatMul", "float32", 10}, {"MatMul", "float64", 1}});
  graph.nodes[1].executions = 20;
  EXPECT_EQ(arithmetic_dtype(graph, {}), "float64");
}

TEST(EmptyTensors, OfInputsAndResultsAreNamed) {
  OrtProfile profile;
  profile.nodes["t"] = {
      0, "TopK", "CPUExecutionProvider", {{{4, 10}, "float"}}, {{{4, 0}, "float"}, {{4, 0}, "int64"}}};
  profile.nodes["s"] = {0, "Slice", "CPUExecutionProvider", {}, {{{0}, "int64"}}};  // a part of a shape
  profile.nodes["r"] = {0, "Resize", "CPUExecutionProvider", {{{0}, "float"}}, {{{4, 4}, "float"}}};
  const std::vector<PortNote> inputs{{"x", "float32", {1, 0, 8}, "", "", ""}, {"y", "float32", {}, "", "", ""}};
  EXPECT_EQ(empty_tensors(inputs, profile),
            (std::vector<std::string>{
                "an input without elements: x [1,0,8]",
                "nodes made results without elements, so less was computed than with other inputs: TopK t [4,0]"}));
  EXPECT_TRUE(empty_tensors({}, OrtProfile()).empty());
}

// tiny-llama has sixteen inputs of its past.
TEST(EmptyTensors, OfInputsAreOneLineAndAnEmptyPastIsNone) {
  std::vector<PortNote> inputs;
  for (const char* name : {"past_key_values.0.key", "past_key_values.0.value", "pastValue"}) {
    inputs.push_back({name, "float32", {1, 4, 0, 64}, "", "", ""});
  }
  EXPECT_TRUE(empty_tensors(inputs, OrtProfile()).empty());
  for (const char* name : {"a", "b", "c", "d", "the_past", ""}) {
    inputs.push_back({name, "float32", {0}, "", "", ""});
  }
  EXPECT_EQ(empty_tensors(inputs, OrtProfile()),
            std::vector<std::string>{"inputs without elements: a [0], b [0], c [0], d [0] and 2 more"});
}

}  // namespace
}  // namespace aaco
