// SPDX-License-Identifier: MIT
// How many streams can be busy before another one's kernel waits, from saturating probes: a long kernel A1 and behind
// it A2 on each of k streams, then a short B on one more, none of which fills the device.
//
//   queues = the smallest k at which B waited, in at least kDecided of the valid votes, where it ran at every smaller k
//
// It differs from queue_map.h where a driver binds a stream to a queue only while the stream is busy: any two streams
// then run side by side, and only many at once show how many queues there are. CUDA does so: on an H200 this gives
// CUDA_DEVICE_MAX_CONNECTIONS (bench/results/cuda-h200-queue-limit.json), while the map finds a queue for each of 16
// streams whatever the setting, but for 1.
//
// What it does not tell: more queues than streams were tried; what else limits kernels that run at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "kind/queue_probe/analysis/queue_map.h"

namespace aaco {

struct LimitProbe {
  int32_t busy = 0;  // streams with an A1
  ProbeVote vote = ProbeVote::kUnknown;
};

struct LimitCount {
  int32_t busy = 0;
  int64_t waited = 0;  // of the valid votes
  int64_t votes = 0;
  QueueRelation relation = QueueRelation::kUnknown;
};

struct QueueLimit {
  std::vector<LimitCount> counts;  // by busy streams
  std::optional<int64_t> queues;
  std::string reason;  // why it is not known
};

QueueLimit queue_limit(std::span<const LimitProbe> probes);

void to_json(Json& json, const LimitProbe& value);
void from_json(const Json& json, LimitProbe& value);
void to_json(Json& json, const QueueLimit& value);
void from_json(const Json& json, QueueLimit& value);

}  // namespace aaco
