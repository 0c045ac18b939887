// SPDX-License-Identifier: MIT
#include "model/graph/input_uses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/graph/model_making.h"

namespace aaco {
namespace {

using aaco::testing::add_body;
using aaco::testing::add_initialiser;
using aaco::testing::add_node;
using aaco::testing::declare;
using aaco::testing::empty_model;
using aaco::testing::graph_of;
using aaco::testing::set_integer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr int kInt64 = onnx::TensorProto::INT64;
constexpr int kInt32 = onnx::TensorProto::INT32;

InputUse use_of(const onnx::ModelProto& model, const std::string& input = "ids") {
  const auto graph = graph_of(model);
  EXPECT_TRUE(graph) << graph.error().message;
  const auto input_use = graph->input_uses.find(input);
  return input_use == graph->input_uses.end() ? InputUse{} : input_use->second;
}

// ids [4] of `type`, and a table of 100 rows and 8 columns.
onnx::ModelProto with_ids(int type = kInt64, const std::vector<int64_t>& dims = {4}) {
  onnx::ModelProto model = empty_model();
  declare(model.mutable_graph()->add_input(), "ids", dims, type);
  add_initialiser(model.mutable_graph(), "table", {100, 8});
  return model;
}

void expect_range(const InputUse& use, int64_t low, int64_t high) {
  ASSERT_TRUE(use.range);
  EXPECT_EQ(use.range->low, low);
  EXPECT_EQ(use.range->high, high);
}

TEST(InputUses, OfAnIndexAreTheRowsOfItsAxis) {
  for (const auto& [axis, rows] : {std::pair<int64_t, int64_t>{0, 100}, {1, 8}, {-1, 8}, {-2, 100}}) {
    onnx::ModelProto model = with_ids();
    set_integer(add_node(model.mutable_graph(), "Gather", {"table", "ids"}, {"y"}, "g"), "axis", axis);
    const InputUse use = use_of(model);
    expect_range(use, 0, rows - 1);
    EXPECT_THAT(use.range_why, HasSubstr("rows of table (Gather g)"));
  }
}

TEST(InputUses, FollowWhatMovesAnIndex) {
  onnx::ModelProto model = with_ids(kInt32, {2, 4});
  onnx::GraphProto* graph = model.mutable_graph();
  set_integer(add_node(graph, "Cast", {"ids"}, {"wide"}), "to", kInt64);
  add_initialiser(graph, "one", {}, kInt64, {1});
  add_node(graph, "Gather", {"wide", "one"}, {"row"});  // the input is data here
  add_initialiser(graph, "shape", {2}, kInt64, {2, 2});
  add_node(graph, "Reshape", {"row", "shape"}, {"square"});
  add_initialiser(graph, "from", {1}, kInt64, {0});
  add_initialiser(graph, "to", {1}, kInt64, {1});
  add_node(graph, "Slice", {"square", "from", "to"}, {"part"});
  add_node(graph, "Gather", {"table", "part"}, {"y"});
  expect_range(use_of(model), 0, 99);
}

// x + 2 below 100; 99 - x; x - 1 from 0; x * 4; x / 4; x % 10; -x from the end.
TEST(InputUses, FollowArithmeticWithConstants) {
  const auto range = [](const char* op, int64_t constant, bool constant_first) {
    onnx::ModelProto model = with_ids();
    add_initialiser(model.mutable_graph(), "c", {}, kInt64, {constant});
    const aaco::testing::Names operands =
        constant_first ? aaco::testing::Names{"c", "ids"} : aaco::testing::Names{"ids", "c"};
    add_node(model.mutable_graph(), op, operands, {"i"});
    add_node(model.mutable_graph(), "Gather", {"table", "i"}, {"y"});
    return use_of(model);
  };
  expect_range(range("Add", 2, false), 0, 97);
  expect_range(range("Sub", 99, true), 0, 99);
  expect_range(range("Sub", 1, false), 1, 100);
  expect_range(range("Mul", 4, false), 0, 24);
  expect_range(range("Div", 4, false), 0, 399);
  expect_range(range("Mod", 10, false), 0, 9);
  expect_range(range("Mul", -1, false), 1, 100);
  EXPECT_FALSE(range("Pow", 2, false).range);
}

// Tables behind one another: the offsets are part of the model.
TEST(InputUses, FollowATableOfOffsets) {
  onnx::ModelProto model = with_ids(kInt64, {3});
  add_initialiser(model.mutable_graph(), "offsets", {3}, kInt64, {0, 30, 60});
  add_node(model.mutable_graph(), "Add", {"ids", "offsets"}, {"i"});
  add_node(model.mutable_graph(), "Gather", {"table", "i"}, {"y"});
  expect_range(use_of(model), 0, 39);
}

TEST(InputUses, OfSeveralPlacesAreWhatAllTake) {
  onnx::ModelProto model = with_ids();
  add_initialiser(model.mutable_graph(), "small", {7, 8});
  add_node(model.mutable_graph(), "Gather", {"table", "ids"}, {"y"});
  add_node(model.mutable_graph(), "Gather", {"small", "ids"}, {"z"}, "s");
  const InputUse use = use_of(model);
  expect_range(use, 0, 6);
  EXPECT_THAT(use.range_why, HasSubstr("7 rows of small"));
}

TEST(InputUses, OfCoordinatesAreOneRangeForEachPlace) {
  onnx::ModelProto model = with_ids(kInt64, {5, 2});
  add_node(model.mutable_graph(), "GatherND", {"table", "ids"}, {"y"});
  const InputUse use = use_of(model);
  ASSERT_EQ(use.columns.size(), 2U);
  EXPECT_EQ(use.columns[0].high, 99);
  EXPECT_EQ(use.columns[1].high, 7);
  expect_range(use, 0, 7);
}

TEST(InputUses, OfElementsAreOfTheirAxis) {
  onnx::ModelProto model = with_ids(kInt64, {100, 3});
  set_integer(add_node(model.mutable_graph(), "GatherElements", {"table", "ids"}, {"y"}), "axis", 1);
  expect_range(use_of(model), 0, 7);
}

// A recurrent network with 100 steps, whose lengths are cast; and one that reads them in another order.
TEST(InputUses, OfALengthAreAllSteps) {
  onnx::ModelProto model = with_ids(kInt64, {2});
  onnx::GraphProto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {100, 2, 16});
  set_integer(add_node(graph, "Cast", {"ids"}, {"n"}), "to", kInt32);
  add_node(graph, "LSTM", {"x", "w", "r", "", "n"}, {"y"}, "l");
  const InputUse use = use_of(model);
  EXPECT_EQ(use.length, 100);
  EXPECT_THAT(use.length_why, HasSubstr("valid steps of LSTM l"));

  onnx::ModelProto reversed = with_ids(kInt64, {2});
  declare(reversed.mutable_graph()->add_input(), "x", {2, 30, 16});
  onnx::NodeProto* node = add_node(reversed.mutable_graph(), "ReverseSequence", {"x", "ids"}, {"y"});
  set_integer(node, "time_axis", 1);
  set_integer(node, "batch_axis", 0);
  EXPECT_EQ(use_of(reversed).length, 30);
}

TEST(InputUses, OfAnAttentionAreItsTokens) {
  onnx::ModelProto model = with_ids(kInt32, {1});
  onnx::GraphProto* graph = model.mutable_graph();
  declare(graph->add_input(), "q", {1, 3, 64});
  declare(graph->add_input(), "k", {1, 3, 32});
  declare(graph->add_input(), "past", {1, 2, 127, 16});
  declare(graph->add_input(), "total", {}, kInt32);
  add_node(graph, "GroupQueryAttention", {"q", "k", "k", "past", "past", "ids", "total"}, {"o"})
      ->set_domain("com.microsoft");
  EXPECT_EQ(use_of(model).length, 129);  // the last of 127 + 3 tokens
  EXPECT_EQ(use_of(model, "total").length, 130);
}

TEST(InputUses, OfASizeNameWhatItDecides) {
  onnx::ModelProto model = with_ids(kInt64, {1});
  declare(model.mutable_graph()->add_input(), "x", {2, 1000});
  add_node(model.mutable_graph(), "TopK", {"x", "ids"}, {"v", "i"}, "t");
  const InputUse use = use_of(model);
  EXPECT_EQ(use.decides, "the number of elements of TopK t");
  EXPECT_THAT(use.example, ElementsAre(Pair(0, 10)));

  onnx::ModelProto loop = with_ids(kInt64, {});
  onnx::GraphProto* body = add_body(add_node(loop.mutable_graph(), "Loop", {"ids", ""}, {}, "l"), "body");
  declare(body->add_input(), "i", {}, kInt64);
  EXPECT_EQ(use_of(loop).decides, "the number of iterations of Loop l");
}

// Height and width, picked apart and put behind batch and channels.
TEST(InputUses, OfPartsOfAShapeHaveExamplesInTheirPlaces) {
  onnx::ModelProto model = with_ids(kInt64, {2});
  onnx::GraphProto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {1, 3, 16, 20});
  add_initialiser(graph, "front", {2}, kInt64, {1, 3});
  add_initialiser(graph, "zero", {}, kInt64, {0});
  add_initialiser(graph, "one", {1}, kInt64, {1});
  add_initialiser(graph, "axes", {1}, kInt64, {0});
  add_node(graph, "Gather", {"ids", "zero"}, {"h0"});
  add_node(graph, "Unsqueeze", {"h0", "axes"}, {"h"});
  add_node(graph, "Gather", {"ids", "one"}, {"w"});
  set_integer(add_node(graph, "Concat", {"front", "h", "w"}, {"sizes"}), "axis", 0);
  add_node(graph, "Resize", {"x", "", "", "sizes"}, {"y"});
  EXPECT_THAT(use_of(model).example, ElementsAre(Pair(0, 32), Pair(1, 40)));
}

// Captured by a body, and passed into one.
TEST(InputUses, ReachIntoBodies) {
  onnx::ModelProto model = with_ids();
  onnx::NodeProto* branch = add_node(model.mutable_graph(), "If", {"c"}, {"y"});
  add_node(add_body(branch, "then_branch"), "Gather", {"table", "ids"}, {"z"});
  expect_range(use_of(model), 0, 99);

  onnx::ModelProto scan = with_ids(kInt64, {5, 4});
  onnx::GraphProto* body = add_body(add_node(scan.mutable_graph(), "Scan", {"ids"}, {"y"}), "body");
  declare(body->add_input(), "one", {4}, kInt64);
  add_node(body, "Gather", {"table", "one"}, {"z"});
  expect_range(use_of(scan), 0, 99);
}

TEST(InputUses, EndWhereAValueNoLongerCounts) {
  onnx::ModelProto model = with_ids();
  onnx::GraphProto* graph = model.mutable_graph();
  add_node(graph, "Shape", {"ids"}, {"s"});
  add_node(graph, "ConstantOfShape", {"s"}, {"y"});
  add_initialiser(graph, "pad", {}, kInt64, {0});
  add_node(graph, "Equal", {"ids", "pad"}, {"e"});
  set_integer(add_node(graph, "Cast", {"e"}, {"n"}), "to", kInt64);
  add_node(graph, "Tile", {"table", "n"}, {"z"});
  EXPECT_EQ(use_of(model).decides, "");

  onnx::ModelProto mask = empty_model();
  declare(mask.mutable_graph()->add_input(), "attention_mask", {1, 4}, kInt64);
  add_node(mask.mutable_graph(), "ReduceMax", {"attention_mask"}, {"n"});
  add_node(mask.mutable_graph(), "ConstantOfShape", {"n"}, {"y"});
  EXPECT_EQ(use_of(mask, "attention_mask").decides, "");
}

// The largest index and one is the number of nodes of a graph: such indices need no one to give them.
TEST(InputUses, TellASizeThatIsTheLargestIndex) {
  onnx::ModelProto model = with_ids();
  onnx::GraphProto* graph = model.mutable_graph();
  add_node(graph, "Gather", {"table", "ids"}, {"y"});
  add_node(graph, "ReduceMax", {"ids"}, {"n"});
  add_node(graph, "ConstantOfShape", {"n"}, {"z"});
  const InputUse use = use_of(model);
  EXPECT_TRUE(use.decides_reduced);
  expect_range(use, 0, 99);
}

}  // namespace
}  // namespace aaco
