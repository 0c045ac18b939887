// SPDX-License-Identifier: MIT
#include "report/trace/losses.h"

#include <utility>
#include <vector>

#include "base/json.h"
#include "report/trace/row_sinks.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kNoLosses = "losses  none";

TableBlock loss_table(const LossTable& losses) {
  TableBlock table{.id = "losses",
                   .columns = {{"loss", false, "loss"},
                               {"count", true, "count"},
                               {"severity", false, "severity"},
                               {"meaning", false, "meaning"},
                               {"what to do", false, "remedy"},
                               {"the first", false, "example", kLongestName}}};
  for (const LossTable::Entry& entry : losses.entries()) {
    const LossInfo& info = loss_info(entry.loss);
    table.rows.push_back({text_cell(info.name), amount_cell(entry.count), text_cell(severity_name(info.severity)),
                          text_cell(info.meaning), text_cell(info.remedy), text_cell(entry.example)});
  }
  return table;
}

}  // namespace

Json losses_json(const LossTable& losses, std::optional<int64_t> recorded_device_ns) {
  Json rows = rows_json(loss_table(losses));
  const std::vector<LossTable::Entry> entries = losses.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    if (const auto ns = entries[i].device_time_ns) {
      rows[i]["device_time_ns"] = *ns;
      if (recorded_device_ns) {
        rows[i]["device_time_share"] = ratio(*ns, *recorded_device_ns);
      }
    }
  }
  return rows;
}

Block losses_block(const LossTable& losses) {
  TableBlock table = loss_table(losses);
  return table.rows.empty() ? Block(Paragraph{.text = kNoLosses}) : Block(std::move(table));
}

std::string losses_text(const LossTable& losses) {
  const TableBlock table = loss_table(losses);
  return table.rows.empty() ? std::string(kNoLosses) + "\n" : rows_text(table);
}

}  // namespace aaco::report
