// SPDX-License-Identifier: MIT
#include "verdict/identity/machine_difference.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <set>

#include "base/json/json.h"
#include "base/json/json_text.h"

namespace aaco {

namespace {

constexpr double kMemoryMargin = 0.1;  // what one machine shows differs by some per cent with its kernel

// The text of a member; none where it is not there or "not available".
std::optional<std::string> fact(const Json& lockbox, std::initializer_list<const char*> path) {
  const Json* at = &lockbox;
  for (const char* key : path) {
    if (!at->is_object() || !at->contains(key)) {
      return std::nullopt;
    }
    at = &(*at)[key];
  }
  const std::string text = at->is_string() ? at->get<std::string>() : json_text(*at);
  const bool known = !text.empty() && !text.starts_with("not available") && text.find('?') == std::string::npos;
  return known ? std::optional(text) : std::nullopt;
}

std::optional<double> leading_number(const std::string& text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && value > 0 ? std::optional(value) : std::nullopt;
}

bool is_other_size(const std::string& a, const std::string& b) {
  const auto of_a = leading_number(a);
  const auto of_b = leading_number(b);
  return of_a && of_b && std::abs(*of_a - *of_b) > kMemoryMargin * std::max(*of_a, *of_b);
}

// The kinds of GPU, each once: a run uses some of them, and the lockbox does not say which.
std::optional<std::string> kinds_of_gpu(const Json& lockbox) {
  if (!lockbox.is_object() || !lockbox.contains("gpus") || !lockbox["gpus"].is_array()) {
    return std::nullopt;
  }
  std::set<std::string> kinds;
  for (const Json& card : lockbox["gpus"]) {
    const auto model = fact(card, {"model"});
    if (!model) {
      return std::nullopt;
    }
    std::string kind = *model;
    for (const char* partition : {"mig_mode", "compute_partition", "memory_partition"}) {
      const auto mode = fact(card, {partition});
      kind += mode && *mode != "[N/A]" ? std::string(", ") + partition + " " + *mode : "";
    }
    kinds.insert(std::move(kind));
  }
  std::string text;
  for (const std::string& kind : kinds) {
    text += (text.empty() ? "" : "; ") + kind;
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::vector<ConfigurationDifference> machine_differences(const Json& a, const Json& b, bool on_gpu) {
  std::vector<ConfigurationDifference> differences;
  const auto add = [&](const char* field, const std::optional<std::string>& of_a,
                       const std::optional<std::string>& of_b, bool (*differ)(const std::string&, const std::string&)) {
    if (of_a && of_b && differ(*of_a, *of_b)) {
      differences.push_back({field, *of_a, *of_b});
    }
  };
  const auto unequal = [](const std::string& x, const std::string& y) { return x != y; };
  add("cpu.model", fact(a, {"cpu", "model"}), fact(b, {"cpu", "model"}), unequal);
  add("cpu.family_model_stepping", fact(a, {"cpu", "family_model_stepping"}), fact(b, {"cpu", "family_model_stepping"}),
      unequal);
  add("cpu.topology.cores", fact(a, {"cpu", "topology", "cores"}), fact(b, {"cpu", "topology", "cores"}), unequal);
  add("memory.total", fact(a, {"memory", "total"}), fact(b, {"memory", "total"}), is_other_size);
  if (on_gpu) {
    add("gpus", kinds_of_gpu(a), kinds_of_gpu(b), unequal);
  }
  return differences;
}

bool names_machine(const Json& lockbox) { return fact(lockbox, {"cpu", "model"}).has_value(); }

}  // namespace aaco
