// SPDX-License-Identifier: MIT
#include "ingest/bytes/window.h"

#include <cstring>
#include <span>
#include <utility>

#include "base/interrupt.h"

namespace aaco {

Window::Window(ByteSource& source, size_t first_bytes, size_t most_bytes)
    : source_(source),
      most_bytes_(most_bytes),
      data_(std::make_unique_for_overwrite<char[]>(first_bytes + kPadding)),
      capacity_(first_bytes) {
  std::memset(data_.get(), 0, kPadding);
}

bool Window::refill(const char* keep) {
  const auto kept = static_cast<size_t>(end() - keep);
  offset_ = offset_of(keep);
  too_long_ = kept > capacity_ / 2 && capacity_ >= most_bytes_;
  if (kept > capacity_ / 2 && !too_long_) {
    auto wider = std::make_unique_for_overwrite<char[]>(2 * capacity_ + kPadding);
    std::memcpy(wider.get(), keep, kept);
    data_ = std::move(wider);
    capacity_ *= 2;
  } else if (kept > 0) {
    std::memmove(data_.get(), keep, kept);
  }
  size_ = kept;
  if (too_long_ || error_ || interrupted()) {
    std::memset(data_.get() + size_, 0, kPadding);
    return false;
  }
  Result<size_t> got = source_.read({data_.get() + size_, capacity_ - size_});
  if (!got) {
    error_ = got.error();
  } else {
    size_ += *got;
  }
  std::memset(data_.get() + size_, 0, kPadding);
  return size_ > kept;
}

}  // namespace aaco
