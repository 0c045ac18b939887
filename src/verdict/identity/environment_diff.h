// SPDX-License-Identifier: MIT
// What differs between two lockboxes (env.json): named beside the cause of a change, never taken for the cause itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco {

struct LockboxDifference {
  std::string key;  // path with dots, "cpu.governor"
  // As JSON writes it, texts without quotes. Where one lockbox lacks the key: "not recorded" for one that older
  // versions did not write, else "absent".
  std::string a;
  std::string b;
  // "driver", "library", "governor", "model", "kernel", "cpu", "memory", "container", "variable", "gpu", "limit",
  // "source", "host", or "other" for a key that this version does not know.
  std::string category;
  // False where the fact cannot change a time (the host's name, the model's path), and where one side could not tell:
  // or did not record it: it is then not known whether anything changed.
  bool performance_relevant = false;
};
void to_json(Json& json, const LockboxDifference& difference);
void from_json(const Json& json, LockboxDifference& difference);

// In the order of `a`, then what only `b` has. What differs between any two moments is left out: captured_at, load,
// boot id. A list of plain values is one value; a lockbox that is no object has no keys.
std::vector<LockboxDifference> compare_environments(const Json& a, const Json& b);

}  // namespace aaco
