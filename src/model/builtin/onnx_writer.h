// SPDX-License-Identifier: MIT
// Builds an ONNX model node by node, with seeded weights, and writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <onnx.pb.h>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/builtin/seeded_values.h"
#include "model/tensor.h"

namespace aaco {

// A fixed size or the name of a symbolic one.
using Dim = std::variant<int64_t, std::string>;
using Attribute = std::pair<std::string, std::variant<int64_t, float, std::vector<int64_t>>>;

// Tensors and nodes are named by the caller; names must be unique and are not checked, as tests load what is built.
// Everything that adds a value returns its name, for use as an input of later nodes.
class OnnxWriter {
 public:
  // IR version 8, opset 17. `float_type` (kFloat or kFloat16) is that of every weight.
  OnnxWriter(const std::string& model_name, ElementType float_type, uint64_t seed);

  ElementType float_type() const { return float_type_; }

  std::string add_input(const std::string& name, ElementType type, const std::vector<Dim>& dims);
  void add_output(const std::string& name, ElementType type, const std::vector<Dim>& dims);

  // Seeded weights; the stream is the name. Past the size that a protobuf file can hold, nothing is allocated and
  // `write` fails.
  std::string add_weight(const std::string& name, const std::vector<int64_t>& dims, Bell bell);

  // Constants, which count as no parameters: a vector of int64, a scalar int64, a scalar and a tensor of floats.
  std::string add_integers(const std::string& name, const std::vector<int64_t>& values);
  std::string add_integer(const std::string& name, int64_t value);
  std::string add_scalar(const std::string& name, double value) { return add_floats(name, {value}, {}, float_type_); }
  std::string add_floats(const std::string& name, const std::vector<double>& values, const std::vector<int64_t>& dims,
                         ElementType type);

  // A node with one output. `path` is its name ("/layer1/layer1.0/conv1/Conv"); the output is "<path>_output_0", as
  // PyTorch's exporter names it, unless `output` is given.
  std::string add_node(const std::string& op, const std::string& path, const std::vector<std::string>& inputs,
                       const std::vector<Attribute>& attributes = {}, const std::string& output = "");

  // Declares the shape of a node's output where shape inference loses it; runtimes that fuse by shape need it.
  void add_shape(const std::string& value, ElementType type, const std::vector<Dim>& dims);

  void add_metadata(const std::string& key, const std::string& value);

  // Elements of all weights so far.
  int64_t parameter_count() const { return parameter_count_; }
  const onnx::ModelProto& model() const { return model_; }

  // Writes beside `path` and renames, so that a reader sees the whole file or none; a failure leaves nothing.
  // Errors: kUsage for a model too large for one file or a folder that cannot be written, kResource for a full disk.
  Result<void> write(const std::filesystem::path& path) const;

 private:
  onnx::TensorProto* add_initializer(const std::string& name, const std::vector<int64_t>& dims, ElementType type);

  onnx::ModelProto model_;
  ElementType float_type_;
  uint64_t seed_;
  int64_t parameter_count_ = 0;
  int64_t weight_bytes_ = 0;
  bool too_large_ = false;
};

}  // namespace aaco
