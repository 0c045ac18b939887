// SPDX-License-Identifier: MIT
#include "model/missing_sizes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <string_view>

#include "base/text/shell_words.h"

namespace aaco {

namespace {

constexpr int64_t kImageSide = 224;
constexpr int64_t kSecondOfSound = 16000;
constexpr int64_t kLength = 128;

bool is_open(int64_t size) { return size < 0; }

// "[1, 3, ?, width]".
std::string declared_shape(const OpenInput& input) {
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
int64_t example_size(const OpenInput& input, size_t axis) {
  if (input.dims.size() == 4 && is_floating(input.port->type)) {
    const auto [height, width] = image_axes(input.dims);
    if (axis == height || axis == width) {
      const int64_t other = input.dims[axis == height ? width : height];
      return other > 1 ? other : kImageSide;
    }
    return axis == 1 ? 3 : kLength;
  }
  if (input.dims.size() == 3 && axis == 1 && !is_dimension_name(input.port->dim_names[axis]) &&
      !is_open(input.dims[0]) && !is_open(input.dims[2]) && is_floating(input.port->type)) {
    return 1;
  }
  return is_sound(input, axis) ? kSecondOfSound : kLength;
}

// --shape for an input with an open dimension that has no name, and --dim for the names that remain.
std::vector<std::string> offered_flags(const std::vector<OpenInput>& inputs) {
  std::map<std::string, int64_t> by_name;
  for (const OpenInput& input : inputs) {
    for (size_t axis = 0; axis < input.dims.size(); ++axis) {
      if (is_open(input.dims[axis]) && is_dimension_name(input.port->dim_names[axis])) {
        by_name.try_emplace(input.port->dim_names[axis], example_size(input, axis));
      }
    }
  }
  std::vector<std::string> flags;
  std::set<std::string> said;
  for (const OpenInput& input : inputs) {
    std::vector<int64_t> sizes = input.dims;
    std::set<std::string> names;
    bool nameless = false;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      if (!is_open(sizes[axis])) {
        continue;
      }
      const auto named = by_name.find(input.port->dim_names[axis]);
      sizes[axis] = named == by_name.end() ? example_size(input, axis) : named->second;
      nameless = nameless || named == by_name.end();
      if (named != by_name.end()) {
        names.insert(named->first);
      }
    }
    if (nameless) {
      flags.insert(flags.end(), {"--shape", fmt::format("{}={}", input.port->name, fmt::join(sizes, "x"))});
      said.merge(names);
    }
  }
  for (const auto& [name, size] : by_name) {
    if (!said.contains(name)) {
      flags.insert(flags.end(), {"--dim", fmt::format("{}={}", name, size)});
    }
  }
  return flags;
}

}  // namespace

bool is_dimension_name(const std::string& name) {
  return !name.empty() && name != "?" && name.find('=') == std::string::npos;
}

Error missing_sizes(const std::vector<OpenInput>& inputs, std::vector<std::string> command_line) {
  std::vector<std::string> open;
  for (const OpenInput& input : inputs) {
    open.push_back(fmt::format("{} {}", input.port->name, declared_shape(input)));
  }
  const std::vector<std::string> flags = offered_flags(inputs);
  const bool whole = !command_line.empty();
  command_line.insert(command_line.end(), flags.begin(), flags.end());
  return {
      ErrorKind::kUsage,
      fmt::format("the model leaves sizes of its input{} open: {}", open.size() == 1 ? "" : "s", fmt::join(open, ", ")),
      fmt::format("{} (the sizes are examples: say your own)", (whole ? "" : "add ") + shell_command(command_line))};
}

}  // namespace aaco
