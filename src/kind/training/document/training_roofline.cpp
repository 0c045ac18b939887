// SPDX-License-Identifier: MIT
#include "kind/training/document/training_roofline.h"

#include <algorithm>

#include "base/json/json.h"
#include "base/statistics.h"

namespace aaco {

namespace {

constexpr const char* kNotMeasured = "not measured";

struct RoofRates {
  std::optional<double> flops_per_s;
  std::optional<double> bytes_per_s;
};

RoofRates rates_of(const TrainingRunDocument& run) {
  RoofRates rates;
  if (run.roof && run.roof->flops_per_s > 0) {
    rates.flops_per_s = run.roof->flops_per_s;
  }
  if (run.memory_roof && run.memory_roof->bytes_per_s > 0) {
    rates.bytes_per_s = run.memory_roof->bytes_per_s;
  }
  return rates;
}

// What follows from work, time and roofs.
RoofedWork roofed(RoofedWork work, const RoofRates& roofs) {
  if (work.flops > 0 && work.ideal_bytes > 0) {
    work.intensity = work.flops / work.ideal_bytes;
  }
  const bool timed = work.alone_ns.value_or(0) > 0;
  if (timed) {
    work.flops_per_s = work.flops / (*work.alone_ns / 1e9);
    work.bytes_per_s = work.ideal_bytes / (*work.alone_ns / 1e9);
  }
  if (!roofs.bytes_per_s || (work.flops > 0 && !roofs.flops_per_s)) {
    return work;
  }
  const double memory_ns = work.ideal_bytes / *roofs.bytes_per_s * 1e9;
  const double compute_ns = work.flops > 0 ? work.flops / *roofs.flops_per_s * 1e9 : 0;
  const double least = std::max(memory_ns, compute_ns);
  if (least <= 0) {
    return work;
  }
  work.roof_ns = least;
  work.bound = compute_ns > memory_ns ? RoofBound::kCompute : RoofBound::kMemory;
  if (work.flops > 0) {
    work.roof_flops_per_s = work.flops / (least / 1e9);
  }
  if (timed) {
    work.of_roof = least / *work.alone_ns;
  }
  return work;
}

// The median over processes of the time of that phase and name.
template <class Time>
std::optional<double> time_of(const TrainingRunDocument& run, std::vector<Time> TrainingProcess::* times,
                              std::string Time::* name, const RoofedWork& of) {
  std::vector<double> found;
  for (const TrainingProcess& process : run.processes) {
    for (const Time& time : process.*times) {
      if (time.phase == of.phase && time.*name == of.name) {
        found.push_back(time.ns);
      }
    }
  }
  return median(found);
}

void add(RoofedWork& sum, const TrainingPart& part) {
  sum.operations += part.operations;
  sum.flops += part.flops;
  sum.ideal_bytes += part.ideal_bytes;
}

Json work_json(const RoofedWork& work, const char* name) {
  Json json = {{"operations", work.operations},   {"flops", work.flops},
               {"ideal_bytes", work.ideal_bytes}, {"intensity", work.intensity},
               {"alone_ns", work.alone_ns},       {"flops_per_s", work.flops_per_s},
               {"bytes_per_s", work.bytes_per_s}, {"roof_flops_per_s", work.roof_flops_per_s},
               {"roof_ns", work.roof_ns},         {"of_roof", work.of_roof},
               {"bound", word_of(work.bound)}};
  if (!work.phase.empty()) {
    json["phase"] = work.phase;
  }
  if (!work.name.empty()) {
    json[name] = work.name;
  }
  return json;
}

Json list_json(const std::vector<RoofedWork>& list, const char* name) {
  Json json = Json::array();
  std::transform(list.begin(), list.end(), std::back_inserter(json),
                 [&](const RoofedWork& work) { return work_json(work, name); });
  return json;
}

}  // namespace

StepRoofline step_roofline(const TrainingRunDocument& run) {
  StepRoofline roofline;
  const RoofRates roofs = rates_of(run);
  roofline.products = run.roof;
  roofline.memory = run.memory_roof;
  if (!run.memory_roof) {
    roofline.memory_unavailable = run.memory_roof_unavailable.empty() ? kNotMeasured : run.memory_roof_unavailable;
  }
  if (roofs.flops_per_s && roofs.bytes_per_s) {
    roofline.ridge = *roofs.flops_per_s / *roofs.bytes_per_s;
  }
  for (const TrainingPart& part : run.work.parts) {
    auto phase = std::find_if(roofline.phases.begin(), roofline.phases.end(),
                              [&](const RoofedWork& one) { return one.phase == part.phase; });
    if (phase == roofline.phases.end()) {
      phase = roofline.phases.insert(phase, RoofedWork());
      phase->phase = part.phase;
    }
    add(*phase, part);
    add(roofline.step, part);
    RoofedWork& one = roofline.parts.emplace_back();
    one.phase = part.phase;
    one.name = part.part;
    add(one, part);
    one.alone_ns = time_of(run, &TrainingProcess::parts, &TrainingPartTime::part, one);
    one = roofed(std::move(one), roofs);
  }
  for (RoofedWork& phase : roofline.phases) {
    phase.alone_ns = time_of(run, &TrainingProcess::parts, &TrainingPartTime::part, phase);
    phase = roofed(std::move(phase), roofs);
  }
  for (const TrainingModule& module : run.work.modules) {
    RoofedWork& one = roofline.modules.emplace_back();
    one.phase = module.phase;
    one.name = module.module;
    add(one, {module.phase, module.module, module.operations, module.flops, module.ideal_bytes});
    one.alone_ns = time_of(run, &TrainingProcess::modules, &TrainingModuleTime::module, one);
    one = roofed(std::move(one), roofs);
  }
  const TrainingFigures figures = training_figures(run.work, run.processes, run.roof);
  roofline.step.alone_ns = figures.median_ns ? std::optional(figures.median_ns->value) : std::nullopt;
  roofline.step = roofed(std::move(roofline.step), roofs);
  return roofline;
}

void to_json(Json& json, const StepRoofline& roofline) {
  json = {{"products", roofline.products},
          {"memory", roofline.memory},
          {"memory_unavailable", roofline.memory_unavailable.empty() ? Json() : Json(roofline.memory_unavailable)},
          {"ridge", roofline.ridge},
          {"parts", list_json(roofline.parts, "part")},
          {"modules", list_json(roofline.modules, "module")},
          {"phases", list_json(roofline.phases, "")},
          {"step", work_json(roofline.step, "")}};
}

}  // namespace aaco
