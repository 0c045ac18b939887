// SPDX-License-Identifier: MIT
// Where the nodes of CUDA graphs were captured. A record of a replayed kernel carries the number of the node of the
// executable graph, which is a clone of the captured one, or a clone of a clone.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace aaco::gpu {

// Kernels of replayed graphs, by what is known of their nodes.
struct GraphKernelCounts {
  uint64_t named = 0;
  uint64_t outside = 0;    // captured while no range was open
  uint64_t unseen = 0;     // captured before anybody watched, or while another profiler kept us from it
  uint64_t ambiguous = 0;  // two captures, or an update, claim the node
};

class GraphNodes {
 public:
  static constexpr uint32_t kNoPath = ~uint32_t{0};

  // A node was captured, or added, within the ranges of `path`; empty: within none.
  void create(uint64_t node, const std::string& path);
  // `node` does what `original` does. What create() said of it before was about whoever cloned.
  void clone(uint64_t node, uint64_t original);
  // It does something else from now on, captured elsewhere.
  void update(uint64_t node);
  // The number of the path of a replayed kernel, which is counted; kNoPath: it has none.
  uint32_t count_kernel(uint64_t node);
  std::string path(uint32_t number);
  GraphKernelCounts counts();
  // From a recording to the next.
  void reset_counts();
  void forget();
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  enum class Origin : uint8_t { kCreated, kCloned, kAmbiguous };
  struct Node {
    Origin origin = Origin::kCreated;
    uint32_t path = kNoPath;
    uint64_t original = 0;
  };
  static constexpr size_t kMostNodes = size_t{1} << 22;  // of some 48 bytes; later ones are not seen

  std::mutex mutex_;
  std::unordered_map<uint64_t, Node> nodes_;
  std::unordered_map<std::string, uint32_t> numbers_;  // of paths
  std::vector<const std::string*> paths_;
  GraphKernelCounts counts_;
};

// There is one in a process, never destroyed.
GraphNodes& graph_nodes();

}  // namespace aaco::gpu
