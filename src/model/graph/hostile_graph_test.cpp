// SPDX-License-Identifier: MIT
// Damaged and malicious files: an error with the right exit code, or rows with unknowns; never a crash, a hang or a
// flood.
#include <functional>
#include <gmock/gmock.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <unistd.h>

#include "base/files/file.h"
#include "model/graph/model_making.h"

namespace aaco {
namespace {

using testing::add_body;
using testing::add_initialiser;
using testing::add_node;
using testing::declare;
using testing::empty_model;
using testing::graph_of;
using ::testing::HasSubstr;
using testing::set_integer;
using testing::set_integers;

constexpr int kInt64 = onnx::TensorProto::INT64;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

Result<ModelGraph> read_bytes(const std::string& bytes) {
  return read_model_graph_bytes(bytes, "hostile.onnx", GraphForm::kOriginal, {});
}

void expect_refused(const Result<ModelGraph>& graph, const std::string& reason) {
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(graph.error().message, HasSubstr(reason));
  EXPECT_FALSE(graph.error().hint.empty());
}

// A length-delimited protobuf field, made by hand.
std::string field(unsigned number, const std::string& content) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.WriteTag((number << 3U) | 2U);
  out.WriteVarint32(static_cast<uint32_t>(content.size()));
  out.WriteString(content);
  out.Trim();
  return bytes;
}

// A model with a bit of everything that is read.
onnx::ModelProto varied_model() {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {1, 3, 8, 8});
  add_initialiser(graph, "w", {4, 3, 3, 3});
  add_initialiser(graph, "target", {2}, kInt64, {1, -1});
  auto* convolution = add_node(graph, "Conv", {"x", "w"}, {"c"}, "conv");
  set_integers(convolution, "pads", {1, 1, 1, 1});
  set_integers(convolution, "strides", {2, 2});
  add_node(graph, "Shape", {"c"}, {"s"});
  set_integer(add_node(graph, "Concat", {"s", "target"}, {"t"}), "axis", 0);
  add_node(graph, "Reshape", {"c", "target"}, {"r"});
  auto* branch = add_node(graph, "If", {"r"}, {"y"});
  add_node(add_body(branch, "then_branch"), "Neg", {"r"}, {"n"});
  declare(graph->add_output(), "y", {-1, 3});
  return model;
}

TEST(HostileGraph, FilesThatAreNoModel) {
  expect_refused(read_bytes(""), "it is empty");
  expect_refused(read_bytes("this is not a model"), "damaged or truncated");
  expect_refused(read_bytes(std::string("\x08\x0A", 2)), "no graph");
  expect_refused(read_model_graph("no_such_file.onnx", GraphForm::kOriginal, {}), "no_such_file.onnx");
  expect_refused(read_model_graph(std::filesystem::temp_directory_path(), GraphForm::kOriginal, {}), "not a file");
}

// Every proper prefix is refused, or ends between two fields and is a smaller model.
TEST(HostileGraph, EveryTruncation) {
  onnx::ModelProto model = varied_model();
  const std::string graph = model.graph().SerializeAsString();
  // The graph as the last field, so that a cut is always inside it.
  model.clear_graph();
  const size_t head = model.SerializeAsString().size();
  const std::string bytes = model.SerializeAsString() + field(7, graph);
  ASSERT_TRUE(read_bytes(bytes).has_value());
  for (size_t length = head + 1; length < bytes.size(); ++length) {
    EXPECT_FALSE(read_bytes(bytes.substr(0, length)).has_value()) << length;
  }
}

// A cut inside weights that are skipped, not read, is noticed in a file too.
TEST(HostileGraph, TruncatedWeightsInAFile) {
  onnx::ModelProto model = empty_model();
  add_initialiser(model.mutable_graph(), "w", {1000, 1000})->set_raw_data(std::string(4'000'000, '\1'));
  const std::string bytes = model.SerializeAsString();
  const auto path = std::filesystem::temp_directory_path() / ("aaco_cut_" + std::to_string(getpid()) + ".onnx");
  ASSERT_TRUE(write_file_atomically(path, std::string_view(bytes).substr(0, 3'000'000)).has_value());
  expect_refused(read_model_graph(path, GraphForm::kOriginal, {}), "damaged or truncated");
  std::filesystem::remove(path);
}

TEST(HostileGraph, RandomDamageNeverCrashes) {
  const std::string bytes = varied_model().SerializeAsString();
  std::mt19937 random(1);
  int readable = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = bytes;
    for (unsigned hit = random() % 4; hit < 4; ++hit) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    readable += read_bytes(damaged).has_value() ? 1 : 0;
  }
  EXPECT_GT(readable, 100);     // damage to names and numbers leaves a model
  EXPECT_LT(readable, 19'900);  // damage to lengths does not
}

TEST(HostileGraph, DimensionsBeyondSense) {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {kMost, kMost, kMost});
  graph->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_value(-7);
  add_node(graph, "Relu", {"x"}, {"y"});
  add_node(graph, "Flatten", {"y"}, {"f"});
  const auto rows = graph_of(model);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->nodes[0].output_shapes, "[?,?,?]");
  EXPECT_FALSE(rows->nodes[0].flops.has_value());
  EXPECT_FALSE(rows->nodes[0].bytes.has_value());
}

TEST(HostileGraph, InitialisersBeyondSense) {
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{-1}, {kMost, 2}, {int64_t{1} << 32, int64_t{1} << 32}}) {
    onnx::ModelProto model = empty_model();
    add_initialiser(model.mutable_graph(), "w", dims);
    expect_refused(graph_of(model), "initialiser 'w'");
  }
  onnx::ModelProto sum = empty_model();
  for (int i = 0; i < 3; ++i) {
    add_initialiser(sum.mutable_graph(), "w", {kMost / 2});
  }
  expect_refused(graph_of(sum), "initialiser 'w'");
}

TEST(HostileGraph, AttributesBeyondSense) {
  const std::vector<int64_t> kValues = {kLeast, kLeast + 1, -1, 0, 1, kMost - 1, kMost};
  for (const char* op : {"Conv",      "ConvTranspose",
                         "MaxPool",   "AveragePool",
                         "Split",     "Concat",
                         "Gather",    "Flatten",
                         "Transpose", "Softmax",
                         "ReduceSum", "Slice",
                         "TopK",      "DepthToSpace",
                         "Squeeze",   "Unsqueeze",
                         "OneHot",    "GatherND",
                         "Shape",     "Attention",
                         "Pad",       "LayerNormalization",
                         "Resize",    "LSTM"}) {
    for (const int64_t value : kValues) {
      onnx::ModelProto model = empty_model();
      auto* graph = model.mutable_graph();
      declare(graph->add_input(), "x", {2, 4, 8, 8});
      add_initialiser(graph, "w", {4, 4, 3, 3});
      add_initialiser(graph, "v", {4}, kInt64, {value, value, value, value});
      auto* node = add_node(graph, op, {"x", "w", "v", "v", "v"}, {"y", "z"});
      auto* other = add_node(graph, op, {"x", "v", "v", "v", "v"}, {"y2", "z2"});
      for (const char* name :
           {"axis", "group", "blocksize", "batch_dims", "start", "end", "k", "num_heads", "keepdims"}) {
        set_integer(node, name, value);
        set_integer(other, name, value);
      }
      for (const char* name : {"strides", "dilations", "kernel_shape", "output_padding"}) {
        set_integers(node, name, {value, value});
      }
      for (const char* name : {"pads", "axes", "perm", "split", "starts", "ends", "output_shape"}) {
        set_integers(node, name, {value, value, value, value});
      }
      EXPECT_TRUE(graph_of(model).has_value()) << op << " " << value;
    }
  }
}

TEST(HostileGraph, FoldedArithmeticBeyondSense) {
  const std::vector<int64_t> kValues = {kLeast, -1, 0, 1, kMost};
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Mod", "Range", "Slice", "Reshape", "Expand", "Tile",
                         "ConstantOfShape", "ReduceProd", "ReduceSum", "Gather", "Unsqueeze", "TopK", "OneHot"}) {
    for (const int64_t a : kValues) {
      for (const int64_t b : kValues) {
        onnx::ModelProto model = empty_model();
        auto* graph = model.mutable_graph();
        add_initialiser(graph, "a", {1}, kInt64, {a});
        add_initialiser(graph, "b", {1}, kInt64, {b});
        add_initialiser(graph, "ab", {2}, kInt64, {a, b});
        add_node(graph, op, {"a", "b"}, {"y"});
        add_node(graph, op, {"ab"}, {"u"});
        add_node(graph, op, {"ab", "a", "b", "a", "b"}, {"z"});
        add_node(graph, op, {"a", "b", "a"}, {"r"});
        EXPECT_TRUE(graph_of(model).has_value()) << op << " " << a << " " << b;
      }
    }
  }
}

TEST(HostileGraph, CyclesDuplicatesAndMissingNames) {
  onnx::ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  add_node(graph, "Add", {"b", "a"}, {"a"});
  add_node(graph, "Relu", {"a"}, {"b"});
  add_node(graph, "Relu", {"nowhere"}, {"b"});
  add_node(graph, "", {}, {});
  add_node(graph, "Relu", {""}, {""});
  graph->add_node();
  const auto rows = graph_of(model);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->nodes.size(), 6U);
  EXPECT_EQ(rows->nodes[0].output_shapes, "?");
}

// Bodies inside bodies: 25 deep is read, 2,000 deep is refused. Spliced by hand, because protobuf's own recursion would
// end the test before the reader's does.
TEST(HostileGraph, NestedBodies) {
  const auto nested = [](int depth) {
    std::string graph;
    for (int i = 0; i < depth; ++i) {
      graph = field(1, field(4, "If") + field(2, "y") + field(5, field(1, "then_branch") + field(6, graph)));
    }
    return field(7, graph);
  };
  const auto shallow = read_bytes(nested(25));
  ASSERT_TRUE(shallow.has_value()) << shallow.error().message;
  EXPECT_EQ(shallow->nodes.size(), 25U);
  expect_refused(read_bytes(nested(2000)), "nested too deeply");
}

// A few bytes a node: refused before the memory of millions of rows is taken.
TEST(HostileGraph, TooManyNodes) {
  std::string graph;
  for (int i = 0; i < 600'000; ++i) {
    graph += std::string("\x0A\x00", 2);
  }
  expect_refused(read_bytes(field(7, graph)), "more than 500,000 nodes");
}

// A megabyte of name above ten thousand nodes would be ten gigabytes of paths.
TEST(HostileGraph, LongNamesAreCutInPaths) {
  onnx::ModelProto model = empty_model();
  auto* loop = add_node(model.mutable_graph(), "Loop", {}, {}, std::string(1'000'000, 'n'));
  auto* body = add_body(loop, "body");
  for (int i = 0; i < 10'000; ++i) {
    add_node(body, "Neg", {"x"}, {"y"});
  }
  const auto rows = graph_of(model);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->nodes[10'000].scope, std::string(395, 'n') + ".body");
}

// Bodies in bodies: `inner` in the 29th. Their names may be long, and of bytes that are no text.
onnx::ModelProto nested_ifs(const std::string& name, const std::function<void(onnx::GraphProto*)>& inner) {
  onnx::ModelProto model = empty_model();
  onnx::GraphProto* graph = model.mutable_graph();
  for (int level = 0; level < 29; ++level) {
    graph = add_body(add_node(graph, "If", {}, {}, name), "then_branch");
  }
  inner(graph);
  return model;
}

TEST(HostileGraph, DeepPathsAreCutAtACharacter) {
  const auto rows = graph_of(nested_ifs(std::string(200, '\xFF'), [](auto* body) { add_node(body, "Neg", {}, {}); }));
  ASSERT_TRUE(rows.has_value());
  const std::string& scope = rows->nodes.back().scope;
  EXPECT_LE(scope.size(), 400U);
  EXPECT_GT(scope.size(), 396U);
  EXPECT_TRUE(scope.starts_with("\xEF\xBF\xBD")) << scope;
}

// Two hundred bytes of shape, repeated in each row and edge of a tensor that costs three bytes in the file.
TEST(HostileGraph, RowsThatRepeatTooMuchAreRefused) {
  const testing::Names names = {"a", "b", "c", "d", "e", "f", "g"};
  const auto consumed = [&](int times) {
    onnx::ModelProto model = empty_model();
    for (const std::string& name : names) {
      declare(model.mutable_graph()->add_value_info(), name, std::vector<int64_t>(16, int64_t{1} << 39));
    }
    add_node(model.mutable_graph(), "Mystery", {}, names);
    for (int i = 0; i < times; ++i) {
      add_node(model.mutable_graph(), "Mystery", names, {});
    }
    return graph_of(model);
  };
  EXPECT_TRUE(consumed(1'000).has_value());
  expect_refused(consumed(130'000), "more than 512 MiB");
}

// 8 KB each, computed anew seventy thousand times; handed on they are one.
TEST(HostileGraph, ConstantsThatAreComputedTooOftenAreRefused) {
  onnx::ModelProto model = empty_model();
  add_initialiser(model.mutable_graph(), "c", {1000}, kInt64, std::vector<int64_t>(1000, 1));
  for (int i = 0; i < 70'000; ++i) {
    add_node(model.mutable_graph(), "Identity", {"c"}, {"y" + std::to_string(i)});
  }
  EXPECT_TRUE(graph_of(model).has_value());
  for (auto& node : *model.mutable_graph()->mutable_node()) {
    node.set_op_type("Add");
    node.add_input("c");
  }
  expect_refused(graph_of(model), "more than 512 MiB");
}

TEST(HostileGraph, LongTypesAreUnknown) {
  onnx::ModelProto model = empty_model();
  const auto declare_nested = [&](const char* name, int depth) {
    auto* value = model.mutable_graph()->add_input();
    value->set_name(name);
    auto* type = value->mutable_type();
    for (int i = 0; i < depth; ++i) {
      type = type->mutable_sequence_type()->mutable_elem_type();
    }
    type->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  };
  declare_nested("flat", 2);
  declare_nested("deep", 20);
  const auto rows = graph_of(model);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->inputs[0].dtype, "sequence(sequence(float32))");
  EXPECT_EQ(rows->inputs[1].dtype, "");
}

TEST(HostileGraph, LongShapesAreUnknown) {
  onnx::ModelProto model = empty_model();
  declare(model.mutable_graph()->add_input(), "x", std::vector<int64_t>(40, 1));
  add_node(model.mutable_graph(), "Relu", {"x"}, {"y"});
  const auto rows = graph_of(model);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->nodes[0].output_shapes, "?");
}

}  // namespace
}  // namespace aaco
