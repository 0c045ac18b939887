// SPDX-License-Identifier: MIT
// The sections of a sharded training's report, one maker each.
#pragma once

#include <vector>

#include "kind/sharded/analysis/sharded_document.h"
#include "report/report_model.h"

namespace aaco::report {

Section sharded_summary_section(const ShardedDocument& document, std::vector<Block> remarks);
Section sharded_hang_section(const ShardedHang& hang);
Section sharded_loss_section(const ShardedDocument& document);
// `with_keys`: the whole configuration too, folded.
Section sharded_configuration_section(const ShardedDocument& document, bool with_keys);

// Of a document with figures.
Section overlap_causes_section(const ShardedDocument& document);
Section sharded_timeline_section(const ShardedDocument& document);
Section sharded_ranks_section(const ShardedDocument& document);
Section sharded_collectives_section(const ShardedDocument& document);
Section sharded_contention_section(const ShardedDocument& document);

}  // namespace aaco::report
