// SPDX-License-Identifier: MIT
#include "monitor/alerts/alert_rule.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>

#include "base/files/file.h"
#include "base/text/duration_text.h"
#include "base/text/nearest_word.h"
#include "base/yaml/yaml_document.h"

namespace aaco {

namespace {

constexpr size_t kMostRules = 1000;
constexpr uint64_t kMostFileBytes = uint64_t{1} << 20;

class RuleReader {
 public:
  explicit RuleReader(std::string file) : file_(std::move(file)) {}

  Result<std::vector<AlertRule>> read(std::string_view text) {
    AACO_ASSIGN(
        const YAML::Node root,
        parse_yaml_document(text, [this](const YAML::Mark& where, const std::string& what, const std::string& hint) {
          return Error{ErrorKind::kUsage, place(where) + what, hint};
        }));
    AACO_TRY(each_key(root, {"groups"}, [this](const std::string&, const YAML::Node& groups) {
      return each_item(groups, [this](const YAML::Node& group) { return read_group(group); });
    }));
    return std::move(rules_);
  }

 private:
  using TakeKey = std::function<Result<void>(const std::string& key, const YAML::Node& value)>;

  std::string place(const YAML::Mark& where) const {
    return fmt::format("{}:{}: ", file_, std::max(0, where.line) + 1);
  }
  Error failure(const YAML::Node& node, const std::string& what, const std::string& hint) const {
    return {ErrorKind::kUsage, place(node.Mark()) + what, hint};
  }

  Result<void> each_key(const YAML::Node& node, const std::vector<std::string>& known, const TakeKey& take) const {
    if (!node.IsMap()) {
      return failure(node, fmt::format("there is no {} with its value here", known.front()),
                     "see docs/monitor.md for a file of rules");
    }
    for (const auto& entry : node) {
      const std::string key = entry.first.Scalar();
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        return failure(entry.first, fmt::format("{} is not known here", key),
                       did_you_mean(key, known) + fmt::format("known are {}", fmt::join(known, ", ")));
      }
      AACO_TRY(take(key, entry.second));
    }
    return {};
  }

  Result<void> each_item(const YAML::Node& node, const std::function<Result<void>(const YAML::Node&)>& take) const {
    if (!node.IsSequence()) {
      return failure(node, "a list is wanted here", "begin each item with -");
    }
    for (const YAML::Node& item : node) {
      AACO_TRY(take(item));
    }
    return {};
  }

  Result<std::string> text(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar() || node.Scalar().empty()) {
      return failure(node, fmt::format("{} is a text", key), "put it behind the colon");
    }
    return node.Scalar();
  }

  Result<void> read_group(const YAML::Node& group) {
    return each_key(group, {"name", "rules"}, [this](const std::string& key, const YAML::Node& value) -> Result<void> {
      if (key == "name") {
        AACO_ASSIGN(const std::string unused, text(value, key));
        return {};
      }
      return each_item(value, [this](const YAML::Node& rule) { return read_rule(rule); });
    });
  }

  Result<void> read_rule(const YAML::Node& node) {
    AlertRule rule;
    AACO_TRY(each_key(node, {"alert", "expr", "for", "labels", "annotations"},
                      [&](const std::string& key, const YAML::Node& value) { return read_key(rule, key, value); }));
    if (rule.name.empty() || rule.text.empty()) {
      return failure(node, fmt::format("a rule without {}", rule.name.empty() ? "alert" : "expr"),
                     "each rule has alert: NAME and expr: EXPRESSION");
    }
    AACO_TRY(check_labels(rule, node["labels"]));
    const bool again =
        std::any_of(rules_.begin(), rules_.end(), [&](const AlertRule& other) { return other.name == rule.name; });
    if (again || rules_.size() == kMostRules) {
      return failure(node,
                     again ? fmt::format("a second alert {}", rule.name) : fmt::format("over {} rules", kMostRules),
                     again ? "give it another name" : "leave some out");
    }
    rules_.push_back(std::move(rule));
    return {};
  }

  // A label that says another thing than the series does would make two series alike, or hide which it is.
  Result<void> check_labels(const AlertRule& rule, const YAML::Node& labels) const {
    if (rule.labels.empty()) {
      return {};
    }
    for (const auto& entry : labels) {
      const std::string name = entry.first.Scalar();
      if (name == kAlertNameLabel || name == kAlertStateLabel) {
        return failure(entry.first, fmt::format("each alert has its own {}", name), "give the label another name");
      }
      const auto& matchers = rule.expression.matchers;
      if (std::any_of(matchers.begin(), matchers.end(), [&](const auto& matcher) { return matcher.name == name; })) {
        return failure(entry.first, fmt::format("label {} is the metric's", name), "give the label another name");
      }
    }
    return {};
  }

  Result<void> read_key(AlertRule& rule, const std::string& key, const YAML::Node& value) const {
    if (key == "labels" || key == "annotations") {
      return read_texts(key == "labels" ? rule.labels : rule.annotations, key, value);
    }
    AACO_ASSIGN(const std::string content, text(value, key));
    if (key == "alert") {
      rule.name = content;
    } else if (key == "expr") {
      rule.text = content;
      Result<AlertExpression> expression = parse_alert_expression(content);
      if (!expression) {
        return failure(value, "expr: " + expression.error().message, expression.error().hint);
      }
      if (expression->metric == kAlertMetric) {
        return failure(value, fmt::format("expr: {} is what the rules make", kAlertMetric),
                       "write the condition of the other rule here");
      }
      rule.expression = std::move(*expression);
    } else {
      const std::optional<int64_t> ns = duration_ns_of_text(content);
      if (!ns) {
        return failure(value, fmt::format("for: '{}' is no duration", content), "for example 30s, 5m, 1h30m");
      }
      rule.for_ns = *ns;
    }
    return {};
  }

  Result<void> read_texts(std::map<std::string, std::string>& texts, const std::string& key,
                          const YAML::Node& node) const {
    if (!node.IsMap()) {
      return failure(node, fmt::format("{} are names with texts", key), "for example severity: page");
    }
    for (const auto& entry : node) {
      const std::string name = entry.first.Scalar();
      if (name.empty() ||
          name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
              std::string::npos ||
          (name.front() >= '0' && name.front() <= '9')) {
        return failure(entry.first, fmt::format("'{}' is no name of a label", name), "use letters, digits and _");
      }
      AACO_ASSIGN(texts[name], text(entry.second, name));
    }
    return {};
  }

  std::string file_;
  std::vector<AlertRule> rules_;
};

}  // namespace

Result<std::vector<AlertRule>> parse_alert_rules(std::string_view text, const std::string& file) {
  return RuleReader(file).read(text);
}

Result<std::vector<AlertRule>> read_alert_rules(const std::filesystem::path& file) {
  AACO_ASSIGN(const std::string text, read_file(file, kMostFileBytes));
  return parse_alert_rules(text, file.string());
}

}  // namespace aaco
