// SPDX-License-Identifier: MIT
#include "kind/training/document/training_gate.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/json/json.h"

namespace aaco {

namespace {

constexpr size_t kMostNamed = 3;  // of kernels that no gate executed

bool compares(const TrainingGate& gate) { return !gate.against.empty() && gate.passed && gate.unknown.empty(); }

// Why the first gate that would compare values was not judged; empty: all of them were.
std::string unjudged_gate(std::span<const TrainingGate> gates) {
  const auto unjudged = std::find_if(gates.begin(), gates.end(), [](const TrainingGate& gate) {
    return !gate.against.empty() && !gate.unknown.empty();
  });
  return unjudged == gates.end() ? "" : fmt::format("{}: {}", unjudged->name, unjudged->unknown);
}

std::string names_of(const std::vector<std::string>& kernels) {
  std::string text;
  for (size_t i = 0; i < std::min(kMostNamed, kernels.size()); ++i) {
    text += (i == 0 ? "" : ", ") + kernels[i];
  }
  return kernels.size() > kMostNamed ? fmt::format("{} and {} more", text, kernels.size() - kMostNamed) : text;
}

}  // namespace

bool is_failed(const TrainingGate& gate) { return !gate.passed && gate.unknown.empty(); }

TrainingGate gate_without_memory(std::string name, std::string must, std::string against) {
  return {.name = std::move(name),
          .passed = false,
          .found = "",
          .must = std::move(must),
          .unknown = "it needs more memory than the training leaves",
          .against = std::move(against)};
}

TrainingGate kernels_gate(std::span<const std::string> timed, std::span<const TrainingGate> gates,
                          const std::string& unavailable) {
  TrainingGate result{"every timed kernel ran in a gate", false, "",
                      "each executed by a gate that compares its values"};
  const std::set<std::string> names(timed.begin(), timed.end());
  std::set<std::string> executed;
  const std::string unjudged = unjudged_gate(gates);
  bool all_recorded = unjudged.empty();
  for (const TrainingGate& gate : gates) {
    if (compares(gate) && gate.kernels) {
      executed.insert(gate.kernels->begin(), gate.kernels->end());
    }
    all_recorded = all_recorded && (!compares(gate) || gate.kernels);
  }
  std::vector<std::string> missing;
  std::set_difference(names.begin(), names.end(), executed.begin(), executed.end(), std::back_inserter(missing));
  if (names.empty() || (!missing.empty() && !all_recorded)) {
    result.unknown = !unavailable.empty()                ? unavailable
                     : names.empty() || unjudged.empty() ? "the device's records have no kernel"
                                                         : unjudged;
    return result;
  }
  result.passed = missing.empty();
  result.found = result.passed ? fmt::format("{} of {} kernels", names.size(), names.size())
                               : fmt::format("{} of {} in none: {}", missing.size(), names.size(), names_of(missing));
  return result;
}

std::string function_name(const std::string& kernel) {
  size_t start = 0;  // of the last word outside of brackets
  size_t end = kernel.size();
  int depth = 0;
  for (size_t i = 0; i < kernel.size(); ++i) {
    const char letter = kernel[i];
    if (letter == '(' && depth == 0 && kernel.compare(i, 11, "(anonymous ") != 0) {
      end = i;  // its parameters
      break;
    }
    depth += letter == '<' || letter == '(' ? 1 : letter == '>' || letter == ')' ? -1 : 0;
    if (depth == 0 && (letter == ' ' || letter == ':')) {
      start = i + 1;
    }
  }
  const std::string name = kernel.substr(start, end - start);
  const std::string plain = name.substr(0, name.find('<'));
  return plain.empty() ? kernel : plain;
}

std::string folded_kernels(std::span<const std::string> kernels) {
  std::map<std::string, int> counts;
  for (const std::string& kernel : kernels) {
    ++counts[function_name(kernel)];
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + (count == 1 ? name : fmt::format("{} ({})", name, count));
  }
  return text;
}

void to_json(Json& json, const TrainingGate& gate) {
  json = {{"name", gate.name},       {"passed", gate.passed},   {"found", gate.found},     {"must", gate.must},
          {"unknown", gate.unknown}, {"against", gate.against}, {"kernels", gate.kernels}, {"seconds", gate.seconds}};
  if (!gate.unknown.empty()) {
    json["passed"] = nullptr;
  }
}

void from_json(const Json& json, TrainingGate& gate) {
  json.at("name").get_to(gate.name);
  const Json& passed = json.at("passed");
  gate.passed = !passed.is_null() && passed.get<bool>();
  json.at("found").get_to(gate.found);
  json.at("must").get_to(gate.must);
  gate.unknown = json.value("unknown", "");  // older documents have none of these
  gate.against = json.value("against", "");
  gate.kernels = json.value("kernels", std::optional<std::vector<std::string>>());
  gate.seconds = json.value("seconds", std::optional<double>());
}

}  // namespace aaco
