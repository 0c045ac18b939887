// SPDX-License-Identifier: MIT
#include "monitor/store/sample_store.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <iterator>
#include <pthread.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/process/thread_start.h"
#include "base/wall_offset.h"
#include "monitor/store/stretch_name.h"
#include "session/parquet/parquet.h"

namespace aaco {

namespace fs = std::filesystem;

namespace {

template <class Row>
void append_on_calendar(std::vector<Row>& fresh, const std::vector<Row>& rows, int64_t offset_ns) {
  for (Row row : rows) {
    row.t_ns += offset_ns;
    fresh.push_back(std::move(row));
  }
}

}  // namespace

Result<std::unique_ptr<SampleStore>> SampleStore::start(StoreOptions options) {
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error || ::access(options.folder.c_str(), W_OK | X_OK) != 0) {
    return Error{ErrorKind::kResource,
                 fmt::format("cannot write into {}: {}", options.folder.string(),
                             error ? error.message() : std::generic_category().message(errno)),
                 "give --store a folder that you may write to"};
  }
  AACO_ASSIGN(const std::string unused, duckdb_version());
  std::unique_ptr<SampleStore> store(new SampleStore(std::move(options)));
  AACO_ASSIGN(store->thread_, start_thread([&self = *store] { self.run(); }));
  return store;
}

SampleStore::~SampleStore() { stop(); }

void SampleStore::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    await_close();
    thread_.join();
    write(wall_clock_ns());
    close_done();
  }
}

void SampleStore::run() {
  pthread_setname_np(pthread_self(), "aaco-store");
  const int64_t every_ns = std::min(options_.write_every_ns, options_.rotate_ns);
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::nanoseconds(every_ns), [this] { return stopped_; })) {
    lock.unlock();
    write(wall_clock_ns());
    lock.lock();
  }
}

void SampleStore::take(const SampleRows& rows) {
  const int64_t offset_ns = wall_offset().offset_ns;
  const std::lock_guard lock(mutex_);
  // Only where the thread has not come for long, in a write to a disk that hangs.
  if (fresh_.host.size() + fresh_.gpus.size() >= options_.most_rows) {
    counts_.lost_rows += static_cast<int64_t>(rows.host.size() + rows.gpus.size());
    return;
  }
  append_on_calendar(fresh_.host, rows.host, offset_ns);
  append_on_calendar(fresh_.gpus, rows.gpus, offset_ns);
}

SampleStore::Counts SampleStore::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void SampleStore::write(int64_t wall_ns) {
  SampleRows fresh;
  {
    const std::lock_guard lock(mutex_);
    fresh = std::exchange(fresh_, {});
  }
  write_table(host_, std::move(fresh.host), wall_ns);
  write_table(gpus_, std::move(fresh.gpus), wall_ns);
  remove_old(wall_ns);
}

// A clock that is set back begins a stretch of its own too: a file holds one multiple of rotate_ns.
template <class Row>
void SampleStore::write_table(Stretch<Row>& stretch, std::vector<Row> fresh, int64_t wall_ns) {
  const auto multiple = [&](int64_t t_ns) { return t_ns / options_.rotate_ns; };
  for (Row& row : fresh) {
    const bool is_over = !stretch.path.empty() && (multiple(row.t_ns) != multiple(stretch.start_wall_ns) ||
                                                   stretch.rows.size() >= options_.most_rows);
    if (is_over) {
      if (!write_file(stretch)) {
        const std::lock_guard lock(mutex_);
        counts_.lost_rows += static_cast<int64_t>(stretch.rows.size() - stretch.written_rows);
      }
      stretch = {};
    }
    if (stretch.path.empty()) {
      stretch.start_wall_ns = row.t_ns;
      stretch.path = free_path(RowSchema<Row>::kName, row.t_ns);
    }
    stretch.rows.push_back(std::move(row));
  }
  if (stretch.rows.size() > stretch.written_rows) {
    (void)write_file(stretch);  // counted, and tried again with the next rows
  }
  if (!stretch.path.empty() && multiple(wall_ns) != multiple(stretch.start_wall_ns) &&
      stretch.written_rows == stretch.rows.size()) {
    stretch = {};
  }
}

template <class Row>
bool SampleStore::write_file(Stretch<Row>& stretch) {
  if (stretch.written_rows == stretch.rows.size()) {
    return true;
  }
  const Result<void> written = write_parquet_rows<Row>(stretch.path, stretch.rows);
  const std::lock_guard lock(mutex_);
  counts_.last_failure = written ? "" : written.error().message;
  counts_.failed_writes += written ? 0 : 1;
  counts_.written_files += written && stretch.written_rows == 0 ? 1 : 0;
  stretch.written_rows = written ? stretch.rows.size() : stretch.written_rows;
  return written.has_value();
}

// Never over a file that is there: the monitor may have been started twice within a second.
fs::path SampleStore::free_path(const std::string& table, int64_t wall_ns) const {
  std::error_code error;
  for (int number = 0;; ++number) {
    fs::path path = options_.folder / stretch_name(table, wall_ns, number);
    if (!fs::exists(path, error)) {
      return path;
    }
  }
}

void SampleStore::remove_old(int64_t wall_ns) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(options_.folder, error)) {
    const auto start_ns = stretch_start_ns(entry.path().filename().string(),
                                           {RowSchema<SystemRow>::kName, RowSchema<GpuSampleRow>::kName});
    const bool is_old = start_ns && *start_ns + options_.rotate_ns + options_.keep_ns < wall_ns;
    // The store writes neither links nor folders: one with such a name is somebody's.
    if (is_old && fs::is_regular_file(entry.symlink_status(error))) {
      fs::remove(entry.path(), error);
    }
  }
}

}  // namespace aaco
