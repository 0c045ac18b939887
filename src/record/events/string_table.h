// SPDX-License-Identifier: MIT
// Each distinct text once, known by a number. Kernel names, shapes and stacks repeat by the thousand in a trace.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/memory/growing_array.h"

namespace aaco {

using StringId = uint32_t;
inline constexpr StringId kEmptyString = 0;  // of "", in every table

class StringTable {
 public:
  StringTable();
  StringTable(StringTable&&) noexcept = default;
  StringTable& operator=(StringTable&&) noexcept = default;

  // The number of `text`, in order of first appearance. Amortised constant time, whatever the texts are: the hash is
  // seeded anew for each table, so that a file cannot be made to collide.
  StringId intern(std::string_view text);

  // Valid as long as the table.
  std::string_view operator[](StringId id) const { return {entries_[id].data, entries_[id].length}; }
  size_t size() const { return entries_.size(); }
  uint64_t bytes() const { return bytes_; }  // of the texts

 private:
  struct Entry {
    const char* data;
    uint64_t length;
  };
  struct Slot {
    uint32_t tag;  // lower half of the hash: a text's place does not depend on more
    uint32_t id;   // kFree where none
  };
  static constexpr uint32_t kFree = UINT32_MAX;

  uint64_t hash(std::string_view text) const;
  const char* keep(std::string_view text);
  static GrowingArray<Slot> free_slots(size_t count);
  void grow();

  uint64_t seed_;
  uint64_t bytes_ = 0;
  GrowingArray<Slot> slots_;  // a power of two, at most half full
  GrowingArray<Entry> entries_;
  std::vector<GrowingArray<char>> blocks_;  // of the texts; none moves
};

}  // namespace aaco
