// SPDX-License-Identifier: MIT
#include "experiment/model_run/inspection.h"

#include <gtest/gtest.h>

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

TEST(EmptyTensors, OfInputsAndResultsAreNamed) {
  OrtProfile profile;
  profile.nodes["t"] = {
      0, "TopK", "CPUExecutionProvider", {{{4, 10}, "float"}}, {{{4, 0}, "float"}, {{4, 0}, "int64"}}};
  profile.nodes["s"] = {0, "Slice", "CPUExecutionProvider", {}, {{{0}, "int64"}}};  // a part of a shape
  profile.nodes["r"] = {0, "Resize", "CPUExecutionProvider", {{{0}, "float"}}, {{{4, 4}, "float"}}};
  const std::vector<PortNote> inputs{{"x", "float32", {1, 0, 8}, "", ""}, {"y", "float32", {}, "", ""}};
  EXPECT_EQ(empty_tensors(inputs, profile),
            (std::vector<std::string>{
                "input x has no elements: its shape is [1,0,8]",
                "nodes made results without elements, so less was computed than with other inputs: TopK t [4,0]"}));
  EXPECT_TRUE(empty_tensors({}, OrtProfile()).empty());
}

}  // namespace
}  // namespace aaco
