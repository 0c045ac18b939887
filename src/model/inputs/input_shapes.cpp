// SPDX-License-Identifier: MIT
#include "model/inputs/input_shapes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <ranges>
#include <set>
#include <string_view>

#include "model/inputs/batch_dimensions.h"
#include "model/inputs/dimension_expression.h"
#include "model/inputs/missing_inputs.h"

namespace aaco {

namespace {

constexpr int64_t kLargestInputBytes = int64_t{64} << 30;

const PortInfo* find_port(const std::vector<PortInfo>& ports, const std::string& name) {
  const auto position =
      std::find_if(ports.begin(), ports.end(), [&](const PortInfo& port) { return port.name == name; });
  return position == ports.end() ? nullptr : &*position;
}

std::string names_of(const std::vector<PortInfo>& ports) {
  std::vector<std::string> names;
  for (const PortInfo& port : ports) {
    names.push_back(port.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Error usage(std::string message, std::string hint) { return {ErrorKind::kUsage, std::move(message), std::move(hint)}; }

// Of all dimensions, and those that expressions compute with.
std::set<std::string> dimension_names(const std::vector<PortInfo>& ports) {
  std::set<std::string> plain;
  for (const PortInfo& port : ports) {
    std::ranges::copy_if(port.dim_names, std::inserter(plain, plain.end()), is_dimension_name);
  }
  std::set<std::string> names = plain;
  for (const std::string& name : plain) {
    names.merge(names_in_expression(name, plain));
  }
  return names;
}

// Every name that the user gave must be one that the model has.
Result<void> check_names(const std::vector<PortInfo>& ports, const ShapeRequest& request) {
  const std::string inputs = fmt::format("its inputs are {}", names_of(ports));
  for (const auto& [name, shape] : request.registered) {
    if (find_port(ports, name) == nullptr) {
      return usage(fmt::format("the registry gives a shape for input '{}', which the model does not have", name),
                   inputs);
    }
  }
  for (const auto& [name, shape] : request.shapes) {
    if (find_port(ports, name) == nullptr) {
      return usage(fmt::format("--shape {}: the model has no such input", name), inputs);
    }
    if (request.files.contains(name)) {
      return usage(fmt::format("--shape {} and --input {}: a file brings its shape", name, name),
                   "leave one of them out");
    }
  }
  std::vector<std::string> given;
  std::ranges::copy(std::views::keys(request.files), std::back_inserter(given));
  std::ranges::copy(std::views::keys(request.texts), std::back_inserter(given));
  for (const std::string& name : given) {
    if (find_port(ports, name) == nullptr) {
      return usage(fmt::format("--input {}: the model has no such input", name), inputs);
    }
  }
  const std::set<std::string> symbols = dimension_names(ports);
  for (const auto& [name, size] : request.dims) {
    if (!symbols.contains(name)) {
      return usage(fmt::format("--dim {}: the model has no such dimension", name),
                   symbols.empty()
                       ? "none of its dimensions has a name: --shape takes the whole shape of an input, as x=1x3x48"
                       : fmt::format("it has {}", fmt::join(symbols, ", ")));
    }
  }
  return {};
}

Result<void> check_type(const PortInfo& port) {
  if (!port.is_tensor) {
    return usage(fmt::format("input {} is a sequence, map, optional or sparse tensor", port.name),
                 "aaco feeds dense tensors: wrap the model so that its inputs are");
  }
  // A runtime may know types that came after this program (4-bit floats).
  if (element_bits(port.type) == 0 && port.type != ElementType::kString) {
    return usage(
        fmt::format("input {} has element type {}, which aaco does not know", port.name, static_cast<int>(port.type)),
        "wrap the model so that its inputs have other types");
  }
  return {};
}

// The sizes that hold across inputs: of names, and the batch.
class CommonSizes {
 public:
  // Errors: kUsage where what was given contradicts the model or itself.
  static Result<CommonSizes> find(const std::vector<PortInfo>& ports, const ShapeRequest& request) {
    CommonSizes common(ports, request);
    for (const auto& [name, size] : request.dims) {
      AACO_TRY(common.learn(name, size, "--dim " + name));
    }
    for (const auto& [name, sizes] : request.shapes) {
      AACO_TRY(common.learn_shape(*find_port(ports, name), sizes));
    }
    AACO_TRY(common.check_batch(ports));
    AACO_TRY(common.check_expressions());
    return common;
  }

  bool takes_batch(const PortInfo& port, size_t axis) const { return batch_dims_.has(port, axis); }
  int64_t batch() const { return request_.batch.value_or(batches_.size() == 1 ? *batches_.begin() : 1); }

  // Of an open dimension; none where nothing tells.
  std::optional<int64_t> size(const PortInfo& port, size_t axis) const {
    const std::string& name = port.dim_names[axis];
    if (const auto known = names_.find(name); known != names_.end()) {
      return known->second;
    }
    const SizeOfName size_of = [this](const std::string& operand) { return of_name(operand); };
    return operands_in(name).empty() ? std::nullopt : evaluate_expression(expression_of(name), size_of);
  }

  // Operands of the expression `name` that have no size.
  std::set<std::string> unknown_operands(const std::string& name) const {
    std::set<std::string> operands = operands_in(name);
    std::erase_if(operands, [this](const std::string& operand) { return of_name(operand).has_value(); });
    return operands;
  }

  void take_examples(const ExampleSizes& examples) { names_.insert(examples.names.begin(), examples.names.end()); }

 private:
  CommonSizes(const std::vector<PortInfo>& ports, const ShapeRequest& request)
      : request_(request), batch_dims_(ports), all_names_(dimension_names(ports)) {}

  // Exporters of decoders write total_sequence where others write past_sequence + sequence.
  std::string expression_of(const std::string& name) const {
    constexpr std::string_view kTotal = "total_";
    const std::string fresh = name.starts_with(kTotal) ? name.substr(kTotal.size()) : "";
    const bool both = !fresh.empty() && all_names_.contains(fresh) && all_names_.contains("past_" + fresh);
    return both ? "past_" + fresh + " + " + fresh : name;
  }

  std::set<std::string> operands_in(const std::string& name) const {
    return is_dimension_name(name) ? names_in_expression(expression_of(name), all_names_) : std::set<std::string>();
  }

  std::optional<int64_t> of_name(const std::string& name) const {
    const auto known = names_.find(name);
    return known != names_.end()        ? std::optional(known->second)
           : batch_dims_.has_name(name) ? std::optional(batch())
                                        : std::nullopt;
  }

  // A size that was given for a whole expression must be what its operands come to.
  Result<void> check_expressions() const {
    for (const auto& [name, size] : names_) {
      if (operands_in(name).empty() || expression_of(name) != name) {
        continue;  // a total may be that of a buffer
      }
      const auto computed = evaluate_expression(name, [this](const std::string& operand) { return of_name(operand); });
      if (computed && *computed != size) {
        return usage(fmt::format("dimension {} would be {}, and {} by its parts", name, size, *computed),
                     "leave it out: aaco computes it");
      }
    }
    return {};
  }

  Result<void> learn(const std::string& name, int64_t size, const std::string& flag) {
    if (batch_dims_.has_name(name)) {
      AACO_TRY(learn_batch(size, flag));
    }
    const auto [known, added] = names_.try_emplace(name, size);
    if (!added && known->second != size) {
      return usage(fmt::format("{}: dimension {} would be {} here and {} elsewhere", flag, name, size, known->second),
                   "give a dimension of one name one size");
    }
    return {};
  }

  Result<void> learn_batch(int64_t size, const std::string& flag) {
    if (request_.batch && size != *request_.batch) {
      return usage(fmt::format("{}: a batch of {} where --batch is {}", flag, size, *request_.batch),
                   "leave one of them out, or write 1 for the batch of a shape");
    }
    batches_.insert(size);
    return {};
  }

  Result<void> learn_shape(const PortInfo& port, const std::vector<int64_t>& sizes) {
    const std::string flag = fmt::format("--shape {}={}", port.name, fmt::join(sizes, "x"));
    if (!port.rank_known || (port.dims.empty() && !sizes.empty())) {
      return {};  // the runtime decides
    }
    if (sizes.size() != port.dims.size()) {
      return usage(fmt::format("{}: the model's input has {} dimensions", flag, port.dims.size()),
                   "give a size for each, the batch among them");
    }
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      if (port.dims[axis] >= 0) {
        if (sizes[axis] != port.dims[axis]) {
          return usage(fmt::format("{}: axis {} is {} in the model", flag, axis, port.dims[axis]),
                       "only the dimensions that a model leaves open have a choice");
        }
        continue;
      }
      if (takes_batch(port, axis)) {
        if (sizes[axis] == 1 && request_.batch) {
          continue;
        }
        AACO_TRY(learn_batch(sizes[axis], flag));
      }
      if (is_dimension_name(port.dim_names[axis])) {
        AACO_TRY(learn(port.dim_names[axis], sizes[axis], flag));
      }
    }
    return {};
  }

  // Fixed dimensions cannot take another batch.
  Result<void> check_batch(const std::vector<PortInfo>& ports) const {
    if (request_.batch.value_or(1) == 1) {
      return {};
    }
    for (const PortInfo& port : ports) {
      for (size_t axis = 0; axis < port.dims.size(); ++axis) {
        if (port.dims[axis] < 0 && takes_batch(port, axis)) {
          return {};
        }
      }
    }
    return usage(fmt::format("--batch {}: no open dimension of the model's inputs is the batch", *request_.batch),
                 "export the model with a symbolic batch dimension, or give the sizes it has: --dim, --shape");
  }

  const ShapeRequest& request_;
  BatchDimensions batch_dims_;
  std::set<std::string> all_names_;
  std::map<std::string, int64_t> names_;
  std::set<int64_t> batches_;  // that flags other than --batch give
};

const std::vector<int64_t>* shape_of(const InputDims& shapes, const PortInfo& port) {
  const auto shape = shapes.find(port.name);
  return shape == shapes.end() ? nullptr : &shape->second;
}

// -1: nothing tells.
Result<int64_t> resolve_dim(const PortInfo& port, size_t axis, const ShapeRequest& request, const CommonSizes& common) {
  const int64_t own = port.dims[axis];
  const std::vector<int64_t>* registered = shape_of(request.registered, port);
  if (own >= 0) {
    if (registered != nullptr && (*registered)[axis] != own && !(axis == 0 && (*registered)[axis] == 1)) {
      return usage(fmt::format("input {}: axis {} is {} in the model and {} in the registry", port.name, axis, own,
                               (*registered)[axis]),
                   "correct configs/models.yaml");
    }
    return own;
  }
  const bool batch = common.takes_batch(port, axis);
  if (const std::vector<int64_t>* given = shape_of(request.shapes, port); given != nullptr) {
    return batch && (*given)[axis] == 1 ? request.batch.value_or(1) : (*given)[axis];
  }
  if (const std::optional<int64_t> known = common.size(port, axis)) {
    return *known;
  }
  if (batch && (registered == nullptr || (*registered)[axis] == 1 || common.batch() != 1)) {
    return common.batch();
  }
  return registered == nullptr ? -1 : (*registered)[axis];
}

Result<std::vector<int64_t>> resolve_port(const PortInfo& port, const ShapeRequest& request,
                                          const CommonSizes& common) {
  const std::vector<int64_t>* registered = shape_of(request.registered, port);
  if (registered != nullptr && port.rank_known && registered->size() != port.dims.size()) {
    return usage(fmt::format("input {}: {} dimensions in the model, {} in the registry", port.name, port.dims.size(),
                             registered->size()),
                 "correct configs/models.yaml");
  }
  const std::vector<int64_t>* given = shape_of(request.shapes, port);
  if (given != nullptr && port.dims.empty()) {
    return *given;
  }
  if (!port.rank_known && registered != nullptr) {
    return *registered;
  }
  std::vector<int64_t> sizes;
  for (size_t axis = 0; axis < port.dims.size(); ++axis) {
    AACO_ASSIGN(const int64_t size, resolve_dim(port, axis, request, common));
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

Result<InputShapes> propose_shapes(const std::vector<PortInfo>& ports, const ShapeRequest& request) {
  AACO_TRY(check_names(ports, request));
  AACO_ASSIGN(CommonSizes common, CommonSizes::find(ports, request));
  InputShapes shapes;
  shapes.batch = common.batch();
  for (const PortInfo& port : ports) {
    AACO_TRY(check_type(port));
    if (request.files.contains(port.name)) {
      continue;
    }
    AACO_ASSIGN(std::vector<int64_t> dims, resolve_port(port, request, common));
    const bool unknown_rank =
        !port.rank_known && shape_of(request.shapes, port) == nullptr && shape_of(request.registered, port) == nullptr;
    if (unknown_rank || std::ranges::any_of(dims, [](int64_t size) { return size < 0; })) {
      shapes.open.push_back({&port, dims});
    }
    shapes.dims[port.name] = std::move(dims);
  }
  shapes.examples = example_sizes(
      shapes.open, [&](const std::string& name) { return common.unknown_operands(name); }, request.attempt);
  common.take_examples(shapes.examples);
  for (const OpenInput& input : shapes.open) {
    std::vector<int64_t>& dims = shapes.dims[input.port->name];
    if (const auto* nameless = shape_of(shapes.examples.nameless, *input.port)) {
      dims = *nameless;
    }
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      dims[axis] = dims[axis] < 0 ? common.size(*input.port, axis).value_or(1) : dims[axis];
    }
  }
  int64_t total = 0;
  for (const PortInfo& port : ports) {
    const std::vector<int64_t>* dims = shape_of(shapes.dims, port);
    const auto bytes = dims == nullptr ? std::optional<int64_t>(0) : storage_bytes(port.type, *dims);
    if (!bytes || __builtin_add_overflow(total, *bytes, &total) || total > kLargestInputBytes) {
      return usage(fmt::format("input {}: shape [{}] needs more than 64 GiB", port.name, fmt::join(*dims, ",")),
                   "use smaller sizes: --batch, --dim, --shape");
    }
  }
  return shapes;
}

Result<InputShapes> resolve_shapes(const std::vector<PortInfo>& ports, const ShapeRequest& request) {
  AACO_ASSIGN(InputShapes shapes, propose_shapes(ports, request));
  if (!shapes.open.empty()) {
    return missing_inputs(shapes.open, shapes.examples, shapes.dims, {}, request.command_line);
  }
  return shapes;
}

}  // namespace aaco
