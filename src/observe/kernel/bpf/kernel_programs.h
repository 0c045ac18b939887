// SPDX-License-Identifier: MIT
// The programs while they are loaded: their maps, their rings, what they cost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "observe/kernel/bpf/records.h"

struct bpf_object;
struct bpf_link;
struct ring_buffer;

namespace aaco {

class KernelPrograms {
 public:
  // Loads and attaches them. Errors: kUnavailable.
  static Result<std::unique_ptr<KernelPrograms>> load(bool stacks);
  KernelPrograms(const KernelPrograms&) = delete;
  KernelPrograms& operator=(const KernelPrograms&) = delete;
  ~KernelPrograms();

  void observe(int process);
  std::vector<int> observed_processes() const;
  // Program `program` from now on at the start, or at each return, of a function of the file. Errors: that the file has
  // no such function; that it is not allowed.
  Result<void> probe(const char* program, const std::string& file, const char* function, bool returns);
  // Each record since the last call: its kind is its first field. Those of one ring are in the order of their ends.
  void read(const std::function<void(std::span<const std::byte>)>& take);
  // Frames, innermost first; empty where there are none.
  std::vector<uint64_t> stack(int stack) const;

  kernel_losses losses() const;
  int64_t open_spans() const;  // threads that do not run now
  // To count takes half as long as the programs themselves (two readings of a clock at each run), so that it is done
  // some of the time. Needs CAP_SYS_ADMIN; without it nothing is counted.
  void count_cost(bool counts);
  struct Cost {
    int64_t counted_ns = 0;   // how long runs were counted
    int64_t attached_ns = 0;  // of that time
    int64_t runs = 0;         // while they were counted
    int64_t ns = 0;           // likewise
    int64_t misses = 0;       // the kernel did not run a program, since it ran on that processor already
  };
  Cost cost() const;  // of all programs so far
  // Programs whose tracepoint this kernel does not have.
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  KernelPrograms() = default;
  Result<void> load_object(bool stacks);
  Result<void> attach();
  int map(const char* name) const;

  bpf_object* object_ = nullptr;
  std::vector<bpf_link*> links_;
  ring_buffer* rings_ = nullptr;
  const std::function<void(std::span<const std::byte>)>* take_ = nullptr;
  std::vector<std::string> missing_;
  int statistics_ = -1;
  int64_t counted_from_ns_ = 0;
  int64_t counted_ns_ = 0;
  int64_t attached_ns_ = 0;
};

}  // namespace aaco
