// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/doctor/check.h"

#include "engine/tool/programs.h"
#include "observe/environment.h"

namespace aaco::doctor {

namespace {

// CUDA 13, which the GPU build of ONNX Runtime 1.31 is made for, needs this driver branch.
const std::vector<int> kNvidiaMinimum{580};

bool readable_and_writable(const Context& context, const std::string& file) {
  return ::access(context.host.path(file).c_str(), R_OK | W_OK) == 0;
}

void check_nvidia(const Context& context, std::vector<Finding>& findings) {
  const auto version = nvidia_driver_version(context.host, context.host.root() == "/");
  if (!version) {
    findings.push_back(
        of_vendor("NVIDIA", missing("drivers", "nvidia", "the kernel module is not loaded; only NVIDIA GPUs need it",
                                    "install the NVIDIA driver on a machine with such a GPU")));
    return;
  }
  Finding finding = of_vendor("NVIDIA", finding_of("drivers", "nvidia", *version));
  if (version_in(*version) < kNvidiaMinimum) {
    finding.state = State::kWrongVersion;
    finding.detail += fmt::format("; CUDA 13 needs {} or newer", fmt::join(kNvidiaMinimum, "."));
    finding.remedy = "update the NVIDIA driver, or use a build of ONNX Runtime for CUDA 12";
  }
  findings.push_back(std::move(finding));
}

void check_amdgpu(const Context& context, std::vector<Finding>& findings) {
  if (!context.host.exists("sys/module/amdgpu")) {
    findings.push_back(
        of_vendor("AMD", missing("drivers", "amdgpu", "the kernel module is not loaded; only AMD GPUs need it",
                                 "install amdgpu-dkms, or load the kernel's amdgpu, on a machine with such a GPU")));
    return;
  }
  findings.push_back(of_vendor(
      "AMD", finding_of("drivers", "amdgpu",
                        context.host.text("sys/module/amdgpu/version").value_or("in-tree driver of the kernel"))));
}

void check_device_file(const Context& context, const std::string& name, const std::string& file,
                       std::vector<Finding>& findings) {
  if (file.empty() || !context.host.exists(file)) {
    findings.push_back(of_vendor("AMD", missing("permissions", name, "not there; only AMD GPUs need it",
                                                "load the amdgpu module, and pass the device to the container")));
  } else if (!readable_and_writable(context, file)) {
    findings.push_back(missing("permissions", name, "this user may not open it",
                               "add the user to the groups render and video, then log in again"));
  } else {
    findings.push_back(finding_of("permissions", name, "readable and writable"));
  }
}

void check_perf_events(const Context& context, std::vector<Finding>& findings) {
  const auto level = context.host.number("proc/sys/kernel/perf_event_paranoid");
  if (!level) {
    findings.push_back(missing("permissions", "perf_event_paranoid", "this kernel has no performance events",
                               "use a kernel with CONFIG_PERF_EVENTS to profile the host"));
  } else if (*level > 1 && ::geteuid() != 0) {
    findings.push_back(missing("permissions", "perf_event_paranoid",
                               fmt::format("{}: the kernel's own events are hidden", *level),
                               "sudo sysctl kernel.perf_event_paranoid=1"));
  } else {
    findings.push_back(finding_of("permissions", "perf_event_paranoid",
                                  fmt::format("{}{}", *level, *level > 1 ? ", not held against root" : "")));
  }
}

void check_tracefs(const Context& context, std::vector<Finding>& findings) {
  for (const char* folder : {"sys/kernel/tracing", "sys/kernel/debug/tracing"}) {
    if (::access((context.host.path(folder) / "events").c_str(), R_OK | X_OK) == 0) {
      findings.push_back(finding_of("permissions", "tracefs", fmt::format("/{}", folder)));
      return;
    }
  }
  findings.push_back(missing("permissions", "tracefs",
                             "not mounted, or closed to this user; tracing the kernel needs it",
                             "run as root, or: sudo mount -t tracefs nodev /sys/kernel/tracing"));
}

}  // namespace

void check_drivers(const Context& context, std::vector<Finding>& findings) {
  check_nvidia(context, findings);
  check_amdgpu(context, findings);
}

void check_permissions(const Context& context, std::vector<Finding>& findings) {
  check_perf_events(context, findings);
  check_tracefs(context, findings);
  check_device_file(context, "/dev/kfd", "dev/kfd", findings);
  std::string render_node;
  for (const std::string& name : context.host.names("dev/dri")) {
    if (name.starts_with("renderD")) {
      render_node = "dev/dri/" + name;
      break;
    }
  }
  check_device_file(context, "/dev/dri", render_node, findings);
}

}  // namespace aaco::doctor
