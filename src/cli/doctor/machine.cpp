// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <unistd.h>

#include "cli/doctor/check.h"

#include "base/clock.h"
#include "base/files/cache_folder.h"
#include "base/format.h"
#include "model/registry.h"
#include "observe/roofs/roofs.h"

namespace aaco::doctor {

namespace {

namespace fs = std::filesystem;

template <class Entries>
void check_registry(const std::string& file, const Result<Entries>& entries, std::vector<Finding>& findings) {
  const auto path = find_config(file);
  if (!path) {
    findings.push_back(missing("registries", file,
                               "not found; models and backends are then taken by file and provider name only",
                               "run in the source folder, or set AACO_CONFIGS to the folder that holds it"));
  } else if (!entries) {
    findings.push_back(missing("registries", file, entries.error().message, entries.error().hint, true));
  } else {
    findings.push_back(finding_of("registries", file, fmt::format("{} entries ({})", entries->size(), path->string())));
  }
}

// Whether the folder, or what would have to be made for it, can be written.
bool can_be_written(fs::path folder) {
  std::error_code error;
  folder = fs::absolute(folder, error);
  while (!fs::exists(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

void check_folder(const char* name, const fs::path& folder, const char* remedy, bool essential,
                  std::vector<Finding>& findings, const char* note = "") {
  findings.push_back(
      can_be_written(folder)
          ? finding_of("folders", name, folder.string() + note)
          : missing("folders", name, fmt::format("{} cannot be written", folder.string()), remedy, essential));
}

void check_roofs(std::vector<Finding>& findings) {
  const auto roofs = cached_roofs(static_cast<int64_t>(allowed_processors().size()));
  findings.push_back(
      roofs
          ? finding_of("machine", "measured roofs",
                       fmt::format("at {}, {}", counted(roofs->threads, "thread", "threads"), roofs->measured_at))
          : missing("machine", "measured roofs",
                    "not measured on these processors; reports then show no share of a roof", "aaco doctor --measure"));
}

void check_governor(const Context& context, std::vector<Finding>& findings) {
  std::set<std::string> governors;
  for (const int processor : allowed_processors()) {
    if (const auto text =
            context.host.text(fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", processor))) {
      governors.insert(*text);
    }
  }
  if (governors.empty()) {
    findings.push_back(missing("machine", "frequency governor",
                               "not exposed (a virtual machine, or no frequency driver): clocks cannot be watched",
                               "measure on the bare machine where that matters"));
  } else if (governors != std::set<std::string>{"performance"}) {
    findings.push_back(missing("machine", "frequency governor",
                               fmt::format("{}: the clock follows the load", fmt::join(governors, ", ")),
                               "sudo cpupower frequency-set -g performance"));
  } else {
    findings.push_back(finding_of("machine", "frequency governor", "performance"));
  }
}

}  // namespace

void check_registries(const Context&, std::vector<Finding>& findings) {
  check_registry("models.yaml", load_models(), findings);
  check_registry("backends.yaml", load_backends(), findings);
}

void check_folders(const Context& context, std::vector<Finding>& findings) {
  check_folder("sessions", context.sessions_folder, "choose another folder with --sessions", true, findings);
  const fs::path cache = cache_folder();
  check_folder("cache", cache, "set AACO_CACHE to a folder of yours", false, findings,
               cache.is_relative() ? " of the present folder: HOME names no folder; AACO_CACHE would" : "");
}

void check_machine(const Context& context, std::vector<Finding>& findings) {
  findings.push_back(
      TickClock::available()
          ? finding_of("machine", "clock", "invariant time stamp counter")
          : missing("machine", "clock", "the time stamp counter is not invariant: aaco run does not measure here",
                    "run where CPUID reports an invariant counter (constant_tsc and nonstop_tsc in /proc/cpuinfo)"));
  check_governor(context, findings);
  check_roofs(findings);
}

}  // namespace aaco::doctor
