// SPDX-License-Identifier: MIT
#include "report/trace/losses.h"

#include <vector>

#include "base/characters.h"
#include "base/format.h"
#include "base/json.h"
#include "report/trace/values.h"

namespace aaco::report {

Json losses_json(const LossTable& losses) {
  Json list = Json::array();
  for (const LossTable::Entry& entry : losses.entries()) {
    const LossInfo& info = loss_info(entry.loss);
    list.push_back({{"loss", info.name},
                    {"count", entry.count},
                    {"severity", severity_name(info.severity)},
                    {"meaning", info.meaning},
                    {"remedy", info.remedy},
                    {"example", entry.example}});
  }
  return list;
}

std::string losses_text(const LossTable& losses) {
  const std::vector<LossTable::Entry> entries = losses.entries();
  if (entries.empty()) {
    return "losses  none\n";
  }
  std::vector<std::vector<std::string>> rows{{"loss", "count", "severity", "meaning", "what to do", "the first"}};
  for (const LossTable::Entry& entry : entries) {
    const LossInfo& info = loss_info(entry.loss);
    rows.push_back({info.name, std::to_string(entry.count), severity_name(info.severity), info.meaning, info.remedy,
                    shorten(entry.example, kLongestName)});
  }
  return format_table(rows);
}

}  // namespace aaco::report
