// SPDX-License-Identifier: MIT
#include "analysis/counters/machine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "analysis/counters/machine_models.h"

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

bool contains(std::string_view text, std::string_view part) {
  const auto upper = [](char letter) { return letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter; };
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(),
                                     [&](char a, char b) { return upper(a) == upper(b); }) != text.end();
}

void fill_in(CounterMachine& machine) {
  const auto quantities = machine_quantities();
  for (const KnownQuantity& known : known_quantities()) {
    const auto found = std::find_if(quantities.begin(), quantities.end(),
                                    [&](const MachineQuantity& each) { return each.name == known.quantity; });
    const auto i = static_cast<size_t>(found - quantities.begin());
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
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] != EventShape::kUntimed || events.kind[i] != EventKind::kOther) {
      continue;
    }
    const std::string_view category = events.strings[events.category[i]];
    if (category == "system") {
      add_sysinfo(events, i);
    } else if (category == "AGENT") {
      add_agent(events, i);
    } else if (category == "roof") {
      add_roof(events, i);
    }
  }
}

void CounterMachines::add_sysinfo(const EventTable& events, size_t event) {
  CounterMachine machine = nothing_known();
  machine.gfx = text_of(events, event, "gpu_arch");
  machine.model = text_of(events, event, "gpu_model");
  machine.architecture = architecture_of_gfx(machine.gfx);
  take(machine, events, event, &MachineQuantity::sysinfo, "sysinfo");
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
      {std::move(machine), number ? static_cast<int64_t>(*number) : 0});
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

CounterMachine CounterMachines::of(uint32_t recording, int64_t device) const {
  CounterMachine machine = nothing_known();
  if (const auto found = sysinfo_.find(recording); found != sysinfo_.end()) {
    machine = found->second;
  } else if (const auto agents = agents_.find(recording); agents != agents_.end()) {
    const std::vector<Source>& all = agents->second;
    const bool alike = std::all_of(all.begin(), all.end(),
                                   [&](const Source& each) { return same_kind(each.machine, all.front().machine); });
    const auto one = std::find_if(all.begin(), all.end(), [&](const Source& each) { return each.device == device; });
    if (alike || one != all.end()) {
      machine = alike ? all.front().machine : one->machine;
    }
  }
  fill_in(machine);
  if (const auto found = measured_.find(recording); found != measured_.end()) {
    for (size_t i = 0; i < found->second.size(); ++i) {
      if (!std::isnan(found->second[i])) {
        machine.quantities[i] = found->second[i];
        machine.from[i] = fmt::format("roofline: {}", machine_quantities()[i].roof);
      }
    }
  }
  return machine;
}

}  // namespace aaco
