// SPDX-License-Identifier: MIT
// What one process of a training run found out: the input of its figures, and a row of its document.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "kind/training/analysis/kernel_use.h"
#include "kind/training/analysis/training_power.h"

namespace aaco {

// A step's operations of one phase and one part of the model, counted from their arguments.
struct TrainingPart {
  std::string phase;  // "forward", "backward", "optimizer"
  std::string part;   // "products", "attention", ...
  int64_t operations = 0;
  double flops = 0;
  double ideal_bytes = 0;  // every array once
};

// The same of one phase and one module of the model: "embedding", "attention", "mlp", "norms", "head", "loss",
// "optimizer".
struct TrainingModule {
  std::string phase;
  std::string module;
  int64_t operations = 0;
  double flops = 0;
  double ideal_bytes = 0;
};

// What a step is, the same in every process.
struct TrainingWork {
  int64_t parameters = 0;
  int64_t tokens = 0;     // of a step
  int64_t sequences = 0;  // of a step
  int64_t operations = 0;
  double flops = 0;        // of all operations, as counted from their arguments
  double model_flops = 0;  // of the mathematics, whatever the version computes: three times the forward products
  double ideal_bytes = 0;
  int64_t streams = 0;
  std::vector<TrainingPart> parts;
  std::vector<TrainingModule> modules;
  // What its arrays take by a closed form, in bytes: "weights", "gradients", "moments", "activations", "working",
  // "data"; and "all", their sum.
  std::map<std::string, double> memory;
  std::optional<double> pytorch_peak_bytes;  // of PyTorch's eager step, by another closed form, where it is known
};

// Alone, everything else of the step left out; the median of several times.
struct TrainingPartTime {
  std::string phase;
  std::string part;  // empty: the whole phase
  double ns = 0;
};

struct TrainingModuleTime {
  std::string phase;
  std::string module;
  double ns = 0;
};

// What the device's own records say of some steps, in a process apart.
struct TrainingActivity {
  int64_t steps = 0;
  int64_t kernels = 0;    // of all of them
  int64_t launches = 0;   // calls of the host that enqueued something: a graph is one
  int64_t copies = 0;     // and sets of memory
  int64_t dropped = 0;    // records that the collector lost
  double busy_ratio = 0;  // of the time from the first kernel's start to the last one's end, in which a kernel ran
  std::vector<KernelUse> uses;  // of all these steps, the most time first

  // As far as a sum can tell.
  bool same_every_step() const { return steps > 0 && kernels % steps == 0; }
  double kernels_per_step() const { return static_cast<double>(kernels) / static_cast<double>(steps); }
  double launches_per_step() const { return static_cast<double>(launches) / static_cast<double>(steps); }
};

struct TrainingProcess {
  int64_t process = 0;
  int64_t pid = 0;
  double load_ms = 0;
  int64_t steps = 0;  // measured
  int64_t wall_ns = 0;
  bool stationary = false;
  std::optional<double> p50_ns;
  std::optional<double> dispatch_p50_ns;
  int64_t allocated_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t library_bytes = 0;
  std::optional<int64_t> reserved_bytes;
  std::vector<double> losses;  // of every step since the first, warm-up included
  std::string weights;         // behind the last step, as a sum of their bits: "00c0ffee00c0ffee"; empty: not read
  std::vector<TrainingPartTime> parts;
  std::vector<TrainingModuleTime> modules;
  std::optional<TrainingPower> power;  // where it was asked for
  bool interrupted = false;
};

void to_json(Json& json, const TrainingPart& part);
void from_json(const Json& json, TrainingPart& part);
void to_json(Json& json, const TrainingModule& module);
void from_json(const Json& json, TrainingModule& module);
void to_json(Json& json, const TrainingModuleTime& time);
void from_json(const Json& json, TrainingModuleTime& time);
void to_json(Json& json, const TrainingWork& work);
void from_json(const Json& json, TrainingWork& work);
void to_json(Json& json, const TrainingPartTime& time);
void from_json(const Json& json, TrainingPartTime& time);
void to_json(Json& json, const TrainingActivity& activity);
void from_json(const Json& json, TrainingActivity& activity);
void to_json(Json& json, const TrainingProcess& process);
void from_json(const Json& json, TrainingProcess& process);

}  // namespace aaco
