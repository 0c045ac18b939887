// SPDX-License-Identifier: MIT
#include <array>
#include <set>
#include <sys/resource.h>

#include "base/json/json.h"
#include "observe/cgroup.h"
#include "observe/lockbox/sections.h"

namespace aaco::lockbox {

namespace {

// PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" -> the text.
Json distribution(const HostFiles& host) {
  const std::string text = host.text("etc/os-release").value_or("");
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with("PRETTY_NAME=")) {
      line.remove_prefix(12);
      if (line.size() >= 2 && line.front() == '"' && line.back() == '"') {
        line = line.substr(1, line.size() - 2);
      }
      return line;
    }
  }
  return not_available("no PRETTY_NAME in /etc/os-release");
}

Json virtualisation(const HostFiles& host) {
  const std::string flags = " " + host.field("proc/cpuinfo", "flags").value_or("") + " ";
  if (flags.find(" hypervisor ") == std::string::npos && !host.exists("sys/hypervisor/type")) {
    return "none seen";
  }
  std::string text = "virtual machine";
  for (const char* file : {"sys/hypervisor/type", "sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name"}) {
    if (const auto part = host.text(file); part && !part->empty()) {
      text += (text == "virtual machine" ? ": " : ", ") + *part;
    }
  }
  return text;
}

Json container_hint(const HostFiles& host) {
  if (host.exists(".dockerenv")) {
    return "docker";
  }
  if (host.exists("run/.containerenv")) {
    return "podman";
  }
  const std::string groups = host.text("proc/self/cgroup").value_or("");
  for (const char* name : {"kubepods", "docker", "lxc", "libpod"}) {
    if (groups.find(name) != std::string::npos) {
      return name;
    }
  }
  return "none seen";
}

Json limit_value(rlim_t value) { return value == RLIM_INFINITY ? Json("unlimited") : Json(value); }

}  // namespace

Json kernel(const HostFiles& host) {
  Json json;
  json["release"] = host.text_or_reason("proc/sys/kernel/osrelease");
  json["version"] = host.text_or_reason("proc/sys/kernel/version");
  json["command_line"] = host.text_or_reason("proc/cmdline");
  json["address_randomisation"] = host.text_or_reason("proc/sys/kernel/randomize_va_space");
  json["perf_event_paranoid"] = host.text_or_reason("proc/sys/kernel/perf_event_paranoid");
  json["clock_source"] = host.text_or_reason("sys/devices/system/clocksource/clocksource0/current_clocksource");
  json["scheduler_autogroup"] = host.text_or_reason("proc/sys/kernel/sched_autogroup_enabled");
  Json mitigations = Json::object();
  const std::string folder = "sys/devices/system/cpu/vulnerabilities";
  for (const std::string& name : host.names(folder)) {
    if (const auto state = host.text(folder + "/" + name); state && *state != "Not affected") {
      mitigations[name] = *state;
    }
  }
  json["vulnerabilities"] = mitigations;
  return json;
}

Json host(const HostFiles& host) {
  Json json;
  json["name"] = host.text_or_reason("proc/sys/kernel/hostname");
  json["distribution"] = distribution(host);
  json["boot_id"] = host.text_or_reason("proc/sys/kernel/random/boot_id");
  json["virtualisation"] = virtualisation(host);
  json["container"] = container_hint(host);
  return json;
}

Json container(const HostFiles& host) {
  const CgroupLimits limits = cgroup_limits(host);
  Json json;
  json["cgroup"] = limits.version;
  json["processors"] = limits.processors ? Json(*limits.processors) : Json("no limit");
  json["memory_bytes"] = limits.memory_bytes ? Json(*limits.memory_bytes) : Json("no limit");
  json["processor_set"] = limits.processor_set.value_or("not told");
  return json;
}

Json limits() {
  struct Limit {
    const char* name;
    __rlimit_resource resource;
  };
  constexpr std::array kLimits{Limit{"open_files", RLIMIT_NOFILE},
                               Limit{"processes", RLIMIT_NPROC},
                               Limit{"locked_memory_bytes", RLIMIT_MEMLOCK},
                               Limit{"stack_bytes", RLIMIT_STACK},
                               Limit{"address_space_bytes", RLIMIT_AS},
                               Limit{"processor_seconds", RLIMIT_CPU},
                               Limit{"nice", RLIMIT_NICE},
                               Limit{"realtime_priority", RLIMIT_RTPRIO}};
  Json json;
  const std::vector<int> processors = allowed_processors();
  json["affinity"] = format_processor_list(processors);
  json["affinity_count"] = processors.size();
  json["nice"] = getpriority(PRIO_PROCESS, 0);
  for (const Limit& entry : kLimits) {
    rlimit limit{};
    if (getrlimit(entry.resource, &limit) == 0) {
      json["ulimits"][entry.name] = limit_value(limit.rlim_cur);
    }
  }
  return json;
}

Json load(const HostFiles& host) {
  Json json;
  json["load_average"] = host.text_or_reason("proc/loadavg");
  json["memory_available"] = value_or(host.field("proc/meminfo", "MemAvailable"), "no MemAvailable in /proc/meminfo");
  json["uptime_seconds"] = host.text_or_reason("proc/uptime");
  return json;
}

}  // namespace aaco::lockbox
