// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/llama/llama_subcommands.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "report/sinks.h"
#include "report/values.h"
#include "workload/training/llama_config.h"
#include "workload/training/llama_weights.h"

namespace aaco {

namespace {

Json list_json() {
  Json json = {{"versions", Json::array()}, {"fusions", Json::array()}, {"presets", Json::array()}};
  for (const LlamaVersion& version : llama_versions()) {
    json["versions"].push_back({{"version", version.number},
                                {"name", version.name},
                                {"summary", version.summary},
                                {"dispatch", version.dispatch}});
  }
  for (const NamedFusion& fusion : llama_fusions()) {
    json["fusions"].push_back({{"name", fusion.name}, {"meaning", fusion.meaning}});
  }
  for (const LlamaPreset& preset : llama_presets()) {
    json["presets"].push_back({{"name", preset.name},
                               {"vocabulary", preset.shape.vocabulary},
                               {"hidden", preset.shape.hidden},
                               {"layers", preset.shape.layers},
                               {"heads", preset.shape.heads},
                               {"kv_heads", preset.shape.kv_heads},
                               {"inner", preset.shape.inner},
                               {"sequences", preset.sequences},
                               {"length", preset.length},
                               {"parameters", llama_parameter_count(preset.shape)}});
  }
  return json;
}

report::Report list_report() {
  report::Section versions{"versions", "Versions", {}, {}};
  for (const LlamaVersion& version : llama_versions()) {
    versions.blocks.emplace_back(
        report::Paragraph{fmt::format("V{}  {}: {}", version.number, version.name, version.summary)});
  }
  report::TableBlock fusions{.id = "fusions", .columns = {{"fusion"}, {"for --enable and --disable"}}};
  for (const NamedFusion& fusion : llama_fusions()) {
    fusions.rows.push_back({report::text_cell(fusion.name), report::text_cell(fusion.meaning)});
  }
  report::TableBlock presets{.id = "presets",
                             .columns = {{"preset"},
                                         {"hidden", true},
                                         {"layers", true},
                                         {"heads", true},
                                         {"kv", true},
                                         {"inner", true},
                                         {"batch", true},
                                         {"length", true},
                                         {"parameters", true}}};
  for (const LlamaPreset& preset : llama_presets()) {
    const LlamaShape& shape = preset.shape;
    std::vector<report::Cell> row{report::text_cell(preset.name)};
    for (const int64_t count : {int64_t{shape.hidden}, int64_t{shape.layers}, int64_t{shape.heads},
                                int64_t{shape.kv_heads}, int64_t{shape.inner}, int64_t{preset.sequences},
                                int64_t{preset.length}, int64_t{llama_parameter_count(shape)}}) {
      row.push_back(report::count_cell(count));
    }
    presets.rows.push_back(std::move(row));
  }
  return {.sections = {std::move(versions),
                       {"fusions", "Fusions", {}, {std::move(fusions)}},
                       {"presets", "Presets", {}, {std::move(presets)}}}};
}

}  // namespace

void add_llama_list(cli::Command llama, Invocation& invocation) {
  cli::Command command = llama.add_subcommand("list", "The versions of the ladder, and the presets");
  add_json_flag(command, invocation);
  set_examples(command, "  aaco llama list");
  command.callback([&invocation] {
    fmt::print("{}", invocation.json ? indented_json_text(list_json()) : report::render_lines(list_report()));
    invocation.finish(0);
  });
}

}  // namespace aaco
