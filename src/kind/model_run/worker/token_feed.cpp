// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/token_feed.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text/shell_words.h"
#include "model/decoder/decoder_ports.h"

namespace aaco {

namespace {

constexpr int64_t kRowsWithoutTable = 2;

std::vector<std::string> without_tokens(const std::vector<std::string>& command_line) {
  std::vector<std::string> words;
  for (size_t i = 0; i < command_line.size(); ++i) {
    if (command_line[i] == "--tokens") {
      ++i;
    } else if (!command_line[i].starts_with("--tokens=")) {
      words.push_back(command_line[i]);
    }
  }
  return words;
}

// A line that runs the model all the same, its inputs made up.
std::string other_line(const std::vector<PortInfo>& inputs, ShapeRequest request) {
  request.command_line = without_tokens(request.command_line);
  const auto shapes = resolve_shapes(inputs, request);
  return "time it without --tokens: " + (shapes ? shell_command(request.command_line) : shapes.error().hint);
}

Error with_line(Error error, const std::vector<PortInfo>& inputs, const InputRequest& request) {
  if (error.hint.empty()) {
    error.hint = other_line(inputs, request);
  }
  return error;
}

Result<void> check_given(const DecoderInput& input, const InputRequest& request) {
  const bool values = (request.files.contains(input.port.name) || request.texts.contains(input.port.name)) &&
                      input.role != DecoderRole::kTokens;
  if (values || request.shapes.contains(input.port.name)) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} {}: --tokens feeds this input", values ? "--input" : "--shape", input.port.name),
                 "leave one of them out"};
  }
  return {};
}

// The names of sizes that --tokens decides are no longer open.
void drop_decided_names(const std::vector<PortInfo>& all, const std::vector<PortInfo>& kept, InputRequest& request) {
  const auto has = [](const std::vector<PortInfo>& ports, const std::string& name) {
    return std::ranges::any_of(
        ports, [&](const PortInfo& port) { return std::ranges::find(port.dim_names, name) != port.dim_names.end(); });
  };
  std::erase_if(request.dims, [&](const auto& given) { return has(all, given.first) && !has(kept, given.first); });
}

// The prompt's shape is known, but for an open batch.
PortInfo prompt_port(PortInfo port, int64_t prompt_tokens) {
  if (port.dims.size() < 2) {
    port.dims = {-1, -1};
    port.dim_names = {"", ""};
  }
  port.dims.back() = prompt_tokens;
  port.dim_names.back() = "";
  return port;
}

Result<std::vector<int64_t>> prompt_of(const HostTensor& tensor, int64_t batch, int64_t prompt_tokens) {
  if (tensor.dims != std::vector<int64_t>{batch, prompt_tokens}) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("--input {}: the file is not of shape {}x{}, batch and prompt", tensor.name, batch, prompt_tokens),
        "give --tokens the prompt's length that the file has"};
  }
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < batch * prompt_tokens; ++i) {
    tokens.push_back(static_cast<int64_t>(element_as_double(tensor, i).value_or(0)));
  }
  return tokens;
}

}  // namespace

Result<TokenFeed> make_token_feed(const std::vector<PortInfo>& inputs, const std::vector<PortInfo>& outputs,
                                  InputRequest request, int64_t prompt_tokens) {
  const Result<DecoderPorts> ports = find_decoder_ports(inputs, outputs);
  if (!ports) {
    return with_line(ports.error(), inputs, request);
  }
  std::vector<PortInfo> made_ports;
  for (const DecoderInput& input : ports->inputs) {
    if (input.role == DecoderRole::kTokens) {
      made_ports.push_back(prompt_port(input.port, prompt_tokens));
    } else if (input.role == DecoderRole::kFixed) {
      made_ports.push_back(input.port);
      continue;
    }
    AACO_TRY(check_given(input, request));
  }
  request.index_limits.try_emplace("input_ids", kRowsWithoutTable);
  drop_decided_names(inputs, made_ports, request);
  AACO_ASSIGN(InputSet made, make_inputs(made_ports, request));
  TokenFeed feed;
  feed.batch = made.batch;
  std::map<std::string, InputNote> notes;
  for (size_t i = 0; i < made.tensors.size(); ++i) {
    notes[made.notes[i].name] = made.notes[i];
    if (made.tensors[i].name != "input_ids") {
      feed.fixed.push_back(std::move(made.tensors[i]));
      continue;
    }
    AACO_ASSIGN(feed.prompt, prompt_of(made.tensors[i], feed.batch, prompt_tokens));
  }
  for (const DecoderInput& input : ports->inputs) {
    if (input.role == DecoderRole::kFixed || input.role == DecoderRole::kTokens) {
      feed.notes.push_back(notes.at(input.port.name));
    }
    if (input.role == DecoderRole::kFixed) {
      continue;
    }
    const auto first = decoder_tensor(input, {feed.batch, 0, prompt_tokens}, feed.prompt);
    const auto later = decoder_tensor(input, {feed.batch, prompt_tokens, 1}, feed.prompt);
    for (const auto* tensor : {&first, &later}) {
      if (!*tensor) {
        return with_line(tensor->error(), inputs, request);
      }
    }
    if (input.role != DecoderRole::kTokens) {
      feed.notes.push_back({input.port.name, std::string(element_name(input.port.type)), first->dims,
                            decoder_values(input.role), "--tokens feeds it"});
    }
  }
  return feed;
}

}  // namespace aaco
