// SPDX-License-Identifier: MIT
// Matrix products beside copies, in fresh processes: what overlapping saves, against copies and products one after the
// other on one stream, and against the longer of both alone.
#pragma once

#include "base/result.h"
#include "engine/progress.h"
#include "kind/copy/copy_document.h"

namespace aaco {

// Of a complete request, in a session. Errors: the device's; kInvalid where a copy did not arrive whole or the records
// lack one; kInterrupted.
Result<CopyDocument> run_copy_overlap(const CopyRequest& request, const ProgressCallback& progress);

}  // namespace aaco
