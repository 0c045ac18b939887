// SPDX-License-Identifier: MIT
// What a model was fed: values that aaco made, with the reason, and those that were given.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json/json.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostInputs = 64;

std::string text_of(const Json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

std::string shape_of(const Json& input) {
  const auto dims = input.find("dims");
  std::vector<std::string> sizes;
  for (const Json& size : dims != input.end() && dims->is_array() ? *dims : Json::array()) {
    sizes.push_back(size.is_number_integer() ? std::to_string(size.get<int64_t>()) : "?");
  }
  return fmt::format("[{}]", fmt::join(sizes, ","));
}

}  // namespace

std::optional<TableBlock> inputs_table(const Input& input) {
  const auto inputs = input.runtime.is_object() ? input.runtime.find("inputs") : input.runtime.end();
  if (!input.runtime.is_object() || inputs == input.runtime.end() || !inputs->is_array()) {
    return std::nullopt;
  }
  const auto says_why = [](const Json& each) { return each.is_object() && !text_of(each, "why").empty(); };
  if (std::ranges::none_of(*inputs, says_why)) {
    return std::nullopt;  // of an earlier version
  }
  TableBlock table{.id = "inputs",
                   .title = "Inputs, and who made their values",
                   .columns = {{"input"}, {"type"}, {"shape"}, {"values"}, {"why"}}};
  for (const Json& each : *inputs) {
    if (!each.is_object() || table.rows.size() == kMostInputs) {
      continue;
    }
    const std::string why = text_of(each, "why");
    table.rows.push_back({text_cell(text_of(each, "name")), text_cell(text_of(each, "dtype")),
                          text_cell(shape_of(each)), text_cell(text_of(each, "values")),
                          text_cell(why.empty()      ? "not recorded"
                                    : why == "given" ? "given"
                                                     : "made by aaco: " + why)});
  }
  if (inputs->size() > kMostInputs) {
    table.note = fmt::format("The first {} of {} inputs.", kMostInputs, inputs->size());
  }
  return table;
}

std::vector<std::string> input_warnings(const Input& input) {
  std::vector<std::string> sentences;
  const auto warnings = input.runtime.is_object() ? input.runtime.find("warnings") : input.runtime.end();
  if (!input.runtime.is_object() || warnings == input.runtime.end() || !warnings->is_array()) {
    return sentences;
  }
  for (const Json& sentence : *warnings) {
    if (sentence.is_string()) {
      sentences.push_back(sentence.get<std::string>());
    }
  }
  return sentences;
}

}  // namespace aaco::report
