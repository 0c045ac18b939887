// SPDX-License-Identifier: MIT
#include "serve/timeline/slice_block.h"

#include <algorithm>

namespace aaco::serve {

namespace {

uint8_t width_of(uint64_t largest) {
  return largest == 0 ? 0 : largest <= UINT8_MAX ? 1 : largest <= UINT16_MAX ? 2 : largest <= UINT32_MAX ? 4 : 8;
}

}  // namespace

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
