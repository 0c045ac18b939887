// SPDX-License-Identifier: MIT
// Keeps one collector sampling for days: opens it when its driver comes, lets go of it when the driver goes, and tries
// again ever more seldom, up to once a minute.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/text/enum_words.h"
#include "monitor/sample_totals.h"
#include "observe/telemetry/collector.h"

namespace aaco {

enum class CollectorState {
  kAbsent,   // could not be opened yet
  kUp,       // samples
  kLost,     // sampled once, and reads nothing now
  kStalled,  // a sample under way has not ended for long
};
template <>
inline constexpr EnumWords<CollectorState, 4> kWordsOf<CollectorState>{{"absent", "up", "lost", "stalled"}};

struct SampleRows {
  std::vector<SystemRow> host;
  std::vector<GpuSampleRow> gpus;
};

struct CollectorReading {
  std::string collector;  // its id
  CollectorState state = CollectorState::kAbsent;
  std::string why;         // where it is not up, or leaves devices to another collector (gpu_sources.h)
  std::string remedy;      // what to do about it; may be empty
  int64_t sampled_ns = 0;  // monotonic, of the last sample; 0: none yet
  int64_t sampled_wall_ns = 0;
  int64_t sample_cost_ns = 0;  // how long the last sample took
  int64_t samples = 0;
  int64_t openings = 0;
  SampleRows rows;  // of the last sample; none where it is not up
  SampleTotals totals;
};

// Whether the driver answered: time and device are known without it, and limits may be known from before.
bool is_readable(const GpuSampleRow& row);

class CollectorKeeper {
 public:
  // The sinks of `options` are the keeper's. `interval_ns`: between two steps, as they are meant to be.
  CollectorKeeper(const CollectorInfo& info, CollectorOptions options, int64_t interval_ns);
  CollectorKeeper(const CollectorKeeper&) = delete;
  CollectorKeeper& operator=(const CollectorKeeper&) = delete;

  // Opens the collector where it is not open and its time has come, and takes one sample. One thread.
  void step(int64_t now_ns);
  const CollectorReading& reading() const { return reading_; }

  static constexpr int64_t kFirstRetryNs = 1'000'000'000;
  static constexpr int64_t kLastRetryNs = 60'000'000'000;

 private:
  Result<std::unique_ptr<Collector>> open();
  void sample(int64_t now_ns);
  void lose(int64_t now_ns);
  void try_another(int64_t now_ns);
  void retry_later(int64_t now_ns);

  const CollectorInfo& info_;
  CollectorOptions options_;
  std::unique_ptr<Collector> collector_;
  SampleRows sampled_;
  CollectorReading reading_;
  int64_t retry_at_ns_ = 0;
  int64_t retry_after_ns_ = kFirstRetryNs;
};

}  // namespace aaco
