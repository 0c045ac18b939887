// SPDX-License-Identifier: MIT
#include "analysis/rules.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace aaco {

namespace {

constexpr double kAtRoof = 0.7;
constexpr const char* kOrtThreads = "ONNX Runtime documentation, Thread management";
constexpr const char* kOrtGraph = "ONNX Runtime documentation, Graph optimizations";
constexpr const char* kRoofline = "Williams, Waterman, Patterson: Roofline (CACM 2009)";

bool one_of(std::string_view op, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

bool is_dense(const OffenderCase& one) {
  return one_of(one.op_type,
                {"Conv", "FusedConv", "ConvTranspose", "Gemm", "FusedGemm", "MatMul", "FusedMatMul", "Attention"});
}

bool only_moves_data(const OffenderCase& one) {
  return one_of(one.op_type, {"Transpose", "Concat", "Slice", "Split", "Gather", "Pad", "Expand", "Tile", "Reshape",
                              "Squeeze", "Unsqueeze", "ReorderInput", "ReorderOutput", "Identity"});
}

bool is_pattern_part(const OffenderCase& one) {
  return one_of(one.op_type, {"Softmax", "ReduceMean", "Pow", "Sqrt", "Erf", "Tanh", "LayerNormalization"});
}

bool at_roof(const OffenderCase& one) { return one.roof_fraction.value_or(0) >= kAtRoof; }
bool bound_by(const OffenderCase& one, const char* roof) { return one.offender.bound == roof; }

constexpr std::array kRules{
    Rule{"free-the-processors", [](const OffenderCase& one) { return one.cause == "contention"; },
         "Give the run processors of its own: stop what competes, pin it (--pin), or use fewer threads than there are "
         "free processors (--threads).",
         "proc(5), schedstat: run delay"},
    Rule{"hold-the-clock", [](const OffenderCase& one) { return one.cause == "throttling"; },
         "Find what lowers the clock: power cap, cooling, or the governor; measure again at a fixed clock.",
         "Linux kernel documentation, CPUFreq"},
    Rule{"fuse-elementwise-chain", [](const OffenderCase& one) { return one.cause == "fusion"; },
         "Fuse the chains: export the model with the fused operator (Gelu, LayerNormalization, ...), or use a backend "
         "that compiles element-wise chains into one kernel.",
         kOrtGraph},
    Rule{"keep-nodes-on-the-device", [](const OffenderCase& one) { return one.cause == "fallback"; },
         "These nodes ran on the CPU between device nodes, with copies on both sides: replace the operator or its data "
         "type by one that the provider takes (runtime/partition.json lists them).",
         "ONNX Runtime documentation, Execution providers"},
    Rule{"one-thread-for-short-nodes",
         [](const OffenderCase& one) { return one.cause == "dispatch" && one.threads > 1; },
         "The nodes are too short to be shared by threads: compare --threads 1; then make fewer and larger nodes "
         "(larger batch, fused operators, graph optimization level all).",
         kOrtThreads},
    Rule{"fewer-larger-nodes", [](const OffenderCase& one) { return one.cause == "dispatch"; },
         "Make fewer and larger nodes: a larger batch, fused operators, graph optimization level all.", kOrtGraph},
    Rule{
        "remove-data-movement", only_moves_data,
        "It computes nothing: choose the layout in which its neighbours agree, fold it at export, or let it be a view.",
        kOrtGraph},
    Rule{"remove-casts", [](const OffenderCase& one) { return one.op_type == "Cast"; },
         "Keep one data type across the neighbours: casts mark places where an operator lacks the model's precision.",
         kOrtGraph},
    Rule{"lower-precision-at-compute-roof",
         [](const OffenderCase& one) { return at_roof(one) && bound_by(one, "compute"); },
         "It runs at the arithmetic roof of its precision: only a lower precision (int8, fp16 where the hardware has "
         "it) or less arithmetic makes it faster.",
         kRoofline},
    Rule{"less-traffic-at-memory-roof", [](const OffenderCase& one) { return at_roof(one) && bound_by(one, "memory"); },
         "It runs at the memory roof: move fewer bytes (lower precision, fusion with its neighbours) or make the "
         "tensors fit the cache (smaller batch).",
         kRoofline},
    Rule{"raise-dense-efficiency", [](const OffenderCase& one) { return is_dense(one) && bound_by(one, "compute"); },
         "Far below the arithmetic roof: look at its shapes (small or odd dimensions, batch 1), its thread count, and "
         "whether weights are packed ahead.",
         kRoofline},
    Rule{"use-fused-operator", is_pattern_part,
         "Often part of a pattern (attention, layer normalisation, Gelu) that has a fused operator: export it as such.",
         kOrtGraph},
    Rule{"raise-memory-efficiency", [](const OffenderCase& one) { return bound_by(one, "memory"); },
         "Limited by traffic but below the memory roof: fuse it with its producer, or check that its access is "
         "contiguous.",
         kRoofline},
    Rule{"count-its-work",
         [](const OffenderCase& one) { return one.offender.bound.starts_with("unknown: no formula"); },
         "Its FLOPs are not known, so nobody can say how far from a roof it is: compare it with the same operator in "
         "another model or backend.",
         kRoofline},
    Rule{"measure-the-roofs",
         [](const OffenderCase& one) {
           return one.offender.bound.starts_with("unknown: the roofs") ||
                  one.offender.bound.starts_with("unknown: no ");
         },
         "Measure this machine's roofs (aaco doctor --measure), then run again: without them its stake is only bounded "
         "by its time.",
         kRoofline},
    Rule{"inspect-the-largest", [](const OffenderCase&) { return true; },
         "It takes the largest share that can be named: look at its shapes and neighbours in the report.",
         "none: no more special rule applies"},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

void apply_rules(OffenderCase& one) {
  const Rule& rule =
      *std::find_if(kRules.begin(), kRules.end(), [&](const Rule& candidate) { return candidate.applies(one); });
  one.offender.rule = rule.id;
  one.offender.recommendation = rule.recommendation;
}

}  // namespace aaco
