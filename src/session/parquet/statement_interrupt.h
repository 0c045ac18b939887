// SPDX-License-Identifier: MIT
// Ctrl-C for a statement that runs inside DuckDB.
#pragma once

#include <optional>
#include <thread>

#include "base/process/event_file.h"
#include "session/parquet/duckdb_library.h"

namespace aaco {

// While it lives, an interrupt of the program (base/interrupt.h) ends the statements of one database, which then fail
// with DuckDB's "INTERRUPT Error". Does nothing where there can be no thread or no more files.
class StatementInterrupt {
 public:
  explicit StatementInterrupt(const DuckDbDatabase& database);
  ~StatementInterrupt();
  StatementInterrupt(const StatementInterrupt&) = delete;
  StatementInterrupt& operator=(const StatementInterrupt&) = delete;

 private:
  std::optional<EventFile> stop_;
  std::thread watcher_;
};

}  // namespace aaco
