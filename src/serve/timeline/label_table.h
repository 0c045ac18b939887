// SPDX-License-Identifier: MIT
// Names with their categories, each pair once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aaco::serve {

class LabelTable {
 public:
  uint32_t add(std::string_view name, uint8_t category);
  size_t size() const { return categories_.size(); }
  // As timeline_index.h reads them: categories, where each name ends, the names.
  std::string pack() const;

 private:
  std::unordered_map<std::string, uint32_t> numbers_;  // of the category and the name
  std::string categories_;
  std::vector<uint32_t> ends_;
  std::string names_;
};

}  // namespace aaco::serve
