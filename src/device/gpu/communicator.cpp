// SPDX-License-Identifier: MIT
// Communicators between devices, of this process or of one process each, through NCCL or RCCL.
#include "device/communicator.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device/gpu/communicator_context.h"
#include "device/gpu/failure.h"
#include "device/gpu/libraries/nccl_library.h"
#include "device/gpu/module_functions.h"
#include "device/gpu/vendor_runtime.h"

namespace aaco::gpu {

namespace {

constexpr auto kPatience = std::chrono::minutes(5);

void write_library_name(char* library, size_t size) { std::snprintf(library, size, "%s", nccl_name().c_str()); }

NcclConfig config_of(const AacoCommunicatorOptions& options) {
  NcclConfig config;
  if (options.nonblocking != 0) {
    config.blocking = 0;
  }
  if (options.least_blocks > 0) {
    config.least_ctas = options.least_blocks;
  }
  if (options.most_blocks > 0) {
    config.most_ctas = options.most_blocks;
  }
  if (options.copy_engine != 0 && nccl().version >= kNcclWithCopyEngines) {
    config.cta_policy = NcclConfig::kZeroCtas;
  }
  return config;
}

}  // namespace

int32_t communicator_make(void* const* devices, int32_t count, void** communicator, char* library,
                          size_t size) noexcept {
  if (!nccl().library) {
    return AACO_GPU_FAIL(kAacoUnavailable, nccl().library.reason());
  }
  std::vector<DeviceContext*> contexts;
  std::vector<int> indices;
  for (int32_t rank = 0; rank < count; ++rank) {
    contexts.push_back(static_cast<DeviceContext*>(devices[rank]));
    indices.push_back(contexts.back()->limits.index);
  }
  std::vector<NcclComm> comms(static_cast<size_t>(count));
  if (const NcclResult result = nccl().api.comm_init_all(comms.data(), count, indices.data()); result != kNcclSuccess) {
    for (const NcclComm comm : comms) {  // of the ranks that had one by then
      if (comm != nullptr) {
        static_cast<void>(nccl().api.comm_abort(comm));
      }
    }
    return AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclCommInitAll"));
  }
  write_library_name(library, size);
  *communicator = new CommunicatorContext(std::move(contexts), std::move(comms), 0, count);
  return kAacoOk;
}

int32_t communicator_id(void* id, size_t size) noexcept {
  if (!nccl().library) {
    return AACO_GPU_FAIL(kAacoUnavailable, nccl().library.reason());
  }
  NcclId nccl_id{};
  if (size < sizeof nccl_id) {
    return AACO_GPU_FAIL(kAacoUsage, "an id needs " + std::to_string(sizeof nccl_id) + " bytes");
  }
  if (const NcclResult result = nccl().api.get_unique_id(&nccl_id); result != kNcclSuccess) {
    return AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclGetUniqueId"));
  }
  std::memcpy(id, &nccl_id, sizeof nccl_id);
  return kAacoOk;
}

int32_t communicator_join(void* device, const void* id, size_t id_size, int32_t rank, int32_t ranks,
                          const AacoCommunicatorOptions* options, void** communicator, char* library,
                          size_t size) noexcept {
  if (!nccl().library) {
    return AACO_GPU_FAIL(kAacoUnavailable, nccl().library.reason());
  }
  NcclId own{};
  if (id_size < sizeof own || rank < 0 || rank >= ranks) {
    return AACO_GPU_FAIL(kAacoUsage, "rank " + std::to_string(rank) + " of " + std::to_string(ranks) + ", an id of " +
                                         std::to_string(id_size) + " bytes");
  }
  std::memcpy(&own, id, sizeof own);
  auto* const context = static_cast<DeviceContext*>(device);
  AACO_GPU_TRY(make_current(*context));
  if (options->registers_memory != 0) {  // read by the library when the first communicator is made
    ::setenv("NCCL_NVLS_ENABLE", "0", 0);
  }
  NcclConfig config = config_of(*options);
  NcclComm comm = nullptr;
  NcclResult result = nccl().api.comm_init_rank_config(&comm, ranks, own, rank, &config);
  if (result == kNcclInProgress) {
    result = settle(comm, result, kPatience);
  }
  if (result != kNcclSuccess) {
    if (comm != nullptr) {
      static_cast<void>(nccl().api.comm_abort(comm));
    }
    return AACO_GPU_FAIL(kAacoDevice, result == kNcclInProgress
                                          ? std::string("ncclCommInitRankConfig: the other ranks have not come")
                                          : text_of(result, "ncclCommInitRankConfig"));
  }
  write_library_name(library, size);
  *communicator = new CommunicatorContext({context}, {comm}, rank, ranks);
  return kAacoOk;
}

int32_t communicator_free(void* communicator) noexcept {
  const std::unique_ptr<CommunicatorContext> context(static_cast<CommunicatorContext*>(communicator));
  const NcclResult result = context->end();
  return result == kNcclSuccess ? kAacoOk : AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclCommDestroy"));
}

namespace {

struct RegisteredWindow {
  CommunicatorContext* communicator;
  NcclWindow window;
};

}  // namespace

int32_t memory_register(void* communicator, void* memory, size_t bytes, void** registration) noexcept {
  auto& context = *static_cast<CommunicatorContext*>(communicator);
  const NcclApi& api = nccl().api;
  if (nccl().version < kNcclWithWindows || api.window_register == nullptr || api.window_deregister == nullptr) {
    return AACO_GPU_FAIL(kAacoUnavailable, nccl_name() +
                                               " has no symmetric memory\ninstall NCCL 2.27 or newer, or set "
                                               "distributed.collectives=kernel");
  }
  if (context.comms().size() != 1) {
    return AACO_GPU_FAIL(kAacoUsage, "memory is registered by ranks that are a process each");
  }
  if (const std::string failure = context.failure(); !failure.empty()) {
    return AACO_GPU_FAIL(kAacoDevice, failure);
  }
  NcclWindow window = nullptr;
  const NcclComm comm = context.comms().front();
  NcclResult result = api.window_register(comm, memory, bytes, &window, kNcclWindowSymmetric);
  if (result == kNcclInProgress) {
    result = settle(comm, result, kPatience);
  }
  if (result != kNcclSuccess) {
    return AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclCommWindowRegister"));
  }
  if (window == nullptr) {
    return AACO_GPU_FAIL(kAacoUnavailable, nccl_name() +
                                               " gives no symmetric memory between these devices\nall ranks "
                                               "must reach each other's memory, and NCCL_CUMEM_ENABLE, "
                                               "NCCL_WIN_ENABLE must not be 0");
  }
  *registration = new RegisteredWindow{&context, window};
  return kAacoOk;
}

// Of a communicator that has failed, the end of it is the end of its windows.
int32_t memory_unregister(void* registration) noexcept {
  const std::unique_ptr<RegisteredWindow> window(static_cast<RegisteredWindow*>(registration));
  CommunicatorContext& context = *window->communicator;
  if (!context.failure().empty()) {
    return kAacoOk;
  }
  NcclResult result = nccl().api.window_deregister(context.comms().front(), window->window);
  if (result == kNcclInProgress) {
    result = settle(context.comms().front(), result, kPatience);
  }
  return result == kNcclSuccess ? kAacoOk : AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclCommWindowDeregister"));
}

}  // namespace aaco::gpu
