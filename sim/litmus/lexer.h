// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The words of a litmus file.
#ifndef MUSTER_SIM_LITMUS_LEXER_H_
#define MUSTER_SIM_LITMUS_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::litmus {

struct Word {
  std::string text;  // empty at the end
  unsigned line = 0;
};

class Lexer {
 public:
  // Takes the file's text from `begin` on, which is in that line.
  Lexer(std::string file, std::string_view text, std::size_t begin, unsigned line);

  const Word& Next() const { return words_[at_]; }
  const Word& Ahead(std::size_t words) const;
  bool Is(std::string_view text) const { return Next().text == text; }
  Word Take();
  bool TakeIf(std::string_view text);
  // Takes that word, or complains.
  void Expect(std::string_view text);
  std::string TakeName(const char* what);
  unsigned TakeIndex(const char* what);
  std::optional<std::int64_t> TakeNumber();

  // Throws an InputError of the line.
  [[noreturn]] void Fail(const std::string& what) const { FailAt(Next().line, what); }
  [[noreturn]] void FailAt(unsigned line, const std::string& what) const;

 private:
  std::string file_;
  std::vector<Word> words_;
  std::size_t at_ = 0;
};

bool IsName(std::string_view text);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_LEXER_H_
