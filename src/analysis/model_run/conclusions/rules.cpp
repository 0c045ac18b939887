// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/rules.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/model_run/conclusions/offenders.h"

namespace aaco {

namespace {

using enum OffenderCause;

constexpr size_t kMostOffenders = 10;
constexpr double kAtRoof = 0.7;
constexpr const char* kOrtThreads = "ONNX Runtime documentation, Thread management";
constexpr const char* kOrtGraph = "ONNX Runtime documentation, Graph optimizations";
constexpr const char* kTorchTuning = "PyTorch documentation, Performance Tuning Guide";
constexpr const char* kTorchCompile = "PyTorch documentation, torch.compile";
constexpr const char* kTorchFsdp = "PyTorch documentation, fully_shard: prefetching and overlap";
constexpr const char* kRoofline = "Williams, Waterman, Patterson: Roofline (CACM 2009)";

bool one_of(std::string_view op, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

bool is_dense(const OffenderCase& offender) {
  return one_of(offender.op_type, {"Conv", "FusedConv", "ConvTranspose", "Gemm", "FusedGemm", "MatMul", "FusedMatMul",
                                   "Attention", "product", "convolution", "attention"});
}

bool only_moves_data(const OffenderCase& offender) {
  return one_of(offender.op_type, {"Transpose", "Concat", "Slice", "Split", "Gather", "Pad", "Expand", "Tile",
                                   "Reshape", "Squeeze", "Unsqueeze", "ReorderInput", "ReorderOutput", "Identity"});
}

bool is_pattern_part(const OffenderCase& offender) {
  return one_of(offender.op_type, {"Softmax", "ReduceMean", "Pow", "Sqrt", "Erf", "Tanh", "LayerNormalization"});
}

bool at_roof(const OffenderCase& offender) { return offender.roof_fraction.value_or(0) >= kAtRoof; }
bool bound_by(const OffenderCase& offender, RoofBound roof) { return offender.roof == roof; }
bool caused_by(const OffenderCase& offender, OffenderCause cause) { return offender.cause == cause; }

bool uses_matrix_units(const OffenderCase& offender) {
  return caused_by(offender, kOperator) && one_of(offender.op_type, {"product", "convolution", "attention"});
}

constexpr std::array kRules{
    // Of traces.
    Rule{"inspect-the-longest-kernel", [](const OffenderCase& offender) { return caused_by(offender, kKernel); },
         "No operator is known to have launched it: collect its counters (rocprof-compute, Nsight Compute), or record "
         "operators and shapes beside it.",
         kRoofline},
    Rule{"keep-the-device-fed", [](const OffenderCase& offender) { return caused_by(offender, kLateHost); },
         "The host launches too late, and no known pattern says why: look at what its launching thread did then "
         "(PyTorch records Python functions with with_stack=True), and move what is no launching off it.",
         kTorchTuning},
    Rule{"avoid-synchronisation", [](const OffenderCase& offender) { return caused_by(offender, kHostWaits); },
         "The host waits for the device and launches nothing meanwhile: remove .item(), .cpu(), printing and shapes "
         "that depend on data from the loop, and copy with non_blocking from pinned memory.",
         kTorchTuning},
    Rule{"hide-copies", [](const OffenderCase& offender) { return caused_by(offender, kCopy); },
         "Copy on a stream of its own from pinned memory while computation runs (pin_memory, non_blocking=True, "
         "prefetching), or keep the data on the device.",
         kTorchTuning},
    Rule{
        "avoid-device-copies", [](const OffenderCase& offender) { return caused_by(offender, kCopyWithin); },
        "Most of it copies within the device: choose layouts in which neighbours agree (.contiguous() and .clone() are "
        "such copies), and write results where they are needed (out=, views of one buffer).",
        kTorchTuning},
    Rule{"overlap-communication", [](const OffenderCase& offender) { return caused_by(offender, kCommunication); },
         "Start collectives earlier and in parts (bucket sizes, prefetching of FSDP), give them computation that does "
         "not depend on them, or send less (lower precision, accumulation of gradients).",
         kTorchFsdp},
    Rule{"relax-stream-dependencies", [](const OffenderCase& offender) { return caused_by(offender, kStreams); },
         "A stream waits for another: record the event that it waits for earlier, or put independent work between.",
         "CUDA and HIP documentation, streams and events"},
    Rule{"fuse-elementwise-runs", [](const OffenderCase& offender) { return caused_by(offender, kElementwiseRuns); },
         "Element-wise kernels follow each other: fuse them (torch.compile, a fused operator or optimiser), so that "
         "what is between them never goes to memory.",
         kTorchCompile},
    Rule{"fewer-larger-kernels",
         [](const OffenderCase& offender) {
           return caused_by(offender, kSmallKernels) ||
                  (caused_by(offender, kOperator) && bound_by(offender, RoofBound::kLatency));
         },
         "They are shorter than what starting them costs: batch or fuse them (torch.compile, foreach or fused "
         "optimisers, larger batch), or replay them from a graph.",
         kTorchCompile},
    Rule{"raise-matrix-efficiency",
         [](const OffenderCase& offender) {
           return uses_matrix_units(offender) && !at_roof(offender) && bound_by(offender, RoofBound::kCompute);
         },
         "Far below the roof of the matrix units: make its dimensions multiples of their tiles (64 and more), batch "
         "small "
         "products together, tune the library (TunableOp, hipBLASLt or cuBLASLt heuristics, MIOpen or cuDNN benchmark "
         "mode), and use a fused attention kernel.",
         kTorchTuning},
    Rule{"fewer-larger-operators",
         [](const OffenderCase& offender) {
           return caused_by(offender, kHostOperator) && bound_by(offender, RoofBound::kLatency);
         },
         "They are shorter than what starting them costs: batch or fuse them (torch.compile, foreach or fused "
         "optimisers, a "
         "fused operator in the model, larger batch).",
         kTorchCompile},
    Rule{"avoid-copies",
         [](const OffenderCase& offender) {
           return caused_by(offender, kHostOperator) && offender.op_type == "movement";
         },
         "It computes nothing: choose layouts in which neighbours agree (.contiguous() and .clone() are copies), and "
         "write "
         "results where they are needed (out=, views of one buffer).",
         kTorchTuning},
    // Of runs, and of operators of traces.
    Rule{"free-the-processors",
         [](const OffenderCase& offender) { return caused_by(offender, kContention) || offender.crowded; },
         "Give the run processors of its own: stop what competes, pin it (--pin), or use fewer threads than there are "
         "free processors (--threads).",
         "proc(5), schedstat: run delay"},
    Rule{"denormals-as-zero", [](const OffenderCase& offender) { return caused_by(offender, kDenormals); },
         "Let denormal numbers count as zero: --option session.set_denormal_as_zero=1 (in ONNX Runtime's own calls a "
         "session configuration entry); or set such weights to zero at export. Check that the outputs stay right.",
         "ONNX Runtime, onnxruntime_session_options_config_keys.h: set_denormal_as_zero"},
    Rule{"raise-the-quota", [](const OffenderCase& offender) { return caused_by(offender, kQuota); },
         "Raise the quota, or use no more threads than it allows processors (--threads): ",
         "Linux kernel documentation, CFS Bandwidth Control"},
    Rule{"hold-the-clock", [](const OffenderCase& offender) { return caused_by(offender, kThrottling); },
         "Find what lowers the clock: power cap, cooling, or the governor; measure again at a fixed clock.",
         "Linux kernel documentation, CPUFreq"},
    Rule{"fuse-elementwise-chain", [](const OffenderCase& offender) { return caused_by(offender, kFusion); },
         "Fuse the chains: export the model with the fused operator (Gelu, LayerNormalization, ...), or use a backend "
         "that compiles element-wise chains into one kernel.",
         kOrtGraph},
    Rule{"keep-nodes-on-the-device", [](const OffenderCase& offender) { return caused_by(offender, kFallback); },
         "These nodes ran on the CPU between device nodes, with copies on both sides: replace the operator or its data "
         "type by one that the provider takes (runtime/partition.json lists them).",
         "ONNX Runtime documentation, Execution providers"},
    Rule{
        "keep-tensors-on-the-device", [](const OffenderCase& offender) { return caused_by(offender, kHostCopies); },
        "Keep tensors on the device: bind inputs and outputs there (I/O binding), move nodes that the provider left to "
        "the CPU (runtime/partition.json lists them), and send less (crop, convert or quantise on the sending side).",
        "ONNX Runtime documentation, I/O Binding"},
    Rule{"fewer-launches",
         [](const OffenderCase& offender) { return caused_by(offender, kDispatch) && offender.on_gpu; },
         "The host launches too slowly for such short kernels: replay the inference as one graph where the provider "
         "can, "
         "or take a larger batch or fused operators. aaco run --try cuda-graph,batch measures what each gains.",
         "ONNX Runtime documentation, CUDA Execution Provider: enable_cuda_graph"},
    Rule{"one-thread-for-short-nodes",
         [](const OffenderCase& offender) { return caused_by(offender, kDispatch) && offender.threads > 1; },
         "The nodes are too short to be shared by threads: compare --threads 1; then make fewer and larger nodes "
         "(larger batch, fused operators, graph optimization level all).",
         kOrtThreads},
    Rule{"fewer-larger-nodes", [](const OffenderCase& offender) { return caused_by(offender, kDispatch); },
         "Make fewer and larger nodes: a larger batch, fused operators, graph optimization level all.", kOrtGraph},
    Rule{
        "remove-data-movement", only_moves_data,
        "It computes nothing: choose the layout in which its neighbours agree, fold it at export, or let it be a view.",
        kOrtGraph},
    Rule{"remove-casts", [](const OffenderCase& offender) { return offender.op_type == "Cast"; },
         "Keep one data type across the neighbours: casts mark places where an operator lacks the model's "
         "precision.",
         kOrtGraph},
    Rule{"lower-precision-at-compute-roof",
         [](const OffenderCase& offender) { return at_roof(offender) && bound_by(offender, RoofBound::kCompute); },
         "It runs at the arithmetic roof of its precision: only a lower precision (int8, fp16 where the hardware has "
         "it) or less arithmetic makes it faster.",
         kRoofline},
    Rule{"less-traffic-at-memory-roof",
         [](const OffenderCase& offender) { return at_roof(offender) && bound_by(offender, RoofBound::kMemory); },
         "It runs at the memory roof: move fewer bytes (lower precision, fusion with its neighbours) or make the "
         "tensors fit the cache (smaller batch).",
         kRoofline},
    Rule{"raise-dense-efficiency",
         [](const OffenderCase& offender) { return is_dense(offender) && bound_by(offender, RoofBound::kCompute); },
         "Far below the arithmetic roof: look at its shapes (small or odd dimensions, batch 1), its thread count, and "
         "whether weights are packed ahead.",
         kRoofline},
    Rule{"use-fused-operator", is_pattern_part,
         "Often part of a pattern (attention, layer normalisation, Gelu) that has a fused operator: export it as such.",
         kOrtGraph},
    Rule{"raise-memory-efficiency", [](const OffenderCase& offender) { return bound_by(offender, RoofBound::kMemory); },
         "Limited by traffic but below the memory roof: fuse it with its producer, or check that its access is "
         "contiguous.",
         kRoofline},
    Rule{"count-its-work",
         [](const OffenderCase& offender) { return offender.offender.bound.starts_with("unknown: no formula"); },
         "Its FLOPs are not known, so nobody can say how far from a roof it is: compare it with the same operator in "
         "another model or backend.",
         kRoofline},
    Rule{"measure-the-device",
         [](const OffenderCase& offender) {
           return offender.on_gpu && (offender.offender.bound.starts_with("unknown: the roofs") ||
                                      offender.offender.bound.starts_with("unknown: not measured") ||
                                      offender.offender.bound.starts_with("unknown: no roof"));
         },
         "Run with --profile and without --no-roofs: the roofs of the device are measured then. Without them its stake "
         "is "
         "only bounded by its time.",
         "docs/measuring/rooflines.md"},
    Rule{"measure-the-roofs",
         [](const OffenderCase& offender) {
           return offender.offender.bound.starts_with("unknown: the roofs") ||
                  offender.offender.bound.starts_with("unknown: no ");
         },
         "Measure this machine's roofs (aaco doctor --measure), then run again (a trace's report takes them by "
         "--roofs): "
         "without them its stake is only bounded by its time.",
         kRoofline},
    Rule{"inspect-the-largest", [](const OffenderCase&) { return true; },
         "It takes the largest share that can be named: look at its shapes and neighbours in the report.",
         "none: no more special rule applies"},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

void apply_rules(OffenderCase& offender) {
  const Rule& rule =
      *std::find_if(kRules.begin(), kRules.end(), [&](const Rule& candidate) { return candidate.applies(offender); });
  offender.offender.rule = rule.id;
  offender.offender.recommendation = rule.recommendation;
}

std::vector<Offender> rank_offenders(std::vector<OffenderCase> cases) {
  std::sort(cases.begin(), cases.end(), [](const OffenderCase& a, const OffenderCase& b) {
    const bool a_unknown = a.offender.stake_basis.starts_with(kUnknownStake);
    const bool b_unknown = b.offender.stake_basis.starts_with(kUnknownStake);
    return std::tie(a_unknown, b.offender.stake_ns, a.offender.subject) <
           std::tie(b_unknown, a.offender.stake_ns, b.offender.subject);
  });
  cases.resize(std::min(cases.size(), kMostOffenders));
  std::vector<Offender> offenders;
  for (OffenderCase& offender : cases) {
    if (offender.offender.rule.empty()) {
      apply_rules(offender);
    }
    offenders.push_back(std::move(offender.offender));
  }
  return offenders;
}

}  // namespace aaco
