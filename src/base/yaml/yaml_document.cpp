// SPDX-License-Identifier: MIT
#include "base/yaml/yaml_document.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>
#include <yaml-cpp/eventhandler.h>

namespace aaco {

namespace {

constexpr size_t kDeepest = 50;
constexpr uint64_t kMostValues = 100'000;  // with those that aliases stand for

// What the library takes and aaco does not.
class YamlFault : public YAML::Exception {
 public:
  YamlFault(const YAML::Mark& where, const std::string& what, std::string hint)
      : YAML::Exception(where, what), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

// Looks through all documents of a text, and throws the first YamlFault.
class Inspector : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& where) override {
    // The library leaves a comma or a bracket that no list holds where it is, as the next document, without end.
    if (documents_ > 0 && where.pos == start_.pos) {
      throw YamlFault(where, "a mark of a list or a mapping stands outside of any",
                      "put the value in quotation marks, or write the list whole, as [a, b]");
    }
    start_ = where;
    values_ = 0;
    anchors_.clear();
  }
  void OnDocumentEnd() override { ++documents_; }
  void OnNull(const YAML::Mark& where, YAML::anchor_t anchor) override {
    if (levels_.empty()) {
      return;  // a document without content, as behind a last line ---
    }
    add_leaf(where, anchor, std::nullopt);
  }
  void OnScalar(const YAML::Mark& where, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    add_leaf(where, anchor, value);
  }
  void OnAlias(const YAML::Mark& where, YAML::anchor_t anchor) override {
    const auto anchored = anchors_.find(anchor);
    if (anchored == anchors_.end()) {
      throw YamlFault(where, "an alias stands within what it stands for", "write the value out");
    }
    begin_node(where, std::nullopt);
    count(where, anchored->second);
  }
  void OnSequenceStart(const YAML::Mark& where, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(where, anchor, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& where, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(where, anchor, true);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    bool is_map = false;
    bool awaits_key = true;
    std::set<std::string> keys;
    YAML::anchor_t anchor = 0;
    uint64_t values_before = 0;
  };

  void add_leaf(const YAML::Mark& where, YAML::anchor_t anchor, const std::optional<std::string>& value) {
    begin_node(where, value);
    count(where, 1);
    if (anchor != 0) {
      anchors_[anchor] = 1;
    }
  }
  void open(const YAML::Mark& where, YAML::anchor_t anchor, bool is_map) {
    begin_node(where, std::nullopt);
    if (levels_.size() >= kDeepest) {
      throw YamlFault(where, fmt::format("nested deeper than {} levels", kDeepest), "no key has such a value");
    }
    levels_.push_back({is_map, true, {}, anchor, values_});
    count(where, 1);
  }
  void close() {
    const Level& level = levels_.back();
    if (level.anchor != 0) {
      anchors_[level.anchor] = values_ - level.values_before;
    }
    levels_.pop_back();
  }

  // A node begins: the next document, a key, a value or an element.
  void begin_node(const YAML::Mark& where, const std::optional<std::string>& scalar) {
    if (levels_.empty()) {
      if (documents_ > 0) {
        throw YamlFault(start_, "a second document begins here, and only one is read",
                        "leave the line --- out, or put the second document into a file of its own");
      }
      return;
    }
    Level& level = levels_.back();
    if (!level.is_map) {
      return;
    }
    if (level.awaits_key && scalar && !level.keys.insert(*scalar).second) {
      throw YamlFault(where, fmt::format("the key {} is given twice", *scalar), "leave one of them out");
    }
    level.awaits_key = !level.awaits_key;
  }

  void count(const YAML::Mark& where, uint64_t values) {
    values_ += values;
    if (values_ > kMostValues) {
      throw YamlFault(where, fmt::format("has more than {} values, with those that aliases stand for", kMostValues),
                      "write out what is meant");
    }
  }

  YAML::Mark start_;  // of the document
  int64_t documents_ = 0;
  uint64_t values_ = 0;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, uint64_t> anchors_;  // how many values each stands for
};

}  // namespace

Result<YAML::Node> parse_yaml_document(std::string_view text, const YamlError& error) {
  YAML::Mark where;
  const std::string_view start = text.substr(0, 2);  // UTF-16 and UTF-32, which the library reads
  const bool is_wide = start == "\xFF\xFE" || start == "\xFE\xFF" || start.find('\0') != std::string_view::npos;
  for (const char c : text) {
    if (c == '\0' && !is_wide) {
      return error(where, "holds a NUL byte", "the file is damaged, or not YAML");
    }
    where.column = c == '\n' ? 0 : where.column + 1;
    where.line += c == '\n' ? 1 : 0;
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Inspector inspector;
    while (parser.HandleNextDocument(inspector)) {
    }
    return YAML::Load(std::string(text));
  } catch (const YamlFault& fault) {
    return error(fault.mark, fault.msg, fault.hint());
  } catch (const YAML::Exception& exception) {
    return error(exception.mark, "not valid YAML", "check the YAML around that place");
  }
}

}  // namespace aaco
