// SPDX-License-Identifier: MIT
// Faults on purpose, to see that they are found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "device/communicator.h"

namespace aaco {

struct OverlapInjection {
  std::string kind;  // of injection_kinds(); "": none
  int64_t rank = 0;
  int64_t step = 1;  // from 1: before it is enqueued, or in it; of a fault in teardown 0

  bool is_of_collective() const { return kind == "skip" || kind == "size"; }
};

void to_json(Json& json, const OverlapInjection& injection);
void from_json(const Json& json, OverlapInjection& injection);

// "stop", "kill", "sleep", "skip", "size", "spin", "teardown".
const std::vector<std::string>& injection_kinds();

// "kind:rank:step"; "teardown:rank". Errors: kUsage naming the kinds.
Result<OverlapInjection> parse_injection(const std::string& text);

// What a rank's process does to itself before it enqueues the step: it stops, is killed, or sleeps. Comes back, if at
// all, a long time later.
void inject_into_process(const OverlapInjection& injection);

// What it gives the stream that computes, in front of the step: a kernel that spins for an hour.
void inject_into_stream(Stream& stream, const OverlapInjection& injection);

// Behind the last step: a teardown that does not come to its end.
void inject_into_teardown(const OverlapInjection& injection);

// Does all but one of `inner`'s collectives, its last of the step, of `each` in every step: that one is left out, or is
// of half the size.
std::unique_ptr<Communicator> inject_into_collectives(Communicator& inner, const OverlapInjection& injection,
                                                      int64_t each);

}  // namespace aaco
