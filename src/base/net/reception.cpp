// SPDX-License-Identifier: MIT
#include "base/net/reception.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

#include "base/clock.h"
#include "base/interrupt.h"

namespace aaco {

namespace {

constexpr size_t kReasons = 4;
constexpr size_t kPieceBytes = 4096;
constexpr int kAcceptedAtOnce = 64;  // then those are listened to that came before
constexpr int64_t kMillisecondNs = 1'000'000;

int wait_ms(int64_t until_ns) {
  return static_cast<int>(std::clamp<int64_t>((until_ns - monotonic_ns()) / kMillisecondNs + 1, 0, 1000));
}

bool somebody_waits(const Socket& listening) {
  pollfd polled{listening.descriptor(), POLLIN, 0};
  return ::poll(&polled, 1, 0) > 0;
}

std::string name_of(const Caller& caller) {
  const std::string address = caller.socket.peer_address();
  return address.empty() ? "a process of this machine" : address;
}

Error silent(const Caller& caller) {
  return {ErrorKind::kResource,
          fmt::format("{} {}", name_of(caller), caller.said.empty() ? "said nothing" : "did not say all"),
          "start the ranks by one launcher"};
}

}  // namespace

Reception::Reception(std::span<const Socket> listening, size_t first_bytes, int64_t limit_ns, Greet greet, Judge judge)
    : listening_(listening),
      first_bytes_(first_bytes),
      limit_ns_(limit_ns),
      greet_(std::move(greet)),
      judge_(std::move(judge)) {
  for (const Socket& socket : listening_) {
    socket.block(false);
  }
}

Result<Caller> Reception::next(int64_t deadline_ns) {
  for (;;) {
    if (!known_.empty()) {
      Caller caller = std::move(known_.front());
      known_.pop_front();
      caller.socket.block(true);
      return caller;
    }
    drop_late();
    if (monotonic_ns() > deadline_ns) {  // those that keep coming do not put it off
      return Error{ErrorKind::kResource, "nobody has come", "start all ranks within the limit"};
    }
    std::vector<pollfd> polled{{interrupted_fd(), POLLIN, 0}};
    for (const Socket& socket : listening_) {
      polled.push_back({socket.descriptor(), POLLIN, 0});
    }
    for (const Caller& caller : callers_) {
      polled.push_back({caller.socket.descriptor(), POLLIN, 0});
    }
    const int ready = ::poll(polled.data(), polled.size(), wait_ms(next_deadline(deadline_ns)));
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    if (ready < 0 && errno != EINTR) {
      return Error{ErrorKind::kResource, "cannot wait for connections", "close some files (ulimit -n)"};
    }
    if (ready <= 0) {
      continue;
    }
    // Before others come: a caller that has just answered is not dropped for them.
    const size_t first = 1 + listening_.size();
    std::deque<Caller> staying;
    for (size_t i = 0; i < callers_.size(); ++i) {
      if (polled[first + i].revents == 0 || listen_to(callers_[i])) {
        staying.push_back(std::move(callers_[i]));
      }
    }
    callers_ = std::move(staying);
    if (!known_.empty()) {  // it leaves first: where files are short, its file is the spare one
      continue;
    }
    for (size_t i = 0; i < listening_.size(); ++i) {
      if (polled[1 + i].revents != 0) {
        AACO_TRY(accept_from(listening_[i]));
      }
    }
  }
}

Result<void> Reception::accept_from(const Socket& listening) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    if (callers_.size() >= kMostCallers && somebody_has_spoken()) {
      return {};
    }
    Socket socket = accept_waiting(listening);
    if (!socket && (errno == EMFILE || errno == ENFILE) && !callers_.empty()) {
      // Linux looks for a free descriptor before it looks for a caller.
      if (!somebody_waits(listening) || somebody_has_spoken()) {
        return {};
      }
      drop_least();
      continue;
    }
    if (!socket && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
      return Error{ErrorKind::kResource, fmt::format("cannot take a connection: {}", std::strerror(errno)),
                   "close some files (ulimit -n)"};
    }
    if (!socket) {  // nobody waits, or who did has gone
      return {};
    }
    if (callers_.size() >= kMostCallers) {
      drop_least();
    }
    Caller caller;
    caller.socket = std::move(socket);
    caller.wanted_bytes = first_bytes_;
    caller.deadline_ns = monotonic_ns() + limit_ns_;
    caller.socket.block(false);
    if (greet(caller)) {
      callers_.push_back(std::move(caller));
    }
  }
  return {};
}

bool Reception::greet(Caller& caller) {
  Result<std::string> greeting = greet_(caller.socket);
  if (!greeting) {
    turn_away(greeting.error());
    return false;
  }
  caller.greeting = std::move(*greeting);
  if (!caller.socket.send_all(caller.greeting.data(), caller.greeting.size())) {
    turn_away(silent(caller));
    return false;
  }
  return true;
}

bool Reception::listen_to(Caller& caller) {
  char piece[kPieceBytes];
  const size_t missing = caller.wanted_bytes - caller.said.size();
  const ssize_t got = ::recv(caller.socket.descriptor(), piece, std::min(missing, kPieceBytes), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return true;
  }
  if (got <= 0) {
    turn_away(silent(caller));
    return false;
  }
  caller.said.append(piece, static_cast<size_t>(got));
  while (caller.said.size() == caller.wanted_bytes) {
    const Result<size_t> wanted = judge_(caller);
    if (!wanted) {
      turn_away(wanted.error());
      return false;
    }
    ++caller.steps;
    if (*wanted <= caller.said.size()) {
      known_.push_back(std::move(caller));
      return false;
    }
    caller.wanted_bytes = *wanted;
  }
  return true;
}

// Then it is listened to before anybody is dropped: it may be one of the ranks.
bool Reception::somebody_has_spoken() const {
  std::vector<pollfd> polled;
  for (const Caller& caller : callers_) {
    polled.push_back({caller.socket.descriptor(), POLLIN, 0});
  }
  return ::poll(polled.data(), polled.size(), 0) > 0;
}

void Reception::drop_least() {
  const auto least = std::min_element(callers_.begin(), callers_.end(), [](const Caller& a, const Caller& b) {
    return std::pair(a.steps, !a.said.empty()) < std::pair(b.steps, !b.said.empty());
  });
  turn_away(silent(*least));
  callers_.erase(least);
}

void Reception::drop_late() {
  const int64_t now_ns = monotonic_ns();
  while (!callers_.empty() && callers_.front().deadline_ns <= now_ns) {
    turn_away(silent(callers_.front()));
    callers_.pop_front();
  }
}

void Reception::turn_away(const Error& why) {
  ++turned_away_;
  if (reasons_.size() < kReasons && std::find(reasons_.begin(), reasons_.end(), why.message) == reasons_.end()) {
    reasons_.push_back(why.message);
  }
}

int64_t Reception::next_deadline(int64_t deadline_ns) const {
  return callers_.empty() ? deadline_ns : std::min(deadline_ns, callers_.front().deadline_ns);
}

std::string Reception::turned_away() const {
  return turned_away_ == 0 ? "" : fmt::format("{} turned away: {}", turned_away_, fmt::join(reasons_, "; "));
}

}  // namespace aaco
