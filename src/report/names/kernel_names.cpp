// SPDX-License-Identifier: MIT
#include "report/names/kernel_names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text/characters.h"

namespace aaco::report {

namespace {

constexpr size_t kDeepest = 12;          // templates within templates; names are foreign bytes
constexpr size_t kLongestRead = 20'000;  // characters of a name that are looked into

// Says how elements are addressed, and nothing about what is computed.
constexpr std::array<std::string_view, 10> kMachinery = {"array<",
                                                         "Array<",
                                                         "OffsetCalculator<",
                                                         "TrivialOffsetCalculator<",
                                                         "LoadWithoutCast",
                                                         "StoreWithoutCast",
                                                         "LoadWithCast<",
                                                         "StoreWithCast<",
                                                         "StdArray<",
                                                         "char*"};
// Hold the kernel as their only argument.
constexpr std::array<std::string_view, 5> kWrappers = {"Kernel", "Kernel2", "device_kernel", "gpu_kernel_impl",
                                                       "gpu_kernel_impl_nocast"};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

bool is_arrow(std::string_view text, size_t at) { return text[at] == '>' && at > 0 && text[at - 1] == '-'; }

// Behind the bracket that closes the one at `open`; the end where none does.
size_t behind_bracket(std::string_view text, size_t open) {
  size_t depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    depth += c == '<' || c == '(' || c == '{' ? 1 : 0;
    if ((c == '>' && !is_arrow(text, at)) || c == ')' || c == '}') {
      if (--depth == 0) {
        return at + 1;
      }
    }
  }
  return text.size();
}

std::vector<std::string_view> arguments_in(std::string_view text) {
  std::vector<std::string_view> arguments;
  size_t start = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '<' || text[at] == '(' || text[at] == '{') {
      at = behind_bracket(text, at) - 1;
    } else if (text[at] == ',') {
      arguments.push_back(trimmed(text.substr(start, at - start)));
      start = at + 1;
    }
  }
  arguments.push_back(trimmed(text.substr(start)));
  return arguments;
}

std::string short_type(std::string_view text, size_t depth);

// Of the last lambda that takes something: the type that it computes in.
std::string lambda_type(std::string_view text, size_t depth) {
  constexpr std::string_view kLambda = "lambda(";
  for (size_t at = text.rfind(kLambda); at != std::string_view::npos; at = text.substr(0, at).rfind(kLambda)) {
    const size_t open = at + kLambda.size() - 1;
    const std::string_view inside = text.substr(open + 1, behind_bracket(text, open) - open - 2);
    if (!trimmed(inside).empty() && inside != "int" && inside.size() < text.size()) {  // int: which element
      return fmt::format("[{}]", short_type(arguments_in(inside).front(), depth + 1));
    }
  }
  return "";
}

std::string short_arguments(std::string_view inside, size_t depth) {
  std::vector<std::string> kept;
  for (const std::string_view argument : arguments_in(inside)) {
    std::string text = short_type(argument, depth + 1);
    const bool machinery = std::any_of(kMachinery.begin(), kMachinery.end(),
                                       [&](std::string_view name) { return text.starts_with(name); });
    if (!machinery) {
      kept.push_back(std::move(text));
    }
  }
  std::string text;
  for (const std::string& argument : kept) {
    text += (text.empty() ? "" : ",") + argument;
  }
  return text;
}

// "a::b<c::d>(e)": "b<d>".
std::string short_type(std::string_view text, size_t depth) {
  text = trimmed(text);
  if (depth > kDeepest) {
    return "…";
  }
  const size_t end = std::min(text.find_first_of("<("), text.size());
  if (end == 0) {
    return std::string(text);  // "(int)4"
  }
  const std::string_view path = text.substr(0, end);
  const size_t colons = path.rfind("::");
  std::string name(colons == std::string_view::npos ? path : path.substr(colons + 2));
  std::string_view rest = text.substr(end);
  if (rest.starts_with('<')) {
    const size_t behind = behind_bracket(text, end);
    const std::string inside = short_arguments(text.substr(end + 1, behind - end - 2), depth);
    const bool wrapper = std::find(kWrappers.begin(), kWrappers.end(), name) != kWrappers.end();
    if (constexpr std::string_view kSuffix = "_kernel"; name.ends_with(kSuffix)) {
      name.resize(name.size() - kSuffix.size());
    }
    name = wrapper && !inside.empty() ? inside : inside.empty() ? name : fmt::format("{}<{}>", name, inside);
    rest = text.substr(behind);
  }
  if (rest.starts_with('(')) {
    rest = rest.substr(behind_bracket(rest, 0));
  }
  if (rest.find("lambda(") != std::string_view::npos) {
    return name + lambda_type(rest, depth);
  }
  if (rest.starts_with("::")) {
    return fmt::format("{}::{}", name, short_type(rest.substr(2), depth + 1));
  }
  return rest.size() <= 2 && !rest.starts_with('(') ? name.append(rest) : name;  // "*", "&"
}

// With template arguments, or arguments behind a name: "f(int)" but not "Memcpy DtoD (Device -> Device)".
bool is_signature(std::string_view name) {
  if (name.find('<') != std::string_view::npos && name.find('>') != std::string_view::npos) {
    return name.find(' ') == std::string_view::npos || name.find('<') > 0;
  }
  const size_t open = name.find('(');
  return name.ends_with(')') && open != std::string_view::npos && open > 0 && name[open - 1] != ' ';
}

// "MT16x16x128".
bool is_size(std::string_view word, std::string_view kind) {
  return word.starts_with(kind) && word.size() > kind.size() && word[kind.size()] >= '0' && word[kind.size()] <= '9';
}

// A matrix library's name: layout and type, tile, matrix instruction.
std::string short_tensile(std::string_view name) {
  constexpr size_t kLayoutWords = 4;
  std::string text;
  for (size_t at = 0, words = 0; at < name.size(); ++words) {
    const size_t end = std::min(name.find('_', at), name.size());
    const std::string_view word = name.substr(at, end - at);
    if (words < kLayoutWords || is_size(word, "MT") || is_size(word, "MI")) {
      text += (text.empty() ? "" : "_") + std::string(word);
    }
    at = end + 1;
  }
  return text;
}

std::string without(std::string text, std::string_view part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
  return text;
}

// Start and end say more than the middle.
std::string cut_in_the_middle(const std::string& text, size_t longest) {
  const size_t length = length_of(text);
  if (length <= longest) {
    return text;
  }
  const size_t head = longest * 3 / 5;
  size_t skip = length - (longest - head - 1);
  size_t at = 0;
  for (; skip > 0 && at < text.size(); --skip) {
    at += std::max<size_t>(character_bytes(std::string_view(text).substr(at)), 1);
  }
  return shorten(text, head) + text.substr(at);
}

std::string readable(std::string_view name) {
  const std::string text = without(without(printable(name.substr(0, kLongestRead)), "(anonymous namespace)::"), ".kd");
  std::string_view signature = text;
  if (signature.starts_with("void ")) {
    signature.remove_prefix(5);
  }
  return signature.starts_with("Cijk_") ? short_tensile(signature)
         : is_signature(signature)      ? short_type(signature, 0)
                                        : text;
}

// From the word in which names begin to differ.
std::string difference_of(const std::string& name, size_t common) {
  constexpr size_t kShown = 16;
  const size_t word = common == 0 ? std::string::npos : name.find_last_of("_<,:( ", common - 1);
  return shorten(printable(name.substr(word == std::string::npos ? 0 : word + 1)), kShown);
}

size_t common_start(const std::vector<std::string>& names, const std::vector<size_t>& group) {
  size_t common = names[group[0]].size();
  for (const size_t i : group) {
    const auto differ = std::mismatch(names[group[0]].begin(), names[group[0]].end(), names[i].begin(), names[i].end());
    common = std::min(common, static_cast<size_t>(differ.first - names[group[0]].begin()));
  }
  return common;
}

}  // namespace

std::string short_kernel_name(std::string_view name) { return cut_in_the_middle(readable(name), kLongestKernel); }

std::vector<std::string> short_kernel_names(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < names.size(); ++i) {
    texts.push_back(short_kernel_name(names[i]));
    groups[texts[i]].push_back(i);
  }
  std::set<std::string> used;
  for (const auto& [text, group] : groups) {
    const size_t common = common_start(names, group);
    std::map<std::string, std::string> by_name;  // equal names stay equal
    for (const size_t i : group) {
      const auto [known, added] = by_name.try_emplace(names[i], text);
      if (added && std::any_of(group.begin(), group.end(), [&](size_t other) { return names[other] != names[i]; })) {
        known->second =
            fmt::format("{} …{}", cut_in_the_middle(text, kLongestKernel - 18), difference_of(names[i], common));
      }
      for (size_t count = 2; added && !used.insert(known->second).second; ++count) {
        known->second = fmt::format("{} ({})", text, count);
      }
      texts[i] = known->second;
    }
  }
  return texts;
}

void shorten_kernels(TableBlock& table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].kernels) {
      continue;
    }
    std::vector<std::string> names;
    for (const std::vector<Cell>& row : table.rows) {
      names.push_back(row[c].whole.empty() ? row[c].text : row[c].whole);
    }
    const std::vector<std::string> texts = short_kernel_names(names);
    for (size_t row = 0; row < table.rows.size(); ++row) {
      Cell& cell = table.rows[row][c];
      cell.text = texts[row];
      cell.whole = texts[row] == names[row] ? "" : names[row];
    }
  }
}

}  // namespace aaco::report
