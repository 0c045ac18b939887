// SPDX-License-Identifier: MIT
#include "run_op.h"

#include "device/gpu/libraries/conv_library.h"
#include "device/gpu/run_on_gpu.h"

namespace aaco::gpu {

// The definitions of StreamContext that no vendor's runtime is needed for.
void StreamContext::keep_text(int32_t aaco_status, std::string text, const char* file, int line) {
  if (!failed()) {
    failure_status = aaco_status;
    failure = std::move(text) + " at " + file + ':' + std::to_string(line);
  }
}

// Matrix products are rocBLAS's or cuBLASLt's; beside them stand our kernels for what they lack.
void run_on_gpu(StreamContext& stream, const GemmArgs& /*args*/) { stream.keep_text(3, kNotOurs, __FILE__, __LINE__); }

// So that the kernel of convolutions is what runs.
bool convolve_by_library(StreamContext& /*stream*/, const ConvArgs& /*args*/) { return false; }

extern "C" __attribute__((visibility("default"))) void aaco_lockstep_run_op(OpId op, const void* args,
                                                                            const DeviceLimits& limits,
                                                                            std::string& failure) {
  StreamContext stream;
  stream.limits = limits;
  switch (op) {
#define AACO_RUN(Name, text)                                   \
  case OpId::k##Name:                                          \
    run_on_gpu(stream, *static_cast<const Name##Args*>(args)); \
    break;
    AACO_OPS(AACO_RUN)
#undef AACO_RUN
  }
  failure = stream.failure;
}

}  // namespace aaco::gpu
