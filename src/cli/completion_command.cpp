// SPDX-License-Identifier: MIT
// `aaco completion`: a script that makes a shell complete aaco's commands, flags and their values.
#include <fmt/format.h>
#include <memory>
#include <set>

#include "cli/command/command.h"
#include "cli/completion/command_tree.h"
#include "cli/completion/scripts.h"

#include "model/builtin/builtin.h"
#include "model/registry.h"
#include "model/runtime/provider_options.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

std::vector<std::string> listed(const std::set<std::string>& names) { return {names.begin(), names.end()}; }

// Built-in names and those of the registries, as they are found from here.
Result<completion::Vocabulary> known_words() {
  std::set<std::string> models;
  for (const BuiltinModel& model : all_builtin_models()) {
    models.insert(model.name);
  }
  AACO_ASSIGN(const auto model_entries, load_models());
  for (const auto& [name, entry] : model_entries) {
    models.insert(name);
  }
  std::set<std::string> backends;
  for (const ProviderInfo& provider : all_providers()) {
    backends.insert(provider.backend);
  }
  AACO_ASSIGN(const auto backend_entries, load_backends());
  for (const auto& [name, entry] : backend_entries) {
    backends.insert(name);
  }
  return completion::Vocabulary{{"MODEL", listed(models)}, {"BACKEND", listed(backends)}, {"ID", {layout::kLatest}}};
}

Result<int> run(cli::Command app, const std::string& shell) {
  AACO_ASSIGN(const completion::Vocabulary vocabulary, known_words());
  const std::vector<completion::Command> tree = completion::command_tree(app.app(), vocabulary);
  fmt::print("{}", shell == "bash"  ? completion::bash_script(tree)
                   : shell == "zsh" ? completion::zsh_script(tree)
                                    : completion::fish_script(tree));
  return 0;
}

}  // namespace

void add_completion_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("completion", "A script that makes a shell complete commands and flags");
  auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "The shell that the script is for").required().one_of({"bash", "zsh", "fish"});
  set_examples(command,
               "  source <(aaco completion bash)                     # in ~/.bashrc\n"
               "  source <(aaco completion zsh)                      # in ~/.zshrc, after compinit\n"
               "  aaco completion fish > ~/.config/fish/completions/aaco.fish");
  command.callback([app, shell, &invocation] { invocation.finish(run(app, *shell)); });
}

}  // namespace aaco
