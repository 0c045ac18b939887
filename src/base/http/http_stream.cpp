// SPDX-License-Identifier: MIT
#include "base/http/http_stream.h"

#include <utility>

namespace aaco {

bool HttpStream::push(std::string piece) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || gone_) {
      return false;
    }
    if (waiting_bytes_ + piece.size() > kMostWaitingBytes) {
      ended_ = true;
      pieces_.clear();
      waiting_bytes_ = 0;
    } else {
      waiting_bytes_ += piece.size();
      pieces_.push_back(std::move(piece));
    }
  }
  tell();
  return is_open();
}

void HttpStream::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  tell();
}

bool HttpStream::is_open() const {
  const std::lock_guard lock(mutex_);
  return !ended_ && !gone_;
}

void HttpStream::attach(std::function<void()> wake) {
  {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }
  tell();
}

std::optional<std::string> HttpStream::take() {
  const std::lock_guard lock(mutex_);
  if (pieces_.empty()) {
    return ended_ ? std::nullopt : std::optional<std::string>("");
  }
  std::string text;
  text.reserve(waiting_bytes_);
  for (const std::string& piece : pieces_) {
    text += piece;
  }
  pieces_.clear();
  waiting_bytes_ = 0;
  return text;
}

void HttpStream::detach() {
  const std::lock_guard lock(mutex_);
  gone_ = true;
  pieces_.clear();
  waiting_bytes_ = 0;
  wake_ = nullptr;
}

void HttpStream::tell() {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    wake = wake_;
  }
  if (wake) {
    wake();
  }
}

}  // namespace aaco
