// SPDX-License-Identifier: MIT
#include "serve/timeline/slice_block.h"

#include <algorithm>

namespace aaco::serve {

namespace {

uint8_t width_of(uint64_t largest) {
  return largest == 0 ? 0 : largest <= UINT8_MAX ? 1 : largest <= UINT16_MAX ? 2 : largest <= UINT32_MAX ? 4 : 8;
}

template <class Number>
size_t largest_at(const char* numbers, size_t from, size_t to) {
  Number largest{};
  size_t at = from;
  for (size_t i = from; i < to; ++i) {
    Number number;
    std::memcpy(&number, numbers + i * sizeof number, sizeof number);
    if (number > largest) {
      largest = number;
      at = i;
    }
  }
  return at;
}

}  // namespace

// What lies above the least in the narrowest column there is: no value is put together.
size_t SliceBlock::longest(size_t from, size_t to) const {
  const char* const numbers = columns_[kDuration];
  switch (head_.width[kDuration]) {
    case 0:
      return from;
    case 1:
      return largest_at<uint8_t>(numbers, from, to);
    case 2:
      return largest_at<uint16_t>(numbers, from, to);
    case 4:
      return largest_at<uint32_t>(numbers, from, to);
    default:
      return largest_at<uint64_t>(numbers, from, to);
  }
}

size_t SliceBlock::first_starting_from(int64_t time_ns) const {
  size_t low = 0;
  size_t high = count_;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (start_ns(middle) < time_ns) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void SliceBlock::pack(std::span<const LaneSlice> slices, std::string& bytes) {
  std::array<std::array<int64_t, kBlockSlices>, kColumns> values;
  for (size_t i = 0; i < slices.size(); ++i) {
    values[kStart][i] = slices[i].start_ns;
    values[kDuration][i] = slices[i].duration_ns;
    values[kRow][i] = slices[i].row;
    values[kLabel][i] = slices[i].label;
  }
  Head head;
  for (size_t column = 0; column < kColumns; ++column) {
    const auto end = values[column].begin() + static_cast<std::ptrdiff_t>(slices.size());
    const auto [least, most] = std::minmax_element(values[column].begin(), end);
    head.least[column] = *least;
    head.width[column] = width_of(static_cast<uint64_t>(*most) - static_cast<uint64_t>(*least));
  }
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  for (size_t column = 0; column < kColumns; ++column) {
    for (size_t i = 0; i < slices.size(); ++i) {
      const uint64_t above = static_cast<uint64_t>(values[column][i]) - static_cast<uint64_t>(head.least[column]);
      bytes.append(reinterpret_cast<const char*>(&above), head.width[column]);
    }
  }
}

bool SliceBlock::may_hold_row(uint32_t row) const {
  const int64_t above = int64_t{row} - head_.least[kRow];
  const size_t bits = 8 * size_t{head_.width[kRow]};
  return above >= 0 && (bits >= 32 || above < (int64_t{1} << bits));
}

}  // namespace aaco::serve
