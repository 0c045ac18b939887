// SPDX-License-Identifier: MIT
#include "serve/timeline/slice_block.h"

#include <algorithm>

namespace aaco::serve {

namespace {

uint8_t width_of(uint64_t largest) {
  return largest == 0 ? 0 : largest <= UINT8_MAX ? 1 : largest <= UINT16_MAX ? 2 : largest <= UINT32_MAX ? 4 : 8;
}

template <class Number>
Number number_at(const char* numbers, size_t i) {
  Number value;
  std::memcpy(&value, numbers + i * sizeof value, sizeof value);
  return value;
}

// The first of the largest: each number with its place behind it, the first place largest, so that one comparison of
// many numbers at once finds both.
template <class Number, class Key>
size_t largest_at(const char* numbers, size_t from, size_t to) {
  Key most = 0;
  for (size_t i = from; i < to; ++i) {
    most = std::max<Key>(most, static_cast<Key>(static_cast<Key>(number_at<Number>(numbers, i)) * kBlockSlices) |
                                   static_cast<Key>(kBlockSlices - 1 - i));
  }
  return kBlockSlices - 1 - most % kBlockSlices;
}

size_t largest_of_wide(const char* numbers, size_t from, size_t to) {
  size_t at = from;
  for (size_t i = from; i < to; ++i) {
    at = number_at<uint64_t>(numbers, i) > number_at<uint64_t>(numbers, at) ? i : at;
  }
  return at;
}

template <class Number>
size_t first_not_below(const char* numbers, size_t count, uint64_t least) {
  size_t low = 0;
  while (count > 0) {
    const size_t half = count / 2;
    const bool is_below = number_at<Number>(numbers, low + half) < least;
    low += is_below ? half + 1 : 0;
    count = is_below ? count - half - 1 : half;
  }
  return low;
}

}  // namespace

// What lies above the least in the narrowest column there is: no value is put together.
size_t SliceBlock::longest(size_t from, size_t to) const {
  const char* const numbers = columns_[kDuration];
  switch (head_.width[kDuration]) {
    case 0:
      return from;
    case 1:
      return largest_at<uint8_t, uint32_t>(numbers, from, to);
    case 2:
      return largest_at<uint16_t, uint32_t>(numbers, from, to);
    case 4:
      return largest_at<uint32_t, uint64_t>(numbers, from, to);
    default:
      return largest_of_wide(numbers, from, to);
  }
}

size_t SliceBlock::first_starting_from(int64_t time_ns) const {
  if (time_ns <= head_.least[kStart]) {
    return 0;
  }
  const uint64_t above = static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(head_.least[kStart]);
  const char* const numbers = columns_[kStart];
  switch (head_.width[kStart]) {
    case 0:
      return count_;
    case 1:
      return first_not_below<uint8_t>(numbers, count_, above);
    case 2:
      return first_not_below<uint16_t>(numbers, count_, above);
    case 4:
      return first_not_below<uint32_t>(numbers, count_, above);
    default:
      return first_not_below<uint64_t>(numbers, count_, above);
  }
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
