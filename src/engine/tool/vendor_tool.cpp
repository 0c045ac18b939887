// SPDX-License-Identifier: MIT
#include "engine/tool/vendor_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/process/process.h"
#include "engine/tool/programs.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr int kVersionTimeoutMs = 20'000;
constexpr const char* kMostKernels = "100";  // that ncu runs again for its counters: each costs up to seconds

CommandLine joined(CommandLine first, const CommandLine& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

CommandLine rocprofv3(const std::string& program, const fs::path& folder, const CommandLine& worker) {
  return joined({program, "--kernel-trace", "--hip-trace", "--memory-copy-trace", "--marker-trace", "--output-format",
                 "csv", "-d", folder.string(), "-o", "trace", "--"},
                worker);
}

// Of a replayed graph the kernels, not the graph as one.
CommandLine nsys(const std::string& program, const fs::path& folder, const CommandLine& worker) {
  return joined({program, "profile", "--trace=cuda,nvtx,osrt", "--cuda-graph-trace=node", "--sample=none",
                 "--cpuctxsw=none", "--force-overwrite=true", "--output=" + (folder / "trace").string()},
                worker);
}

CommandLine nsys_export(const std::string& program, const fs::path& folder) {
  return {program,
          "export",
          "--type=sqlite",
          "--force-overwrite=true",
          "--output=" + (folder / "trace.sqlite").string(),
          (folder / "trace.nsys-rep").string()};
}

CommandLine ncu(const std::string& program, const fs::path& folder, const CommandLine& worker) {
  return joined({program, "--csv", "--page", "raw", "--log-file", (folder / "kernels.csv").string(), "--launch-count",
                 kMostKernels, "--target-processes", "all"},
                worker);
}

CommandLine rocprof_sys(const std::string& program, const fs::path& folder, const CommandLine& worker) {
  return joined({program, "--trace", "--output", folder.string(), "--"}, worker);
}

// Its output then lies in the folder itself, and ROCTX ranges are in it.
std::vector<std::pair<std::string, std::string>> rocprof_sys_environment(const fs::path& folder) {
  return {{"ROCPROFSYS_OUTPUT_PATH", folder.string()},
          {"ROCPROFSYS_TIME_OUTPUT", "OFF"},
          {"ROCPROFSYS_ROCM_DOMAINS", "hip_runtime_api,marker_api,kernel_dispatch,memory_copy"}};
}

// Runs the worker once for each set of counters that the device can count at once.
CommandLine rocprof_compute(const std::string& program, const fs::path& folder, const CommandLine& worker) {
  return joined({program, "profile", "--name", "aaco", "--path", folder.string(), "--no-roof", "--"}, worker);
}

const VendorTool kTools[] = {
    {"rocprofv3",
     "rocprofv3",
     {0, 5},
     "install rocprofiler-sdk of ROCm 6.3 or newer, and put /opt/rocm/bin on the PATH",
     rocprofv3,
     nullptr},
    {"rocprof-sys",
     "rocprof-sys-run",
     {0, 1},
     "install rocprofiler-systems of ROCm 6.3 or newer, and put /opt/rocm/bin on the PATH",
     rocprof_sys,
     nullptr,
     rocprof_sys_environment},
    {"rocprof-compute",
     "rocprof-compute",
     {3, 0},
     "install rocprofiler-compute of ROCm 6.3 or newer with its Python requirements, and put /opt/rocm/bin on the PATH",
     rocprof_compute,
     nullptr},
    {"nsys", "nsys", {2022, 1}, "install nsight-systems-cli, 2022.1 or newer", nsys, nsys_export},
    {"ncu", "ncu", {2020, 1}, "install nsight-compute, 2020.1 or newer", ncu, nullptr},
};

std::string names() {
  std::vector<std::string> all;
  for (const VendorTool& tool : kTools) {
    all.emplace_back(tool.name);
  }
  all.emplace_back(kAllVendorTools);
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

std::span<const VendorTool> all_vendor_tools() { return kTools; }

Result<ToolProgram> find_vendor_tool(const std::string& name) {
  const VendorTool* tool = nullptr;
  for (const VendorTool& vendor_tool : kTools) {
    tool = vendor_tool.name == name ? &vendor_tool : tool;
  }
  if (tool == nullptr) {
    return Error{ErrorKind::kUsage, fmt::format("--with {}: no such tool", name), "choose " + names()};
  }
  const auto path = find_on_path(tool->program);
  if (!path) {
    return Error{ErrorKind::kUnavailable, fmt::format("--with {}: {} is not on the PATH", name, tool->program),
                 tool->install};
  }
  ToolProgram tool_program{tool, path->string(), ""};
  const auto lines = lines_of({tool_program.program, "--version"}, kVersionTimeoutMs);
  if (!lines) {
    return Error{ErrorKind::kUnavailable, fmt::format("--with {}: \"{} --version\" fails", name, tool_program.program),
                 tool->install};
  }
  tool_program.version = version_line(*lines);
  const std::vector<int> version = version_in(tool_program.version);
  if (version < tool->least) {
    return Error{
        ErrorKind::kUnavailable,
        version.empty()
            ? fmt::format("--with {}: \"{} --version\" names no version", name, tool_program.program)
            : fmt::format("--with {}: {} is older than {}", name, fmt::join(version, "."), fmt::join(tool->least, ".")),
        tool->install};
  }
  return tool_program;
}

Result<ToolSet> find_vendor_tools(const std::string& name) {
  ToolSet set;
  if (name.empty()) {
    return set;
  }
  if (name != kAllVendorTools) {
    AACO_ASSIGN(set.tools.emplace_back(), find_vendor_tool(name));
    return set;
  }
  for (const VendorTool& tool : kTools) {
    if (auto vendor_tool = find_vendor_tool(tool.name)) {
      set.tools.push_back(std::move(*vendor_tool));
    } else {
      set.left_out.push_back(fmt::format("{}; {}", vendor_tool.error().message, vendor_tool.error().hint));
    }
  }
  if (set.tools.empty()) {
    return Error{ErrorKind::kUnavailable, "--with all: none of the profilers can be used",
                 fmt::format("{}", fmt::join(set.left_out, "; "))};
  }
  return set;
}

}  // namespace aaco
