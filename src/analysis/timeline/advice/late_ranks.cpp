// SPDX-License-Identifier: MIT
// One rank comes to collectives last more often than chance explains: all others wait for it.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "analysis/timeline/advice/patterns.h"
#include "base/text/characters.h"
#include "record/intervals.h"

namespace aaco {

namespace {

// The collectives that wait for one rank.
struct LateRank {
  const RankComparison* most = nullptr;  // in which others waited longest
  int64_t most_ns = 0;
  size_t kinds = 0;
  std::map<int64_t, int64_t> waited_ns;  // by rank
};

std::map<int64_t, LateRank> late_ranks_of(const TraceSummary& summary) {
  std::map<int64_t, LateRank> all;
  for (const RankComparison& ranks : summary.ranks) {
    if (ranks.late != LateVerdict::kLate) {
      continue;
    }
    LateRank& late = all[ranks.ranks[ranks.latest].rank];
    ++late.kinds;
    int64_t longest_ns = 0;
    for (const RankShare& share : ranks.ranks) {
      longest_ns = std::max(longest_ns, share.waited_ns);
      int64_t& its_ns = late.waited_ns[share.rank];
      its_ns = saturating_sum(its_ns, share.waited_ns);
    }
    if (late.most == nullptr || longest_ns > late.most_ns) {
      late.most = &ranks;
      late.most_ns = longest_ns;
    }
  }
  return all;
}

// The longest of each rank's devices.
std::map<int64_t, int64_t> computations_ns(const TraceSummary& summary) {
  std::map<int64_t, int64_t> all;
  for (const DeviceSummary& device : summary.devices) {
    int64_t& ns = all[device.rank];
    ns = std::max(ns, device.budget.computation_ns);
  }
  return all;
}

int64_t longest_window_ns(const TraceSummary& summary) {
  int64_t window_ns = 0;
  for (const DeviceSummary& device : summary.devices) {
    window_ns = std::max(window_ns, device.budget.window_ns());
  }
  return window_ns;
}

// What a rank is held against.
struct AllRanks {
  int64_t window_ns = 0;
  std::map<int64_t, int64_t> computation_ns;  // by rank

  int64_t computation_of(int64_t rank) const {
    const auto rank_ns = computation_ns.find(rank);
    return rank_ns == computation_ns.end() ? 0 : rank_ns->second;
  }
};

TraceFinding finding_of_rank(const AdviceInput& input, const AllRanks& ranks, int64_t rank, const LateRank& late) {
  const auto waiting = *std::max_element(late.waited_ns.begin(), late.waited_ns.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
  const RankComparison& most = *late.most;
  const RankShare& share = most.ranks[most.latest];
  TraceFinding finding;
  finding.pattern = "late-rank";
  finding.rank = rank;
  finding.window_ns = ranks.window_ns;
  finding.subject = fmt::format("waiting for rank {}", rank);
  finding.cost_ns = waiting.second;
  finding.saves_ns = static_cast<double>(waiting.second);
  finding.bound = "overhead";
  finding.basis = "upper bound: all that the longest waiting rank waited for the last to begin";
  finding.where = {shorten(printable(input.events.strings[most.name]), 60)};
  finding.evidence = fmt::format(
      "\"{}\": rank {} began last in {} of {}, median skew {}; rank {} waited {} in {} kinds of "
      "collectives",
      finding.where.front(), rank, share.last, most.compared, time_text(most.median_skew_ns), waiting.first,
      time_text(waiting.second), late.kinds);
  finding.figures = {{"last", static_cast<double>(share.last), "1"},
                     {"compared", static_cast<double>(most.compared), "1"},
                     {"median_skew", static_cast<double>(most.median_skew_ns), "ns"},
                     {"waited", finding.saves_ns, "ns"}};
  const int64_t its_ns = ranks.computation_of(rank);
  const int64_t others_ns = ranks.computation_of(waiting.first);
  if (its_ns > 0 && others_ns > 0) {
    finding.evidence += fmt::format("; in all rank {} computed for {}, rank {} for {}", rank, time_text(its_ns),
                                    waiting.first, time_text(others_ns));
    finding.figures.push_back({"its_computation", static_cast<double>(its_ns), "ns"});
    finding.figures.push_back({"others_computation", static_cast<double>(others_ns), "ns"});
  }
  finding.remedy =
      "All others wait for it in the collective: where it computes no longer than they do, its input or its host is "
      "slower; where it computes longer, it has more work or a lower clock.";
  finding.source = "none: follows from what a collective is";
  return finding;
}

}  // namespace

std::vector<TraceFinding> late_ranks(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  const AllRanks ranks{longest_window_ns(input.summary), computations_ns(input.summary)};
  for (const auto& [rank, late] : late_ranks_of(input.summary)) {
    TraceFinding finding = finding_of_rank(input, ranks, rank, late);
    if (worth_a_line(finding)) {
      all.push_back(std::move(finding));
    }
  }
  return all;
}

}  // namespace aaco
