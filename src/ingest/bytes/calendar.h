// SPDX-License-Identifier: MIT
// Times that are written as a date and a time of day: "2026/11/20 07:45:08.672",
// "2026-11-20T15:45:08+08:00".
#pragma once

#include <string_view>

#include "ingest/bytes/decimal.h"

namespace aaco {

// Since 1970-01-01 00:00:00 UTC. Zones are "Z" and the offsets of ISO 8601, "+08:00", "-0500" and "+08", with a space
// before them or without; a text without a zone is taken as it stands, as if its zone were UTC. What no calendar has is
// no number, nor are zones by their names.
Nanoseconds nanoseconds_of_calendar(std::string_view text);

}  // namespace aaco
