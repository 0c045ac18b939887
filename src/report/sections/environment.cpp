// SPDX-License-Identifier: MIT
// The lockbox: everything about the machine that a figure may hang on, whatever the lockbox's members are.
#include "base/json/json.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr int kDeepest = 8;

void flatten(const Json& value, const std::string& name, int depth, std::vector<Fact>& facts) {
  if (value.is_object() && depth < kDeepest && !value.empty()) {
    for (const auto& [key, member] : value.items()) {
      flatten(member, name.empty() ? key : name + " · " + key, depth + 1, facts);
    }
    return;
  }
  if (value.is_array() && depth < kDeepest && !value.empty() && value.front().is_structured()) {
    for (size_t i = 0; i < value.size(); ++i) {
      flatten(value[i], name + " " + std::to_string(i), depth + 1, facts);
    }
    return;
  }
  if (value.is_array() && !value.empty()) {
    std::string list;
    for (const Json& member : value) {
      list += (list.empty() ? "" : ", ") + format_json(member);
    }
    facts.push_back({name, list});
    return;
  }
  facts.push_back({name, value.is_structured() && value.empty() ? "none" : format_json(value)});
}

}  // namespace

Section environment_of(const Json& environment) {
  Section section{"environment", "Environment", {}, {}};
  if (!environment.is_object() || environment.empty()) {
    section.blocks.push_back(Paragraph{"No data: the session holds no env.json.", Tone::kWarning});
    return section;
  }
  FactList plain;
  for (const auto& [key, value] : environment.items()) {
    std::vector<Fact> facts;
    flatten(value, "", 0, facts);
    if (facts.size() == 1 && facts.front().name.empty()) {
      plain.facts.push_back({key, facts.front().value});
    } else {
      section.blocks.push_back(FoldedBlocks{key, {FactList{std::move(facts)}}});
    }
  }
  if (!plain.facts.empty()) {
    section.blocks.insert(section.blocks.begin(), std::move(plain));
  }
  return section;
}

Section environment_section(const Input& input) { return environment_of(input.environment); }

}  // namespace aaco::report
