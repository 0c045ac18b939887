// SPDX-License-Identifier: MIT
// Gathers that copy engines did: no kernel has their name, but each leaves copies of one size on its stream, of this
// rank's part to every rank, with copies of a few bytes before and behind by which ranks tell each other where they
// are.
#pragma once

#include <vector>

#include "base/result.h"
#include "kind/sharded/rank_records.h"

namespace aaco {

// The copies of each gather of `of.steps` steps become one row, a copy under the library's name from the first of them
// to the last; `rows` are by start, `texts` of their names. `streams_apart`: each stream of the program was one of the
// device's. Errors: kInvalid where the copies are not those of the gathers, with what there is.
Result<void> merge_copied_gathers(std::vector<RankEvent>& rows, StringTable& texts, const RankRecords& of,
                                  bool streams_apart);

}  // namespace aaco
