// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/llama/llama_subcommands.h"

#include "base/json.h"
#include "base/json_text.h"
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

void print_list() {
  for (const LlamaVersion& version : llama_versions()) {
    fmt::print("V{}  {}: {}\n", version.number, version.name, version.summary);
  }
  fmt::print("\nfusions, for --enable and --disable:\n");
  for (const NamedFusion& fusion : llama_fusions()) {
    fmt::print("  {:<10} {}\n", fusion.name, fusion.meaning);
  }
  fmt::print("\n{:<8} {:>6} {:>6} {:>5} {:>4} {:>6} {:>5} {:>6} {:>13}\n", "preset", "hidden", "layers", "heads", "kv",
             "inner", "batch", "length", "parameters");
  for (const LlamaPreset& preset : llama_presets()) {
    const LlamaShape& shape = preset.shape;
    fmt::print("{:<8} {:>6} {:>6} {:>5} {:>4} {:>6} {:>5} {:>6} {:>13}\n", preset.name, shape.hidden, shape.layers,
               shape.heads, shape.kv_heads, shape.inner, preset.sequences, preset.length, llama_parameter_count(shape));
  }
}

}  // namespace

void add_llama_list(cli::Command llama, Invocation& invocation) {
  cli::Command command = llama.add_subcommand("list", "The versions of the ladder, and the presets");
  add_json_flag(command, invocation);
  set_examples(command, "  aaco llama list");
  command.callback([&invocation] {
    if (invocation.json) {
      fmt::print("{}", indented_json_text(list_json()));
    } else {
      print_list();
    }
    invocation.finish(0);
  });
}

}  // namespace aaco
