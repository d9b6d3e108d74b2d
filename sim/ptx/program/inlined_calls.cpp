// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/inlined_calls.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "sim/ptx/program/dwarf.h"

namespace muster::ptx {
namespace {

// What an entry says of a function.
struct Named {
  std::string name;
  InlinedCalls::Site begin;
  std::uint64_t more = 0;  // the entry that says the rest, or 0
};

InlinedCalls::Site SiteOf(const dwarf::Entry& entry, dwarf::Attribute file, dwarf::Attribute line) {
  return {static_cast<std::uint32_t>(entry.Number(file)),
          static_cast<std::uint32_t>(entry.Number(line))};
}

std::map<std::string, std::uint32_t, std::less<>> LabelsOf(const syntax::Module& module) {
  std::map<std::string, std::uint32_t, std::less<>> labels;
  for (const syntax::Function& function : module.functions) {
    for (const syntax::Statement& statement : function.body) {
      if (statement.kind == syntax::Statement::Kind::kLabel) {
        labels.emplace(statement.label, statement.at.line);
      }
    }
  }
  return labels;
}

}  // namespace

InlinedCalls::InlinedCalls(const syntax::Module& module) {
  const dwarf::SectionBytes info = dwarf::SectionOf(module, ".debug_info");
  if (info.data.empty()) {
    return;
  }
  const auto labels = LabelsOf(module);
  const auto line_of = [&](const dwarf::Entry& entry, dwarf::Attribute attribute) {
    const auto address = entry.attributes.find(attribute);
    const auto label = address == entry.attributes.end()
                           ? labels.end()
                           : labels.find(info.SymbolAt(address->second.from));
    return label == labels.end() ? 0 : label->second;
  };
  std::map<std::uint64_t, Named> named;
  std::vector<std::uint64_t> called;                      // by scope: the entry of its function
  std::vector<std::pair<std::size_t, std::size_t>> open;  // depth, and the number of a scope plus 1
  const auto take = [&](const dwarf::Entry& entry) {
    while (!open.empty() && open.back().first >= entry.depth) {
      open.pop_back();
    }
    if (entry.tag == dwarf::kSubprogram) {
      const std::uint64_t origin = entry.Number(dwarf::kAbstractOrigin);
      named[entry.at] = {entry.Text(dwarf::kName),
                         SiteOf(entry, dwarf::kDeclFile, dwarf::kDeclLine),
                         origin != 0 ? origin : entry.Number(dwarf::kSpecification)};
    } else if (entry.tag == dwarf::kInlinedSubroutine) {
      Scope scope;
      scope.from = line_of(entry, dwarf::kLowPc);
      scope.to = line_of(entry, dwarf::kHighPc);
      scope.call.site = SiteOf(entry, dwarf::kCallFile, dwarf::kCallLine);
      scope.outer = open.empty() ? 0 : open.back().second;
      scopes_.push_back(std::move(scope));
      called.push_back(entry.Number(dwarf::kAbstractOrigin));
      open.emplace_back(entry.depth, scopes_.size());
    }
  };
  dwarf::ForEachEntry(info, dwarf::SectionOf(module, ".debug_abbrev"), take);
  for (const auto& [at, function] : named) {
    functions_.insert(function.begin);
  }
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    constexpr unsigned kMostEntries = 4;  // of one function
    std::uint64_t at = called[i];
    for (unsigned n = 0; n < kMostEntries && named.count(at) != 0; ++n, at = named[at].more) {
      const Named& function = named[at];
      Scope& scope = scopes_[i];
      scope.call.function = scope.call.function.empty() ? function.name : scope.call.function;
      scope.begin = scope.begin.second == 0 ? function.begin : scope.begin;
    }
    by_function_.emplace(scopes_[i].begin, i);
  }
}

std::set<std::uint32_t> InlinedCalls::Borders() const {
  std::set<std::uint32_t> borders;
  for (const Scope& scope : scopes_) {
    borders.insert({scope.from, scope.to});
  }
  return borders;
}

std::vector<InlinedCalls::Call> InlinedCalls::At(std::uint32_t ptx_line, const Site& place) const {
  const auto after = functions_.upper_bound(place);
  if (after == functions_.begin() || std::prev(after)->first != place.first) {
    return {};
  }
  const Site function = *std::prev(after);  // that the place is in
  std::vector<Call> found;
  const auto [first, last] = by_function_.equal_range(function);
  for (auto at = first; at != last; ++at) {
    const Scope& innermost = scopes_[at->second];
    if (ptx_line < innermost.from || ptx_line >= innermost.to) {
      continue;
    }
    std::vector<Call> calls{innermost.call};
    for (std::size_t outer = innermost.outer; outer != 0; outer = scopes_[outer - 1].outer) {
      calls.push_back(scopes_[outer - 1].call);
    }
    std::reverse(calls.begin(), calls.end());
    if (!found.empty() && found != calls) {
      return {};  // code of several calls is mixed here
    }
    found = std::move(calls);
  }
  return found;
}

}  // namespace muster::ptx
