// SPDX-License-Identifier: MIT
#include "analysis/timeline/device_offenders.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "analysis/timeline/advice/advice_input.h"
#include "analysis/timeline/names/work_names.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "trace/intervals.h"

namespace aaco {

namespace {

constexpr int64_t kSmall_ns = 10'000;
constexpr size_t kKernels = 3;

// What findings of the device explain.
ExplainedTime explained_of(const TraceSummary& summary, const DeviceSummary& device) {
  ExplainedTime sum;
  for (const TraceFinding& finding : summary.findings) {
    if (finding.recording == device.recording && finding.rank == device.rank && finding.device == device.device) {
      sum.late_ns = saturating_sum(sum.late_ns, finding.explains.late_ns);
      sum.waiting_ns = saturating_sum(sum.waiting_ns, finding.explains.waiting_ns);
      sum.exposed_copy_ns = saturating_sum(sum.exposed_copy_ns, finding.explains.exposed_copy_ns);
      sum.exposed_communication_ns =
          saturating_sum(sum.exposed_communication_ns, finding.explains.exposed_communication_ns);
    }
  }
  return sum;
}

// What is said where a part is explained: the figures beside it are of all.
std::string explained_text(int64_t ns) {
  return ns > 0 ? fmt::format("; {} besides is explained by a finding of its own", time_text(ns)) : "";
}

// None where kernels may have run in it.
int64_t idle_ns(const DeviceSummary& device, std::initializer_list<IdleCause> causes) {
  int64_t sum = 0;
  if (!device.idle_carries_advice) {
    return sum;
  }
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
                         name.empty() ? "(nothing recorded)" : fmt::format("\"{}\"", shorten(name, kLongestOffender)));
    }
  }
  return "";
}

struct IdleCase {
  bool by_host;  // known by when the host launched
  const char* cause;
  const char* subject;
  std::initializer_list<IdleCause> causes;
  int64_t ExplainedTime::* explained;  // null where no finding explains such
};

void add_idle(const EventTable& events, const DeviceSummary& device, const ExplainedTime& explained,
              const std::string& place, OffenderCases& cases) {
  static const IdleCase kIdle[] = {
      {true,
       "host",
       "idle: launched too late",
       {IdleCause::kLaunchStarved, IdleCause::kHostCall, IdleCause::kHostOperator, IdleCause::kHostRange},
       &ExplainedTime::late_ns},
      {true, "waits", "idle: the host waited for the device", {IdleCause::kHostWaits}, &ExplainedTime::waiting_ns},
      {false, "communication", "idle: after communication", {IdleCause::kAfterCommunication}, nullptr},
      {false, "streams", "idle: between streams", {IdleCause::kAfterOtherStream}, nullptr},
  };
  const int64_t window_ns = device.budget.window_ns();
  for (const IdleCase& one : kIdle) {
    if (!device.idle_carries_advice || (one.by_host && !device.launch_times_carry_advice)) {
      continue;
    }
    const int64_t explained_ns = one.explained == nullptr ? 0 : explained.*one.explained;
    const int64_t ns = idle_ns(device, one.causes) - explained_ns;
    OffenderCase found = make_case(one.cause, one.subject, ns, ns, window_ns, "upper bound: all of this idle time");
    if (found.offender.share >= kLeastShare) {
      found.offender.evidence =
          fmt::format("{} of the window of {} idle{}", format_percent(found.offender.share), time_text(window_ns),
                      explained_ns > 0 ? explained_text(explained_ns) : holder_text(events, device, one.causes));
      cases.add(std::move(found), place);
    }
  }
}

void add_copies(const EventTable& events, const DeviceSummary& device, const ExplainedTime& explained,
                const std::string& place, OffenderCases& cases) {
  const int64_t exposed_ns = device.budget.exposed_copy_ns - explained.exposed_copy_ns;
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
      one.offender.evidence +=
          fmt::format("; most by \"{}\", {}", shorten(events.strings[longest->name], kLongestOffender),
                      counted(longest->count, "time", "times"));
    }
    one.offender.evidence += explained_text(explained.exposed_copy_ns);
    cases.add(std::move(one), place);
  }
}

void add_communication(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device,
                       const ExplainedTime& explained, const std::string& place, OffenderCases& cases) {
  const int64_t ns = device.budget.exposed_communication_ns - explained.exposed_communication_ns;
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
                    shorten(events.strings[summary.communication.kinds[most->kind].name], kLongestOffender),
                    counted(most->count, "time", "times"), time_text(most->exposed_ns));
  }
  one.offender.evidence += explained_text(explained.exposed_communication_ns);
  cases.add(std::move(one), place);
}

// Kernels none of which took 10 us, and what the device took from one to the next.
void add_small_kernels(const DeviceSummary& device, const std::string& place, OffenderCases& cases) {
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

}  // namespace

void add_device_offenders(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device,
                          OffenderCases& cases) {
  const std::string place = place_text(device.rank, device.device);
  const ExplainedTime explained = explained_of(summary, device);
  add_idle(events, device, explained, place, cases);
  add_copies(events, device, explained, place, cases);
  add_communication(events, summary, device, explained, place, cases);
  add_small_kernels(device, place, cases);
}

void add_longest_kernels(const EventTable& events, const DeviceSummary& device, OffenderCases& cases) {
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
    cases.add(std::move(one), place_text(device.rank, device.device));
  }
}

}  // namespace aaco
