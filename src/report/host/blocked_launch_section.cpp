// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "analysis/host/blocked_launch.h"
#include "analysis/host/wait_place.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "report/host/host_section.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostBlockers = 10;

// Observed threads are "thread 4711", those of other profilers "4711": as the system numbers them.
std::optional<int64_t> system_thread(const EventTable& events, uint32_t track) {
  std::string_view text = events.strings[events.tracks[track].thread];
  constexpr std::string_view kPrefix = "thread ";
  text = text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// "main;run;futex_wait", the innermost last.
std::string stack_text(const StackIndex& stacks, const std::optional<int64_t>& number) {
  const StackRow* const row = stacks.find(number);
  if (row == nullptr) {
    return "no stack";
  }
  std::string text;
  for (const std::string& frames : {row->python_frames.value_or(""), row->user_frames, row->kernel_frames}) {
    text += (text.empty() || frames.empty() ? "" : ";") + frames;
  }
  return printable(row->unread ? text + " (" + *row->unread + ")" : text);
}

TableBlock blocker_table(const BlockedLaunches& blocked, const CollectedRows& rows) {
  const StackIndex stacks(rows.rows<StackRow>());
  TableBlock table{.id = "blocked_launches",
                   .title = "What held the launching threads",
                   .columns = {{"cause", false, "cause"},
                               {"time", true, "total_ns"},
                               {"gaps", true, "gaps"},
                               {"stack", false, "stack", 48},
                               {"released by", false, "waker", 16},
                               {"its stack", false, "waker_stack", 48}},
                   .note =
                       "Of gaps of 10 us or more in which a device was idle and nothing was recorded on the thread "
                       "that launched next. Stacks are of the longest wait."};
  for (size_t i = 0; i < std::min(kMostBlockers, blocked.blockers.size()); ++i) {
    const LaunchBlocker& blocker = blocked.blockers[i];
    table.rows.push_back({text_cell(printable(cause_text(blocker.kind, blocker.name))),
                          duration_cell(static_cast<double>(blocker.total_ns)), count_cell(blocker.gaps),
                          text_cell(stack_text(stacks, blocker.stack)),
                          text_cell(printable(blocker.waker_name.value_or(""))),
                          text_cell(blocker.waker_stack ? stack_text(stacks, blocker.waker_stack) : "")});
  }
  return table;
}

}  // namespace

void add_blocked_launches(const EventTable& events, const TraceSummary& summary, const CollectedRows& rows,
                          Section& section) {
  std::vector<LaunchGap> gaps;
  uint64_t unnumbered = 0;
  for (const DeviceSummary& device : summary.devices) {
    for (const StarvedIdle& gap : device.idle.starved) {
      const std::optional<int64_t> thread = system_thread(events, gap.track);
      unnumbered += thread ? 0 : 1;
      if (thread) {
        gaps.push_back({gap.span, *thread});
      }
    }
  }
  if (gaps.empty() || rows.rows<OffCpuRow>().empty()) {
    return;
  }
  const BlockedLaunches blocked = blocked_launches(gaps, rows);
  const auto text = [](int64_t ns) { return format_duration_ns(static_cast<double>(ns)); };
  std::string answer = fmt::format(
      "Devices waited {} for a launch, nothing being recorded on the launching thread: it was "
      "held for {}, ran for {}",
      text(blocked.gaps_ns), text(blocked.gaps_ns - blocked.ran_ns - blocked.unknown_ns), text(blocked.ran_ns));
  answer += blocked.unknown_ns > 0
                ? fmt::format(", and for {} no row of the kernel is of that thread.", text(blocked.unknown_ns))
                : ".";
  answer += unnumbered > 0 ? fmt::format(" {} gaps are of threads without a number of the system.", unnumbered) : "";
  section.blocks.emplace_back(Paragraph{std::move(answer)});
  if (!blocked.blockers.empty()) {
    section.blocks.emplace_back(blocker_table(blocked, rows));
  }
}

}  // namespace aaco::report
