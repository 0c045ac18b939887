// SPDX-License-Identifier: MIT
#include "kind/observation/observation_run.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/process/limit_error.h"
#include "base/version.h"
#include "device/backends/module_backend.h"
#include "device/observe_variables.h"
#include "kind/observation/observation_gaps.h"
#include "kind/observation/observation_kind.h"
#include "kind/observation/programs/attached_process.h"
#include "kind/observation/programs/command_environment.h"
#include "kind/observation/programs/started_command.h"
#include "kind/observation/ring_drain.h"
#include "kind/observation/ring_folder.h"
#include "kind/trace/trace_memory.h"
#include "kind/trace/trace_session.h"
#include "observe/environment.h"
#include "session/bundle/layout.h"
#include "session/close_session.h"
#include "session/session.h"
#include "session/session_document.h"
#include "session/trace_tables.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

Result<fs::path> find_injection() {
  for (const fs::path& folder : module_folders()) {
    std::error_code error;
    const fs::path file = fs::absolute(folder / kObserveLibrary, error);
    if (!error && fs::exists(file, error)) {
      return file;
    }
  }
  return Error{ErrorKind::kUnavailable, fmt::format("built without CUPTI: no {} beside the program", kObserveLibrary),
               "build with the headers of CUPTI in CUDA_HOME (cmake -DAACO_CUDA=on), or name the library's folder in "
               "AACO_MODULES"};
}

std::string text_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

// An observer around this one is told who has the command's records.
void tell_outer_observer(const fs::path& session) {
  const std::string outer = text_of(observe_variable::kFolder);
  std::error_code error;
  if (!outer.empty() && fs::is_directory(outer, error)) {
    const fs::path file = fs::path(outer) / (session.filename().string() + observe_variable::kInnerExtension);
    (void)write_file_atomically(file, fs::absolute(session, error).string());  // else it knows nothing of this one
  }
}

Result<Observation> observe_into(SessionWriter& session, const ObservationRequest& request,
                                 const std::optional<TargetProcess>& target, const std::function<void()>& closing,
                                 bool& ran) {
  Observation observation;
  ObservationDocument& document = observation.document;
  document.version = program_version();
  document.bundle = session.path().string();
  document.created_utc = session.info().created_utc;
  document.command = target ? target->command : request.command;
  document.whole_graphs = request.whole_graphs;
  document.budget_ppm = static_cast<int64_t>(request.budget_ppm);
  document.duration_s = request.duration_s;
  document.limit_bytes = static_cast<int64_t>(request.limit_bytes);
  if (request.planes.device) {
    Result<fs::path> injection = find_injection();
    if (!injection && !request.planes.host && !request.planes.telemetry && !request.planes.kernel) {
      return injection.error();
    }
    document.injection = injection ? injection->string() : "";
    document.no_device_reason = injection ? "" : injection.error().message;
  }
  document.wants_device_plane = request.planes.device;
  const ChainedLibraries chained = chained_libraries(document.injection);
  document.chained_injection = chained.injection;
  document.chained_nvtx = chained.nvtx;
  AACO_TRY(session.write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
  tell_outer_observer(session.path());
  AACO_ASSIGN(const RingFolder rings, RingFolder::create(session.path()));
  AACO_ASSIGN(RingDrain drain,
              RingDrain::create(rings.path(), session.path() / layout::kJournals, document.limit_bytes));
  PlaneWatch planes(request.planes, session, !target);
  const auto look = [&](int64_t pid) { planes.look(pid); };
  if (target) {
    document.pid = target->pid;
    AACO_TRY(observe_attached(request, *target, rings, drain, look, document));
  } else {
    AACO_TRY(observe_started(request, rings, drain, look, document));
  }
  ran = true;
  closing();
  AACO_TRY(planes.store(session, document));
  document.limit_reached = drain.limit_reached();
  if (!target || drain.limit_reached()) {  // else it was left when it was meant to be
    document.stopped_ns = drain.stopped_ns();
  }
  document.inner_sessions = drain.inner_sessions();
  for (std::string& problem : drain.problems()) {
    document.problems.push_back(std::move(problem));
  }
  AACO_ASSIGN(document.processes, drain.finish());
  name_devices(session, document);
  document.journal_bytes = drain.journal_bytes();
  imports::limit_to_machine();
  EventTable events;
  AACO_TRY(drain.read_events(events));
  AACO_ASSIGN(observation.losses, write_observed_events(session, events, document));
  AACO_TRY(write_document(session, layout::kObservation, observation_json(document), read_observation));
  return observation;
}

}  // namespace

void name_devices(SessionWriter& session, ObservationDocument& document) {
  document.has_device_plane = !document.processes.empty();
  session.info().facts.backend = document.has_device_plane ? "cuda" : "cpu";
}

Result<LossTable> write_observed_events(SessionWriter& session, const EventTable& events,
                                        const ObservationDocument& document) {
  LossTable losses = events.losses;
  if (events.recordings.empty()) {
    session.info().planes[layout::kTrace] = {PlaneStatus::kUnavailable, nothing_text(document)};
    return losses;
  }
  AACO_TRY(write_trace_tables(session.path(), events));
  AACO_TRY(session.note_file(layout::kTrace));
  session.info().planes[layout::kTrace] = {PlaneStatus::kRecorded, gaps_text(document)};
  const Result<void> room = imports::expect_room_for_analyses(events, {});
  const std::string reason = interrupted() ? "interrupted" : room ? "" : room.error().message;
  if (reason.empty()) {
    AACO_ASSIGN(losses, imports::write_analyses(session, events));
  }
  session.info().planes[layout::kAnalysisPlane] = {reason.empty() ? PlaneStatus::kRecorded : PlaneStatus::kUnavailable,
                                                   reason};
  return losses;
}

uint64_t ring_bytes_of_environment() {
  const std::string text = text_of(observe_variable::kRingBytes);
  return text.empty() ? RingFolder::kRingBytes : std::strtoull(text.c_str(), nullptr, 10);
}

Error become_dormant(const ObservationRequest& request) {
  const Result<fs::path> injection = find_injection();
  if (!injection) {
    return injection.error();
  }
  const ChainedLibraries chained = chained_libraries(injection->string());
  for (const auto& [name, value] : injecting_environment(request, injection->string(), chained)) {
    (void)::setenv(name.c_str(), value.c_str(), 1);
  }
  (void)::setenv(observe_variable::kDormant, "1", 1);
  (void)::unsetenv(observe_variable::kFolder);  // of an observer around it: this one has the command from here on
  const std::vector<std::string>& command = request.command;
  std::vector<char*> words(command.size() + 1, nullptr);
  std::transform(command.begin(), command.end(), words.begin(),
                 [](const std::string& word) { return const_cast<char*>(word.c_str()); });
  ::execvp(words[0], words.data());
  return {ErrorKind::kUsage, fmt::format("cannot run {}: {}", command.front(), std::strerror(errno)),
          "name a program that is on PATH, or its path; its own flags come behind --"};
}

Result<Observation> observe_command(const ObservationRequest& request, const std::function<void()>& closing) {
  std::optional<TargetProcess> target;
  if (request.pid) {
    AACO_ASSIGN(target, find_attached_target(request));
  }
  SessionInfo info;
  info.kind = kObservation.traits;
  info.command_line = request.command_line;
  info.facts.model_name = fs::path(target ? target->name : request.command.front()).filename().string();
  info.facts.backend = "cpu";  // until a process of it uses CUDA
  AACO_ASSIGN(SessionWriter session, SessionWriter::create(request.sessions, std::move(info)));
  bool ran = false;
  Result<Observation> observation = Observation();
  try {
    observation = observe_into(session, request, target, closing, ran);
  } catch (const std::exception& exception) {  // no room for what the analyses hold, or an interrupt
    observation = error_of(exception);
  }
  if (!observation && !ran) {
    AACO_TRY(refuse_session(session, observation.error()));
  }
  AACO_TRY(close_session(session, observation ? Result<SessionEnd>(SessionEnd()) : observation.error()));
  return observation;
}

}  // namespace aaco
