// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/demangle.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>

namespace muster::ptx {
namespace {

// What CUDA's compiler puts before the names that only one file knows:
// "_INTERNAL_6502e2dd_4_k_cu_1f2e3d4c::".
void RemoveInternal(std::string* text) {
  constexpr std::string_view kInternal = "_INTERNAL_";
  for (std::size_t from = 0; (from = text->find(kInternal, from)) != std::string::npos;) {
    std::size_t end = from;
    while (end < text->size() &&
           (std::isalnum(static_cast<unsigned char>((*text)[end])) != 0 || (*text)[end] == '_')) {
      ++end;
    }
    const bool is_scope = text->compare(end, 2, "::") == 0;
    text->erase(from, is_scope ? end + 2 - from : 0);
    from += is_scope ? 0 : kInternal.size();
  }
}

// Whether something is named within what ends before `at`: "f(int) const::part".
bool IsScope(const std::string& text, std::size_t at) {
  constexpr std::string_view kConst = " const";
  at += text.compare(at, kConst.size(), kConst) == 0 ? kConst.size() : 0;
  return text.compare(at, 2, "::") == 0;
}

}  // namespace

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
  RemoveInternal(&text);
  std::string plain;
  int templates = 0;   // that are open
  int parameters = 0;  // likewise
  int braces = 0;      // of "{lambda(int)#1}"
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    templates += c == '<' && parameters == 0 ? 1 : 0;
    parameters += c == '(' && templates == 0 ? 1 : 0;
    braces += c == '{' ? 1 : 0;
    braces -= c == '}' ? 1 : 0;
    if (templates == 0 && parameters == 0) {
      plain += c;
    }
    if (c == ')' && templates == 0 && --parameters == 0 && braces == 0) {
      if (!IsScope(text, at + 1)) {
        break;
      }
      at = text.find("::", at) - 1;
    }
    templates -= c == '>' && parameters == 0 && templates != 0 ? 1 : 0;
  }
  return plain.substr(plain.rfind(' ') + 1);
}

std::string PlainName(std::string_view name) {
  const std::string plain = Demangled(name);
  return plain.substr(plain.rfind(':') + 1);
}

}  // namespace muster::ptx
