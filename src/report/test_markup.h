// SPDX-License-Identifier: MIT
// A checker of what the sinks write: balanced tags, quoted attributes, known entities. Stricter than a browser: every
// element is closed, as in XML.
#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace aaco::report::test {

// Empty when well-formed, else what is wrong, with the text around it. Content of <script> and <style> is skipped.
inline std::string markup_problem(std::string_view text) {
  std::vector<std::string> open;
  const auto problem = [&](const std::string& what, size_t at) {
    return what + " at " + std::to_string(at) + ": " + std::string(text.substr(at, 80));
  };
  size_t at = text.starts_with("<!DOCTYPE html>") ? 15 : 0;
  std::set<std::string> ids;
  while (at < text.size()) {
    if (text[at] == '&') {
      const std::string_view rest = text.substr(at, 8);
      bool known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
        known = known || rest.starts_with(entity);
      }
      if (!known) {
        return problem("unknown entity", at);
      }
    }
    if (text[at] != '<') {
      ++at;
      continue;
    }
    const bool closing = text.substr(at).starts_with("</");
    size_t end = at + (closing ? 2 : 1);
    std::string name;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0)) {
      name += text[end++];
    }
    if (name.empty()) {
      return problem("no element name", at);
    }
    std::set<std::string> attributes;
    while (end < text.size() && text[end] != '>' && text[end] != '/') {
      if (text[end] == ' ') {
        ++end;
        continue;
      }
      const size_t equals = text.find('=', end);
      if (equals == std::string_view::npos || equals + 1 >= text.size() || text[equals + 1] != '"') {
        return problem("attribute without a quoted value", end);
      }
      const std::string attribute(text.substr(end, equals - end));
      const size_t quote = text.find('"', equals + 2);
      if (quote == std::string_view::npos || !attributes.insert(attribute).second) {
        return problem("attribute twice, or never closed", end);
      }
      const std::string value(text.substr(equals + 2, quote - equals - 2));
      if (value.find('<') != std::string::npos) {
        return problem("< in an attribute", end);
      }
      if (attribute == "id" && !ids.insert(value).second) {
        return problem("id twice", end);
      }
      end = quote + 1;
    }
    const bool alone = end < text.size() && text[end] == '/';
    end += alone ? 1 : 0;
    if (end >= text.size() || text[end] != '>') {
      return problem("tag never ends", at);
    }
    if (closing) {
      if (open.empty() || open.back() != name) {
        return problem("closes <" + (open.empty() ? "nothing" : open.back()) + ">", at);
      }
      open.pop_back();
    } else if (!alone) {
      open.push_back(name);
      if (name == "script" || name == "style") {
        end = text.find("</" + name, end);
        if (end == std::string_view::npos) {
          return problem("never closed", at);
        }
        --end;
      }
    }
    at = end + 1;
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

}  // namespace aaco::report::test
