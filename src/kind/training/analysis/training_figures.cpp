// SPDX-License-Identifier: MIT
#include "kind/training/analysis/training_figures.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

#include "analysis/bundle_json.h"
#include "base/json/json.h"
#include "base/statistics.h"

namespace aaco {

AACO_JSON_FIELDS(TrainingPart, phase, part, operations, flops, ideal_bytes)
AACO_JSON_FIELDS(TrainingModule, phase, module, operations, flops, ideal_bytes)
AACO_JSON_FIELDS(TrainingWork, parameters, tokens, sequences, operations, flops, model_flops, ideal_bytes, streams,
                 parts, modules, memory, pytorch_peak_bytes)
AACO_JSON_FIELDS(TrainingPartTime, phase, part, ns)
AACO_JSON_FIELDS(TrainingModuleTime, phase, module, ns)

void to_json(Json& json, const TrainingActivity& activity) {
  const auto by_step = [&](double value) { return activity.steps > 0 ? Json(value) : Json(); };
  json = {{"steps", activity.steps},
          {"kernels", activity.kernels},
          {"kernels_per_step", by_step(activity.kernels_per_step())},
          {"launches", activity.launches},
          {"launches_per_step", by_step(activity.launches_per_step())},
          {"copies", activity.copies},
          {"dropped", activity.dropped},
          {"busy_ratio", activity.busy_ratio},
          {"uses", activity.uses}};
}

void from_json(const Json& json, TrainingActivity& activity) {
  json.at("steps").get_to(activity.steps);
  json.at("kernels").get_to(activity.kernels);
  json.at("launches").get_to(activity.launches);
  json.at("copies").get_to(activity.copies);
  json.at("dropped").get_to(activity.dropped);
  json.at("busy_ratio").get_to(activity.busy_ratio);
  if (json.contains("uses")) {
    json.at("uses").get_to(activity.uses);
  }
}

namespace {

// A loss that is not finite is null in JSON: of a training that diverged, which must be read to be said so.
std::vector<double> losses_of(const Json& json) {
  std::vector<double> losses;
  for (const auto& loss : json.get<std::vector<std::optional<double>>>()) {
    losses.push_back(loss.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return losses;
}

}  // namespace

void to_json(Json& json, const TrainingProcess& process) {
  json = {{"process", process.process},
          {"pid", process.pid},
          {"load_ms", process.load_ms},
          {"steps", process.steps},
          {"wall_ns", process.wall_ns},
          {"stationary", process.stationary},
          {"p50_ns", process.p50_ns},
          {"dispatch_p50_ns", process.dispatch_p50_ns},
          {"allocated_bytes", process.allocated_bytes},
          {"peak_bytes", process.peak_bytes},
          {"library_bytes", process.library_bytes},
          {"reserved_bytes", process.reserved_bytes},
          {"losses", process.losses},
          {"weights", process.weights},
          {"parts", process.parts},
          {"modules", process.modules},
          {"power", process.power},
          {"interrupted", process.interrupted}};
}

void from_json(const Json& json, TrainingProcess& process) {
  json.at("process").get_to(process.process);
  json.at("pid").get_to(process.pid);
  json.at("load_ms").get_to(process.load_ms);
  json.at("steps").get_to(process.steps);
  json.at("wall_ns").get_to(process.wall_ns);
  json.at("stationary").get_to(process.stationary);
  json.at("p50_ns").get_to(process.p50_ns);
  json.at("dispatch_p50_ns").get_to(process.dispatch_p50_ns);
  json.at("allocated_bytes").get_to(process.allocated_bytes);
  json.at("peak_bytes").get_to(process.peak_bytes);
  json.at("library_bytes").get_to(process.library_bytes);
  json.at("reserved_bytes").get_to(process.reserved_bytes);
  process.losses = losses_of(json.at("losses"));
  process.weights = json.value("weights", "");  // older documents have none
  json.at("parts").get_to(process.parts);
  process.modules =
      json.value("modules", std::vector<TrainingModuleTime>());  // of 0.1.0's first sessions there are none
  json.at("interrupted").get_to(process.interrupted);
  if (json.contains("power")) {
    json.at("power").get_to(process.power);
  }
}

AACO_JSON_FIELDS(ProductRoof, flops_per_s, size, precision)
AACO_JSON_FIELDS(MemoryRoof, bytes_per_s, how)
AACO_JSON_FIELDS(PartFigure, phase, part, operations, flops, ideal_bytes, alone_ns, bytes_per_s, flops_per_s)
AACO_JSON_FIELDS(TrainingFigures, step_ns, median_ns, dispatch_ns, tokens_per_s, sequences_per_s, model_flops_per_s,
                 mfu, mfu_unavailable, peak_bytes, first_loss, last_loss, same_losses, same_weights, parts, energy)

namespace {

using Value = std::function<std::optional<double>(const TrainingProcess&)>;

std::optional<Estimate> over(const std::vector<TrainingProcess>& processes, const Value& value) {
  std::vector<double> values;
  for (const TrainingProcess& process : processes) {
    const auto one = process.steps > 0 && process.wall_ns > 0 ? value(process) : std::optional<double>();
    if (one && *one > 0) {
      values.push_back(*one);
    }
  }
  return estimate_over_processes(values);
}

double steps_per_s(const TrainingProcess& process) {
  return static_cast<double>(process.steps) / (static_cast<double>(process.wall_ns) / 1e9);
}

std::optional<double> last_loss_of(const std::vector<double>& losses) {
  if (losses.empty()) {
    return std::nullopt;
  }
  const size_t count = std::max<size_t>(1, losses.size() / 10);
  return std::accumulate(losses.end() - static_cast<std::ptrdiff_t>(count), losses.end(), 0.0) /
         static_cast<double>(count);
}

// An interrupted process has fewer losses: those that both have. By their bits: what is no number is equal to itself.
bool have_same_losses(const TrainingProcess& a, const TrainingProcess& b) {
  const size_t count = std::min(a.losses.size(), b.losses.size());
  return std::equal(
      a.losses.begin(), a.losses.begin() + static_cast<std::ptrdiff_t>(count), b.losses.begin(),
      [](double one, double other) { return std::bit_cast<uint64_t>(one) == std::bit_cast<uint64_t>(other); });
}

std::optional<bool> have_same_weights(const std::vector<TrainingProcess>& processes) {
  std::optional<bool> same;
  const TrainingProcess* first = nullptr;
  for (const TrainingProcess& process : processes) {
    if (process.weights.empty() || process.interrupted) {
      continue;
    }
    if (first != nullptr && process.losses.size() == first->losses.size()) {
      same = same.value_or(true) && process.weights == first->weights;
    }
    first = first == nullptr ? &process : first;
  }
  return same;
}

std::optional<double> median_time(const std::vector<TrainingProcess>& processes, const TrainingPart& part) {
  std::vector<double> times;
  for (const TrainingProcess& process : processes) {
    for (const TrainingPartTime& time : process.parts) {
      if (time.phase == part.phase && time.part == part.part) {
        times.push_back(time.ns);
      }
    }
  }
  return median(times);
}

PartFigure figure_of(const TrainingPart& part, const std::vector<TrainingProcess>& processes) {
  PartFigure figure{part.phase, part.part, part.operations, part.flops, part.ideal_bytes, {}, {}, {}};
  figure.alone_ns = median_time(processes, part);
  if (figure.alone_ns && *figure.alone_ns > 0) {
    figure.bytes_per_s = part.ideal_bytes / (*figure.alone_ns / 1e9);
    figure.flops_per_s = part.flops / (*figure.alone_ns / 1e9);
  }
  return figure;
}

}  // namespace

TrainingFigures training_figures(const TrainingWork& work, const std::vector<TrainingProcess>& processes,
                                 const std::optional<ProductRoof>& roof) {
  TrainingFigures figures;
  figures.step_ns = over(processes, [](const auto& p) { return 1e9 / steps_per_s(p); });
  figures.median_ns = over(processes, [](const auto& p) { return p.p50_ns; });
  figures.dispatch_ns = over(processes, [](const auto& p) { return p.dispatch_p50_ns; });
  figures.tokens_per_s =
      over(processes, [&](const auto& p) { return static_cast<double>(work.tokens) * steps_per_s(p); });
  figures.sequences_per_s =
      over(processes, [&](const auto& p) { return static_cast<double>(work.sequences) * steps_per_s(p); });
  figures.model_flops_per_s = over(processes, [&](const auto& p) { return work.model_flops * steps_per_s(p); });
  if (!roof || roof->flops_per_s <= 0) {
    figures.mfu_unavailable = "the device's products were not measured";
  } else if (figures.step_ns) {  // by the step that stands beside it
    figures.mfu = work.model_flops / (figures.step_ns->value / 1e9) / roof->flops_per_s;
  }
  for (const TrainingProcess& process : processes) {
    figures.peak_bytes = std::max(figures.peak_bytes, process.peak_bytes + process.library_bytes);
  }
  if (!processes.empty() && !processes.front().losses.empty()) {
    figures.first_loss = processes.front().losses.front();
    figures.last_loss = last_loss_of(processes.front().losses);
    figures.same_losses = std::all_of(processes.begin(), processes.end(),
                                      [&](const auto& p) { return have_same_losses(processes.front(), p); });
  }
  figures.same_weights = have_same_weights(processes);
  for (const TrainingPart& part : work.parts) {
    figures.parts.push_back(figure_of(part, processes));
  }
  figures.energy = training_energy(processes, work.tokens);
  return figures;
}

}  // namespace aaco
