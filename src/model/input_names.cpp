// SPDX-License-Identifier: MIT
#include "model/input_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace aaco {

namespace {

std::string lower(const std::string& text) {
  std::string result = text;
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

template <size_t N>
bool has_word(const std::string& name, const std::array<std::string_view, N>& words) {
  const std::vector<std::string> own = words_of(name);
  return std::ranges::any_of(own,
                             [&](const std::string& word) { return std::ranges::find(words, word) != words.end(); });
}

bool ends_as_length(const std::string& word) {
  constexpr std::array<std::string_view, 4> kEndings{"len", "lens", "length", "lengths"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return word.ends_with(ending); });
}

}  // namespace

std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const auto before = static_cast<unsigned char>(i == 0 ? ' ' : name[i - 1]);
    const bool camel = std::isupper(c) != 0 && std::islower(before) != 0;
    const bool digits = (std::isdigit(c) != 0) != (std::isdigit(before) != 0);
    if ((camel || digits || std::isalnum(c) == 0) && !words.back().empty()) {
      words.emplace_back();
    }
    if (std::isalnum(c) != 0) {
      words.back().push_back(static_cast<char>(std::tolower(c)));
    }
  }
  if (words.back().empty()) {
    words.pop_back();
  }
  return words;
}

bool names_mask(const std::string& input) { return lower(input).find("mask") != std::string::npos; }
bool names_ignored(const std::string& input) {
  constexpr std::array<std::string_view, 3> kParts{"padding_mask", "pad_mask", "ignore"};
  return std::ranges::any_of(kParts,
                             [&](std::string_view part) { return lower(input).find(part) != std::string::npos; });
}
bool names_position(const std::string& input) { return lower(input).find("position") != std::string::npos; }

bool names_length(const std::string& input) {
  constexpr std::array<std::string_view, 4> kLimits{"max", "min", "maximum", "minimum"};
  const std::vector<std::string> words = words_of(input);
  return std::ranges::any_of(words, ends_as_length) && !has_word(input, kLimits);
}

bool names_steps(const std::string& dimension) {
  constexpr std::array<std::string_view, 14> kWords{"seq",   "sequence", "time",  "times", "timesteps",
                                                    "frame", "frames",   "steps", "step",  "tokens",
                                                    "token", "t",        "words", "chars"};
  return has_word(dimension, kWords) || names_length(dimension);
}

bool names_count(const std::string& dimension) {
  constexpr std::array<std::string_view, 40> kWords{
      "node",    "nodes",    "edge",     "edges",     "atom",  "atoms",  "vertex", "vertices", "face",   "faces",
      "point",   "points",   "height",   "width",     "h",     "w",      "pixel",  "pixels",   "patch",  "patches",
      "channel", "channels", "feature",  "features",  "box",   "boxes",  "roi",    "rois",     "voxel",  "voxels",
      "query",   "queries",  "neighbor", "neighbors", "graph", "graphs", "object", "objects",  "pillar", "pillars"};
  return has_word(dimension, kWords) || names_steps(dimension);
}

bool is_generated_name(const std::string& dimension) {
  const std::string name = lower(dimension);
  const bool numbered = name.size() > 1 && (name[0] == 's' || name[0] == 'd' || name[0] == 'u') &&
                        std::ranges::all_of(name.substr(1), [](unsigned char c) { return std::isdigit(c) != 0; });
  constexpr std::array<std::string_view, 7> kParts{"unk__", "dynamic_axes", "dynamicdimension", "_dim_",
                                                   "dyn_",  "dim_param",    "dynamic_dim"};
  return numbered || name == "none" || name == "-1" || name == "dynamic" ||
         std::ranges::any_of(kParts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

}  // namespace aaco
