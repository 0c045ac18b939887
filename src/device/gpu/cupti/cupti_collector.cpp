// SPDX-License-Identifier: MIT
#include "device/gpu/cupti/cupti_collector.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "device/gpu/cupti/cupti_api.h"
#include "device/gpu/cupti/cupti_buffers.h"
#include "device/gpu/cupti/cupti_heartbeat.h"
#include "device/gpu/cupti/cupti_records.h"
#include "device/gpu/cupti/recorded_calls.h"

namespace aaco::gpu {

namespace {

constexpr std::array kWork = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                              CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};
// With it CUPTI makes no records of a graph's nodes.
constexpr std::array kWorkAndGraphs = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                       CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET,
                                       CUPTI_ACTIVITY_KIND_GRAPH_TRACE};

// None of it is destroyed: threads of CUPTI may come after main() has returned.
struct Collection {
  std::mutex mutex;                       // of `records`
  std::unique_ptr<CuptiRecords> records;  // while it runs
  CuptiBuffers buffers;
  CuptiHeartbeat heartbeat;
  CUpti_SubscriberHandle subscriber{};  // null where others are not refused
  uint64_t start_ns = 0;                // of the latest start
  bool whole_graphs = false;            // likewise
  std::atomic<uint64_t> callback_ns = 0;
  std::atomic<uint64_t> record_count = 0;
  std::atomic<uint64_t> buffer_count = 0;
};

Collection& collection() {
  static auto* const the_collection = new Collection;
  return *the_collection;
}

std::span<const CUpti_ActivityKind> recorded_work() {
  return collection().whole_graphs ? std::span<const CUpti_ActivityKind>(kWorkAndGraphs) : kWork;
}

// The session's clock; CUPTI brings the device's times to it.
uint64_t CUPTIAPI now_ns() { return monotonic_ns(); }

// Without memory CUPTI drops records, and counts them.
void CUPTIAPI buffer_wanted(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = collection().buffers.take();
  *size = *buffer != nullptr ? collection().buffers.bytes() : 0;
  *most_records = 0;
}

// A buffer that an earlier start left comes after the next one.
bool is_from_before(const CUpti_Activity& record) {
  const uint64_t start_ns = start_of(record);
  return start_ns != 0 && start_ns < collection().start_ns;  // 0: it has no times, and is counted
}

// Since it was last asked: what is lost while no buffer arrives, or an empty one does, is lost all the same.
void count_dropped(CuptiRecords& records, CUcontext context, uint32_t stream) {
  size_t lost = 0;
  if (cupti().dropped(context, stream, &lost) == CUPTI_SUCCESS) {
    records.drop(lost);
  }
}

void CUPTIAPI buffer_full(CUcontext context, uint32_t stream, uint8_t* buffer, size_t, size_t used) {
  const uint64_t began_ns = monotonic_ns();
  Collection& own = collection();
  uint64_t count = 0;
  {
    const std::lock_guard lock(own.mutex);
    if (own.records) {
      CUpti_Activity* record = nullptr;
      while (used > 0 && cupti().next_record(buffer, used, &record) == CUPTI_SUCCESS) {
        if (!own.heartbeat.take(*record) && !is_from_before(*record)) {
          own.records->add(record);
          ++count;
        }
      }
      count_dropped(*own.records, context, stream);
      own.records->hand_over(false);
    }
  }
  own.buffers.give_back(buffer);
  own.record_count.fetch_add(count, std::memory_order_relaxed);
  own.buffer_count.fetch_add(1, std::memory_order_relaxed);
  own.callback_ns.fetch_add(monotonic_ns() - began_ns, std::memory_order_relaxed);
}

void CUPTIAPI no_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

CuptiProblem problem_of(CUptiResult result, const char* call) {
  const char* text = nullptr;
  static_cast<void>(cupti().result_string(result, &text));
  CuptiProblem problem;
  problem.text = std::string(call) + ": " + (text != nullptr ? text : "unknown") + " (" +
                 std::to_string(static_cast<int>(result)) + ')';
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    problem.status = kAacoUnavailable;
    problem.other_profiler = true;
    problem.text = "another profiler is attached to this process (" + problem.text +
                   ")\nrun without it, or without this recording";
  } else if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
    problem.status = kAacoUnavailable;
    problem.text += "\nlet users profile: set NVreg_RestrictProfilingToAdminUsers=0 for the driver, or run as root";
  }
  return problem;
}

#define AACO_CUPTI_TRY(name, call)                                  \
  do {                                                              \
    if (const CUptiResult result = call; result != CUPTI_SUCCESS) { \
      return problem_of(result, name);                              \
    }                                                               \
  } while (false)

// A CUPTI that is older than our lists does not know the newest calls, which nothing in its process makes.
bool is_as_new_as_headers(const CuptiApi& api) { return api.version >= CUPTI_API_VERSION; }

std::optional<CuptiProblem> enable_calls(CuptiApi& api) {
  for (const RecordedCall& call : runtime_calls()) {
    if (const CUptiResult result = api.enable_runtime(call.id, 1);
        result != CUPTI_SUCCESS && (is_as_new_as_headers(api) || result != CUPTI_ERROR_INVALID_PARAMETER)) {
      return problem_of(result, call.name);
    }
  }
  for (const RecordedCall& call : driver_calls()) {
    if (const CUptiResult result = api.enable_driver(call.id, 1);
        result != CUPTI_SUCCESS && (is_as_new_as_headers(api) || result != CUPTI_ERROR_INVALID_PARAMETER)) {
      return problem_of(result, call.name);
    }
  }
  return std::nullopt;
}

std::optional<CuptiProblem> enable_records(CuptiApi& api) {
  // Otherwise a call's thread is pthread_self(), which nothing else in a session names.
  AACO_CUPTI_TRY("cuptiSetThreadIdType", api.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM));
  AACO_CUPTI_TRY("cuptiActivityRegisterTimestampCallback", api.register_timestamp(now_ns));
  // Buffers arrive zeroed, or CUPTI zeroes them in the thread that launches.
  uint8_t zeroed = 1;
  size_t size = sizeof zeroed;
  AACO_CUPTI_TRY("cuptiActivitySetAttribute",
                 api.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed));
  AACO_CUPTI_TRY("cuptiActivityRegisterCallbacks", api.register_callbacks(buffer_wanted, buffer_full));
  for (const CUpti_ActivityKind kind : recorded_work()) {
    AACO_CUPTI_TRY("cuptiActivityEnable", api.enable(kind));
  }
  return enable_calls(api);
}

void leave_subscription(CuptiApi& api) {
  if (CUpti_SubscriberHandle subscriber = std::exchange(collection().subscriber, nullptr); subscriber != nullptr) {
    static_cast<void>(api.unsubscribe(subscriber));
  }
}

void disable_records(CuptiApi& api) {
  for (const CUpti_ActivityKind kind : recorded_work()) {
    static_cast<void>(api.disable(kind));
  }
  for (const RecordedCall& call : runtime_calls()) {
    static_cast<void>(api.enable_runtime(call.id, 0));
  }
  for (const RecordedCall& call : driver_calls()) {
    static_cast<void>(api.enable_driver(call.id, 0));
  }
  leave_subscription(api);
}

void drop_records() {
  const std::lock_guard lock(collection().mutex);
  collection().records.reset();
}

}  // namespace

std::optional<CuptiProblem> start_cupti(const AacoSink& sink, const CuptiOptions& options) {
  CuptiApi& api = cupti();
  if (!api.library) {
    return CuptiProblem{kAacoUnavailable, api.library.reason(), false};
  }
  if (cupti_is_collecting()) {
    return CuptiProblem{kAacoUsage, "a collector of this process's device activity is running already", false};
  }
  Collection& own = collection();
  AACO_CUPTI_TRY("cuptiSubscribe", api.subscribe(&own.subscriber, no_callback, nullptr));
  own.buffers.set_bytes(options.buffer_bytes);
  {
    const std::lock_guard lock(own.mutex);
    own.records = std::make_unique<CuptiRecords>(sink);
    own.start_ns = monotonic_ns();
    own.whole_graphs = options.whole_graphs;
  }
  if (!options.exclusive) {
    leave_subscription(api);  // nobody else was there: that is all it was for
  }
  std::optional<CuptiProblem> problem = enable_records(api);
  if (!problem && options.heartbeat) {
    own.heartbeat.start(api);
  }
  if (problem) {
    disable_records(api);
    drop_records();
  }
  return problem;
}

bool cupti_is_collecting() {
  const std::lock_guard lock(collection().mutex);
  return collection().records != nullptr;
}

CuptiCost cupti_cost() {
  const Collection& own = collection();
  return {own.callback_ns.load(std::memory_order_relaxed), own.record_count.load(std::memory_order_relaxed),
          own.buffer_count.load(std::memory_order_relaxed)};
}

std::optional<CuptiProblem> flush_cupti(CuptiFlush flush) {
  AACO_CUPTI_TRY("cuptiActivityFlushAll", cupti().flush_all(0));
  if (flush == CuptiFlush::kAll) {
    AACO_CUPTI_TRY("cuptiActivityFlushAll", cupti().flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  }
  const std::lock_guard lock(collection().mutex);
  if (collection().records) {
    count_dropped(*collection().records, nullptr, 0);
    collection().records->hand_over(flush == CuptiFlush::kAll);
  }
  return std::nullopt;
}

bool cupti_still_delivers() { return collection().heartbeat.beat(); }
bool cupti_has_delivered() { return !collection().heartbeat.is_unanswered(); }
uint64_t cupti_delivered_until_ns() { return collection().heartbeat.latest_ns(); }

std::optional<CuptiProblem> reclaim_cupti() {
  std::optional<CuptiProblem> problem = enable_records(cupti());
  if (!problem) {
    collection().heartbeat.restart(cupti());
  }
  return problem;
}

void lock_cupti() { collection().mutex.lock(); }
void unlock_cupti() { collection().mutex.unlock(); }

void pause_cupti() { disable_records(cupti()); }

// Each of them was possible before.
void resume_cupti() {
  CuptiApi& api = cupti();
  for (const CUpti_ActivityKind kind : recorded_work()) {
    static_cast<void>(api.enable(kind));
  }
  static_cast<void>(enable_calls(api));
}

void stop_cupti(bool switch_off) {
  if (switch_off) {
    disable_records(cupti());
  }
  drop_records();
}

}  // namespace aaco::gpu
