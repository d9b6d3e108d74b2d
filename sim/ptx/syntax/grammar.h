// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The rules of the PTX grammar (PEGTL). A rule that has begun with a keyword never backs out of it,
// so that actions need no undoing and errors point at the spot. sim/ptx/syntax/parser.cpp has the
// actions.
#ifndef MUSTER_SIM_PTX_SYNTAX_GRAMMAR_H_
#define MUSTER_SIM_PTX_SYNTAX_GRAMMAR_H_

#include <tao/pegtl.hpp>

namespace muster::ptx::grammar {

namespace p = tao::pegtl;

// ------------------------------------------------------------------------------------------------
// Words
// ------------------------------------------------------------------------------------------------

struct CommentEnd : p::until<TAO_PEGTL_STRING("*/")> {};
struct Comment : p::sor<p::seq<TAO_PEGTL_STRING("//"), p::until<p::eolf>>,
                        p::if_must<TAO_PEGTL_STRING("/*"), CommentEnd>> {};
struct LineMarker : p::seq<p::bol, p::one<'#'>, p::until<p::eolf>> {};  // of a preprocessor
struct Gap : p::star<p::sor<LineMarker, p::space, Comment>> {};

struct WordChar : p::sor<p::alnum, p::one<'_', '$'>> {};
struct Name : p::seq<p::sor<p::alpha, p::one<'_', '$', '%'>>, p::star<WordChar>> {};
struct DottedName : p::seq<Name, p::star<p::one<'.'>, p::plus<WordChar>>> {};
template <typename Text>
struct Keyword : p::seq<p::one<'.'>, Text, p::not_at<WordChar>> {};
template <char C>
struct Mark : p::seq<Gap, p::one<C>> {};  // punctuation, and the gap before it

struct HexFloat32 : p::seq<p::one<'0'>, p::one<'f', 'F'>, p::rep<8, p::xdigit>> {};
struct HexFloat64 : p::seq<p::one<'0'>, p::one<'d', 'D'>, p::rep<16, p::xdigit>> {};
struct Exponent : p::seq<p::one<'e', 'E'>, p::opt<p::one<'+', '-'>>, p::plus<p::digit>> {};
struct Decimal
    : p::seq<p::plus<p::digit>,
             p::sor<p::seq<p::one<'.'>, p::star<p::digit>, p::opt<Exponent>>, Exponent>> {};
struct Suffix : p::opt<p::one<'U'>> {};
struct HexInteger : p::seq<p::one<'0'>, p::one<'x', 'X'>, p::plus<p::xdigit>, Suffix> {};
struct BinaryInteger : p::seq<p::one<'0'>, p::one<'b', 'B'>, p::plus<p::one<'0', '1'>>, Suffix> {};
struct PlainInteger : p::seq<p::plus<p::digit>, Suffix> {};  // octal after a leading 0
struct WarpSize : p::seq<TAO_PEGTL_STRING("WARP_SZ"), p::not_at<WordChar>> {};
struct Number : p::seq<p::opt<p::one<'-', '+'>>,
                       p::sor<HexFloat32, HexFloat64, Decimal, HexInteger, BinaryInteger,
                              PlainInteger, WarpSize>,
                       p::not_at<WordChar>> {};
struct String : p::if_must<p::one<'"'>, p::until<p::one<'"'>>> {};

// ------------------------------------------------------------------------------------------------
// Operands
// ------------------------------------------------------------------------------------------------

struct Operand;
struct Offset : Number {};
struct Plus : p::sor<p::seq<p::one<'+'>, Gap>, p::at<p::one<'-'>>> {};
struct OffsetTail : p::opt<p::if_must<p::seq<Gap, Plus>, Offset>> {};
struct BaseName : DottedName {};
struct SecondName : Name {};
struct NameOperand : p::seq<BaseName, OffsetTail, p::opt<p::if_must<Mark<'|'>, Gap, SecondName>>> {
};
struct GenericName : Name {};
struct GenericOperand : p::seq<TAO_PEGTL_STRING("generic"), Mark<'('>, Gap, p::must<GenericName>,
                               p::must<Mark<')'>>, OffsetTail> {};
struct NumberOperand : Number {};
struct MaskTail : p::if_must<Mark<'('>, Gap, Operand, Mark<')'>> {};
struct MaybeMask : p::seq<NumberOperand, p::opt<MaskTail>> {};
struct NotMark : p::one<'!'> {};
struct NotOperand : p::if_must<NotMark, Gap, BaseName> {};
struct MinusMark : p::one<'-'> {};
struct MinusOperand : p::if_must<MinusMark, Gap, BaseName> {};
struct OperandList : p::list<p::seq<Gap, Operand>, Mark<','>> {};

template <char Begin>
struct Open : p::one<Begin> {};
template <char End>
struct Close : Mark<End> {};
struct Vector : p::if_must<Open<'{'>, p::opt<OperandList>, Close<'}'>> {};
struct Unified : TAO_PEGTL_STRING(".unified") {};  // of the variable's address
struct Address
    : p::seq<p::if_must<Open<'['>, OperandList, Close<']'>>, p::opt<Unified>, OffsetTail> {};
struct List : p::if_must<Open<'('>, p::opt<OperandList>, Close<')'>> {};
struct Operand : p::sor<Vector, Address, List, NotOperand, MaybeMask, MinusOperand, GenericOperand,
                        NameOperand> {};

// ------------------------------------------------------------------------------------------------
// Declarations
// ------------------------------------------------------------------------------------------------

struct End : Mark<';'> {};

struct Space : p::sor<Keyword<TAO_PEGTL_STRING("reg")>, Keyword<TAO_PEGTL_STRING("global")>,
                      Keyword<TAO_PEGTL_STRING("const")>, Keyword<TAO_PEGTL_STRING("shared")>,
                      Keyword<TAO_PEGTL_STRING("local")>, Keyword<TAO_PEGTL_STRING("param")>> {};
struct AlignValue : PlainInteger {};
struct Align : p::if_must<Keyword<TAO_PEGTL_STRING("align")>, Gap, AlignValue> {};
struct Parenthesized : p::seq<p::one<'('>, p::until<p::one<')'>>> {};
struct Attribute : p::if_must<Keyword<TAO_PEGTL_STRING("attribute")>, Mark<'('>,
                              p::until<p::one<')'>, p::sor<Parenthesized, p::any>>> {};
// What a parameter points to, of which the alignment says nothing of the parameter.
struct Pointee
    : p::seq<
          Keyword<TAO_PEGTL_STRING("ptr")>,
          p::opt<Gap,
                 p::sor<Keyword<TAO_PEGTL_STRING("global")>, Keyword<TAO_PEGTL_STRING("const")>,
                        Keyword<TAO_PEGTL_STRING("shared")>, Keyword<TAO_PEGTL_STRING("local")>>>,
          p::opt<Gap, Keyword<TAO_PEGTL_STRING("align")>, Gap, PlainInteger>> {};
struct Qualifier : p::seq<p::one<'.'>, p::plus<WordChar>> {};  // type, vector
struct Qualifiers : p::plus<Gap, p::sor<Align, Pointee, Attribute, Qualifier>> {};
struct VariableName : Name {};
struct RangeValue : PlainInteger {};
struct Range : p::if_must<Mark<'<'>, Gap, RangeValue, Mark<'>'>> {};
struct DimensionValue : p::sor<HexInteger, PlainInteger> {};
struct NoDimension : p::at<p::one<']'>> {};
struct Dimension : p::if_must<Mark<'['>, Gap, p::sor<DimensionValue, NoDimension>, Mark<']'>> {};
struct InitialMark : Mark<'='> {};
struct Initial : p::if_must<InitialMark, Gap, Operand> {};
struct Declarator
    : p::seq<Gap, p::must<VariableName>, p::opt<Range>, p::star<Dimension>, p::opt<Initial>> {};
struct DeclaratorEnd : p::success {};
struct VariableList : p::list<p::seq<Declarator, DeclaratorEnd>, Mark<','>> {};
struct VariableDeclaration : p::if_must<Space, Qualifiers, VariableList, End> {};

// ------------------------------------------------------------------------------------------------
// What stands in a body
// ------------------------------------------------------------------------------------------------

struct Loc : p::seq<Keyword<TAO_PEGTL_STRING("loc")>, p::until<p::eolf>> {};
struct File : p::seq<Keyword<TAO_PEGTL_STRING("file")>, p::until<p::eolf>> {};
struct Pragma : p::if_must<Keyword<TAO_PEGTL_STRING("pragma")>,
                           p::list<p::seq<Gap, String>, Mark<','>>, End> {};
struct Section : p::if_must<Keyword<TAO_PEGTL_STRING("section")>, p::until<p::one<'{'>>,
                            p::until<p::one<'}'>>> {};
struct Debug : p::sor<Loc, File, Pragma, Section> {};

struct Label : p::seq<Name, Gap, p::one<':'>> {};
struct GuardNot : p::one<'!'> {};
struct GuardName : Name {};
struct GuardMark : p::one<'@'> {};
struct Guard : p::if_must<GuardMark, Gap, p::opt<GuardNot>, Gap, GuardName, Gap> {};
struct Opcode : p::seq<p::alpha, p::star<WordChar>> {};
struct ModifierText : p::plus<p::sor<WordChar, TAO_PEGTL_STRING("::")>> {};
struct Modifier : p::seq<p::one<'.'>, ModifierText> {};
struct Instruction : p::seq<p::sor<p::seq<Guard, p::must<Opcode>>, Opcode>, p::star<Modifier>,
                            p::opt<OperandList>, p::must<End>> {};

struct TargetsKeyword
    : p::sor<Keyword<TAO_PEGTL_STRING("branchtargets")>, Keyword<TAO_PEGTL_STRING("calltargets")>> {
};
struct Targets : p::if_must<TargetsKeyword, OperandList, End> {};
struct Prototype;

struct Statement;
struct ScopeBegin : p::one<'{'> {};
struct ScopeEnd : Mark<'}'> {};
struct Statements : p::star<Gap, Statement> {};
struct Scope : p::if_must<ScopeBegin, Statements, ScopeEnd> {};
struct Statement
    : p::sor<Scope, Debug, VariableDeclaration, Targets, Prototype, Label, Instruction> {};

// ------------------------------------------------------------------------------------------------
// Functions and the module
// ------------------------------------------------------------------------------------------------

struct Linkage : p::sor<Keyword<TAO_PEGTL_STRING("visible")>, Keyword<TAO_PEGTL_STRING("weak")>,
                        Keyword<TAO_PEGTL_STRING("common")>> {};
struct Extern : Keyword<TAO_PEGTL_STRING("extern")> {};
struct Parameter : p::seq<Gap, p::if_must<Space, Qualifiers, Declarator, DeclaratorEnd>> {};
struct Parameters : p::if_must<Mark<'('>, p::opt<p::list<Parameter, Mark<','>>>, Mark<')'>> {};
struct Returns : Parameters {};
struct FunctionParameters : Parameters {};
struct FunctionName : Name {};

struct ThreadCount : PlainInteger {};
struct ThreadCounts : p::list<p::seq<Gap, ThreadCount>, Mark<','>> {};
struct MaxThreads : Keyword<TAO_PEGTL_STRING("maxntid")> {};
struct RequiredThreads : Keyword<TAO_PEGTL_STRING("reqntid")> {};
struct RequiredCluster : Keyword<TAO_PEGTL_STRING("reqnctapercluster")> {};
struct MaxCluster : Keyword<TAO_PEGTL_STRING("maxclusterrank")> {};
struct MaxRegisters : Keyword<TAO_PEGTL_STRING("maxnreg")> {};
struct MinCtas : Keyword<TAO_PEGTL_STRING("minnctapersm")> {};
struct ExplicitCluster : Keyword<TAO_PEGTL_STRING("explicitcluster")> {};
struct BlocksAreClusters : Keyword<TAO_PEGTL_STRING("blocksareclusters")> {};
struct OtherDirective  // .noreturn and others without effect here
    : p::seq<p::one<'.'>, p::plus<WordChar>> {};
struct FunctionDirective
    : p::seq<
          Gap,
          p::sor<Pragma, Attribute, p::if_must<MaxThreads, ThreadCounts>,
                 p::if_must<RequiredThreads, ThreadCounts>,
                 p::if_must<RequiredCluster, ThreadCounts>, p::if_must<MaxCluster, ThreadCounts>,
                 p::if_must<MaxRegisters, ThreadCounts>, p::if_must<MinCtas, ThreadCounts>,
                 ExplicitCluster, BlocksAreClusters,
                 p::seq<OtherDirective, p::opt<p::list<p::seq<Gap, PlainInteger>, Mark<','>>>>>> {};
struct PrototypeKeyword : Keyword<TAO_PEGTL_STRING("callprototype")> {};
struct PrototypeReturns : Parameters {};
struct PrototypeParameters : Parameters {};
struct Prototype : p::if_must<PrototypeKeyword, p::opt<PrototypeReturns>, Mark<'_'>,
                              p::opt<PrototypeParameters>, p::star<FunctionDirective>, End> {};
struct BodyBegin : p::one<'{'> {};
struct BodyEnd : Mark<'}'> {};
struct Body : p::if_must<BodyBegin, Statements, BodyEnd> {};
struct FunctionEnd : p::sor<Body, p::one<';'>> {};
struct FunctionTail
    : p::seq<p::opt<FunctionParameters>, p::star<FunctionDirective>, Gap, p::must<FunctionEnd>> {};
struct EntryKeyword : Keyword<TAO_PEGTL_STRING("entry")> {};
struct FuncKeyword : Keyword<TAO_PEGTL_STRING("func")> {};
struct Entry : p::if_must<EntryKeyword, Gap, FunctionName, FunctionTail> {};
struct Func : p::if_must<FuncKeyword, p::opt<Gap, Attribute>, p::opt<Returns>, Gap, FunctionName,
                         FunctionTail> {};

struct VersionNumber : p::seq<p::plus<p::digit>, p::one<'.'>, p::plus<p::digit>> {};
struct Version : p::if_must<Keyword<TAO_PEGTL_STRING("version")>, Gap, VersionNumber> {};
struct TargetName : p::plus<WordChar> {};
struct Target : p::if_must<Keyword<TAO_PEGTL_STRING("target")>, Gap, TargetName,
                           p::star<Mark<','>, Gap, p::plus<WordChar>>> {};
struct AddressSizeValue : PlainInteger {};
struct AddressSize : p::if_must<Keyword<TAO_PEGTL_STRING("address_size")>, Gap, AddressSizeValue> {
};
struct AliasName : Name {};
struct AliasFunction : Name {};
struct Alias : p::if_must<Keyword<TAO_PEGTL_STRING("alias")>, Gap, AliasName, Mark<','>, Gap,
                          AliasFunction, End> {};
struct Definition : p::sor<Entry, Func, VariableDeclaration> {};
struct Linked : p::if_must<p::plus<p::sor<Extern, Linkage>, Gap>, Definition> {};
struct TopLevel : p::sor<Version, Target, AddressSize, Debug, Alias, Linked, Definition> {};
struct EndOfFile : p::eof {};
struct Everything : p::seq<p::star<Gap, TopLevel>, Gap, p::must<EndOfFile>> {};

}  // namespace muster::ptx::grammar

#endif  // MUSTER_SIM_PTX_SYNTAX_GRAMMAR_H_
