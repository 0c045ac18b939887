// SPDX-License-Identifier: MIT
#include "model/identity/external_data.h"

#include <cerrno>
#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#include <limits>
#include <set>
#include <sys/stat.h>
#include <system_error>

#include "base/files/file.h"

namespace aaco {

namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr int kMaxDepth = 95;          // as protobuf itself
constexpr int kMaxLocation = 1 << 16;  // bytes; longer is no path
constexpr uint64_t kExternal = 1;      // TensorProto.DataLocation

enum class Message { kModel, kGraph, kFunction, kNode, kAttribute, kTensor, kSparseTensor };

struct Child {
  Message parent;
  int field;
  Message child;
};

// Fields, by their numbers in onnx.proto, that lead to tensors.
constexpr Child kChildren[] = {
    {Message::kModel, 7, Message::kGraph},              // graph
    {Message::kModel, 25, Message::kFunction},          // functions
    {Message::kGraph, 1, Message::kNode},               // node
    {Message::kGraph, 5, Message::kTensor},             // initializer
    {Message::kGraph, 15, Message::kSparseTensor},      // sparse_initializer
    {Message::kFunction, 7, Message::kNode},            // node
    {Message::kNode, 5, Message::kAttribute},           // attribute
    {Message::kAttribute, 5, Message::kTensor},         // t
    {Message::kAttribute, 6, Message::kGraph},          // g
    {Message::kAttribute, 10, Message::kTensor},        // tensors
    {Message::kAttribute, 11, Message::kGraph},         // graphs
    {Message::kAttribute, 22, Message::kSparseTensor},  // sparse_tensor
    {Message::kAttribute, 23, Message::kSparseTensor},  // sparse_tensors
    {Message::kSparseTensor, 1, Message::kTensor},      // values
    {Message::kSparseTensor, 2, Message::kTensor},      // indices
};
constexpr int kTensorExternalData = 13;
constexpr int kTensorDataLocation = 14;

const Child* child_of(Message parent, int field) {
  for (const Child& child : kChildren) {
    if (child.parent == parent && child.field == field) {
      return &child;
    }
  }
  return nullptr;
}

class LocationScanner {
 public:
  explicit LocationScanner(CodedInputStream& input) : input_(input) {}

  const std::set<std::string>& locations() const { return locations_; }

  // False where the message is damaged.
  bool scan(Message message, int depth) {
    bool external = false;
    std::string location;
    while (const uint32_t tag = input_.ReadTag()) {
      const int field = WireFormatLite::GetTagFieldNumber(tag);
      const auto wire_type = WireFormatLite::GetTagWireType(tag);
      const bool sized = wire_type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
      bool read = false;
      if (const Child* child = sized ? child_of(message, field) : nullptr) {
        read = depth < kMaxDepth && enter([&] { return scan(child->child, depth + 1); });
      } else if (message == Message::kTensor && field == kTensorExternalData && sized) {
        read = enter([&] { return read_entry(location); });
      } else if (message == Message::kTensor && field == kTensorDataLocation &&
                 wire_type == WireFormatLite::WIRETYPE_VARINT) {
        uint64_t where = 0;
        read = input_.ReadVarint64(&where);
        external = where == kExternal;
      } else {
        read = WireFormatLite::SkipField(&input_, tag);
      }
      if (!read) {
        return false;
      }
    }
    if (external && !location.empty()) {
      locations_.insert(std::move(location));
    }
    return true;
  }

 private:
  template <class Read>
  bool enter(const Read& read) {
    int length = 0;
    if (!input_.ReadVarintSizeAsInt(&length) || length > input_.BytesUntilLimit()) {
      return false;
    }
    const CodedInputStream::Limit limit = input_.PushLimit(length);
    return read() && input_.CheckEntireMessageConsumedAndPopLimit(limit);
  }

  // A StringStringEntryProto: key (1) and value (2).
  bool read_entry(std::string& location) {
    std::string key;
    std::string value;
    while (const uint32_t tag = input_.ReadTag()) {
      const int field = WireFormatLite::GetTagFieldNumber(tag);
      if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED || field < 1 || field > 2) {
        if (!WireFormatLite::SkipField(&input_, tag)) {
          return false;
        }
        continue;
      }
      int length = 0;
      if (!input_.ReadVarintSizeAsInt(&length) || length > kMaxLocation || length > input_.BytesUntilLimit() ||
          !input_.ReadString(field == 1 ? &key : &value, length)) {
        return false;
      }
    }
    if (key == "location") {
      location = std::move(value);
    }
    return true;
  }

  CodedInputStream& input_;
  std::set<std::string> locations_;
};

}  // namespace

Result<std::vector<std::string>> external_locations(const std::filesystem::path& model) {
  // Not blocking, so that opening a pipe does not wait for a writer.
  const int descriptor = ::open(model.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return file_error(model, "open", errno);
  }
  google::protobuf::io::FileInputStream stream(descriptor);
  stream.SetCloseOnDelete(true);
  const auto unreadable = [&](const char* why) {
    return Error{ErrorKind::kUsage, model.string() + ": " + why, "give a .onnx file that was exported whole"};
  };
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    return unreadable("not a file");
  }
  if (status.st_size > std::numeric_limits<int>::max()) {
    return unreadable("larger than 2 GiB, which protobuf cannot hold");
  }
  CodedInputStream input(&stream);
  const CodedInputStream::Limit limit = input.PushLimit(static_cast<int>(status.st_size));
  LocationScanner scanner(input);
  if (!scanner.scan(Message::kModel, 0) || !input.CheckEntireMessageConsumedAndPopLimit(limit) ||
      input.CurrentPosition() != status.st_size) {
    return unreadable("not a readable ONNX model");
  }
  return std::vector<std::string>(scanner.locations().begin(), scanner.locations().end());
}

std::filesystem::path external_file(const std::filesystem::path& model, const std::string& location) {
  std::filesystem::path file = model.parent_path() / location;
  std::error_code failed;
  if (std::filesystem::exists(file, failed)) {
    return file;
  }
  const std::filesystem::path real = std::filesystem::canonical(model, failed);
  return failed ? file : real.parent_path() / location;
}

}  // namespace aaco
