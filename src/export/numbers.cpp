// SPDX-License-Identifier: MIT
#include "export/numbers.h"

#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace aaco {

namespace {

constexpr int64_t kFirstNewPid = 4'194'305;      // Linux gives none beyond 2^22
constexpr int64_t kFirstNewTid = 1'000'000'000;  // nor threads

// A number that is written the only way, from 0 to `most`.
std::optional<int64_t> number_of(std::string_view text, int64_t most) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0 && number <= most;
  return whole && (text.size() == 1 || text.front() != '0') ? std::optional(number) : std::nullopt;
}

class Numbers {
 public:
  explicit Numbers(int64_t first_new) : next_(first_new) {}

  bool take(int64_t number) { return used_.insert(number).second; }
  int64_t make() {
    while (!take(next_)) {
      ++next_;
    }
    return next_++;
  }

 private:
  std::set<int64_t> used_;
  int64_t next_;
};

constexpr int64_t kMostPid = std::numeric_limits<int32_t>::max();
constexpr int64_t kUnnumbered = -1;

void number_rows_of(const EventTable& events, Layout& layout, const std::vector<uint32_t>& lines) {
  Numbers numbers(kFirstNewTid);
  std::set<StringId> texts;
  const auto first_row = [&](uint32_t line) -> ShownRow& { return layout.rows[layout.lines[line].first_row]; };
  for (const uint32_t line : lines) {
    const StringId thread = events.tracks[layout.lines[line].track].thread;
    const auto number = number_of(events.strings[thread], std::numeric_limits<int64_t>::max());
    ShownRow& row = first_row(line);
    row.keeps_text = !layout.lines[line].is_replays && thread != kEmptyString && texts.insert(thread).second;
    row.tid = row.keeps_text && number && numbers.take(*number) ? *number : kUnnumbered;
  }
  for (const uint32_t line : lines) {  // streams that the file does not name
    const Track& track = events.tracks[layout.lines[line].track];
    ShownRow& row = first_row(line);
    if (track.thread == kEmptyString && track.stream >= 0 && numbers.take(track.stream)) {
      row.tid = track.stream;
    }
  }
  for (const uint32_t line : lines) {
    for (uint32_t row = layout.lines[line].first_row; row < layout.rows.size() && layout.rows[row].line == line;
         ++row) {
      if (layout.rows[row].lane > 0 || row != layout.lines[line].first_row || layout.rows[row].tid == kUnnumbered) {
        layout.rows[row].tid = numbers.make();
      }
    }
  }
}

}  // namespace

void number_processes(const EventTable& events, Layout& layout) {
  Numbers numbers(kFirstNewPid);
  std::set<StringId> texts;
  for (ShownProcess& process : layout.processes) {
    const auto number = number_of(events.strings[process.process], kMostPid);
    process.keeps_text = process.process != kEmptyString && texts.insert(process.process).second;
    process.pid = process.keeps_text && number && numbers.take(*number) ? *number : kUnnumbered;
  }
  for (ShownProcess& process : layout.processes) {  // devices that the file does not name
    if (process.process == kEmptyString && process.device >= 0 && process.device <= kMostPid &&
        numbers.take(process.device)) {
      process.pid = process.device;
    }
  }
  for (ShownProcess& process : layout.processes) {
    process.pid = process.pid == kUnnumbered ? numbers.make() : process.pid;
  }
}

void number_rows(const EventTable& events, Layout& layout) {
  std::vector<std::vector<uint32_t>> lines(layout.processes.size());
  for (uint32_t line = 0; line < layout.lines.size(); ++line) {
    lines[layout.lines[line].process].push_back(line);
  }
  for (const std::vector<uint32_t>& of_process : lines) {
    number_rows_of(events, layout, of_process);
  }
}

}  // namespace aaco
