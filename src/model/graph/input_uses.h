// SPDX-License-Identifier: MIT
// How it is found what a model does with the values of its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/graph/tensor_facts.h"
#include "model/input_use.h"

namespace aaco {

class NodeView;

// Notes in `uses` what `node` does with values that come from inputs. A node of another domain than ONNX's and ONNX
// Runtime's own is not known.
void note_uses(const NodeView& node, InputUses& uses);

// Of an input of the model; null for one without numbers, and where a name says mask: what is made for those is ones.
InputTraces trace_of_input(const std::string& name, const TensorFacts& facts);

// Where the values of a body's inputs come from, of a node that has bodies; a loop's gets its iteration's number first.
std::vector<InputTraces> passed_to_body(const std::vector<const TensorFacts*>& inputs, bool is_loop);

// The x of `trace` that index something of `size`, from the front, or from its end where more of them do; none where no
// x does.
std::optional<ValueRange> range_of(const InputTrace& trace, int64_t size);

}  // namespace aaco
