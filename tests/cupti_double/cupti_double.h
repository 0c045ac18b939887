// SPDX-License-Identifier: MIT
// Stands in for libcupti.so.13: it has the functions that aaco calls, delivers records of work that a program invents,
// and fails as CUPTI can. It keeps a buffer a thread, as CUPTI does, and hands a buffer over when it is full or flushed
// and holds no record of work that still runs.
#pragma once

#include <cstdint>

extern "C" {

// A launch by the calling thread and its kernel. `duration_ns` 0: it still runs.
void cupti_double_kernel(const char* name, uint32_t stream, uint64_t duration_ns, uint64_t graph_node);
// What the calling thread launched and still ran has ended now.
void cupti_double_finish();
// A call of the runtime, around one of the driver, that copies.
void cupti_double_copy(uint64_t bytes);
// CUPTI lost so many records.
void cupti_double_drop(uint64_t count);
// Another part of the program registers buffers of its own: records go there.
void cupti_double_take_over();
// They have ended: nothing more goes to their buffers, and who registers buffers next gets the records. Where they are
// subscribed, they are no longer.
void cupti_double_give_back();
// Callbacks of resources to whoever is subscribed: a kernel's node is created, by capture or by hand; or as a clone,
// and around an instantiation.
void cupti_double_node(uint64_t node);
void cupti_double_clone(uint64_t node, uint64_t original);
void cupti_double_instantiate(bool begins);
// What cuDriverGetVersion leaves.
void cupti_double_driver_call(uint32_t callback_id);
}
