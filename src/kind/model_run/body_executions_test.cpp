// SPDX-License-Identifier: MIT
#include "kind/model_run/body_executions.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

void add(ModelGraph& graph, const std::string& scope, const std::string& op, const std::string& name = "",
         const std::string& shape = "?") {
  GraphNodeRow row;
  row.node_id = static_cast<int64_t>(graph.nodes.size());
  row.scope = scope;
  row.op_type = op;
  row.name = name;
  row.output_shapes = shape;
  row.executions = scope.empty() ? std::optional(1.0) : std::nullopt;
  graph.nodes.push_back(row);
}

std::vector<std::optional<double>> executions(const ModelGraph& graph) {
  std::vector<std::optional<double>> all;
  for (const GraphNodeRow& node : graph.nodes) {
    all.push_back(node.executions);
  }
  return all;
}

using Counts = std::vector<std::optional<double>>;
constexpr std::nullopt_t kNone = std::nullopt;

// A loop without names, as the runtime then names its nodes: Loop_0 of two products and a Tanh, run 20 times.
TEST(BodyExecutions, OfALoopWithoutNames) {
  ModelGraph graph;
  add(graph, "", "Loop");
  add(graph, "Loop_0.body", "MatMul");
  add(graph, "Loop_0.body", "MatMul");
  add(graph, "Loop_0.body", "Tanh");
  count_body_executions(graph, {{{{}, "Loop_0", "Loop", ""}, 1},
                                {{{"Loop_0"}, "MatMul_0", "MatMul", ""}, 20},
                                {{{"Loop_0"}, "MatMul_1", "MatMul", ""}, 20},
                                {{{"Loop_0"}, "Tanh_2", "Tanh", ""}, 20}});
  EXPECT_EQ(executions(graph), (Counts{1, 20, 20, 20}));
}

// Bodies of the same names: each is known by the node around it.
TEST(BodyExecutions, BodiesAlikeAreToldApartByTheirLoops) {
  ModelGraph graph;
  add(graph, "", "Loop", "first");
  add(graph, "first.body", "MatMul", "mm");
  add(graph, "", "Loop", "second");
  add(graph, "second.body", "MatMul", "mm");
  count_body_executions(graph, {{{{}, "first", "Loop", ""}, 1},
                                {{{"first"}, "mm", "MatMul", ""}, 3},
                                {{{}, "second", "Loop", ""}, 1},
                                {{{"second"}, "mm", "MatMul", ""}, 40}});
  EXPECT_EQ(executions(graph), (Counts{1, 3, 1, 40}));
}

// Outer 3 times, inner 5 times each.
TEST(BodyExecutions, OfNestedLoops) {
  ModelGraph graph;
  add(graph, "", "Loop", "outer");
  add(graph, "outer.body", "Loop", "inner");
  add(graph, "outer.body/inner.body", "MatMul");
  add(graph, "outer.body", "Tanh");
  count_body_executions(graph, {{{{}, "outer", "Loop", ""}, 1},
                                {{{"outer"}, "inner", "Loop", ""}, 3},
                                {{{"outer"}, "Tanh_1", "Tanh", ""}, 3},
                                {{{"outer", "inner"}, "MatMul_0", "MatMul", ""}, 15}});
  EXPECT_EQ(executions(graph), (Counts{1, 3, 15, 3}));
}

ModelGraph branches(const std::string& heavy_shape, const std::string& light_shape) {
  ModelGraph graph;
  add(graph, "", "If", "if");
  add(graph, "if.then_branch", "MatMul", "", heavy_shape);
  add(graph, "if.then_branch", "Relu", "", heavy_shape);
  add(graph, "if.else_branch", "MatMul", "", light_shape);
  add(graph, "if.else_branch", "Relu", "", light_shape);
  return graph;
}

NestedExecutions light_branch() {
  return {{{{}, "if", "If", ""}, 1},
          {{{"if"}, "MatMul_0", "MatMul", "[4,8]"}, 1},
          {{{"if"}, "Relu_1", "Relu", "[4,8]"}, 1}};
}

TEST(BodyExecutions, BranchesOfTheSameOperatorsAreToldApartByShapes) {
  ModelGraph graph = branches("[4,2048]", "[4,8]");
  count_body_executions(graph, light_branch());
  EXPECT_EQ(executions(graph), (Counts{1, 0, 0, 1, 1}));
}

TEST(BodyExecutions, BranchesThatNothingTellsApartAreUnknown) {
  ModelGraph graph = branches("[4,8]", "[4,8]");
  count_body_executions(graph, light_branch());
  EXPECT_EQ(executions(graph), (Counts{1, kNone, kNone, kNone, kNone}));
}

// In a loop an If takes both: 7 of 10 times the first, whose other nodes are those of the second and one more.
TEST(BodyExecutions, BothBranchesOfAnIf) {
  ModelGraph graph;
  add(graph, "", "Loop", "loop");
  add(graph, "loop.body", "If", "if");
  add(graph, "loop.body/if.then_branch", "Add");
  add(graph, "loop.body/if.then_branch", "Mul");
  add(graph, "loop.body/if.else_branch", "Add");
  count_body_executions(graph, {{{{}, "loop", "Loop", ""}, 1},
                                {{{"loop"}, "if", "If", ""}, 10},
                                {{{"loop", "if"}, "Add_0", "Add", ""}, 10},
                                {{{"loop", "if"}, "Mul_1", "Mul", ""}, 7}});
  EXPECT_EQ(executions(graph), (Counts{1, 10, 7, 7, 3}));
}

// The branch that is not taken holds a loop: nothing below it ran.
TEST(BodyExecutions, NothingBelowABranchThatIsNotTakenRan) {
  ModelGraph graph;
  add(graph, "", "If", "if");
  add(graph, "if.then_branch", "Loop", "loop");
  add(graph, "if.then_branch/loop.body", "MatMul");
  add(graph, "if.else_branch", "Abs");
  count_body_executions(graph, {{{{}, "if", "If", ""}, 1}, {{{"if"}, "Abs_0", "Abs", ""}, 1}});
  EXPECT_EQ(executions(graph), (Counts{1, 0, 0, 1}));
}

// What the profile holds is not what the body is (it was compiled, or a clock's tick hid a node): the file's own count
// stays.
TEST(BodyExecutions, WhatDoesNotFitIsLeftAsItWas) {
  ModelGraph graph;
  add(graph, "", "Loop", "loop");
  add(graph, "loop.body", "MatMul");
  add(graph, "loop.body", "Tanh");
  graph.nodes[1].executions = 4;
  graph.nodes[2].executions = 4;
  count_body_executions(graph, {{{{}, "loop", "Loop", ""}, 1},
                                {{{"loop"}, "MatMul_0", "MatMul", ""}, 20},
                                {{{"loop"}, "Tanh_1", "Tanh", ""}, 19}});
  EXPECT_EQ(executions(graph), (Counts{1, 4, 4}));
}

TEST(BodyExecutions, TheFilesBodiesGetTheCountsOfTheirNames) {
  ModelGraph optimized;
  add(optimized, "", "Loop", "loop");
  add(optimized, "loop.body", "FusedMatMul", "fused");
  optimized.nodes[1].executions = 20;
  ModelGraph original;
  add(original, "", "Loop", "loop");
  add(original, "loop.body", "MatMul", "a");
  add(original, "loop.body", "Mul", "b");
  copy_body_executions(optimized, original);
  EXPECT_EQ(executions(original), (Counts{1, 20, 20}));
  ModelGraph nameless;
  add(nameless, "", "Loop");
  add(nameless, "Loop_0.body", "MatMul");
  copy_body_executions(nameless, nameless);
  EXPECT_EQ(executions(nameless), (Counts{1, kNone}));
}

}  // namespace
}  // namespace aaco
