// SPDX-License-Identifier: MIT
// Which streams share a hardware queue, from blocking probes: a long kernel A1 and behind it A2 on stream i, then a
// short B on stream j, none of which fills the device. A2 waits for A1; where B stands behind A2 in the same queue, it
// waits too. Each pair is probed in both orders, several times.
//
//   pair     shared where in both orders at least kDecided of the valid votes say *waited*; separate where at most
//            1 - kDecided do; else unknown, as with fewer than kLeastVotes valid votes in an order, or
//            where the control (the probe of a stream against itself, which must wait) is not given
//   group    streams joined by shared pairs. Where two of a group are *separate* the votes contradict each other: the
//            group is reported, and its streams are unknown
//
// What it does not tell: queues of a device to which no two of these streams were mapped; that the mapping stays (a
// driver may map streams anew: queue_limit.h). A device without units to spare makes B wait for another reason: then
// the probe of a stream against itself and against others look alike, which is why a stream's own vote must be
// *waited*.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco {

// kUnknown: A1 had ended before B was enqueued, or a time stamp is missing.
enum class ProbeVote : int32_t { kWaited, kRan, kUnknown };

struct BlockingProbe {
  int32_t first = 0;   // stream of A1 and A2
  int32_t second = 0;  // stream of B
  ProbeVote vote = ProbeVote::kUnknown;
  friend bool operator==(const BlockingProbe&, const BlockingProbe&) = default;
};

enum class QueueRelation : int32_t { kUnknown, kShared, kSeparate };

inline constexpr int64_t kLeastVotes = 3;
inline constexpr double kDecided = 0.9;

struct StreamPair {
  int32_t first = 0;  // smaller than second
  int32_t second = 0;
  QueueRelation relation = QueueRelation::kUnknown;
  // Of the valid votes in each order.
  int64_t waited = 0;
  int64_t votes = 0;
  int64_t reverse_waited = 0;
  int64_t reverse_votes = 0;
};

struct QueueGroup {
  std::vector<int32_t> streams;
  bool contradicted = false;
};

struct QueueMap {
  int32_t streams = 0;
  std::vector<StreamPair> pairs;
  std::vector<QueueGroup> groups;           // by their smallest stream; every stream is in one
  std::vector<std::string> contradictions;  // "streams 0 and 1 share, 1 and 2 share, 0 and 2 do not"
  std::optional<int64_t> queues;            // how many these streams use; only where every pair is decided
  std::string reason;                       // why `queues` is not known, or why the probe is invalid
  bool valid = true;
};

QueueMap queue_map(int32_t streams, std::span<const BlockingProbe> probes);

// `votes` are the valid ones.
QueueRelation decided_by(int64_t waited, int64_t votes);

// The words of the document; another one reads as unknown.
void to_json(Json& json, ProbeVote vote);
void from_json(const Json& json, ProbeVote& vote);
void to_json(Json& json, QueueRelation relation);
void from_json(const Json& json, QueueRelation& relation);
void to_json(Json& json, const BlockingProbe& value);
void from_json(const Json& json, BlockingProbe& value);
void to_json(Json& json, const QueueMap& value);
void from_json(const Json& json, QueueMap& value);

}  // namespace aaco
