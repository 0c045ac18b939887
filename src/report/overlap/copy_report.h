// SPDX-License-Identifier: MIT
// The report of copies beside products: of its session, and of its document alone as a terminal shows it.
#pragma once

#include <string>

#include "analysis/overlap/copy_document.h"
#include "base/result.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> copy_report(const OpenSession& session);

// What `aaco overlap copy` prints.
std::string copy_text(const CopyDocument& document);

}  // namespace aaco::report
