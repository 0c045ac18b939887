// SPDX-License-Identifier: MIT
#include "guard/gates/guard_gates.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/files/file.h"
#include "base/format.h"
#include "base/statistics.h"
#include "base/text/nearest_word.h"
#include "base/yaml/yaml_document.h"
#include "guard/store/slug.h"
#include "guard/subject/given_value.h"

namespace aaco {

namespace {

constexpr uint64_t kMostFileBytes = uint64_t{1} << 20;
constexpr size_t kMostGates = 1000;
const std::vector<std::string> kKeys{"figure", "at_most", "at_least", "subject", "name"};
const std::vector<std::string> kFigures{"median",        "mean",   "p90",   "p99", "elapsed",
                                        "time_per_unit", "cycles", "value", "rate"};

class GateReader {
 public:
  explicit GateReader(std::string file) : file_(std::move(file)) {}

  Result<std::vector<GuardGate>> read(std::string_view text) {
    AACO_ASSIGN(
        const YAML::Node root,
        parse_yaml_document(text, [this](const YAML::Mark& where, const std::string& what, const std::string& hint) {
          return Error{ErrorKind::kUsage, place(where) + what, hint};
        }));
    const YAML::Node list = root.IsMap() && root.size() == 1 ? root["gates"] : YAML::Node(YAML::NodeType::Undefined);
    if (!list || !list.IsSequence()) {
      return failure(root, "there is no gates: with a list behind it", "see docs/guard.md for a file of gates");
    }
    for (const YAML::Node& item : list) {
      AACO_TRY(read_gate(item));
    }
    return std::move(gates_);
  }

 private:
  std::string place(const YAML::Mark& where) const {
    return fmt::format("{}:{}: ", file_, std::max(0, where.line) + 1);
  }
  Error failure(const YAML::Node& node, const std::string& what, const std::string& hint) const {
    return {ErrorKind::kUsage, place(node.Mark()) + what, hint};
  }

  Result<void> read_gate(const YAML::Node& node) {
    if (!node.IsMap()) {
      return failure(node, "a gate is a map", "for example: - {figure: p99, at_most: 12ms}");
    }
    GuardGate gate;
    size_t limits = 0;
    for (const auto& entry : node) {
      const std::string key = entry.first.Scalar();
      if (std::ranges::find(kKeys, key) == kKeys.end()) {
        return failure(entry.first, fmt::format("{} is not known here", key),
                       did_you_mean(key, kKeys) + fmt::format("known are {}", fmt::join(kKeys, ", ")));
      }
      limits += key.starts_with("at_") ? 1 : 0;
      AACO_TRY(read_key(key, entry.second, gate));
    }
    if (gate.figure.empty() || limits != 1) {
      return failure(node, gate.figure.empty() ? "a gate without figure" : "a gate has at_most or at_least",
                     "for example: - {figure: p99, at_most: 12ms}");
    }
    if (gates_.size() == kMostGates) {
      return failure(node, fmt::format("over {} gates", kMostGates), "leave some out");
    }
    gates_.push_back(std::move(gate));
    return {};
  }

  Result<void> read_key(const std::string& key, const YAML::Node& node, GuardGate& gate) const {
    if (!node.IsScalar() || node.Scalar().empty()) {
      return failure(node, fmt::format("{} is a text or a number", key), "put it behind the colon");
    }
    const std::string& text = node.Scalar();
    if (key == "figure") {
      if (std::ranges::find(kFigures, text) == kFigures.end()) {
        return failure(node, fmt::format("{} is no figure", text),
                       did_you_mean(text, kFigures) + fmt::format("known are {}", fmt::join(kFigures, ", ")));
      }
      gate.figure = text;
    } else if (key == "subject") {
      gate.subject = text;
    } else if (key == "name") {
      gate.name = text;
    } else {
      // A duration or a number, as --value takes them.
      const Result<GivenValue> limit = parse_given_value("limit=" + text, false);
      if (!limit || limit->values.size() != 1) {
        return failure(node, fmt::format("{} is no positive number and no time", text), "for example 12ms, or 800");
      }
      gate.limit = limit->values.front();
      gate.is_time = limit->unit == "ns";
      gate.at_least = key == "at_least";
    }
    return {};
  }

  std::string file_;
  std::vector<GuardGate> gates_;
};

std::string shown(double value, bool is_time) {
  return is_time ? format_duration_ns(value) : fmt::format("{:.6g}", value);
}

JudgedGate judge_gate(const GuardGate& gate, const GuardEntry& entry, const std::set<std::string>& all) {
  JudgedGate judged;
  judged.words = fmt::format("{}{} at {} {}", gate.name.empty() ? "" : gate.name + ": ", gate.figure,
                             gate.at_least ? "least" : "most", shown(gate.limit, gate.is_time));
  std::map<std::string, std::vector<double>> samples;
  bool other_unit = false;
  for (const GuardValue& value : entry.values) {
    const bool wanted = gate.name.empty() ? is_of_figure(gate.figure, value.figure, value.name)
                                          : value.figure == gate.figure && value.name == gate.name;
    if (wanted) {
      samples[value.name].push_back(value.value);
      other_unit = other_unit || (value.unit == "ns") != gate.is_time;
    }
  }
  if (samples.empty() || other_unit) {
    judged.value_words = samples.empty() ? fmt::format("{} was not recorded", gate.figure)
                                         : fmt::format("{} is {}a time", gate.figure, gate.is_time ? "not " : "");
    return judged;
  }
  const auto lacking = std::ranges::find_if(all, [&](const std::string& name) { return !samples.contains(name); });
  if (gate.name.empty() && lacking != all.end()) {
    judged.value_words = fmt::format("{} was not recorded in {}", gate.figure, *lacking);
    return judged;
  }
  for (const auto& [name, values] : samples) {
    const double centre = *median(values);
    const bool worse = !judged.value || (gate.at_least ? centre < *judged.value : centre > *judged.value);
    if (worse) {
      judged.value = centre;
      judged.value_words = shown(centre, gate.is_time) + (name.empty() ? "" : " in " + name);
    }
  }
  judged.passed = gate.at_least ? *judged.value >= gate.limit : *judged.value <= gate.limit;
  return judged;
}

}  // namespace

Result<std::vector<GuardGate>> parse_gates(std::string_view text, const std::string& file) {
  return GateReader(file).read(text);
}

Result<std::vector<GuardGate>> read_gates(const std::filesystem::path& file) {
  AACO_ASSIGN(const std::string text, read_file(file, kMostFileBytes));
  return parse_gates(text, file.string());
}

std::vector<JudgedGate> judge_gates(const std::vector<GuardGate>& gates, const GuardEntry& entry,
                                    const std::set<std::string>& samples) {
  std::vector<JudgedGate> judged;
  for (const GuardGate& gate : gates) {
    if (!gate.subject.empty() && !names_subject(gate.subject, entry.record.place.subject)) {
      continue;
    }
    JudgedGate& last = judged.emplace_back(judge_gate(gate, entry, samples));
    if (!last.passed && entry.record.valid == 0) {
      last.is_open = true;
      last.value_words += "; " + entry.record.reason;
    }
  }
  return judged;
}

}  // namespace aaco
