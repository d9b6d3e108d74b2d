// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace muster::ptx {

std::string Demangled(std::string_view name) {
  const std::string mangled(name);
  if (mangled.rfind("_Z", 0) != 0) {
    return mangled;  // "a" would be a char
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) {
    return mangled;
  }
  std::string text = demangled.get();
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = text.find(kAnonymous)) != std::string::npos;) {
    text.erase(at, kAnonymous.size());
  }
  std::string plain;
  int templates = 0;  // that are open
  for (const char c : text) {
    if (c == '(' && templates == 0) {
      break;
    }
    templates += c == '<' ? 1 : 0;
    if (templates == 0) {
      plain += c;
    }
    templates -= c == '>' ? 1 : 0;
  }
  return plain.substr(plain.rfind(' ') + 1);
}

std::string PlainName(std::string_view name) {
  const std::string plain = Demangled(name);
  return plain.substr(plain.rfind(':') + 1);
}

}  // namespace muster::ptx
