// SPDX-License-Identifier: MIT
#include "verdict/identity/environment_diff.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(LockboxDifference, key, a, b, category, performance_relevant)

namespace {

constexpr const char* kAbsent = "absent";
constexpr const char* kNotRecorded = "not recorded";
constexpr std::string_view kNotAvailable = "not available: ";
// Keys that lockboxes have only since a later version; in an older one their absence tells nothing.
constexpr auto kLaterKeys = std::to_array<std::string_view>({"run", "libraries.onnxruntime_sha256"});

struct Rule {
  std::string_view prefix;  // of the key's path
  const char* category;     // null: never compared
  bool relevant;
};

// The first rule that fits decides; a prefix ends at a dot or with the key.
constexpr auto kRules = std::to_array<Rule>({
    {"captured_at", nullptr, false},
    {"load", nullptr, false},
    {"host.boot_id", nullptr, false},
    {"host.virtualisation", "container", true},
    {"host.container", "container", true},
    {"host", "host", false},
    {"cpu.governor", "governor", true},
    {"cpu.turbo", "governor", true},
    {"cpu.energy_preference", "governor", true},
    {"cpu.frequency_driver", "governor", true},
    {"cpu.min_khz", "governor", true},
    {"cpu.max_khz", "governor", true},
    {"cpu", "cpu", true},
    {"memory", "memory", true},
    {"kernel.perf_event_paranoid", "kernel", false},
    {"kernel", "kernel", true},
    {"container", "container", true},
    {"limits.affinity", "container", true},
    {"limits.affinity_count", "container", true},
    {"limits.nice", "limit", true},
    {"limits", "limit", false},
    {"gpu_drivers", "driver", true},
    {"software", "library", true},
    {"libraries", "library", true},
    {"model.path", "model", false},
    {"model", "model", true},
    {"run.pin", "container", true},
    {"git", "source", false},
    {"variables", "variable", true},
});

bool fits(std::string_view key, std::string_view prefix) {
  return key.starts_with(prefix) && (key.size() == prefix.size() || key[prefix.size()] == '.');
}

Rule rule_of(std::string_view key) {
  if (fits(key, "gpus")) {
    const bool driver =
        key.ends_with(".driver") || key.ends_with(".vbios") || key.find(".firmware") != std::string_view::npos;
    const bool place = key.ends_with(".bus");
    return {"gpus", driver ? "driver" : "gpu", !place};
  }
  for (const Rule& rule : kRules) {
    if (fits(key, rule.prefix)) {
      return rule;
    }
  }
  return {"", "other", false};
}

std::string as_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_plain_list(const Json& value) {
  return value.is_array() &&
         std::none_of(value.begin(), value.end(), [](const Json& item) { return item.is_structured(); });
}

using Leaves = std::vector<std::pair<std::string, std::string>>;

// parse_json bounds the depth.
void flatten(const Json& value, const std::string& key, Leaves& leaves) {
  const std::string prefix = key.empty() ? "" : key + ".";
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      flatten(member, prefix + name, leaves);
    }
  } else if (value.is_array() && !is_plain_list(value)) {
    for (size_t i = 0; i < value.size(); ++i) {
      flatten(value[i], prefix + std::to_string(i), leaves);
    }
  } else if (!key.empty()) {
    leaves.emplace_back(key, as_text(value));
  }
}

void add_difference(const std::string& key, const std::string& a, const std::string& b,
                    std::vector<LockboxDifference>& differences) {
  const Rule rule = rule_of(key);
  if (a == b || rule.category == nullptr) {
    return;
  }
  const bool is_later = std::ranges::any_of(kLaterKeys, [&](std::string_view later) { return fits(key, later); });
  const auto shown = [&](const std::string& value) { return is_later && value == kAbsent ? kNotRecorded : value; };
  const bool recorded = !is_later || (a != kAbsent && b != kAbsent);
  const bool known = recorded && !a.starts_with(kNotAvailable) && !b.starts_with(kNotAvailable);
  differences.push_back({key, shown(a), shown(b), rule.category, rule.relevant && known});
}

}  // namespace

std::vector<LockboxDifference> compare_environments(const Json& a, const Json& b) {
  Leaves leaves_a, leaves_b;
  flatten(a, "", leaves_a);
  flatten(b, "", leaves_b);
  std::map<std::string, std::string> rest(leaves_b.begin(), leaves_b.end());
  std::vector<LockboxDifference> differences;
  for (const auto& [key, value] : leaves_a) {
    const auto other = rest.extract(key);
    add_difference(key, value, other ? other.mapped() : kAbsent, differences);
  }
  for (const auto& [key, value] : leaves_b) {
    if (rest.contains(key)) {
      add_difference(key, kAbsent, value, differences);
    }
  }
  return differences;
}

}  // namespace aaco
