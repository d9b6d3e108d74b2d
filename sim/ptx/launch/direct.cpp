// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/direct.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/ptx/launch/element.h"
#include "sim/ptx/launch/manifest_reader.h"
#include "sim/ptx/launch/manifest_text.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/program/types.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"

namespace muster::ptx {
namespace {

using Members = nlohmann::ordered_json;

std::vector<std::string> Split(const std::string& text, std::string_view separators) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t to = 0; to != std::string::npos; from = to + 1) {
    to = text.find_first_of(separators, from);
    parts.push_back(text.substr(from, to - from));
  }
  return parts;
}

bool IsName(const std::string& text) {
  const auto in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), in_name);
}

bool LooksReal(const std::string& text) {
  return text.find("0x") == std::string::npos && text.find("0X") == std::string::npos &&
         text.find_first_of(".eEn") != std::string::npos;  // 1.5, 1e3, inf, nan
}

// The option with its text, as messages name it.
std::string Given(const char* option, const std::string& text) {
  return fmt::format("{} {}", option, Printable(text));
}

// --grid, --block, --cluster.
Members Extent(const char* option, const std::string& text) {
  Members extent = Members::array();
  for (const std::string& part : Split(text, ",x")) {
    char* end = nullptr;
    errno = 0;
    const bool digits = !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) {
      return std::isdigit(c) != 0;
    });
    const std::uint64_t number = std::strtoull(part.c_str(), &end, 10);
    if (!digits || errno != 0 || extent.size() == 3) {
      throw InputError(
          fmt::format("{} is not one to three numbers, such as 2 or 16,16", Given(option, text)));
    }
    extent.push_back(number);
  }
  while (extent.size() < 3) {
    extent.push_back(1);
  }
  return extent;
}

// A number as a manifest has it.
Members Number(const std::string& of, const std::string& text, Type type) {
  char* end = nullptr;
  errno = 0;
  if (IsReal(type)) {
    if (text == "inf" || text == "-inf" || text == "nan") {
      return text;
    }
    const double number = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0' && !std::isinf(number)) {
      return number;
    }
  } else if (Bytes(type) == 8) {
    return text;
  } else if (const std::int64_t number = std::strtoll(text.c_str(), &end, 0);
             !text.empty() && *end == '\0' && errno == 0) {
    return number < 0 ? Members(number) : Members(static_cast<std::uint64_t>(number));
  }
  throw InputError(fmt::format("{}: {} is no {}", of,
                               text.empty() ? "an empty text" : Printable(text),
                               IsReal(type) ? "number" : "whole number"));
}

// V, V,V,... or @FILE, of a buffer.
Members Values(const std::string& of, const std::string& text, Type type) {
  if (!text.empty() && text.front() == '@') {
    return {{"file", text.substr(1)}};
  }
  const std::vector<std::string> parts = Split(text, ",");
  if (parts.size() == 1) {
    return {{"fill", Number(of, text, type)}};
  }
  Members list = Members::array();
  for (const std::string& part : parts) {
    list.push_back(Number(of, part, type));
  }
  return list;
}

class Maker {
 public:
  explicit Maker(const DirectLaunch& launch) : launch_(launch) {}

  Members Make() {
    if (launch_.block.empty()) {
      throw InputError("--block is missing: how many threads a CTA has, such as --block 256");
    }
    members_["ptx"] = launch_.ptx;
    if (!launch_.kernel.empty()) {
      members_["kernel"] = launch_.kernel;
    }
    AddExtents();
    if (launch_.cooperative) {
      members_["cooperative"] = true;
    }
    if (launch_.smem) {
      members_["dynamic_shared"] = *launch_.smem;
    }
    AddBuffers();
    AddMaps();
    AddArguments();
    AddSymbols();
    AddExpected();
    AddTolerances();
    for (const std::string& hazard : launch_.hazards) {
      const auto [name, count] = Pair("--hazard", hazard, "NAME=COUNT");
      members_["hazards"][name] = Number(Given("--hazard", hazard), count, Type::kU32);
    }
    if (!launch_.outcome.empty()) {
      members_["outcome"] = launch_.outcome;
    }
    if (!launch_.after_inval.empty()) {
      members_["after_inval"] = launch_.after_inval;
    }
    if (!launch_.hint.empty()) {
      members_["hint"] = launch_.hint;
    }
    return std::move(members_);
  }

  // The option that a member of the manifest comes from, with its text.
  std::string Where(const std::string& at) const {
    const std::string member = at.substr(0, at.find_first_of(".["));
    static const std::map<std::string, std::string> kOptions = {{"ptx", "the PTX file"},
                                                                {"kernel", "the kernel"},
                                                                {"grid", "--grid"},
                                                                {"block", "--block"},
                                                                {"cluster", "--cluster"},
                                                                {"dynamic_shared", "--smem"},
                                                                {"cooperative", "--cooperative"},
                                                                {"outcome", "--outcome"},
                                                                {"hazards", "--hazard"},
                                                                {"after_inval", "--after-inval"},
                                                                {"hint", "--hint"},
                                                                {"expect", "--expect"}};
    if (member == "args") {
      return Given("--arg", launch_.args.at(std::strtoul(at.c_str() + 5, nullptr, 10)));
    }
    const std::string name = NameIn(at);
    for (const auto& [section, option, texts] :
         {std::tuple("symbols", "--symbol", &launch_.symbols),
          std::tuple("tensor_maps", "--tensor-map", &launch_.tensor_maps),
          std::tuple("expect", "--expect", &launch_.expects),
          std::tuple("tolerance", "--tolerance", &launch_.tolerances)}) {
      for (const std::string& text : *texts) {
        if (member == section && text.rfind(name + "=", 0) == 0) {
          return Given(option, text);
        }
      }
    }
    for (const auto& [option, texts] :
         {std::pair("--arg", &launch_.args), std::pair("--buffer", &launch_.buffers)}) {
      for (const std::string& text : *texts) {
        if (member == "buffers" && text.rfind(name + "=", 0) == 0) {
          const bool counted = at == "buffers." + name + ".count";
          return (counted ? "the count of " : "") + Given(option, text);
        }
      }
    }
    const auto option = kOptions.find(member);
    return option == kOptions.end() ? member : option->second;
  }

 private:
  // The second part of "buffers.in.count" or "expect.out[3]".
  static std::string NameIn(const std::string& at) {
    const std::size_t dot = at.find('.');
    const std::string rest = dot == std::string::npos ? "" : at.substr(dot + 1);
    return rest.substr(0, rest.find_first_of(".["));
  }

  // What follows TYPE: of a buffer or a symbol.
  static Members Init(const std::string& of, const std::string& text, Type type) {
    return text == "zero" || text == "iota" ? Members(text) : Values(of, text, type);
  }

  static std::pair<std::string, std::string> Pair(const char* option, const std::string& text,
                                                  const char* form) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || !IsName(text.substr(0, equals))) {
      throw InputError(fmt::format("{} is not {}", Given(option, text), form));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
  }

  void AddExtents() {
    for (const auto& [key, option, text] : {std::tuple("grid", "--grid", &launch_.grid),
                                            std::tuple("block", "--block", &launch_.block),
                                            std::tuple("cluster", "--cluster", &launch_.cluster)}) {
      if (!text->empty()) {
        members_[key] = Extent(option, *text);
      }
    }
  }

  void AddArguments() {
    const Program program =
        Outline(*Parse(launch_.ptx, ReadFile(launch_.ptx, "PTX file")), launch_.kernel);
    const std::vector<Parameter>& parameters = program.Kernel().parameters;
    if (parameters.size() != launch_.args.size()) {
      throw InputError(
          launch_.args.empty()
              ? fmt::format("--arg is missing: the kernel {} takes {} argument{}, "
                            "such as --arg in=u32[512]:iota for a buffer, or --arg 7",
                            program.Kernel().name, parameters.size(),
                            parameters.size() == 1 ? "" : "s")
              : fmt::format("--arg is there {} time{}, but the kernel {} takes {} argument{}",
                            launch_.args.size(), launch_.args.size() == 1 ? "" : "s",
                            program.Kernel().name, parameters.size(),
                            parameters.size() == 1 ? "" : "s"));
    }
    if (parameters.empty()) {
      return;
    }
    members_["args"] = Members::array();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      Members argument = ArgumentOf(launch_.args[i], parameters[i]);  // may add a member
      members_["args"].push_back(std::move(argument));
    }
  }

  bool Has(const char* section, const std::string& name) const {
    return members_.contains(section) && members_[section].contains(name);
  }

  void AddBuffers() {
    for (const std::string& buffer : launch_.buffers) {
      const auto [name, text] = Pair("--buffer", buffer, "NAME=TYPE[COUNT]");
      AddBuffer(Given("--buffer", buffer), name, text);
    }
  }

  void AddMaps() {
    for (const std::string& map : launch_.tensor_maps) {
      const auto [name, text] = Pair("--tensor-map", map, "NAME={...}");
      const Members value = Members::parse(text, nullptr, false);
      if (value.is_discarded()) {
        throw InputError(fmt::format("{} is not JSON", Given("--tensor-map", map)));
      }
      members_["tensor_maps"][name] = value;
    }
  }

  Members ArgumentOf(const std::string& arg, const Parameter& parameter) {
    const std::string of = Given("--arg", arg);
    if (!arg.empty() && arg.front() == '{') {
      const Members value = Members::parse(arg, nullptr, false);
      if (value.is_discarded()) {
        throw InputError(fmt::format("{} is not JSON", of));
      }
      return value;
    }
    if (IsName(arg) && Has("buffers", arg)) {
      return {{"buffer", arg}};
    }
    if (IsName(arg) && Has("tensor_maps", arg)) {
      return {{"tensor_map", arg}};
    }
    if (const std::size_t equals = arg.find('=');
        equals != std::string::npos && IsName(arg.substr(0, equals))) {
      AddBuffer(of, arg.substr(0, equals), arg.substr(equals + 1));
      return {{"buffer", arg.substr(0, equals)}};
    }
    const std::size_t colon = arg.find(':');
    const std::string type =
        colon == std::string::npos ? TypeFor(of, arg, parameter) : arg.substr(0, colon);
    if (ElementTypeOf(type) == Type::kNone) {
      throw InputError(fmt::format("{}: there is no type {}", of, Printable(type)));
    }
    const std::string value = colon == std::string::npos ? arg : arg.substr(colon + 1);
    return {{type, Number(of, value, ElementTypeOf(type))}};
  }

  // TYPE[COUNT] or TYPE[COUNT]:INIT.
  void AddBuffer(const std::string& of, const std::string& name, const std::string& text) {
    const std::size_t open = text.find('[');
    const std::size_t close = text.find(']');
    const bool plain = close + 1 == text.size();
    const bool formed = open != std::string::npos && close != std::string::npos && open < close &&
                        (plain || text[close + 1] == ':');
    const std::string type = text.substr(0, open);
    if (!formed || ElementTypeOf(type) == Type::kNone) {
      throw InputError(fmt::format(
          "{} is not NAME=TYPE[COUNT] or NAME=TYPE[COUNT]:INIT, such as in=u32[512]:iota", of));
    }
    if (Has("buffers", name)) {
      throw InputError(
          fmt::format("{}: there is a buffer {} already; --arg {} names it", of, name, name));
    }
    Members buffer = {{"type", type},
                      {"count", Number(of, text.substr(open + 1, close - open - 1), Type::kU32)}};
    if (!plain) {
      buffer["init"] = Init(of, text.substr(close + 2), ElementTypeOf(type));
    }
    members_["buffers"][name] = buffer;
  }

  // The type of a number that does not say it: the parameter's, and of bits that of the number.
  static std::string TypeFor(const std::string& of, const std::string& text,
                             const Parameter& parameter) {
    const bool number = !text.empty() && (text.front() == '-' || !IsName(text) || LooksReal(text));
    if (!number) {
      throw InputError(
          fmt::format("{} is no number, and no earlier --arg has made a buffer of that name", of));
    }
    if (parameter.bytes > 8 || (parameter.bytes & (parameter.bytes - 1)) != 0) {
      throw InputError(fmt::format(
          R"({}: the parameter {} is a structure of {} bytes: write it as JSON, such as )"
          R"({{"struct": [{{"u32": 1}}, {{"f32": 2}}]}})",
          of, parameter.name, parameter.bytes));
    }
    const bool real = IsFloat(parameter.type) ||
                      (IsBits(parameter.type) && parameter.bytes >= 4 && LooksReal(text));
    const char kind = real ? 'f' : text.front() == '-' || IsSigned(parameter.type) ? 's' : 'u';
    return fmt::format("{}{}", kind, 8 * parameter.bytes);
  }

  void AddSymbols() {
    for (const std::string& symbol : launch_.symbols) {
      const std::string of = Given("--symbol", symbol);
      const std::size_t equals = symbol.find('=');
      const std::size_t colon = symbol.find(':', equals);
      const std::string name = symbol.substr(0, equals);
      const std::string type =
          equals == std::string::npos ? "" : symbol.substr(equals + 1, colon - equals - 1);
      if (name.empty() || ElementTypeOf(type) == Type::kNone) {
        throw InputError(
            fmt::format("{} is not NAME=TYPE or NAME=TYPE:INIT, such as weights=f32:0.5,2", of));
      }
      if (members_.contains("symbols") && members_["symbols"].contains(name)) {
        throw InputError(fmt::format("{}: there is a --symbol {} already", of, name));
      }
      members_["symbols"][name]["type"] = type;
      if (colon != std::string::npos) {
        members_["symbols"][name]["init"] = Init(of, symbol.substr(colon + 1), ElementTypeOf(type));
      }
    }
  }

  // The type of a buffer or symbol. Throws InputError.
  Type TypeOfNamed(const std::string& of, const std::string& name) const {
    for (const char* const section : {"buffers", "symbols"}) {
      if (Has(section, name)) {
        return ElementTypeOf(members_[section][name]["type"].get<std::string>());
      }
    }
    throw InputError(fmt::format("{}: no --arg makes a buffer {}", of, name));
  }

  void AddExpected() {
    for (const std::string& expect : launch_.expects) {
      const auto [name, values] = Pair("--expect", expect, "NAME=VALUES");
      const std::string of = Given("--expect", expect);
      members_["expect"][name] = Values(of, values, TypeOfNamed(of, name));
    }
  }

  void AddTolerances() {
    for (const std::string& tolerance : launch_.tolerances) {
      const std::string of = Given("--tolerance", tolerance);
      const auto [name, text] = Pair("--tolerance", tolerance, "NAME=LIMITS");
      for (const std::string& limit : Split(text, ",")) {
        const std::size_t colon = limit.find(':');
        const std::string key = limit.substr(0, colon);
        if (colon == std::string::npos ||
            (key != "absolute" && key != "relative" && key != "ulps")) {
          throw InputError(fmt::format("{}: {} is not absolute:V, relative:V or ulps:N", of,
                                       limit.empty() ? "an empty text" : Printable(limit)));
        }
        members_["tolerance"][name][key] =
            Number(of, limit.substr(colon + 1), key == "ulps" ? Type::kU32 : Type::kF64);
      }
    }
  }

  const DirectLaunch& launch_;
  Members members_;
};

}  // namespace

DirectManifest ManifestOf(const DirectLaunch& launch) {
  Maker maker(launch);
  DirectManifest made;
  made.members = maker.Make();
  ForEachFile(&made.members,
              [&](const Members* file) { made.inputs.push_back(file->get<std::string>()); });
  const auto where = [&](const std::string& at) { return maker.Where(at); };
  made.manifest = ManifestReader(Json(made.members), where).Read();
  made.manifest.path = launch.ptx;
  made.manifest.command = CommandOf(launch);
  return made;
}

std::string Quoted(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-+.,:/=@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string CommandOf(const DirectLaunch& launch) {
  std::string command = Quoted(launch.ptx);
  const auto add = [&command](const std::string& option, const std::string& text) {
    const char between = text.rfind('-', 0) == 0 ? '=' : ' ';
    command += text.empty() ? "" : fmt::format(" {}{}{}", option, between, Quoted(text));
  };
  command += launch.kernel.empty() ? "" : " " + Quoted(launch.kernel);
  add("--grid", launch.grid);
  add("--block", launch.block);
  add("--cluster", launch.cluster);
  command += launch.cooperative ? " --cooperative" : "";
  add("--smem", launch.smem ? std::to_string(*launch.smem) : "");
  for (const auto& [option, texts] :
       {std::pair("--buffer", &launch.buffers), std::pair("--tensor-map", &launch.tensor_maps),
        std::pair("--arg", &launch.args), std::pair("--symbol", &launch.symbols),
        std::pair("--expect", &launch.expects), std::pair("--tolerance", &launch.tolerances),
        std::pair("--hazard", &launch.hazards)}) {
    for (const std::string& text : *texts) {
      add(option, text);
    }
  }
  add("--outcome", launch.outcome);
  add("--after-inval", launch.after_inval);
  add("--hint", launch.hint);
  return command;
}

}  // namespace muster::ptx
