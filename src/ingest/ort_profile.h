// SPDX-License-Identifier: MIT
// ONNX Runtime's profile (a Chrome-trace JSON array) as kernel rows. Its times are whole microseconds since profiling
// began, and each node's duration contains the profiler's own cost: what is read here is what was written, unmended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/rows.h"

namespace aaco {

// A list in Chrome's format whose first event is of the session.
bool is_ort_profile(std::string_view head);

struct OrtProfileOptions {
  int64_t process = 0;
  int64_t time_zero_ns = 0;  // session time of the profile's zero
  NodeActivity activity = NodeActivity::kHostKernel;
  int64_t skip_runs = 0;  // warm-up runs at the beginning, left out; iter_idx counts them all the same
};

struct ProfiledShape {
  std::vector<int64_t> dims;  // -1: not the same in every execution
  std::string dtype;          // ONNX Runtime's word: "float", "int64", ...; "": not the same in every execution
};

// Keeps of `shape` what `other` agrees with; false where the ranks differ.
bool keep_common(ProfiledShape& shape, const ProfiledShape& other);

// A node as the first run that has it shows it: what its executions there (a loop's iterations) have in common. No
// shapes where not even their ranks are.
struct ProfiledNode {
  int64_t run = 0;
  std::string op_type;
  std::string provider;
  std::vector<ProfiledShape> inputs;
  std::vector<ProfiledShape> outputs;
};

struct OrtProfile {
  std::vector<KernelRow> kernels;             // in file order; iter_idx counts every run of the file
  int64_t runs = 0;                           // whole runs, skipped ones not counted
  int64_t events = 0;                         // of every kind
  std::map<std::string, ProfiledNode> nodes;  // by node name, of the runs that were not skipped
  std::vector<std::string> losses;            // what could not be read, or came without its run's end
  int64_t events_lost = 0;                    // by those, at least; none of them is of a run in `kernels`
};

// A control-flow node (Loop, If, Scan) contains its body's nodes: its dur_ns is reduced to its own time.
// Errors: kUsage for a file that is no such profile, with the byte offset where there is one.
Result<OrtProfile> parse_ort_profile(std::string_view bytes, const std::string& source,
                                     const OrtProfileOptions& options);
Result<OrtProfile> read_ort_profile(const std::filesystem::path& path, const OrtProfileOptions& options);

}  // namespace aaco
