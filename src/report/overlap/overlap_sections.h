// SPDX-License-Identifier: MIT
// The sections of a sharded training's report, one maker each.
#pragma once

#include <vector>

#include "analysis/overlap/overlap_document.h"
#include "report/report_model.h"

namespace aaco::report {

Section overlap_summary_section(const OverlapDocument& document, std::vector<Block> remarks);
Section overlap_hang_section(const OverlapHang& hang);
Section overlap_loss_section(const OverlapDocument& document);
// `with_keys`: the whole configuration too, folded.
Section overlap_configuration_section(const OverlapDocument& document, bool with_keys);

// Of a document with figures.
Section overlap_causes_section(const OverlapDocument& document);
Section overlap_timeline_section(const OverlapDocument& document);
Section overlap_ranks_section(const OverlapDocument& document);
Section overlap_collectives_section(const OverlapDocument& document);
Section overlap_contention_section(const OverlapDocument& document);

}  // namespace aaco::report
