// SPDX-License-Identifier: MIT
// The body of an answer that comes piece by piece, as events of a live run do.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace aaco {

// One producer, one server; each on any thread.
class HttpStream {
 public:
  static constexpr size_t kMostWaitingBytes = size_t{1} << 20;

  // False from when the client has gone, or has left kMostWaitingBytes unread: the stream is at its end then.
  bool push(std::string piece);
  void end();
  bool is_open() const;

  // The server's side. `wake` is called, with no lock held, when there is something to take; none: the client is gone.
  void attach(std::function<void()> wake);
  // All that waits; "" where nothing does; none at the end.
  std::optional<std::string> take();
  void detach();

 private:
  void tell();

  mutable std::mutex mutex_;
  std::deque<std::string> pieces_;
  size_t waiting_bytes_ = 0;
  bool ended_ = false;
  bool gone_ = false;
  std::function<void()> wake_;
};

}  // namespace aaco
