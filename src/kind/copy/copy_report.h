// SPDX-License-Identifier: MIT
// The report of copies beside products: of its session, and of its document alone as a terminal shows it.
#pragma once

#include "base/result.h"
#include "kind/copy/copy_document.h"
#include "report/plot/chart.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> copy_report(const OpenSession& session);

// What `aaco overlap copy` prints.
Report build_copy_summary(const CopyDocument& document);
// The four variants of each direction, with whiskers.
plot::Chart copy_chart(const CopyDocument& document);

}  // namespace aaco::report
