// SPDX-License-Identifier: MIT
// What the training workshop asks of a machine: memory, ROCm, the vendors' modules, and that a device trains and its
// profiler sees it.
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/doctor/check.h"

#include "device/backend.h"
#include "engine/tool/programs.h"
#include "kind/training/worker/training_trial.h"
#include "report/values.h"

namespace aaco::doctor {

namespace {

constexpr double kMemoryBytes = 16e9;  // what preset medium's session needs on the host with its tools
const std::vector<int> kRocmMinimum{6, 0};

struct Module {
  const char* backend;
  const char* vendor;
};
constexpr std::array kModules{Module{"cuda", "NVIDIA"}, Module{"hip", "AMD"}};

void check_memory(const Context& context, std::vector<Finding>& findings) {
  const auto field = context.host.field("proc/meminfo", "MemTotal");  // "16384000 kB"
  const double bytes = field ? std::strtod(field->c_str(), nullptr) * 1024 : 0;
  if (bytes <= 0) {
    findings.push_back(missing("machine", "memory", "the kernel does not say how much there is",
                               "mount /proc, where it stands in meminfo"));
  } else if (bytes < kMemoryBytes) {
    findings.push_back(
        missing("machine", "memory",
                report::shown_text(report::number_cell(bytes, "B")) + "; the workshop asks for 16 GB beside a GPU",
                "stay with --preset nano or tiny, or use a larger machine"));
  } else {
    findings.push_back(finding_of("machine", "memory", report::shown_text(report::number_cell(bytes, "B"))));
  }
}

void check_rocm(const Context& context, std::vector<Finding>& findings) {
  const auto version = context.host.text("opt/rocm/.info/version");
  if (!version) {
    findings.push_back(of_vendor("AMD", missing("training", "ROCm", "not at /opt/rocm; only AMD GPUs need it",
                                                "install ROCm 6.0 or newer, with /opt/rocm leading to it")));
    return;
  }
  Finding finding = of_vendor("AMD", finding_of("training", "ROCm", *version));
  if (version_in(*version) < kRocmMinimum) {
    finding.state = State::kWrongVersion;
    finding.detail += fmt::format("; {} or newer is needed", fmt::join(kRocmMinimum, "."));
    finding.remedy = "install a newer ROCm, and let /opt/rocm lead to it";
  }
  findings.push_back(std::move(finding));
}

void check_trial(const std::string& device, const std::string& vendor, std::vector<Finding>& findings) {
  const std::string trains = "training on " + device;
  const std::string records = "records of " + device;
  const Result<TrainingTrial> trial = try_training(device);
  if (!trial) {
    findings.push_back(of_vendor(vendor, missing("training", trains, trial.error().message, trial.error().hint)));
    return;
  }
  const std::string losses =
      fmt::format("loss {} of version 1 at nano",
                  report::shown_text(report::change_cell(trial->first_loss, trial->last_loss, "1")));
  // Written so that a loss that is no number is not better either.
  findings.push_back(
      of_vendor(vendor, trial->last_loss < trial->first_loss
                            ? finding_of("training", trains, losses)
                            : missing("training", trains, losses + ": it does not learn",
                                      fmt::format("aaco devices --check {} says which operation is wrong", device))));
  const std::string kernels =
      fmt::format("{} kernels a step for its {} operations",
                  report::shown_text(report::number_cell(trial->recorded_per_step, "1")), trial->operations);
  findings.push_back(
      of_vendor(vendor, trial->recorded_per_step >= static_cast<double>(trial->operations)
                            ? finding_of("training", records, kernels)
                            : missing("training", records, kernels + ": the collector lost some",
                                      "end other profilers, and let this user read performance counters")));
}

}  // namespace

void check_workshop(const Context& context, std::vector<Finding>& findings) {
  check_memory(context, findings);
  check_rocm(context, findings);
  check_trial("cpu:0", "", findings);
  for (const Module& module : kModules) {
    const Result<Backend*> backend = backend_of(module.backend);
    const Result<int> count = backend ? (*backend)->device_count() : Result<int>(backend.error());
    const std::string name = fmt::format("{} devices", module.backend);
    if (!count) {
      findings.push_back(
          of_vendor(module.vendor, missing("training", name, count.error().message, count.error().hint)));
      continue;
    }
    findings.push_back(of_vendor(module.vendor, finding_of("training", name, fmt::format("{}", *count))));
    check_trial(fmt::format("{}:0", module.backend), module.vendor, findings);
  }
}

}  // namespace aaco::doctor
