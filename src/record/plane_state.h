// SPDX-License-Identifier: MIT
// A plane of a bundle: recorded, not requested, or unavailable and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json_fwd.h"

namespace aaco {

enum class PlaneStatus : uint8_t { kUnknown, kRecorded, kNotRequested, kUnavailable };

const char* plane_status_name(PlaneStatus status);  // "recorded", ...; "" where it is not known
std::optional<PlaneStatus> parse_plane_status(std::string_view text);

struct PlaneState {
  PlaneStatus state = PlaneStatus::kUnknown;
  std::string reason;
};

void to_json(Json& json, PlaneStatus status);
// A word that is not known reads as kUnknown.
void from_json(const Json& json, PlaneStatus& status);
void to_json(Json& json, const PlaneState& plane);
void from_json(const Json& json, PlaneState& plane);

}  // namespace aaco
