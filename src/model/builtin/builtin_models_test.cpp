// SPDX-License-Identifier: MIT
// What the graphs of the built-in models hold, looked at through onnx.proto alone.
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/files/file.h"
#include "model/builtin/builtin.h"
#include "model/builtin/onnx_writer.h"

namespace aaco {
namespace {

using Parameters = std::map<std::string, int64_t>;

std::unique_ptr<OnnxWriter> built(const std::string& name, ElementType type, const Parameters& given = {}) {
  const BuiltinModel* model = find_builtin_model(name);
  Parameters parameters = given;
  for (const BuiltinParameter& parameter : model->parameters) {
    parameters.try_emplace(parameter.name, parameter.standard);
  }
  auto writer = std::make_unique<OnnxWriter>(name, type, 42);
  const Result<void> result = model->build(parameters, *writer);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return writer;
}

// Small where the model has sizes: what holds for the small graph holds for the large.
Parameters small(const std::string& name) {
  if (name == "tiny-llama") {
    return {{"layers", 2}, {"hidden", 64}, {"heads", 4}, {"kv_heads", 2}, {"vocabulary", 50}};
  }
  if (name == "gemm") {
    return {{"m", 5}, {"n", 7}, {"k", 11}, {"count", 3}};
  }
  return {};
}

std::map<std::string, int> op_counts(const onnx::GraphProto& graph) {
  std::map<std::string, int> counts;
  for (const onnx::NodeProto& node : graph.node()) {
    ++counts[node.op_type()];
  }
  return counts;
}

std::string port(const onnx::ValueInfoProto& info) {
  std::string text = info.name() + " " + std::to_string(info.type().tensor_type().elem_type());
  for (const auto& dim : info.type().tensor_type().shape().dim()) {
    text += " " + (dim.has_dim_param() ? dim.dim_param() : std::to_string(dim.dim_value()));
  }
  return text;
}

std::vector<std::string> ports(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& infos) {
  std::vector<std::string> texts;
  for (const auto& info : infos) {
    texts.push_back(port(info));
  }
  return texts;
}

std::vector<int64_t> ints(const onnx::NodeProto& node, const std::string& attribute) {
  for (const auto& candidate : node.attribute()) {
    if (candidate.name() == attribute) {
      return {candidate.ints().begin(), candidate.ints().end()};
    }
  }
  return {};
}

std::string data_of(const onnx::GraphProto& graph, const std::string& initializer) {
  for (const auto& tensor : graph.initializer()) {
    if (tensor.name() == initializer) {
      return tensor.raw_data();
    }
  }
  return "no such initializer";
}

class EachModel : public testing::TestWithParam<std::tuple<std::string, ElementType>> {};

// Every name is written once and before it is read, no initializer is idle, every output exists.
TEST_P(EachModel, IsAWellFormedGraph) {
  const auto& [name, type] = GetParam();
  const auto writer = built(name, type, small(name));
  const onnx::ModelProto& model = writer->model();
  EXPECT_EQ(model.ir_version(), 8);
  ASSERT_EQ(model.opset_import_size(), 1);
  EXPECT_EQ(model.opset_import(0).version(), 17);
  std::set<std::string> known;
  std::set<std::string> idle;
  for (const auto& input : model.graph().input()) {
    EXPECT_TRUE(known.insert(input.name()).second) << input.name();
  }
  for (const auto& tensor : model.graph().initializer()) {
    EXPECT_TRUE(known.insert(tensor.name()).second) << tensor.name();
    idle.insert(tensor.name());
    const std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
    EXPECT_EQ(static_cast<int64_t>(tensor.raw_data().size()),
              storage_bytes(static_cast<ElementType>(tensor.data_type()), dims))
        << tensor.name();
  }
  std::set<std::string> paths;
  for (const auto& node : model.graph().node()) {
    EXPECT_TRUE(paths.insert(node.name()).second) << node.name();
    for (const std::string& input : node.input()) {
      EXPECT_TRUE(known.contains(input)) << node.name() << " reads " << input;
      idle.erase(input);
    }
    for (const std::string& output : node.output()) {
      EXPECT_TRUE(known.insert(output).second) << output;
    }
  }
  EXPECT_TRUE(idle.empty()) << *idle.begin();
  for (const auto& output : model.graph().output()) {
    EXPECT_TRUE(known.contains(output.name())) << output.name();
  }
  for (const auto& value : model.graph().value_info()) {
    EXPECT_TRUE(known.contains(value.name())) << value.name();
  }
}

INSTANTIATE_TEST_SUITE_P(BuiltinModels, EachModel,
                         testing::Combine(testing::Values("resnet50", "bert-base", "tiny-llama", "chain-tiny",
                                                          "elementwise", "gemm"),
                                          testing::Values(ElementType::kFloat, ElementType::kFloat16)));

TEST(BuiltinModels, AreAllCoveredByTheTestOfEachModel) { EXPECT_EQ(all_builtin_models().size(), 6U); }

TEST(Resnet50, HasTheExportersOperatorsAndTheFoldedParameterCount) {
  const auto writer = built("resnet50", ElementType::kFloat16);
  const onnx::GraphProto& graph = writer->model().graph();
  const std::map<std::string, int> expected{
      {"Conv", 53}, {"Relu", 49}, {"MaxPool", 1}, {"Add", 16}, {"GlobalAveragePool", 1}, {"Flatten", 1}, {"Gemm", 1}};
  EXPECT_EQ(op_counts(graph), expected);
  EXPECT_EQ(ports(graph.input()), std::vector<std::string>{"input 10 batch 3 224 224"});
  EXPECT_EQ(ports(graph.output()), std::vector<std::string>{"output 10 batch 1000"});

  // torchvision's 25,557,032 hold two numbers per channel of each batch normalisation; folded they are one bias:
  // 25,557,032 - 26,560 channels.
  int64_t channels = 64;
  int64_t in = 64;
  const int64_t blocks[] = {3, 4, 6, 3};
  int64_t weights = int64_t{64} * 3 * 7 * 7;
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t width = int64_t{64} << stage;
    const int64_t out = 4 * width;
    weights += in * out;
    channels += out;
    for (int64_t block = 0; block < blocks[stage]; ++block) {
      weights += in * width + width * width * 9 + width * out;
      channels += 2 * width + out;
      in = out;
    }
  }
  EXPECT_EQ(channels, 26'560);
  EXPECT_EQ(writer->parameter_count(), weights + channels + int64_t{2048} * 1000 + 1000);
  EXPECT_EQ(writer->parameter_count(), 25'557'032 - 26'560);
}

TEST(Resnet50, StridesInTheThreeByThreeConvolution) {
  const auto writer = built("resnet50", ElementType::kFloat16);
  std::map<std::string, std::vector<int64_t>> strided;
  for (const auto& node : writer->model().graph().node()) {
    if (node.op_type() == "Conv" && ints(node, "strides") != std::vector<int64_t>{1, 1}) {
      strided[node.name()] = ints(node, "kernel_shape");
    }
  }
  const std::map<std::string, std::vector<int64_t>> expected{
      {"/conv1/Conv", {7, 7}},
      {"/layer2/layer2.0/conv2/Conv", {3, 3}},
      {"/layer3/layer3.0/conv2/Conv", {3, 3}},
      {"/layer4/layer4.0/conv2/Conv", {3, 3}},
      {"/layer2/layer2.0/downsample/downsample.0/Conv", {1, 1}},
      {"/layer3/layer3.0/downsample/downsample.0/Conv", {1, 1}},
      {"/layer4/layer4.0/downsample/downsample.0/Conv", {1, 1}},
  };
  EXPECT_EQ(strided, expected);
}

TEST(BertBase, HasItsPortsAndParameterCount) {
  const auto writer = built("bert-base", ElementType::kFloat16);
  const onnx::GraphProto& graph = writer->model().graph();
  const std::vector<std::string> inputs{"input_ids 7 batch sequence", "attention_mask 7 batch sequence"};
  const std::vector<std::string> outputs{"last_hidden_state 10 batch sequence 768", "pooler_output 10 batch 768"};
  EXPECT_EQ(ports(graph.input()), inputs);
  EXPECT_EQ(ports(graph.output()), outputs);
  const auto counts = op_counts(graph);
  EXPECT_EQ(counts.at("MatMul"), 12 * 8);  // query, key, value, scores, context, output, and two feed-forward
  EXPECT_EQ(counts.at("LayerNormalization"), 25);
  EXPECT_EQ(counts.at("Softmax"), 12);
  EXPECT_EQ(counts.at("Erf"), 12);
  const int64_t d = 768;
  const int64_t embeddings = (30522 + 512 + 2) * d + 2 * d;
  const int64_t layer = 4 * (d * d + d) + 2 * d * 3072 + 3072 + d + 4 * d;
  EXPECT_EQ(writer->parameter_count(), embeddings + 12 * layer + d * d + d);
  EXPECT_EQ(writer->parameter_count(), 109'482'240);  // bert-base-uncased with its pooler
  EXPECT_EQ(data_of(graph, "masked"), "\xE2\xF0");    // -10000 = -(1 + 226 / 1024) 2^13, finite in binary16
}

TEST(TinyLlama, HasTheWorkshopsParameterCount) {
  const auto writer = built("tiny-llama", ElementType::kFloat16);
  // V d + L (2 d^2 + 2 d KV hd + 3 d ff + 2 d) + d, the head tied.
  const int64_t d = 512;
  EXPECT_EQ(writer->parameter_count(), 1000 * d + 8 * (2 * d * d + 2 * d * 4 * 64 + 3 * d * 4 * d + 2 * d) + d);
  EXPECT_EQ(writer->parameter_count(), 31'977'984);
}

TEST(TinyLlama, HasTheCacheAsInputsAndOutputs) {
  const auto writer = built("tiny-llama", ElementType::kFloat, small("tiny-llama"));
  const onnx::GraphProto& graph = writer->model().graph();
  const std::vector<std::string> inputs{
      "input_ids 7 batch sequence",
      "attention_mask 7 batch total_sequence",
      "position_ids 7 batch sequence",
      "past_key_values.0.key 1 batch 2 past_sequence 16",
      "past_key_values.0.value 1 batch 2 past_sequence 16",
      "past_key_values.1.key 1 batch 2 past_sequence 16",
      "past_key_values.1.value 1 batch 2 past_sequence 16",
  };
  const std::vector<std::string> outputs{
      "logits 1 batch sequence 50",
      "present.0.key 1 batch 2 total_sequence 16",
      "present.0.value 1 batch 2 total_sequence 16",
      "present.1.key 1 batch 2 total_sequence 16",
      "present.1.value 1 batch 2 total_sequence 16",
  };
  EXPECT_EQ(ports(graph.input()), inputs);
  EXPECT_EQ(ports(graph.output()), outputs);
}

TEST(TinyLlama, RefusesSizesThatDoNotGoTogether) {
  const BuiltinModel* model = find_builtin_model("tiny-llama");
  const auto error_of = [&](const Parameters& parameters) {
    OnnxWriter writer("tiny-llama", ElementType::kFloat, 0);
    const Result<void> result = model->build(parameters, writer);
    return result ? ErrorKind::kBug : result.error().kind;
  };
  Parameters sizes = small("tiny-llama");
  sizes["heads"] = 3;  // 64 / 3
  EXPECT_EQ(error_of(sizes), ErrorKind::kUsage);
  sizes["heads"] = 64;  // a head of one element has no pairs to rotate
  EXPECT_EQ(error_of(sizes), ErrorKind::kUsage);
  sizes["heads"] = 4;
  sizes["kv_heads"] = 3;
  EXPECT_EQ(error_of(sizes), ErrorKind::kUsage);
}

TEST(ChainTiny, HasAsManyNodesAsAskedForOneAfterTheOther) {
  const auto writer = built("chain-tiny", ElementType::kFloat, {{"nodes", 10}, {"elements", 3}});
  const onnx::GraphProto& graph = writer->model().graph();
  const std::map<std::string, int> expected{{"Abs", 3}, {"Add", 3}, {"Mul", 2}, {"Sqrt", 2}};
  EXPECT_EQ(op_counts(graph), expected);
  std::string last = "input";
  for (const auto& node : graph.node()) {
    EXPECT_EQ(node.input(0), last);
    last = node.output(0);
  }
  EXPECT_EQ(ports(graph.output()), std::vector<std::string>{last + " 1 batch 3"});
}

TEST(Gemm, AlternatesTheShapesOfItsWeights) {
  const auto writer = built("gemm", ElementType::kFloat, small("gemm"));
  const onnx::GraphProto& graph = writer->model().graph();
  EXPECT_EQ(op_counts(graph), (std::map<std::string, int>{{"MatMul", 3}}));
  EXPECT_EQ(ports(graph.input()), std::vector<std::string>{"input 1 batch 5 11"});
  EXPECT_EQ(ports(graph.output()), std::vector<std::string>{"output 1 batch 5 7"});
  EXPECT_EQ(writer->parameter_count(), 3 * 7 * 11);
}

// The graph, and each initializer with the head of its data.
std::string fingerprint(const onnx::GraphProto& graph) {
  std::string text;
  for (const auto* infos : {&graph.input(), &graph.output(), &graph.value_info()}) {
    for (const std::string& line : ports(*infos)) {
      text += line + '\n';
    }
  }
  for (const auto& node : graph.node()) {
    text += node.SerializeAsString();
  }
  for (const auto& tensor : graph.initializer()) {
    text += tensor.name() + ' ' + std::to_string(tensor.data_type());
    for (const int64_t dim : tensor.dims()) {
      text += ' ' + std::to_string(dim);
    }
    text += tensor.raw_data().substr(0, 256);
  }
  return sha256_of(text).substr(0, 16);
}

// A file's name promises its bytes: whoever changes what a generator writes must raise kGeneratorVersion in
// builtin.cpp, and then put the new fingerprint here.
TEST(BuiltinModels, AreThoseOfGeneratorVersion1) {
  const std::map<std::string, std::string> expected{
      {"resnet50", "31502eacc4e84931"},   {"bert-base", "5b809c7e637b9c9d"},   {"tiny-llama", "90ee23a707b6cce6"},
      {"chain-tiny", "aa183e18da4c0949"}, {"elementwise", "7d3c306a6f7dca95"}, {"gemm", "9933a139cbc21999"},
  };
  for (const auto& [name, digest] : expected) {
    EXPECT_EQ(fingerprint(built(name, ElementType::kFloat16, small(name))->model().graph()), digest) << name;
  }
}

}  // namespace
}  // namespace aaco
