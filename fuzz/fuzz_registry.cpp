// SPDX-License-Identifier: MIT
// Any bytes are a registry or an error that says where: "source:line:column: ...".
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "input_file.h"
#include "model/registry.h"

namespace {

template <class T>
void check(const aaco::Result<T>& result) {
  if (!result) {
    aaco::fuzz::require(result.error().message.starts_with("input:") && !result.error().hint.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(aaco::parse_models(text, "input"));
  check(aaco::parse_backends(text, "input"));
  return 0;
}
