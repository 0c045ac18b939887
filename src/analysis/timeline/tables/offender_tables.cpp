// SPDX-License-Identifier: MIT
// What to do about a trace, as rows.
#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

Table findings_table(const EventTable&, const TraceSummary& summary) {
  TableMaker<TraceFinding> table("findings");
  table
      .integers("recording", "", "index of the recording",
                [](const TraceFinding& finding) { return finding.recording; })
      .integers("rank", "", "of the job", [](const TraceFinding& finding) { return known_id(finding.rank); })
      .integers("device", "", "as the trace numbers it; null where it is of the rank",
                [](const TraceFinding& finding) { return known_id(finding.device); })
      .texts("pattern", "", [](const TraceFinding& finding) { return finding.pattern; })
      .texts("subject", "", [](const TraceFinding& finding) { return finding.subject; })
      .integers("window_ns", "ns", "of the device, or the longest of the rank",
                [](const TraceFinding& finding) { return finding.window_ns; })
      .integers("cost_ns", "ns", "what it costs", [](const TraceFinding& finding) { return finding.cost_ns; })
      .reals("saves_ns", "ns", "what the remedy saves at most",
             [](const TraceFinding& finding) { return finding.saves_ns; })
      .texts("basis", "of that", [](const TraceFinding& finding) { return finding.basis; })
      .texts("bound", "what limits it", [](const TraceFinding& finding) { return finding.bound; })
      .texts("evidence", "", [](const TraceFinding& finding) { return finding.evidence; })
      .texts("remedy", "", [](const TraceFinding& finding) { return finding.remedy; })
      .texts("source", "where the advice is from", [](const TraceFinding& finding) { return finding.source; });
  for (const TraceFinding& finding : summary.findings) {
    table.add(finding);
  }
  return table.finish();
}

Table offenders_table(const EventTable&, const TraceSummary& summary) {
  TableMaker<Offender> table("offenders");
  table.texts("subject", "", [](const Offender& offender) { return offender.subject; })
      .texts("kind", "", [](const Offender& offender) { return word_of(offender.kind); })
      .reals("time_ns", "ns", "of the trace", [](const Offender& offender) { return offender.time_ns; })
      .reals("share", "1", "of the device's window; of a host group of what all operators took",
             [](const Offender& offender) { return offender.share; })
      .reals("stake_ns", "ns", "what fixing it saves at most",
             [](const Offender& offender) { return offender.stake_ns; })
      .texts("stake_basis", "", [](const Offender& offender) { return offender.stake_basis; })
      .texts("bound", "what limits it", [](const Offender& offender) { return offender.bound; })
      .texts("evidence", "", [](const Offender& offender) { return offender.evidence; })
      .texts("recommendation", "", [](const Offender& offender) { return offender.recommendation; })
      .texts("rule", "", [](const Offender& offender) { return offender.rule; });
  for (const Offender& offender : summary.offenders) {
    table.add(offender);
  }
  return table.finish();
}

}  // namespace aaco
