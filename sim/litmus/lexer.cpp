// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "sim/ptx/syntax/error.h"

namespace muster::litmus {
namespace {

bool IsLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The length of the word at the beginning of a text that begins with no space.
std::size_t Length(std::string_view text) {
  constexpr std::array<std::string_view, 6> kPairs{"==", "!=", "<=", ">=", "/\\", "\\/"};
  if (IsLetter(text[0])) {
    return std::find_if_not(text.begin(), text.end(), IsLetter) - text.begin();
  }
  for (const std::string_view pair : kPairs) {
    if (text.substr(0, 2) == pair) {
      return 2;
    }
  }
  return 1;
}

}  // namespace

bool IsName(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) &&
         std::isdigit(static_cast<unsigned char>(text[0])) == 0;
}

Lexer::Lexer(std::string file, std::string_view text, std::size_t begin, unsigned line)
    : file_(std::move(file)) {
  for (std::size_t i = begin; i < text.size();) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "(*") {
      const std::size_t end = text.find("*)", i);
      if (end == std::string_view::npos) {
        FailAt(line, "the comment that begins here has no end: add \"*)\"");
      }
      line += std::count(text.begin() + i, text.begin() + end, '\n');
      i = end + 2;
    } else if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      line += text[i++] == '\n' ? 1 : 0;
    } else {
      const std::size_t length = Length(text.substr(i));
      words_.push_back({std::string(text.substr(i, length)), line});
      i += length;
    }
  }
  words_.push_back({"", line});
}

const Word& Lexer::Ahead(std::size_t words) const {
  return words_[std::min(at_ + words, words_.size() - 1)];
}

Word Lexer::Take() {
  Word word = Next();
  at_ = std::min(at_ + 1, words_.size() - 1);
  return word;
}

bool Lexer::TakeIf(std::string_view text) {
  if (!Is(text) || text.empty()) {
    return false;
  }
  Take();
  return true;
}

void Lexer::Expect(std::string_view text) {
  if (!TakeIf(text)) {
    Fail(Next().text.empty()
             ? fmt::format(R"(the file ends where "{}" should stand)", text)
             : fmt::format(R"("{}" should stand before "{}")", text, ptx::Printable(Next().text)));
  }
}

std::string Lexer::TakeName(const char* what) {
  if (!IsName(Next().text)) {
    Fail(fmt::format(R"({} should stand where "{}" does)", what, ptx::Printable(Next().text)));
  }
  return Take().text;
}

unsigned Lexer::TakeIndex(const char* what) {
  const auto number = TakeNumber();
  if (!number || *number < 0 || *number > 0xffff) {
    Fail(fmt::format("{} should be a number from 0 to 65535", what));
  }
  return static_cast<unsigned>(*number);
}

std::optional<std::int64_t> Lexer::TakeNumber() {
  const bool negative = Is("-");
  const std::string& text = Ahead(negative ? 1 : 0).text;
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) == 0) {
    return std::nullopt;
  }
  const bool hex = text.size() > 2 && text[1] == 'x';
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end) {
    Fail(fmt::format(R"("{}" is not a number of 64 bits)", ptx::Printable(text)));
  }
  if (negative) {
    Take();
  }
  Take();
  return negative ? -value : value;
}

void Lexer::FailAt(unsigned line, const std::string& what) const {
  throw ptx::InputError(fmt::format("{}:{}: {}", file_, line, what));
}

}  // namespace muster::litmus
