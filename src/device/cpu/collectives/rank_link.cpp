// SPDX-License-Identifier: MIT
#include "device/cpu/collectives/rank_link.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <random>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/net/reception.h"

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

// What a rank says first. One that knows no secret is a stranger.
struct RankHello {
  std::array<char, 8> magic{'a', 'a', 'c', 'o', 'r', 'n', 'k', '1'};
  std::array<char, 32> secret{};
  int32_t rank = 0;
};

RankHello hello_of(const Caller& caller) {
  RankHello hello;
  std::memcpy(&hello, caller.said.data(), sizeof hello);
  return hello;
}

// Of ranks of several machines: where rank 0 listens. Within one machine `host` is empty, and the id itself is the name
// of an address that goes away with its socket.
struct LinkAddress {
  std::string host;
  int port = 0;
  std::array<char, 32> secret{};
};

constexpr const char* kTcpForm = "aaco-tcp %63s %d %31s";

LinkAddress address_of(const RankId& id) {
  LinkAddress address;
  std::array<char, 64> host{};
  std::array<char, 129> text{};
  std::copy(id.bytes.begin(), id.bytes.end(), text.begin());
  if (std::sscanf(text.data(), kTcpForm, host.data(), &address.port, address.secret.data()) == 3) {
    address.host = host.data();
  } else {
    std::copy_n(id.bytes.begin(), address.secret.size() - 1, address.secret.begin());
  }
  return address;
}

sockaddr_un local_address(const RankId& id) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, id.bytes.data(), ::strnlen(id.bytes.data(), sizeof address.sun_path - 2));
  return address;
}

// Ids made by this process for ranks of several machines, and the sockets that listen for them until rank 0 joins.
class ListeningIds {
 public:
  void add(const RankId& id, Socket socket) {
    const std::lock_guard lock(mutex_);
    sockets_.emplace(std::string(id.bytes.data(), id.bytes.size()), std::move(socket));
  }
  Socket take(const RankId& id) {
    const std::lock_guard lock(mutex_);
    auto socket = sockets_.extract(std::string(id.bytes.data(), id.bytes.size()));
    return socket ? std::move(socket.mapped()) : Socket();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Socket> sockets_;
};

ListeningIds& listening_ids() {
  static ListeningIds ids;
  return ids;
}

Error system_error(const std::string& what) {
  return {ErrorKind::kResource, fmt::format("{}: {}", what, std::strerror(errno)), "close some files (ulimit -n)"};
}

Error gone(int32_t rank) { return {ErrorKind::kResource, fmt::format("rank {} has ended or failed", rank), kHint}; }

// Abstract addresses are open to all users of the machine; to those of others the secret is not known.
bool is_of_this_user(const Socket& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket.descriptor(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

std::string random_letters() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}", random(), random(), random());
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
  RankId id;
  fmt::format_to_n(id.bytes.data(), id.bytes.size() - 1, "{}-aaco-{}", random_letters(), ::getpid());
  return id;
}

Result<RankId> make_cpu_rank_id_at(const std::string& address) {
  AACO_ASSIGN(ListeningSockets listening, listen_tcp_at(address, 0));
  Socket socket = std::move(listening.sockets.front());
  RankId id;
  const auto text_end = fmt::format_to_n(id.bytes.data(), id.bytes.size() - 1, "aaco-tcp {} {} {}", address,
                                         socket.own_port(), random_letters());
  if (text_end.size >= id.bytes.size() || address_of(id).host != address) {
    return Error{ErrorKind::kUsage, fmt::format("\"{}\" is no address of a node", address),
                 "an address as numbers, 10.0.0.2 or fe80::1%eth0"};
  }
  listening_ids().add(id, std::move(socket));
  return id;
}

Result<RankLink> RankLink::join(const RankId& id, int32_t rank, int32_t ranks) {
  if (rank < 0 || rank >= ranks) {
    return Error{ErrorKind::kUsage, fmt::format("there is no rank {} of {}", rank, ranks), "ranks count from 0"};
  }
  RankLink link(rank, ranks);
  link.of_one_machine_ = address_of(id).host.empty();
  AACO_TRY(rank == 0 ? link.listen(id) : link.connect(id));
  return link;
}

Result<void> RankLink::listen(const RankId& id) {
  sockets_.resize(static_cast<size_t>(ranks_));
  if (!address_of(id).host.empty()) {
    const Socket listening = listening_ids().take(id);
    return listening ? accept_all(listening, id)
                     : Error{ErrorKind::kUsage, "rank 0 joins by an id that its process has not made", kHint};
  }
  const Socket listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = local_address(id);
  if (!listening || ::bind(listening.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listening.descriptor(), ranks_) != 0) {
    return system_error("cannot wait for the other ranks");
  }
  return accept_all(listening, id);
}

// Strangers are turned away, and keep nobody waiting.
Result<void> RankLink::accept_all(const Socket& listening, const RankId& id) {
  constexpr int64_t kHelloNs = 10'000'000'000;
  const int64_t deadline = monotonic_ns() + kPatienceNs;
  const RankHello expected{.secret = address_of(id).secret};
  const Error stranger{ErrorKind::kUsage, "a stranger", kHint};
  Reception reception(
      {&listening, 1}, sizeof(RankHello), kHelloNs,
      [&](const Socket& socket) -> Result<std::string> {
        return of_one_machine_ && !is_of_this_user(socket) ? Result<std::string>(stranger) : std::string();
      },
      [&](Caller& caller) -> Result<size_t> {
        const RankHello hello = hello_of(caller);
        const bool known = hello.magic == expected.magic && hello.secret == expected.secret && hello.rank > 0 &&
                           hello.rank < ranks_ && !sockets_[static_cast<size_t>(hello.rank)];
        return known ? Result<size_t>(caller.said.size()) : stranger;
      });
  for (int32_t here = 1; here < ranks_;) {
    auto accepted = reception.next(deadline);
    if (!accepted && accepted.error().kind == ErrorKind::kResource && monotonic_ns() > deadline) {
      return Error{ErrorKind::kResource, fmt::format("only {} of {} ranks have come", here, ranks_), kHint};
    }
    AACO_ASSIGN(Caller caller, std::move(accepted));
    Socket& of_rank = sockets_[static_cast<size_t>(hello_of(caller).rank)];
    if (!of_rank) {
      of_rank = std::move(caller.socket);
      ++here;
    }
  }
  return {};
}

Result<void> RankLink::connect(const RankId& id) {
  const LinkAddress address = address_of(id);
  const int64_t deadline = monotonic_ns() + kPatienceNs;
  AACO_ASSIGN(Socket socket,
              address.host.empty() ? connect_here(id, deadline) : connect_tcp(address.host, address.port, deadline));
  const RankHello hello{.secret = address.secret, .rank = rank_};
  sockets_.push_back(std::move(socket));
  return sockets_.front().send_all(&hello, sizeof hello) ? Result<void>() : gone(0);
}

Result<Socket> RankLink::connect_here(const RankId& id, int64_t deadline_ns) {
  const sockaddr_un address = local_address(id);
  for (;;) {
    Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) {
      return system_error("cannot make a socket");
    }
    if (::connect(socket.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      return socket;
    }
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    if (monotonic_ns() > deadline_ns) {
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
    const Socket& socket = sockets_[static_cast<size_t>(rank)];
    ExchangeHeader theirs{};
    if (!socket.receive_all(&theirs, sizeof theirs)) {
      return gone(rank);
    }
    theirs.what[sizeof theirs.what - 1] = '\0';
    if (std::memcmp(&theirs, &header, sizeof header) != 0) {
      return disagreement(rank, theirs, header);
    }
    if (!socket.receive_all(all.data() + static_cast<size_t>(rank) * own.size(), own.size())) {
      return gone(rank);
    }
  }
  for (int32_t rank = 1; rank < ranks_; ++rank) {
    if (!sockets_[static_cast<size_t>(rank)].send_all(all.data(), all.size())) {
      return gone(rank);
    }
  }
  return all;
}

Result<std::vector<std::byte>> RankLink::scatter(const std::string& what, std::span<const std::byte> own) {
  const ExchangeHeader header = header_of(what, own.size());
  std::vector<std::byte> all(own.size() * static_cast<size_t>(ranks_));
  const Socket& socket = sockets_.front();
  if (!socket.send_all(&header, sizeof header) || !socket.send_all(own.data(), own.size()) ||
      !socket.receive_all(all.data(), all.size())) {
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
  for (const Socket& socket : sockets_) {
    socket.shut();
  }
}

}  // namespace aaco
