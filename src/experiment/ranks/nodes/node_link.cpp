// SPDX-License-Identifier: MIT
#include "experiment/ranks/nodes/node_link.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <random>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/version.h"

namespace aaco {

namespace {

constexpr int64_t kHandshakeNs = 5'000'000'000;
constexpr int64_t kAnswerNs = 500'000'000;  // one that says nothing keeps the others waiting
constexpr uint32_t kMostNameBytes = 256;
constexpr size_t kPieceBytes = size_t{16} << 20;

using Letters = std::array<char, 64>;
using Magic = std::array<char, 8>;
constexpr Magic kGreetingMagic{'a', 'a', 'c', 'o', 'n', 'o', 'd', 'e'};
constexpr Magic kAnswerMagic{'a', 'a', 'c', 'o', 'j', 'o', 'i', 'n'};

// Rank 0's node speaks first.
struct Greeting {
  Magic magic = kGreetingMagic;
  Letters version{};
  Letters challenge{};
};

struct Answer {
  Magic magic = kAnswerMagic;
  Letters challenge{};
  Letters proof{};
};

struct Verdict {
  uint32_t accepted = 0;
  Letters proof{};
};

// Before a message's name and content.
struct MessageHeader {
  uint32_t kind = 0;
  uint32_t name_bytes = 0;
  int64_t number = 0;
  uint64_t content_bytes = 0;
};

Letters letters_of(std::string_view text) {
  Letters letters{};
  std::copy_n(text.begin(), std::min(text.size(), letters.size()), letters.begin());
  return letters;
}

std::string text_of(const Letters& letters) {
  const auto end = std::find(letters.begin(), letters.end(), '\0');
  return {letters.begin(), end};
}

Letters challenge() {
  std::random_device random;
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += fmt::format("{:08x}", random());
  }
  return letters_of(text);
}

// What only a side that knows the secret can say, and not what the other side says.
Letters proof(std::string_view side, const std::string& secret, const Letters& first, const Letters& second) {
  return letters_of(sha256_of(fmt::format("{}\n{}\n{}\n{}", side, text_of(first), text_of(second), secret)));
}

Error gone() {
  return interrupted() ? Error{ErrorKind::kInterrupted, "interrupted", ""}
                       : Error{ErrorKind::kResource, "the connection to another node has ended",
                               "what the ranks of that node said is the cause"};
}

}  // namespace

Result<std::unique_ptr<NodeLink>> NodeLink::accept(Socket socket, const std::string& secret) {
  const int64_t deadline = monotonic_ns() + kAnswerNs;
  const Greeting greeting{.version = letters_of(program_version()), .challenge = challenge()};
  Answer answer;
  const std::string peer = socket.peer_address();
  if (!socket.send_all(&greeting, sizeof greeting) || !socket.receive_all(&answer, sizeof answer, deadline) ||
      answer.magic != kAnswerMagic) {
    return Error{ErrorKind::kUsage, fmt::format("{} is no node of aaco", peer), "start the ranks by one launcher"};
  }
  Verdict verdict;
  verdict.accepted = answer.proof == proof("node", secret, greeting.challenge, answer.challenge) ? 1 : 0;
  if (verdict.accepted != 0) {
    verdict.proof = proof("rank 0", secret, greeting.challenge, answer.challenge);
  }
  if (!socket.send_all(&verdict, sizeof verdict)) {
    return gone();
  }
  if (verdict.accepted == 0) {
    return Error{ErrorKind::kUsage, fmt::format("{} is of another job, or has another AACO_JOB_SECRET", peer),
                 "start the ranks by one launcher"};
  }
  return std::unique_ptr<NodeLink>(new NodeLink(std::move(socket)));
}

Result<std::unique_ptr<NodeLink>> NodeLink::connect(const std::string& host, int port, const std::string& secret,
                                                    int64_t deadline_ns) {
  AACO_ASSIGN(Socket socket, connect_tcp(host, port, deadline_ns));
  const std::string where = address_text(host, port);
  // Rank 0 may have others to listen to first.
  const int64_t deadline = std::max(deadline_ns, monotonic_ns() + kHandshakeNs);
  Greeting greeting;
  if (!socket.receive_all(&greeting, sizeof greeting, deadline) || greeting.magic != kGreetingMagic) {
    return Error{ErrorKind::kUsage, fmt::format("{} is no rank 0 of aaco", where),
                 "set MASTER_ADDR and MASTER_PORT to rank 0's node and a port that nothing else listens on"};
  }
  if (text_of(greeting.version) != text_of(letters_of(program_version()))) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("rank 0 at {} is aaco {}, this is {}", where, text_of(greeting.version), program_version()),
        "install one version on all nodes"};
  }
  Answer answer{.challenge = challenge()};
  answer.proof = proof("node", secret, greeting.challenge, answer.challenge);
  Verdict verdict;
  const Error stranger{ErrorKind::kUsage,
                       fmt::format("rank 0 at {} is of another job, or has another AACO_JOB_SECRET", where),
                       "start the ranks by one launcher, with the same AACO_JOB_SECRET on all nodes, or none"};
  if (!socket.send_all(&answer, sizeof answer) || !socket.receive_all(&verdict, sizeof verdict, deadline)) {
    return gone();
  }
  if (verdict.accepted == 0 || verdict.proof != proof("rank 0", secret, greeting.challenge, answer.challenge)) {
    return stranger;
  }
  return std::unique_ptr<NodeLink>(new NodeLink(std::move(socket)));
}

Result<void> NodeLink::send(const NodeMessage& message) {
  const MessageHeader header{static_cast<uint32_t>(message.kind), static_cast<uint32_t>(message.name.size()),
                             message.number, message.content.size()};
  const std::lock_guard lock(sending_);
  const bool sent = socket_.send_all(&header, sizeof header) &&
                    socket_.send_all(message.name.data(), message.name.size()) &&
                    socket_.send_all(message.content.data(), message.content.size());
  return sent ? Result<void>() : gone();
}

Result<NodeMessage> NodeLink::receive(int64_t deadline_ns, uint64_t most_bytes) {
  MessageHeader header;
  if (!socket_.wait(deadline_ns) || !socket_.receive_all(&header, sizeof header, deadline_ns)) {
    return gone();
  }
  if (header.kind > static_cast<uint32_t>(NodeMessageKind::kLast) || header.name_bytes > kMostNameBytes ||
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
