// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "cli/queue/queue_subcommands.h"

#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "workload/workload.h"

namespace aaco {

namespace {

struct ListFlags {
  std::string category;
  bool verbose = false;
};

// What a parameter is with --scale cpu; null where that is its default.
const Parameter* on_cpu(const WorkloadInfo& info, const Parameter& parameter) {
  const auto found = std::ranges::find(info.cpu_parameters, std::string_view(parameter.name),
                                       [](const Parameter& cpu) { return std::string_view(cpu.name); });
  return found == info.cpu_parameters.end() ? nullptr : &*found;
}

Json workload_json(const WorkloadInfo& info) {
  Json parameters = Json::array();
  for (const Parameter& parameter : info.parameters) {
    const Parameter* cpu = on_cpu(info, parameter);
    parameters.push_back({{"name", parameter.name},
                          {"default", parameter.default_value},
                          {"cpu", cpu == nullptr ? parameter.default_value : cpu->default_value},
                          {"meaning", parameter.meaning}});
  }
  return {{"name", info.id},
          {"alias", *info.alias == '\0' ? Json() : Json(info.alias)},
          {"priority", info.priority},
          {"category", info.category},
          {"unit", info.unit},
          {"summary", info.summary},
          {"about", info.about},
          {"streams", {{"min", 1}, {"max", kMostStreams}, {"recommended", info.recommended_streams}}},
          {"switch_sensitivity", info.switch_sensitivity},
          {"emulated_ranks", info.emulated_ranks},
          {"parameters", std::move(parameters)}};
}

void print_workload(const WorkloadInfo& info) {
  fmt::print("{}{}\n  {}\n  {}\n", info.id, *info.alias == '\0' ? "" : fmt::format(" (also {})", info.alias),
             info.summary, info.about);
  fmt::print("  priority {}, {}, throughput in {}/s; 1 to {} streams, {} recommended; switch sensitivity {}\n",
             info.priority, info.category, info.unit, kMostStreams, info.recommended_streams, info.switch_sensitivity);
  fmt::print(
      "  --ranks {} on one device{}\n", info.emulated_ranks,
      info.emulated_ranks > 1 ? ": it does the work of one of them, and what collectives it has are emulated" : "");
  for (const Parameter& parameter : info.parameters) {
    const Parameter* cpu = on_cpu(info, parameter);
    fmt::print("  --param {}={}{}\n      {}\n", parameter.name, parameter.default_value,
               cpu == nullptr ? "" : fmt::format(" (on a CPU {})", cpu->default_value), parameter.meaning);
  }
  fmt::print("\n");
}

Result<int> list(const ListFlags& flags, bool json) {
  std::vector<const WorkloadInfo*> chosen;
  for (const WorkloadInfo* info : all_workloads()) {
    if (flags.category.empty() || flags.category == info->category || flags.category == info->priority) {
      chosen.push_back(info);
    }
  }
  if (chosen.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("--category {}: no workload is of it", flags.category),
                 "aaco queue list shows every category and priority"};
  }
  if (json) {
    Json all = Json::array();
    for (const WorkloadInfo* info : chosen) {
      all.push_back(workload_json(*info));
    }
    fmt::print("{}", indented_json_text(all));
    return 0;
  }
  if (flags.verbose) {
    for (const WorkloadInfo* info : chosen) {
      print_workload(*info);
    }
    return 0;
  }
  std::vector<std::vector<std::string>> rows{{"workload", "alias", "priority", "category", "unit", "what it is"}};
  for (const WorkloadInfo* info : chosen) {
    rows.push_back({info->id, info->alias, info->priority, info->category, info->unit, info->summary});
  }
  fmt::print("{}", format_table(rows));
  return 0;
}

}  // namespace

void add_queue_list(cli::Command queue, Invocation& invocation) {
  cli::Command command = queue.add_subcommand("list", "The workloads");
  auto flags = std::make_shared<ListFlags>();
  command.add_option("-c,--category", flags->category, "Only those of a category or a priority").type_name("NAME");
  command.add_flag("-v,--verbose", flags->verbose, "With parameters, and what each tells");
  add_json_flag(command, invocation);
  set_examples(command, "  aaco queue list\n  aaco queue list --category P0 --verbose");
  command.callback([flags, &invocation] { invocation.finish(list(*flags, invocation.json)); });
}

}  // namespace aaco
