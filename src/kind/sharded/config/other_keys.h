// SPDX-License-Identifier: MIT
// Keys of the public files that are no member of ShardedRunConfig: each has one possible value here, or none that would
// change anything, and a reason. A key is never passed over in silence: what has no effect is noted.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kind/sharded/config/config_entries.h"

namespace aaco::sharded {

struct OtherKey {
  const char* path;      // "section.key", or "section.*"
  const char* accepted;  // words by comma; "*": any, and a note is left; "": none
  const char* reason;
  const char* hint;  // where another value is refused
};

std::span<const OtherKey> other_keys();
// Null where there is none.
const OtherKey* find_other_key(std::string_view key);

// Adds to `notes` what has no effect, to `refusals` what cannot be.
void read_other_key(const OtherKey& other, const std::string& key, const ConfigEntry& entry,
                    std::vector<std::string>& notes, std::vector<Error>& refusals);

}  // namespace aaco::sharded
