// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/overlap_causes.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/timeline/communication/late_verdict.h"
#include "analysis/timeline/idle_causes.h"
#include "base/format.h"
#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(ShardedSetting, shards, ranks, communicators, prefetch, clips, one_communicator, reduces_behind)
AACO_JSON_FIELDS(OverlapCause, id, title, evidence, advice, saves_ns)

namespace {

constexpr double kWorthSaying = 0.01;  // of a step

class CauseFinder {
 public:
  CauseFinder(const OverlapFigures& figures, const ShardedSetting& setting) : figures_(figures), setting_(setting) {
    for (const RankOverlap& rank : figures_.ranks) {
      exposed_ns_ += rank.mean.exposed_communication_ns / static_cast<double>(figures_.ranks.size());
    }
  }

  std::vector<OverlapCause> find() {
    add_small_collectives();
    add_one_communicator();
    add_no_prefetch();
    add_clipping();
    add_late_reduction();
    add_straggler();
    add_contention();
    add_launches();
    std::sort(causes_.begin(), causes_.end(), [](const auto& a, const auto& b) { return a.saves_ns > b.saves_ns; });
    return std::move(causes_);
  }

 private:
  void add(OverlapCause cause) {
    if (cause.saves_ns >= kWorthSaying * figures_.median_step_ns && cause.saves_ns > 0) {
      causes_.push_back(std::move(cause));
    }
  }

  double exposed_of(std::string_view name) const {
    double sum_ns = 0;
    for (const CollectiveOverlap& collective : figures_.collectives) {
      sum_ns += collective.name == name ? collective.exposed_ns : 0;
    }
    return sum_ns;
  }
  double transfer_of(std::string_view name) const {
    double sum_ns = 0;
    for (const CollectiveOverlap& collective : figures_.collectives) {
      sum_ns += collective.name == name ? collective.transfer_ns : 0;
    }
    return sum_ns;
  }

  // All at the bandwidth of the fastest would take less: of each, what is beyond its bytes at that bandwidth.
  void add_small_collectives() {
    const CollectiveOverlap* fastest = nullptr;
    for (const CollectiveOverlap& collective : figures_.collectives) {
      if (collective.bus_bandwidth && (fastest == nullptr || *collective.bus_bandwidth > *fastest->bus_bandwidth)) {
        fastest = &collective;
      }
    }
    double beyond_ns = 0;
    int64_t count = 0;
    for (const CollectiveOverlap& collective : figures_.collectives) {
      if (fastest != nullptr && collective.bus_bandwidth && *collective.bytes < *fastest->bytes) {
        beyond_ns += collective.transfer_ns * (1 - *collective.bus_bandwidth / *fastest->bus_bandwidth);
        count += collective.count;
      }
    }
    if (count > 0) {
      add({"small_collectives", "Collectives too small for the link",
           fmt::format("{} a step are slower than the largest, which reaches {:.3g} GB/s of bus bandwidth", count,
                       *fastest->bus_bandwidth),
           setting_.shards ? "make blocks larger: gather and reduce several layers at once"
                           : "raise distributed.bucket_cap_mb",
           std::min(beyond_ns, exposed_ns_)});
    }
  }

  void add_one_communicator() {
    if (setting_.shards && (setting_.communicators == 1 || setting_.one_communicator)) {
      add({"one_communicator", "All-gather and reduce-scatter share a communicator",
           "what is on one communicator is done one after the other, whatever streams it is on",
           "leave distributed.one_communicator out: each gets one of its own",
           std::min(exposed_ns_, std::min(transfer_of("all_gather"), transfer_of("reduce_scatter")))});
    }
  }

  void add_no_prefetch() {
    if (setting_.shards && setting_.prefetch == 0) {
      add({"no_prefetch", "Blocks are gathered when they are needed",
           fmt::format("{} of gathers are exposed", format_duration_ns(exposed_of("all_gather"))),
           "set fsdp.forward_prefetch and fsdp.backward_prefetch; fsdp.prefetch_depth says how many blocks ahead",
           exposed_of("all_gather")});
    }
  }

  // Without it, what is reduced last has the update of the rest to hide behind, unless all is waited for anyway.
  void add_clipping() {
    const double exposed_ns = exposed_of("reduce_scatter") + exposed_of("all_reduce");
    if (setting_.clips && !setting_.reduces_behind) {
      add({"clipping", "The update waits for the norm of all gradients",
           fmt::format("{} of reductions are exposed, and no parameter is updated before the last",
                       format_duration_ns(exposed_ns)),
           "training.grad_clip_norm=0 lets each block be updated when its own gradients are there", exposed_ns});
    }
  }

  void add_late_reduction() {
    const double exposed_ns = exposed_of("reduce_scatter") + exposed_of("all_reduce");
    if (setting_.reduces_behind) {
      add({"late_reduction", "Gradients are reduced behind the backward pass",
           fmt::format("{} of reductions are exposed, and nothing is computed meanwhile",
                       format_duration_ns(exposed_ns)),
           "set distributed.overlap_grad_reduce=true: each block is reduced beside the pass of those before it",
           exposed_ns});
    }
  }

  // One that is last far more often than its share, and than chance explains, of collectives whose last rank is known.
  void add_straggler() {
    int64_t all = 0;
    const RankOverlap* latest = nullptr;
    for (const RankOverlap& rank : figures_.ranks) {
      all += rank.last;
      latest = latest == nullptr || rank.last > latest->last ? &rank : latest;
    }
    const double fair = figures_.ranks.empty() ? 1 : 1 / static_cast<double>(figures_.ranks.size());
    if (all > 0 && static_cast<double>(latest->last) > (1 + fair) / 2 * static_cast<double>(all) &&
        judge_latest(static_cast<uint64_t>(latest->last), static_cast<uint64_t>(all), figures_.ranks.size(), 1) ==
            LateVerdict::kLate) {
      add({"straggler", fmt::format("Rank {} keeps the others waiting", latest->rank),
           fmt::format("it comes last to {} of {} collectives whose last rank is known; a rank waits for others {} of "
                       "a step, mean over ranks",
                       latest->last, all, format_duration_ns(figures_.waiting_ns)),
           "look at that rank's clocks, host and input; a device that is slower alone is slower here",
           std::min(figures_.waiting_ns, exposed_ns_)});
    }
  }

  void add_contention() {
    const double tax_ns = figures_.contention_tax_ns.value_or(0);
    if (tax_ns > 0 && !figures_.contention.empty()) {
      add({"contention", "Kernels are slower beside communication",
           fmt::format("they take {} more of a step than alone, {} most of it", format_duration_ns(tax_ns),
                       figures_.contention.front().name),
           "give communication fewer channels, or copy engines where the library has them", tax_ns});
    }
  }

  void add_launches() {
    double held_ns = 0;
    for (const RankOverlap& rank : figures_.ranks) {
      for (const IdleCause cause : {IdleCause::kLaunchStarved, IdleCause::kHostWaits, IdleCause::kHostCall,
                                    IdleCause::kHostOperator, IdleCause::kHostRange}) {
        const auto idle = rank.idle_by_cause.find(word_of(cause));
        held_ns += idle == rank.idle_by_cause.end() ? 0 : idle->second / static_cast<double>(figures_.ranks.size());
      }
    }
    add({"launch_bound", "The device waits for the host",
         fmt::format("nothing was launched for {} of a step", format_duration_ns(held_ns)),
         "capture the step as a graph (compile.capture=always), or give it more work at once", held_ns});
  }

  const OverlapFigures& figures_;
  const ShardedSetting& setting_;
  double exposed_ns_ = 0;  // mean over ranks
  std::vector<OverlapCause> causes_;
};

}  // namespace

std::vector<OverlapCause> overlap_causes(const OverlapFigures& figures, const ShardedSetting& setting) {
  return CauseFinder(figures, setting).find();
}

}  // namespace aaco
