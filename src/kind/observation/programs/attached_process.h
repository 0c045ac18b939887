// SPDX-License-Identifier: MIT
// A program that runs already: the observer's library is woken in it, or loaded into it, and sent away again.
#pragma once

#include <cstdint>
#include <functional>

#include "base/attach/target_process.h"
#include "base/result.h"
#include "kind/observation/observation_document.h"
#include "kind/observation/observation_run.h"
#include "kind/observation/ring_drain.h"
#include "kind/observation/ring_folder.h"

namespace aaco {

// The process of the request, where anything can be loaded into it. Errors: kUsage, kUnavailable.
Result<TargetProcess> find_attached_target(const ObservationRequest& request);

// Records until --duration is over, a signal comes, or the program ends; it goes on as before. `meanwhile` is called
// every some 20 ms. Errors: kUnavailable, why it cannot be attached to; those of `drain`.
Result<void> observe_attached(const ObservationRequest& request, const TargetProcess& target, const RingFolder& rings,
                              RingDrain& drain, const std::function<void(int64_t pid)>& meanwhile,
                              ObservationDocument& document);

}  // namespace aaco
