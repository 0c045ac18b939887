// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "base/json/json.h"
#include "base/process/process.h"
#include "observe/environment.h"
#include "observe/lockbox/sections.h"

namespace aaco {

namespace lockbox {

namespace {

constexpr const char* kNvidiaGpus = "proc/driver/nvidia/gpus";
constexpr const char* kDrm = "sys/class/drm";
// The first nvidia-smi of a machine without a persistence daemon initialises every card.
constexpr int kNvidiaSmiTimeoutMs = 20'000;

// Key in the lockbox, and the property's name for nvidia-smi --query-gpu.
struct Property {
  const char* key;
  const char* query;
};
constexpr std::array kNvidiaProperties{Property{"model", "name"},
                                       Property{"bus", "pci.bus_id"},
                                       Property{"driver", "driver_version"},
                                       Property{"vbios", "vbios_version"},
                                       Property{"memory_total", "memory.total"},
                                       Property{"power_cap", "power.limit"},
                                       Property{"power_cap_default", "power.default_limit"},
                                       Property{"clock_sm_max", "clocks.max.sm"},
                                       Property{"clock_memory_max", "clocks.max.memory"},
                                       Property{"clock_application_sm", "clocks.applications.graphics"},
                                       Property{"clock_application_memory", "clocks.applications.memory"},
                                       Property{"persistence_mode", "persistence_mode"},
                                       Property{"compute_mode", "compute_mode"},
                                       Property{"ecc_mode", "ecc.mode.current"},
                                       Property{"mig_mode", "mig.mode.current"},
                                       Property{"pcie_generation_max", "pcie.link.gen.max"},
                                       Property{"pcie_width", "pcie.link.width.current"}};
// The first so many are as old as the tool.
constexpr size_t kOldNvidiaProperties = 8;

std::string nvidia_query(std::span<const Property> properties) {
  std::string query = "--query-gpu=";
  for (const Property& property : properties) {
    query += (query.back() == '=' ? "" : ",") + std::string(property.query);
  }
  return query;
}

// One entry per line of nvidia-smi; an error where it cannot be asked.
Result<Json> ask_nvidia_smi(std::span<const Property> properties) {
  AACO_ASSIGN(const std::vector<std::string> lines,
              lines_of({"nvidia-smi", nvidia_query(properties), "--format=csv,noheader"}, kNvidiaSmiTimeoutMs));
  Json cards = Json::array();
  for (const std::string& line : lines) {
    const auto cells = split(line, ',');
    if (cells.size() != properties.size()) {
      return Error{ErrorKind::kUnavailable, "nvidia-smi answered in a form that is not known: " + line,
                   "update the driver"};
    }
    Json card = {{"vendor", "NVIDIA"}};
    for (size_t i = 0; i < cells.size(); ++i) {
      card[properties[i].key] = trimmed(cells[i]);
    }
    cards.push_back(std::move(card));
  }
  return cards;
}

// A driver that does not know one of the properties answers none of them: then those that all drivers know.
Result<Json> ask_nvidia_smi() {
  const std::span<const Property> all(kNvidiaProperties);
  Result<Json> asked = ask_nvidia_smi(all);
  return asked ? std::move(asked) : ask_nvidia_smi(all.first(kOldNvidiaProperties));
}

// /proc/driver/nvidia/gpus/<bus>/information, which needs no tool and knows less.
Json nvidia_from_proc(const HostFiles& host, const std::string& why) {
  Json cards = Json::array();
  for (const std::string& bus : host.names(kNvidiaGpus)) {
    const std::string file = std::string(kNvidiaGpus) + "/" + bus + "/information";
    Json card = {{"vendor", "NVIDIA"}};
    card["model"] = value_or(host.field(file, "Model"), "no Model in /" + file);
    card["bus"] = bus;
    card["driver"] =
        host.text("sys/module/nvidia/version").value_or(not_available("/sys/module/nvidia/version is not there"));
    card["vbios"] = value_or(host.field(file, "Video BIOS"), "no Video BIOS in /" + file);
    card["firmware"] = value_or(host.field(file, "GPU Firmware"), "no GPU Firmware in /" + file);
    card["power_cap"] = not_available(why);
    card["clock_policy"] = not_available(why);
    cards.push_back(std::move(card));
  }
  return cards;
}

// The firmware of the system processor is told by the driver's file only. Tools and files write the same bus with
// different widths of the domain ("00000000:3B:00.0", "0000:3b:00.0").
void add_firmware(const HostFiles& host, Json& card) {
  const auto short_bus = [](std::string bus) {
    std::transform(bus.begin(), bus.end(), bus.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return bus.substr(bus.find(':') + 1);
  };
  card["firmware"] = not_available("the driver's files do not name it");
  for (const std::string& bus : host.names(kNvidiaGpus)) {
    if (short_bus(bus) == short_bus(card.value("bus", ""))) {
      const std::string file = std::string(kNvidiaGpus) + "/" + bus + "/information";
      card["firmware"] = value_or(host.field(file, "GPU Firmware"), "no GPU Firmware in /" + file);
    }
  }
}

// The tool first: in a sandbox it may answer where the driver's files are hidden.
Json nvidia_cards(const HostFiles& host, bool run_tools) {
  if (!run_tools) {
    return nvidia_from_proc(host, "nvidia-smi was not asked");
  }
  Result<Json> asked = ask_nvidia_smi();
  if (!asked) {
    return nvidia_from_proc(host, asked.error().message);
  }
  for (Json& card : *asked) {
    add_firmware(host, card);
  }
  return std::move(asked).value();
}

// The marked line of a list such as "0: 500Mhz\n1: 2100Mhz *" is the present state; the policy is the list.
Json one_line(const HostFiles& host, const std::string& file) {
  std::string text = host.text_or_reason(file);
  for (char& character : text) {
    character = character == '\n' ? ';' : character;
  }
  return text;
}

Json amd_card(const HostFiles& host, const std::string& device) {
  Json card = {{"vendor", "AMD"}};
  card["model"] = host.text_or_reason(device + "/product_name");
  card["device_id"] = host.text_or_reason(device + "/device");
  card["driver"] = host.text("sys/module/amdgpu/version").value_or("in-tree driver of the kernel");
  card["vbios"] = host.text_or_reason(device + "/vbios_version");
  for (const std::string& name : host.names(device + "/fw_version")) {
    card["firmware"][name] = host.text_or_reason(device + "/fw_version/" + name);
  }
  if (!card.contains("firmware")) {
    card["firmware"] = not_available("/" + device + "/fw_version is not there");
  }
  card["memory_total_bytes"] = host.text_or_reason(device + "/mem_info_vram_total");
  card["power_cap_uw"] = not_available("no hwmon power1_cap below /" + device);
  for (const std::string& monitor : host.names(device + "/hwmon")) {
    if (const auto cap = host.text(device + "/hwmon/" + monitor + "/power1_cap")) {
      card["power_cap_uw"] = *cap;
    }
  }
  card["clock_policy"] = host.text_or_reason(device + "/power_dpm_force_performance_level");
  card["clocks_gpu"] = one_line(host, device + "/pp_dpm_sclk");
  card["clocks_memory"] = one_line(host, device + "/pp_dpm_mclk");
  card["compute_partition"] = host.text_or_reason(device + "/current_compute_partition");
  card["memory_partition"] = host.text_or_reason(device + "/current_memory_partition");
  return card;
}

}  // namespace

Json gpus(const HostFiles& host, bool run_tools) {
  Json cards = nvidia_cards(host, run_tools);
  for (const std::string& name : host.names(kDrm)) {
    // card0, but not its connectors (card0-DP-1).
    if (!name.starts_with("card") || name.find('-') != std::string::npos) {
      continue;
    }
    const std::string device = std::string(kDrm) + "/" + name + "/device";
    if (host.text(device + "/vendor") == "0x1002") {
      cards.push_back(amd_card(host, device));
    }
  }
  return cards;
}

Json gpu_drivers(const HostFiles& host, bool run_tools) {
  Json json;
  json["nvidia"] = value_or(nvidia_driver_version(host, run_tools), "the nvidia module is not loaded");
  json["amdgpu"] = host.text("sys/module/amdgpu/version")
                       .value_or(host.exists("sys/module/amdgpu") ? "in-tree driver of the kernel"
                                                                  : not_available("the amdgpu module is not loaded"));
  return json;
}

}  // namespace lockbox

std::optional<std::string> nvidia_driver_version(const HostFiles& host, bool run_tools) {
  if (auto version = host.text("sys/module/nvidia/version")) {
    return version;
  }
  if (run_tools) {
    const auto line = first_line_of({"nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"},
                                    lockbox::kNvidiaSmiTimeoutMs);
    if (line && !line->empty()) {
      return *line;
    }
  }
  return std::nullopt;
}

}  // namespace aaco
