// SPDX-License-Identifier: MIT
#include "analysis/timeline/advice/advice_input.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/format.h"
#include "base/text/characters.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr size_t kNames = 3;
constexpr size_t kLongestName = 60;

}  // namespace

LongestWindows::LongestWindows(const std::vector<DeviceSummary>& devices) {
  for (const DeviceSummary& device : devices) {
    int64_t& window_ns = windows_ns_[{device.recording, device.rank}];
    window_ns = std::max(window_ns, device.budget.window_ns());
  }
}

int64_t LongestWindows::window_ns(uint32_t recording, int64_t rank) const {
  const auto window = windows_ns_.find({recording, rank});
  return window == windows_ns_.end() ? 0 : window->second;
}

TraceFinding finding_of(std::string pattern, const DeviceSummary& device) {
  TraceFinding finding;
  finding.pattern = std::move(pattern);
  finding.recording = device.recording;
  finding.rank = device.rank;
  finding.device = device.device;
  finding.window_ns = device.budget.window_ns();
  finding.bound = "overhead";
  return finding;
}

TraceFinding finding_of(std::string pattern, const LongestWindows& windows, uint32_t recording, int64_t rank) {
  TraceFinding finding;
  finding.pattern = std::move(pattern);
  finding.recording = recording;
  finding.rank = rank;
  finding.window_ns = windows.window_ns(recording, rank);
  finding.bound = "overhead";
  return finding;
}

bool worth_a_line(const TraceFinding& finding) {
  return finding.saves_ns > 0 && finding.saves_ns >= kLeastShare * static_cast<double>(finding.window_ns);
}

bool has_mark(std::string_view text, std::string_view mark) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::search(text.begin(), text.end(), mark.begin(), mark.end(), same) != text.end();
}

std::string time_text(int64_t ns) { return format_duration_ns(static_cast<double>(ns)); }

void TimeByName::add(StringId name, int64_t ns) {
  int64_t& its_ns = times_ns_[name];
  its_ns = saturating_sum(its_ns, ns);
}

std::vector<std::string> TimeByName::longest(const StringTable& strings) const {
  std::vector<std::pair<int64_t, StringId>> ordered;
  for (const auto& [name, ns] : times_ns_) {
    ordered.emplace_back(ns, name);
  }
  std::sort(ordered.begin(), ordered.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : strings[a.second] < strings[b.second];
  });
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(ordered.size(), kNames); ++i) {
    names.push_back(shorten(printable(strings[ordered[i].second]), kLongestName));
  }
  return names;
}

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name);
  }
  return text;
}

}  // namespace aaco
