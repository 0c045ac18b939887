// SPDX-License-Identifier: MIT
#include "model/graph/denormal_weights.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

#include "base/format.h"
#include "model/graph/declared_types.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

constexpr size_t kMostNamed = 8;
constexpr size_t kPieceBytes = size_t{1} << 22;

struct TensorCount {
  std::string name;
  int64_t denormal = 0;
  int64_t elements = 0;
};

template <class Word>
bool is_denormal(Word bits, int mantissa_bits) {
  const Word magnitude = bits & static_cast<Word>(~(Word{1} << (sizeof(Word) * 8 - 1)));
  return magnitude != 0 && magnitude < (Word{1} << mantissa_bits);
}

template <class Word>
int64_t denormals_in(const char* data, size_t bytes, int mantissa_bits) {
  int64_t count = 0;
  for (size_t at = 0; at + sizeof(Word) <= bytes; at += sizeof(Word)) {
    Word word{};
    std::memcpy(&word, data + at, sizeof word);
    count += is_denormal(word, mantissa_bits) ? 1 : 0;
  }
  return count;
}

class Counter {
 public:
  explicit Counter(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const onnx::GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) {
      add(tensor, tensor.name());
    }
    for (const onnx::NodeProto& node : graph.node()) {
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (attribute.has_t()) {
          add(attribute.t(), node.output_size() > 0 ? node.output(0) : node.name());
        }
        if (attribute.has_g()) {
          add(attribute.g());
        }
        for (const onnx::GraphProto& body : attribute.graphs()) {
          add(body);
        }
      }
    }
  }

  DenormalFacts facts() {
    DenormalFacts facts;
    std::ranges::stable_sort(tensors_,
                             [](const TensorCount& a, const TensorCount& b) { return a.denormal > b.denormal; });
    for (const TensorCount& tensor : tensors_) {
      facts.weights += tensor.denormal;
      facts.weights_read += tensor.elements;
      if (tensor.denormal > 0 && facts.tensors.size() < kMostNamed) {
        facts.tensors.push_back(fmt::format(
            "{}: {} of {} ({})", tensor.name, tensor.denormal, tensor.elements,
            format_percent(static_cast<double>(tensor.denormal) / static_cast<double>(tensor.elements), 0)));
      }
    }
    return facts;
  }

 private:
  void add(const onnx::TensorProto& tensor, const std::string& name) {
    TensorCount counted{valid_utf8(name), 0, 0};
    const int type = tensor.data_type();
    const bool known =
        type == onnx::TensorProto::FLOAT || type == onnx::TensorProto::DOUBLE || type == onnx::TensorProto::BFLOAT16;
    if (!known) {
      return;
    }
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
      add_external(tensor, counted);
    } else if (!tensor.raw_data().empty()) {
      count(type, tensor.raw_data().data(), tensor.raw_data().size(), counted);
    } else if (type == onnx::TensorProto::FLOAT) {
      count(type, reinterpret_cast<const char*>(tensor.float_data().data()),
            static_cast<size_t>(tensor.float_data_size()) * sizeof(float), counted);
    } else if (type == onnx::TensorProto::DOUBLE) {
      count(type, reinterpret_cast<const char*>(tensor.double_data().data()),
            static_cast<size_t>(tensor.double_data_size()) * sizeof(double), counted);
    }
    if (counted.elements > 0) {
      tensors_.push_back(std::move(counted));
    }
  }

  static void count(int type, const char* data, size_t bytes, TensorCount& counted) {
    constexpr int kFloatMantissa = 23, kDoubleMantissa = 52, kBfloat16Mantissa = 7;
    if (type == onnx::TensorProto::FLOAT) {
      counted.denormal += denormals_in<uint32_t>(data, bytes, kFloatMantissa);
      counted.elements += static_cast<int64_t>(bytes / sizeof(uint32_t));
    } else if (type == onnx::TensorProto::DOUBLE) {
      counted.denormal += denormals_in<uint64_t>(data, bytes, kDoubleMantissa);
      counted.elements += static_cast<int64_t>(bytes / sizeof(uint64_t));
    } else {
      counted.denormal += denormals_in<uint16_t>(data, bytes, kBfloat16Mantissa);
      counted.elements += static_cast<int64_t>(bytes / sizeof(uint16_t));
    }
  }

  // In pieces, so that weights of any size take little memory.
  void add_external(const onnx::TensorProto& tensor, TensorCount& counted) const {
    std::string location;
    uint64_t offset = 0;
    uint64_t length = 0;
    for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
      const std::string& value = entry.value();
      if (entry.key() == "location") {
        location = value;
      } else if (entry.key() == "offset") {
        std::from_chars(value.data(), value.data() + value.size(), offset);
      } else if (entry.key() == "length") {
        std::from_chars(value.data(), value.data() + value.size(), length);
      }
    }
    std::ifstream file(folder_ / location, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    std::vector<char> piece(kPieceBytes);
    while (file && length > 0) {
      file.read(piece.data(), static_cast<std::streamsize>(std::min<uint64_t>(piece.size(), length)));
      const auto read = static_cast<size_t>(file.gcount());
      count(tensor.data_type(), piece.data(), read, counted);
      length -= std::min<uint64_t>(length, read);
    }
  }

  std::filesystem::path folder_;
  std::vector<TensorCount> tensors_;
};

}  // namespace

DenormalFacts count_denormal_weights(const std::filesystem::path& model) {
  std::ifstream file(model, std::ios::binary);
  onnx::ModelProto proto;
  if (!file || !proto.ParseFromIstream(&file)) {
    return {};
  }
  Counter counter(model.parent_path());
  counter.add(proto.graph());
  return counter.facts();
}

}  // namespace aaco
