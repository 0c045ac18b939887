// SPDX-License-Identifier: MIT
#include "record/events/loss_table.h"

#include <algorithm>

#include "base/text/utf8.h"
#include "record/intervals.h"

namespace aaco {

const LossInfo& loss_info(Loss loss) {
  using enum LossSeverity;
  static constexpr LossInfo kInfos[kLosses] = {
      {"truncated tail", kSevere, "the file ends early: what came after is not in any figure",
       "record again, and let the profiler finish writing"},
      {"data behind the end", kSevere, "what follows the end of the trace was not read",
       "give each trace a file of its own"},
      {"malformed event", kSevere, "no event by the format's definition: it is in no figure",
       "record again with another version of the profiler"},
      {"unknown phase", kWarning, "a mark that no timeline has a place for: kept as an instant",
       "report the format, if figures miss something"},
      {"unknown category", kNote, "kept as kind \"other\", which is in no budget",
       "report the category, if it is device work"},
      {"no time", kSevere, "an event without a readable time is in no figure", "record again"},
      {"digits under a nanosecond", kNote, "cut off: a start and a duration are less than a nanosecond off each",
       "none needed"},
      {"time out of range", kSevere, "beyond 73 years: the event is in no figure", "check the recording clock"},
      {"negative duration", kSevere, "taken as it stands at its start, without length",
       "record again: the profiler's clock went backwards"},
      {"zero duration on the device", kNote, "counts as an event and adds no time", "none needed"},
      {"unmatched begin or end", kWarning, "a begin without its end, or the reverse: kept as an instant",
       "record a longer window"},
      {"text not in UTF-8", kNote, "each bad byte is shown as U+FFFD and its two hexadecimal digits", "none needed"},
      {"value too long to look into", kNote, "an array or object beyond 16 MiB: kept as a text, unread", "none needed"},
      {"unmatched flow", kNote, "an arrow with one end only", "record a longer window"},
      {"no launch", kWarning, "a device event whose launching call is not in the file: launch delays leave it out",
       "record a longer window, with the runtime's activity on"},
      {"overlap in a stream", kWarning, "slices of one stream overlap: sums count that time twice, unions once",
       "none: graphs and some profilers do so"},
      {"duplicate key", kNote, "a member of an event came twice: the last one counts",
       "report it to the trace's writer"},
      {"last line not ended", kNote, "its last value may be cut", "compare the file's end with the original"},
      {"short row", kWarning, "a row of a table lacks its last values: they are unknown, the others count",
       "check how the table was written"},
      {"unknown record", kWarning, "of a kind that is not read: it is in no figure",
       "report the kind, if it holds device work"},
      {"unknown name", kWarning, "the table of names in the file has no such entry: shown by its number",
       "record again, and let the profiler finish writing"},
      {"dropped by the profiler", kSevere, "its buffer was full: what it dropped, or what needs that, is in no figure",
       "record a shorter window, or with a larger buffer"},
      {"sample without a kernel", kNote, "of the program counter: counted under a kernel that is not known",
       "record the kernels too (rocprofv3 --kernel-trace), and give both files"},
      {"replay without records", kWarning, "what a graph ran on the device is in no figure: idle is an upper bound",
       "record what graphs run (nsys: --cuda-graph-trace=node)"},
      {"ambiguous launch", kWarning,
       "several calls have its correlation id: it is linked to none, and launch delays leave it out",
       "record each process into a file of its own"},
      {"start before launch", kWarning,
       "it starts before its call: the clocks of host and device disagree; its time counts, its launch delay does not",
       "record again, and compare no times of the host with times of the device"},
      {"impossible time", kSevere, "it cannot have run then, or for so long: it is in no figure",
       "record again: the profiler wrote no time, or one that overflowed"},
      {"launch without a record", kWarning, "the kernel that it launched is in no figure: idle is an upper bound",
       "record a shorter window, or with a larger buffer"},
      {"unreadable argument", kWarning, "no JSON value (inf, nan, a bare word): its event counts, the argument is lost",
       "record again with another version of the profiler"},
      {"unreadable field", kSevere, "an event's name, place or link is no JSON value: figures that need it lack it",
       "record again with another version of the profiler"},
      {"mended JSON", kNote,
       "no JSON (a comma too many, a backslash that escapes nothing): read as meant, nothing is lost", "none needed"},
      {"nested too deeply", kNote, "arrays, objects or elements within others: what lies in the innermost is not read",
       "none needed"},
      {"file given twice", kWarning, "its content is that of another file: it is read once", "name each file once"},
      {"no common base time", kWarning, "files that do not say what their times count from stay as they are written",
       "record all files with one version of the profiler"},
      {"ambiguous separators", kSevere, "commas or points that can be read in two ways: the value is in no figure",
       "write the table again with decimal points and without separators of thousands (LC_ALL=C)"},
      {"unknown device lane", kSevere, "lanes named like a device's, whose slices are in no figure",
       "report the lanes' names and what wrote them, if they show device work"},
  };
  return kInfos[static_cast<size_t>(loss)];
}

std::optional<Loss> find_loss(std::string_view name) {
  for (size_t i = 0; i < kLosses; ++i) {
    if (loss_info(static_cast<Loss>(i)).name == name) {
      return static_cast<Loss>(i);
    }
  }
  return std::nullopt;
}

const char* severity_name(LossSeverity severity) {
  static constexpr const char* kNames[] = {"note", "warning", "severe"};
  return kNames[static_cast<size_t>(severity)];
}

bool LossTable::in_part() const {
  for (size_t i = 0; i < kLosses; ++i) {
    if (counts_[i] > 0 && loss_info(static_cast<Loss>(i)).severity == LossSeverity::kSevere) {
      return true;
    }
  }
  return false;
}

void LossTable::add_device_time(Loss loss, int64_t ns) {
  std::optional<int64_t>& sum_ns = device_time_ns_[static_cast<size_t>(loss)];
  sum_ns = saturating_sum(sum_ns.value_or(0), ns);
}

void LossTable::add_all(const LossTable& other) {
  for (size_t i = 0; i < kLosses; ++i) {
    if (counts_[i] == 0) {
      examples_[i] = other.examples_[i];
    }
    counts_[i] += other.counts_[i];
    if (other.device_time_ns_[i]) {
      add_device_time(static_cast<Loss>(i), *other.device_time_ns_[i]);
    }
  }
}

std::vector<LossTable::Entry> LossTable::entries() const {
  std::vector<Entry> entries;
  for (size_t i = 0; i < kLosses; ++i) {
    if (counts_[i] > 0) {
      entries.push_back({static_cast<Loss>(i), counts_[i], as_utf8(examples_[i]), device_time_ns_[i]});
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return loss_info(a.loss).severity > loss_info(b.loss).severity;
  });
  return entries;
}

}  // namespace aaco
