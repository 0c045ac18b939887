// SPDX-License-Identifier: MIT
#include "serve/timeline/label_table.h"

namespace aaco::serve {

uint32_t LabelTable::add(std::string_view name, uint8_t category) {
  std::string key(1, static_cast<char>(category));
  key += name;
  const auto [place, is_new] = numbers_.emplace(std::move(key), static_cast<uint32_t>(size()));
  if (is_new) {
    categories_ += static_cast<char>(category);
    names_ += name;
    ends_.push_back(static_cast<uint32_t>(names_.size()));
  }
  return place->second;
}

std::string LabelTable::pack() const {
  std::string bytes = categories_;
  bytes.append(reinterpret_cast<const char*>(ends_.data()), ends_.size() * sizeof(uint32_t));
  return bytes + names_;
}

}  // namespace aaco::serve
