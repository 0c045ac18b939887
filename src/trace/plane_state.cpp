// SPDX-License-Identifier: MIT
#include "trace/plane_state.h"

#include "base/json.h"
#include "base/text/enum_words.h"

namespace aaco {

namespace {

constexpr EnumWords<PlaneStatus, 4> kWords{{"", "recorded", "not requested", "unavailable"}};

}  // namespace

const char* plane_status_name(PlaneStatus status) { return kWords.of(status); }

std::optional<PlaneStatus> parse_plane_status(std::string_view text) { return kWords.parse(text); }

void to_json(Json& json, PlaneStatus status) { json = plane_status_name(status); }

void from_json(const Json& json, PlaneStatus& status) {
  status = parse_plane_status(json.get_ref<const std::string&>()).value_or(PlaneStatus::kUnknown);
}

AACO_JSON_FIELDS(PlaneState, state, reason)

}  // namespace aaco
