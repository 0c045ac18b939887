// SPDX-License-Identifier: MIT
// sqlite_traces FOLDER ROWS REPEATS: rows a second of large databases, one like Nsight Systems' and one like rocpd,
// which are made in FOLDER. Three costs each: SQLite's stepping alone, fetching every column too, and reading the
// events. One JSON object a line; the fastest of REPEATS counts, all are listed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ingest/trace_format.h"

namespace {

struct Database {
  const char* name;
  int columns;        // of the table
  const char* table;  // that holds ROWS rows
  std::string sql;
};

std::string numbers(int64_t rows) {
  return fmt::format("(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT i FROM n)",
                     rows);
}

Database nsys(int64_t rows) {
  return {
      "nsys", 28, "CUPTI_ACTIVITY_KIND_KERNEL",
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds SELECT i, 'void kernel_' || i || '<float>(float*, int)' FROM " +
          numbers(500) +
          ";CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, greenContextId "
          "INT, streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT, mangledName INT, "
          "launchType INT, cacheConfig INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, blockX INT, "
          "blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT, localMemoryPerThread INT, "
          "localMemoryTotal INT, gridId INT, sharedMemoryExecuted INT, graphNodeId INT, sharedMemoryLimitConfig INT);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 500000000 + i * 1500, 500001000 + i * 1500, i % 4, 1, NULL, "
          "7 + i % 3, i, 310028053512192, 1 + i % 500, 1 + i % 400, 1 + i % 500, 1, 1, 32, 115426, 1, 1, 256, 1, 1, "
          "0, 0, 0, 127401984, i, 32768, NULL, 0 FROM " +
          numbers(rows) + ";"};
}

Database rocpd(int64_t rows) {
  return {
      "rocpd", 22, "rocpd_kernel_dispatch",
      "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);"
      "INSERT INTO rocpd_string VALUES (1, 'g', 'KERNEL_DISPATCH');"
      "CREATE TABLE rocpd_info_agent (id INTEGER PRIMARY KEY, type TEXT);"
      "INSERT INTO rocpd_info_agent VALUES (2, 'GPU');"
      "CREATE TABLE rocpd_info_process (id INTEGER PRIMARY KEY, pid INT);INSERT INTO rocpd_info_process VALUES (1, 42);"
      "CREATE TABLE rocpd_info_thread (id INTEGER PRIMARY KEY, pid INT, tid INT);"
      "INSERT INTO rocpd_info_thread VALUES (1, 1, 43);"
      "CREATE TABLE rocpd_info_kernel_symbol (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT);"
      "INSERT INTO rocpd_info_kernel_symbol SELECT i, 'kernel_' || i || '.kd', 'kernel_' || i || '(float*)' FROM " +
          numbers(500) +
          ";CREATE TABLE rocpd_event (id INTEGER PRIMARY KEY, guid TEXT, category_id INT, stack_id INT, "
          "parent_stack_id INT, correlation_id INT, extdata TEXT);"
          "INSERT INTO rocpd_event SELECT i, 'g', 1, i, i, 0, '{}' FROM " +
          numbers(rows) +
          ";CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, "
          "agent_id INT, kernel_id INT, dispatch_id INT, queue_id INT, stream_id INT, start INT, end INT, "
          "private_segment_size INT, group_segment_size INT, workgroup_size_x INT, workgroup_size_y INT, "
          "workgroup_size_z INT, grid_size_x INT, grid_size_y INT, grid_size_z INT, event_id INT, extdata TEXT);"
          "INSERT INTO rocpd_kernel_dispatch SELECT i, 'g', 1, 1, 1, 2, 1 + i % 500, i, 5, 1 + i % 3, 1000 * i, "
          "1000 * i + 700, 0, 1024, 256, 1, 1, 65536, 1, 1, i, '{}' FROM " +
          numbers(rows) + ";"};
}

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "sqlite_traces: {}\n", why);
  std::exit(2);
}

void make(const std::filesystem::path& path, const std::string& sql) {
  std::filesystem::remove(path);
  sqlite3* connection = nullptr;
  sqlite3_open(path.c_str(), &connection);
  const std::string all = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;" + sql + "COMMIT;";
  if (sqlite3_exec(connection, all.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(sqlite3_errmsg(connection));
  }
  sqlite3_close(connection);
}

// What the least reader takes: it looks at every row, and maybe every value.
void step(const std::filesystem::path& path, const char* table, bool fetch) {
  sqlite3* connection = nullptr;
  sqlite3_stmt* statement = nullptr;
  sqlite3_open_v2(path.c_str(), &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  if (sqlite3_prepare_v2(connection, fmt::format("SELECT * FROM {}", table).c_str(), -1, &statement, nullptr) !=
      SQLITE_OK) {
    fail(sqlite3_errmsg(connection));
  }
  int64_t sum = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int column = 0; fetch && column < sqlite3_column_count(statement); ++column) {
      sum += sqlite3_column_type(statement, column) == SQLITE_INTEGER ? sqlite3_column_int64(statement, column) : 1;
    }
  }
  if (fetch && sum == 0) {
    fail("no values");
  }
  sqlite3_finalize(statement);
  sqlite3_close(connection);
}

void read_events(const std::filesystem::path& path, size_t rows) {
  const auto trace = aaco::read_trace({&path, 1});
  if (!trace || trace->events.size() != rows || !trace->events.losses.entries().empty()) {
    fail(trace ? fmt::format("{} events", trace->events.size()) : trace.error().message);
  }
}

template <class Work>
void measure(const Database& database, const char* what, int64_t rows, int repeats, const Work& work) {
  std::vector<double> rates;
  double cpu_rate = 0;  // of the fastest by processor time, which a busy machine stretches less
  for (int i = 0; i < repeats; ++i) {
    const int64_t began_ns = aaco::monotonic_ns();
    const std::clock_t cpu_began = std::clock();
    work();
    const double cpu_s = static_cast<double>(std::clock() - cpu_began) / CLOCKS_PER_SEC;
    rates.push_back(static_cast<double>(rows) * 1e9 / static_cast<double>(aaco::monotonic_ns() - began_ns));
    cpu_rate = std::max(cpu_rate, static_cast<double>(rows) / cpu_s);
  }
  fmt::print(
      "{{\"database\": \"{}\", \"columns\": {}, \"what\": \"{}\", \"rows\": {}, \"rows_per_s\": {:.0f}, "
      "\"rows_per_cpu_s\": {:.0f}, "
      "\"all\": [{:.0f}]}}\n",
      database.name, database.columns, what, rows, *std::max_element(rates.begin(), rates.end()), cpu_rate,
      fmt::join(rates, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fail("FOLDER ROWS REPEATS");
  }
  const int64_t rows = std::stoll(argv[2]);
  const int repeats = std::stoi(argv[3]);
  for (const Database& database : {nsys(rows), rocpd(rows)}) {
    const std::filesystem::path path = std::filesystem::path(argv[1]) / (std::string(database.name) + ".db");
    make(path, database.sql);
    measure(database, "step", rows, repeats, [&] { step(path, database.table, false); });
    measure(database, "step and fetch", rows, repeats, [&] { step(path, database.table, true); });
    measure(database, "events", rows, repeats, [&] { read_events(path, static_cast<size_t>(rows)); });
    std::filesystem::remove(path);
  }
  return 0;
}
