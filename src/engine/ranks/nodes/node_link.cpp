// SPDX-License-Identifier: MIT
#include "engine/ranks/nodes/node_link.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/version.h"
#include "engine/ranks/nodes/node_handshake.h"

namespace aaco {

namespace {

constexpr int64_t kHandshakeNs = 5'000'000'000;
constexpr size_t kPieceBytes = size_t{16} << 20;

Error gone() {
  return interrupted() ? Error{ErrorKind::kInterrupted, "interrupted", ""}
                       : Error{ErrorKind::kResource, "the connection to another node has ended",
                               "what the ranks of that node said is the cause"};
}

}  // namespace

namespace {

Error stranger_at(const std::string& where) {
  return {ErrorKind::kUsage, fmt::format("rank 0 at {} is of another job, or has another AACO_JOB_SECRET", where),
          "start the ranks by one launcher, with the same AACO_JOB_SECRET on all nodes, or none"};
}

// False: the connection ended before rank 0 had judged.
Result<bool> introduce(const Socket& socket, const std::string& where, const std::string& secret, int64_t deadline_ns) {
  NodeGreeting greeting;
  if (!socket.receive_all(&greeting, sizeof greeting, deadline_ns) || greeting.magic != kGreetingMagic) {
    return Error{ErrorKind::kUsage, fmt::format("{} is no rank 0 of aaco", where),
                 "set MASTER_ADDR and MASTER_PORT to rank 0's node and a port that nothing else listens on"};
  }
  if (text_of(greeting.version) != text_of(letters_of(program_version()))) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("rank 0 at {} is aaco {}, this is {}", where, text_of(greeting.version), program_version()),
        "install one version on all nodes"};
  }
  NodeAnswer answer{.challenge = handshake_challenge()};
  answer.proof = handshake_proof("node", secret, greeting.challenge, answer.challenge);
  NodeVerdict verdict;
  if (!socket.send_all(&answer, sizeof answer) || !socket.receive_all(&verdict, sizeof verdict, deadline_ns)) {
    return false;
  }
  if (verdict.accepted == 0 ||
      verdict.proof != handshake_proof("rank 0", secret, greeting.challenge, answer.challenge)) {
    return stranger_at(where);
  }
  return true;
}

}  // namespace

// Rank 0 lets go of whom it knows least when too many come at once: then it is asked again.
Result<std::unique_ptr<NodeLink>> NodeLink::connect(const std::string& host, int port, const std::string& secret,
                                                    int64_t deadline_ns) {
  constexpr auto kPause = std::chrono::milliseconds(50);
  for (;;) {
    AACO_ASSIGN(Socket socket, connect_tcp(host, port, deadline_ns));
    const int64_t until_ns = std::max(deadline_ns, monotonic_ns() + kHandshakeNs);
    AACO_ASSIGN(const bool judged, introduce(socket, address_text(host, port), secret, until_ns));
    if (judged) {
      return std::unique_ptr<NodeLink>(new NodeLink(std::move(socket)));
    }
    if (interrupted() || monotonic_ns() > deadline_ns) {
      return gone();
    }
    std::this_thread::sleep_for(kPause);
  }
}

Result<void> NodeLink::send(const NodeMessage& message) {
  const NodeMessageHeader header{static_cast<uint32_t>(message.kind), static_cast<uint32_t>(message.name.size()),
                                 message.number, message.content.size()};
  const std::lock_guard lock(sending_);
  const bool sent = socket_.send_all(&header, sizeof header) &&
                    socket_.send_all(message.name.data(), message.name.size()) &&
                    socket_.send_all(message.content.data(), message.content.size());
  return sent ? Result<void>() : gone();
}

Result<NodeMessage> NodeLink::receive(int64_t deadline_ns, uint64_t most_bytes) {
  NodeMessageHeader header;
  if (!socket_.wait(deadline_ns) || !socket_.receive_all(&header, sizeof header, deadline_ns)) {
    return gone();
  }
  if (header.kind > static_cast<uint32_t>(NodeMessageKind::kLast) || header.name_bytes > kMostNodeNameBytes ||
      header.content_bytes > most_bytes) {
    shut();
    return Error{ErrorKind::kResource, "another node sent what is no message", "run it again"};
  }
  NodeMessage message{
      static_cast<NodeMessageKind>(header.kind), std::string(header.name_bytes, '\0'), header.number, {}};
  bool whole = socket_.receive_all(message.name.data(), message.name.size(), deadline_ns);
  // Piece by piece: memory is taken as the bytes come.
  while (whole && message.content.size() < header.content_bytes) {
    const size_t at = message.content.size();
    message.content.resize(at + std::min<size_t>(kPieceBytes, header.content_bytes - at));
    whole = socket_.receive_all(message.content.data() + at, message.content.size() - at, deadline_ns);
  }
  return whole ? Result<NodeMessage>(std::move(message)) : gone();
}

}  // namespace aaco
