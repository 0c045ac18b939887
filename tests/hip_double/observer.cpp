// SPDX-License-Identifier: MIT
#include "observer.h"

#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <mutex>
#include <utility>

namespace aaco::hip_double {
namespace {

Observer observer;  // written once, at the first call

uint64_t& call_under_way() {
  thread_local uint64_t correlation = 0;
  return correlation;
}

uint64_t& call_of_running_work() {
  thread_local uint64_t correlation = 0;
  return correlation;
}

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void register_with_profiler() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* wanted = std::getenv("ROCPROFILER_REGISTER_FORCE_LOAD");
    using SetTable = int (*)(const char* name, uint64_t version, uint64_t instance, void** tables, uint64_t count);
    void* const seen_by_all = dlopen(nullptr, RTLD_LAZY);
    const auto set_table = reinterpret_cast<SetTable>(dlsym(seen_by_all, "rocprofiler_set_api_table"));
    if (wanted == nullptr || set_table == nullptr) {
      return;
    }
    void* tables[] = {&observer};
    set_table("hsa", 0, 0, tables, 1);
    set_table("hip", 0, 0, tables, 1);
  });
}

ObservedCall::ObservedCall(const char* function, hipStream_t stream)
    : function_(function), stream_(stream), outer_(call_under_way()) {
  register_with_profiler();
  if (observer.begin_call != nullptr) {
    correlation_ = observer.begin_call(function, stream);
    call_under_way() = correlation_;
  }
}

ObservedCall::~ObservedCall() {
  if (observer.end_call != nullptr) {
    observer.end_call(correlation_, function_, stream_);
    call_under_way() = outer_;
  }
}

Work observed(WorkRecord what, Work work) {
  return [what = std::move(what), work = std::move(work)]() mutable {
    what.start_ns = now_ns();
    const hipError_t status = work();
    what.end_ns = now_ns();
    if (observer.executed != nullptr && status == hipSuccess) {
      observer.executed(call_of_running_work(), what);
    }
    return status;
  };
}

Work correlated(Work work) {
  if (observer.hold == nullptr) {
    return work;
  }
  const uint64_t correlation = call_under_way();
  observer.hold(correlation);
  return [correlation, work = std::move(work)] {
    call_of_running_work() = correlation;
    const hipError_t status = work();
    call_of_running_work() = 0;
    observer.release(correlation);
    return status;
  };
}

}  // namespace aaco::hip_double
