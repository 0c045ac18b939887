// SPDX-License-Identifier: MIT
// 64 slices of a lane in few bytes: each column as its least value and what the others are above that, in as many bytes
// as the largest needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace aaco::serve {

// Of a lane no two overlap.
struct LaneSlice {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  uint32_t row = 0;    // of the event table
  uint32_t label = 0;  // name and category
};

inline constexpr size_t kBlockSlices = 64;

// One of them at any place, in constant time.
class SliceBlock {
 public:
  SliceBlock() = default;
  // What pack() wrote; `count`: of its slices. Of bytes that are damaged all values are 0.
  SliceBlock(std::span<const char> bytes, size_t count) : count_(count) {
    if (bytes.size() >= sizeof head_) {
      std::memcpy(&head_, bytes.data(), sizeof head_);
    }
    size_t at = sizeof head_;
    for (size_t column = 0; column < kColumns; ++column) {
      columns_[column] = bytes.data() + at;
      at += head_.width[column] * count;
      constexpr uint32_t kWidths = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 4 | 1U << 8;
      if (at > bytes.size() || head_.width[column] > 8 || (kWidths >> head_.width[column] & 1U) == 0) {
        head_ = {};
        return;
      }
    }
  }
  static void pack(std::span<const LaneSlice> slices, std::string& bytes);

  size_t size() const { return count_; }
  int64_t start_ns(size_t i) const { return static_cast<int64_t>(value(kStart, i)); }
  int64_t duration_ns(size_t i) const { return static_cast<int64_t>(value(kDuration, i)); }
  uint32_t row(size_t i) const { return static_cast<uint32_t>(value(kRow, i)); }
  uint32_t label(size_t i) const { return static_cast<uint32_t>(value(kLabel, i)); }
  // The longest of [from, to), at least one: where the first of equal ones is.
  size_t longest(size_t from, size_t to) const;
  // The first that starts at or after a time; size() where there is none.
  size_t first_starting_from(int64_t time_ns) const;
  // Asks memory for a slice's row and label before they are needed.
  void prefetch(size_t i) const {
    __builtin_prefetch(columns_[kRow] + i * head_.width[kRow]);
    __builtin_prefetch(columns_[kLabel] + i * head_.width[kLabel]);
  }
  // Whether `row` can be among its rows.
  bool may_hold_row(uint32_t row) const;

 private:
  enum Column : size_t { kStart, kDuration, kRow, kLabel };
  static constexpr size_t kColumns = 4;
  struct Head {
    std::array<int64_t, kColumns> least{};
    std::array<uint8_t, 8> width{};  // bytes of each column's values: 0, 1, 2, 4 or 8
  };

  template <class Number>
  uint64_t number(Column column, size_t i) const {
    Number number;
    std::memcpy(&number, columns_[column] + i * sizeof number, sizeof number);
    return number;
  }
  uint64_t value(Column column, size_t i) const {
    const auto least = static_cast<uint64_t>(head_.least[column]);
    switch (head_.width[column]) {
      case 0:
        return least;
      case 1:
        return least + number<uint8_t>(column, i);
      case 2:
        return least + number<uint16_t>(column, i);
      case 4:
        return least + number<uint32_t>(column, i);
      default:
        return least + number<uint64_t>(column, i);
    }
  }

  Head head_;
  std::array<const char*, kColumns> columns_{};
  size_t count_ = 0;
};

}  // namespace aaco::serve
