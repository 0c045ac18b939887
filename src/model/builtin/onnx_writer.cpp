// SPDX-License-Identifier: MIT
#include "model/builtin/onnx_writer.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include "base/files/file.h"
#include "model/builtin/unfinished_file.h"
#include "model/float16.h"

namespace aaco {

namespace {

// protobuf refuses messages of 2 GiB; the graph itself takes some of that.
constexpr int64_t kLargestWeightBytes = 2'000'000'000;

void set_value_info(onnx::ValueInfoProto* info, const std::string& name, ElementType type,
                    const std::vector<Dim>& dims) {
  info->set_name(name);
  onnx::TypeProto_Tensor* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(static_cast<int32_t>(type));
  onnx::TensorShapeProto* shape = tensor->mutable_shape();
  for (const Dim& dim : dims) {
    onnx::TensorShapeProto_Dimension* added = shape->add_dim();
    if (const auto* size = std::get_if<int64_t>(&dim)) {
      added->set_dim_value(*size);
    } else {
      added->set_dim_param(std::get<std::string>(dim));
    }
  }
}

void set_attribute(onnx::AttributeProto* proto, const Attribute& attribute) {
  proto->set_name(attribute.first);
  if (const auto* integer = std::get_if<int64_t>(&attribute.second)) {
    proto->set_type(onnx::AttributeProto::INT);
    proto->set_i(*integer);
  } else if (const auto* number = std::get_if<float>(&attribute.second)) {
    proto->set_type(onnx::AttributeProto::FLOAT);
    proto->set_f(*number);
  } else {
    const auto& integers = std::get<std::vector<int64_t>>(attribute.second);
    proto->set_type(onnx::AttributeProto::INTS);
    proto->mutable_ints()->Add(integers.begin(), integers.end());
  }
}

template <class T>
void append(std::string* bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes->append(raw, sizeof(T));
}

// 0, or the errno of what failed.
int write_model(const onnx::ModelProto& model, int fd) {
  google::protobuf::io::FileOutputStream stream(fd, 1 << 20);
  const bool serialized = model.SerializeToZeroCopyStream(&stream) && stream.Flush();
  const int failed = stream.GetErrno();
  return serialized || failed != 0 ? failed : EFBIG;
}

}  // namespace

OnnxWriter::OnnxWriter(const std::string& model_name, ElementType float_type, uint64_t seed)
    : float_type_(float_type), seed_(seed) {
  model_.set_ir_version(8);
  model_.set_producer_name("aaco");
  model_.mutable_graph()->set_name(model_name);
  model_.add_opset_import()->set_version(17);
}

std::string OnnxWriter::add_input(const std::string& name, ElementType type, const std::vector<Dim>& dims) {
  set_value_info(model_.mutable_graph()->add_input(), name, type, dims);
  return name;
}

void OnnxWriter::add_output(const std::string& name, ElementType type, const std::vector<Dim>& dims) {
  set_value_info(model_.mutable_graph()->add_output(), name, type, dims);
}

onnx::TensorProto* OnnxWriter::add_initializer(const std::string& name, const std::vector<int64_t>& dims,
                                               ElementType type) {
  onnx::TensorProto* tensor = model_.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(static_cast<int32_t>(type));
  tensor->mutable_dims()->Add(dims.begin(), dims.end());
  return tensor;
}

std::string OnnxWriter::add_weight(const std::string& name, const std::vector<int64_t>& dims, Bell bell) {
  const std::optional<int64_t> bytes = storage_bytes(float_type_, dims);
  if (too_large_ || !bytes || *bytes > kLargestWeightBytes - weight_bytes_) {
    too_large_ = true;
    return name;
  }
  weight_bytes_ += *bytes;
  const int64_t count = *element_count(dims);
  parameter_count_ += count;
  add_initializer(name, dims, float_type_)->set_raw_data(seeded_values(seed_, name, count, bell, float_type_));
  return name;
}

std::string OnnxWriter::add_integers(const std::string& name, const std::vector<int64_t>& values) {
  onnx::TensorProto* tensor = add_initializer(name, {static_cast<int64_t>(values.size())}, ElementType::kInt64);
  for (const int64_t value : values) {
    append(tensor->mutable_raw_data(), value);
  }
  return name;
}

std::string OnnxWriter::add_integer(const std::string& name, int64_t value) {
  append(add_initializer(name, {}, ElementType::kInt64)->mutable_raw_data(), value);
  return name;
}

std::string OnnxWriter::add_floats(const std::string& name, const std::vector<double>& values,
                                   const std::vector<int64_t>& dims, ElementType type) {
  std::string* bytes = add_initializer(name, dims, type)->mutable_raw_data();
  for (const double value : values) {
    const auto number = static_cast<float>(value);
    if (type == ElementType::kFloat16) {
      append(bytes, float16_bits(number));
    } else {
      append(bytes, number);
    }
  }
  return name;
}

std::string OnnxWriter::add_node(const std::string& op, const std::string& path, const std::vector<std::string>& inputs,
                                 const std::vector<Attribute>& attributes, const std::string& output) {
  onnx::NodeProto* node = model_.mutable_graph()->add_node();
  node->set_op_type(op);
  node->set_name(path);
  for (const std::string& input : inputs) {
    node->add_input(input);
  }
  for (const Attribute& attribute : attributes) {
    set_attribute(node->add_attribute(), attribute);
  }
  node->add_output(output.empty() ? path + "_output_0" : output);
  return node->output(0);
}

void OnnxWriter::add_shape(const std::string& value, ElementType type, const std::vector<Dim>& dims) {
  set_value_info(model_.mutable_graph()->add_value_info(), value, type, dims);
}

void OnnxWriter::add_metadata(const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto* entry = model_.add_metadata_props();
  entry->set_key(key);
  entry->set_value(value);
}

Result<void> OnnxWriter::write(const std::filesystem::path& path) const {
  if (too_large_) {
    return Error{ErrorKind::kUsage,
                 fmt::format("model {}: weights over {} bytes do not fit an .onnx file", model_.graph().name(),
                             kLargestWeightBytes),
                 "choose smaller parameters"};
  }
  AACO_ASSIGN(UnfinishedFile file, UnfinishedFile::create(path));
  if (const int failed = write_model(model_, file.descriptor()); failed != 0) {
    return file_error(path, "write", failed);
  }
  return file.finish();
}

}  // namespace aaco
