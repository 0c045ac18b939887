// SPDX-License-Identifier: MIT
#include "model/inputs/missing_inputs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <string_view>

#include "base/text/shell_words.h"
#include "model/input_names.h"

namespace aaco {

namespace {

// Of each attempt. Exporters bake sizes in, so that a model may run with one side, or with few steps, only.
constexpr std::array<int64_t, kExampleAttempts> kImageSides{224, 256, 320, 640, 512, 384, 299, 32, 64};
constexpr std::array<int64_t, kExampleAttempts> kSounds{16000, 32000, 48000, 64000, 8000, 4000, 1600, 1000, 512};
constexpr std::array<int64_t, kExampleAttempts> kLengths{128, 64, 32, 16, 8, 4, 2, 1, 256};
constexpr std::array<int64_t, kExampleAttempts> kChannels{3, 1, 4, 3, 1, 3, 3, 3, 1};

bool is_open(int64_t size) { return size < 0; }

// "[1, 3, ?, width]".
std::string declared_shape(const OpenInput& input) {
  if (!input.port->rank_known) {
    return "of unknown rank";
  }
  std::vector<std::string> sizes;
  for (size_t axis = 0; axis < input.dims.size(); ++axis) {
    const std::string& name = input.port->dim_names[axis];
    sizes.push_back(!is_open(input.dims[axis]) ? std::to_string(input.dims[axis])
                    : is_dimension_name(name)  ? name
                                               : "?");
  }
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

// The axes of height and width: of four, the last two, or the middle ones where channels come last.
std::array<size_t, 2> image_axes(const std::vector<int64_t>& dims) {
  const auto channels = [](int64_t size) { return size == 1 || size == 3 || size == 4; };
  return channels(dims[3]) && !channels(dims[1]) ? std::array<size_t, 2>{1, 2} : std::array<size_t, 2>{2, 3};
}

bool is_sound(const OpenInput& input, size_t axis) {
  std::string text = input.port->name + " " + input.port->dim_names[axis];
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 4> kWords{"wave", "audio", "sample", "speech"};
  return is_floating(input.port->type) && input.dims.size() <= 3 &&
         std::ranges::any_of(kWords, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// A float input [2, ?, 128] is the state of a recurrent network, with the batch in the middle.
int64_t example_size(const OpenInput& input, size_t axis, size_t attempt) {
  if (input.dims.size() == 4 && is_floating(input.port->type) && !names_steps(input.port->dim_names[axis])) {
    const auto [height, width] = image_axes(input.dims);
    if (axis == height || axis == width) {
      const int64_t other = input.dims[axis == height ? width : height];
      return other > 1 ? other : kImageSides[attempt];
    }
    return axis == 1 ? kChannels[attempt] : kLengths[attempt];
  }
  if (input.dims.size() == 3 && axis == 1 && !is_dimension_name(input.port->dim_names[axis]) &&
      !is_open(input.dims[0]) && !is_open(input.dims[2]) && is_floating(input.port->type)) {
    return 1;
  }
  return is_sound(input, axis) ? kSounds[attempt] : kLengths[attempt];
}

// For an input that says nothing of its shape.
std::vector<int64_t> example_shape(const PortInfo& port, size_t attempt) {
  if (!is_floating(port.type)) {
    return attempt % 2 == 0 ? std::vector<int64_t>{1, kLengths[attempt / 2]}
                            : std::vector<int64_t>{kLengths[attempt / 2]};
  }
  const std::array<std::vector<int64_t>, kExampleAttempts> shapes{std::vector<int64_t>{1, 3, 224, 224},
                                                                  {1, 128},
                                                                  {1, 128, 64},
                                                                  {128},
                                                                  {1, 1, 28, 28},
                                                                  {1, 64},
                                                                  {1, 16, 8},
                                                                  {1},
                                                                  {1, 1}};
  return shapes[attempt];
}

// --shape for an input with an open dimension that has no name, and --dim for the names that remain.
std::vector<std::string> offered_flags(const std::vector<OpenInput>& inputs,
                                       const std::map<std::string, std::vector<int64_t>>& shapes,
                                       const ExampleSizes& examples) {
  std::vector<std::string> flags;
  std::set<std::string> said;
  for (const OpenInput& input : inputs) {
    const auto shape = shapes.find(input.port->name);
    if (!examples.nameless.contains(input.port->name) || shape == shapes.end()) {
      continue;
    }
    flags.insert(flags.end(), {"--shape", fmt::format("{}={}", input.port->name, fmt::join(shape->second, "x"))});
    said.insert(input.port->dim_names.begin(), input.port->dim_names.end());
  }
  for (const auto& [name, size] : examples.names) {
    if (!said.contains(name)) {
      flags.insert(flags.end(), {"--dim", fmt::format("{}={}", name, size)});
    }
  }
  return flags;
}

std::string problem_text(const std::vector<OpenInput>& inputs, const std::vector<NeededValues>& values) {
  constexpr size_t kMostShown = 4;  // a decoder has two caches for each layer
  std::vector<std::string> parts;
  for (const OpenInput& input : inputs) {
    if (parts.size() == kMostShown) {
      break;
    }
    parts.push_back(fmt::format("{} {}", input.port->name, declared_shape(input)));
  }
  std::string text;
  if (!parts.empty()) {
    text = fmt::format("the model leaves sizes of its input{} open: {}", parts.size() == 1 ? "" : "s",
                       fmt::join(parts, ", "));
    if (const size_t more = inputs.size() - parts.size(); more > 0) {
      text += fmt::format(" and {} more", more);
    }
  }
  parts.clear();
  for (const NeededValues& needed : values) {
    parts.push_back(fmt::format("{} is {}", needed.input, needed.decides));
  }
  if (!parts.empty()) {
    text += fmt::format("{}only you know the values of {}: {}", text.empty() ? "" : "; ",
                        parts.size() == 1 ? "an input" : "some inputs", fmt::join(parts, ", "));
  }
  return text;
}

}  // namespace

bool is_dimension_name(const std::string& name) {
  return !name.empty() && name != "?" && name.find('=') == std::string::npos;
}

ExampleSizes example_sizes(const std::vector<OpenInput>& inputs, const OperandsOf& operands_of, int64_t attempt) {
  const auto which = static_cast<size_t>(std::clamp<int64_t>(attempt, 0, kExampleAttempts - 1));
  ExampleSizes examples;
  for (const OpenInput& input : inputs) {
    for (size_t axis = 0; axis < input.dims.size(); ++axis) {
      const std::string& name = input.port->dim_names[axis];
      if (!is_open(input.dims[axis]) || !is_dimension_name(name)) {
        continue;
      }
      // What an expression computes with is asked for, not its value.
      const std::set<std::string> operands = operands_of(name);
      for (const std::string& operand : operands) {
        examples.names.try_emplace(operand, kLengths[which]);
      }
      if (operands.empty()) {
        examples.names.try_emplace(name, example_size(input, axis, which));
      }
    }
  }
  for (const OpenInput& input : inputs) {
    if (!input.port->rank_known) {
      examples.nameless[input.port->name] = example_shape(*input.port, which);
      continue;
    }
    std::vector<int64_t> sizes = input.dims;
    bool nameless = false;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      if (is_open(sizes[axis]) && !is_dimension_name(input.port->dim_names[axis])) {
        sizes[axis] = example_size(input, axis, which);
        nameless = true;
      }
    }
    if (nameless) {
      examples.nameless[input.port->name] = std::move(sizes);
    }
  }
  return examples;
}

Error missing_inputs(const std::vector<OpenInput>& inputs, const ExampleSizes& examples,
                     const std::map<std::string, std::vector<int64_t>>& shapes, const std::vector<NeededValues>& values,
                     std::vector<std::string> command_line) {
  std::vector<std::string> flags = offered_flags(inputs, shapes, examples);
  for (const NeededValues& needed : values) {
    flags.insert(flags.end(), {"--input", fmt::format("{}={}", needed.input, needed.example)});
  }
  const bool whole = !command_line.empty();
  command_line.insert(command_line.end(), flags.begin(), flags.end());
  const char* of_what = values.empty()   ? "the sizes are examples"
                        : inputs.empty() ? "the values are examples"
                                         : "sizes and values are examples";
  return {ErrorKind::kUsage, problem_text(inputs, values),
          fmt::format("{} ({}: say your own)", (whole ? "" : "add ") + shell_command(command_line), of_what)};
}

}  // namespace aaco
