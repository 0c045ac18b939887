// SPDX-License-Identifier: MIT
// How what the probes saw, and what follows from it, stands in a document: by the names of the members.
#include "base/json/json.h"
#include "base/text/enum_words.h"
#include "kind/queue_probe/analysis/agreement.h"
#include "kind/queue_probe/analysis/convoy.h"
#include "kind/queue_probe/analysis/kernel_stamps.h"
#include "kind/queue_probe/analysis/launch_cost.h"
#include "kind/queue_probe/analysis/priority_effect.h"
#include "kind/queue_probe/analysis/queue_limit.h"
#include "kind/queue_probe/analysis/queue_map.h"
#include "kind/queue_probe/analysis/record_check.h"
#include "kind/queue_probe/analysis/switch_cost.h"

namespace aaco {

namespace {

constexpr EnumWords<ProbeVote, 3> kVotes{{"waited", "ran", "unknown"}};
constexpr EnumWords<QueueRelation, 3> kRelations{{"unknown", "shared", "separate"}};
constexpr EnumWords<SwitchSide, 3> kSides{{"one_stream", "independent", "hand_off"}};

template <class Enum, size_t kCount>
Enum parse(const Json& json, const EnumWords<Enum, kCount>& words, Enum otherwise) {
  return json.is_string() ? words.parse(json.get_ref<const std::string&>()).value_or(otherwise) : otherwise;
}

}  // namespace

void to_json(Json& json, ProbeVote vote) { json = kVotes.word(vote); }
void from_json(const Json& json, ProbeVote& vote) { vote = parse(json, kVotes, ProbeVote::kUnknown); }
void to_json(Json& json, QueueRelation relation) { json = kRelations.word(relation); }
void from_json(const Json& json, QueueRelation& relation) {
  relation = parse(json, kRelations, QueueRelation::kUnknown);
}
void to_json(Json& json, SwitchSide side) { json = kSides.word(side); }
void from_json(const Json& json, SwitchSide& side) { side = parse(json, kSides, SwitchSide::kOneStream); }

void to_json(Json& json, const ConvoyRepeat& value);
void from_json(const Json& json, ConvoyRepeat& value);
void to_json(Json& json, const ConvoyThresholds& value);
void from_json(const Json& json, ConvoyThresholds& value);
void to_json(Json& json, const LimitCount& value);
void from_json(const Json& json, LimitCount& value);
void to_json(Json& json, const StreamPair& value);
void from_json(const Json& json, StreamPair& value);
void to_json(Json& json, const QueueGroup& value);
void from_json(const Json& json, QueueGroup& value);

void to_json(Json& json, const Agreement& agreement) { json = agreement_text(agreement); }
void from_json(const Json& json, Agreement& agreement) {
  agreement = parse_agreement(json.get_ref<const std::string&>());
}
AACO_JSON_FIELDS(ConvoyThresholds, short_ns, long_ns)
AACO_JSON_FIELDS(ConvoyRepeat, kernels, gate_timed_out)
AACO_JSON_FIELDS(ConvoyRun, repeats)
AACO_JSON_FIELDS(Convoy, thresholds, alone_p50, behind_p50, behind_p99, effect, alone_ns, behind_ns, unknown)
AACO_JSON_FIELDS(KernelStamp, start_ns, end_ns, stream, start_lag_ns, end_lead_ns)
AACO_JSON_FIELDS(LaunchSample, threads, synchronised, call_ns, per_kernel_ns)
AACO_JSON_FIELDS(LaunchCost, threads, synchronised, call_p50, call_p99, per_kernel, calls_ns)
AACO_JSON_FIELDS(PriorityRepeat, high, marker, kernel, background, gate_timed_out)
AACO_JSON_FIELDS(PriorityRun, lowest, highest, repeats)
AACO_JSON_FIELDS(PriorityEffect, low_delay, high_delay, effect, low_passed, high_passed, lowest, highest)
AACO_JSON_FIELDS(LimitProbe, busy, vote)
AACO_JSON_FIELDS(LimitCount, busy, waited, votes, relation)
AACO_JSON_FIELDS(QueueLimit, counts, queues, reason)
AACO_JSON_FIELDS(BlockingProbe, first, second, vote)
AACO_JSON_FIELDS(StreamPair, first, second, relation, waited, votes, reverse_waited, reverse_votes)
AACO_JSON_FIELDS(QueueGroup, streams, contradicted)
AACO_JSON_FIELDS(QueueMap, streams, pairs, groups, contradictions, queues, reason, valid)
AACO_JSON_FIELDS(RecordedKernel, record_start_ns, record_end_ns, stamp_start_ns, stamp_end_ns)
AACO_JSON_FIELDS(RecordRun, clock_step_ns, launched, dropped, kernels, unavailable)
AACO_JSON_FIELDS(RecordCheck, processes, kernels, excess, room_ns, agreement)
AACO_JSON_FIELDS(SwitchRepeat, side, kernels, wall_ns, gate_timed_out)
AACO_JSON_FIELDS(SwitchRun, streams, clock_step_ns, repeats)
AACO_JSON_FIELDS(SwitchCost, streams, kernels, processes, pairs, clock_step_ns, one_stream_gap, switch_gap,
                 one_stream_overlap, switch_overlap, cost, mean_cost, wall_cost, agreement, reordered, process_costs_ns,
                 process_mean_costs_ns, process_wall_costs_ns)

}  // namespace aaco
