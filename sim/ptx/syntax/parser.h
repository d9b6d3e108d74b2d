// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The PTX grammar.
#ifndef MUSTER_SIM_PTX_SYNTAX_PARSER_H_
#define MUSTER_SIM_PTX_SYNTAX_PARSER_H_

#include <memory>
#include <string>

#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

// Throws InputError with file, line and column where the text is not PTX. `file` is only a name.
std::unique_ptr<syntax::Module> Parse(const std::string& file, std::string text);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SYNTAX_PARSER_H_
