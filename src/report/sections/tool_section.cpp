// SPDX-License-Identifier: MIT
#include "report/sections/tool_section.h"

#include "report/values.h"

namespace aaco::report {

Section tool_section(const ToolOutcome& tool) {
  FactList facts{{{"tool", tool.version}, {"events", std::to_string(tool.events)}, {"kept in", tool.folder}}};
  TableBlock table{.id = "tool-files", .columns = {{"file"}, {"read as"}, {"size", true}}};
  for (const ToolOutcome::File& file : tool.files) {
    table.rows.push_back({text_cell(file.path), text_cell(file.format.empty() ? "kept only" : file.format),
                          number_cell(static_cast<double>(file.bytes), "B")});
  }
  return {"tool",
          "Under " + tool.tool,
          {},
          {Paragraph{"One process more, whose times are in no figure above. aaco trace report shows what it recorded."},
           std::move(facts), std::move(table)}};
}

}  // namespace aaco::report
