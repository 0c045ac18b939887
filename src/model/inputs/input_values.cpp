// SPDX-License-Identifier: MIT
#include "model/inputs/input_values.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/element_values.h"
#include "model/input_names.h"
#include "model/inputs/sequence_length.h"
#include "model/seeded_random.h"
#include "model/tensor_file.h"

namespace aaco {

namespace {

constexpr Bell kBell{0, 1};
// Longer lists of examples are one number, which stands for all elements.
constexpr size_t kLongestExample = 64;
// Where the model does not tell what a value must be, by attempt.
constexpr std::array<int64_t, kExampleAttempts> kExampleValues{10, 10, 1, 2, 4, 1, 8, 3, 16};

struct FillNote {
  std::string values;
  std::string why;
};

// What one input's values are made from.
struct Making {
  HostTensor& tensor;
  const InputUse& use;
  std::optional<SequenceLength> steps;  // of an input whose name says length
  uint64_t seed = 0;
  int64_t attempt = 0;
  bool flipped = false;  // a mask made the other way round

  size_t count() const { return static_cast<size_t>(*element_count(tensor.dims)); }
};

FillNote fill_strings(Making& making) {
  for (size_t i = 0; i < making.count(); ++i) {
    making.tensor.strings.push_back(std::to_string(i));  // a model may read them as numbers
  }
  return {"the texts 0, 1, 2, ...", "a text input"};
}

FillNote fill_complex(Making& making) {
  HostTensor parts = making.tensor;
  parts.type = making.tensor.type == ElementType::kComplex64 ? ElementType::kFloat : ElementType::kDouble;
  SeededRandom random(making.seed, making.tensor.name);
  for (size_t i = 0; i < 2 * making.count(); ++i) {
    put_float(parts, i, random.bell(kBell));
  }
  making.tensor.data = std::move(parts.data);
  return {"bell-shaped, mean 0, deviation 1, in both parts", "a complex input"};
}

void put_number(HostTensor& tensor, size_t i, int64_t value) {
  is_floating(tensor.type) ? put_float(tensor, i, static_cast<double>(value)) : put_integer(tensor, i, value);
}

FillNote fill_with(Making& making, int64_t value, std::string why) {
  for (size_t i = 0; i < making.count(); ++i) {
    put_number(making.tensor, i, value);
  }
  return {std::to_string(value), std::move(why)};
}

FillNote fill_mask(Making& making) {
  const bool boolean = making.tensor.type == ElementType::kBool;
  const bool ignores = boolean && names_ignored(making.tensor.name);
  const bool is_one = making.flipped == ignores;
  fill_with(making, is_one ? 1 : 0, "");
  return {is_one ? "ones" : "zeros", ignores   ? "its name says that true leaves a place out"
                                     : boolean ? "a boolean input"
                                               : "its name says mask"};
}

FillNote fill_positions(Making& making) {
  const int64_t last = making.tensor.dims.back();
  const int64_t low = making.use.range ? making.use.range->low : 0;
  const int64_t rows = making.use.range ? making.use.range->high - low + 1 : last;
  for (size_t i = 0; i < making.count(); ++i) {
    put_integer(making.tensor, i, low + static_cast<int64_t>(i) % last % rows);
  }
  std::string values = low == 0 ? "0, 1, 2, ... along the last axis"
                                : fmt::format("{}, {}, {}, ... along the last axis", low, low + 1, low + 2);
  return rows < last
             ? FillNote{fmt::format("{}, again from {} after {}", values, low, low + rows - 1), making.use.range_why}
             : FillNote{std::move(values), "its name says position"};
}

// Uniform over each range; one for all places, or one for each place on the last axis.
FillNote fill_indices(Making& making) {
  const std::vector<ValueRange>& columns = making.use.columns;
  const bool apart = !columns.empty() && !making.tensor.dims.empty() &&
                     making.tensor.dims.back() == static_cast<int64_t>(columns.size());
  const int64_t greatest = greatest_of(making.tensor.type);
  SeededRandom random(making.seed, making.tensor.name);
  std::vector<std::string> texts;
  for (size_t i = 0; i < making.count(); ++i) {
    const ValueRange range = apart ? columns[i % columns.size()] : *making.use.range;
    const int64_t high = std::min(range.high, greatest);
    const auto places = static_cast<uint64_t>(std::max<int64_t>(high - range.low + 1, 1));
    put_integer(making.tensor, i, range.low + static_cast<int64_t>(random.next() % places));
    if (texts.size() < columns.size() && apart) {
      texts.push_back(fmt::format("{} to {}", range.low, high));
    }
  }
  const std::string values =
      apart ? fmt::format("uniform integers from {}, by the place on the last axis", fmt::join(texts, ", from "))
            : fmt::format("uniform integers from {} to {}", making.use.range->low,
                          std::min(making.use.range->high, greatest));
  return {values, making.use.range_why};
}

FillNote fill_bits(Making& making) {
  SeededRandom random(making.seed, making.tensor.name);
  for (size_t i = 0; i < making.count(); ++i) {
    put_integer(making.tensor, i, static_cast<int64_t>(random.next() % 2));
  }
  return {"uniform integers from 0 to 1", "nothing in the model tells which values it takes"};
}

// Floats are lengths and sizes only where the model uses them as such.
std::optional<FillNote> fill_length(Making& making) {
  const InputUse& use = making.use;
  if (use.length) {
    const int64_t value = use.range ? std::min(*use.length, use.range->high) : *use.length;
    return fill_with(making, value, use.length_why);
  }
  if (!making.steps || is_floating(making.tensor.type)) {
    return std::nullopt;
  }
  const int64_t steps =
      use.range ? std::clamp(making.steps->steps, use.range->low, use.range->high) : making.steps->steps;
  return fill_with(making, std::min(steps, greatest_of(making.tensor.type)),
                   fmt::format("its name says length, and {} has {} steps", making.steps->input, making.steps->steps));
}

// Values that the model takes where a user would know them.
NeededValues fill_example(Making& making) {
  const InputUse& use = making.use;
  const size_t count = making.count();
  const int64_t plain = kExampleValues[static_cast<size_t>(making.attempt)];
  const int64_t otherwise = use.range ? use.range->high : use.example.empty() ? plain : use.example.begin()->second;
  const bool computed = making.attempt % 2 == 0;  // the other attempts are for what is not understood
  std::vector<int64_t> values;
  for (size_t i = 0; i < count; ++i) {
    const auto known = use.example.find(static_cast<int64_t>(i));
    const int64_t value = !computed ? plain : known == use.example.end() ? otherwise : known->second;
    put_number(making.tensor, i, value);
    values.push_back(value);
  }
  const bool alike = std::ranges::all_of(values, [&](int64_t value) { return value == values.front(); });
  const std::string text = count == 0                                 ? std::to_string(otherwise)
                           : alike || values.size() > kLongestExample ? std::to_string(values.front())
                                                                      : fmt::format("{}", fmt::join(values, ","));
  return {making.tensor.name, use.decides, text};
}

// Sizes that a float input decides are exact; a value that is computed from many floats is not one that anybody gives.
bool must_be_given(const Making& making) {
  const InputUse& use = making.use;
  if (use.decides.empty() || making.count() == 0) {
    return false;
  }
  if (is_floating(making.tensor.type)) {
    return !use.decides_reduced && !use.example.empty();
  }
  // The largest of indices into a table, or of positions that count, is what it should be.
  const bool counts = names_position(making.tensor.name) && !making.tensor.dims.empty();
  return !(use.decides_reduced && (use.range || counts)) && !(counts && making.count() > 1);
}

FillNote fill_integers(Making& making) {
  const HostTensor& tensor = making.tensor;
  const InputUse& use = making.use;
  if (names_position(tensor.name) && !tensor.dims.empty() && tensor.dims.back() > 0) {
    return fill_positions(making);
  }
  if (use.range || !use.columns.empty()) {
    return fill_indices(making);
  }
  if (!use.choice.empty() && making.count() == 1) {
    return fill_with(making, 0, use.choice);
  }
  return fill_bits(making);
}

// Fills the tensor and says with what; `needed` has it where only the user knows.
FillNote fill(Making& making, std::vector<NeededValues>& needed) {
  HostTensor& tensor = making.tensor;
  if (tensor.type == ElementType::kString) {
    return fill_strings(making);
  }
  tensor.data.assign(static_cast<size_t>(*storage_bytes(tensor.type, tensor.dims)), 0);
  if (tensor.type == ElementType::kComplex64 || tensor.type == ElementType::kComplex128) {
    return fill_complex(making);
  }
  if (names_mask(tensor.name) || tensor.type == ElementType::kBool) {
    return fill_mask(making);
  }
  if (auto length = fill_length(making)) {
    return *std::move(length);
  }
  if (must_be_given(making)) {
    needed.push_back(fill_example(making));
    return {needed.back().example, needed.back().decides};
  }
  if (!is_floating(tensor.type)) {
    return fill_integers(making);
  }
  SeededRandom random(making.seed, tensor.name);
  for (size_t i = 0; i < making.count(); ++i) {
    put_float(tensor, i, random.bell(kBell));
  }
  return {"bell-shaped, mean 0, deviation 1", "a float input"};
}

Result<HostTensor> read_given(const PortInfo& port, const std::filesystem::path& file) {
  AACO_ASSIGN(HostTensor tensor, read_tensor_file(file));
  if (tensor.type != port.type) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: {} where input {} is {}", file.string(), element_name(tensor.type), port.name,
                             element_name(port.type)),
                 "convert the file"};
  }
  tensor.name = port.name;
  return tensor;
}

// Several values tell the one open size of their input; a single one fills it, whatever its size.
void take_sizes_of_texts(const std::vector<PortInfo>& ports, InputRequest& request) {
  for (const PortInfo& port : ports) {
    const auto text = request.texts.find(port.name);
    if (text == request.texts.end() || request.shapes.contains(port.name)) {
      continue;
    }
    int64_t left = values_in_text(text->second);
    if (!port.rank_known) {
      request.shapes[port.name] = left == 1 ? std::vector<int64_t>() : std::vector<int64_t>{left};
      continue;
    }
    std::vector<int64_t> dims = port.dims;
    const auto last_open = std::ranges::find_if(dims.rbegin(), dims.rend(), [](int64_t size) { return size < 0; });
    if (left == 1 || last_open == dims.rend()) {
      continue;
    }
    for (const int64_t size : port.dims) {
      left = size > 0 && left % size == 0 ? left / size : left;
    }
    *last_open = left;
    std::ranges::replace_if(dims, [](int64_t size) { return size < 0; }, 1);
    request.shapes[port.name] = std::move(dims);
  }
}

class Maker {
 public:
  Maker(const std::vector<PortInfo>& ports, const InputRequest& request) : ports_(ports), request_(request) {}

  Result<InputSet> make() {
    take_sizes_of_texts(ports_, request_);
    AACO_ASSIGN(shapes_, propose_shapes(ports_, request_));
    AACO_TRY(read_files());
    dims_ = shapes_.dims;
    for (const auto& [name, tensor] : given_) {
      dims_[name] = tensor.dims;
    }
    learn_uses();
    InputSet inputs;
    inputs.batch = shapes_.batch;
    for (const PortInfo& port : ports_) {
      AACO_TRY(add(port, inputs));
    }
    if (!shapes_.open.empty() || !needed_.empty()) {
      inputs.missing = missing_inputs(shapes_.open, shapes_.examples, shapes_.dims, needed_, request_.command_line);
    }
    return inputs;
  }

 private:
  Result<void> read_files() {
    for (const PortInfo& port : ports_) {
      if (const auto file = request_.files.find(port.name); file != request_.files.end()) {
        AACO_ASSIGN(given_[port.name], read_given(port, file->second));
      }
    }
    return {};
  }

  // Large float inputs are data; to look into the model for them would cost time for nothing.
  bool may_decide(const PortInfo& port) const {
    constexpr int64_t kMostFloats = 64;
    const bool given = given_.contains(port.name) || request_.texts.contains(port.name);
    return !given && (!is_floating(port.type) || element_count(dims_.at(port.name)).value_or(0) <= kMostFloats);
  }

  void learn_uses() {
    if (request_.uses_of && std::ranges::any_of(ports_, [this](const PortInfo& port) { return may_decide(port); })) {
      InputTypes known;
      for (const PortInfo& port : ports_) {
        known[port.name] = {dims_.at(port.name), std::string(element_name(port.type))};
      }
      uses_ = request_.uses_of(known);
    }
    for (const auto& [name, rows] : request_.index_limits) {
      if (rows > 0 && !uses_[name].range) {
        uses_[name].range = ValueRange{0, rows - 1};
        uses_[name].range_why = fmt::format("they index {} rows", rows);
      }
    }
  }

  Result<void> add(const PortInfo& port, InputSet& inputs) {
    HostTensor tensor;
    FillNote filled;
    if (const auto given = given_.find(port.name); given != given_.end()) {
      tensor = given->second;
      filled = {request_.files.at(port.name).string(), kGivenInput};
    } else if (const auto text = request_.texts.find(port.name); text != request_.texts.end()) {
      AACO_ASSIGN(tensor, tensor_of_text(port.name, text->second, port.type, shapes_.dims.at(port.name)));
      filled = {text->second, kGivenInput};
    } else {
      AACO_TRY(check_integer_type(port));
      tensor.type = port.type;
      tensor.dims = shapes_.dims.at(port.name);
      tensor.name = port.name;
      Making making{tensor,        uses_[port.name], {},
                    request_.seed, request_.attempt, request_.flipped_masks.contains(port.name)};
      if (names_length(port.name)) {
        making.steps = sequence_length(port.name, ports_, dims_);
      }
      filled = fill(making, needed_);
    }
    inputs.notes.push_back({port.name, std::string(element_name(port.type)), tensor.dims, std::move(filled.values),
                            std::move(filled.why)});
    inputs.tensors.push_back(std::move(tensor));
    return {};
  }

  Result<void> check_integer_type(const PortInfo& port) const {
    const bool integer =
        !is_floating(port.type) && port.type != ElementType::kString && port.type != ElementType::kBool;
    if (integer && !request_.integer_dtype.empty() && request_.integer_dtype != element_name(port.type)) {
      return Error{ErrorKind::kUsage,
                   fmt::format("input {} is {} in the model and {} in the registry", port.name, element_name(port.type),
                               request_.integer_dtype),
                   "correct dtype in configs/models.yaml"};
    }
    return {};
  }

  const std::vector<PortInfo>& ports_;
  InputRequest request_;
  InputShapes shapes_;
  InputDims dims_;  // of every input
  std::map<std::string, HostTensor> given_;
  InputUses uses_;
  std::vector<NeededValues> needed_;
};

}  // namespace

Result<InputSet> make_example_inputs(const std::vector<PortInfo>& ports, const InputRequest& request) {
  return Maker(ports, request).make();
}

Result<InputSet> make_inputs(const std::vector<PortInfo>& ports, const InputRequest& request) {
  AACO_ASSIGN(InputSet inputs, make_example_inputs(ports, request));
  if (inputs.missing) {
    return *inputs.missing;
  }
  return inputs;
}

}  // namespace aaco
