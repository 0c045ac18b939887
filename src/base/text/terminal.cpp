// SPDX-License-Identifier: MIT
#include "base/text/terminal.h"

#include <sys/ioctl.h>

namespace aaco {

std::optional<int> terminal_columns(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return std::nullopt;
  }
  return size.ws_col;
}

}  // namespace aaco
