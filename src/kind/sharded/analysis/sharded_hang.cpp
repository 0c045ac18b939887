// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/sharded_hang.h"

#include <fmt/format.h>

#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(HungCollective, sequence, step, communicator, number, operation, count, type, bytes, enqueued_ns,
                 started_ns, done_ns)
AACO_JSON_FIELDS(HungRank, rank, pid, steps_begun, steps_done, collectives, stack, no_stack)
AACO_JSON_FIELDS(ShardedHang, rank, kind, text, limit_s, found_ns, resolution_ns, ranks)

std::string HungCollective::text() const { return fmt::format("{} of {} {}", operation, count, type); }

}  // namespace aaco
