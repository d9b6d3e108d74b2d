// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/printf.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace muster::ptx {
namespace {

constexpr std::int32_t kMaxShown = 511;  // characters of one conversion

template <typename T>
std::string One(const std::string& spec, T value) {
  std::vector<char> text(kMaxShown + 1);
  const int length = std::snprintf(text.data(), text.size(), spec.c_str(), value);
  return {text.data(), std::min(static_cast<std::size_t>(std::max(length, 0)), text.size() - 1)};
}

}  // namespace

void Printed::Add(const std::string& text) {
  const std::size_t kept = std::min(text.size(), kMost - text_.size());
  text_.append(text, 0, kept);
  lost_ += text.size() - kept;
}

std::string FormatPrintf(std::string_view format,
                         const std::function<std::uint64_t(unsigned)>& next,
                         const std::function<std::string(std::uint64_t)>& text_at) {
  std::string out;
  std::size_t i = 0;
  while (i < format.size()) {
    if (format[i] != '%') {
      out.push_back(format[i++]);
      continue;
    }
    if (format.substr(i, 2) == "%%") {
      out.push_back('%');
      i += 2;
      continue;
    }
    std::string spec = "%";
    std::size_t at = i + 1;
    while (at < format.size() &&
           std::string_view("-+ #0").find(format[at]) != std::string_view::npos) {
      spec.push_back(format[at++]);
    }
    const auto number = [&] {  // a width or precision, no larger than what is shown
      if (format.substr(at, 1) == "*") {
        ++at;
        return std::clamp(static_cast<std::int32_t>(next(4)), -kMaxShown, kMaxShown);
      }
      std::int32_t value = 0;
      for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at) {
        value = std::min(value, kMaxShown) * 10 + (format[at] - '0');
      }
      return std::min(value, kMaxShown);
    };
    if (const std::int32_t width = number(); width != 0) {
      spec += std::to_string(width);
    }
    if (format.substr(at, 1) == ".") {
      ++at;
      const std::int32_t precision = number();
      spec += precision < 0 ? "" : "." + std::to_string(precision);
    }
    const std::size_t before = at;
    while (at < format.size() && std::strchr("hlLjzt", format[at]) != nullptr) {
      ++at;
    }
    const std::string_view length = format.substr(before, at - before);
    const bool wide = length.find_first_of("ljzt") != std::string_view::npos;
    const char conversion = at < format.size() ? format[at] : '\0';
    if (conversion != '\0' && std::strchr("di", conversion) != nullptr) {
      const std::uint64_t value = next(wide ? 8 : 4);
      const std::intmax_t extended = length == "hh"  ? static_cast<std::int8_t>(value)
                                     : length == "h" ? static_cast<std::int16_t>(value)
                                     : wide          ? static_cast<std::int64_t>(value)
                                                     : static_cast<std::int32_t>(value);
      out += One(spec + "j" + conversion, extended);
    } else if (conversion != '\0' && std::strchr("uoxX", conversion) != nullptr) {
      const std::uintmax_t value = next(wide ? 8 : 4);
      const std::uintmax_t cut = length == "hh"  ? value & 0xffU
                                 : length == "h" ? value & 0xffffU
                                                 : value;
      out += One(spec + "j" + conversion, cut);
    } else if (conversion != '\0' && std::strchr("eEfFgGaA", conversion) != nullptr) {
      const std::uint64_t bits = next(8);
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      out += One(spec + conversion, value);
    } else if (conversion == 'c') {
      out += One(spec + conversion, static_cast<int>(next(4)));
    } else if (conversion == 's') {
      out += One(spec + conversion, text_at(next(8)).c_str());
    } else if (conversion == 'p') {
      out += One(spec + "#jx", std::uintmax_t{next(8)});
    } else {
      out.push_back(format[i++]);
      continue;
    }
    i = at + 1;
  }
  return out;
}

}  // namespace muster::ptx
