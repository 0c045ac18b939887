// SPDX-License-Identifier: MIT
// What keeps communication from hiding, and what doing something about it could save at most: an upper bound each, and
// they overlap, so that they do not add up.
#pragma once

#include <string>
#include <vector>

#include "kind/sharded/analysis/overlap_figures.h"

namespace aaco {

// How the step was trained, as far as a cause may depend on it.
struct ShardedSetting {
  bool shards = false;  // blocks are gathered; else gradients are all-reduced in buckets
  int64_t ranks = 1;
  int64_t communicators = 1;
  int64_t prefetch = 1;           // in the pass that gathers fewer blocks ahead
  bool clips = false;             // gradients, by the norm of all of them
  bool one_communicator = false;  // for gathers and reductions
  bool reduces_behind = false;    // gradients, all behind the backward pass
};

struct OverlapCause {
  std::string id;  // "no_prefetch"
  std::string title;
  std::string evidence;
  std::string advice;
  double saves_ns = 0;  // of a step, at most
};

// What could save a hundredth of a step at least, most first.
std::vector<OverlapCause> overlap_causes(const OverlapFigures& figures, const ShardedSetting& setting);

void to_json(Json& json, const ShardedSetting& setting);
void from_json(const Json& json, ShardedSetting& setting);
void to_json(Json& json, const OverlapCause& cause);
void from_json(const Json& json, OverlapCause& cause);

}  // namespace aaco
