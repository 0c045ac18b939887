// SPDX-License-Identifier: MIT
#include "analysis/documents/training_run_document.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json.h"

namespace aaco {

AACO_JSON_FIELDS(TrainingRequest, version, preset, device, device_choice, vocabulary, hidden, layers, heads, kv_heads,
                 inner, sequences, length, batches, data, precision, enable, disable, dispatch, rate, weight_decay,
                 rate_warmup_steps, steps, warmup, processes, seed, check, deterministic, profile, sessions, folder,
                 command_line, telemetry, with)
AACO_JSON_FIELDS(TrainingGate, name, passed, found, must)

namespace {

template <class Part>
bool is_negative(const Part& part) {
  return part.operations < 0 || part.flops < 0 || part.ideal_bytes < 0;
}

bool is_negative(const TrainingProcess& process) {
  return process.steps < 0 || process.wall_ns < 0 || process.p50_ns.value_or(0) < 0 ||
         process.dispatch_p50_ns.value_or(0) < 0 || process.allocated_bytes < 0 || process.peak_bytes < 0 ||
         process.library_bytes < 0 || process.reserved_bytes.value_or(0) < 0 ||
         (process.power && process.power->mean_w.value_or(0) < 0) ||
         std::any_of(process.parts.begin(), process.parts.end(), [](const auto& part) { return part.ns < 0; });
}

// What has a figure that no run can give; empty: nothing.
std::string negative_figure(const TrainingRunDocument& document) {
  const TrainingWork& work = document.work;
  if (is_negative(work) || work.parameters < 0 || work.tokens < 0 || work.sequences < 0 || work.model_flops < 0 ||
      std::any_of(work.parts.begin(), work.parts.end(), [](const auto& part) { return is_negative(part); })) {
    return "the work of a step";
  }
  for (const TrainingProcess& process : document.processes) {
    if (is_negative(process)) {
      return fmt::format("process {}", process.process);
    }
  }
  return document.roof && document.roof->flops_per_s < 0 ? "the roof of products" : "";
}

}  // namespace

void to_json(Json& json, const TrainingRunDocument& document) {
  json = {{"kind", TrainingRunDocument::kKind},
          {"version", document.version},
          {"created_utc", document.created_utc},
          {"bundle", document.bundle},
          {"request", document.request},
          {"work", document.work},
          {"device", document.device},
          {"types", document.types},
          {"gates", document.gates},
          {"activity", document.activity},
          {"roof", document.roof},
          {"notes", document.notes},
          {"processes", document.processes},
          {"clocks", document.clocks},
          {"figures", document.figures},
          {"tools", document.tools}};
}

void from_json(const Json& json, TrainingRunDocument& document) {
  json.at("version").get_to(document.version);
  json.at("created_utc").get_to(document.created_utc);
  json.at("bundle").get_to(document.bundle);
  json.at("request").get_to(document.request);
  json.at("work").get_to(document.work);
  json.at("device").get_to(document.device);
  json.at("types").get_to(document.types);
  json.at("gates").get_to(document.gates);
  json.at("activity").get_to(document.activity);
  json.at("roof").get_to(document.roof);
  json.at("notes").get_to(document.notes);
  json.at("processes").get_to(document.processes);
  json.at("figures").get_to(document.figures);
  if (json.contains("clocks")) {
    json.at("clocks").get_to(document.clocks);
  }
  document.tools = tools_of(json);
}

Result<TrainingRunDocument> read_training_run(const Json& json, std::string_view source) {
  constexpr const char* kHint = "the file is damaged: run it again with aaco llama run";
  if (document_kind(json) != TrainingRunDocument::kKind) {
    return Error{ErrorKind::kUsage, fmt::format("{}: not what aaco llama run wrote", source), kHint};
  }
  AACO_ASSIGN(TrainingRunDocument document, from_json_value<TrainingRunDocument>(json, source));
  if (const std::string what = negative_figure(document); !what.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: {} has a negative figure", source, what), kHint};
  }
  return document;
}

}  // namespace aaco
