// SPDX-License-Identifier: MIT
// Any bytes as a .npy or a TensorProto: a tensor that holds what its shape says, or an error with a hint.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "input_file.h"
#include "model/tensor_file.h"

namespace {

void check(const aaco::Result<aaco::HostTensor>& tensor) {
  if (!tensor) {
    aaco::fuzz::require(!tensor.error().message.empty() && !tensor.error().hint.empty());
  } else if (tensor->type == aaco::ElementType::kString) {
    aaco::fuzz::require(aaco::element_count(tensor->dims) == static_cast<int64_t>(tensor->strings.size()));
  } else {
    aaco::fuzz::require(aaco::storage_bytes(tensor->type, tensor->dims) == static_cast<int64_t>(tensor->data.size()));
    aaco::all_finite(*tensor);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(aaco::parse_npy(bytes, "input"));
  check(aaco::parse_tensor_proto(bytes, "input"));
  return 0;
}
