// SPDX-License-Identifier: MIT
#include "analysis/counters/machine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/counters/machine_models.h"
#include "base/json/json.h"

namespace aaco {

namespace {

std::optional<double> number_of(const EventTable& events, size_t event, std::string_view key) {
  std::optional<double> number;
  for (size_t i = events.arguments.begin(event); i < events.arguments.end(event); ++i) {
    const Argument argument = events.arguments[i];
    if (events.strings[argument.key] != key) {
      continue;
    }
    if (argument.type == ArgumentType::kInteger) {
      number = static_cast<double>(static_cast<int64_t>(argument.bits));
    } else if (argument.type == ArgumentType::kReal) {
      number = std::bit_cast<double>(argument.bits);
    }
  }
  // Profilers write 0 for what they could not find out.
  return number && *number > 0 && std::isfinite(*number) ? number : std::nullopt;
}

std::string text_of(const EventTable& events, size_t event, std::string_view key) {
  for (size_t i = events.arguments.begin(event); i < events.arguments.end(event); ++i) {
    const Argument argument = events.arguments[i];
    if (argument.type == ArgumentType::kText && events.strings[argument.key] == key) {
      return std::string(events.text_of(argument));
    }
  }
  return "";
}

CounterMachine nothing_known() {
  CounterMachine machine;
  machine.quantities.assign(machine_quantities().size(), CounterMachine::kNotKnown);
  machine.from.resize(machine_quantities().size());
  return machine;
}

void take(CounterMachine& machine, const EventTable& events, size_t event, std::string_view MachineQuantity::* column,
          std::string_view source) {
  const auto quantities = machine_quantities();
  for (size_t i = 0; i < quantities.size(); ++i) {
    const std::string_view name = quantities[i].*column;
    const auto number = name.empty() ? std::nullopt : number_of(events, event, name);
    if (number) {
      const bool of_agent = column == &MachineQuantity::agent;
      machine.quantities[i] = *number * (of_agent ? quantities[i].scale : 1);
      machine.from[i] = fmt::format("{}: {}", source, name);
    }
  }
}

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

std::string text_in(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

std::optional<double> number_in(const Json& object, const std::string& key) {
  const bool there = object.is_object() && object.contains(key) && object[key].is_number();
  const double number = there ? object[key].get<double>() : 0;
  return number > 0 ? std::optional(number) : std::nullopt;
}

bool contains(std::string_view text, std::string_view part) {
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(),
                                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

void fill_in(CounterMachine& machine) {
  const auto quantities = machine_quantities();
  for (const KnownQuantity& known : known_quantities()) {
    const auto quantity = std::find_if(quantities.begin(), quantities.end(),
                                       [&](const MachineQuantity& each) { return each.name == known.quantity; });
    const auto i = static_cast<size_t>(quantity - quantities.begin());
    if (known.architecture == machine.architecture && contains(machine.model, known.model) &&
        std::isnan(machine.quantities[i])) {
      machine.quantities[i] = known.value;
      machine.from[i] = known.source;
    }
  }
}

bool same_kind(const CounterMachine& a, const CounterMachine& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.gfx == b.gfx && a.model == b.model &&
         std::equal(a.quantities.begin(), a.quantities.end(), b.quantities.begin(), same);
}

}  // namespace

CounterMachines::CounterMachines(const EventTable& events) {
  for (const TraceMetadata& entry : events.metadata) {
    const std::string_view key = events.strings[entry.key];
    if (key == "agent" || key.starts_with("rocpd_info_agent")) {
      add_described_agent(entry.recording, events.strings[entry.value]);
    }
  }
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] != EventShape::kUntimed || events.kind[i] != EventKind::kOther) {
      continue;
    }
    const std::string_view category = events.strings[events.category[i]];
    if (category == "system") {
      add_sysinfo(events, i);
    } else if (category == "workload") {
      add_workload(events, i);
    } else if (category == "AGENT") {
      add_agent(events, i);
    } else if (category == "roof") {
      add_roof(events, i);
    }
  }
}

void CounterMachines::add_sysinfo(const EventTable& events, size_t event) {
  CounterMachine machine = nothing_known();
  const auto text = [&](std::string_view key, std::string_view of_omniperf) {
    const std::string own = text_of(events, event, key);
    return own.empty() ? text_of(events, event, of_omniperf) : own;
  };
  machine.gfx = text("gpu_arch", "gpu_soc");
  machine.model = text("gpu_model", "name");
  machine.architecture = architecture_of_gfx(machine.gfx);
  take(machine, events, event, &MachineQuantity::sysinfo, "sysinfo");
  take(machine, events, event, &MachineQuantity::omniperf, "sysinfo");
  sysinfo_.insert_or_assign(events.tracks[events.track[event]].recording, std::move(machine));
}

// Of rocprof-compute's database, which has the same as an object in a text.
void CounterMachines::add_workload(const EventTable& events, size_t event) {
  const Result<Json> info = parse_json(text_of(events, event, "sys_info_extdata"), "sys_info_extdata");
  if (!info || !info->is_object()) {
    return;
  }
  CounterMachine machine = nothing_known();
  machine.gfx = text_in(*info, "gpu_arch");
  machine.model = text_in(*info, "gpu_model");
  machine.architecture = architecture_of_gfx(machine.gfx);
  const auto quantities = machine_quantities();
  for (size_t i = 0; i < quantities.size(); ++i) {
    const auto number = number_in(*info, std::string(quantities[i].sysinfo));
    if (number) {
      machine.quantities[i] = *number;
      machine.from[i] = fmt::format("sys_info: {}", quantities[i].sysinfo);
    }
  }
  sysinfo_.insert_or_assign(events.tracks[events.track[event]].recording, std::move(machine));
}

void CounterMachines::add_agent(const EventTable& events, size_t event) {
  if (text_of(events, event, "Agent_Type") != "GPU") {
    return;
  }
  CounterMachine machine = nothing_known();
  machine.gfx = events.strings[events.name[event]];
  machine.model = text_of(events, event, "Product_Name");
  machine.architecture = architecture_of_gfx(machine.gfx);
  take(machine, events, event, &MachineQuantity::agent, "agent_info");
  const auto number = number_of(events, event, "Node_Id");
  agents_[events.tracks[events.track[event]].recording].push_back(
      {std::move(machine), static_cast<int64_t>(std::min(number.value_or(0), 1e9))});
}

// An agent as an object, its properties in it or, in rocpd, in the text "extdata".
void CounterMachines::add_described_agent(uint32_t recording, std::string_view json) {
  const Result<Json> agent = parse_json(json, "agent");
  if (!agent || !agent->is_object()) {
    return;
  }
  const Result<Json> more = parse_json(text_in(*agent, "extdata"), "extdata");
  const auto number = [&](const std::string& key) {
    const auto own = number_in(*agent, key);
    return own || !more ? own : number_in(*more, key);
  };
  if (text_in(*agent, "type") != "GPU" && number("type") != 2.0) {
    return;
  }
  CounterMachine machine = nothing_known();
  machine.gfx = text_in(*agent, "name");
  machine.model = text_in(*agent, "product_name");
  machine.architecture = architecture_of_gfx(machine.gfx);
  const auto quantities = machine_quantities();
  for (size_t i = 0; i < quantities.size(); ++i) {
    std::string key(quantities[i].agent);
    std::transform(key.begin(), key.end(), key.begin(), lower);
    const auto value = number(key);
    if (value) {
      machine.quantities[i] = *value * quantities[i].scale;
      machine.from[i] = fmt::format("agent: {}", key);
    }
  }
  // By which events name it: rocpd's row, of results.json the logical node.
  const bool of_rocpd = agent->contains("extdata");
  const char* const node = agent->contains("logical_node_id") ? "logical_node_id" : "node_id";
  const auto id = number_in(*agent, of_rocpd ? "id" : node);
  agents_[recording].push_back({std::move(machine), static_cast<int64_t>(std::min(id.value_or(0), 1e9))});
}

void CounterMachines::add_roof(const EventTable& events, size_t event) {
  std::vector<double>& roofs = measured_[events.tracks[events.track[event]].recording];
  const auto quantities = machine_quantities();
  roofs.resize(quantities.size(), CounterMachine::kNotKnown);
  for (size_t i = 0; i < quantities.size(); ++i) {
    const auto number = quantities[i].roof.empty() ? std::nullopt : number_of(events, event, quantities[i].roof);
    if (number) {
      roofs[i] = std::fmax(roofs[i], *number);
    }
  }
}

CounterMachine CounterMachines::machine(uint32_t recording, int64_t device) const {
  CounterMachine machine = nothing_known();
  if (const auto system = sysinfo_.find(recording); system != sysinfo_.end()) {
    machine = system->second;
  } else if (const auto agents = agents_.find(recording); agents != agents_.end()) {
    const std::vector<Source>& all = agents->second;
    const bool alike = std::all_of(all.begin(), all.end(),
                                   [&](const Source& each) { return same_kind(each.machine, all.front().machine); });
    const auto source = std::find_if(all.begin(), all.end(), [&](const Source& each) { return each.device == device; });
    if (alike || source != all.end()) {
      machine = alike ? all.front().machine : source->machine;
    }
  }
  fill_in(machine);
  if (const auto roof = measured_.find(recording); roof != measured_.end()) {
    for (size_t i = 0; i < roof->second.size(); ++i) {
      if (!std::isnan(roof->second[i])) {
        machine.quantities[i] = roof->second[i];
        machine.from[i] = fmt::format("roofline: {}", machine_quantities()[i].roof);
      }
    }
  }
  return machine;
}

}  // namespace aaco
