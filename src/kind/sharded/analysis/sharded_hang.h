// SPDX-License-Identifier: MIT
// How a sharded training hung, as metrics/overlap.json keeps it: which rank held the others up, and of every rank what
// it was in. Times are of the monotonic clock of rank 0's machine, in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco {

// One of a rank's last collectives. What is not known is none: it may not have happened.
struct HungCollective {
  int64_t sequence = 0;  // of all that the rank enqueued, from 1
  int64_t step = 0;
  int64_t communicator = 0;
  int64_t number = 0;     // on its communicator, within its step, from 1
  std::string operation;  // "all_gather"
  int64_t count = 0;      // as device/communicator.h counts
  std::string type;       // "fp32"
  int64_t bytes = 0;      // of `count`
  std::optional<int64_t> enqueued_ns;
  std::optional<int64_t> started_ns;  // seen by the watch, at most resolution_ns later
  std::optional<int64_t> done_ns;

  std::string text() const;  // "all_gather of 8 fp32"
};

struct HungRank {
  int64_t rank = 0;
  int64_t pid = 0;
  int64_t steps_begun = 0;
  int64_t steps_done = 0;
  std::vector<HungCollective> collectives;  // the last that it enqueued, in their order
  std::vector<std::string> stack;           // of its host thread, the innermost call first
  std::string no_stack;                     // why there is none
};

struct ShardedHang {
  int64_t rank = 0;  // at fault
  std::string kind;  // "did not enqueue", "mismatch", "stuck in the kernel", "dead", "slow"
  std::string text;  // one line, with rank and class
  double limit_s = 0;
  int64_t found_ns = 0;
  int64_t resolution_ns = 0;  // of started_ns and done_ns
  std::vector<HungRank> ranks;
};

void to_json(Json& json, const HungCollective& collective);
void from_json(const Json& json, HungCollective& collective);
void to_json(Json& json, const HungRank& rank);
void from_json(const Json& json, HungRank& rank);
void to_json(Json& json, const ShardedHang& hang);
void from_json(const Json& json, ShardedHang& hang);

}  // namespace aaco
