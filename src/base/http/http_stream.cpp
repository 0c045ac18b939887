// SPDX-License-Identifier: MIT
#include "base/http/http_stream.h"

#include <cerrno>
#include <fstream>
#include <utility>

#include "base/files/file.h"

namespace aaco {

namespace {

constexpr size_t kFilePieceBytes = size_t{256} << 10;

}  // namespace

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
  if (next_ && !ended_) {
    Result<std::string> piece = next_();
    failed_ = !piece;
    ended_ = !piece || piece->empty();
    return ended_ ? std::nullopt : std::optional(std::move(piece).value());
  }
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

bool HttpStream::has_failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void HttpStream::detach() {
  const std::lock_guard lock(mutex_);
  gone_ = true;
  pieces_.clear();
  waiting_bytes_ = 0;
  wake_ = nullptr;
  next_ = nullptr;
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

Result<std::shared_ptr<HttpStream>> file_stream(const std::filesystem::path& path) {
  const auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  if (!file->is_open()) {
    return file_error(path, "open", errno);
  }
  return std::make_shared<HttpStream>([file, path]() -> Result<std::string> {
    std::string piece(kFilePieceBytes, '\0');
    file->read(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (file->bad()) {
      return file_error(path, "read", errno);
    }
    piece.resize(static_cast<size_t>(file->gcount()));
    return piece;
  });
}

}  // namespace aaco
