// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>

#include "sim/ptx/launch/element.h"
#include "sim/ptx/launch/manifest_reader.h"
#include "sim/ptx/program/decode.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

// A path can be read: it is not a folder, and is there.
bool Readable(const std::string& path) {
  std::error_code error;
  return path.find('\0') == std::string::npos && !std::filesystem::is_directory(path, error) &&
         access(path.c_str(), R_OK) == 0;
}

}  // namespace

// The schema's validator takes numbers from 2^63 on for negative ones, so these are checked here.
std::uint64_t ManifestReader::Whole(const Json& value, const std::string& at,
                                    std::uint64_t least) const {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least) {
    Fail(at, fmt::format("must be a whole number from {} to {}", least,
                         std::numeric_limits<std::uint64_t>::max()));
  }
  return value.get<std::uint64_t>();
}

// The path of the file that a member names.
std::string ManifestReader::File(const Json& value, const std::string& at) const {
  std::string file = Beside(path_, value.get<std::string>());
  if (!Readable(file)) {
    Fail(at, fmt::format("names {}, which cannot be read", file));
  }
  return file;
}

// ------------------------------------------------------------------------------------------------
// Values
// ------------------------------------------------------------------------------------------------

std::uint64_t ManifestReader::Integer(const Json& value, Type type, const std::string& at) const {
  const unsigned bits = 8 * Bytes(type);
  const std::uint64_t ones = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t most = IsSigned(type) ? ones >> 1 : ones;
  const std::uint64_t least = IsSigned(type) ? most + 1 : 0;  // below zero
  std::uint64_t magnitude = 0;
  bool negative = false;
  if (value.is_number_unsigned()) {
    magnitude = value.get<std::uint64_t>();
  } else if (value.is_number_integer()) {
    negative = true;
    magnitude = ~static_cast<std::uint64_t>(value.get<std::int64_t>()) + 1;
  } else if (value.is_string() && bits == 64) {
    const std::string text = value.get<std::string>();
    negative = !text.empty() && text.front() == '-';
    const char* const digits = text.c_str() + (negative ? 1 : 0);
    char* end = nullptr;
    errno = 0;
    const bool begins = std::isdigit(static_cast<unsigned char>(*digits)) != 0;
    magnitude = std::strtoull(digits, &end, 0);
    if (!begins || *end != '\0' || errno != 0) {
      Fail(at, "is not an integer");
    }
  } else {
    Fail(at, "must be an integer");
  }
  if (magnitude > (negative ? least : most)) {
    Fail(at, "is out of the range of its type");
  }
  return (negative ? ~magnitude + 1 : magnitude) & ones;
}

double ManifestReader::Float(const Json& value, const std::string& at) const {
  if (value.is_number()) {
    return value.get<double>();
  }
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  if (text == "inf" || text == "+inf") {
    return std::numeric_limits<double>::infinity();
  }
  if (text == "-inf") {
    return -std::numeric_limits<double>::infinity();
  }
  if (text == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  Fail(at, R"(must be a number, "inf", "-inf" or "nan")");
}

// The bits of a value of `type`.
std::uint64_t ManifestReader::Element(const Json& value, Type type, const std::string& at) const {
  if (!IsReal(type)) {
    return Integer(value, type, at);
  }
  const std::uint64_t bits = BitsOf(type, Float(value, at));
  std::array<std::uint8_t, sizeof bits> element{};
  std::memcpy(element.data(), &bits, sizeof bits);
  if (value.is_number() && !std::isfinite(RealOf(type, element.data()))) {
    Fail(at, "is out of the range of its type");
  }
  return bits;
}

// ------------------------------------------------------------------------------------------------
// Members
// ------------------------------------------------------------------------------------------------

// A list of exactly `count`, {"fill": v} or {"file": path}.
Image ManifestReader::Contents(const Json& value, const Buffer& buffer,
                               const std::string& at) const {
  const std::size_t size = Bytes(buffer.type);
  Image bytes(buffer.count * size);
  if (value.is_array()) {
    if (value.size() != buffer.count) {
      Fail(at,
           fmt::format("has {} elements, but {} has {}", value.size(), buffer.name, buffer.count));
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::uint64_t bits = Element(value[i], buffer.type, fmt::format("{}[{}]", at, i));
      std::memcpy(&bytes[i * size], &bits, size);
    }
    return bytes;
  }
  if (value.contains("fill")) {
    const std::uint64_t bits = Element(value["fill"], buffer.type, at + ".fill");
    for (std::size_t i = 0; i < buffer.count; ++i) {
      std::memcpy(&bytes[i * size], &bits, size);
    }
    return bytes;
  }
  const std::string file = File(value["file"], at + ".file");
  std::error_code error;
  const auto there = std::filesystem::file_size(file, error);
  if (error) {
    Fail(at + ".file", fmt::format("names {}, which cannot be read", file));
  }
  if (there != bytes.size()) {
    Fail(at + ".file", fmt::format("names {}, which has {} bytes where {} has {}", file, there,
                                   buffer.name, bytes.size()));
  }
  const std::string contents = ReadFile(file, "buffer file");
  std::copy(contents.begin(), contents.end(), bytes.begin());
  return bytes;
}

std::optional<Choice> ManifestReader::ChoiceOf(const Json& value, Type type,
                                               const std::string& at) const {
  if (value == "any") {
    return Choice{};
  }
  if (!value.is_object() || !value.contains("any")) {
    return std::nullopt;
  }
  Choice choice;
  const Json& any = value["any"];
  const std::string inside = at + ".any";
  for (std::size_t i = 0; any.is_array() && i < any.size(); ++i) {
    choice.values.push_back(Element(any[i], type, fmt::format("{}[{}]", inside, i)));
  }
  if (any.is_array()) {
    return choice;
  }
  const std::uint64_t from = Element(any["from"], type, inside + ".from");
  const std::uint64_t to = Element(any["to"], type, inside + ".to");
  if (IsReal(type)) {
    choice.reals = {Float(any["from"], inside + ".from"), Float(any["to"], inside + ".to")};
  } else {
    choice.integers = {from, to};
  }
  // Two's complement: with the sign turned over, the order is that of unsigned numbers.
  const std::uint64_t sign = IsSigned(type) ? std::uint64_t{1} << (8 * Bytes(type) - 1) : 0;
  const bool in_order = choice.reals ? std::isfinite(choice.reals->second - choice.reals->first) &&
                                           choice.reals->first <= choice.reals->second
                                     : (from ^ sign) <= (to ^ sign);
  if (!in_order) {
    Fail(inside, "is a range whose \"from\" is above its \"to\", or that has no end");
  }
  return choice;
}

Image ManifestReader::Initial(const Json& value, const Buffer& buffer,
                              const std::string& at) const {
  const std::size_t size = Bytes(buffer.type);
  const bool holds_maps = value.is_object() && value.contains("tensor_maps");
  const bool is_open = value.is_object() && value.contains("any");  // drawn when all has been read
  if (is_open) {
    return Image(buffer.count * size);
  }
  if (!value.is_string() && !holds_maps) {
    return Contents(value, buffer, at);
  }
  Image bytes(buffer.count * size);
  if (holds_maps) {  // they come when the addresses are known
    return bytes;
  }
  if (value == "zero" || value == "any") {
    return bytes;
  }
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    const std::uint64_t bits =
        IsReal(buffer.type) ? BitsOf(buffer.type, static_cast<double>(i)) : i;
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

}  // namespace muster::ptx
