// SPDX-License-Identifier: MIT
#include "kind/training/document/training_run_document.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/json/json.h"
#include "kind/training/document/training_roofline.h"

namespace aaco {

AACO_JSON_FIELDS(TrainingRequest, version, preset, device, device_choice, vocabulary, hidden, layers, heads, kv_heads,
                 inner, sequences, length, batches, data, precision, enable, disable, dispatch, rate, weight_decay,
                 rate_warmup_steps, steps, warmup, processes, seed, check, deterministic, measure_roofs, profile,
                 sessions, folder, command_line, telemetry, with)

namespace {

// No byte, step or operation of a run is counted so far; sums of those below it do not overflow.
constexpr int64_t kMost = int64_t{1} << 53;

bool is_impossible(int64_t count) { return count < 0 || count > kMost; }
bool is_impossible(double figure) { return !(figure >= 0) || !std::isfinite(figure); }
bool is_impossible(const std::optional<double>& figure) { return figure && is_impossible(*figure); }

template <class Part>
bool has_impossible(const Part& part) {
  return is_impossible(part.operations) || is_impossible(part.flops) || is_impossible(part.ideal_bytes);
}

bool has_impossible(const TrainingProcess& process) {
  const auto impossible = [](const auto& time) { return is_impossible(time.ns); };
  return is_impossible(process.steps) || is_impossible(process.wall_ns) || is_impossible(process.p50_ns) ||
         is_impossible(process.dispatch_p50_ns) || is_impossible(process.allocated_bytes) ||
         is_impossible(process.peak_bytes) || is_impossible(process.library_bytes) ||
         is_impossible(process.reserved_bytes.value_or(0)) || (process.power && is_impossible(process.power->mean_w)) ||
         std::any_of(process.parts.begin(), process.parts.end(), impossible) ||
         std::any_of(process.modules.begin(), process.modules.end(), impossible);
}

bool has_impossible(const TrainingActivity& activity) {
  return is_impossible(activity.steps) || is_impossible(activity.kernels) || is_impossible(activity.launches) ||
         is_impossible(activity.copies) || is_impossible(activity.dropped) || is_impossible(activity.busy_ratio);
}

bool is_impossible_work(const TrainingWork& work) {
  const auto impossible = [](const auto& part) { return has_impossible(part); };
  return has_impossible(work) || is_impossible(work.parameters) || is_impossible(work.tokens) ||
         is_impossible(work.sequences) || is_impossible(work.model_flops) || is_impossible(work.pytorch_peak_bytes) ||
         std::any_of(work.parts.begin(), work.parts.end(), impossible) ||
         std::any_of(work.modules.begin(), work.modules.end(), impossible) ||
         std::any_of(work.memory.begin(), work.memory.end(), [](const auto& one) { return is_impossible(one.second); });
}

// What has a figure that no run can give; empty: nothing.
std::string impossible_figure(const TrainingRunDocument& document) {
  if (is_impossible_work(document.work)) {
    return "the work of a step";
  }
  for (const TrainingProcess& process : document.processes) {
    if (has_impossible(process)) {
      return fmt::format("process {}", process.process);
    }
  }
  if (document.activity && has_impossible(*document.activity)) {
    return "what the device recorded";
  }
  if (document.memory_roof && is_impossible(document.memory_roof->bytes_per_s)) {
    return "the roof of memory";
  }
  return document.roof && is_impossible(document.roof->flops_per_s) ? "the roof of products" : "";
}

// Members that are whole numbers of other types than int64, and those that the user chose, of any size.
constexpr std::array<std::string_view, 6> kNarrow{"version",         "compute_units",    "wave_lanes",
                                                  "lowest_priority", "highest_priority", "seed"};
constexpr std::array<std::string_view, 2> kChosen{"rate", "weight_decay"};

}  // namespace

std::string unreadable_number(const Json& json) {
  constexpr double kBeyondInt64 = 9.2e18;
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured()) {
      if (const std::string within = unreadable_number(value); !within.empty()) {
        return key + "." + within;
      }
    } else if (value.is_number_float()) {
      const auto number = value.get<double>();
      const auto is_of = [name = std::string_view(key)](const auto& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
      };
      // What is not finite no file can hold.
      if (is_of(kNarrow) || (std::isfinite(number) && std::abs(number) >= kBeyondInt64 && !is_of(kChosen))) {
        return fmt::format("{} is {:g}", key, number);
      }
    }
  }
  return "";
}

void to_json(Json& json, const TrainingRunDocument& document) {
  json = {
      {"kind", TrainingRunDocument::kKind},  {"version", document.version},     {"created_utc", document.created_utc},
      {"bundle", document.bundle},           {"request", document.request},     {"work", document.work},
      {"device", document.device},           {"types", document.types},         {"gates", document.gates},
      {"activity", document.activity},       {"roof", document.roof},           {"notes", document.notes},
      {"memory_roof", document.memory_roof}, {"processes", document.processes}, {"figures", document.figures},
      {"clocks", document.clocks},           {"tools", document.tools}};
  json["memory_roof_unavailable"] = document.memory_roof_unavailable;
  json["roofline"] = step_roofline(document);  // follows from the rest; it is not read
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
  document.memory_roof = json.value("memory_roof", std::optional<MemoryRoof>());
  document.memory_roof_unavailable = json.value("memory_roof_unavailable", "");
  json.at("notes").get_to(document.notes);
  json.at("processes").get_to(document.processes);
  json.at("figures").get_to(document.figures);
  if (json.contains("clocks")) {
    json.at("clocks").get_to(document.clocks);
  }
  document.tools = tools_of(json);
}

std::string why_no_speed(const TrainingRunDocument& document) {
  const auto failed = std::find_if(document.gates.begin(), document.gates.end(), is_failed);
  if (failed != document.gates.end()) {
    return fmt::format("{}: found {}, must be {}", failed->name, failed->found, failed->must);
  }
  for (const TrainingProcess& process : document.processes) {
    const auto found =
        std::find_if(process.losses.begin(), process.losses.end(), [](double loss) { return !std::isfinite(loss); });
    if (found != process.losses.end()) {
      return fmt::format("the loss of step {} is no number: the training diverged", found - process.losses.begin() + 1);
    }
  }
  return "";
}

Result<TrainingRunDocument> read_training_run(const Json& json, std::string_view source) {
  constexpr const char* kHint = "the file is damaged: run it again with aaco llama run";
  if (document_kind(json) != TrainingRunDocument::kKind) {
    return Error{ErrorKind::kUsage, fmt::format("{}: not what aaco llama run wrote", source), kHint};
  }
  if (const std::string number = unreadable_number(json); !number.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: {}, which no run can give", source, number), kHint};
  }
  AACO_ASSIGN(TrainingRunDocument document, from_json_value<TrainingRunDocument>(json, source));
  if (const std::string what = impossible_figure(document); !what.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: {} has a figure that no run can give", source, what), kHint};
  }
  return document;
}

}  // namespace aaco
