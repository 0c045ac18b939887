// SPDX-License-Identifier: MIT
// What, besides model file, sizes, precision and threads, decides what an inference computes: content that lies outside
// the model file, values of the inputs, options. Two runs that differ in one of these did different work.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco {

struct WorkFact {
  std::string value;  // compared: "sha256:<64 hex digits>", or an option's value
  std::string words;  // shown beside it and not compared: how an input was made, which file it came from
};
void to_json(Json& json, const WorkFact& fact);
void from_json(const Json& json, WorkFact& fact);

// "0", "sha256:1f3a... (x.npy)".
std::string text_of(const WorkFact& fact);

// By group, then by name within it. A group that is not there was not recorded; one without facts was: there are none.
using WorkFacts = std::map<std::string, std::map<std::string, WorkFact>>;

namespace work_group {
inline constexpr const char* kWeights = "weights";       // files of external data, by the location the model names
inline constexpr const char* kInputs = "input";          // values, by the input's name
inline constexpr const char* kOptions = "option";        // of provider and session, those at their default left out
inline constexpr const char* kCustomOps = "custom_ops";  // libraries of custom operators
}  // namespace work_group

// The groups that each run of a model records, and how to name them to people.
struct WorkGroup {
  const char* id;
  const char* words;
};
inline constexpr std::array kWorkGroups{WorkGroup{work_group::kWeights, "weights outside the model file"},
                                        WorkGroup{work_group::kInputs, "values of the inputs"},
                                        WorkGroup{work_group::kOptions, "provider and session options"}};

// A member of what must agree that differs between the sides.
struct ConfigurationDifference {
  std::string field;
  std::string baseline;
  std::string test;
};

// Of the groups that both sides recorded. Fields are "weights w.bin", "option use_tf32".
std::vector<ConfigurationDifference> work_differences(const WorkFacts& baseline, const WorkFacts& test);

// Of variables that set a provider's options, or the precision of its arithmetic, behind the program's back; from both
// lockboxes. None where one of them holds no variables.
std::vector<ConfigurationDifference> variable_differences(const Json& baseline, const Json& test);

// Words of the groups that a run of a model should have and lacks; empty where it has all.
std::vector<std::string> work_not_recorded(const WorkFacts& facts);

// "weights w.bin 1f3a... / 77c0..., batch 1 / 8", hashes cut short.
std::string difference_list(const std::vector<ConfigurationDifference>& differences);

// Each run of 64 hex digits cut to its first twelve and "...".
std::string with_short_hashes(std::string_view text);

}  // namespace aaco
