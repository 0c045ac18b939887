// SPDX-License-Identifier: MIT
#include "ingest/kineto/merged_ranks.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace aaco {

namespace {

constexpr std::string_view kBetween = " _:=#/.-,";  // a mark and what it is beside, a word and its number

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_separators(std::string_view text) {
  const size_t first = text.find_first_not_of(kBetween);
  const size_t last = text.find_last_not_of(kBetween);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

bool is_word(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(),
                    [](char c, char l) { return (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == l; });
}

bool names_a_rank(std::string_view word) {
  static constexpr std::string_view kWords[] = {"rank", "tp", "dp", "pp", "ep", "cp", "sp", "worker", "node"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view each) { return is_word(word, each); });
}

// "TP01" or "rank 1" from the start of `text`, of which it is taken away.
std::optional<RankMark::Part> take_part(std::string_view& text) {
  std::string_view rest = text;
  const auto end_of = [&](bool (*is_it)(char)) {
    return static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), is_it) - rest.begin());
  };
  RankMark::Part part;
  part.dimension = rest.substr(0, end_of(is_letter));
  rest.remove_prefix(part.dimension.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(kBetween), rest.size()));
  const size_t digits = end_of(is_digit);
  if (digits == 0 || !names_a_rank(part.dimension) ||
      std::from_chars(rest.data(), rest.data() + digits, part.number).ec != std::errc()) {
    return std::nullopt;
  }
  rest.remove_prefix(digits);
  text = rest;
  return part;
}

// All of what stands in brackets.
std::vector<RankMark::Part> parts_of(std::string_view text) {
  std::vector<RankMark::Part> parts;
  for (text = without_separators(text); !text.empty(); text = without_separators(text)) {
    const auto part = take_part(text);
    if (!part) {
      return {};
    }
    parts.push_back(*part);
  }
  return parts;
}

RankMark in_brackets(std::string_view process) {
  const size_t open = process.find_first_of("[(");
  const size_t close = process.find_first_of("])", open);
  if (open == std::string_view::npos || close == std::string_view::npos) {
    return {};
  }
  const std::string_view before = without_separators(process.substr(0, open));
  const std::string_view behind = without_separators(process.substr(close + 1));
  RankMark mark{parts_of(process.substr(open + 1, close - open - 1)), before.empty() ? behind : before};
  return before.empty() || behind.empty() ? mark : RankMark{};
}

// "rank1 500", "rank_1_500", "500_rank1".
RankMark beside_the_process(std::string_view process) {
  std::string_view rest = process;
  if (const auto part = take_part(rest); part && is_word(part->dimension, "rank")) {
    return rest.empty() || kBetween.find(rest.front()) != std::string_view::npos
               ? RankMark{{*part}, without_separators(rest)}
               : RankMark{};
  }
  for (size_t at = 1; at < process.size(); ++at) {
    rest = process.substr(at);
    if (kBetween.find(process[at - 1]) == std::string_view::npos) {
      continue;
    }
    if (const auto part = take_part(rest); part && rest.empty() && is_word(part->dimension, "rank")) {
      return {{*part}, without_separators(process.substr(0, at))};
    }
  }
  return {};
}

std::optional<int64_t> integer_of(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

using Key = std::vector<std::pair<std::string_view, int64_t>>;

Key key_of(const RankMark& mark) {
  Key key;
  for (const RankMark::Part& part : mark.parts) {
    key.emplace_back(part.dimension, part.number);
  }
  return key;
}

// The place of the only part that differs between marks of the same parts.
std::optional<size_t> differing_part(const std::set<Key>& marks) {
  std::optional<size_t> place;
  for (const Key& mark : marks) {
    const Key& first = *marks.begin();
    if (mark.size() != first.size()) {
      return std::nullopt;
    }
    for (size_t i = 0; i < mark.size(); ++i) {
      if (mark[i].first != first[i].first || (mark[i] != first[i] && place.value_or(i) != i)) {
        return std::nullopt;
      }
      place = mark[i] != first[i] ? i : place;
    }
  }
  return place;
}

std::map<Key, int64_t> ranks_of_marks(const std::set<Key>& marks) {
  const auto place = differing_part(marks);
  std::map<Key, int64_t> ranks;
  for (const Key& mark : marks) {
    const auto next = static_cast<int64_t>(ranks.size());
    ranks[mark] = place ? mark[*place].second : next;
  }
  return ranks;
}

// Lanes of one device number in several processes: Kineto's number of a lane's process is that of its device.
void tell_lanes_apart(const StringTable& strings, std::span<Track> tracks) {
  using Device = std::pair<int64_t, int64_t>;  // rank and device
  std::map<std::pair<Device, int64_t>, std::set<StringId>> of_streams;
  std::map<Device, std::set<StringId>> processes;  // that share a stream
  std::set<int64_t> devices;
  for (const Track& track : tracks) {
    if (track.device != kNoId) {
      const Device device(track.rank, track.device);
      devices.insert(track.device);
      std::set<StringId>& sharing = of_streams[{device, track.stream}];
      sharing.insert(track.process);
      if (sharing.size() > 1) {
        processes[device].insert(sharing.begin(), sharing.end());
      }
    }
  }
  std::map<std::pair<Device, StringId>, int64_t> numbers;
  for (const auto& [device, lanes] : processes) {
    for (auto lane = std::next(lanes.begin()); lane != lanes.end(); ++lane) {
      const int64_t number = integer_of(strings[*lane]).value_or(*devices.rbegin() + 1);
      devices.insert(number);
      numbers[{device, *lane}] = number;
    }
  }
  for (Track& track : tracks) {
    const auto position = numbers.find({{track.rank, track.device}, track.process});
    track.device = position == numbers.end() ? track.device : position->second;
  }
}

}  // namespace

RankMark rank_mark(std::string_view process) {
  RankMark mark = in_brackets(process);
  return mark.parts.empty() ? beside_the_process(process) : mark;
}

void give_ranks(const StringTable& strings, std::optional<int64_t> file_rank, bool lanes_are_devices,
                std::span<Track> tracks) {
  std::vector<RankMark> marks;
  std::set<Key> different;
  for (const Track& track : tracks) {
    marks.push_back(rank_mark(strings[track.process]));
    if (marks.back().parts.empty() && integer_of(strings[track.process])) {
      marks.back() = rank_mark(strings[track.process_name]);
      marks.back().process = strings[track.process];
    }
    if (!marks.back().parts.empty()) {
      different.insert(key_of(marks.back()));
    }
  }
  const bool merged = different.size() > 1;
  const std::map<Key, int64_t> ranks = ranks_of_marks(different);
  for (size_t i = 0; i < tracks.size(); ++i) {
    Track& track = tracks[i];
    const bool marked = merged && !marks[i].parts.empty();
    if (track.rank == kNoId) {  // the file's own is that of one of the merged
      track.rank = marked ? ranks.at(key_of(marks[i])) : merged ? kNoId : file_rank.value_or(kNoId);
    }
    if (marked && track.device == kNoId && track.stream != kNoId) {
      track.device = integer_of(marks[i].process).value_or(kNoId);
    }
  }
  if (lanes_are_devices) {
    tell_lanes_apart(strings, tracks);
  }
}

}  // namespace aaco
