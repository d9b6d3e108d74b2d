// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Names of C++ functions, which compilers mangle.
#ifndef MUSTER_SIM_PTX_PROGRAM_DEMANGLE_H_
#define MUSTER_SIM_PTX_PROGRAM_DEMANGLE_H_

#include <string>
#include <string_view>

namespace muster::ptx {

// A mangled name as people say it: with its namespaces, without its result, its parameters, what a
// template was given and what tells files apart. "ours::sum" of _ZN4ours3sumIiEEvPT_, "sums::part"
// of _ZZ4sumsPjE4part, a variable of a function. Any other name is returned as it is.
std::string Demangled(std::string_view name);

// The same without namespaces: "sum".
std::string PlainName(std::string_view name);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DEMANGLE_H_
