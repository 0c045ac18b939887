// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unistd.h>

#include "base/json/json.h"
#include "observe/lockbox/sections.h"

namespace aaco::lockbox {

namespace {

constexpr const char* kCpuFolder = "sys/devices/system/cpu";

// Instruction sets that decide how fast arithmetic can be, by their names in /proc/cpuinfo.
bool flag_of_interest(std::string_view flag) {
  constexpr std::array<std::string_view, 9> kNames{"avx",    "avx2", "avx_vnni",   "fma",         "f16c",
                                                   "sse4_2", "ht",   "hypervisor", "constant_tsc"};
  return std::find(kNames.begin(), kNames.end(), flag) != kNames.end() || flag.starts_with("avx512") ||
         flag.starts_with("avx10") || flag.starts_with("amx") || flag == "nonstop_tsc" || flag == "avx_vnni_int8";
}

Json flags(const HostFiles& host) {
  const std::optional<std::string> all = host.field("proc/cpuinfo", "flags");
  if (!all) {
    return not_available("no flags in /proc/cpuinfo");
  }
  Json kept = Json::array();
  for (const std::string_view flag : split(*all, ' ')) {
    if (flag_of_interest(flag)) {
      kept.push_back(flag);
    }
  }
  return kept;
}

std::vector<std::string> processor_folders(const HostFiles& host) {
  std::vector<std::string> folders;
  for (const std::string& name : host.names(kCpuFolder)) {
    if (name.starts_with("cpu") && name.size() > 3 && name.find_first_not_of("0123456789", 3) == std::string::npos) {
      folders.push_back(std::string(kCpuFolder) + "/" + name);
    }
  }
  return folders;
}

// Distinct values of a file over all processors, as one value where they agree.
Json over_processors(const HostFiles& host, const std::string& file) {
  std::set<std::string> values;
  for (const std::string& folder : processor_folders(host)) {
    if (const auto text = host.text(folder + "/" + file)) {
      values.insert(*text);
    }
  }
  if (values.empty()) {
    return not_available("/" + std::string(kCpuFolder) + "/cpu*/" + file +
                         " is not there (a virtual machine, or no frequency driver)");
  }
  return values.size() == 1 ? Json(*values.begin()) : Json(std::vector<std::string>(values.begin(), values.end()));
}

Json topology(const HostFiles& host) {
  std::set<std::string> sockets, cores;
  int processors = 0;
  for (const std::string& folder : processor_folders(host)) {
    const auto socket = host.text(folder + "/topology/physical_package_id");
    const auto core = host.text(folder + "/topology/thread_siblings_list");
    if (!socket || !core) {
      continue;  // an offline processor
    }
    ++processors;
    sockets.insert(*socket);
    cores.insert(*core);
  }
  if (processors == 0) {
    return not_available("no topology below /" + std::string(kCpuFolder));
  }
  return {{"sockets", sockets.size()}, {"cores", cores.size()}, {"processors", processors}};
}

// "L1 data": size of one and how many there are.
Json caches(const HostFiles& host) {
  struct Cache {
    std::string size;
    std::set<std::string> instances;
  };
  std::map<std::string, Cache> first_line;
  for (const std::string& folder : processor_folders(host)) {
    for (const std::string& index : host.names(folder + "/cache")) {
      const std::string cache = folder + "/cache/" + index;
      const auto level = host.text(cache + "/level");
      const auto type = host.text(cache + "/type");
      const auto size = host.text(cache + "/size");
      const auto shared = host.text(cache + "/shared_cpu_list");
      if (level && type && size && shared) {
        Cache& entry = first_line["L" + *level + " " + *type];
        entry.size = *size;
        entry.instances.insert(*shared);
      }
    }
  }
  if (first_line.empty()) {
    return not_available("no caches below /" + std::string(kCpuFolder));
  }
  Json json = Json::object();
  for (const auto& [name, cache] : first_line) {
    json[name] = {{"size", cache.size}, {"instances", cache.instances.size()}};
  }
  return json;
}

Json turbo(const HostFiles& host) {
  if (const auto off = host.number(std::string(kCpuFolder) + "/intel_pstate/no_turbo")) {
    return *off == 0 ? "on" : "off";
  }
  if (const auto on = host.number(std::string(kCpuFolder) + "/cpufreq/boost")) {
    return *on != 0 ? "on" : "off";
  }
  return not_available("neither intel_pstate/no_turbo nor cpufreq/boost below /" + std::string(kCpuFolder));
}

// To 0.1 GiB: what the kernel keeps for itself differs by some kB from boot to boot.
Json total_memory(const HostFiles& host) {
  const std::string text = host.field("proc/meminfo", "MemTotal").value_or("");
  double kib = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), kib).ec != std::errc{}) {
    return not_available("no MemTotal in /proc/meminfo");
  }
  return fmt::format("{:.1f} GiB", kib / (1024 * 1024));
}

Json info_field(const HostFiles& host, const char* key) {
  return value_or(host.field("proc/cpuinfo", key), std::string("no \"") + key + "\" in /proc/cpuinfo");
}

}  // namespace

Json cpu(const HostFiles& host) {
  Json json;
  json["model"] = info_field(host, "model name");
  json["vendor"] = info_field(host, "vendor_id");
  json["family_model_stepping"] = host.field("proc/cpuinfo", "cpu family").value_or("?") + "/" +
                                  host.field("proc/cpuinfo", "model").value_or("?") + "/" +
                                  host.field("proc/cpuinfo", "stepping").value_or("?");
  json["microcode"] = info_field(host, "microcode");
  json["topology"] = topology(host);
  json["caches"] = caches(host);
  json["flags"] = flags(host);
  json["smt"] = host.text_or_reason(std::string(kCpuFolder) + "/smt/control");
  json["governor"] = over_processors(host, "cpufreq/scaling_governor");
  json["frequency_driver"] = over_processors(host, "cpufreq/scaling_driver");
  json["energy_preference"] = over_processors(host, "cpufreq/energy_performance_preference");
  json["min_khz"] = over_processors(host, "cpufreq/scaling_min_freq");
  json["max_khz"] = over_processors(host, "cpufreq/scaling_max_freq");
  json["turbo"] = turbo(host);
  return json;
}

Json memory(const HostFiles& host) {
  Json json;
  json["total"] = total_memory(host);
  json["swap_total"] = value_or(host.field("proc/meminfo", "SwapTotal"), "no SwapTotal in /proc/meminfo");
  json["numa_nodes"] = host.text_or_reason("sys/devices/system/node/online");
  json["transparent_hugepages"] = host.text_or_reason("sys/kernel/mm/transparent_hugepage/enabled");
  json["huge_pages_total"] =
      value_or(host.field("proc/meminfo", "HugePages_Total"), "no HugePages_Total in /proc/meminfo");
  json["huge_page_size"] = value_or(host.field("proc/meminfo", "Hugepagesize"), "no Hugepagesize in /proc/meminfo");
  json["page_bytes"] = ::sysconf(_SC_PAGESIZE);
  json["overcommit"] = host.text_or_reason("proc/sys/vm/overcommit_memory");
  json["numa_balancing"] = host.text_or_reason("proc/sys/kernel/numa_balancing");
  return json;
}

}  // namespace aaco::lockbox
