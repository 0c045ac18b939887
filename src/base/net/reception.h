// SPDX-License-Identifier: MIT
// Connections that have come and have not shown yet who they are. All are listened to at once, so that one that says
// nothing, or a byte a second, keeps nobody waiting; and there are never more than a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/net/socket.h"
#include "base/result.h"

namespace aaco {

struct Caller {
  Socket socket;         // does not block until it is handed out
  std::string greeting;  // what was said to it
  std::string said;
  size_t wanted_bytes = 0;  // of `said`, before it is looked at
  int steps = 0;            // how often that was found good
  int64_t deadline_ns = 0;
};

class Reception {
 public:
  // What to say to one that has come; empty for nothing. An error turns it away.
  using Greet = std::function<Result<std::string>(const Socket&)>;
  // Called when a caller has said the wanted bytes: how many it is to have said then. As many as it has said: it is
  // known, and handed out. An error turns it away.
  using Judge = std::function<Result<size_t>(Caller&)>;

  // As seen first: `first_bytes` of each. `limit_ns` is how long a caller may take, from its coming.
  Reception(std::span<const Socket> listening, size_t first_bytes, int64_t limit_ns, Greet greet, Judge judge);

  // The next that is known. Errors: kResource where none has come at the deadline (monotonic_ns()); kInterrupted.
  Result<Caller> next(int64_t deadline_ns);

  // How many were turned away, and of the first of them who and why.
  std::string turned_away() const;

  // At most so many callers are listened to, fewer where files are short. When another comes, one goes: the one that
  // has come least far, of several alike the one that has been here longest.
  static constexpr size_t kMostCallers = 256;

 private:
  Result<void> accept_from(const Socket& listening);
  // Whether `caller` stays.
  bool greet(Caller& caller);
  bool listen_to(Caller& caller);
  bool somebody_has_spoken() const;
  void drop_least();
  void drop_late();
  void turn_away(const Error& why);
  int64_t next_deadline(int64_t deadline_ns) const;

  std::span<const Socket> listening_;
  size_t first_bytes_;
  int64_t limit_ns_;
  Greet greet_;
  Judge judge_;
  std::deque<Caller> callers_;  // in the order in which they came
  std::deque<Caller> known_;
  std::vector<std::string> reasons_;
  uint64_t turned_away_ = 0;
};

}  // namespace aaco
