// SPDX-License-Identifier: MIT
// One TCP connection between rank 0's node and another: what they say to each other, once both have shown that they
// know the job's secret. The secret itself is never sent; a stranger gets no further than a few bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/net/socket.h"
#include "base/result.h"

namespace aaco {

enum class NodeMessageKind : uint32_t {
  kNode,    // content: who the node is
  kStart,   // to the node: name, the role; content, the plan of its processes
  kFile,    // name and content of a file of the run's folder
  kEnded,   // number, a rank; content, its result or error
  kStop,    // to the node: its processes are to end
  kClock,   // number: the node's monotonic_ns(), when it was asked for it
  kOver,    // to the node: number, the exit code
  kRefuse,  // to the node: content, what is wrong with it
  kLast = kRefuse,
};

struct NodeMessage {
  NodeMessageKind kind = NodeMessageKind::kNode;
  std::string name;
  int64_t number = 0;
  std::string content;
};

class NodeLink {
 public:
  // Of rank 0's node, for one that has shown that it knows the secret (NodeReception).
  explicit NodeLink(Socket socket) : socket_(std::move(socket)) { socket_.end_when_unanswered(); }
  // Of another node. Errors: those of connect_tcp(); kUsage where what listens there is no rank 0 of this version of
  // aaco or not of this job.
  static Result<std::unique_ptr<NodeLink>> connect(const std::string& host, int port, const std::string& secret,
                                                   int64_t deadline_ns);

  // From any thread. Errors: kResource where the other end has gone.
  Result<void> send(const NodeMessage& message);
  // From one thread. Errors: as above; kInterrupted; also at the deadline (0: none), and for more content than
  // `most_bytes`.
  Result<NodeMessage> receive(int64_t deadline_ns = 0, uint64_t most_bytes = uint64_t{1} << 32);
  // Whoever waits, here or there, fails.
  void shut() const { socket_.shut(); }
  const Socket& socket() const { return socket_; }

 private:
  Socket socket_;
  std::mutex sending_;
};

}  // namespace aaco
