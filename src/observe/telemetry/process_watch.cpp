// SPDX-License-Identifier: MIT
#include "observe/telemetry/process_watch.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace aaco {

namespace {

// Adds `now - before` to `sum`; a counter that the kernel does not give makes the sum unknown.
void add_delta(std::optional<int64_t>& sum, std::optional<int64_t> now, std::optional<int64_t> before) {
  if (!now) {
    sum.reset();
  } else if (sum) {
    // Smaller than before: the number of an ended thread was given to a new one.
    const int64_t base = before && *before <= *now ? *before : 0;
    *sum += *now - base;
  }
}

std::optional<int64_t> delta_of(std::optional<int64_t> now, std::optional<int64_t>& last) {
  const std::optional<int64_t> before = std::exchange(last, now);
  return now && before && *now >= *before ? std::optional(*now - *before) : std::nullopt;
}

std::optional<int64_t> number_after(std::string_view text, std::string_view key) {
  const std::optional<std::string_view> rest = after_key(text, key);
  return rest ? NumberReader(*rest).integer() : std::nullopt;
}

}  // namespace

ProcessWatch::ProcessWatch(const std::filesystem::path& root, int64_t pid) : pid_(pid) {
  const std::filesystem::path folder = root / "proc" / std::to_string(pid);
  task_folder_ = ::open((folder / "task").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  stat_ = ProcFile(folder / "stat");
}

ProcessWatch::ProcessWatch(ProcessWatch&& other) noexcept { *this = std::move(other); }

ProcessWatch& ProcessWatch::operator=(ProcessWatch&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(task_folder_, other.task_folder_);
  std::swap(stat_, other.stat_);
  std::swap(threads_, other.threads_);
  std::swap(samples_, other.samples_);
  std::swap(unreadable_, other.unreadable_);
  std::swap(minor_faults_, other.minor_faults_);
  std::swap(major_faults_, other.major_faults_);
  return *this;
}

ProcessWatch::~ProcessWatch() {
  if (task_folder_ >= 0) {
    ::close(task_folder_);
  }
}

// Marks the threads that are there, and opens those that are new. getdents64 on the open folder, because opendir()
// allocates and looks the path up at each sample.
bool ProcessWatch::list_threads() {
  if (task_folder_ < 0 || ::lseek(task_folder_, 0, SEEK_SET) != 0) {
    return false;
  }
  alignas(dirent64) std::array<char, 8192> entries;
  for (;;) {
    const long got = ::syscall(SYS_getdents64, task_folder_, entries.data(), entries.size());
    if (got < 0) {
      return false;
    }
    if (got == 0) {
      return true;
    }
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      const std::string_view name(entry->d_name);
      int64_t tid = 0;
      if (std::from_chars(name.data(), name.data() + name.size(), tid).ec != std::errc{}) {
        continue;  // "." and ".."
      }
      const auto [place, is_new] = threads_.try_emplace(tid);
      if (is_new) {
        const std::filesystem::path folder(name);
        place->second.schedstat = ProcFile(task_folder_, folder / "schedstat");
        place->second.status = ProcFile(task_folder_, folder / "status");
      }
      place->second.seen_at = samples_;
    }
  }
}

// The status is read last: a thread that ends meanwhile fails there, and is gone rather than half read.
ProcessWatch::ReadEnd ProcessWatch::read_thread(const Thread& thread, Counters& now, ReadBuffer& buffer) {
  if (const auto text = thread.schedstat.read(buffer)) {
    NumberReader numbers(*text);
    now.cpu_ns = numbers.integer();
    now.run_delay_ns = numbers.integer();
  }
  if (const auto text = thread.status.read(buffer)) {
    now.voluntary = number_after(*text, "voluntary_ctxt_switches:");
    now.involuntary = number_after(*text, "nonvoluntary_ctxt_switches:");
    return ReadEnd::kRead;
  }
  const int error = thread.status.open_error();
  return error == 0 || error == ENOENT || error == ESRCH ? ReadEnd::kGone : ReadEnd::kUnreadable;
}

ProcessWatch::Counters ProcessWatch::sum_threads(ReadBuffer& buffer) {
  Counters sum{0, 0, 0, 0};
  unreadable_ = false;
  for (auto next = threads_.begin(); next != threads_.end();) {
    Thread& thread = next->second;
    Counters now;
    const ReadEnd end = thread.seen_at == samples_ ? read_thread(thread, now, buffer) : ReadEnd::kGone;
    if (end != ReadEnd::kRead) {
      unreadable_ = unreadable_ || end == ReadEnd::kUnreadable;
      next = threads_.erase(next);
      continue;
    }
    add_delta(sum.cpu_ns, now.cpu_ns, thread.last.cpu_ns);
    add_delta(sum.run_delay_ns, now.run_delay_ns, thread.last.run_delay_ns);
    add_delta(sum.voluntary, now.voluntary, thread.last.voluntary);
    add_delta(sum.involuntary, now.involuntary, thread.last.involuntary);
    thread.last = now;
    ++next;
  }
  return unreadable_ ? Counters{} : sum;
}

bool ProcessWatch::sample(SystemRow& row, ReadBuffer& buffer) {
  const auto stat = stat_.read(buffer);
  if (!stat) {
    return false;
  }
  // The name in parentheses may hold anything, parentheses too; the fields count from behind the last one, where the
  // third (state) comes first.
  const size_t name_end = stat->rfind(')');
  if (name_end == std::string_view::npos) {
    return false;
  }
  NumberReader fields(stat->substr(name_end + 1));
  fields.skip(7);
  const std::optional<int64_t> minor = fields.integer();  // field 10
  fields.skip(1);
  const std::optional<int64_t> major = fields.integer();  // field 12
  fields.skip(7);
  const std::optional<int64_t> threads = fields.integer();  // field 20
  fields.skip(3);
  const std::optional<int64_t> pages = fields.integer();  // field 24

  ++samples_;
  if (!list_threads()) {
    return false;
  }
  const Counters used = sum_threads(buffer);
  row.pid = pid_;
  row.process_threads = threads;
  row.process_rss_bytes = pages ? std::optional(*pages * ::sysconf(_SC_PAGESIZE)) : std::nullopt;
  row.process_minor_faults = delta_of(minor, minor_faults_);
  row.process_major_faults = delta_of(major, major_faults_);
  if (samples_ > 1 && row.interval_ns > 0) {
    if (used.cpu_ns) {
      row.process_cpu_pct = 100.0 * static_cast<double>(*used.cpu_ns) / static_cast<double>(row.interval_ns);
    }
    row.process_run_delay_ns = used.run_delay_ns;
    row.process_voluntary_switches = used.voluntary;
    row.process_involuntary_switches = used.involuntary;
  }
  return true;
}

}  // namespace aaco
