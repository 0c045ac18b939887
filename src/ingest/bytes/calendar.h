// SPDX-License-Identifier: MIT
// Times that are written as a date and a time of day: "2026/11/20 07:45:08.672", "2026-11-20T07:45:08Z".
#pragma once

#include <string_view>

#include "ingest/bytes/decimal.h"

namespace aaco {

// Since 1970-01-01 00:00:00 by the same clock: a text without a zone is taken as it stands, as if its zone were UTC.
// Other zones than "Z" are no number, nor is what no calendar has.
Nanoseconds nanoseconds_of_calendar(std::string_view text);

}  // namespace aaco
