// SPDX-License-Identifier: MIT
#include "model/graph/onnx_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "model/graph/model_making.h"

namespace aaco {
namespace {

using testing::add_body;
using testing::add_initialiser;
using testing::add_node;
using testing::declare;
using ::testing::ElementsAre;
using testing::empty_model;
using testing::graph_of;
using testing::set_integer;
using testing::set_integers;

constexpr int kInt64 = onnx::TensorProto::INT64;

// x[d0,4] . w[4,3] + b[3] -> relu
onnx::ModelProto linear_model() {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {-1, 4});
  declare(graph->add_input(), "w", {4, 3});
  declare(graph->add_output(), "y", {-1, 3});
  add_initialiser(graph, "w", {4, 3});
  add_initialiser(graph, "b", {3});
  add_node(graph, "Gemm", {"x", "w", "b"}, {"h"}, "linear");
  add_node(graph, "Relu", {"h"}, {"y"}, "activation");
  return model;
}

std::vector<std::string> edge_texts(const ModelGraph& graph) {
  std::vector<std::string> texts;
  texts.reserve(graph.edges.size());
  for (const GraphEdgeRow& edge : graph.edges) {
    texts.push_back(std::to_string(edge.src_node_id) + "-" + edge.tensor_name + "->" +
                    std::to_string(edge.dst_node_id));
  }
  return texts;
}

TEST(OnnxGraph, ReadsAModel) {
  const auto graph = graph_of(linear_model());
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  EXPECT_EQ(graph->ir_version, 10);
  EXPECT_EQ(graph->opsets.at("ai.onnx"), 20);
  EXPECT_EQ(graph->producer, "test");
  EXPECT_EQ(graph->parameters, 4 * 3 + 3);
  EXPECT_EQ(graph->parameter_bytes, 4 * (4 * 3 + 3));
  ASSERT_EQ(graph->inputs.size(), 1U);  // w is an initialiser
  EXPECT_EQ(graph->inputs[0].name, "x");
  EXPECT_EQ(graph->inputs[0].dtype, "float32");
  EXPECT_THAT(graph->inputs[0].dims, ElementsAre(-1, 4));
  EXPECT_THAT(graph->inputs[0].dim_names, ElementsAre("d0", ""));
  ASSERT_EQ(graph->nodes.size(), 2U);
  EXPECT_EQ(graph->nodes[0].inputs, R"(["x","w","b"])");
  EXPECT_EQ(graph->nodes[0].input_shapes, "[?,4];[4,3];[3]");
  EXPECT_EQ(graph->nodes[0].output_shapes, "[?,3]");
  EXPECT_EQ(graph->nodes[0].dtype, "float32");
  EXPECT_FALSE(graph->nodes[0].flops.has_value());  // the batch is not known
  EXPECT_FALSE(graph->nodes[0].bytes.has_value());
  EXPECT_THAT(edge_texts(*graph), ElementsAre("0-h->1"));
  EXPECT_EQ(graph->edges[0].tensor_shape, "[?,3]");
}

// The bound input gives the batch: 2 x 5 x 4 x 3 + 5 x 3 = 135 FLOP; (5 x 4 + 4 x 3 + 3 + 5 x 3) x 4 = 200 bytes.
TEST(OnnxGraph, KnownInputGivesCosts) {
  const auto graph = graph_of(linear_model(), {{"x", {{5, 4}, "float32"}}});
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->nodes[0].flops, 135);
  EXPECT_EQ(graph->nodes[0].bytes, 200);
  EXPECT_EQ(graph->nodes[1].flops, 15);
  EXPECT_EQ(graph->edges[0].tensor_shape, "[5,3]");
}

// The runtime's word counts most; what the file says about an initialiser stays.
TEST(OnnxGraph, RuntimeShapesReplaceInferredOnes) {
  const auto graph = graph_of(linear_model(), {{"x", {{5, 4}, "float32"}}, {"h", {{7, 3}, ""}}, {"w", {{9, 9}, ""}}});
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->nodes[0].output_shapes, "[7,3]");
  EXPECT_EQ(graph->nodes[0].input_shapes, "[5,4];[4,3];[3]");
  EXPECT_EQ(graph->nodes[0].dtype, "float32");
}

TEST(OnnxGraph, SymbolsOfInputsResolveDeclarations) {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {-1, 4});
  declare(graph->add_value_info(), "h", {-1, 8});
  add_node(graph, "Mystery", {"x"}, {"h"});
  add_node(graph, "Relu", {"h"}, {"y"});
  const auto rows = graph_of(model, {{"x", {{6, 4}, "float32"}}});
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->nodes[0].output_shapes, "[6,8]");
  EXPECT_FALSE(rows->nodes[0].flops.has_value());
  EXPECT_EQ(rows->nodes[1].flops, 48);
  const GraphFlops total = total_flops(*rows);
  EXPECT_EQ(total.flops, 48);
  EXPECT_EQ(total.nodes_covered, 1);
  EXPECT_EQ(total.nodes, 2);
}

// Two inputs that give one symbol two values leave it unknown.
TEST(OnnxGraph, AmbiguousSymbolStaysUnknown) {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {-1});
  declare(graph->add_input(), "z", {-1});
  declare(graph->add_value_info(), "h", {-1});
  add_node(graph, "Mystery", {"x", "z"}, {"h"});
  const auto rows = graph_of(model, {{"x", {{6}, "float32"}}, {"z", {{7}, "float32"}}});
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->nodes[0].output_shapes, "[?]");
}

TEST(OnnxGraph, ConstantsAreNotExecuted) {
  onnx::ModelProto model = linear_model();
  auto* constant = add_node(model.mutable_graph(), "Constant", {}, {"c"});
  set_integer(constant, "value_int", 3);
  const auto graph = graph_of(model);
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->nodes.size(), 3U);
  EXPECT_EQ(graph->nodes[2].executes, 0);
  EXPECT_EQ(graph->nodes[2].dtype, "int64");
  EXPECT_EQ(executed_nodes(*graph), 2);
  EXPECT_EQ(graph->op_counts.at("Constant"), 1);
}

// The reader keeps 1,024 values of a list; the length of a longer one is not known, and not zero.
TEST(OnnxGraph, ListsThatAreTooLongHaveNoKnownLength) {
  const auto shape_of = [](const char* attribute, size_t count) {
    onnx::ModelProto model = empty_model();
    auto* list = add_node(model.mutable_graph(), "Constant", {}, {"c"})->add_attribute();
    list->set_name(attribute);
    if (std::string(attribute) == "value_ints") {
      list->set_type(onnx::AttributeProto::INTS);
      list->mutable_ints()->Resize(static_cast<int>(count), 1);
    } else {
      list->set_type(onnx::AttributeProto::FLOATS);
      list->mutable_floats()->Resize(static_cast<int>(count), 1);
    }
    add_node(model.mutable_graph(), "Exp", {"c"}, {"y"});
    return graph_of(model)->nodes[1].output_shapes;
  };
  for (const char* attribute : {"value_ints", "value_floats"}) {
    EXPECT_EQ(shape_of(attribute, 1024), "[1024]") << attribute;
    EXPECT_EQ(shape_of(attribute, 1025), "[?]") << attribute;
    EXPECT_EQ(shape_of(attribute, 5000), "[?]") << attribute;
  }
}

// Mod folds to the sign of the divisor; with fmod = 1 it would be that of the dividend.
TEST(OnnxGraph, FoldsModWithoutFmod) {
  for (const int64_t fmod : {0, 1}) {
    onnx::ModelProto model = empty_model();
    auto* graph = model.mutable_graph();
    declare(graph->add_input(), "x", {2});
    add_initialiser(graph, "a", {1}, kInt64, {-3});
    add_initialiser(graph, "b", {1}, kInt64, {2});
    set_integer(add_node(graph, "Mod", {"a", "b"}, {"m"}), "fmod", fmod);
    add_node(graph, "ConstantOfShape", {"m"}, {"y"});
    EXPECT_EQ(graph_of(model)->nodes[1].output_shapes, fmod == 0 ? "[1]" : "[?]");
  }
}

// The runtime multiplies in float32: 3 x 5/3 is 5 there, and a little under 5 exactly.
TEST(OnnxGraph, ResizesByScales) {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {1, 2, 3, 9});
  auto* scales = add_initialiser(graph, "s", {4});
  for (const float scale : {1.0F, 2.5F, 5.0F / 3, 0.5F}) {
    scales->add_float_data(scale);
  }
  add_node(graph, "Resize", {"x", "", "s"}, {"y"});
  EXPECT_EQ(graph_of(model)->nodes[0].output_shapes, "[1,5,?,4]");
}

TEST(OnnxGraph, ParameterBytesOfAnUnknownTypeAreUnknown) {
  onnx::ModelProto model = linear_model();
  add_initialiser(model.mutable_graph(), "words", {5}, onnx::TensorProto::STRING);
  EXPECT_EQ(graph_of(model)->parameter_bytes, 60);
  add_initialiser(model.mutable_graph(), "new", {5}, 99);
  add_initialiser(model.mutable_graph(), "more", {5});
  const auto graph = graph_of(model);
  EXPECT_EQ(graph->parameters, 25 + 5);
  EXPECT_EQ(graph->parameter_bytes, std::nullopt);
  EXPECT_TRUE(model_meta_json(*graph)["parameter_bytes"].is_null());
}

// An LSTM's activations are a list of strings.
TEST(OnnxGraph, OtherActivationsHaveNoCount) {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {5, 2, 3});
  add_initialiser(graph, "w", {1, 4, 3});
  add_initialiser(graph, "r", {1, 4, 4});
  auto* activations = add_node(graph, "RNN", {"x", "w", "r"}, {"y"})->add_attribute();
  activations->set_name("activations");
  activations->set_type(onnx::AttributeProto::STRINGS);
  activations->add_strings("Tanh");
  EXPECT_EQ(graph_of(model)->nodes[0].flops, 40 * (2 * 7 + 2));
  activations->set_strings(0, "Affine");
  EXPECT_EQ(graph_of(model)->nodes[0].flops, std::nullopt);
}

// The chain with which BERT exports make a shape: Shape -> Gather -> Unsqueeze -> Concat -> Reshape.
TEST(OnnxGraph, FoldsShapeArithmetic) {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {-1, -1, 768});
  add_initialiser(graph, "zero", {}, kInt64, {0});
  add_initialiser(graph, "axis", {1}, kInt64, {0});
  add_initialiser(graph, "rest", {3}, kInt64, {-1, 12, 64});
  add_node(graph, "Shape", {"x"}, {"s"});
  add_node(graph, "Gather", {"s", "zero"}, {"batch"});
  add_node(graph, "Unsqueeze", {"batch", "axis"}, {"batch1"});
  set_integer(add_node(graph, "Concat", {"batch1", "rest"}, {"shape"}), "axis", 0);
  add_node(graph, "Reshape", {"x", "shape"}, {"heads"});
  set_integers(add_node(graph, "Transpose", {"heads"}, {"q"}), "perm", {0, 2, 1, 3});
  const auto rows = graph_of(model, {{"x", {{2, 128, 768}, "float32"}}});
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->nodes[4].output_shapes, "[2,128,12,64]");
  EXPECT_EQ(rows->nodes[5].output_shapes, "[2,12,128,64]");
  EXPECT_EQ(rows->nodes[4].bytes, 0);  // a view
}

onnx::ModelProto branching_model() {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {8});
  declare(graph->add_input(), "condition", {}, onnx::TensorProto::BOOL);
  add_node(graph, "Exp", {"x"}, {"e"}, "exp");
  auto* branch = add_node(graph, "If", {"condition"}, {"y"}, "branch");
  for (const char* side : {"then_branch", "else_branch"}) {
    auto* body = add_body(branch, side);
    add_node(body, side[0] == 't' ? "Neg" : "Abs", {"e"}, {std::string(side) + "_y"});
    body->add_output()->set_name(std::string(side) + "_y");
  }
  add_node(graph, "Relu", {"y"}, {"z"}, "relu");
  return model;
}

// Rows: 0 exp, 1 branch, 2 neg, 3 abs, 4 relu. Both bodies capture e.
TEST(OnnxGraph, BodiesAndCapturedTensors) {
  const auto graph = graph_of(branching_model());
  ASSERT_TRUE(graph.has_value());
  ASSERT_EQ(graph->nodes.size(), 5U);
  EXPECT_EQ(graph->nodes[1].scope, "");
  EXPECT_EQ(graph->nodes[2].scope, "branch.then_branch");
  EXPECT_EQ(graph->nodes[3].scope, "branch.else_branch");
  EXPECT_EQ(graph->nodes[2].output_shapes, "[8]");
  EXPECT_EQ(graph->nodes[2].flops, 8);
  EXPECT_EQ(graph->nodes[4].output_shapes, "[8]");  // both branches agree
  EXPECT_EQ(executed_nodes(*graph), 5);
  EXPECT_THAT(edge_texts(*graph), ElementsAre("0-e->1", "0-e->2", "0-e->3", "1-y->4"));
  // exp and relu; the control-flow node and its bodies are not covered.
  EXPECT_EQ(total_flops(*graph).flops, 16);
  EXPECT_EQ(total_flops(*graph).nodes_covered, 2);
  EXPECT_EQ(total_flops(*graph).nodes, 5);
}

TEST(OnnxGraph, BranchesThatDisagreeAreUnknown) {
  onnx::ModelProto model = branching_model();
  auto* body = model.mutable_graph()->mutable_node(1)->mutable_attribute(1)->mutable_g();
  body->mutable_node(0)->set_op_type("ReduceSum");
  const auto graph = graph_of(model);
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->nodes[4].output_shapes, "?");
}

// Both bodies of the model call their tensor h, and the runtime saw one of them.
TEST(OnnxGraph, RuntimeShapesOfANameInTwoBodiesAreNotUsed) {
  onnx::ModelProto model = empty_model();
  auto* branch = add_node(model.mutable_graph(), "If", {"condition"}, {"y"}, "branch");
  for (const char* side : {"then_branch", "else_branch"}) {
    auto* body = add_body(branch, side);
    add_node(body, "Mystery", {}, {"h"});
    add_node(body, "Mystery", {}, {std::string(side) + "_z"});
  }
  const auto graph = graph_of(model, {{"h", {{7}, ""}}, {"then_branch_z", {{7}, ""}}});
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->nodes[1].output_shapes, "?");
  EXPECT_EQ(graph->nodes[3].output_shapes, "?");
  EXPECT_EQ(graph->nodes[2].output_shapes, "[7]");
}

// A body's own input comes from its control-flow node; its trip count is not in the file.
TEST(OnnxGraph, LoopBodyInputs) {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {8});
  auto* loop = add_node(graph, "Loop", {"", "", "x"}, {"y"});
  auto* body = add_body(loop, "body");
  for (const char* name : {"i", "go", "carried"}) {
    body->add_input()->set_name(name);
  }
  add_node(body, "Neg", {"carried"}, {"next"});
  const auto rows = graph_of(model);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->nodes[0].input_shapes, ";;[8]");
  EXPECT_EQ(rows->nodes[1].scope, "Loop_0.body");
  EXPECT_EQ(rows->nodes[1].input_shapes, "?");
  EXPECT_THAT(edge_texts(*rows), ElementsAre("0-carried->1"));
  EXPECT_FALSE(rows->nodes[0].flops.has_value());
}

// A loop of four trips around one of five, a scan over seven, and a branch on a constant.
onnx::ModelProto fixed_trips() {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {8});
  declare(graph->add_input(), "rows", {7, 8});
  add_initialiser(graph, "four", {}, onnx::TensorProto::INT64, {4});
  add_initialiser(graph, "five", {}, onnx::TensorProto::INT64, {5});
  auto* yes = add_initialiser(graph, "yes", {}, onnx::TensorProto::BOOL);
  yes->add_int32_data(1);
  const auto loop_body = [](onnx::GraphProto* body, const std::string& carried) {
    for (const std::string& name : {std::string("i_") + carried, std::string("go_") + carried, carried}) {
      declare(body->add_input(), name, {8});
    }
    body->add_output()->set_name("go_" + carried);
  };
  auto* outer = add_body(add_node(graph, "Loop", {"four", "yes", "x"}, {"y"}, "outer"), "body");
  loop_body(outer, "a");
  auto* inner = add_body(add_node(outer, "Loop", {"five", "", "a"}, {"b"}, "inner"), "body");
  loop_body(inner, "c");
  add_node(inner, "Neg", {"c"}, {"d"});
  auto* scan = add_node(graph, "Scan", {"rows"}, {"z"}, "scan");
  set_integer(scan, "num_scan_inputs", 1);
  auto* scan_body = add_body(scan, "body");
  declare(scan_body->add_input(), "row", {8});
  add_node(scan_body, "Exp", {"row"}, {"e"});
  auto* branch = add_node(graph, "If", {"yes"}, {"w"}, "if");
  for (const char* side : {"then_branch", "else_branch"}) {
    add_node(add_body(branch, side), "Abs", {"x"}, {std::string(side) + "_y"});
  }
  return model;
}

// Rows: 0 outer, 1 inner, 2 Neg, 3 scan, 4 Exp, 5 if, 6 and 7 its branches. 20 x 8, 7 x 8 and 8 FLOPs.
TEST(OnnxGraph, TripCountsThatTheFileFixes) {
  const auto graph = graph_of(fixed_trips());
  ASSERT_TRUE(graph.has_value());
  std::vector<std::optional<double>> executions;
  for (const GraphNodeRow& node : graph->nodes) {
    executions.push_back(node.executions);
  }
  EXPECT_THAT(executions, ElementsAre(1, 4, 20, 1, 7, 1, 1, 0));
  EXPECT_EQ(total_flops(*graph).flops, 20 * 8 + 7 * 8 + 8);
  EXPECT_EQ(total_flops(*graph).nodes_covered, 4);
}

// A condition that the body computes may end a loop at any time, and a trip count may be an input.
TEST(OnnxGraph, TripCountsThatTheFileLeavesOpen) {
  onnx::ModelProto computed = fixed_trips();
  auto* loop = computed.mutable_graph()->mutable_node(0);
  add_node(loop->mutable_attribute(0)->mutable_g(), "Not", {"go_a"}, {"stop"});
  loop->mutable_attribute(0)->mutable_g()->mutable_output(0)->set_name("stop");
  EXPECT_FALSE(graph_of(computed)->nodes[1].executions.has_value());
  EXPECT_FALSE(graph_of(computed)->nodes[2].executions.has_value());
  onnx::ModelProto given = fixed_trips();
  given.mutable_graph()->mutable_node(0)->set_input(0, "trips");
  EXPECT_FALSE(graph_of(given)->nodes[2].executions.has_value());
}

// Read once although it is taken twice: 8 x 4 in, 8 x 4 out.
TEST(OnnxGraph, RepeatedInputIsReadOnce) {
  onnx::ModelProto model = empty_model();
  declare(model.mutable_graph()->add_input(), "x", {8});
  add_node(model.mutable_graph(), "Mul", {"x", "x"}, {"y"});
  const auto graph = graph_of(model);
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->nodes[0].bytes, 64);
}

TEST(OnnxGraph, MetaJson) {
  const auto graph = graph_of(linear_model(), {{"x", {{5, 4}, "float32"}}});
  ASSERT_TRUE(graph.has_value());
  const Json json = model_meta_json(*graph);
  EXPECT_EQ(json["opsets"]["ai.onnx"], 20);
  EXPECT_EQ(json["inputs"][0]["shape"], Json::parse(R"(["d0", 4])"));
  EXPECT_EQ(json["parameters"], 15);
  EXPECT_EQ(json["op_counts"], Json::parse(R"({"Gemm": 1, "Relu": 1})"));
  EXPECT_EQ(json["flops"], 150.0);
  EXPECT_EQ(json["flops_nodes_covered"], 2);
  EXPECT_EQ(json["flops_nodes"], 2);
  const auto unknown = graph_of(linear_model());
  EXPECT_TRUE(model_meta_json(*unknown)["flops"].is_null());
}

TEST(OnnxGraph, FileAndBytesAgree) {
  const auto path = std::filesystem::temp_directory_path() / ("aaco_graph_" + std::to_string(getpid()) + ".onnx");
  ASSERT_TRUE(write_file_atomically(path, linear_model().SerializeAsString()).has_value());
  const auto graph = read_model_graph(path, GraphForm::kOptimized, {});
  std::filesystem::remove(path);
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  EXPECT_EQ(graph->nodes.size(), 2U);
  EXPECT_EQ(graph->nodes[0].graph, GraphForm::kOptimized);
}

// Weights in raw form are skipped: the constants that matter are not.
TEST(OnnxGraph, LargeWeightsAreSkippedAndSmallConstantsKept) {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {4, 6});
  auto* weights = add_initialiser(graph, "w", {1000, 1000});
  weights->set_raw_data(std::string(4'000'000, '\1'));
  auto* target = add_initialiser(graph, "target", {2}, kInt64);
  const int64_t kTarget[] = {8, 3};
  target->set_raw_data(kTarget, sizeof kTarget);
  add_node(graph, "Reshape", {"x", "target"}, {"y"});
  const auto rows = graph_of(model);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->parameters, 1'000'002);
  EXPECT_EQ(rows->parameter_bytes, 4'000'016);
  EXPECT_EQ(rows->nodes[0].output_shapes, "[8,3]");
}

TEST(OnnxGraph, NamesThatAreNotTextAreReplaced) {
  onnx::ModelProto model = empty_model();
  add_node(model.mutable_graph(), "Relu", {"a\xFF"}, {"\xC3\xA9\"q\""}, "n\xED\xA0\x80");
  const auto graph = graph_of(model);
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->nodes[0].inputs, "[\"a\xEF\xBF\xBD\"]");
  EXPECT_EQ(graph->nodes[0].outputs, "[\"\xC3\xA9\\\"q\\\"\"]");
  EXPECT_EQ(graph->nodes[0].name, "n\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace aaco
