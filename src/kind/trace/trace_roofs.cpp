// SPDX-License-Identifier: MIT
#include "kind/trace/trace_roofs.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/json/json.h"
#include "base/side_note.h"
#include "model/accelerators.h"

namespace aaco::imports {

namespace {

bool is_rate(double value) { return std::isfinite(value) && value > 0; }

// One set of roofs, or the cache of `aaco doctor --measure`: of that the one with the most threads.
Result<Accelerator> read_roofs(const std::string& path) {
  AACO_ASSIGN(const Json json, read_json(path));
  std::vector<Roofs> all;
  if (json.is_array()) {
    AACO_ASSIGN(all, from_json_value<std::vector<Roofs>>(json, path));
  } else {
    AACO_ASSIGN(Roofs one, from_json_value<Roofs>(json, path));
    all.push_back(std::move(one));
  }
  const auto most =
      std::max_element(all.begin(), all.end(), [](const Roofs& a, const Roofs& b) { return a.threads < b.threads; });
  const bool rates = most != all.end() && std::all_of(most->flops_per_s.begin(), most->flops_per_s.end(),
                                                      [](const auto& one) { return is_rate(one.second); });
  if (!rates || most->flops_per_s.empty() || !most->bytes_per_s || !is_rate(*most->bytes_per_s)) {
    return Error{ErrorKind::kUsage, fmt::format("{}: no roofs with flops_per_s and bytes_per_s above zero", path),
                 "give the file that `aaco doctor --measure` names, or one of the same form"};
  }
  return accelerator_of(*most);
}

}  // namespace

Result<RoofSources> load_roofs(const RoofRequest& request) {
  RoofSources sources;
  if (!request.file.empty()) {
    AACO_ASSIGN(sources.given, read_roofs(request.file));
    sources.measured = true;
    return sources;
  }
  AACO_ASSIGN(sources.accelerators, load_accelerators());
  if (sources.accelerators.empty()) {  // or nothing would be known of any device, and nobody knew why
    note("note: configs/accelerators.yaml was not found: devices have no roofs (--roofs takes measured ones)\n");
  }
  if (!request.accelerator.empty()) {
    const auto found = std::find_if(sources.accelerators.begin(), sources.accelerators.end(),
                                    [&](const Accelerator& one) { return one.name == request.accelerator; });
    if (found == sources.accelerators.end()) {
      std::string names;
      for (const Accelerator& one : sources.accelerators) {
        names += (names.empty() ? "" : ", ") + one.name;
      }
      return Error{ErrorKind::kUsage,
                   fmt::format("no accelerator '{}' in configs/accelerators.yaml", request.accelerator),
                   "there are: " + names};
    }
    sources.given = *found;
  }
  return sources;
}

}  // namespace aaco::imports
