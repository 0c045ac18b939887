// SPDX-License-Identifier: MIT
// Ranks from the names of files, for profilers that write none into them.
#pragma once

#include <string>

#include "base/result.h"
#include "record/events/event_table.h"

namespace aaco {

// Sets the rank of each recording's tracks to the number that the first group of `pattern` finds in the recording's
// name; what the file says counts no more. The pattern is a regular expression as ECMAScript and RE2 both have it, with
// neither assertions (?=...) nor back-references: the time is linear in the name. Errors: kUsage where the pattern is
// none or has no group, or a name has no such number.
Result<void> take_ranks_from_names(EventTable& events, const std::string& pattern);

}  // namespace aaco
