// SPDX-License-Identifier: MIT
// The HIP module that this build made, as the tests read it: its host library, and the code objects in it.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "code_object.h"
#include "offload_bundle.h"

namespace aaco::amd {

inline const std::vector<std::byte>& module_bytes() {
  static const std::vector<std::byte> bytes = [] {
    std::ifstream file(HIP_MODULE, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return std::vector<std::byte>(begin, begin + text.size());
  }();
  return bytes;
}

// Empty where one of them cannot be read; then a test of that says why.
inline std::vector<CodeObject> objects_of_module(const std::string& architecture) {
  std::vector<CodeObject> objects;
  const auto bundles = bundles_of_library(module_bytes());
  for (std::size_t i = 0; bundles && i < bundles->size(); ++i) {
    const auto code = code_for((*bundles)[i], architecture);
    auto object = code ? CodeObject::load(*code, architecture) : Result<CodeObject>(code.error());
    if (!object) {
      return {};
    }
    objects.push_back(std::move(*object));
  }
  return objects;
}

}  // namespace aaco::amd
