// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Inputs that a manifest leaves open: what elements of a buffer and scalar arguments may be, and
// which of these an input has, by its number.
#ifndef MUSTER_SIM_PTX_LAUNCH_CHOICE_H_
#define MUSTER_SIM_PTX_LAUNCH_CHOICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::ptx {

struct Manifest;

// What a value may be: one of a list; or a number of a range; or, without these, any bits.
struct Choice {
  std::vector<std::uint64_t> values;  // bits
  // Bits of the least and of the greatest one.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> integers;
  std::optional<std::pair<double, double>> reals;
};

// Whether the manifest leaves anything open.
bool HasChoices(const Manifest& manifest);

// Sets what the manifest leaves open to what the input of that number has, from 1 on. Input 1 has
// the first of each list, the least of each range and zeroes, input 2 the last, the greatest and
// ones; those of the others are drawn, the same everywhere.
void Draw(std::uint64_t input, Manifest* manifest);

// What the input is, in a line: "input 3: args[1] = 7; buffer in = 5, 0, 12, ... (64)". Empty: the
// manifest leaves nothing open.
std::string InputText(const Manifest& manifest);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_CHOICE_H_
