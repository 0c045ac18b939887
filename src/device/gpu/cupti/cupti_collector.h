// SPDX-License-Identifier: MIT
// The one collector of what a process does on CUDA devices, by CUPTI's activity interface: for aaco's own CUDA module,
// and for programs that know nothing of aaco. It calls neither CUDA's runtime nor anything that waits for a device. It
// sees all that follows its start; started before the first call of CUDA, everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "device/module_api.h"

namespace aaco::gpu {

struct CuptiProblem {
  AacoStatus status = kAacoDevice;
  std::string text;  // behind a newline what to do about it
  bool other_profiler = false;
};

struct CuptiOptions {
  // Of a buffer: a flush gives none of it while it holds a record of work that still runs.
  size_t buffer_bytes = size_t{4} << 20;
  // Whether other profilers are refused from now on. Else the process's own may take the records over at any time.
  bool exclusive = true;
  // A record for each replay of a graph, and none of the kernels, copies and sets within it.
  bool whole_graphs = false;
  // Whether cupti_still_delivers() is to be asked.
  bool heartbeat = false;
};

// What the collector itself took, in the threads of CUPTI.
struct CuptiCost {
  uint64_t callback_ns = 0;
  uint64_t records = 0;
  uint64_t buffers = 0;
};

// Nothing where it runs. kAacoUnavailable: there is no CUPTI, or another profiler has it; kAacoUsage: it runs already.
std::optional<CuptiProblem> start_cupti(const AacoSink& sink, const CuptiOptions& options = {});
bool cupti_is_collecting();
CuptiCost cupti_cost();

// What has ended by now goes to the sink. kAll: buffers with a record of work that still runs too, whose real times are
// then lost, and calls that were held back. Only for the end.
enum class CuptiFlush : uint8_t { kEnded, kAll };
std::optional<CuptiProblem> flush_cupti(CuptiFlush flush);

// Whether records still come here: another profiler of the same process that registers its buffers gets them all, and
// CUPTI tells nobody. A call of the driver that nothing else makes is recorded each time this is asked, and has to have
// come back four times later. Ask it before each flush.
bool cupti_still_delivers();
// After a last flush: whether the record of any of these calls came.
bool cupti_has_delivered();
// When the latest of these calls was made whose record came; 0: none did.
uint64_t cupti_delivered_until_ns();

// Nothing is recorded until it goes on. What was recorded by then comes with the next flush.
void pause_cupti();
void resume_cupti();

// Without a flush. The sink is not called any more. It may be started again. `switch_off`: not where another profiler
// has the records, whose switches would be ours.
void stop_cupti(bool switch_off = true);

// Another profiler had the records and has ended: they come here again from now on.
std::optional<CuptiProblem> reclaim_cupti();

// Around a fork: the child's copy must not find the lock taken by a thread that it has not got.
void lock_cupti();
void unlock_cupti();

}  // namespace aaco::gpu
