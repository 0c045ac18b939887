// SPDX-License-Identifier: MIT
#include "kind/sharded/config/read_config.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <type_traits>
#include <utility>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/nearest_word.h"
#include "base/text/number_text.h"
#include "kind/sharded/config/config_check.h"
#include "kind/sharded/config/config_entries.h"
#include "kind/sharded/config/other_keys.h"
#include "kind/sharded/config/sharded_keys.h"
#include "model/config_yaml.h"
#include "model/registry.h"

namespace aaco::sharded {

namespace {

constexpr uint64_t kLargestFile = 1 << 20;

// Of a scalar: numbers are those of a command line, since YAML has infinity and nan among them.
template <class T>
bool decode(const YAML::Node& scalar, T& value) {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    const std::optional<T> number = number_of_text<T>(scalar.Scalar());
    value = number.value_or(T{});
    return number.has_value();
  } else {
    return YAML::convert<T>::decode(scalar, value);
  }
}

std::string path_of(const ConfigKey& key) { return fmt::format("{}.{}", key.section, key.name); }

// Reads the value of one member, where somebody wrote it.
class MemberReader {
 public:
  MemberReader(const ConfigEntries& entries, std::vector<Error>& refusals) : entries_(entries), refusals_(refusals) {}

  template <class T>
  void operator()(const ConfigKey& key, T& member) const {
    const auto found = entries_.find(path_of(key));
    if (found == entries_.end()) {
      return;
    }
    const ConfigEntry& entry = found->second;
    if constexpr (std::is_same_v<T, std::optional<int64_t>>) {
      if (entry.value.IsNull()) {
        member.reset();
        return;
      }
      int64_t number = 0;
      read(key, entry, number);
      member = number;
    } else {
      read(key, entry, member);
    }
  }

 private:
  void refuse(const ConfigKey& key, const ConfigEntry& entry, const std::string& why, const std::string& hint) const {
    const std::string text = entry.value.IsScalar() ? entry.value.Scalar() : "this";
    refusals_.push_back(entry.error(fmt::format("{} {}: {}", path_of(key), text, why), hint));
  }
  // A value of a simple type, within the key's limits.
  template <class T>
  void read(const ConfigKey& key, const ConfigEntry& entry, T& member) const {
    if constexpr (std::is_enum_v<T>) {
      read_word(key, entry, member);
    } else {
      T value{};
      if (!entry.value.IsScalar() || !decode(entry.value, value)) {
        refuse(key, entry, fmt::format("is no {}{}", kind_of(value), limits_of(key, value)),
               *key.meaning == '\0' ? "aaco overlap keys lists what each key is by default" : key.meaning);
        return;
      }
      if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double>) {
        const auto number = static_cast<double>(value);
        if (!(number >= key.low && number <= key.high)) {
          refuse(key, entry, fmt::format("not from {:.12g} to {:.12g}", key.low, key.high),
                 "choose a number in that range");
          return;
        }
      }
      member = std::move(value);
    }
  }
  template <class T>
  void read_word(const ConfigKey& key, const ConfigEntry& entry, T& member) const {
    if (entry.value.IsScalar() && parse_word(entry.value.Scalar(), member)) {
      return;
    }
    const bool half = std::is_same_v<T, TrainingPrecision> && entry.value.IsScalar() && entry.value.Scalar() == "fp16";
    refuse(key, entry, half ? "is refused: fp16 needs loss scaling, which is not built" : "is none of its words",
           half ? "bf16 moves as many bytes and needs none"
                : fmt::format("choose {}", fmt::join(words_like(member), ", ")));
  }
  void read(const ConfigKey& key, const ConfigEntry& entry, std::array<double, 2>& member) const {
    std::array<double, 2> values{};
    if (!entry.value.IsSequence() || entry.value.size() != values.size()) {
      refuse(key, entry, "must be two numbers", "write [0.9, 0.98]");
      return;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (!entry.value[i].IsScalar() || !decode(entry.value[i], values[i]) ||
          !(values[i] >= key.low && values[i] <= key.high)) {
        refuse(key, entry, "must be two numbers from 0 to below 1", "write [0.9, 0.98]");
        return;
      }
    }
    member = values;
  }
  void read(const ConfigKey& key, const ConfigEntry& entry, StreamPriorities& member) const {
    if (!entry.value.IsSequence()) {
      refuse(key, entry, "must be a list", "write [allgather, reducescatter]");
      return;
    }
    StreamPriorities priorities;
    for (const YAML::Node& word : entry.value) {
      if (!word.IsScalar() || !set_priority(word.Scalar(), priorities)) {
        refuse(key, entry, fmt::format("has no stream {}", word.IsScalar() ? word.Scalar() : "like that"),
               "choose of allgather, reducescatter, allreduce");
        return;
      }
    }
    member = priorities;
  }
  template <class T>
  static std::string limits_of(const ConfigKey& key, const T& /*value*/) {
    constexpr bool kHasLimits = std::is_same_v<T, int64_t> || std::is_same_v<T, double>;
    return kHasLimits ? fmt::format(", not from {:.12g} to {:.12g}", key.low, key.high) : "";
  }
  static const char* kind_of(bool /*value*/) { return "true or false"; }
  static const char* kind_of(double /*value*/) { return "number"; }
  static const char* kind_of(int64_t /*value*/) { return "whole number"; }
  static const char* kind_of(uint64_t /*value*/) { return "whole number from 0 on"; }
  static const char* kind_of(const std::string& /*value*/) { return "single text"; }

  const ConfigEntries& entries_;
  std::vector<Error>& refusals_;
};

// A key of another section that must say what a key of ShardedRunConfig says.
struct TwinKey {
  const char* path;
  const char* like;
  int64_t value;
};

std::vector<TwinKey> twin_keys(const ShardedRunConfig& config) {
  return {{"dataset.vocab_size", "model.vocab_size", config.model.vocab_size},
          {"dataset.num_dense_features", "model.num_dense_features", config.model.num_dense_features},
          {"dataset.dense_dim", "model.dense_dim", config.model.dense_dim},
          {"distributed.gradient_accumulation_steps", "training.gradient_accumulation",
           config.training.gradient_accumulation}};
}

class Reader {
 public:
  explicit Reader(ConfigEntries entries) : entries_(std::move(entries)) {}

  Result<ConfigReading> read() {
    for_each_config_key(reading_.config, MemberReader(entries_, refusals_));
    if (!entries_.contains("model.num_kv_heads")) {
      reading_.config.model.num_kv_heads = reading_.config.model.num_heads;
    }
    for_each_config_key(reading_.config, [&](const ConfigKey& key, const auto&) { known_.insert(path_of(key)); });
    read_twins();
    read_others();
    if (refusals_.empty()) {
      check_sharded_run_config(reading_.config, entries_, reading_.notes, refusals_);
    }
    if (!refusals_.empty()) {
      return refusal_of(refusals_);
    }
    return std::move(reading_);
  }

 private:
  void read_twins() {
    for (const TwinKey& twin : twin_keys(reading_.config)) {
      known_.insert(twin.path);
      const auto found = entries_.find(twin.path);
      int64_t value = 0;
      if (found != entries_.end() &&
          (!found->second.value.IsScalar() || !decode(found->second.value, value) || value != twin.value)) {
        refusals_.push_back(found->second.error(fmt::format("{} is not {}, as {} is", twin.path, twin.value, twin.like),
                                                fmt::format("leave it out: {} says it", twin.like)));
      }
    }
  }
  void read_others() {
    for (const auto& [path, entry] : entries_) {
      if (known_.contains(path)) {
        continue;
      }
      if (const OtherKey* other = find_other_key(path); other != nullptr) {
        read_other_key(*other, path, entry, reading_.notes, refusals_);
      } else {
        refusals_.push_back(unknown(path, entry));
      }
    }
  }
  Error unknown(const std::string& path, const ConfigEntry& entry) const {
    const std::string name = path.substr(path.find('.') + 1);
    const std::string section = path.substr(0, path.find('.') + 1);
    std::vector<std::string> beside;
    std::vector<std::string> all(known_.begin(), known_.end());
    for (const OtherKey& other : other_keys()) {
      all.emplace_back(other.path);
    }
    for (const std::string& known : all) {
      if (known.starts_with(section)) {
        beside.push_back(known.substr(section.size()));
      }
    }
    std::string nearest = nearest_word(name, beside);
    nearest = nearest.empty() ? nearest_word(path, all) : section + nearest;
    return entry.error(fmt::format("there is no key {}", path),
                       nearest.empty() ? "aaco overlap keys lists them" : fmt::format("did you mean {}?", nearest));
  }

  ConfigEntries entries_;
  ConfigReading reading_;
  std::vector<Error> refusals_;
  std::set<std::string> known_;
};

}  // namespace

std::filesystem::path scenario_file(const std::filesystem::path& named) {
  std::error_code error;
  if (std::filesystem::exists(named, error)) {
    return named;
  }
  const std::string text = named.string();
  constexpr std::string_view kConfigs = "configs/";
  const std::string name =
      text.starts_with(kConfigs) ? text.substr(kConfigs.size()) : fmt::format("overlap/{}.yaml", text);
  return find_config(name).value_or(named);
}

Error refusal_of(const std::vector<Error>& refusals) {
  Error error = refusals.front();
  for (size_t i = 1; i < refusals.size(); ++i) {
    error.hint += fmt::format("{} {}", i == 1 ? "; also wrong:" : ";", refusals[i].message);
  }
  return error;
}

Result<ConfigReading> read_sharded_run_config_text(std::string_view text, const std::string& source,
                                                   const std::vector<std::string>& overrides) {
  AACO_ASSIGN(ConfigEntries entries, parse_config_entries(text, source));
  AACO_TRY(override_entries(entries, overrides));
  try {
    return Reader(std::move(entries)).read();
  } catch (const YAML::Exception&) {
    return Error{ErrorKind::kUsage, fmt::format("{}: {}", source, kNoYaml), kYamlHint};
  }
}

Result<ConfigReading> read_sharded_run_config(const std::filesystem::path& file,
                                              const std::vector<std::string>& overrides) {
  if (file.empty()) {
    return read_sharded_run_config_text("", "the defaults", overrides);
  }
  const std::filesystem::path found = scenario_file(file);
  AACO_ASSIGN(const std::string text, read_file(found, kLargestFile));
  return read_sharded_run_config_text(text, found.string(), overrides);
}

Json sharded_run_config_keys() {
  const ShardedRunConfig defaults;
  const Json values = defaults;
  Json keys = Json::array();
  for_each_config_key(defaults, [&](const ConfigKey& key, const auto&) {
    keys.push_back({{"key", path_of(key)}, {"default", values[key.section][key.name]}, {"meaning", key.meaning}});
  });
  return keys;
}

}  // namespace aaco::sharded
