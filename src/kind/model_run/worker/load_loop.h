// SPDX-License-Identifier: MIT
// Serves requests that arrive by a schedule, whether or not the one before is done: one after the other, in the order
// of arrival.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "kind/model_run/worker/measure_loop.h"
#include "record/journal/row_journal.h"
#include "record/load.h"
#include "record/request_row.h"

namespace aaco {

struct ServedRequest {
  std::optional<int64_t> first_token_ns;  // session time
  std::optional<int64_t> tokens;
};
using ServeRequest = std::function<Result<ServedRequest>()>;

struct LoadPlan {
  LoadFacts load;
  uint64_t seed = 0;
  int64_t process = 0;
  std::string requests = "auto";
  double service_ns = 0;  // that one takes, as warm-up showed
};

// A row for each request that was served; the steady phase is that of all of them. Interrupts end the loop early,
// without an error. Errors: the request's, the journal's.
Result<LoopOutcome> measure_load(const LoadPlan& plan, const ServeRequest& serve, const SteadyPhase& steady,
                                 RowJournalWriter<RequestRow>& requests);

// One inference, stored as an iteration.
ServeRequest serve_inference(InferenceSession& session, Recorder& recorder);
// A sequence: its prefill and the steps after it, each stored as an iteration.
ServeRequest serve_tokens(TokenGenerator& generator, Recorder& recorder, const TokenRequest& tokens);

}  // namespace aaco
