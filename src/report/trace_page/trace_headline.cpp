// SPDX-License-Identifier: MIT
#include "report/trace_page/trace_headline.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "record/intervals.h"
#include "report/headline/stake.h"
#include "report/names/kernel_names.h"
#include "report/plot/chart.h"
#include "report/trace/values.h"
#include "report/trace_page/idle_wait.h"

namespace aaco::report {

namespace {

std::string name_of(const TraceInput& input, const DeviceSummary& device) {
  return of_rank(device_name(device.device), input.events, device.recording, device.rank);
}

double busy_share(const TimeShares& budget) { return 1 - ratio(budget.idle_ns, budget.window_ns()).value_or(0); }

// All devices together.
TimeShares budget_of_all(const TraceSummary& summary) {
  TimeShares sum;
  for (const DeviceSummary& device : summary.devices) {
    const TimeShares& budget = device.budget;
    sum.computation_ns = saturating_sum(sum.computation_ns, budget.computation_ns);
    sum.exposed_communication_ns = saturating_sum(sum.exposed_communication_ns, budget.exposed_communication_ns);
    sum.exposed_copy_ns = saturating_sum(sum.exposed_copy_ns, budget.exposed_copy_ns);
    sum.idle_ns = saturating_sum(sum.idle_ns, budget.idle_ns);
    sum.window.end_ns = saturating_sum(sum.window.end_ns, budget.window_ns());
  }
  return sum;
}

// The largest cause, where idle is a tenth of the time.
std::string idle_words(const TraceInput& input, const TimeShares& all) {
  const TraceSummary& summary = input.summary;
  if (all.idle_ns <= 0 || all.idle_ns < all.window_ns() / 10) {
    return "";
  }
  size_t largest = 0;
  std::vector<int64_t> sums(kIdleCauses);
  for (size_t cause = 0; cause < kIdleCauses; ++cause) {
    for (const DeviceSummary& device : summary.devices) {
      sums[cause] = saturating_sum(sums[cause], device.idle.shares[cause].total_ns);
    }
    largest = sums[cause] > sums[largest] ? cause : largest;
  }
  const auto cause = static_cast<IdleCause>(largest);
  const std::string wait =
      cause == IdleCause::kUnexplained ? longest_idle_wait(input.events, sums[largest]) : std::string();
  return fmt::format("; idle mostly: {} ({}){}", people_words(word_of(cause)), share_text(sums[largest], all.idle_ns),
                     wait.empty() ? "" : "; meanwhile the host waited in " + wait);
}

std::string figure_of(const TraceInput& input, const TimeShares& all) {
  const std::vector<DeviceSummary>& devices = input.summary.devices;
  const size_t events = input.events.size();
  if (devices.empty()) {
    return fmt::format("No work on a device has a time in this trace ({})", counted(events, "event", "events"));
  }
  const char* const bound = std::any_of(devices.begin(), devices.end(),
                                        [](const DeviceSummary& device) { return device.idle_is_upper_bound; })
                                ? "at least "
                                : "";
  const std::string share = format_percent(busy_share(all));
  if (devices.size() == 1) {
    return fmt::format("{} was busy {}{} of {}{}", name_of(input, devices[0]), bound, share,
                       duration_text(all.window_ns()), idle_words(input, all));
  }
  const auto least = std::min_element(devices.begin(), devices.end(), [](const auto& a, const auto& b) {
    return busy_share(a.budget) < busy_share(b.budget);
  });
  return fmt::format("{} devices were busy {}{} of their time, {} least: {}{}", devices.size(), bound, share,
                     name_of(input, *least), format_percent(busy_share(least->budget)), idle_words(input, all));
}

// Of those with a remedy: what nobody has counted the work of has none.
void add_findings(const TraceSummary& summary, Headline& headline) {
  for (const Offender& offender : summary.offenders) {
    if (headline.findings.size() < Headline::kMostFindings && is_worth_a_line(offender) && names_a_remedy(offender)) {
      headline.findings.push_back(fmt::format(
          "{}: {}", short_kernel_name(offender.subject),
          stake_words(offender, offender.kind == OffenderKind::kHostGroup ? "all operators" : "the window")));
    }
  }
}

template <class Fill>
void add_doubts(const Fill& fill, Tone tone, std::vector<std::pair<std::string, Tone>>& doubts) {
  Outline at(Outline::Form::kSections);
  fill(at);
  for (const Section& section : at.take_sections()) {
    for (const Block& block : section.blocks) {
      doubts.emplace_back(std::get<Paragraph>(block).text, tone);
    }
  }
}

// Losses that change no figure are none.
std::vector<std::pair<std::string, Tone>> doubts_of(const TraceInput& input) {
  std::vector<std::pair<std::string, Tone>> doubts;
  for (const LossTable::Entry& entry : input.summary.losses.entries()) {
    const LossInfo& info = loss_info(entry.loss);
    if (info.severity != LossSeverity::kNote) {
      const bool severe = info.severity == LossSeverity::kSevere;
      doubts.emplace_back(fmt::format("{}{} ({}): {}", severe ? "in part: " : "", info.name, entry.count, info.meaning),
                          severe ? Tone::kBad : Tone::kWarning);
    }
  }
  if (!input.origin.unknown_files.empty()) {
    doubts.emplace_back(
        fmt::format("{} in no known format, not read", counted(input.origin.unknown_files.size(), "file", "files")),
        Tone::kWarning);
  }
  add_doubts([&](Outline& at) { outline_coverage(input.origin, input.events, at); }, Tone::kWarning, doubts);
  add_doubts([&](Outline& at) { outline_doubts(input, at); }, Tone::kWarning, doubts);
  return doubts;
}

}  // namespace

Headline trace_headline(const TraceInput& input) {
  Headline headline;
  const TimeShares all = budget_of_all(input.summary);
  headline.figure = figure_of(input, all);
  headline.budget.parts = {{"computation", static_cast<double>(all.computation_ns), 0},
                           {"exposed communication", static_cast<double>(all.exposed_communication_ns), 1},
                           {"exposed copy", static_cast<double>(all.exposed_copy_ns), 2},
                           {"idle", static_cast<double>(all.idle_ns), plot::kMuted}};
  add_findings(input.summary, headline);
  set_quality(doubts_of(input), headline);
  return headline;
}

}  // namespace aaco::report
