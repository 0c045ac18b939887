// SPDX-License-Identifier: MIT
#include "cli/overlap/overlap_flags.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

#include "cli/queue/queue_flags.h"

#include "device/backend.h"

namespace aaco {

void add_overlap_flags(cli::Command command, OverlapFlags& flags) {
  command.add_option("--config", flags.config, "YAML file, as those in configs/overlap; default: its default.yaml")
      .type_name("FILE");
  command
      .add_option("--override", flags.overrides,
                  "Keys in place of the file's, one or more behind the flag: aaco overlap keys")
      .type_name("SECTION.KEY=VALUE ...");
  command
      .add_option("--device", flags.device,
                  "Devices, a rank each, as cuda:0,cuda:1 or cpu:0,cpu:1; default: all GPUs of the first kind, else "
                  "cpu:0")
      .type_name("ID,...");
  add_kernel_plane_flag(command, flags.kernel_plane);
}

namespace {

Result<RankDevices> named_devices(const std::string& named) {
  RankDevices devices;
  std::istringstream text(named);
  for (std::string id; std::getline(text, id, ',');) {
    AACO_ASSIGN(Backend * backend, backend_of(id));
    const std::string whole = id.find(':') == std::string::npos ? id + ":0" : id;
    if (!devices.ids.empty() && !devices.ids.front().starts_with(backend->name())) {
      return Error{ErrorKind::kUsage, fmt::format("--device {}: ranks are on devices of one kind", named),
                   "name devices of one backend: aaco devices"};
    }
    if (std::find(devices.ids.begin(), devices.ids.end(), whole) != devices.ids.end()) {
      return Error{ErrorKind::kUsage, fmt::format("--device {}: {} is named twice", named, whole),
                   "a device takes one rank; of CPU devices there are as many as you name: cpu:0,cpu:1"};
    }
    devices.ids.push_back(whole);
  }
  return devices;
}

// All that there are, or as many CPU devices as a launcher has ranks.
Result<RankDevices> all_devices(int32_t ranks) {
  const DefaultDevice first = default_device();
  const std::string backend_name = first.id.substr(0, first.id.find(':'));
  int count = std::max(1, ranks);
  if (backend_name != "cpu") {
    AACO_ASSIGN(Backend * backend, backend_of(first.id));
    AACO_ASSIGN(count, backend->device_count());
  }
  RankDevices devices;
  devices.why = count == 1 ? first.why : fmt::format("no device was named: {} of {} are taken", count, backend_name);
  for (int i = 0; i < count; ++i) {
    devices.ids.push_back(fmt::format("{}:{}", backend_name, i));
  }
  return devices;
}

}  // namespace

Result<RankDevices> rank_devices(const std::string& named, const std::optional<sharded::RankPlace>& place) {
  AACO_ASSIGN(RankDevices devices, named.empty() ? all_devices(place ? place->local_ranks : 0) : named_devices(named));
  if (!place) {
    return devices;
  }
  const auto ranks = static_cast<size_t>(place->local_ranks);
  if (devices.ids.size() < ranks || (!named.empty() && devices.ids.size() > ranks)) {
    return Error{ErrorKind::kUsage,
                 fmt::format("the launcher started {} ranks{}, and there are {} devices", ranks,
                             place->ranks == place->local_ranks ? "" : " on this node", devices.ids.size()),
                 "start as many ranks as there are devices, or name that many with --device"};
  }
  devices.ids.resize(ranks);
  return devices;
}

}  // namespace aaco
