// SPDX-License-Identifier: MIT
#include "verdict/identity/work_facts.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(WorkFact, value, words)

namespace {

constexpr const char* kAbsent = "absent";
constexpr size_t kHashDigits = 64;
constexpr size_t kShownDigits = 12;

// Variables that the providers read as they read their options, and those that choose the precision or the instruction
// set of a math library. Others (paths, thread pools, logging) stand in the lockbox and are named there.
constexpr auto kOptionVariables =
    std::to_array<std::string_view>({"ORT_TENSORRT_", "ORT_MIGRAPHX_", "ORT_CUDA_", "ORT_DISABLE_", "ORT_ENABLE_",
                                     "NVIDIA_TF32_OVERRIDE", "DNNL_DEFAULT_FPMATH_MODE", "ONEDNN_DEFAULT_FPMATH_MODE",
                                     "DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS"});

bool sets_an_option(std::string_view name) {
  return name != "ORT_DISABLE_TELEMETRY" &&  // aaco sets it itself
         std::ranges::any_of(kOptionVariables, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string text_of(const std::map<std::string, WorkFact>& facts, const std::string& name, const char* absent) {
  const auto fact = facts.find(name);
  if (fact == facts.end()) {
    return absent;
  }
  return text_of(fact->second);
}

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::string text_of(const WorkFact& fact) {
  return fact.words.empty() ? fact.value : fact.value + " (" + fact.words + ")";
}

std::vector<ConfigurationDifference> work_differences(const WorkFacts& baseline, const WorkFacts& test) {
  std::vector<ConfigurationDifference> differences;
  for (const auto& [group, of_baseline] : baseline) {
    const auto test_group = test.find(group);
    if (test_group == test.end()) {
      continue;
    }
    const std::map<std::string, WorkFact>& of_test = test_group->second;
    std::set<std::string> names;
    for (const auto* facts : {&of_baseline, &of_test}) {
      for (const auto& [name, fact] : *facts) {
        names.insert(name);
      }
    }
    const char* absent = group == work_group::kOptions ? "default" : kAbsent;
    for (const std::string& name : names) {
      const auto a = of_baseline.find(name);
      const auto b = of_test.find(name);
      if (a == of_baseline.end() || b == of_test.end() || a->second.value != b->second.value) {
        differences.push_back({group + " " + name, text_of(of_baseline, name, absent), text_of(of_test, name, absent)});
      }
    }
  }
  return differences;
}

std::vector<ConfigurationDifference> variable_differences(const Json& baseline, const Json& test) {
  const auto options_of = [](const Json& lockbox) -> std::optional<std::map<std::string, std::string>> {
    const auto variables = lockbox.is_object() ? lockbox.find("variables") : lockbox.end();
    if (!lockbox.is_object() || variables == lockbox.end() || !variables->is_object()) {
      return std::nullopt;
    }
    std::map<std::string, std::string> options;
    for (const auto& [name, value] : variables->items()) {
      if (sets_an_option(name) && value.is_string()) {
        options[name] = value.get<std::string>();
      }
    }
    return options;
  };
  const auto a = options_of(baseline);
  const auto b = options_of(test);
  std::vector<ConfigurationDifference> differences;
  if (!a || !b) {
    return differences;
  }
  const auto text = [](const std::map<std::string, std::string>& options, const std::string& name) {
    const auto option = options.find(name);
    return option == options.end() ? kAbsent : option->second;
  };
  std::map<std::string, std::string> names = *a;
  names.insert(b->begin(), b->end());
  for (const auto& [name, ignored] : names) {
    if (const std::string of_baseline = text(*a, name), of_test = text(*b, name); of_baseline != of_test) {
      differences.push_back({"variable " + name, of_baseline, of_test});
    }
  }
  return differences;
}

std::vector<std::string> work_not_recorded(const WorkFacts& facts) {
  std::vector<std::string> missing;
  for (const WorkGroup& group : kWorkGroups) {
    if (!facts.contains(group.id)) {
      missing.emplace_back(group.words);
    }
  }
  return missing;
}

std::string difference_list(const std::vector<ConfigurationDifference>& differences) {
  std::string text;
  for (const ConfigurationDifference& difference : differences) {
    text += fmt::format("{}{} {} / {}", text.empty() ? "" : ", ", difference.field,
                        with_short_hashes(difference.baseline), with_short_hashes(difference.test));
  }
  return text;
}

std::string with_short_hashes(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto end = static_cast<size_t>(std::ranges::find_if_not(text, is_hex) - text.begin());
    if (end == kHashDigits) {
      shown.append(text.substr(0, kShownDigits)).append("...");
    } else {
      shown.append(text.substr(0, end));
    }
    text.remove_prefix(end);
    const auto word = static_cast<size_t>(std::ranges::find_if(text, is_hex) - text.begin());
    shown.append(text.substr(0, word));
    text.remove_prefix(word);
  }
  return shown;
}

}  // namespace aaco
