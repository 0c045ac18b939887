// SPDX-License-Identifier: MIT
// Which open dimensions of a model's inputs take --batch.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "model/tensor.h"

namespace aaco {

// Those named batch, batch_size or bs, or N where the model has none of these, and the leading one of an input without
// such a dimension. A leading one is not the batch where its name counts something else (num_nodes, sequence), is also
// that of another axis, or differs from that of another input, unless a name says batch or is of an exporter's making.
class BatchDimensions {
 public:
  explicit BatchDimensions(const std::vector<PortInfo>& ports);

  bool has_name(const std::string& name) const;
  bool has(const PortInfo& port, size_t axis) const;

 private:
  bool leads(const std::string& name) const;

  bool n_is_batch_;
  std::set<std::string> others_;  // names that another axis has
  bool leading_names_differ_ = false;
};

}  // namespace aaco
