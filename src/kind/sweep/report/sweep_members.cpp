// SPDX-License-Identifier: MIT
#include "kind/sweep/report/sweep_members.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace aaco::report {

namespace {

void add_list(Bullets list, Section& section) {
  if (!list.items.empty()) {
    section.blocks.emplace_back(std::move(list));
  }
}

}  // namespace

std::vector<MetricRow> member_metrics(const std::vector<SweepMember>& members) {
  std::vector<MetricRow> rows;
  for (const SweepMember& member : members) {
    for (MetricRow row : member.figures) {
      row.title = fmt::format("{}, {}", member.name, row.title);
      const std::string id = fmt::format("{}.{}", member.name, row.figure.id);
      row.figure = member.lost.empty() ? row.figure : no_data(id, member.lost);
      row.figure.id = id;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

MetricValue percent_figure(const std::optional<double>& share, const std::optional<Interval>& interval,
                           const std::string& reason) {
  if (!share) {
    return no_data("", reason);
  }
  Estimate percent{100 * *share, {}};
  if (interval) {
    percent.interval = Interval{100 * interval->low, 100 * interval->high};
  }
  return figure_or(percent, reason);
}

void add_lost_members(const std::string& title, const std::vector<SweepMember>& members, Section& section) {
  Bullets lost{.title = title, .items = {}};
  for (const SweepMember& member : members) {
    if (!member.lost.empty()) {
      lost.items.push_back(fmt::format("{}: {}", member.name, member.lost));
    }
  }
  add_list(std::move(lost), section);
}

void add_member_sessions(const std::string& title, const std::vector<SweepMember>& members, Section& section) {
  Bullets sessions{.title = title, .items = {}};
  for (const SweepMember& member : members) {
    if (!member.bundles.empty()) {
      sessions.items.push_back(fmt::format("{}: {}", member.name, fmt::join(member.bundles, ", ")));
    }
  }
  add_list(std::move(sessions), section);
}

void add_remarks(std::vector<Block> remarks, const std::optional<std::string>& stopped_by, Section& section) {
  for (Block& remark : remarks) {
    section.blocks.push_back(std::move(remark));
  }
  if (stopped_by) {
    section.blocks.emplace_back(Paragraph{"The sweep ended early: " + *stopped_by, Tone::kWarning});
  }
}

}  // namespace aaco::report
