// SPDX-License-Identifier: MIT
// What the reports of all sweeps say of their members alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/metric/metric_rows.h"
#include "report/report_model.h"

namespace aaco::report {

struct SweepMember {
  std::string name;                  // what is varied: "batch 4", "fsdp.prefetch_depth=2"
  std::string lost;                  // why it has no figures; "": it has
  std::vector<std::string> bundles;  // of its sessions
  std::vector<MetricRow> figures;
};

// The figures of all members, each named after its member; of one without figures each with the reason.
std::vector<MetricRow> member_metrics(const std::vector<SweepMember>& members);

// Of a share, in percent.
MetricValue percent_figure(const std::optional<double>& share, const std::optional<Interval>& interval,
                           const std::string& reason);

// The members without figures, and why; those with sessions, and which. Nothing is added where there are none.
void add_lost_members(const std::string& title, const std::vector<SweepMember>& members, Section& section);
void add_member_sessions(const std::string& title, const std::vector<SweepMember>& members, Section& section);

// What is said of a session that did not end well, and of a sweep that ended early.
void add_remarks(std::vector<Block> remarks, const std::optional<std::string>& stopped_by, Section& section);

}  // namespace aaco::report
