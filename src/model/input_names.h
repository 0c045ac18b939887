// SPDX-License-Identifier: MIT
// What names of inputs and dimensions say about them.
#pragma once

#include <string>
#include <vector>

namespace aaco {

// "inputLengths_2" is input, lengths, 2: in lower case, split where the case or the kind of character changes.
std::vector<std::string> words_of(const std::string& name);

bool names_mask(const std::string& input);
// key_padding_mask: where it is boolean, true leaves a place out.
bool names_ignored(const std::string& input);
bool names_position(const std::string& input);
// speech_lengths, seq_len, xlens: of sequences, in steps. Not max_length, which is a limit.
bool names_length(const std::string& input);

// sequence_length, time, num_frames, T: a dimension of steps.
bool names_steps(const std::string& dimension);
// num_nodes, sequence, height: a leading dimension of something else than samples.
bool names_count(const std::string& dimension);
// The name of an exporter's own making, which says nothing: unk__12, s0, input_dynamic_axes_1.
bool is_generated_name(const std::string& dimension);

}  // namespace aaco
