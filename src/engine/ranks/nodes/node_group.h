// SPDX-License-Identifier: MIT
// The nodes of a run as rank 0's process has them: it listens, the others connect, and each starts the processes of its
// own ranks when it is told to. Ids of communicators, the watches' state, results and journals go over these
// connections, so that nodes need no common file system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/ranks/nodes/node_contents.h"
#include "engine/ranks/nodes/node_link.h"
#include "engine/ranks/rank_processes.h"

namespace aaco {

// How far a node's monotonic_ns() is ahead of rank 0's, and how wrong that may be: half of the fastest answer's way.
struct NodeClock {
  int64_t ahead_ns = 0;
  int64_t error_ns = 0;
};

struct OtherNode {
  NodeFacts facts;
  std::unique_ptr<NodeLink> link;
  NodeClock clock;  // of the last run
};

class NodeGroup {
 public:
  // Waits at `at` until the nodes of all of `own.ranks` have come: on that address where it is this machine's, else on
  // all. Strangers are turned away, and keep nobody waiting. Errors: kResource where
  // some have not come within the limit, which names who was turned away; kUsage for nodes that do not fit together;
  // kInterrupted.
  static Result<std::unique_ptr<NodeGroup>> gather(const RendezvousAddress& at, const NodeFacts& own,
                                                   const std::string& secret, int64_t limit_ns);
  NodeGroup(const NodeGroup&) = delete;
  NodeGroup& operator=(const NodeGroup&) = delete;
  ~NodeGroup() = default;

  // Of all ranks.
  std::vector<std::string> devices() const;
  // "2 nodes: ranks 0 to 1 here, 2 to 3 at 10.0.0.2", and why rank 0 listened on all addresses where it did.
  std::string text() const;
  const NodeFacts& own() const { return own_; }
  const std::vector<OtherNode>& others() const { return others_; }
  // How far the clock of a rank's node is ahead; zero on rank 0's.
  NodeClock clock_of(int64_t rank) const;

  // The processes of all ranks, as run_rank_processes() of one machine. The other nodes' get the plan that lies at
  // `options.plan_file`; what their ranks leave comes into `options.folder`.
  RankEnds run(const SpawnOptions& options, const std::string& worker_role);
  // Tells the others that it is over; their processes end with this code.
  void end(int exit_code);

 private:
  NodeGroup() = default;
  Result<void> take(OtherNode node);
  int64_t ranks_here() const;  // that have come, with those of this node

  NodeFacts own_;
  std::vector<OtherNode> others_;   // by first rank
  std::string everywhere_because_;  // empty where it listened on its address alone
};

}  // namespace aaco
