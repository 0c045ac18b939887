// SPDX-License-Identifier: MIT
#include "analysis/timeline/waiting_call.h"

#include <algorithm>
#include <iterator>

namespace aaco {

namespace {

// Without the version of its interface: "cudaMemcpy_v3020", as Nsight Systems writes it, "cuMemcpyDtoH_v2".
std::string_view without_version(std::string_view call) {
  const size_t version = call.rfind("_v");
  const bool has_version = version != std::string_view::npos && version + 2 < call.size() &&
                           call.find_first_not_of("0123456789", version + 2) == std::string_view::npos;
  return has_version ? call.substr(0, version) : call;
}

}  // namespace

bool waits_for_device(std::string_view call) {
  static constexpr std::string_view kBlockingCopies[] = {
      "cudaMemcpy2D",        "cudaMemcpy3D",      "hipMemcpy2D",          "cudaMemcpy",         "hipMemcpy",
      "hipMemcpyWithStream", "hipMemcpyDtoH",     "hipMemcpyHtoD",        "cuMemcpyDtoH",       "cuMemcpyHtoD",
      "cudaMemcpyToSymbol",  "hipMemcpyToSymbol", "cudaMemcpyFromSymbol", "hipMemcpyFromSymbol"};
  return call.find("Synchronize") != std::string_view::npos ||
         (call.starts_with("hsa_") && call.find("signal_wait") != std::string_view::npos) ||
         std::find(std::begin(kBlockingCopies), std::end(kBlockingCopies), without_version(call)) !=
             std::end(kBlockingCopies);
}

bool may_sleep(std::string_view call) {
  static constexpr std::string_view kCalls[] = {"accept",
                                                "accept4",
                                                "clock_nanosleep",
                                                "epoll_pwait",
                                                "epoll_wait",
                                                "fgets",
                                                "flock",
                                                "futex",
                                                "io_getevents",
                                                "mq_receive",
                                                "mq_timedreceive",
                                                "msgrcv",
                                                "nanosleep",
                                                "pause",
                                                "poll",
                                                "ppoll",
                                                "pselect",
                                                "pthread_barrier_wait",
                                                "pthread_join",
                                                "pthread_cond_clockwait",
                                                "pthread_cond_wait",
                                                "pthread_cond_timedwait",
                                                "pthread_mutex_lock",
                                                "pthread_mutex_timedlock",
                                                "pthread_rwlock_rdlock",
                                                "pthread_rwlock_wrlock",
                                                "read",
                                                "readv",
                                                "recv",
                                                "recvfrom",
                                                "recvmmsg",
                                                "recvmsg",
                                                "select",
                                                "sem_clockwait",
                                                "sem_timedwait",
                                                "sem_wait",
                                                "semop",
                                                "semtimedop",
                                                "sigsuspend",
                                                "sigtimedwait",
                                                "sigwait",
                                                "sigwaitinfo",
                                                "sleep",
                                                "usleep",
                                                "wait",
                                                "wait3",
                                                "wait4",
                                                "waitid",
                                                "waitpid"};
  return std::find(std::begin(kCalls), std::end(kCalls), call) != std::end(kCalls);
}

bool orders_streams(std::string_view call) { return call.find("StreamWaitEvent") != std::string_view::npos; }

}  // namespace aaco
