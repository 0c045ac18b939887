// SPDX-License-Identifier: MIT
// What the reports of sessions that consist of a document (metrics/*.json) have alike: of a queue, of a training.
#pragma once

#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

using BuildFromDocument = Result<Report> (*)(const OpenSession& session, const Json& document);

// The report of the session's document; of a session that ended before it was written, one that says so. Errors: of the
// file, and those of `build`.
Result<Report> report_of_document(const OpenSession& session, BuildFromDocument build);

// What is said of a session that did not end well, and the sections at the end.
std::vector<Block> status_remarks(const OpenSession& session);
// `explained_in`: the page of docs/measuring that defines the figures; empty: the list of them.
void add_last_sections(const OpenSession& session, std::string_view explained_in, Report& report);

}  // namespace aaco::report
