// SPDX-License-Identifier: MIT
// Samples of days as Parquet files, one per table and stretch of time: FOLDER/gpu_samples-20261128T020000Z.parquet. A
// file is written whole beside its place and renamed, so that a reader sees the old one or the new; what an end without
// warning can cost is the last minute.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "monitor/collector_keeper.h"

namespace aaco {

struct StoreOptions {
  std::filesystem::path folder;
  int64_t rotate_ns = 3'600'000'000'000;     // a file for each multiple of it since 1970
  int64_t keep_ns = 7 * 86'400'000'000'000;  // a file is removed so long after its stretch has ended
  int64_t write_every_ns = 60'000'000'000;
  size_t most_rows = 200'000;  // in memory of each table: with more, a file is ended early
};

class SampleStore {
 public:
  struct Counts {
    int64_t written_files = 0;
    int64_t failed_writes = 0;
    int64_t lost_rows = 0;     // for which there was no room, neither on the disk nor in memory
    std::string last_failure;  // of the last write; empty where it worked
  };

  // Makes the folder and writes nothing yet. Errors: the folder cannot be made or written to; kUnavailable without
  // DuckDB; kResource where there can be no thread.
  static Result<std::unique_ptr<SampleStore>> start(StoreOptions options);
  SampleStore(const SampleStore&) = delete;
  SampleStore& operator=(const SampleStore&) = delete;
  ~SampleStore();

  // The rows of a sample. Their t_ns, session time, becomes time since 1970 by the calendar's clock of now. Does not
  // wait for the disk.
  void take(const SampleRows& rows);
  // Writes what there is, ends stretches that are over and removes old files. The thread does so; a test does too.
  void write(int64_t wall_ns);
  Counts counts() const;
  // Writes the rest.
  void stop();

 private:
  // Rows of one file, which may have been written without the last of them.
  template <class Row>
  struct Stretch {
    std::filesystem::path path;  // empty: none yet
    int64_t start_wall_ns = 0;
    size_t written_rows = 0;
    std::vector<Row> rows;
  };

  explicit SampleStore(StoreOptions options) : options_(std::move(options)) {}
  void run();
  template <class Row>
  void write_table(Stretch<Row>& stretch, std::vector<Row> fresh, int64_t wall_ns);
  template <class Row>
  bool write_file(Stretch<Row>& stretch);
  void remove_old(int64_t wall_ns);
  std::filesystem::path free_path(const std::string& table, int64_t wall_ns) const;

  const StoreOptions options_;
  mutable std::mutex mutex_;  // of what is fresh, the counts and the end
  std::condition_variable changed_;
  SampleRows fresh_;
  Counts counts_;
  bool stopped_ = false;
  Stretch<SystemRow> host_;  // of the thread
  Stretch<GpuSampleRow> gpus_;
  std::thread thread_;
};

}  // namespace aaco
