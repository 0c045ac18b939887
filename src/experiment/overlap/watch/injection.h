// SPDX-License-Identifier: MIT
// Faults on purpose, to see that they are found: a rank that stops, is killed, sleeps, leaves a collective out or gives
// one of another size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/json_fwd.h"
#include "base/result.h"
#include "device/communicator.h"

namespace aaco {

struct OverlapInjection {
  std::string kind;  // "stop", "kill", "sleep", "skip", "size"; "": none
  int64_t rank = 0;
  int64_t step = 1;  // from 1: before it is enqueued, or in it

  bool is_of_collective() const { return kind == "skip" || kind == "size"; }
};

void to_json(Json& json, const OverlapInjection& injection);
void from_json(const Json& json, OverlapInjection& injection);

// "kind:rank:step". Errors: kUsage naming the kinds.
Result<OverlapInjection> parse_injection(const std::string& text);

// What a rank's process does to itself before it enqueues the step. Comes back, if at all, a long time later.
void inject_into_process(const OverlapInjection& injection);

// Does all but one of `inner`'s collectives: its last of the step, of `each` in every step.
std::unique_ptr<Communicator> inject_into_collectives(Communicator& inner, const OverlapInjection& injection,
                                                      int64_t each);

}  // namespace aaco
