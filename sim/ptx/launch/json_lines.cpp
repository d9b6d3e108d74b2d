// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/json_lines.h"

#include <cctype>

namespace muster::ptx {

std::size_t TooDeep(std::string_view text, unsigned most) {
  unsigned depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      i += c == '\\' ? 1 : 0;
    } else if ((c == '{' || c == '[') && ++depth > most) {
      return i;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return std::string_view::npos;
}

JsonLines::JsonLines(std::string_view text) : text_(text) { Value(""); }

unsigned JsonLines::LineOf(const std::string& path) const {
  const auto found = lines_.find(path);
  return found == lines_.end() ? 0 : found->second;
}

void JsonLines::Space() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
    if (text_[at_++] == '\n') {
      ++line_;
    }
  }
}

// Escapes stay as they are: keys with escapes only lose their line.
std::string JsonLines::String() {
  const std::size_t begin = ++at_;
  while (text_[at_] != '"') {
    at_ += text_[at_] == '\\' ? 2 : 1;
  }
  return std::string(text_.substr(begin, at_++ - begin));
}

void JsonLines::Value(const std::string& path) {
  Space();
  lines_.emplace(path, line_);
  const char first = at_ < text_.size() ? text_[at_] : '\0';
  if (first == '"') {
    String();
  } else if (first == '{' || first == '[') {
    ++at_;
    unsigned index = 0;
    for (Space(); text_[at_] != '}' && text_[at_] != ']'; Space()) {
      if (text_[at_] == ',') {
        ++at_;
      } else if (first == '[') {
        Value(path + "[" + std::to_string(index++) + "]");
      } else {
        const unsigned line = line_;
        const std::string inner = (path.empty() ? "" : path + ".") + String();
        Space();
        ++at_;  // the colon
        const auto [where, is_new] = lines_.emplace(inner, line);
        if (!is_new && duplicate_.empty()) {
          duplicate_ = inner;
          where->second = line;
        }
        Value(inner);
      }
    }
    ++at_;
  } else {
    while (at_ < text_.size() &&
           std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
  }
}

}  // namespace muster::ptx
