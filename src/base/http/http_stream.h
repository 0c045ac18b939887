// SPDX-License-Identifier: MIT
// The body of an answer that comes piece by piece, as events of a live run do.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace aaco {

// One producer, one server; each on any thread.
class HttpStream {
 public:
  static constexpr size_t kMostWaitingBytes = size_t{1} << 20;
  // "" at the end of the body.
  using NextPiece = std::function<Result<std::string>()>;

  HttpStream() = default;
  // Nobody pushes: the server asks for each piece when the client has taken the one before, so that little of a large
  // body is in memory. On the server's thread. After an error the connection breaks off, so that no body seems whole.
  explicit HttpStream(NextPiece next) : next_(std::move(next)) {}

  // False from when the client has gone, or has left kMostWaitingBytes unread: the stream is at its end then.
  bool push(std::string piece);
  void end();
  bool is_open() const;

  // The server's side. `wake` is called, with no lock held, when there is something to take; none: the client is gone.
  void attach(std::function<void()> wake);
  // All that waits; "" where nothing does; none at the end.
  std::optional<std::string> take();
  bool has_failed() const;
  void detach();

 private:
  void tell();

  mutable std::mutex mutex_;
  std::deque<std::string> pieces_;
  size_t waiting_bytes_ = 0;
  bool ended_ = false;
  bool gone_ = false;
  bool failed_ = false;
  std::function<void()> wake_;
  NextPiece next_;
};

// The whole of a file as it is now; it may be removed meanwhile. Errors: as file_error.
Result<std::shared_ptr<HttpStream>> file_stream(const std::filesystem::path& path);

}  // namespace aaco
