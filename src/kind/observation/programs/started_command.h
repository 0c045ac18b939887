// SPDX-License-Identifier: MIT
// A command that aaco starts with the observer's library named in its environment, and records to its end.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "kind/observation/observation_document.h"
#include "kind/observation/observation_run.h"
#include "kind/observation/ring_drain.h"
#include "kind/observation/ring_folder.h"

namespace aaco {

// `meanwhile` is called every some 20 ms. Errors: those of the command's start and of `drain`.
Result<void> observe_started(const ObservationRequest& request, const RingFolder& rings, RingDrain& drain,
                             const std::function<void(int64_t pid)>& meanwhile, ObservationDocument& document);

}  // namespace aaco
