// SPDX-License-Identifier: MIT
// A stretch of a source in memory that slides over it. A parser works on places in the window; where it needs more, it
// keeps what it has not consumed and the window moves on. It grows for an item that fills more than half of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"

namespace aaco {

class Window {
 public:
  // Zero bytes that follow end(), so that a parser may read ahead without asking.
  static constexpr size_t kPadding = 64;

  explicit Window(ByteSource& source, size_t first_bytes = size_t{1} << 20, size_t most_bytes = size_t{1} << 30);

  const char* begin() const { return data_.get(); }
  const char* end() const { return data_.get() + size_; }
  uint64_t offset_of(const char* place) const { return offset_ + static_cast<uint64_t>(place - data_.get()); }

  // Moves on so that the window begins at `keep`, and reads more. False at the end of the source, or where the window
  // would grow beyond its limit, and once the program is interrupted; nothing has moved then but `keep` to begin().
  bool refill(const char* keep);

  // Why the source ended, where it was not its end.
  const std::optional<Error>& error() const { return error_; }
  bool too_long() const { return too_long_; }  // refill gave up at the limit

 private:
  ByteSource& source_;
  size_t most_bytes_;
  std::unique_ptr<char[]> data_;
  size_t capacity_ = 0;
  size_t size_ = 0;
  uint64_t offset_ = 0;  // of begin() in the source
  bool too_long_ = false;
  std::optional<Error> error_;
};

}  // namespace aaco
