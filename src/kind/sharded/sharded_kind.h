// SPDX-License-Identifier: MIT
// A sharded training (`aaco overlap run`).
#pragma once

#include "kind/kind.h"
#include "kind/sharded/analysis/sharded_document.h"

namespace aaco {

extern const Kind kSharded;

// The document of a sharded training's session. Errors: kUsage for another, or a damaged file.
Result<ShardedDocument> load_sharded(const std::filesystem::path& bundle);

}  // namespace aaco
