// SPDX-License-Identifier: MIT
#include "model/graph/onnx_skeleton.h"

#include <algorithm>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <limits>

namespace aaco {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

constexpr int64_t kMaxFields = 4'000'000;
constexpr int64_t kMaxNodes = 500'000;
constexpr int64_t kMaxBytes = int64_t{128} << 20;
constexpr int kMaxFieldBytes = 1 << 20;  // names and declarations
constexpr int kMaxDepth = 95;            // messages; a body is three deep, protobuf itself gives up at 100
constexpr int64_t kMaxDims = 64;

enum class Message { kModel, kGraph, kNode, kAttribute, kTensor, kSparseTensor };

enum class Handling {
  kSkip,
  kCopy,
  kDescend,
  kList,  // kept when short
};

struct FieldRule {
  Message parent;
  int field;
  Handling handling;
  Message child = Message::kModel;
};

// Field numbers are those of onnx.proto; a field that is not listed is skipped.
constexpr FieldRule kFieldRules[] = {
    {Message::kModel, 1, Handling::kCopy},                              // ir_version
    {Message::kModel, 2, Handling::kCopy},                              // producer_name
    {Message::kModel, 3, Handling::kCopy},                              // producer_version
    {Message::kModel, 7, Handling::kDescend, Message::kGraph},          // graph
    {Message::kModel, 8, Handling::kCopy},                              // opset_import
    {Message::kGraph, 1, Handling::kDescend, Message::kNode},           // node
    {Message::kGraph, 2, Handling::kCopy},                              // name
    {Message::kGraph, 5, Handling::kDescend, Message::kTensor},         // initializer
    {Message::kGraph, 11, Handling::kCopy},                             // input
    {Message::kGraph, 12, Handling::kCopy},                             // output
    {Message::kGraph, 13, Handling::kCopy},                             // value_info
    {Message::kGraph, 15, Handling::kDescend, Message::kSparseTensor},  // sparse_initializer
    {Message::kNode, 1, Handling::kCopy},                               // input
    {Message::kNode, 2, Handling::kCopy},                               // output
    {Message::kNode, 3, Handling::kCopy},                               // name
    {Message::kNode, 4, Handling::kCopy},                               // op_type
    {Message::kNode, 5, Handling::kDescend, Message::kAttribute},       // attribute
    {Message::kNode, 7, Handling::kCopy},                               // domain
    {Message::kAttribute, 1, Handling::kCopy},                          // name
    {Message::kAttribute, 2, Handling::kCopy},                          // f
    {Message::kAttribute, 3, Handling::kCopy},                          // i
    {Message::kAttribute, 4, Handling::kList},                          // s
    {Message::kAttribute, 5, Handling::kDescend, Message::kTensor},     // t
    {Message::kAttribute, 6, Handling::kDescend, Message::kGraph},      // g
    {Message::kAttribute, 7, Handling::kList},                          // floats
    {Message::kAttribute, 8, Handling::kList},                          // ints
    {Message::kAttribute, 9, Handling::kList},                          // strings
    {Message::kAttribute, 11, Handling::kDescend, Message::kGraph},     // graphs
    {Message::kAttribute, 20, Handling::kCopy},                         // type
    {Message::kTensor, 1, Handling::kCopy},                             // dims
    {Message::kTensor, 2, Handling::kCopy},                             // data_type
    {Message::kTensor, 4, Handling::kList},                             // float_data
    {Message::kTensor, 5, Handling::kList},                             // int32_data
    {Message::kTensor, 7, Handling::kList},                             // int64_data
    {Message::kTensor, 8, Handling::kCopy},                             // name
    {Message::kTensor, 9, Handling::kList},                             // raw_data
    {Message::kSparseTensor, 1, Handling::kDescend, Message::kTensor},  // values
    {Message::kSparseTensor, 2, Handling::kDescend, Message::kTensor},  // indices
    {Message::kSparseTensor, 3, Handling::kCopy},                       // dims
};

FieldRule rule_of(Message parent, int field) {
  for (const FieldRule& rule : kFieldRules) {
    if (rule.parent == parent && rule.field == field) {
      return rule;
    }
  }
  return {parent, field, Handling::kSkip};
}

class Skeleton {
 public:
  explicit Skeleton(CodedInputStream& input) : input_(input) {}

  // Empty when the message was read whole.
  const std::string& problem() const { return problem_; }
  bool is_damaged() const { return is_damaged_; }

  bool copy_message(Message message, int depth, std::string& out) {
    if (depth > kMaxDepth) {
      return fail("its graphs are nested too deeply");
    }
    std::string lists;
    int64_t list_values = 0;
    int64_t dims = 0;
    while (const uint32_t tag = input_.ReadTag()) {
      const FieldRule rule = rule_of(message, WireFormatLite::GetTagFieldNumber(tag));
      const bool is_dims = message == Message::kTensor && rule.field == 1;
      if (is_dims && ++dims > kMaxDims) {
        return fail("a tensor has more than 64 dimensions");
      }
      if (!copy_field(rule, tag, depth, rule.handling == Handling::kList ? lists : out, list_values)) {
        return false;
      }
    }
    if (list_values <= kLongestKeptList) {
      out += lists;
    }
    return true;
  }

 private:
  bool fail(const std::string& problem) {
    if (problem_.empty()) {
      problem_ = problem;
    }
    return false;
  }
  bool damaged() {
    is_damaged_ = problem_.empty();
    return fail("it is damaged or truncated");
  }

  bool copy_field(const FieldRule& rule, uint32_t tag, int depth, std::string& out, int64_t& list_values) {
    const auto wire_type = WireFormatLite::GetTagWireType(tag);
    const bool sized = wire_type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    const bool group = wire_type == WireFormatLite::WIRETYPE_START_GROUP;  // no field of ONNX is one
    const bool list_full = rule.handling == Handling::kList && list_values > kLongestKeptList;
    if (rule.handling == Handling::kSkip || group || list_full || (rule.handling == Handling::kDescend && !sized)) {
      return WireFormatLite::SkipField(&input_, tag) || damaged();
    }
    if (++fields_ > kMaxFields || kept_bytes_ > kMaxBytes) {
      return fail("it is larger than any model: over 4,000,000 fields or 128 MiB without the weights");
    }
    if (rule.handling == Handling::kDescend) {
      return descend(rule, tag, depth, out);
    }
    return sized ? copy_sized(rule, tag, out, list_values) : copy_scalar(rule, tag, out, list_values);
  }

  bool descend(const FieldRule& rule, uint32_t tag, int depth, std::string& out) {
    if (rule.child == Message::kNode && ++nodes_ > kMaxNodes) {
      return fail("it has more than 500,000 nodes");
    }
    int length = 0;
    if (!input_.ReadVarintSizeAsInt(&length) || length > input_.BytesUntilLimit()) {
      return damaged();
    }
    const CodedInputStream::Limit limit = input_.PushLimit(length);
    std::string body;
    if (!copy_message(rule.child, depth + 1, body)) {
      return false;
    }
    if (!input_.CheckEntireMessageConsumedAndPopLimit(limit)) {
      return damaged();
    }
    append_sized(tag, body, out);
    return true;
  }

  bool copy_sized(const FieldRule& rule, uint32_t tag, std::string& out, int64_t& list_values) {
    int length = 0;
    if (!input_.ReadVarintSizeAsInt(&length) || length > input_.BytesUntilLimit()) {
      return damaged();
    }
    if (rule.handling == Handling::kList) {
      // Packed values and raw bytes alike: at least one byte, at most eight, a value.
      constexpr int kMostBytesAValue = 8;
      if (length > kLongestKeptList * kMostBytesAValue) {
        list_values = kLongestKeptList + 1;
        return input_.Skip(length) || damaged();
      }
      list_values += std::max(1, length / kMostBytesAValue);
    } else if (length > kMaxFieldBytes) {
      return fail("a name or declaration in it is longer than 1 MiB");
    }
    std::string content;
    if (!input_.ReadString(&content, length)) {
      return damaged();
    }
    append_sized(tag, content, out);
    return true;
  }

  bool copy_scalar(const FieldRule& rule, uint32_t tag, std::string& out, int64_t& list_values) {
    list_values += rule.handling == Handling::kList ? 1 : 0;
    kept_bytes_ += 10;
    std::string field;  // a StringOutputStream on `out` would clear all its spare bytes each time
    {
      StringOutputStream stream(&field);
      CodedOutputStream copy(&stream);
      // SkipField with an output copies a field of any scalar wire type, and refuses what no field can be.
      if (!WireFormatLite::SkipField(&input_, tag, &copy)) {
        return damaged();
      }
    }
    out += field;
    return true;
  }

  void append_sized(uint32_t tag, const std::string& content, std::string& out) {
    kept_bytes_ += static_cast<int64_t>(content.size()) + 4;
    constexpr size_t kMostBytes = 10;  // of a tag and a size
    uint8_t head[kMostBytes];
    uint8_t* end = CodedOutputStream::WriteVarint32ToArray(tag, head);
    end = CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(content.size()), end);
    out.append(head, end);
    out += content;
  }

  CodedInputStream& input_;
  std::string problem_;
  bool is_damaged_ = false;
  int64_t fields_ = 0;
  int64_t nodes_ = 0;
  int64_t kept_bytes_ = 0;
};

constexpr const char* kTooLargeHint =
    "export a part of it: aaco reads at most 500,000 nodes, and 128 MiB without the weights";

}  // namespace

bool is_too_large(const Error& refusal) { return refusal.hint == kTooLargeHint; }

Result<std::string> read_onnx_skeleton(google::protobuf::io::ZeroCopyInputStream& stream, int64_t size,
                                       const std::string& source) {
  const auto refuse = [&](const std::string& problem) {
    return Error{ErrorKind::kUsage, source + ": not a readable ONNX model: " + problem,
                 "give a .onnx file that was exported whole"};
  };
  const auto too_large = [&](const std::string& problem) {
    return Error{ErrorKind::kUsage, source + ": not a readable ONNX model: " + problem, kTooLargeHint};
  };
  if (size == 0) {
    return refuse("it is empty");
  }
  if (size > std::numeric_limits<int>::max()) {
    return too_large("it is larger than 2 GiB, which protobuf cannot hold; weights of such models are external data");
  }
  CodedInputStream input(&stream);
  const CodedInputStream::Limit limit = input.PushLimit(static_cast<int>(size));
  Skeleton skeleton(input);
  std::string out;
  if (!skeleton.copy_message(Message::kModel, 0, out)) {
    return skeleton.is_damaged() ? refuse(skeleton.problem()) : too_large(skeleton.problem());
  }
  if (!input.CheckEntireMessageConsumedAndPopLimit(limit) || input.CurrentPosition() != size) {
    return refuse("it is damaged or truncated");
  }
  return out;
}

}  // namespace aaco
