// SPDX-License-Identifier: MIT
// Outputs that hold NaN or infinity: which, how many of their elements, and which inputs of aaco's own making may be
// the reason.
#pragma once

#include <map>
#include <string>

#include "kind/model_run/request/worker_plan.h"
#include "model/graph/onnx_graph.h"
#include "model/inputs/input_values.h"
#include "record/recording.h"

namespace aaco {

// "12 of 64 elements are NaN, 3 infinite".
std::string count_nonfinite(const HostTensor& tensor);

// Made of ones only, or of zeros only, as masks are.
bool is_made_mask(const InputNote& note);

// What else an input might hold: of a made mask ones for zeros and zeros for ones; of other floating inputs their
// magnitudes, none zero. Without data where there is nothing else to try.
HostTensor other_values(const HostTensor& tensor, const InputNote& note);

// Fills nonfinite_outputs and made_suspects: the made inputs with other values of which the inspected outputs were
// finite; where none cures them, all made ones from which such an output can be reached. `files`: inputs that are the
// user's.
void tell_nonfinite(const WorkerResult& inspected, const ModelGraph& graph,
                    const std::map<std::string, std::string>& files, RunFacts& facts);

// "output y holds NaN or infinity (4 of 4 elements are NaN, 0 infinite); aaco made x (ones)".
std::string nonfinite_reason(const RunFacts& facts);

}  // namespace aaco
