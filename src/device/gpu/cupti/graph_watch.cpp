// SPDX-License-Identifier: MIT
#include "device/gpu/cupti/graph_watch.h"

#include <atomic>
#include <cupti.h>
#include <mutex>

#include "device/gpu/cupti/cupti_api.h"
#include "device/gpu/cupti/graph_nodes.h"

namespace aaco::gpu {

namespace {

constexpr CUpti_CallbackId kWatched[] = {
    CUPTI_CBID_RESOURCE_GRAPH_CREATED,     CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
    CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,  CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING,
    CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED,
};

struct Watch {
  std::mutex mutex;
  CUpti_SubscriberHandle subscriber{};
  uint64_t count = 0;
};

Watch& watch() {
  static auto* const the_watch = new Watch;
  return *the_watch;
}

std::atomic<OpenPath> path_of_thread = nullptr;
// Nodes that come up then are copies, whose place is that of their originals.
thread_local bool instantiates = false;

bool runs_on_device(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_MEMSET;
}

void see_node(CUpti_CallbackId id, const CUpti_GraphData& graph) {
  CuptiApi& api = cupti();
  uint64_t node = 0;
  if (!runs_on_device(graph.nodeType) || api.graph_node_id(graph.node, &node) != CUPTI_SUCCESS) {
    return;
  }
  if (id == CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED) {
    graph_nodes().update(node);
  } else if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
    const OpenPath open_path = path_of_thread.load(std::memory_order_acquire);
    if (!instantiates && open_path != nullptr) {
      graph_nodes().create(node, open_path());
    }
  } else if (uint64_t original = 0; api.graph_node_id(graph.originalNode, &original) == CUPTI_SUCCESS) {
    graph_nodes().clone(node, original);
  }
}

void CUPTIAPI see(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || data == nullptr) {
    return;
  }
  const void* const descriptor = static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor;
  switch (id) {
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING:
      instantiates = true;
      return;
    case CUPTI_CBID_RESOURCE_GRAPH_CREATED:  // also behind an instantiation that failed
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED:
      instantiates = false;
      return;
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED:
    case CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED:
      if (descriptor != nullptr) {
        see_node(id, *static_cast<const CUpti_GraphData*>(descriptor));
      }
      return;
    default:
      return;
  }
}

void CUPTIAPI see_nothing(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

}  // namespace

bool watch_graphs(OpenPath open_path) {
  CuptiApi& api = cupti();
  Watch& own = watch();
  const std::lock_guard lock(own.mutex);
  path_of_thread.store(open_path, std::memory_order_release);
  ++own.count;
  if (own.subscriber != nullptr) {
    return true;
  }
  if (!api.library || api.subscribe(&own.subscriber, see, nullptr) != CUPTI_SUCCESS) {
    own.subscriber = nullptr;
    return false;
  }
  for (const CUpti_CallbackId id : kWatched) {
    static_cast<void>(
        api.enable_callback(1, own.subscriber, CUPTI_CB_DOMAIN_RESOURCE, id));  // an older CUPTI has fewer
  }
  return true;
}

void unwatch_graphs() {
  Watch& own = watch();
  const std::lock_guard lock(own.mutex);
  if (own.count > 0 && --own.count == 0 && own.subscriber != nullptr) {
    static_cast<void>(cupti().unsubscribe(own.subscriber));
    own.subscriber = nullptr;
  }
}

bool another_is_subscribed() {
  Watch& own = watch();
  const std::lock_guard lock(own.mutex);
  CUpti_SubscriberHandle probe{};
  if (own.subscriber != nullptr || !cupti().library) {
    return false;
  }
  if (cupti().subscribe(&probe, see_nothing, nullptr) == CUPTI_SUCCESS) {
    static_cast<void>(cupti().unsubscribe(probe));
    return false;
  }
  return true;
}

}  // namespace aaco::gpu
