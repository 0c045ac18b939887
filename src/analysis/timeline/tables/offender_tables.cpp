// SPDX-License-Identifier: MIT
// What to do about a trace, as rows.
#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

Table findings_table(const EventTable&, const TraceSummary& summary) {
  TableMaker<TraceFinding> table("findings");
  table.integers("recording", "", "index of the recording", [](const TraceFinding& one) { return one.recording; })
      .integers("rank", "", "of the job", [](const TraceFinding& one) { return known_id(one.rank); })
      .integers("device", "", "as the trace numbers it; null where it is of the rank",
                [](const TraceFinding& one) { return known_id(one.device); })
      .texts("pattern", "", [](const TraceFinding& one) { return one.pattern; })
      .texts("subject", "", [](const TraceFinding& one) { return one.subject; })
      .integers("window_ns", "ns", "of the device, or the longest of the rank",
                [](const TraceFinding& one) { return one.window_ns; })
      .integers("cost_ns", "ns", "what it costs", [](const TraceFinding& one) { return one.cost_ns; })
      .reals("saves_ns", "ns", "what the remedy saves at most", [](const TraceFinding& one) { return one.saves_ns; })
      .texts("basis", "of that", [](const TraceFinding& one) { return one.basis; })
      .texts("bound", "what limits it", [](const TraceFinding& one) { return one.bound; })
      .texts("evidence", "", [](const TraceFinding& one) { return one.evidence; })
      .texts("remedy", "", [](const TraceFinding& one) { return one.remedy; })
      .texts("source", "where the advice is from", [](const TraceFinding& one) { return one.source; });
  for (const TraceFinding& one : summary.findings) {
    table.add(one);
  }
  return table.finish();
}

Table offenders_table(const EventTable&, const TraceSummary& summary) {
  TableMaker<Offender> table("offenders");
  table.texts("subject", "", [](const Offender& one) { return one.subject; })
      .texts("kind", "", [](const Offender& one) { return one.kind; })
      .reals("time_ns", "ns", "of the trace", [](const Offender& one) { return one.time_ns; })
      .reals("share", "1", "of the device's window; of a host group of what all operators took",
             [](const Offender& one) { return one.share; })
      .reals("stake_ns", "ns", "what fixing it saves at most", [](const Offender& one) { return one.stake_ns; })
      .texts("stake_basis", "", [](const Offender& one) { return one.stake_basis; })
      .texts("bound", "what limits it", [](const Offender& one) { return one.bound; })
      .texts("evidence", "", [](const Offender& one) { return one.evidence; })
      .texts("recommendation", "", [](const Offender& one) { return one.recommendation; })
      .texts("rule", "", [](const Offender& one) { return one.rule; });
  for (const Offender& one : summary.offenders) {
    table.add(one);
  }
  return table.finish();
}

}  // namespace aaco
