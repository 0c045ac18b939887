// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "base/json/json.h"
#include "kind/sharded/config/sharded_plan.h"

namespace aaco::sharded {

namespace {

Json program_json(const PlannedProgram& program) {
  Json collectives = Json::array();
  for (const PlannedCollective& one : program.collectives) {
    collectives.push_back({{"operation", one.operation},
                           {"stream", one.stream},
                           {"communicator", one.communicator},
                           {"ranks", one.ranks},
                           {"element", one.element},
                           {"calls", one.calls},
                           {"bytes", one.bytes},
                           {"bus_bytes", one.bus_bytes}});
  }
  const PlannedMemory& memory = program.memory;
  return {{"kernels", program.kernels},
          {"flops", program.flops},
          {"streams", program.streams},
          {"communicators", program.communicators},
          {"memory_bytes",
           {{"weights", memory.weights},
            {"gradients", memory.gradients},
            {"optimizer", memory.optimizer},
            {"gathered", memory.gathered},
            {"on_link", memory.on_link},
            {"rest", memory.rest},
            {"total", memory.total()},
            {"pinned", memory.pinned}}},
          {"collectives", std::move(collectives)}};
}

std::string program_text(const PlannedProgram& program) {
  const PlannedMemory& memory = program.memory;
  const auto bytes = [](int64_t count) { return format_si(static_cast<double>(count), "B"); };
  std::string text = fmt::format(
      "step of a rank  {} kernels, {:.4g} GFLOP, {} streams, {} communicators\n"
      "memory          {} a rank: weights {}, gradients {}, optimiser {}, gathered blocks {}, {}activations and data "
      "{}; pinned {}\n",
      program.kernels, program.flops / 1e9, program.streams, program.communicators, bytes(memory.total()),
      bytes(memory.weights), bytes(memory.gradients), bytes(memory.optimizer), bytes(memory.gathered),
      memory.on_link > 0 ? fmt::format("cast for the link {}, ", bytes(memory.on_link)) : "", bytes(memory.rest),
      bytes(memory.pinned));
  if (program.collectives.empty()) {
    return text + "collectives     none\n";
  }
  text += fmt::format("\n{:<16}{:>6} {:>14} {:>14}  {}\n", "collectives", "a step", "bytes each", "a rank sends",
                      "type, on stream, communicator, ranks");
  for (const PlannedCollective& one : program.collectives) {
    text += fmt::format("  {:<14}{:>6} {:>14} {:>14.0f}  {}, {}, {} of {}\n", one.operation, one.calls, one.bytes,
                        one.bus_bytes, one.element, one.stream, one.communicator, one.ranks);
  }
  return text;
}

}  // namespace

Json plan_json(const ShardedPlan& plan) {
  return {{"ranks", plan.devices.size()},
          {"devices", plan.devices},
          {"model", plan.model},
          {"mode", plan.mode},
          {"dispatch", plan.dispatch},
          {"parameters", plan.parameters},
          {"parameters_of_a_rank", plan.shard_parameters},
          {"steps", plan.steps},
          {"tokens_of_a_step", plan.tokens},
          {"program", plan.program ? program_json(*plan.program) : Json()},
          {"notes", plan.notes}};
}

std::string plan_text(const ShardedPlan& plan) {
  std::string text = fmt::format("plan            {} ranks on {}; nothing has run\n", plan.devices.size(),
                                 fmt::join(plan.devices, ", "));
  text += fmt::format("model           {}, {} parameters, {} a rank ({})\n", plan.model, plan.parameters,
                      plan.shard_parameters, plan.mode);
  text += fmt::format("steps           {}, {} tokens each, dispatch {}\n", plan.steps, plan.tokens, plan.dispatch);
  if (plan.program) {
    text += program_text(*plan.program);
  }
  for (const std::string& note : plan.notes) {
    text += fmt::format("note    {}\n", note);
  }
  return text;
}

}  // namespace aaco::sharded
