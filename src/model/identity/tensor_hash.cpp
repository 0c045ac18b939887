// SPDX-License-Identifier: MIT
#include "model/identity/tensor_hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files/file.h"

namespace aaco {

std::string hash_of_values(const HostTensor& tensor) {
  // The hash of a hash, so that large data is not copied behind the header.
  const std::string_view data(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
  std::string text = fmt::format("{} [{}] {}", element_name(tensor.type), fmt::join(tensor.dims, ","), sha256_of(data));
  for (const std::string& element : tensor.strings) {
    text += fmt::format(" {}:{}", element.size(), element);
  }
  return sha256_of(text);
}

}  // namespace aaco
