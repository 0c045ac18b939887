// SPDX-License-Identifier: MIT
// What a user of a language model feels: time to the first token, time between tokens, tokens per second. From the
// iterations of phases "prefill" and "decode"; a request is a prefill and the decode steps that follow it in its
// process.
#pragma once

#include <vector>

#include "analysis/metric/metric.h"
#include "record/recording.h"

namespace aaco {

// ttft, itl_p50, itl_p95, itl_p99, prefill_tokens_per_s, decode_tokens_per_s. Inter-token latency is from the end of
// one token to the end of the next, so that what happens between the steps (sampling, cache handling) is inside.
std::vector<MetricValue> token_metrics(const Recording& recording);

}  // namespace aaco
