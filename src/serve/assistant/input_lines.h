// SPDX-License-Identifier: MIT
// Lines from a descriptor. One that is too long is skipped to its end, in bounded memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"

namespace aaco::serve {

struct InputLine {
  std::string text;       // without its end; empty where it is too long
  bool too_long = false;  // the lines behind it can be read
};

class InputLines {
 public:
  InputLines(int descriptor, size_t longest_bytes) : descriptor_(descriptor), longest_bytes_(longest_bytes) {}

  // The next line, the last one also without an end; none at the end of the input, or after an interrupt. Errors: of
  // reading.
  Result<std::optional<InputLine>> next();

 private:
  Result<bool> read_some();
  InputLine take(size_t bytes);

  int descriptor_;
  size_t longest_bytes_;
  std::string pending_;
  bool skipping_ = false;  // what is pending belongs to a line that is too long
};

}  // namespace aaco::serve
