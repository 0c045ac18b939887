// SPDX-License-Identifier: MIT
#include "device/cpu/collectives/rank_link.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/interrupt.h"

namespace aaco {

namespace {

constexpr int64_t kPatienceNs = 60'000'000'000;
constexpr int kPollMs = 20;
constexpr const char* kHint = "what the other process said is the cause";

// Before the bytes of an exchange.
struct ExchangeHeader {
  char what[48];
  uint64_t bytes;
};

// An abstract address, which goes away with its socket: nothing is left in any folder.
sockaddr_un address_of(const RankId& id) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, id.bytes.data(), ::strnlen(id.bytes.data(), sizeof address.sun_path - 2));
  return address;
}

Error system_error(const std::string& what) {
  return {ErrorKind::kResource, fmt::format("{}: {}", what, std::strerror(errno)), "close some files (ulimit -n)"};
}

Error gone(int32_t rank) { return {ErrorKind::kResource, fmt::format("rank {} has ended or failed", rank), kHint}; }

bool send_all(int socket, const void* data, size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, from, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR && !interrupted()) {
      continue;
    }
    if (sent <= 0) {
      return false;
    }
    from += sent;
    bytes -= static_cast<size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, size_t bytes) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, to, bytes, 0);
    if (got < 0 && errno == EINTR && !interrupted()) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    to += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

// Abstract addresses are open to all users of the machine.
bool is_of_this_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

ExchangeHeader header_of(const std::string& what, size_t bytes) {
  ExchangeHeader header{};
  what.copy(header.what, sizeof header.what - 1);
  header.bytes = bytes;
  return header;
}

Error disagreement(int32_t rank, const ExchangeHeader& theirs, const ExchangeHeader& own) {
  return {ErrorKind::kUsage,
          fmt::format("rank {} is at {} of {} bytes, not at {} of {}", rank, theirs.what, theirs.bytes, own.what,
                      own.bytes),
          "give all ranks the same collectives in the same order"};
}

}  // namespace

RankId make_cpu_rank_id() {
  std::random_device random;
  RankId id;
  fmt::format_to_n(id.bytes.data(), id.bytes.size() - 1, "aaco-{}-{:08x}{:08x}{:08x}", ::getpid(), random(), random(),
                   random());
  return id;
}

RankLink::RankLink(RankLink&& other) noexcept
    : rank_(other.rank_), ranks_(other.ranks_), sockets_(std::exchange(other.sockets_, {})) {}

RankLink::~RankLink() {
  for (const int socket : sockets_) {
    if (socket >= 0) {
      ::close(socket);
    }
  }
}

Result<RankLink> RankLink::join(const RankId& id, int32_t rank, int32_t ranks) {
  if (rank < 0 || rank >= ranks) {
    return Error{ErrorKind::kUsage, fmt::format("there is no rank {} of {}", rank, ranks), "ranks count from 0"};
  }
  RankLink link(rank, ranks);
  AACO_TRY(rank == 0 ? link.listen(id) : link.connect(id));
  return link;
}

Result<void> RankLink::listen(const RankId& id) {
  sockets_.assign(static_cast<size_t>(ranks_), -1);
  const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listening < 0) {
    return system_error("cannot make a socket");
  }
  const sockaddr_un address = address_of(id);
  Result<void> all;
  if (::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listening, ranks_) != 0) {
    all = system_error("cannot wait for the other ranks");
  } else {
    all = accept_all(listening);
  }
  ::close(listening);
  return all;
}

// Each says first which rank it is.
Result<void> RankLink::accept_all(int listening) {
  const int64_t deadline = monotonic_ns() + kPatienceNs;
  for (int32_t here = 1; here < ranks_;) {
    pollfd polled{listening, POLLIN, 0};
    const int ready = ::poll(&polled, 1, kPollMs);
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    if (ready <= 0) {
      if (monotonic_ns() > deadline) {
        return Error{ErrorKind::kResource, fmt::format("only {} of {} ranks have come", here, ranks_), kHint};
      }
      continue;
    }
    const int socket = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) {
      return system_error("cannot take a rank's connection");
    }
    int32_t rank = 0;
    if (!is_of_this_user(socket) || !receive_all(socket, &rank, sizeof rank) || rank <= 0 || rank >= ranks_ ||
        sockets_[static_cast<size_t>(rank)] >= 0) {
      ::close(socket);
      continue;
    }
    sockets_[static_cast<size_t>(rank)] = socket;
    ++here;
  }
  return {};
}

Result<void> RankLink::connect(const RankId& id) {
  const sockaddr_un address = address_of(id);
  const int64_t deadline = monotonic_ns() + kPatienceNs;
  for (;;) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) {
      return system_error("cannot make a socket");
    }
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      sockets_.push_back(socket);
      return send_all(socket, &rank_, sizeof rank_) ? Result<void>() : gone(0);
    }
    ::close(socket);
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    if (monotonic_ns() > deadline) {
      return Error{ErrorKind::kResource, "rank 0 has not come", kHint};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
  }
}

Result<std::vector<std::byte>> RankLink::gather(const std::string& what, std::span<const std::byte> own) {
  const ExchangeHeader header = header_of(what, own.size());
  std::vector<std::byte> all(own.size() * static_cast<size_t>(ranks_));
  std::copy(own.begin(), own.end(), all.begin());
  for (int32_t rank = 1; rank < ranks_; ++rank) {
    const int socket = sockets_[static_cast<size_t>(rank)];
    ExchangeHeader theirs{};
    if (!receive_all(socket, &theirs, sizeof theirs)) {
      return gone(rank);
    }
    theirs.what[sizeof theirs.what - 1] = '\0';
    if (std::memcmp(&theirs, &header, sizeof header) != 0) {
      return disagreement(rank, theirs, header);
    }
    if (!receive_all(socket, all.data() + static_cast<size_t>(rank) * own.size(), own.size())) {
      return gone(rank);
    }
  }
  for (int32_t rank = 1; rank < ranks_; ++rank) {
    if (!send_all(sockets_[static_cast<size_t>(rank)], all.data(), all.size())) {
      return gone(rank);
    }
  }
  return all;
}

Result<std::vector<std::byte>> RankLink::scatter(const std::string& what, std::span<const std::byte> own) {
  const ExchangeHeader header = header_of(what, own.size());
  std::vector<std::byte> all(own.size() * static_cast<size_t>(ranks_));
  const int socket = sockets_.front();
  if (!send_all(socket, &header, sizeof header) || !send_all(socket, own.data(), own.size()) ||
      !receive_all(socket, all.data(), all.size())) {
    return gone(0);
  }
  return all;
}

Result<std::vector<std::byte>> RankLink::exchange(const std::string& what, std::span<const std::byte> own) {
  auto all = rank_ == 0 ? gather(what, own) : scatter(what, own);
  if (!all) {
    abandon();
  }
  return all;
}

void RankLink::abandon() {
  for (const int socket : sockets_) {
    if (socket >= 0) {
      ::shutdown(socket, SHUT_RDWR);
    }
  }
}

}  // namespace aaco
