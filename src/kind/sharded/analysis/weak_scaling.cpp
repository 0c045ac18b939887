// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/weak_scaling.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "analysis/timeline/communication/collective.h"
#include "base/json/json.h"

namespace aaco {

namespace {

using RunsByRanks = std::map<int64_t, std::vector<const ShardedDocument*>>;

Error usage(std::string what, std::string hint) { return {ErrorKind::kUsage, std::move(what), std::move(hint)}; }

std::optional<double> slowest_step_ns(const ShardedDocument& run) {
  std::optional<double> slowest;
  for (const ShardedRank& rank : run.ranks) {
    if (rank.step_p50_ns) {
      slowest = std::max(slowest.value_or(0), *rank.step_p50_ns);
    }
  }
  return slowest;
}

double tokens_of_rank(const ShardedDocument& run) {
  return static_cast<double>(run.tokens) / static_cast<double>(run.setting.ranks);
}

// "cuda" of "cuda:1".
std::string kind_of(const ShardedRank& rank) { return rank.device.substr(0, rank.device.find(':')); }

// Each of a run that has ranks.
Result<void> check_ranks(const ShardedDocument& first, const ShardedDocument& run) {
  const std::string kind = kind_of(first.ranks.front());
  for (const ShardedRank& rank : run.ranks) {
    if (rank.interrupted) {
      return usage(fmt::format("{}: rank {} was interrupted", run.bundle, rank.rank),
                   "give sessions that were measured to their end");
    }
    if (kind_of(rank) != kind) {
      return usage(fmt::format("{} and {}: on {}, then rank {} on {}", first.bundle, run.bundle,
                               first.ranks.front().device, rank.rank, rank.device),
                   "give runs on devices of one kind");
    }
  }
  return {};
}

// What may differ between runs of one scaling: where files go.
Json compared_configuration(const ShardedDocument& run) {
  Json config = *run.config;
  if (config.is_object() && config.contains("training") && config["training"].is_object()) {
    config["training"].erase("output_dir");
  }
  return config;
}

Result<void> check_alike(const ShardedDocument& first, const ShardedDocument& run) {
  if (!slowest_step_ns(run) || run.setting.ranks < 1) {
    return usage(fmt::format("{}: no step was measured", run.bundle), "give sessions that were measured to their end");
  }
  AACO_TRY(check_ranks(first, run));
  if (tokens_of_rank(first) != tokens_of_rank(run)) {
    return usage(fmt::format("{} and {}: a rank has {:g} tokens a step, then {:g}", first.bundle, run.bundle,
                             tokens_of_rank(first), tokens_of_rank(run)),
                 "weak scaling has the same work for each rank: leave training.batch_size as it is");
  }
  if (compared_configuration(first) != compared_configuration(run)) {
    return usage(fmt::format("{} and {}: their configurations differ", first.bundle, run.bundle),
                 "give runs that differ in --device alone");
  }
  return {};
}

// None: none was recorded.
const ShardedDocument* newest_recorded(const std::vector<const ShardedDocument*>& runs) {
  const ShardedDocument* newest = nullptr;
  for (const ShardedDocument* run : runs) {
    if (run->figures && (newest == nullptr || newest->created_utc < run->created_utc)) {
      newest = run;
    }
  }
  return newest;
}

RankScaling measured_row(const std::vector<const ShardedDocument*>& runs) {
  RankScaling row;
  row.ranks = runs.front()->setting.ranks;
  std::vector<double> steps;
  for (const ShardedDocument* run : runs) {
    steps.push_back(*slowest_step_ns(*run));
    row.sessions.push_back(run->bundle);
  }
  const Estimate step = *estimate_over_processes(steps);
  row.step_ns = step.value;
  row.step_between_ns = step.interval.value_or(Interval{step.value, step.value});
  const ShardedDocument* const recorded = newest_recorded(runs);
  row.transfer_ns = recorded != nullptr ? recorded->figures->transfer_ns : 0;
  return row;
}

// Why nothing can be predicted from a run; "": something can.
std::string why_not_predicted(const ShardedDocument& run) {
  if (run.setting.ranks < 2) {
    return "one rank has no collectives: measure two";
  }
  if (!run.figures) {
    return fmt::format("{} was not recorded", run.bundle);
  }
  if (run.figures->collectives.empty()) {
    return fmt::format("{} has no collective whose transfer is known", run.bundle);
  }
  if (run.mode.find("hybrid") != std::string::npos) {
    return "with hybrid_shard the groups of ranks grow by a rule that two of them do not show";
  }
  return "";
}

// The newest of the largest number of ranks from which something can be predicted; else of the largest number.
const ShardedDocument& predicted_from(const RunsByRanks& by_ranks) {
  for (auto of_count = by_ranks.rbegin(); of_count != by_ranks.rend(); ++of_count) {
    const ShardedDocument* const run = newest_recorded(of_count->second);
    if (run != nullptr && why_not_predicted(*run).empty()) {
      return *run;
    }
  }
  const std::vector<const ShardedDocument*>& largest = by_ranks.rbegin()->second;
  const ShardedDocument* const run = newest_recorded(largest);
  return run != nullptr ? *run : *largest.back();
}

// By how much a transfer grows from one number of ranks to another where the links' bandwidth stays; none where the
// factor of a kind is not known.
std::optional<double> growth(const CollectiveOverlap& collective, int64_t from, int64_t to) {
  const CollectiveType type = collective_type(collective.name);
  const std::optional<double> before = bus_factor(type, from);
  const std::optional<double> after = bus_factor(type, to);
  return before && after && *before > 0 ? std::optional(*after / *before) : std::nullopt;
}

RankScaling predicted_row(const RankScaling& measured, const OverlapFigures& figures, int64_t ranks) {
  RankScaling row;
  row.ranks = ranks;
  row.predicted = true;
  row.sessions = measured.sessions;
  std::map<std::string, double> by_communicator;
  double before_ns = 0;
  for (const CollectiveOverlap& collective : figures.collectives) {
    const double transfer_ns = collective.transfer_ns * growth(collective, measured.ranks, ranks).value_or(1);
    before_ns += collective.transfer_ns;
    row.transfer_ns += transfer_ns;
    by_communicator[collective.group] += transfer_ns;
  }
  double busiest_ns = 0;
  for (const auto& [group, transfer_ns] : by_communicator) {
    busiest_ns = std::max(busiest_ns, transfer_ns);
  }
  row.step_between_ns = {std::max(*measured.step_ns, busiest_ns), *measured.step_ns + row.transfer_ns - before_ns};
  return row;
}

// What follows from the times of steps.
void complete(double tokens, const std::optional<double>& one_rank_ns, RankScaling& row) {
  const Interval& step = row.step_between_ns;
  const double all = tokens * static_cast<double>(row.ranks) * 1e9;
  row.tokens_per_s = {all / step.high, all / step.low};
  if (one_rank_ns) {
    row.efficiency = {*one_rank_ns / step.high, *one_rank_ns / step.low};
  }
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json();
}

}  // namespace

Result<WeakScaling> weak_scaling(const std::vector<ShardedDocument>& runs, const std::vector<int64_t>& ranks) {
  if (runs.empty()) {
    return usage("no session was named", "name those of aaco overlap run, as of 1 and 2 ranks");
  }
  RunsByRanks by_ranks;
  for (const ShardedDocument& run : runs) {
    AACO_TRY(check_alike(runs.front(), run));
    by_ranks[run.setting.ranks].push_back(&run);
  }
  WeakScaling scaling;
  for (const auto& [count, of_count] : by_ranks) {
    scaling.rows.push_back(measured_row(of_count));
  }
  const ShardedDocument& from = predicted_from(by_ranks);
  scaling.not_predicted = why_not_predicted(from);
  if (scaling.not_predicted.empty()) {
    const int64_t largest = scaling.rows.back().ranks;
    const RankScaling measured = *std::find_if(scaling.rows.begin(), scaling.rows.end(),
                                               [&](const RankScaling& row) { return row.ranks == from.setting.ranks; });
    for (const int64_t count : ranks) {
      if (count > largest) {
        scaling.rows.push_back(predicted_row(measured, *from.figures, count));
      }
    }
    scaling.assumption = fmt::format(
        "Predicted from {} ranks: each collective keeps its bus bandwidth, so that its transfer grows as the factor of "
        "nccl-tests does; computation and waiting stay as they are; the links of more ranks are as fast as those of "
        "{}. "
        "From all further communication hidden to all of it exposed. What a collective takes whatever its size, and "
        "links between nodes, are not in it.",
        measured.ranks, measured.ranks);
  }
  const std::optional<double> one =
      scaling.rows.front().ranks == 1 ? scaling.rows.front().step_ns : std::optional<double>();
  for (RankScaling& row : scaling.rows) {
    complete(tokens_of_rank(runs.front()), one, row);
  }
  return scaling;
}

void to_json(Json& json, const WeakScaling& scaling) {
  json = {{"kind", WeakScaling::kKind},
          {"assumption", scaling.assumption},
          {"not_predicted", scaling.not_predicted},
          {"rows", Json::array()}};
  for (const RankScaling& row : scaling.rows) {
    json["rows"].push_back({{"ranks", row.ranks},
                            {"predicted", row.predicted},
                            {"sessions", row.sessions},
                            {"step_ns", row.step_ns},
                            {"step_between_ns", interval_json(row.step_between_ns)},
                            {"transfer_ns", row.transfer_ns},
                            {"efficiency", interval_json(row.efficiency)},
                            {"tokens_per_s", interval_json(row.tokens_per_s)}});
  }
}

}  // namespace aaco
