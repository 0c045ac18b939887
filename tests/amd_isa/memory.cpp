// SPDX-License-Identifier: MIT
#include <iterator>

#include "machine.h"

namespace aaco::amd {

void Memory::add(void* pointer, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(pointer);
  ranges_[begin] = {begin, begin + bytes, true};
}

void Memory::add_read_only(const void* pointer, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(pointer);
  ranges_[begin] = {begin, begin + bytes, false};
}

void Memory::remove(const void* pointer) { ranges_.erase(reinterpret_cast<std::uint64_t>(pointer)); }

const Memory::Range* Memory::find(std::uint64_t address, std::size_t bytes) const {
  const auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) {
    return nullptr;
  }
  const Range& range = std::prev(after)->second;
  return address + bytes >= address && address + bytes <= range.end ? &range : nullptr;
}

}  // namespace aaco::amd
