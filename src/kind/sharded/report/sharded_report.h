// SPDX-License-Identifier: MIT
// The report of a sharded training: of its session, and of its document alone as a terminal shows it.
#pragma once

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/sharded/analysis/sharded_document.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> sharded_report(const OpenSession& session);
// The same from the document, metrics/overlap.json.
Result<Report> build_sharded_report(const OpenSession& session, const Json& document);

// What `aaco overlap run` prints: the same sections, without those that only a session has.
Report build_sharded_summary(const ShardedDocument& document);
// Of a document with a hang: that alone.
Report build_hang_report(const ShardedDocument& document);

}  // namespace aaco::report
