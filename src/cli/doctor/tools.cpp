// SPDX-License-Identifier: MIT
#include <array>
#include <fmt/format.h>

#include "cli/doctor/check.h"

#include "base/process/process.h"
#include "engine/tool/programs.h"

namespace aaco::doctor {

namespace {

constexpr int kTimeoutMs = 10'000;

struct Tool {
  const char* name;
  const char* argument;  // that makes it print its version
  const char* use;
  const char* install;
  const char* vendor;  // whose GPUs it is for; "" none
};

constexpr std::array kTools{
    Tool{"rocprofv3", "--version", "profiles AMD GPUs", "install rocprofiler-sdk of ROCm 6.2 or newer", "AMD"},
    Tool{"rocprof-sys-run", "--version", "traces a whole system with AMD GPUs",
         "install rocprofiler-systems of ROCm 6.3 or newer", "AMD"},
    Tool{"rocprof-compute", "--version", "analyses kernels on AMD GPUs",
         "install rocprofiler-compute of ROCm 6.3 or newer, and its Python packages (requirements.txt)", "AMD"},
    Tool{"rocprof", "--version", "profiles AMD GPUs (older ROCm)", "install rocprofiler of ROCm", "AMD"},
    Tool{"rocm-smi", "--version", "reads AMD GPUs", "install rocm-smi-lib", "AMD"},
    Tool{"amd-smi", "version", "reads AMD GPUs", "install amd-smi-lib of ROCm 6 or newer", "AMD"},
    Tool{"nsys", "--version", "profiles NVIDIA GPUs", "install nsight-systems-cli", "NVIDIA"},
    Tool{"ncu", "--version", "profiles kernels on NVIDIA GPUs", "install nsight-compute", "NVIDIA"},
    Tool{"nvidia-smi", "--version", "reads NVIDIA GPUs", "install the NVIDIA driver", "NVIDIA"},
    Tool{"perf", "--version", "profiles the host", "install linux-perf (Debian) or linux-tools (Ubuntu)", ""},
    Tool{"bpftrace", "--version", "traces the kernel", "install bpftrace", ""},
};

}  // namespace

void check_tools(const Context&, std::vector<Finding>& findings) {
  for (const Tool& tool : kTools) {
    const auto path = find_on_path(tool.name);
    if (!path) {
      findings.push_back(of_vendor(
          tool.vendor, missing("tools", tool.name, fmt::format("not on the PATH; {}", tool.use), tool.install)));
      continue;
    }
    const auto lines = lines_of({path->string(), tool.argument}, kTimeoutMs);
    if (!lines) {
      findings.push_back(missing(
          "tools", tool.name, fmt::format("{} is there, but \"{} {}\" fails", path->string(), tool.name, tool.argument),
          fmt::format("{}, and its libraries", tool.install)));
      continue;
    }
    findings.push_back(finding_of("tools", tool.name, fmt::format("{} ({})", version_line(*lines), path->string())));
  }
}

}  // namespace aaco::doctor
