// SPDX-License-Identifier: MIT
// Server-sent events: which sessions there are, and how far those are that are being recorded. At most twice a second
// for each, once more when it has ended, and only while somebody listens.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/http/http_stream.h"
#include "serve/live/journal_follower.h"
#include "serve/sessions/session_cards.h"

namespace aaco::serve {

class LiveFeed {
 public:
  static constexpr int64_t kIntervalNs = 500'000'000;  // a page is at most a second behind
  static constexpr size_t kMostListeners = 64;

  explicit LiveFeed(SessionCards& sessions) : sessions_(sessions) {}
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  // A new listener's events. When there are too many, the first that joined goes.
  std::shared_ptr<HttpStream> join();
  // Sends what is due. Until when it need not be called again: monotonic_ns(), the largest number where nobody listens.
  int64_t step();

 private:
  void send(const std::string& text);
  void send_sessions(const std::vector<SessionEntry>& entries);
  // Of a session that is followed, or will be from now on.
  void send_figures(const SessionEntry& entry);

  SessionCards& sessions_;
  std::vector<std::shared_ptr<HttpStream>> listeners_;
  std::map<std::filesystem::path, JournalFollower> followers_;  // of running sessions
  std::string listed_;                                          // names and states that were told last
  bool has_new_listener_ = false;
  int64_t due_ns_ = 0;
  int64_t sent_ns_ = 0;
};

}  // namespace aaco::serve
