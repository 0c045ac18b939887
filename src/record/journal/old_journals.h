// SPDX-License-Identifier: MIT
// Journals of telemetry as the program wrote them before their descriptions named their columns: a killed run of then
// still opens. Nothing writes these any more, and these lists never change.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "record/journal/journal.h"
#include "record/table.h"

namespace aaco {

// Where the journal of a table's rows was, from the bundle's folder; empty: it had none.
std::string old_journal_path(std::string_view table);

// The rows of such a journal; none where it is of another kind, or holds the rows of another table.
std::optional<Table> old_journal_table(const JournalContent& content, std::string_view table);

}  // namespace aaco
