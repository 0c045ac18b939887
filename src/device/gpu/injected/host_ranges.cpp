// SPDX-License-Identifier: MIT
#include "device/gpu/injected/host_ranges.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "device/gpu/cupti/cupti_buffers.h"
#include "device/gpu/cupti/thread_name.h"

namespace aaco::gpu {

namespace {

// Of a thread, before CUDA is initialised: a program may never do that.
constexpr size_t kMostWithoutReader = 4096;
// Of a thread between two flushes; the flush is called long before.
constexpr size_t kMostWaiting = size_t{1} << 16;
constexpr size_t kMuch = size_t{1} << 12;
constexpr size_t kLongestPath = 400;

int64_t now_ns() { return static_cast<int64_t>(monotonic_ns()); }

uint64_t own_thread_id() {
  return static_cast<uint64_t>(::syscall(SYS_gettid));  // cannot fail
}

}  // namespace

uint32_t RangeNames::number(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (const auto known = numbers_.find(text); known != numbers_.end()) {
    return known->second;
  }
  const auto [place, is_new] = numbers_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (is_new) {
    texts_.push_back(&place->first);
  }
  return place->second;
}

uint32_t RangeNames::number_within_limit(std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    if (texts_.size() >= kMost && !numbers_.contains(text)) {
      text = kOther;
    }
  }
  return number(text);
}

std::string RangeNames::text(uint32_t number) {
  const std::lock_guard lock(mutex_);
  return *texts_[number];
}

uint32_t RangeNames::interned(uint32_t number, const AacoSink& sink) {
  if (interned_.size() <= number) {
    interned_.resize(number + size_t{1}, kNoName);
  }
  if (interned_[number] == kNoName) {
    const std::string name = text(number);
    interned_[number] = sink.intern(sink.self, name.data(), name.size());
  }
  return interned_[number];
}

// A thread's own ends with it, what it recorded stays for the flush.
struct HostRanges::ThreadEnd {
  std::shared_ptr<Thread> thread;
  inline static thread_local Thread* own = nullptr;  // destructors of the program may come after that of this
  inline static thread_local bool has_ended = false;

  ~ThreadEnd() {
    {
      const std::lock_guard lock(thread->mutex);
      thread->is_gone = true;
    }
    own = nullptr;
    has_ended = true;
    host_ranges().forget_gone();
  }
};

HostRanges::Thread& HostRanges::own_thread() {
  if (ThreadEnd::own == nullptr) {
    auto thread = std::make_shared<Thread>();
    thread->id = own_thread_id();
    ThreadEnd::own = thread.get();
    if (ThreadEnd::has_ended) {  // nothing tells when a range of its last destructors is the last
      static_cast<void>(new std::shared_ptr<Thread>(thread));
    } else {
      static thread_local ThreadEnd end;
      end.thread = thread;
    }
    const std::lock_guard lock(threads_mutex_);
    threads_.push_back(std::move(thread));
  }
  return *ThreadEnd::own;
}

void HostRanges::forget_gone() {
  if (recording_.load(std::memory_order_relaxed)) {
    return;  // hand_over() does it
  }
  const std::lock_guard lock(threads_mutex_);
  std::erase_if(threads_, [](const std::shared_ptr<Thread>& thread) {
    const std::lock_guard own(thread->mutex);
    return thread->is_gone;
  });
}

ActivityRecord HostRanges::record_of(const OpenRange& range, ActivityKind kind, int64_t end_ns) {
  ActivityRecord record;
  record.start_ns = std::max(range.start_ns, since_ns_.load(std::memory_order_relaxed));
  record.end_ns = std::max(end_ns, record.start_ns);
  record.correlation = range.id;
  record.stream = range.thread;
  record.name = names_.number_within_limit(range.name);
  record.label = range.domain;
  record.kind = kind;
  return record;
}

// With the thread's lock.
void HostRanges::keep(Thread& thread, const ActivityRecord& record) {
  if (!recording_.load(std::memory_order_relaxed)) {
    return;
  }
  const bool has_reader = has_reader_.load(std::memory_order_relaxed);
  if (thread.records.size() >= (has_reader ? kMostWaiting : kMostWithoutReader)) {
    ++thread.lost;
    return;
  }
  thread.records.push_back(record);
  if (has_reader && thread.records.size() == kMuch) {
    if (auto* const wake = wake_.load(std::memory_order_acquire); wake != nullptr) {
      wake(wake_self_);
    }
  }
}

void HostRanges::count(int64_t began_ns) {
  range_count_.fetch_add(1, std::memory_order_relaxed);
  spent_ns_.fetch_add(static_cast<uint64_t>(now_ns() - began_ns), std::memory_order_relaxed);
}

int HostRanges::push(std::string_view name, uint32_t domain, RangeSource source) {
  const int64_t began_ns = now_ns();
  Thread& thread = own_thread();
  const std::lock_guard lock(thread.mutex);
  const auto depth = static_cast<int>(thread.open.size());
  thread.open.push_back({.id = next_id_.fetch_add(1, std::memory_order_relaxed),
                         .thread = thread.id,
                         .start_ns = began_ns,
                         .name = std::string(name),
                         .domain = domain,
                         .source = source});
  spent_ns_.fetch_add(static_cast<uint64_t>(now_ns() - began_ns), std::memory_order_relaxed);
  return depth;
}

int HostRanges::pop(uint32_t domain, RangeSource source) {
  const int64_t began_ns = now_ns();
  Thread& thread = own_thread();
  const std::lock_guard lock(thread.mutex);
  const auto range = std::find_if(thread.open.rbegin(), thread.open.rend(), [&](const OpenRange& open) {
    return open.domain == domain && open.source == source;
  });
  if (range == thread.open.rend()) {
    return -1;
  }
  if (source == RangeSource::kNvtx && !range->inherited && recording_.load(std::memory_order_relaxed)) {
    keep(thread, record_of(*range, ActivityKind::kRange, began_ns));
  }
  thread.open.erase(std::next(range).base());
  count(began_ns);
  return static_cast<int>(thread.open.size());
}

uint64_t HostRanges::start(std::string_view name, uint32_t domain, uint64_t id) {
  const int64_t began_ns = now_ns();
  OpenRange range{.thread = own_thread().id, .start_ns = began_ns, .name = std::string(name), .domain = domain};
  range.id = id != 0 ? id : next_id_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(started_mutex_);
  const uint64_t number = range.id;
  started_[number] = std::move(range);
  spent_ns_.fetch_add(static_cast<uint64_t>(now_ns() - began_ns), std::memory_order_relaxed);
  return number;
}

void HostRanges::end(uint64_t id) {
  const int64_t began_ns = now_ns();
  OpenRange range;
  {
    const std::lock_guard lock(started_mutex_);
    const auto started = started_.find(id);
    if (started == started_.end()) {
      return;
    }
    range = std::move(started->second);
    started_.erase(started);
  }
  if (!range.inherited && recording_.load(std::memory_order_relaxed)) {
    Thread& thread = own_thread();
    const std::lock_guard lock(thread.mutex);
    keep(thread, record_of(range, ActivityKind::kRange, began_ns));
  }
  count(began_ns);
}

void HostRanges::mark(std::string_view name, uint32_t domain) {
  const int64_t began_ns = now_ns();
  Thread& thread = own_thread();
  if (recording_.load(std::memory_order_relaxed)) {
    const OpenRange range{.thread = thread.id, .start_ns = began_ns, .name = std::string(name), .domain = domain};
    const std::lock_guard lock(thread.mutex);
    keep(thread, record_of(range, ActivityKind::kMark, began_ns));
  }
  count(began_ns);
}

std::string HostRanges::open_path() {
  Thread& thread = own_thread();
  std::string path;
  const std::lock_guard lock(thread.mutex);
  for (size_t i = 0; i < thread.open.size(); ++i) {
    const bool is_module = thread.open[i].source == RangeSource::kModule;
    const bool has_inner = std::any_of(thread.open.begin() + static_cast<ptrdiff_t>(i) + 1, thread.open.end(),
                                       [](const OpenRange& range) { return range.source == RangeSource::kModule; });
    if (!is_module || !has_inner) {
      path += (path.empty() ? "" : " / ") + thread.open[i].name;
    }
  }
  if (path.size() > kLongestPath) {  // its end says most
    size_t from = path.size() - kLongestPath;
    while (from < path.size() && (static_cast<unsigned char>(path[from]) & 0xC0U) == 0x80U) {
      ++from;  // not within a character
    }
    path = "..." + path.substr(from);
  }
  return path;
}

// Those that were not told yet.
void HostRanges::tell_open(std::span<OpenRange> open, std::vector<ActivityRecord>& into) {
  for (OpenRange& range : open) {
    if (!range.told && !range.inherited && range.source == RangeSource::kNvtx) {
      range.told = true;
      into.push_back(record_of(range, ActivityKind::kOpenRange, range.start_ns));
    }
  }
}

void HostRanges::push_named(std::vector<ActivityRecord>& records, const AacoSink& sink) {
  for (ActivityRecord& record : records) {
    record.name = names_.interned(record.name, sink);
    record.label = record.label == kNoDomain ? kNoName : names_.interned(record.label, sink);
  }
  if (!records.empty()) {
    sink.push(sink.self, records.data(), records.size());
  }
}

// Only the thread that hands over asks for it.
void HostRanges::tell_name(Thread& thread, const AacoSink& sink) {
  if (std::exchange(thread.is_named, true)) {
    return;
  }
  if (std::optional<ThreadName> name = name_of_thread(thread.id)) {
    name->record.name = sink.intern(sink.self, name->text.data(), name->text.size());
    sink.push(sink.self, &name->record, 1);
  }
}

void HostRanges::hand_over(const AacoSink& sink) {
  if (!recording_.load(std::memory_order_relaxed)) {
    return;
  }
  has_reader_.store(true, std::memory_order_relaxed);
  std::vector<std::shared_ptr<Thread>> threads;
  {
    const std::lock_guard lock(threads_mutex_);
    threads = threads_;
  }
  uint64_t lost = 0;
  for (const std::shared_ptr<Thread>& thread : threads) {
    std::vector<ActivityRecord> records;
    tell_name(*thread, sink);
    {
      const std::lock_guard lock(thread->mutex);
      records.swap(thread->records);
      tell_open(thread->open, records);
      lost += std::exchange(thread->lost, 0);
    }
    push_named(records, sink);
  }
  std::vector<ActivityRecord> records;
  {
    const std::lock_guard lock(started_mutex_);
    for (auto& [id, range] : started_) {
      tell_open({&range, 1}, records);
    }
  }
  push_named(records, sink);
  if (lost > 0) {
    sink.dropped(sink.self, lost);
  }
  const std::lock_guard lock(threads_mutex_);
  std::erase_if(threads_, [](const std::shared_ptr<Thread>& thread) {
    const std::lock_guard own(thread->mutex);
    return thread->is_gone && thread->records.empty();
  });
}

void HostRanges::on_much(void (*wake)(void*), void* self) {
  has_reader_.store(true, std::memory_order_relaxed);
  wake_self_ = self;
  wake_.store(wake, std::memory_order_release);
}

void HostRanges::record() {
  if (!recording_.load(std::memory_order_relaxed)) {
    forget_told();
    since_ns_.store(now_ns(), std::memory_order_relaxed);
    recording_.store(true, std::memory_order_relaxed);
  }
}

// After it no thread is about to wake anybody: each does so with its own lock.
void HostRanges::stop() {
  recording_.store(false, std::memory_order_relaxed);
  wake_.store(nullptr, std::memory_order_release);
  const std::lock_guard lock(threads_mutex_);
  for (const std::shared_ptr<Thread>& thread : threads_) {
    const std::lock_guard own(thread->mutex);
    thread->records.clear();
    thread->lost = 0;
  }
}

void HostRanges::forget_told() {
  names_.forget_interned();
  range_count_.store(0, std::memory_order_relaxed);
  spent_ns_.store(0, std::memory_order_relaxed);
  {
    const std::lock_guard lock(threads_mutex_);
    for (const std::shared_ptr<Thread>& thread : threads_) {
      const std::lock_guard own(thread->mutex);
      thread->is_named = false;
      for (OpenRange& range : thread->open) {
        range.told = false;
      }
    }
  }
  const std::lock_guard lock(started_mutex_);
  for (auto& [id, range] : started_) {
    range.told = false;
  }
}

RangeCost HostRanges::cost() const {
  return {range_count_.load(std::memory_order_relaxed), spent_ns_.load(std::memory_order_relaxed)};
}

void HostRanges::before_fork() {
  threads_mutex_.lock();
  for (const std::shared_ptr<Thread>& thread : threads_) {
    thread->mutex.lock();
  }
  started_mutex_.lock();
  names_.lock();
}

void HostRanges::after_fork_in_parent() {
  names_.unlock();
  started_mutex_.unlock();
  for (const std::shared_ptr<Thread>& thread : threads_) {
    thread->mutex.unlock();
  }
  threads_mutex_.unlock();
}

// What was recorded or opened so far is the parent's.
void HostRanges::after_fork_in_child() {
  wake_.store(nullptr, std::memory_order_relaxed);
  has_reader_.store(false, std::memory_order_relaxed);
  for (const std::shared_ptr<Thread>& thread : threads_) {
    thread->records.clear();
    thread->lost = 0;
    for (OpenRange& range : thread->open) {
      range.inherited = true;
    }
  }
  for (auto& [id, range] : started_) {
    range.inherited = true;
  }
  after_fork_in_parent();
  own_thread().id = own_thread_id();
  own_thread().is_named = false;
}

HostRanges& host_ranges() {
  static auto* const the_ranges = new HostRanges;
  return *the_ranges;
}

}  // namespace aaco::gpu
