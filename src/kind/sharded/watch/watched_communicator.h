// SPDX-License-Identifier: MIT
// Tells a watch of each collective before it is enqueued.
#pragma once

#include "kind/sharded/watch/rank_watch.h"

namespace aaco {

class WatchedCommunicator : public Communicator {
 public:
  // Number `communicator` of the program's. Both must outlive it.
  WatchedCommunicator(Communicator& inner, RankWatch& watch, int32_t communicator)
      : inner_(inner), watch_(watch), communicator_(communicator) {}

  const CommunicatorInfo& info() const override { return inner_.info(); }
  void enqueue(Collective collective, std::span<const CollectivePart> parts, int64_t count, Dtype dtype) override {
    watch_.enqueued(communicator_, collective, count, dtype);
    inner_.enqueue(collective, parts, count, dtype);
  }

 private:
  Communicator& inner_;
  RankWatch& watch_;
  int32_t communicator_;
};

}  // namespace aaco
