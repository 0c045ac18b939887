// SPDX-License-Identifier: MIT
#include "observe/cpu_quota.h"

#include <charconv>
#include <fmt/format.h>

#include "observe/cgroup.h"

namespace aaco {

namespace {

// "nr_periods 143" -> 143; none where the file has no such line.
std::optional<int64_t> counter(const std::string& text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    const auto words = split(line, ' ');
    int64_t value = 0;
    if (words.size() == 2 && words[0] == key &&
        std::from_chars(words[1].data(), words[1].data() + words[1].size(), value).ec == std::errc{}) {
      return value;
    }
  }
  return std::nullopt;
}

// Version 2 counts in microseconds, version 1 in nanoseconds under another name.
std::optional<int64_t> throttled_ns(const std::string& text) {
  if (const auto microseconds = counter(text, "throttled_usec")) {
    return *microseconds * 1000;
  }
  return counter(text, "throttled_time");
}

std::string limit_text(const HostFiles& host, const CgroupFolder& group) {
  const auto content_of = [&](const char* file) { return host.text((group.folder / file).string()).value_or("?"); };
  const char* const burst_file = group.v2 ? "cpu.max.burst" : "cpu.cfs_burst_us";
  const std::optional<int64_t> burst = host.number((group.folder / burst_file).string());
  return (group.v2 ? "cpu.max is " + content_of("cpu.max")
                   : "cpu.cfs_quota_us is " + content_of("cpu.cfs_quota_us") + ", cpu.cfs_period_us " +
                         content_of("cpu.cfs_period_us")) +
         (burst.value_or(0) > 0 ? fmt::format(", {} {}", burst_file, *burst) : "");
}

}  // namespace

QuotaFacts read_quota(const HostFiles& host) {
  QuotaFacts facts;
  facts.unavailable = "no control group of this process has a cpu.stat";
  facts.processors = static_cast<int64_t>(allowed_processors().size());
  for (const CgroupFolder& group : cpu_groups(host)) {
    const auto stat = host.text((group.folder / "cpu.stat").string());
    if (!stat) {
      continue;
    }
    facts.unavailable.clear();
    // Read before the group's own file would be: of a group that a parent stops only this one counts.
    if (const auto local = host.text((group.folder / "cpu.stat.local").string()); local && !facts.held_ns) {
      facts.held_ns = throttled_ns(*local);
    }
    const std::optional<double> processors = cpu_quota(host, group);
    if (!processors) {
      continue;
    }
    facts.groups.push_back({group.folder.string(), limit_text(host, group), *processors,
                            counter(*stat, "nr_periods").value_or(0), counter(*stat, "nr_throttled").value_or(0),
                            throttled_ns(*stat).value_or(0), counter(*stat, "nr_bursts").value_or(0)});
  }
  return facts;
}

QuotaFacts quota_between(const QuotaFacts& before, const QuotaFacts& after) {
  QuotaFacts facts = after;
  if (!before.unavailable.empty() || !after.unavailable.empty()) {
    facts.unavailable = before.unavailable.empty() ? after.unavailable : before.unavailable;
    facts.groups.clear();
    facts.held_ns.reset();
    return facts;
  }
  const auto own = [](const QuotaFacts& reading) { return reading.groups.empty() ? "" : reading.groups[0].group; };
  if (before.groups.size() != after.groups.size() || own(before) != own(after)) {
    facts = {};
    facts.unavailable =
        "the process was moved to another control group, or a quota was set or lifted, while it measured";
    return facts;
  }
  for (size_t i = 0; i < facts.groups.size(); ++i) {
    const QuotaGroup& old = before.groups[i];
    QuotaGroup& group = facts.groups[i];
    group.periods -= old.periods;
    group.throttled_periods -= old.throttled_periods;
    group.throttled_ns -= old.throttled_ns;
    group.burst_periods -= old.burst_periods;
  }
  if (before.held_ns && after.held_ns) {
    facts.held_ns = *after.held_ns - *before.held_ns;
  }
  return facts;
}

}  // namespace aaco
