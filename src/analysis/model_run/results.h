// SPDX-License-Identifier: MIT
// What the analyses of a model run conclude: the input of the reports and of the verdict. Everything here is derived
// from a Recording by analyse() and can be derived again from a bundle.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric/metric.h"
#include "record/recording.h"

namespace aaco {

// Latency of one set of iterations: median over processes of per-process medians, and the pooled quantiles.
struct LatencySummary {
  IterationPhase phase = IterationPhase::kUnknown;
  int64_t processes = 0;
  int64_t iterations = 0;
  std::vector<double> process_medians_ns;
  Estimate p50_ns;
  std::optional<double> mean_ns, min_ns, max_ns, p90_ns, p95_ns,
      p99_ns;  // pooled; absent when there are too few iterations
  std::optional<Interval> p90_interval_ns, p95_interval_ns, p99_interval_ns;
  std::optional<double> within_process_cv;   // median over processes
  std::optional<double> between_process_cv;  // of the per-process medians
  bool stationary = true;                    // every process's warm-up met its test
};

// What limits a run. Of two with one score the earlier counts.
enum class BottleneckClass : uint8_t {
  kUnknown,  // nothing was judged
  kLaunchBound,
  kCpuBound,  // kept off the processors, not busy with arithmetic
  kMemoryBound,
  kComputeBound,
  kThrottling,
  kQuotaBound,
  kCopyBound,  // of a GPU: copies between host and device
  kUndetermined,
};
template <>
inline constexpr EnumWords<BottleneckClass, 9> kWordsOf<BottleneckClass>{{"", "launch-bound", "cpu-bound",
                                                                          "memory-bound", "compute-bound", "throttling",
                                                                          "quota-bound", "copy-bound", "undetermined"}};

// Signal of the bottleneck classifier, with what it rests on.
struct Signal {
  std::string name;
  BottleneckClass bottleneck_class = BottleneckClass::kUnknown;
  std::optional<double> value;  // none: no data
  double threshold = 0;         // strength 0.5, midway between the two below
  double none_at = 0;           // strength 0 there and beyond
  double full_at = 0;           // strength 1 there and beyond; below none_at for signals that count when small
  double weight = 0;
  double strength = 0;  // 0 to 1: how far the value supports the class
  std::string unit;
  std::string meaning;
  std::string no_data_reason;
};

struct ClassScore {
  BottleneckClass bottleneck_class = BottleneckClass::kUnknown;
  double score = 0;     // weighted strength over the weights of all of the class's signals
  double coverage = 0;  // weights of signals with data over all weights
};

struct Bottleneck {
  BottleneckClass bottleneck_class = BottleneckClass::kUnknown;
  double confidence = 0;  // score of the leading class
  double coverage = 0;
  double lead = 0;                                            // over the runner-up
  BottleneckClass leading_class = BottleneckClass::kUnknown;  // with the highest score, also when undetermined
  std::string reason;                                         // why undetermined, or one sentence of evidence
  std::vector<ClassScore> scores;
  std::vector<Signal> signals;
};

// A metric that spoke for what the learned classifier says.
struct LearnedEvidence {
  std::string metric;
  double value = 0;
  double contribution = 0;  // to the share of the class: a Shapley value
};

struct LearnedLimit {
  std::string name;     // what limits the run; empty: nothing is said, and `reason` tells why
  std::string leading;  // the likeliest, also where nothing is said; empty: nothing was looked at
  double share = 0;     // of the trees that name it, at least, whatever a missing metric may be
  // How often it was said of runs of families of models that the trees had not seen, and how often it was right.
  int64_t answers = 0;
  int64_t right = 0;
  std::string reason;
  std::vector<LearnedEvidence> evidence;  // the most, first
};

enum class OffenderKind : uint8_t {
  kUnknown,
  kNode,
  kGroup,
  kOverhead,
  kKernel,     // of a trace
  kHostGroup,  // of a trace: operators that the host computed
  kPattern,    // of a trace
};
template <>
inline constexpr EnumWords<OffenderKind, 7> kWordsOf<OffenderKind>{
    {"", "node", "group", "overhead", "kernel", "host group", "pattern"}};

// One thing worth fixing.
struct Offender {
  std::string subject;  // node or group
  OffenderKind kind = OffenderKind::kUnknown;
  double time_ns = 0;  // per inference
  std::optional<Interval> time_interval_ns;
  double share = 0;     // of the unprofiled median latency
  double stake_ns = 0;  // what fixing it could save, per inference
  std::optional<Interval> stake_interval_ns;
  std::string stake_basis;  // what the stake is: "time above the roof", "upper bound: no roof to compare with", ...
  std::string evidence;
  std::string bound;  // what limits it, for people: "memory", "CPU quota", "unknown: ..."
  std::string recommendation;
  std::string rule;  // id of the rule that gave the recommendation
};

struct Analysis {
  std::vector<LatencySummary> latencies;  // by phase, kMeasure first where it exists
  std::vector<MetricValue> metrics;
  std::vector<OpKernelRow> ops;
  std::vector<KernelGroupRow> groups;
  NodeActivity node_time_kind = NodeActivity::kUnknown;  // of the node times; kHostEnqueue is never device time
  Bottleneck bottleneck;
  LearnedLimit learned;              // beside it
  std::vector<Offender> offenders;   // ranked by stake
  std::vector<std::string> summary;  // executive summary, one sentence each
  std::vector<std::string> warnings;

  const LatencySummary* latency(IterationPhase phase) const;
  // The unprofiled latency that the other analyses refer to: kMeasure, else kDecode, else kPrefill; null when none.
  const LatencySummary* primary_latency() const;
  const MetricValue* metric(std::string_view id) const;
};

// Pure: the same recording gives the same analysis.
Analysis analyse(const Recording& recording);

void to_json(Json& json, const LatencySummary& value);
void from_json(const Json& json, LatencySummary& value);
void to_json(Json& json, const Signal& value);
void from_json(const Json& json, Signal& value);
void to_json(Json& json, const ClassScore& value);
void from_json(const Json& json, ClassScore& value);
void to_json(Json& json, const Bottleneck& value);
void from_json(const Json& json, Bottleneck& value);
void to_json(Json& json, const LearnedEvidence& value);
void from_json(const Json& json, LearnedEvidence& value);
void to_json(Json& json, const LearnedLimit& value);
void from_json(const Json& json, LearnedLimit& value);
void to_json(Json& json, const Offender& value);
void from_json(const Json& json, Offender& value);

}  // namespace aaco
