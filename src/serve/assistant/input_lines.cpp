// SPDX-License-Identifier: MIT
#include "serve/assistant/input_lines.h"

#include <array>
#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/process/limit_error.h"

namespace aaco::serve {

Result<std::optional<InputLine>> InputLines::next() {
  while (true) {
    if (const size_t end = pending_.find('\n'); end != std::string::npos) {
      InputLine line = take(end);
      pending_.erase(0, 1);
      return std::optional(std::move(line));
    }
    if (pending_.size() > longest_bytes_) {
      skipping_ = true;
    }
    if (skipping_) {
      pending_.clear();
    }
    AACO_ASSIGN(const bool more, read_some());
    if (!more) {
      const bool has_rest = !interrupted() && (skipping_ || !pending_.empty());
      return has_rest ? std::optional(take(pending_.size())) : std::optional<InputLine>();
    }
  }
}

InputLine InputLines::take(size_t bytes) {
  const bool too_long = std::exchange(skipping_, false) || bytes > longest_bytes_;
  InputLine line{too_long ? "" : pending_.substr(0, bytes), too_long};
  pending_.erase(0, bytes);
  return line;
}

// False at the end.
Result<bool> InputLines::read_some() {
  std::array<pollfd, 2> polled{{{descriptor_, POLLIN, 0}, {interrupted_fd(), POLLIN, 0}}};
  if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) {
    return limit_error("wait for input", errno);
  }
  if (interrupted()) {
    return false;
  }
  if (polled[0].revents == 0) {
    return true;
  }
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
  if (count < 0 && errno != EINTR) {
    return file_error("standard input", "read", errno);
  }
  pending_.append(buffer.data(), count > 0 ? static_cast<size_t>(count) : 0);
  return count != 0;
}

}  // namespace aaco::serve
