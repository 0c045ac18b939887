// SPDX-License-Identifier: MIT
#include "analysis/timeline/offenders/device_offenders.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "analysis/timeline/advice/advice_input.h"
#include "analysis/timeline/names/people_words.h"
#include "analysis/timeline/names/work_names.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr int64_t kSmall_ns = 10'000;
constexpr size_t kKernels = 3;

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
                         people_words(word_of(holder.cause)),
                         name.empty() ? "(nothing recorded)" : fmt::format("\"{}\"", shorten(name, kLongestOffender)));
    }
  }
  return "";
}

struct IdleCase {
  bool by_host;  // known by when the host launched
  OffenderCause cause;
  const char* subject;
  std::initializer_list<IdleCause> causes;
  int64_t ExplainedTime::* explained;  // null where no finding explains such
};

void add_idle(const EventTable& events, const DeviceSummary& device, const ExplainedTime& explained,
              const std::string& place, OffenderCases& cases) {
  static const IdleCase kIdle[] = {
      {true,
       OffenderCause::kLateHost,
       "idle: launched too late",
       {IdleCause::kLaunchStarved, IdleCause::kHostCall, IdleCause::kHostOperator, IdleCause::kHostRange},
       &ExplainedTime::late_ns},
      {true,
       OffenderCause::kHostWaits,
       "idle: the host waited for the device",
       {IdleCause::kHostWaits},
       &ExplainedTime::waiting_ns},
      {false, OffenderCause::kCommunication, "idle: after communication", {IdleCause::kAfterCommunication}, nullptr},
      {false, OffenderCause::kStreams, "idle: between streams", {IdleCause::kAfterOtherStream}, nullptr},
  };
  const int64_t window_ns = device.budget.window_ns();
  for (const IdleCase& idle : kIdle) {
    if (!device.idle_carries_advice || (idle.by_host && !device.launch_times_carry_advice)) {
      continue;
    }
    const int64_t explained_ns = idle.explained == nullptr ? 0 : explained.*idle.explained;
    const int64_t ns = idle_ns(device, idle.causes) - explained_ns;
    OffenderCase offender_case =
        make_case(idle.cause, idle.subject, ns, ns, window_ns, "upper bound: all of this idle time");
    if (offender_case.offender.share >= kLeastShare) {
      offender_case.offender.evidence = fmt::format(
          "{} of the window of {} idle{}", format_percent(offender_case.offender.share), time_text(window_ns),
          explained_ns > 0 ? explained_text(explained_ns) : holder_text(events, device, idle.causes));
      cases.add(std::move(offender_case), place);
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
  OffenderCase offender_case =
      make_case(crossing_ns >= within_ns ? OffenderCause::kCopy : OffenderCause::kCopyWithin, "exposed copies", ns, ns,
                device.budget.window_ns(), "upper bound: all copies behind computation");
  if (offender_case.offender.share >= kLeastShare) {
    offender_case.offender.evidence =
        fmt::format("copies {} in all, of it {} exposed, and {} idle after them", time_text(device.budget.copy_ns),
                    time_text(exposed_ns), time_text(after_ns));
    const auto longest = std::find_if(device.kernels.begin(), device.kernels.end(),
                                      [](const KernelStatistics& kernel) { return kernel.work == WorkClass::kCopy; });
    if (longest != device.kernels.end()) {
      offender_case.offender.evidence +=
          fmt::format("; most by \"{}\", {}", shorten(events.strings[longest->name], kLongestOffender),
                      counted(longest->count, "time", "times"));
    }
    offender_case.offender.evidence += explained_text(explained.exposed_copy_ns);
    cases.add(std::move(offender_case), place);
  }
}

void add_communication(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device,
                       const ExplainedTime& explained, const std::string& place, OffenderCases& cases) {
  const int64_t ns = device.budget.exposed_communication_ns - explained.exposed_communication_ns;
  OffenderCase offender_case =
      make_case(OffenderCause::kCommunication, "exposed communication", ns, ns, device.budget.window_ns(),
                "upper bound: all communication behind computation");
  if (offender_case.offender.share < kLeastShare) {
    return;
  }
  offender_case.offender.evidence = fmt::format("communication {} in all, of it {} exposed",
                                                time_text(device.budget.communication_ns), time_text(ns));
  const auto most = std::max_element(
      device.collectives.begin(), device.collectives.end(),
      [](const CollectiveStatistics& a, const CollectiveStatistics& b) { return a.exposed_ns < b.exposed_ns; });
  if (most != device.collectives.end()) {
    offender_case.offender.evidence +=
        fmt::format("; most by \"{}\", {}, {} exposed",
                    shorten(events.strings[summary.communication.kinds[most->kind].name], kLongestOffender),
                    counted(most->count, "time", "times"), time_text(most->exposed_ns));
  }
  offender_case.offender.evidence += explained_text(explained.exposed_communication_ns);
  cases.add(std::move(offender_case), place);
}

// Kernels none of which took 10 us, and what the device took from one to the next.
void add_small_kernels(const DeviceSummary& device, const std::string& place, OffenderCases& cases) {
  uint64_t small = 0;
  uint64_t all = 0;
  int64_t small_ns = 0;
  for (const KernelStatistics& kernel : device.kernels) {
    const bool counts = kernel.work == WorkClass::kComputation && kernel.max_ns < kSmall_ns;
    all += kernel.work == WorkClass::kCopy ? 0 : kernel.count;
    small += counts ? kernel.count : 0;
    small_ns = saturating_sum(small_ns, counts ? kernel.total_ns : 0);
  }
  const int64_t turnaround_ns = idle_ns(device, {IdleCause::kTurnaround});
  const int64_t ns = saturating_sum(small_ns, turnaround_ns);
  OffenderCase offender_case =
      make_case(OffenderCause::kSmallKernels, "small kernels", ns, ns, device.budget.window_ns(),
                "upper bound: all of their time, and all idle between kernels of a stream");
  if (small > 0 && offender_case.offender.share >= kLeastShare) {
    offender_case.offender.evidence =
        fmt::format("{} of {} kernels are of names that never took 10 us: {}; and {} idle between", small, all,
                    time_text(small_ns), time_text(turnaround_ns));
    cases.add(std::move(offender_case), place);
  }
}

}  // namespace

void add_device_offenders(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device,
                          const ExplainedTime& explained, OffenderCases& cases) {
  const std::string place = place_text(device.rank, device.device);
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
    OffenderCase offender_case =
        make_case(OffenderCause::kKernel, std::string(events.strings[kernel.name]), kernel.total_ns, kernel.total_ns,
                  device.budget.window_ns(), "upper bound: the whole time, no roof to compare with");
    offender_case.offender.kind = OffenderKind::kKernel;
    offender_case.offender.bound = "unknown: no operator is recorded that launched it";
    offender_case.offender.evidence =
        fmt::format("{}, median {}", counted(kernel.count, "time", "times"), time_text(kernel.median_ns));
    cases.add(std::move(offender_case), place_text(device.rank, device.device));
  }
}

}  // namespace aaco
