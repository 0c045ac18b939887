// SPDX-License-Identifier: MIT
#include "kind/training/worker/part_times.h"

#include <algorithm>
#include <functional>

#include "base/clock.h"
#include "base/statistics.h"
#include "engine/orchestrator.h"

namespace aaco {

namespace {

// A part is timed no more finely than the step of which it is one: a run of few steps is a look, not a measurement.
constexpr int64_t kFullNs = 30'000'000;
constexpr int64_t kFullNsOfAStep = kFullNs / 20;
constexpr int64_t kMostRepeats = 1000;
constexpr int kTimes = 5;

using Keep = std::function<bool(const StepLabel&)>;

Program part_of(const LlamaTraining& training, const Keep& keep) {
  return training.instance->iteration.selection([&](size_t command) { return keep(training.labels[command]); });
}

Result<int64_t> time_of(Dispatcher& dispatcher, const ProgramTarget& target, int64_t repeats) {
  const int64_t begun = monotonic_ns();
  for (int64_t i = 0; i < repeats; ++i) {
    AACO_TRY(dispatcher.enqueue());
  }
  AACO_TRY(synchronize(target));
  return monotonic_ns() - begun;
}

Result<double> time_alone(PreparedTraining& prepared, const Program& part, int64_t steps) {
  const ProgramTarget target{{prepared.target.streams.front()}, {prepared.device}};
  const bool gpu = prepared.device->properties().wave_lanes > 1;
  AACO_ASSIGN(const auto single, make_dispatcher(DispatchMode::kSingle, part, target));
  AACO_ASSIGN([[maybe_unused]] const int64_t first, time_of(*single, target, 1));
  AACO_ASSIGN(const auto dispatcher, make_dispatcher(gpu ? DispatchMode::kGraph : DispatchMode::kSingle, part, target));
  AACO_ASSIGN(const int64_t once, time_of(*dispatcher, target, 1));
  const int64_t full_ns = std::min(kFullNs, steps * kFullNsOfAStep);
  const int64_t repeats = std::clamp<int64_t>(full_ns / std::max<int64_t>(once, 1), 1, kMostRepeats);
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) {
    AACO_TRY(check_interrupt());
    AACO_ASSIGN(const int64_t ns, time_of(*dispatcher, target, repeats));
    times.push_back(static_cast<double>(ns) / static_cast<double>(repeats));
  }
  return *median(times);
}

const char* phase_of(const StepLabel& label) { return kStepPhases[static_cast<size_t>(label.phase)]; }

// Of each phase and name, in the order in which they come first.
template <class Work>
std::vector<Work> works_of(const LlamaTraining& training, std::string Work::* name,
                           const char* (*name_of_label)(const StepLabel&)) {
  std::vector<Work> works;
  const auto& commands = training.instance->iteration.commands();
  for (size_t i = 0; i < commands.size(); ++i) {
    if (commands[i].kind != CommandKind::kOp) {
      continue;
    }
    const std::string phase = phase_of(training.labels[i]);
    const std::string word = name_of_label(training.labels[i]);
    auto found = std::find_if(works.begin(), works.end(),
                              [&](const Work& one) { return one.phase == phase && one.*name == word; });
    if (found == works.end()) {
      found = works.insert(works.end(), Work{phase, word, 0, 0, 0});
    }
    const OpWork work = work_of(commands[i].op, commands[i].to);
    found->operations += 1;
    found->flops += work.flops;
    for (const OpArray& array : work.arrays) {
      found->ideal_bytes += static_cast<double>(array.bytes_used) * (array.access == Access::kReadWrite ? 2 : 1);
    }
  }
  return works;
}

}  // namespace

std::vector<TrainingPart> parts_of(const LlamaTraining& training) {
  return works_of<TrainingPart>(training, &TrainingPart::part,
                                [](const StepLabel& label) { return kStepParts[static_cast<size_t>(label.part)]; });
}

std::vector<TrainingModule> modules_of(const LlamaTraining& training) {
  return works_of<TrainingModule>(training, &TrainingModule::module, [](const StepLabel& label) {
    return kStepModules[static_cast<size_t>(label.module)];
  });
}

Result<std::vector<TrainingPartTime>> time_parts(PreparedTraining& prepared, int64_t steps) {
  const LlamaTraining& training = prepared.training;
  std::vector<TrainingPartTime> times;
  for (const char* phase : kStepPhases) {
    const Program alone = part_of(
        training, [&](const StepLabel& label) { return kStepPhases[static_cast<size_t>(label.phase)] == phase; });
    AACO_ASSIGN(const double ns, time_alone(prepared, alone, steps));
    times.push_back({phase, "", ns});
  }
  for (const TrainingPart& part : parts_of(training)) {
    const Program alone = part_of(training, [&](const StepLabel& label) {
      return kStepPhases[static_cast<size_t>(label.phase)] == part.phase &&
             kStepParts[static_cast<size_t>(label.part)] == part.part;
    });
    AACO_ASSIGN(const double ns, time_alone(prepared, alone, steps));
    times.push_back({part.phase, part.part, ns});
  }
  return times;
}

Result<std::vector<TrainingModuleTime>> time_modules(PreparedTraining& prepared, int64_t steps) {
  std::vector<TrainingModuleTime> times;
  for (const TrainingModule& module : modules_of(prepared.training)) {
    const Program alone = part_of(prepared.training, [&](const StepLabel& label) {
      return phase_of(label) == module.phase && kStepModules[static_cast<size_t>(label.module)] == module.module;
    });
    AACO_ASSIGN(const double ns, time_alone(prepared, alone, steps));
    times.push_back({module.phase, module.module, ns});
  }
  return times;
}

}  // namespace aaco
