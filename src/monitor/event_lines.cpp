// SPDX-License-Identifier: MIT
#include "monitor/event_lines.h"

#include <cerrno>
#include <system_error>
#include <unistd.h>

namespace aaco {

void EventLines::write(std::string_view text) {
  while (failure_ == 0 && !text.empty()) {
    const ssize_t put = ::write(descriptor_, text.data(), text.size());
    if (put >= 0) {
      text.remove_prefix(static_cast<size_t>(put));
    } else if (errno != EINTR) {
      failure_ = errno;
      say_("standard output: " + std::generic_category().message(failure_) + ": no more lines; the rest goes on");
    }
  }
}

bool EventLines::lost() const { return failure_ != 0 && failure_ != EPIPE; }

}  // namespace aaco
