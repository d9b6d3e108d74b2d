// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Names what the parser expects where a rule of the grammar cannot go on, for its errors.
#ifndef MUSTER_SIM_PTX_SYNTAX_EXPECTED_H_
#define MUSTER_SIM_PTX_SYNTAX_EXPECTED_H_

#include <tao/pegtl.hpp>

#include "sim/ptx/syntax/grammar.h"

namespace muster::ptx {

template <typename Rule>
inline constexpr const char* kExpected = "something else";
template <>
inline constexpr const char* kExpected<grammar::CommentEnd> = R"(the end of the comment, "*/")";
template <>
inline constexpr const char* kExpected<grammar::EndOfFile> =
    "a directive, a variable or a function";
template <>
inline constexpr const char* kExpected<grammar::End> = R"(";")";
template <>
inline constexpr const char* kExpected<grammar::Operand> = "an operand";
template <>
inline constexpr const char* kExpected<grammar::OperandList> = "an operand";
template <>
inline constexpr const char* kExpected<grammar::Offset> = "an integer after the sign";
template <>
inline constexpr const char* kExpected<grammar::BaseName> = "a name";
template <>
inline constexpr const char* kExpected<grammar::SecondName> = R"(a name after "|")";
template <>
inline constexpr const char* kExpected<grammar::VariableName> = "the name of a variable";
template <>
inline constexpr const char* kExpected<grammar::VariableList> = "the name of a variable";
template <>
inline constexpr const char* kExpected<grammar::Qualifiers> = "a type";
template <>
inline constexpr const char* kExpected<grammar::AlignValue> = "a number of bytes";
template <>
inline constexpr const char* kExpected<grammar::RangeValue> = "a number of registers";
template <>
inline constexpr const char*
    kExpected<tao::pegtl::sor<grammar::DimensionValue, grammar::NoDimension>> =
        R"(a number or "]")";
template <>
inline constexpr const char* kExpected<grammar::GuardName> = R"(a predicate after "@")";
template <>
inline constexpr const char* kExpected<grammar::Opcode> = "an instruction";
template <>
inline constexpr const char* kExpected<grammar::ScopeEnd> =
    R"(an instruction, a label, a declaration or "}")";
template <>
inline constexpr const char* kExpected<grammar::BodyEnd> =
    R"(an instruction, a label, a declaration or "}")";
template <>
inline constexpr const char* kExpected<grammar::FunctionName> = "the name of a function";
template <>
inline constexpr const char* kExpected<grammar::FunctionEnd> = R"("{" or ";")";
template <>
inline constexpr const char* kExpected<grammar::Definition> = "a variable or a function";
template <>
inline constexpr const char* kExpected<grammar::VersionNumber> = "a version such as 7.5";
template <>
inline constexpr const char* kExpected<grammar::TargetName> = "a target such as sm_80";
template <>
inline constexpr const char* kExpected<grammar::AddressSizeValue> = "64";
template <>
inline constexpr const char* kExpected<grammar::ThreadCounts> = "a number of threads";
template <char C>
inline constexpr const char kMarkText[] = {'"', C, '"', '\0'};
template <char C>
inline constexpr const char* kExpected<grammar::Mark<C>> = kMarkText<C>;
template <char C>
inline constexpr const char* kExpected<grammar::Close<C>> = kMarkText<C>;

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SYNTAX_EXPECTED_H_
