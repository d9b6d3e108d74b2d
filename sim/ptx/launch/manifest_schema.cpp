// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/manifest_schema.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

namespace muster::ptx {
namespace {

using Json = nlohmann::json;
using Schema = nlohmann::ordered_json;  // in the order of the file, for lists of keys
using Adapter = valijson::adapters::NlohmannJsonAdapter;

// The rules that a node of the schema stands for.
const Schema& Resolve(const Schema& root, const Schema& node) {
  const auto reference = node.find("$ref");  // "#/definitions/..."
  return reference == node.end()
             ? node
             : root.at(Schema::json_pointer(reference->get<std::string>().substr(1)));
}

// The rules of a member or an element; null where the node has none.
const Schema* RulesOf(const Schema& node, const std::string& name, bool is_index) {
  if (is_index) {
    const auto items = node.find("items");
    if (items == node.end()) {
      return nullptr;
    }
    const std::size_t index = std::stoul(name);
    return !items->is_array() ? &*items : index < items->size() ? &(*items)[index] : nullptr;
  }
  const auto properties = node.find("properties");
  if (properties != node.end() && properties->contains(name)) {
    return &(*properties)[name];
  }
  const auto others = node.find("additionalProperties");
  return others != node.end() && others->is_object() ? &*others : nullptr;
}

// The keys that an object must have. Where it has a choice, those of the last way.
Schema Required(const Schema& rules) {
  const auto ways = rules.find("anyOf");
  return (ways == rules.end() ? rules : ways->back()).value("required", Schema::array());
}

// Why the value breaks the rules of this node.
SchemaBreach Explain(const Schema& rules, const Json& value, const std::string& at) {
  if (value.is_object() && rules.contains("properties")) {
    const Schema& known = rules["properties"];
    for (const auto& [key, member] : value.items()) {
      if (!known.contains(key)) {
        std::string names;
        for (const auto& [name, rule] : known.items()) {
          names.append(names.empty() ? "" : ", ").append(name);
        }
        return {fmt::format("{}{}{}", at, at.empty() ? "" : ".", key),
                fmt::format("is not a known key ({})", names)};
      }
    }
    for (const Schema& key : Required(rules)) {
      if (!value.contains(key.get<std::string>())) {
        return {at, fmt::format("lacks {}", key.dump())};
      }
    }
  }
  return {at, fmt::format("must be {}", rules.value("mustBe", "as the schema says"))};
}

}  // namespace

std::optional<SchemaBreach> CheckSchema(const char* text, const nlohmann::json& file) {
  const Json whole = Json::parse(text);
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(Adapter(whole), schema);
  valijson::ValidationResults results;
  if (valijson::Validator().validate(schema, Adapter(file), &results)) {
    return std::nullopt;
  }
  // The first error is that of the innermost value: from "<root>", "[name]" and "[index]".
  valijson::ValidationResults::Error error;
  results.popError(error);
  const Schema root = Schema::parse(text);
  const Schema* rules = &root;
  const Json* value = &file;
  std::string at;
  for (std::size_t i = 1; i < error.context.size(); ++i) {
    const std::string name = error.context[i].substr(1, error.context[i].size() - 2);
    const Schema* inner = RulesOf(*rules, name, value->is_array());
    if (inner == nullptr) {
      break;
    }
    at += value->is_array() ? error.context[i] : (at.empty() ? "" : ".") + name;
    value = value->is_array() ? &(*value)[std::stoul(name)] : &(*value)[name];
    rules = &Resolve(root, *inner);
  }
  return Explain(*rules, *value, at);
}

}  // namespace muster::ptx
