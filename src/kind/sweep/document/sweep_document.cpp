// SPDX-License-Identifier: MIT
#include "kind/sweep/document/sweep_document.h"

#include <fmt/format.h>
#include <utility>

#include "analysis/devices/device_facts.h"
#include "base/json/json.h"

namespace aaco {

Json sweep_json(const SweepForm& form, const SweepHead& head) {
  return {{"kind", form.kind}, {"version", head.version}, {"created_utc", head.created_utc}, {"bundle", head.bundle}};
}

Result<void> read_sweep_head(const Json& json, const SweepForm& form, std::string_view source, SweepHead& head) {
  const bool may_be_bare = form.was_bare && json.is_object();
  if (document_kind(json) != form.kind && !(may_be_bare && !json.contains("kind"))) {
    return damaged_sweep(source, form, "another kind of file");
  }
  if (const auto list = json.find(form.list); list == json.end() || !list->is_array()) {
    return damaged_sweep(source, form, fmt::format("has no list \"{}\"", form.list));
  }
  try {
    for (const auto& [key, value] : {std::pair{"version", &head.version}, std::pair{"created_utc", &head.created_utc},
                                     std::pair{"bundle", &head.bundle}}) {
      if (!may_be_bare || json.contains(key)) {
        json.at(key).get_to(*value);
      }
    }
  } catch (const Json::exception& exception) {
    return damaged_sweep(source, form, json_problem(exception));
  }
  return {};
}

Error damaged_sweep(std::string_view source, const SweepForm& form, std::string_view what) {
  return {ErrorKind::kUsage, fmt::format("{}: not what {} wrote: {}", source, form.command, what),
          fmt::format("the file is damaged: run it again with {}", form.command)};
}

}  // namespace aaco
