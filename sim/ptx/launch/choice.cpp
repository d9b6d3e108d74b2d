// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "sim/ptx/launch/element.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/program/types.h"
#include "sim/ptx/simt/random.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kLeast = 1;     // the input with the least values
constexpr std::uint64_t kGreatest = 2;  // with the greatest

// The number of an integer range that has so many before it: of 0 to `last`.
std::uint64_t Below(std::uint64_t last, std::uint64_t input, Random* random) {
  if (input == kLeast) {
    return 0;
  }
  if (input == kGreatest) {
    return last;
  }
  const std::uint64_t drawn = random->Next();
  return last == ~std::uint64_t{0} ? drawn : drawn % (last + 1);
}

std::uint64_t ValueOf(const Choice& choice, Type type, std::uint64_t input, Random* random) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * Bytes(type));
  if (!choice.values.empty()) {
    return choice.values[Below(choice.values.size() - 1, input, random)];
  }
  if (choice.reals) {
    constexpr std::uint64_t kSteps = std::uint64_t{1} << 24;
    const auto [least, last] = *choice.reals;
    const double part = static_cast<double>(Below(kSteps, input, random)) / kSteps;
    return BitsOf(type, least + part * (last - least));
  }
  const auto [least, last] = choice.integers.value_or(std::pair(std::uint64_t{0}, mask));
  return (least + Below((last - least) & mask, input, random)) & mask;
}

template <typename F>
void ForEachArgument(std::vector<Argument>* arguments, const std::string& at, const F& f) {
  for (std::size_t i = 0; i < arguments->size(); ++i) {
    Argument& argument = (*arguments)[i];
    const std::string own = fmt::format("{}[{}]", at, i);
    if (argument.choice) {
      f(&argument, own);
    }
    ForEachArgument(&argument.members, own + ".struct", f);
  }
}

// Calls f with each argument that is left open, and with its name.
template <typename F>
void ForEachArgument(Manifest* manifest, const F& f) {
  ForEachArgument(&manifest->arguments, "args", f);
  for (std::size_t i = 0; i < manifest->launches.size(); ++i) {
    ForEachArgument(&manifest->launches[i].arguments, fmt::format("launches[{}].args", i), f);
  }
}

}  // namespace

bool HasChoices(const Manifest& manifest) {
  bool has = std::any_of(manifest.buffers.begin(), manifest.buffers.end(),
                         [](const Buffer& buffer) { return buffer.choice.has_value(); });
  Manifest copy = manifest;
  ForEachArgument(&copy, [&](const Argument*, const std::string&) { has = true; });
  return has;
}

void Draw(std::uint64_t input, Manifest* manifest) {
  manifest->input = input;
  Random random(input);
  for (Buffer& buffer : manifest->buffers) {
    const std::size_t size = Bytes(buffer.type);
    for (std::size_t i = 0; buffer.choice && i < buffer.count; ++i) {
      const std::uint64_t bits = ValueOf(*buffer.choice, buffer.type, input, &random);
      std::memcpy(&buffer.initial[i * size], &bits, size);
    }
  }
  ForEachArgument(manifest, [&](Argument* argument, const std::string&) {
    argument->bits = ValueOf(*argument->choice, argument->type, input, &random);
  });
}

std::string InputText(const Manifest& manifest) {
  constexpr std::size_t kMost = 8;  // elements
  std::vector<std::string> parts;
  Manifest copy = manifest;
  ForEachArgument(&copy, [&](const Argument* argument, const std::string& at) {
    std::array<std::uint8_t, sizeof argument->bits> element{};
    std::memcpy(element.data(), &argument->bits, element.size());
    parts.push_back(fmt::format("{} = {}", at, FormatElement(argument->type, element.data())));
  });
  for (const Buffer& buffer : manifest.buffers) {
    if (!buffer.choice) {
      continue;
    }
    std::vector<std::string> elements;
    for (std::size_t i = 0; i < std::min<std::size_t>(buffer.count, kMost); ++i) {
      elements.push_back(FormatElement(buffer.type, &buffer.initial[i * Bytes(buffer.type)]));
    }
    parts.push_back(
        fmt::format("{} {} = {}{}", buffer.Word(), buffer.name, fmt::join(elements, ", "),
                    buffer.count > kMost ? fmt::format(", ... ({})", buffer.count) : ""));
  }
  return parts.empty() ? "" : fmt::format("input {}: {}", manifest.input, fmt::join(parts, "; "));
}

}  // namespace muster::ptx
