// SPDX-License-Identifier: MIT
#include "engine/ranks/nodes/node_reception.h"

#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "base/version.h"
#include "engine/ranks/nodes/node_handshake.h"

namespace aaco {

namespace {

constexpr int64_t kAnswerNs = 10'000'000'000;
constexpr uint64_t kMostFactsBytes = uint64_t{1} << 20;
constexpr size_t kHeaderEnd = sizeof(NodeAnswer) + sizeof(NodeMessageHeader);

template <class T>
T read_at(const std::string& bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

Error stranger(const Caller& caller, const char* why) {
  return {ErrorKind::kUsage, fmt::format("{} {}", caller.socket.peer_address(), why),
          "start the ranks by one launcher"};
}

Result<std::string> greet(const Socket& /*socket*/) {
  return bytes_of(NodeGreeting{.version = letters_of(program_version()), .challenge = handshake_challenge()});
}

Result<size_t> judge_answer(Caller& caller, const std::string& secret) {
  const auto greeting = read_at<NodeGreeting>(caller.greeting, 0);
  const auto answer = read_at<NodeAnswer>(caller.said, 0);
  if (answer.magic != kAnswerMagic) {
    return stranger(caller, "is no node of aaco");
  }
  NodeVerdict verdict;
  verdict.accepted = answer.proof == handshake_proof("node", secret, greeting.challenge, answer.challenge) ? 1 : 0;
  if (verdict.accepted != 0) {
    verdict.proof = handshake_proof("rank 0", secret, greeting.challenge, answer.challenge);
  }
  if (!caller.socket.send_all(&verdict, sizeof verdict)) {
    return stranger(caller, "has gone");
  }
  return verdict.accepted != 0 ? Result<size_t>(kHeaderEnd)
                               : stranger(caller, "is of another job, or has another AACO_JOB_SECRET");
}

// Its answer, then the head of its first message, then that.
Result<size_t> judge(Caller& caller, const std::string& secret) {
  if (caller.said.size() == sizeof(NodeAnswer)) {
    return judge_answer(caller, secret);
  }
  if (caller.said.size() > kHeaderEnd) {
    return caller.said.size();
  }
  const auto header = read_at<NodeMessageHeader>(caller.said, sizeof(NodeAnswer));
  if (header.kind != static_cast<uint32_t>(NodeMessageKind::kNode) || header.name_bytes > kMostNodeNameBytes ||
      header.content_bytes > kMostFactsBytes) {
    return stranger(caller, "sent what is no message");
  }
  return kHeaderEnd + header.name_bytes + header.content_bytes;
}

}  // namespace

NodeReception::NodeReception(std::span<const Socket> listening, const std::string& secret)
    : reception_(listening, sizeof(NodeAnswer), kAnswerNs, greet,
                 [secret](Caller& caller) { return judge(caller, secret); }) {}

Result<NodeReception::Arrival> NodeReception::next(int64_t deadline_ns) {
  AACO_ASSIGN(Caller caller, reception_.next(deadline_ns));
  const auto header = read_at<NodeMessageHeader>(caller.said, sizeof(NodeAnswer));
  std::string facts = caller.said.substr(kHeaderEnd + header.name_bytes);
  return Arrival{std::make_unique<NodeLink>(std::move(caller.socket)), std::move(facts)};
}

}  // namespace aaco
