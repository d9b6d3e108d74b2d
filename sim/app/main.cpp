// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster: runs and checks kernels, replays logs, and translates BCU words.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <iostream>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "sim/app/against.h"
#include "sim/app/explain_command.h"
#include "sim/app/explore_command.h"
#include "sim/app/files.h"
#include "sim/app/launch_command.h"
#include "sim/app/litmus_command.h"
#include "sim/app/run_command.h"
#include "sim/app/suite.h"
#include "sim/bcu/assembler.h"
#include "sim/bcu/disassembler.h"
#include "sim/gpu/driver.h"
#include "sim/log/replay.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/nearest.h"
#include "sim/ptx/syntax/parser.h"

namespace muster::app {
namespace {

constexpr int kBadInput = static_cast<int>(ptx::ExitCode::kBadInput);

// Writes what a command found, and its exit code, to the file of --json, if there is one.
int Told(const std::string& json, nlohmann::ordered_json report, int code) {
  if (!json.empty()) {
    report["exit_code"] = code;
    WriteFile(json, JsonText(report));
  }
  return code;
}

int ReplayLog(const std::string& path, const std::string& json) {
  const log::Replayed replayed = log::Replay(path);
  if (!replayed.error.empty()) {
    throw ptx::InputError(replayed.error);
  }
  for (const std::string& report : replayed.reports) {
    fmt::print("{}\n", report);
  }
  fmt::print("{}: {} operations, {} of them with other effects than recorded\n", path,
             replayed.operations, replayed.differences);
  return Told(json,
              {{"log", path},
               {"operations", replayed.operations},
               {"differences", replayed.differences},
               {"reports", replayed.reports}},
              replayed.differences == 0 ? 0 : static_cast<int>(ptx::ExitCode::kMismatch));
}

// Prints the errors in a PTX file that a compiler would report, one on a line.
int Check(const std::string& path, const std::string& json) {
  const auto module = ptx::Parse(path, ptx::ReadFile(path, "PTX file"));
  int code = 0;
  auto findings = nlohmann::ordered_json::array();
  for (const ptx::Finding& finding : ptx::Check(*module)) {
    fmt::print("{}\n", finding.text);
    code = finding.runs ? std::max(code, 1) : kBadInput;
    findings.push_back({{"text", finding.text}, {"runs", finding.runs}});
  }
  return Told(json, {{"file", path}, {"findings", findings}}, code);
}

// Returns the text of a file, or of the standard input if the name is "-".
std::string TextOf(const std::string& path) {
  if (path != "-") {
    return ptx::ReadFile(path, "input");
  }
  std::ostringstream text;
  text << std::cin.rdbuf();
  return text.str();
}

int Assemble(const std::string& path, const std::string& json) {
  const auto words = bcu::AssembleText(TextOf(path));
  if (const auto* const refusal = std::get_if<bcu::Refusal>(&words)) {
    throw ptx::InputError(
        fmt::format("{}:{}:{}: {}", path, refusal->line, refusal->column, refusal->what));
  }
  auto listed = nlohmann::ordered_json::array();
  for (const bcu::Word128& word : std::get<0>(words)) {
    fmt::print("{}\n", bcu::Hex(word));
    listed.push_back(bcu::Hex(word));
  }
  return Told(json, {{"words", listed}}, 0);
}

// Disassembles a file with one word on each line.
int Disassemble(const std::string& path, const std::string& json) {
  std::istringstream lines(TextOf(path));
  std::string line;
  std::string disassembled;
  auto instructions = nlohmann::ordered_json::array();
  int code = 0;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string text;
    if (!(words >> text)) {
      continue;
    }
    const std::optional<bcu::Word128> word = bcu::ParseHex(text);
    if (!word || words >> text) {
      throw ptx::InputError(fmt::format("{}:{}: \"{}\" is not a word of 32 hexadecimal digits",
                                        path, number, ptx::Printable(text)));
    }
    const bcu::Disassembly result = bcu::Disassemble(*word);
    disassembled.append(result.text).append("\n");
    instructions.push_back(
        {{"word", bcu::Hex(*word)}, {"text", result.text}, {"legal", result.legal}});
    if (!result.legal) {
      code = kBadInput;
    }
  }
  fmt::print("{}", disassembled);
  return Told(json, {{"instructions", instructions}}, code);
}

bool Has(std::initializer_list<std::string_view> list, std::string_view one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

// What is wrong with the words of a command, where that is an option in the wrong place or one that
// there is not. Empty: nothing.
std::string WrongOption(const CLI::App& app, const std::vector<std::string>& words, bool compiles) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto named = [&](const std::string& word) {
    return std::find_if(commands.begin(), commands.end(),
                        [&](const CLI::App* one) { return one->get_name() == word; });
  };
  if (words.empty() || words.front().empty()) {
    return "";
  }
  if (words.front().front() == '-') {
    const auto later = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
      return named(word) != commands.end();
    });
    const bool is_of_program = Has({"-h", "--help", "--version"}, words.front());
    return later == words.end() || is_of_program
               ? ""
               : fmt::format("options follow the subcommand: muster {} ... {}", *later,
                             ptx::Printable(words.front()));
  }
  if (named(words.front()) == commands.end()) {
    std::vector<std::string> names;
    for (const CLI::App* const one : commands) {
      names.push_back(one->get_name());
    }
    return fmt::format("there is no subcommand {}; there are {}", ptx::Printable(words.front()),
                       fmt::join(names, ", "));
  }
  const CLI::App& command = **named(words.front());
  std::vector<std::string> options;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      options.push_back("--" + name);
    }
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    const CLI::Option* const before = command.get_option_no_throw(words[i - 1]);
    const bool is_value =
        before != nullptr && words[i - 1].front() == '-' && before->get_items_expected_min() > 0;
    const std::size_t letter = name.find_first_not_of('-');
    const bool is_option = letter != 0 && letter != std::string::npos &&
                           std::isalpha(static_cast<unsigned char>(name[letter])) != 0;
    if (!is_option || is_value || name == "-h" || command.get_option_no_throw(name) != nullptr) {
      continue;
    }
    const std::string meant = ptx::Nearest(name, options);
    return fmt::format(
        "{} has no option {}{}", words.front(), ptx::Printable(words[i]),
        !meant.empty() ? fmt::format(": did you mean {}?", meant)
        : compiles && name[1] != '-'
            ? fmt::format("; options of the compiler follow --: muster {} FILE.cu ... "
                          "-- {}",
                          words.front(), ptx::Printable(words[i]))
            : "");
  }
  return "";
}

int Main(int argc, char** argv) {
  CLI::App app("Muster: a GPU barrier unit, and the kernels that run on it");
  app.require_subcommand(1);
  app.set_version_flag("--version", "muster " MUSTER_VERSION);
  app.footer(
      "Exit codes of run: 0 as the manifest says, 1 differs, 2 bad input, 3 deadlock,\n"
      "4 RTL and golden model disagree, 5 fault, 6 timeout, 9 no GPU for --target cuda.");
  int code = 0;

  std::string input;
  // What follows "--" is for the compiler of a CUDA file.
  const bool launches =
      argc > 1 && (std::string_view(argv[1]) == "run" || std::string_view(argv[1]) == "explore" ||
                   std::string_view(argv[1]) == "explain");
  char** const end = argv + argc;
  char** const dashes = launches ? std::find(argv, end, std::string_view("--")) : end;
  const std::vector<std::string> compiler_flags(std::min(dashes + 1, end), end);
  AddRunCommand(&app, compiler_flags, &code);
  AddExploreCommand(&app, compiler_flags, &code);
  AddExplainCommand(&app, compiler_flags, &code);
  AddLitmusCommand(&app, &code);

  std::vector<std::string> inputs;
  SuiteOptions suite_options;
  CLI::App* const suite = app.add_subcommand("suite", "Run all the kernels of directories");
  suite->add_option("paths", inputs, "Directories and manifests")->required();
  AddRunOptions(suite, &suite_options.run);
  suite->add_option("--against", suite_options.against,
                    "cuda, or cuda:N: run each kernel on the unit and on the GPU, and compare");
  AddFile(suite, "--json", &suite_options.json, "Write all reports to this file");
  AddFile(suite, "--junit", &suite_options.junit, "Write the results to this JUnit file");
  suite->callback([&] {
    CheckTarget(*suite, suite_options.run, suite_options.against);
    code = suite_options.against.empty() ? RunSuite(inputs, suite_options)
                                         : RunAgainst(inputs, suite_options);
  });

  std::string json;
  const auto add_text = [&](const char* name, const char* what, const char* positional,
                            const char* of, int (*act)(const std::string&, const std::string&)) {
    CLI::App* const command = app.add_subcommand(name, what);
    command->add_option(positional, input, of)->required();
    AddFile(command, "--json", &json, "Write the same to this JSON file");
    command->callback([&, act] {
      CheckOutputs({input}, json.empty() ? std::vector<std::string>{} : std::vector{json});
      code = act(input, json);
    });
  };
  add_text("check", "What a compiler would refuse of a PTX file", "file", "The PTX file", Check);
  add_text("replay", "Put a log through the golden model", "log", "The log (JSONL) of a run",
           ReplayLog);
  add_text("asm", "BCU text to 128-bit words", "file",
           "Instructions, one a line (-: standard input)", Assemble);
  add_text("disasm", "128-bit words to BCU text", "file", "Words, one a line (-: standard input)",
           Disassemble);

  if (const std::string wrong =
          WrongOption(app, std::vector<std::string>(std::min(argv + 1, dashes), dashes), launches);
      !wrong.empty()) {
    fmt::print(stderr, "muster: {}\n", wrong);
    return kBadInput;
  }
  try {
    app.parse(static_cast<int>(dashes - argv), argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  } catch (const gpu::NoGpu& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(ptx::ExitCode::kNoGpu);
  } catch (const ptx::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
  if (std::fflush(stdout) != 0) {
    throw std::system_error(errno, std::generic_category(), "the standard output");
  }
  return code;
}

}  // namespace
}  // namespace muster::app

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond the file size limit fails with an error instead
  try {
    return muster::app::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "muster: there is not enough memory\n");
    return muster::app::kBadInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "muster: %s\n", error.what());
    return muster::app::kBadInput;
  }
}
