// SPDX-License-Identifier: MIT
// Faults on purpose, to see that they are found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "device/communicator.h"

namespace aaco {

struct ShardedInjection {
  std::string kind;  // of injection_kinds(); "": none
  int64_t rank = 0;
  int64_t step = 1;     // from 1: before it is enqueued, or in it; of set-up and teardown 0
  int64_t seconds = 0;  // of a set-up that takes longer

  bool is_of_collective() const { return kind == "skip" || kind == "size"; }
};

void to_json(Json& json, const ShardedInjection& injection);
void from_json(const Json& json, ShardedInjection& injection);

// "stop", "kill", "sleep", "skip", "size", "spin", "setup", "teardown".
const std::vector<std::string>& injection_kinds();

// "kind:rank:step"; "setup:rank:seconds"; "teardown:rank". Errors: kUsage naming the kinds.
Result<ShardedInjection> parse_injection(const std::string& text);

// What a rank's process does to itself before it enqueues the step: it stops, is killed, or sleeps. Comes back, if at
// all, a long time later.
void inject_into_process(const ShardedInjection& injection);

// In front of the first step, when others may wait in theirs: so much longer does the set-up take. No fault: it ends.
void inject_into_set_up(const ShardedInjection& injection);

// What it gives the stream that computes, in front of the step: a kernel that spins for an hour.
void inject_into_stream(Stream& stream, const ShardedInjection& injection);

// Behind the last step: a teardown that does not come to its end.
void inject_into_teardown(const ShardedInjection& injection);

// Does all but one of `inner`'s collectives, its last of the step, of `each` in every step from `first` on: that one is
// left out, or is of half the size.
std::unique_ptr<Communicator> inject_into_collectives(Communicator& inner, const ShardedInjection& injection,
                                                      int64_t each, int64_t first);

}  // namespace aaco
