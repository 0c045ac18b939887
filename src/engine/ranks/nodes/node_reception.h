// SPDX-License-Identifier: MIT
// Rank 0's node answers all that connect at once, and hands out those that have shown that they know the job's secret
// and have said who they are. Strangers, however many, keep none of them waiting.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/net/reception.h"
#include "engine/ranks/nodes/node_link.h"

namespace aaco {

class NodeReception {
 public:
  NodeReception(std::span<const Socket> listening, const std::string& secret);

  struct Arrival {
    std::unique_ptr<NodeLink> link;
    std::string facts;  // content of its first message: who it is
  };
  // Errors: as Reception::next().
  Result<Arrival> next(int64_t deadline_ns);
  std::string turned_away() const { return reception_.turned_away(); }

 private:
  Reception reception_;
};

}  // namespace aaco
