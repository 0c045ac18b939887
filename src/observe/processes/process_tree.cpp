// SPDX-License-Identifier: MIT
#include "observe/processes/process_tree.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <set>
#include <string_view>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "observe/telemetry/proc_file.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kLookForChildrenNs = 500'000'000;
constexpr int64_t kMostShare = 100;  // a sample takes at most the period's hundredth
constexpr int64_t kKib = 1024;

// Of this thread on a processor.
int64_t own_time_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::optional<std::string> text_of(const fs::path& path) {
  ReadBuffer buffer;
  const ProcFile file(path);
  const std::optional<std::string_view> text = file.read(buffer);
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

std::optional<int64_t> number_behind(std::string_view text, std::string_view key) {
  const std::optional<std::string_view> rest = after_key(text, key);
  return rest ? NumberReader(*rest).integer() : std::nullopt;
}

std::vector<int64_t> numbers_in(const fs::path& folder) {
  std::vector<int64_t> numbers;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int64_t number = 0;
    const auto [last, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (problem == std::errc() && last == name.data() + name.size()) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

struct StatFields {
  std::string name;
  int64_t parent = 0;
  std::optional<int64_t> minor_faults;
  std::optional<int64_t> major_faults;
  std::optional<int64_t> busy_ns;  // of all its threads, also those that ended, and of children that it waited for
};

// Of clock ticks, a hundredth of a second each on Linux.
std::optional<int64_t> sum_of_ticks(NumberReader& numbers, int fields) {
  static const int64_t tick_ns = 1'000'000'000 / std::max(1L, ::sysconf(_SC_CLK_TCK));
  int64_t ticks = 0;
  for (int field = 0; field < fields; ++field) {
    const std::optional<int64_t> value = numbers.integer();
    if (!value) {
      return std::nullopt;
    }
    ticks += *value;
  }
  return ticks * tick_ns;
}

// "7 (a name) S 1 7 7 0 -1 4194304 120 0 3 0 ...": faults are fields 10 and 12, times 14 to 17.
std::optional<StatFields> read_stat(const fs::path& folder) {
  const std::optional<std::string> text = text_of(folder / "stat");
  const size_t open = text ? text->find('(') : std::string::npos;
  const size_t close = text ? text->rfind(')') : std::string::npos;
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return std::nullopt;
  }
  NumberReader numbers(std::string_view(*text).substr(close + 1));
  numbers.skip(1);  // the state
  StatFields fields;
  fields.name = text->substr(open + 1, close - open - 1);
  fields.parent = numbers.integer().value_or(0);
  numbers.skip(5);
  fields.minor_faults = numbers.integer();
  numbers.skip(1);
  fields.major_faults = numbers.integer();
  numbers.skip(1);
  fields.busy_ns = sum_of_ticks(numbers, 4);
  return fields;
}

// How many processors a list ("0-3,8") holds.
std::optional<int64_t> processors_in(std::string_view list) {
  int64_t count = 0;
  list = list.substr(0, list.find('\n'));
  list.remove_prefix(std::min(list.find_first_not_of(" \t"), list.size()));
  while (!list.empty()) {
    int64_t first = 0;
    auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), first);
    int64_t last = first;
    const char* const stop = list.data() + list.size();
    if (error == std::errc() && end != stop && *end == '-') {
      std::tie(end, error) = [&] {
        const auto parsed = std::from_chars(end + 1, stop, last);
        return std::pair(parsed.ptr, parsed.ec);
      }();
    }
    if (error != std::errc() || last < first) {
      return std::nullopt;
    }
    count += last - first + 1;
    list.remove_prefix(std::min(static_cast<size_t>(end - list.data()) + 1, list.size()));
  }
  return count;
}

// What a single sample holds is no difference.
std::optional<int64_t> where(bool has_span, std::optional<int64_t> value) { return has_span ? value : std::nullopt; }

std::optional<int64_t> difference(std::optional<int64_t> after, std::optional<int64_t> before) {
  return after && before ? std::optional(*after - *before) : std::nullopt;
}

std::optional<int64_t> times(std::optional<int64_t> value, int64_t factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

ThreadUse read_thread(const fs::path& folder, int64_t pid, int64_t tid, int64_t now_ns) {
  ThreadUse use;
  use.pid = pid;
  use.tid = tid;
  use.to_ns = now_ns;
  if (const std::optional<std::string> text = text_of(folder / "schedstat")) {
    NumberReader numbers(*text);
    use.run_ns = numbers.integer();
    use.runnable_ns = numbers.integer();
  }
  if (const std::optional<std::string> text = text_of(folder / "status")) {
    use.voluntary = number_behind(*text, "voluntary_ctxt_switches:");
    use.involuntary = number_behind(*text, "nonvoluntary_ctxt_switches:");
    const std::string_view name = after_key(*text, "Name:").value_or("");
    use.name = name.substr(0, name.find('\n'));
    use.name.erase(0, use.name.find_first_not_of(" \t"));
  }
  return use;
}

}  // namespace

ProcessTree::ProcessTree(int64_t pid, bool with_children, fs::path proc)
    : root_(pid), with_children_(with_children), proc_(std::move(proc)), pids_{pid} {}

void ProcessTree::look(int64_t now_ns) {
  if (now_ns < next_ns_) {
    return;
  }
  const int64_t began_ns = own_time_ns();
  sample(now_ns);
  const int64_t sampled_ns = own_time_ns();
  if (with_children_ && now_ns >= next_children_ns_) {  // all processes of the machine are looked at
    find_children();
    looked_for_children_ns_ = now_ns;
    next_children_ns_ = now_ns + std::max(kLookForChildrenNs, (own_time_ns() - sampled_ns) * kMostShare);
  }
  cost_ns_ += own_time_ns() - began_ns;
  period_ns_ = std::max(kPeriodNs, (sampled_ns - began_ns) * kMostShare);
  next_ns_ = now_ns + period_ns_;
}

void ProcessTree::sample(int64_t now_ns) {
  ++samples_;
  for (const int64_t pid : pids_) {
    sample_process(pid, now_ns);
  }
  sum_busy_times(now_ns);
}

// A process that ended is in its parent's times as soon as that has waited for it: it counts there alone. One whose
// parent is not watched keeps what its last sample had. The sum never falls: a child that is waited for between the
// reads of its parent and of itself is in neither for that sample. One that nobody waits for is in no times from then
// on: where the sum is still too small with the next sample, what is missing is added to all later ones.
void ProcessTree::sum_busy_times(int64_t now_ns) {
  const auto root = processes_.find(root_);
  if (root == processes_.end() || root->second.sampled_ns != now_ns || !root->second.busy_ns) {
    return;
  }
  int64_t busy_ns = lost_ns_;
  for (const auto& [pid, process] : processes_) {
    const bool counts = process.sampled_ns == now_ns || !processes_.contains(process.last.parent_pid);
    busy_ns += (counts ? process.busy_ns.value_or(0) : 0) - process.busy_before_ns;
  }
  busy_ = busy_.value_or(BusyTime{now_ns, now_ns, 0});
  busy_->to_ns = now_ns;
  const int64_t missing_ns = std::max<int64_t>(0, busy_->busy_ns - busy_ns);
  if (missing_ns > 0 && fell_) {
    lost_ns_ += missing_ns;
  }
  fell_ = missing_ns > 0 && !fell_;
  busy_->busy_ns = std::max(busy_->busy_ns, busy_ns);
}

void ProcessTree::find_children() {
  std::multimap<int64_t, int64_t> children;  // by parent
  for (const int64_t pid : numbers_in(proc_)) {
    if (const std::optional<StatFields> fields = read_stat(proc_ / std::to_string(pid))) {
      children.emplace(fields->parent, pid);
    }
  }
  // A child whose parent has ended is another's by now, and stays ours.
  std::set<int64_t> known(pids_.begin(), pids_.end());
  for (size_t i = 0; i < pids_.size(); ++i) {
    const auto [first, last] = children.equal_range(pids_[i]);
    for (auto child = first; child != last; ++child) {
      if (known.insert(child->second).second) {
        pids_.push_back(child->second);
        if (looked_for_children_ns_) {
          unseen_at_ns_.emplace(child->second, *looked_for_children_ns_);
        }
      }
    }
  }
}

void ProcessTree::sample_process(int64_t pid, int64_t now_ns) {
  const fs::path folder = proc_ / std::to_string(pid);
  const std::optional<StatFields> fields = read_stat(folder);
  if (!fields) {
    return;
  }
  ProcessUse use;
  use.pid = pid;
  use.parent_pid = fields->parent;
  use.name = fields->name;
  use.minor_faults = fields->minor_faults;
  use.major_faults = fields->major_faults;
  if (const std::optional<std::string> status = text_of(folder / "status")) {
    use.peak_bytes = times(number_behind(*status, "VmHWM:"), kKib);
    if (pid == root_) {
      processors_ = processors_in(after_key(*status, "Cpus_allowed_list:").value_or(""));
    }
  }
  if (const std::optional<std::string> io = text_of(folder / "io")) {
    use.read_bytes = number_behind(*io, "read_bytes:");
    use.written_bytes = number_behind(*io, "write_bytes:");
  }
  const auto known = processes_.find(pid);
  if (known != processes_.end()) {
    known->second.last = std::move(use);
    known->second.has_span = true;
    known->second.busy_ns = fields->busy_ns;
    sample_threads(pid, now_ns, std::exchange(known->second.sampled_ns, now_ns));
    return;
  }
  ProcessUse first = use;
  const auto unseen = unseen_at_ns_.find(pid);
  if (unseen != unseen_at_ns_.end()) {  // it started meanwhile: all that it did counts
    first.minor_faults = times(use.minor_faults, 0);
    first.major_faults = times(use.major_faults, 0);
    first.read_bytes = times(use.read_bytes, 0);
    first.written_bytes = times(use.written_bytes, 0);
  }
  const int64_t busy_before_ns = unseen != unseen_at_ns_.end() ? 0 : fields->busy_ns.value_or(0);
  processes_.emplace(pid,
                     ProcessPair{first, use, now_ns, unseen != unseen_at_ns_.end(), fields->busy_ns, busy_before_ns});
  sample_threads(pid, now_ns, unseen != unseen_at_ns_.end() ? std::optional(unseen->second) : std::nullopt);
}

// `unseen_at_ns`: when those that are new were not there yet, where that is known.
void ProcessTree::sample_threads(int64_t pid, int64_t now_ns, std::optional<int64_t> unseen_at_ns) {
  const fs::path folder = proc_ / std::to_string(pid) / "task";
  for (const int64_t tid : numbers_in(folder)) {
    const ThreadUse thread = read_thread(folder / std::to_string(tid), pid, tid, now_ns);
    if (!thread.run_ns && !thread.voluntary) {  // it ended at this moment
      continue;
    }
    ThreadUse first = thread;
    if (unseen_at_ns) {
      first.to_ns = *unseen_at_ns;
      first.run_ns = times(thread.run_ns, 0);
      first.runnable_ns = times(thread.runnable_ns, 0);
      first.voluntary = times(thread.voluntary, 0);
      first.involuntary = times(thread.involuntary, 0);
    }
    threads_.try_emplace({pid, tid}, ThreadWatch{first, thread}).first->second.last = thread;
  }
}

HostUse ProcessTree::use() const {
  HostUse use;
  use.period_ns = period_ns_;
  use.samples = samples_;
  use.cost_ns = cost_ns_;
  use.processors = processors_;
  if (busy_ && busy_->to_ns > busy_->from_ns) {
    use.busy_ns = busy_->busy_ns;
    use.seen_ns = busy_->to_ns - busy_->from_ns;
  }
  for (const auto& [pid, watched] : processes_) {
    ProcessUse process = watched.last;
    process.minor_faults = where(watched.has_span, difference(watched.last.minor_faults, watched.first.minor_faults));
    process.major_faults = where(watched.has_span, difference(watched.last.major_faults, watched.first.major_faults));
    process.read_bytes = where(watched.has_span, difference(watched.last.read_bytes, watched.first.read_bytes));
    process.written_bytes =
        where(watched.has_span, difference(watched.last.written_bytes, watched.first.written_bytes));
    use.processes.push_back(std::move(process));
  }
  for (const auto& [key, watch] : threads_) {
    ThreadUse thread = watch.last;
    thread.from_ns = watch.first.to_ns;
    thread.run_ns = where(thread.seen_ns() > 0, difference(watch.last.run_ns, watch.first.run_ns));
    thread.runnable_ns = where(thread.seen_ns() > 0, difference(watch.last.runnable_ns, watch.first.runnable_ns));
    thread.voluntary = where(thread.seen_ns() > 0, difference(watch.last.voluntary, watch.first.voluntary));
    thread.involuntary = where(thread.seen_ns() > 0, difference(watch.last.involuntary, watch.first.involuntary));
    use.threads.push_back(std::move(thread));
  }
  std::stable_sort(use.threads.begin(), use.threads.end(),
                   [](const ThreadUse& a, const ThreadUse& b) { return a.run_ns.value_or(0) > b.run_ns.value_or(0); });
  return use;
}

}  // namespace aaco
