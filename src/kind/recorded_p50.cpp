// SPDX-License-Identifier: MIT
#include "kind/recorded_p50.h"

#include "base/json/json.h"
#include "kind/all_kinds.h"
#include "session/bundle/layout.h"

namespace aaco {

std::optional<double> recorded_p50_ms(const std::filesystem::path& bundle, const SessionKind& session_kind) {
  const Result<Json> json = read_json(bundle / layout::kSummary);
  const Json p50 = json && json->is_object() ? json->value("p50_ms", Json()) : Json();
  if (p50.is_number()) {
    return p50.get<double>();
  }
  const Kind* kind = find_kind(session_kind);
  return kind != nullptr && kind->p50_ms != nullptr ? kind->p50_ms(bundle) : std::nullopt;
}

}  // namespace aaco
