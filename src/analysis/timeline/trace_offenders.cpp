// SPDX-License-Identifier: MIT
#include "analysis/timeline/trace_offenders.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

#include "analysis/model_run/conclusions/rules.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "trace/intervals.h"

namespace aaco {

namespace {

constexpr double kLeastShare = 0.01;  // of the window, below which a stake is not worth a line
constexpr int64_t kSmall_ns = 10'000;
constexpr size_t kKernels = 3;  // named where no operators are recorded
constexpr size_t kLongestText = 60;
constexpr const char* kOnHost = "host group";

std::string time_text(int64_t ns) { return format_duration_ns(static_cast<double>(ns)); }

std::string place_text(int64_t rank, int64_t device) {
  std::string text;
  if (rank != kNoId) {
    text = fmt::format("rank {}", rank);
  }
  if (device != kNoId) {
    text += fmt::format("{}device {}", text.empty() ? "" : " ", device);
  }
  return text;
}

// Cases by subject; of equal ones that with the largest stake, and how many there are.
class Cases {
 public:
  void add(OffenderCase one, const std::string& place) {
    OffenderGroup& found = found_[one.offender.subject];
    if (found.count == 0 || one.offender.stake_ns > found.one.offender.stake_ns) {
      found.one = std::move(one);
      found.place = place;
    }
    ++found.count;
  }
  std::vector<OffenderCase> finish() {
    std::vector<OffenderCase> all;
    for (auto& [subject, found] : found_) {
      if (found.count > 1) {
        found.one.offender.evidence +=
            fmt::format("; on {} {}, most on {}", found.count, found.one.offender.kind == kOnHost ? "ranks" : "devices",
                        found.place.empty() ? "one" : found.place);
      }
      found.one.offender.subject = shorten(subject, kLongestText);  // the names of two kernels may begin alike
      all.push_back(std::move(found.one));
    }
    return all;
  }

 private:
  struct OffenderGroup {
    OffenderCase one;
    std::string place;
    size_t count = 0;
  };
  std::map<std::string, OffenderGroup> found_;
};

OffenderCase make_case(const char* cause, std::string subject, int64_t time_ns, int64_t stake_ns, int64_t window_ns,
                       const char* basis) {
  OffenderCase one;
  one.cause = cause;
  one.offender.subject = std::move(subject);
  one.offender.kind = "overhead";
  one.offender.bound = "overhead";
  one.offender.time_ns = static_cast<double>(time_ns);
  one.offender.share = window_ns > 0 ? static_cast<double>(time_ns) / static_cast<double>(window_ns) : 0;
  one.offender.stake_ns = static_cast<double>(stake_ns);
  one.offender.stake_basis = basis;
  return one;
}

int64_t idle_ns(const DeviceSummary& device, std::initializer_list<IdleCause> causes) {
  int64_t sum = 0;
  for (const IdleCause cause : causes) {
    sum = saturating_sum(sum, device.idle.shares[static_cast<size_t>(cause)].total_ns);
  }
  return sum;
}

// What held the device longest, of those causes.
std::string holder_text(const EventTable& events, const DeviceSummary& device,
                        std::initializer_list<IdleCause> causes) {
  for (const IdleHolder& holder : device.idle.holders) {
    if (std::find(causes.begin(), causes.end(), holder.cause) != causes.end()) {
      const std::string name(events.strings[holder.name]);
      return fmt::format("; most of it, {} in {} spans: {} {}", time_text(holder.total_ns), holder.spans,
                         idle_cause_name(holder.cause),
                         name.empty() ? "(nothing recorded)" : fmt::format("\"{}\"", shorten(name, kLongestText)));
    }
  }
  return "";
}

struct IdleCase {
  const char* cause;
  const char* subject;
  std::initializer_list<IdleCause> causes;
};

void add_idle(const EventTable& events, const DeviceSummary& device, const std::string& place, Cases& cases) {
  static const IdleCase kIdle[] = {
      {"host",
       "idle: launched too late",
       {IdleCause::kLaunchStarved, IdleCause::kHostCall, IdleCause::kHostOperator, IdleCause::kHostRange}},
      {"waits", "idle: the host waited for the device", {IdleCause::kHostWaits}},
      {"communication", "idle: after communication", {IdleCause::kAfterCommunication}},
      {"streams", "idle: between streams", {IdleCause::kAfterOtherStream}},
  };
  const int64_t window_ns = device.budget.window_ns();
  for (const IdleCase& one : kIdle) {
    const int64_t ns = idle_ns(device, one.causes);
    OffenderCase found = make_case(one.cause, one.subject, ns, ns, window_ns, "upper bound: all of this idle time");
    if (found.offender.share >= kLeastShare) {
      found.offender.evidence = fmt::format("{} of the window of {} idle{}", format_percent(found.offender.share),
                                            time_text(window_ns), holder_text(events, device, one.causes));
      cases.add(std::move(found), place);
    }
  }
}

void add_copies(const EventTable& events, const DeviceSummary& device, const std::string& place, Cases& cases) {
  const int64_t exposed_ns = device.budget.exposed_copy_ns;
  const int64_t after_ns = idle_ns(device, {IdleCause::kAfterCopy});
  const int64_t ns = saturating_sum(exposed_ns, after_ns);
  int64_t crossing_ns = 0;
  int64_t within_ns = 0;
  for (const KernelStatistics& copy : device.kernels) {
    if (copy.work == WorkClass::kCopy) {
      int64_t& sum = crosses_to_host(events.strings[copy.name]) ? crossing_ns : within_ns;
      sum = saturating_sum(sum, copy.total_ns);
    }
  }
  OffenderCase one = make_case(crossing_ns >= within_ns ? "copy" : "copy within", "exposed copies", ns, ns,
                               device.budget.window_ns(), "upper bound: all copies behind computation");
  if (one.offender.share >= kLeastShare) {
    one.offender.evidence = fmt::format("copies {} in all, of it {} exposed, and {} idle after them",
                                        time_text(device.budget.copy_ns), time_text(exposed_ns), time_text(after_ns));
    const auto longest = std::find_if(device.kernels.begin(), device.kernels.end(),
                                      [](const KernelStatistics& kernel) { return kernel.work == WorkClass::kCopy; });
    if (longest != device.kernels.end()) {
      one.offender.evidence += fmt::format("; most by \"{}\", {}", shorten(events.strings[longest->name], kLongestText),
                                           counted(longest->count, "time", "times"));
    }
    cases.add(std::move(one), place);
  }
}

void add_communication(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device,
                       const std::string& place, Cases& cases) {
  const int64_t ns = device.budget.exposed_communication_ns;
  OffenderCase one = make_case("communication", "exposed communication", ns, ns, device.budget.window_ns(),
                               "upper bound: all communication behind computation");
  if (one.offender.share < kLeastShare) {
    return;
  }
  one.offender.evidence = fmt::format("communication {} in all, of it {} exposed",
                                      time_text(device.budget.communication_ns), time_text(ns));
  const auto most = std::max_element(
      device.collectives.begin(), device.collectives.end(),
      [](const CollectiveStatistics& a, const CollectiveStatistics& b) { return a.exposed_ns < b.exposed_ns; });
  if (most != device.collectives.end()) {
    one.offender.evidence +=
        fmt::format("; most by \"{}\", {}, {} exposed",
                    shorten(events.strings[summary.communication.kinds[most->kind].name], kLongestText),
                    counted(most->count, "time", "times"), time_text(most->exposed_ns));
  }
  cases.add(std::move(one), place);
}

// Kernels none of which took 10 us, and what the device took from one to the next.
void add_small_kernels(const DeviceSummary& device, const std::string& place, Cases& cases) {
  uint64_t small = 0;
  uint64_t all = 0;
  int64_t small_ns = 0;
  for (const KernelStatistics& kernel : device.kernels) {
    const bool counts = kernel.work == WorkClass::kComputation && kernel.max_ns < kSmall_ns;
    all += kernel.count;
    small += counts ? kernel.count : 0;
    small_ns = saturating_sum(small_ns, counts ? kernel.total_ns : 0);
  }
  const int64_t turnaround_ns = idle_ns(device, {IdleCause::kTurnaround});
  const int64_t ns = saturating_sum(small_ns, turnaround_ns);
  OffenderCase one = make_case("small kernels", "small kernels", ns, ns, device.budget.window_ns(),
                               "upper bound: all of their time, and all idle between kernels of a stream");
  if (small > 0 && one.offender.share >= kLeastShare) {
    one.offender.evidence = fmt::format("{} of {} kernels are of names that never took 10 us: {}; and {} idle between",
                                        small, all, time_text(small_ns), time_text(turnaround_ns));
    cases.add(std::move(one), place);
  }
}

void add_stragglers(const EventTable& events, const TraceSummary& summary, Cases& cases) {
  int64_t window_ns = 0;
  for (const DeviceSummary& device : summary.devices) {
    window_ns = std::max(window_ns, device.budget.window_ns());
  }
  for (const RankComparison& ranks : summary.ranks) {
    if (ranks.compared == 0 || ranks.straggler >= ranks.ranks.size()) {
      continue;
    }
    const RankShare& late = ranks.ranks[ranks.straggler];
    const auto most =
        std::max_element(ranks.ranks.begin(), ranks.ranks.end(),
                         [](const RankShare& a, const RankShare& b) { return a.waited_ns < b.waited_ns; });
    OffenderCase one =
        make_case("straggler", fmt::format("waiting for rank {}", late.rank), most->waited_ns, most->waited_ns,
                  window_ns, "upper bound: all that the longest waiting rank waited for the last to begin");
    if (one.offender.share >= kLeastShare) {
      one.offender.evidence =
          fmt::format("\"{}\": rank {} began last in {} of {}, median skew {}; rank {} waited {}",
                      shorten(events.strings[ranks.name], kLongestText), late.rank, late.last, ranks.compared,
                      time_text(ranks.median_skew_ns), most->rank, time_text(most->waited_ns));
      cases.add(std::move(one), fmt::format("rank {}", most->rank));
    }
  }
}

int64_t window_of(const TraceSummary& summary, uint32_t recording, int64_t rank) {
  int64_t window_ns = 0;
  for (const DeviceSummary& device : summary.devices) {
    if (device.recording == recording && device.rank == rank) {
      window_ns = std::max(window_ns, device.budget.window_ns());
    }
  }
  return window_ns;
}

// Operators of one name that the same roof bounds, or without one.
struct Members {
  const OperatorRoof* longest = nullptr;
  uint64_t count = 0;
  size_t rows = 0;
  int64_t time_ns = 0;
  double roof_ns = 0;
};

// On a device nothing is at stake that could be told without a roof; on the host the time itself is.
bool has_stake(const RankRoofline& rank, const OperatorRoof& op) {
  return op.place == WorkPlace::kHere && (op.roof_ns || rank.on_host);
}

// Operators without a formula are not told apart by shapes.
std::string operator_evidence(const EventTable& events, const RankRoofline& rank, const Members& group,
                              const std::optional<double>& fraction) {
  const OperatorRoof& longest = *group.longest;
  std::string text = counted(group.count, "call", "calls");
  if (longest.shapes == kEmptyString) {
    return text;
  }
  text += " of " + counted(group.rows, "shape", "shapes");
  if (fraction) {
    text += fmt::format(" at {} of the roof of {}", format_percent(*fraction, 0), rank.accelerator->name);
  }
  const std::string& type = longest.precision.empty() ? longest.work.dtype : longest.precision;
  text += fmt::format("; most in {}", shorten(events.strings[longest.shapes], kLongestText));
  return type.empty() ? text : text + " of " + type;
}

OffenderCase operator_case(const EventTable& events, const RankRoofline& rank, StringId name, const Members& group,
                           int64_t window_ns) {
  const OperatorRoof& longest = *group.longest;
  const bool roofed = longest.roof_ns.has_value();
  const char* bound = roof_bound_name(longest.bound);
  const std::string subject(events.strings[name]);
  OffenderCase one =
      make_case(rank.on_host ? "host operator" : "operator", roofed ? fmt::format("{} ({})", subject, bound) : subject,
                group.time_ns, 0, window_ns,
                roofed ? "upper bound: time above the roof" : "upper bound: the whole time, no roof to compare with");
  one.offender.kind = rank.on_host ? kOnHost : "group";
  one.offender.stake_ns = static_cast<double>(group.time_ns) - group.roof_ns;
  one.offender.bound = roofed ? bound : "unknown: " + longest.missing;
  one.op_type = op_family_name(longest.work.family);
  one.precision = longest.precision;
  if (roofed && group.time_ns > 0) {
    one.roof_fraction = group.roof_ns / static_cast<double>(group.time_ns);
  }
  one.offender.evidence = operator_evidence(events, rank, group, one.roof_fraction);
  return one;
}

void add_operators(const EventTable& events, const TraceSummary& summary, const RankRoofline& rank, Cases& cases) {
  std::map<std::pair<StringId, RoofBound>, Members> groups;
  for (const OperatorRoof& op : rank.operators) {
    if (!has_stake(rank, op)) {
      continue;
    }
    Members& group = groups[{op.name, op.bound}];
    group.longest = group.longest == nullptr ? &op : group.longest;
    group.count += op.count;
    ++group.rows;
    group.time_ns = saturating_sum(group.time_ns, op.time_ns);
    group.roof_ns +=
        op.roof_ns ? std::min(*op.roof_ns * static_cast<double>(op.count), static_cast<double>(op.time_ns)) : 0;
  }
  // Threads work at the same time: on the host a share is one of what all operators took.
  const int64_t window_ns = rank.on_host ? rank.operators_ns : window_of(summary, rank.recording, rank.rank);
  for (const auto& [key, group] : groups) {
    OffenderCase one = operator_case(events, rank, key.first, group, window_ns);
    if (one.offender.stake_ns > 0 && one.offender.stake_ns >= kLeastShare * static_cast<double>(window_ns)) {
      cases.add(std::move(one), place_text(rank.rank, kNoId));
    }
  }
}

void add_runs(const EventTable& events, const TraceSummary& summary, const ElementwiseRuns& runs, Cases& cases) {
  const int64_t window_ns = window_of(summary, runs.recording, runs.rank);
  const int64_t stake_ns = runs.total_ns - runs.longest_ns;
  if (runs.runs == 0 || static_cast<double>(stake_ns) < kLeastShare * static_cast<double>(window_ns)) {
    return;
  }
  OffenderCase one = make_case("runs", "element-wise kernels in a row", runs.total_ns, stake_ns, window_ns,
                               "upper bound: each run as long as its longest kernel");
  std::string example;
  for (auto name = runs.example.begin(); name != runs.example.end();) {
    const auto next = std::find_if(name, runs.example.end(), [&](StringId other) { return other != *name; });
    const std::string times = next - name > 1 ? fmt::format(" ({} times)", next - name) : "";
    example += fmt::format("{}{}{}", example.empty() ? "" : ", ", events.strings[*name], times);
    name = next;
  }
  one.offender.kind = "group";
  one.offender.bound = "memory";
  one.offender.evidence = fmt::format("{} kernels in {} runs; the longest begins {}", runs.kernels, runs.runs, example);
  cases.add(std::move(one), place_text(runs.rank, kNoId));
}

// Where no operator is known, the kernels that take longest.
void add_kernels(const EventTable& events, const DeviceSummary& device, const std::string& place, Cases& cases) {
  size_t named = 0;
  for (const KernelStatistics& kernel : device.kernels) {
    if (kernel.work != WorkClass::kComputation || named == kKernels) {
      continue;
    }
    ++named;
    OffenderCase one = make_case("kernel", std::string(events.strings[kernel.name]), kernel.total_ns, kernel.total_ns,
                                 device.budget.window_ns(), "upper bound: the whole time, no roof to compare with");
    one.offender.kind = "kernel";
    one.offender.bound = "unknown: no operator is recorded that launched it";
    one.offender.evidence =
        fmt::format("{}, median {}", counted(kernel.count, "time", "times"), time_text(kernel.median_ns));
    cases.add(std::move(one), place);
  }
}

bool has_operators(const TraceSummary& summary, const DeviceSummary& device) {
  return std::any_of(summary.rooflines.begin(), summary.rooflines.end(), [&](const RankRoofline& rank) {
    return rank.recording == device.recording && rank.rank == device.rank && !rank.operators.empty();
  });
}

}  // namespace

std::vector<Offender> find_trace_offenders(const EventTable& events, const TraceSummary& summary,
                                           const std::vector<ElementwiseRuns>& runs) {
  Cases cases;
  for (const DeviceSummary& device : summary.devices) {
    const std::string place = place_text(device.rank, device.device);
    add_idle(events, device, place, cases);
    add_copies(events, device, place, cases);
    add_communication(events, summary, device, place, cases);
    add_small_kernels(device, place, cases);
    if (!has_operators(summary, device)) {
      add_kernels(events, device, place, cases);
    }
  }
  add_stragglers(events, summary, cases);
  for (const RankRoofline& rank : summary.rooflines) {
    add_operators(events, summary, rank, cases);
  }
  for (const ElementwiseRuns& one : runs) {
    add_runs(events, summary, one, cases);
  }
  return rank_offenders(cases.finish());
}

}  // namespace aaco
