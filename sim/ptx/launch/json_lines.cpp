// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/json_lines.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

namespace muster::ptx {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxNesting = 100;

// Gives the parser the text, and counts the lines that it has read. A new line counts when the
// character after it is read: the parser reads one character beyond a number.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, unsigned* line) : at_(at), line_(line) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *line_ += ended_ ? 1 : 0;
    ended_ = *at_++ == '\n';
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  unsigned* line_;
  bool ended_ = false;  // the character before was the end of a line
};

}  // namespace

// What the parser calls, part by part.
class JsonLines::Reader : public nlohmann::json_sax<Json> {
 public:
  explicit Reader(JsonLines* lines) : lines_(lines) {}

  unsigned* line() { return &line_; }

  bool null() override { return Leaf(); }
  bool boolean(bool /*value*/) override { return Leaf(); }
  bool number_integer(number_integer_t /*value*/) override { return Leaf(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return Leaf(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return Leaf(); }
  bool string(string_t& /*value*/) override { return Leaf(); }
  bool binary(binary_t& /*value*/) override { return Leaf(); }
  bool start_object(std::size_t /*size*/) override { return Enter(false); }
  bool start_array(std::size_t /*size*/) override { return Enter(true); }
  bool end_object() override { return Leave(); }
  bool end_array() override { return Leave(); }

  bool key(string_t& name) override {
    key_ = (open_.back().path.empty() ? "" : open_.back().path + ".") + name;
    const auto [where, is_new] = lines_->lines_.emplace(key_, line_);
    if (!is_new && lines_->duplicate_.empty()) {
      lines_->duplicate_ = key_;
      where->second = line_;
    }
    return true;
  }

  bool parse_error(std::size_t /*byte*/, const std::string& /*token*/,
                   const Json::exception& error) override {
    const std::string_view what = error.what();
    throw JsonError{line_, fmt::format("is not JSON: {}", what.substr(what.find("] ") + 2))};
  }

 private:
  struct Open {
    bool is_list = false;
    std::string path;
    unsigned next = 0;  // of a list: the index of its next element
  };

  // The path of the value that begins here.
  std::string Begin() {
    if (open_.empty()) {
      lines_->lines_.emplace("", line_);
      return "";
    }
    if (!open_.back().is_list) {
      return key_;
    }
    std::string path = fmt::format("{}[{}]", open_.back().path, open_.back().next++);
    lines_->lines_.emplace(path, line_);
    return path;
  }
  bool Leaf() {
    Begin();
    return true;
  }
  bool Enter(bool is_list) {
    if (open_.size() == kMaxNesting) {
      throw JsonError{line_, fmt::format("has more than {} brackets in each other", kMaxNesting)};
    }
    std::string path = Begin();
    open_.push_back({is_list, std::move(path)});
    return true;
  }
  bool Leave() {
    open_.pop_back();
    return true;
  }

  JsonLines* lines_;
  unsigned line_ = 1;
  std::string key_;  // of the member whose value comes next
  std::vector<Open> open_;
};

JsonLines::JsonLines(std::string_view text) {
  Reader reader(this);
  Json::sax_parse(CountingIterator(text.data(), reader.line()),
                  CountingIterator(text.data() + text.size(), reader.line()), &reader);
}

unsigned JsonLines::LineOf(const std::string& path) const {
  const auto found = lines_.find(path);
  return found == lines_.end() ? 0 : found->second;
}

}  // namespace muster::ptx
