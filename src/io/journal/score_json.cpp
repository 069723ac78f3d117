#include "io/journal/score_json.hpp"

#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "io/journal/line_kind.hpp"
#include "io/text/json_number.hpp"
#include "io/text/json_problem.hpp"

namespace ventral::io {
namespace {

using Json = nlohmann::ordered_json;

/// Nested lists over the dimensions from `dim` on.
Json nested(const Json& list, const std::vector<core::Dimension>& dims, std::size_t dim,
            std::size_t& next) {
    if (dim == dims.size()) return list[next++];
    Json result = Json::array();
    for (std::size_t i = 0; i < dims[dim].size; ++i)
        result.push_back(nested(list, dims, dim + 1, next));
    return result;
}

Json array_json(const core::Assembly& array) {
    Json json;
    json["dims"] = Json::array();
    json["shape"] = Json::array();
    for (const auto& dim : array.dims) {
        json["dims"].push_back(dim.name);
        json["shape"].push_back(dim.size);
    }
    json["dtype"] = core::type_name(array.values);
    std::size_t next = 0;
    json["values"] = nested(json_values(array.values), array.dims, 0, next);
    json["coords"] = Json::object();
    for (const auto& labels : array.coordinates) {
        auto& entry = json["coords"][labels.name];
        entry["dims"] = {labels.dim};
        put_labels(entry, labels.values);
    }
    json["attrs"] = Json::object();
    for (const auto& [name, value] : array.attributes)
        std::visit([&, &key = name](const auto& entry) { json["attrs"][key] = entry; }, value);
    return json;
}

void flatten(const Json& json, Json& flat) {
    if (!json.is_array()) return flat.push_back(json);
    for (const auto& entry : json) flatten(entry, flat);
}

std::vector<double> numbers_from(const Json& list) {
    std::vector<double> numbers;
    for (const auto& entry : list) numbers.push_back(number_from_json(entry));
    return numbers;
}

core::Assembly array_from(const Json& json) {
    core::Assembly array;
    for (std::size_t dim = 0; dim < json.at("dims").size(); ++dim)
        array.dims.push_back({json.at("dims").at(dim), json.at("shape").at(dim)});
    Json entries = Json::array();
    flatten(json.at("values"), entries);
    array.values = numbers_from(entries);
    for (const auto& [name, labels] : json.at("coords").items())
        array.coordinates.push_back({name, labels.at("dims").at(0), labels_from_json(labels)});
    core::check_consistent(array);
    return array;
}

Json margins_json(const core::Margins& margins) {
    Json json;
    for (const auto& each : core::named_margins)
        json[each.name] = json_number(margins.*each.margin);
    return json;
}

void put(Json& json, const char* name, const std::optional<double>& value) {
    if (value) json[name] = json_number(*value);
}

std::optional<double> optional_number(const Json& json, const char* name) {
    if (!json.contains(name)) return std::nullopt;
    return number_from_json(json.at(name));
}

Json numbers(const std::map<std::string, double>& values) {
    Json json = Json::object();
    for (const auto& [name, value] : values) json[name] = json_number(value);
    return json;
}

/// Bytes that are no UTF-8 are replaced.
std::string one_line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

core::Score score_from(const Json& json) {
    core::Score score;
    if (json.at("value").is_object())
        score.value_array = array_from(json.at("value"));
    else
        score.value = number_from_json(json.at("value"));
    if (json.contains("error") && json.at("error").is_object())
        score.error_array = array_from(json.at("error"));
    else
        score.error = optional_number(json, "error");
    if (json.contains("raw")) score.raw = array_from(json.at("raw"));
    return score;
}

Json slice_json(const core::ScoreSlice& slice) {
    Json json = {{"name", slice.name},
                 {"value", json_number(slice.value)},
                 {"raw_value", json_number(slice.raw_value)}};
    put(json, "error", slice.error);
    put(json, "ceiling", slice.ceiling);
    put(json, "ceiling_error", slice.ceiling_error);
    return json;
}

core::ScoreSlice slice_from(const Json& json) {
    return {json.at("name"),
            number_from_json(json.at("value")),
            number_from_json(json.at("raw_value")),
            optional_number(json, "error"),
            optional_number(json, "ceiling"),
            optional_number(json, "ceiling_error")};
}

core::ScoreRecord record_from(const Json& json) {
    core::ScoreRecord record;
    json.at("key").get_to(record.key);
    json.at("model").get_to(record.model);
    json.at("benchmark").get_to(record.benchmark);
    json.at("version").get_to(record.version);
    json.at("parent").get_to(record.parent);
    json.at("region").get_to(record.region);
    json.at("layer").get_to(record.layer);
    json.at("committed").get_to(record.committed);
    const auto status = core::score_status(json.at("status").get<std::string>());
    if (!status) throw core::InputError("score record: unknown status");
    record.status = *status;
    record.value = optional_number(json, "value");
    record.error = optional_number(json, "error");
    record.raw_value = optional_number(json, "raw_value");
    json.at("normalisation").get_to(record.normalisation);
    if (json.contains("ceiling"))
        record.ceiling = core::CeilingValue{number_from_json(json.at("ceiling").at("value")),
                                            optional_number(json.at("ceiling"), "error")};
    if (json.contains("slices"))
        for (const auto& slice : json.at("slices")) record.slices.push_back(slice_from(slice));
    if (json.contains("raw")) {
        const auto& raw = json.at("raw");
        record.raw =
            core::ArrayPlace{raw.at("file"), raw.at("offset"), raw.at("count"), raw.at("crc")};
        raw.at("shape").get_to(record.raw_shape);
        if (raw.contains("dims")) raw.at("dims").get_to(record.raw_dims);
        raw.at("labels").get_to(record.raw_labels);
    }
    for (const auto& each : core::named_margins)
        if (json.at("margins").contains(each.name))
            record.margins.*each.margin = number_from_json(json.at("margins").at(each.name));
    json.at("route").get_to(record.route);
    json.at("undefined_neuroids").get_to(record.undefined_neuroids);
    json.at("warnings").get_to(record.warnings);
    json.at("provenance").get_to(record.provenance);
    for (const auto& [name, value] : json.at("timing").items())
        record.timing[name] = number_from_json(value);
    for (const auto& [name, value] : json.at("memory").items())
        record.memory[name] = number_from_json(value);
    if (json.contains("reason")) {
        const auto failure = core::failure_class(json.at("class").get<std::string>());
        if (!failure) throw core::InputError("score record: unknown failure class");
        record.failure = core::Failure{*failure, json.at("reason")};
    }
    return record;
}

}  // namespace

std::string to_json(const core::Score& score) {
    Json json;
    json["value"] = score.value_array ? array_json(*score.value_array) : json_number(score.value);
    if (score.error_array)
        json["error"] = array_json(*score.error_array);
    else
        put(json, "error", score.error);
    json["raw"] = array_json(score.raw);
    for (const auto& [name, value] : score.further) json[name] = json_number(value);
    for (const auto& [name, text] : score.further_texts) json[name] = text;
    json["margins"] = margins_json(score.margins);
    json["route"] = score.route;
    json["undefined_neuroids"] = score.undefined_neuroids;
    json["warnings"] = score.warnings;
    return one_line(json);
}

core::Score score_from_json(const std::string& json) {
    try {
        return core::naming("score", [&] { return score_from(Json::parse(json)); });
    } catch (const Json::exception& error) {
        throw core::InputError("score: " + json_problem(error, json));
    }
}

std::string to_json(const core::Assembly& array) { return one_line(array_json(array)); }

std::string to_json(const core::ScoreRecord& record) {
    Json json;
    json["kind"] = record.failure ? line_kind::failed : line_kind::score;
    json["key"] = record.key;
    json["model"] = record.model;
    json["benchmark"] = record.benchmark;
    json["version"] = record.version;
    json["parent"] = record.parent;
    json["region"] = record.region;
    json["layer"] = record.layer;
    json["committed"] = record.committed;
    json["status"] = core::name_of(record.status);
    put(json, "value", record.value);
    put(json, "error", record.error);
    put(json, "raw_value", record.raw_value);
    json["normalisation"] = record.normalisation;
    if (record.ceiling) {
        json["ceiling"]["value"] = json_number(record.ceiling->value);
        put(json["ceiling"], "error", record.ceiling->error);
    }
    for (const auto& slice : record.slices) json["slices"].push_back(slice_json(slice));
    if (record.raw)
        json["raw"] = {{"file", record.raw->file},   {"offset", record.raw->offset},
                       {"count", record.raw->count}, {"crc", record.raw->crc},
                       {"dims", record.raw_dims},    {"shape", record.raw_shape},
                       {"labels", record.raw_labels}};
    json["margins"] = margins_json(record.margins);
    json["route"] = record.route;
    json["undefined_neuroids"] = record.undefined_neuroids;
    json["warnings"] = record.warnings;
    json["provenance"] = record.provenance;
    json["timing"] = numbers(record.timing);
    json["memory"] = numbers(record.memory);
    if (record.failure) {
        json["class"] = core::name_of(record.failure->failure_class);
        json["reason"] = record.failure->reason;
    }
    return one_line(json);
}

core::ScoreRecord score_record_from_json(const std::string& json) {
    try {
        return core::naming("score record", [&] { return record_from(Json::parse(json)); });
    } catch (const Json::exception& error) {
        throw core::InputError("score record: " + json_problem(error, json));
    }
}

void for_each_score_record(const std::string& json,
                           const std::function<void(core::ScoreRecord)>& take) {
    // Record by record: the whole as JSON takes many times the memory of its text.
    const auto take_part = [&](int depth, Json::parse_event_t event, Json& part) {
        if (depth != 1 || event != Json::parse_event_t::object_end) return true;
        take(core::naming("score record", [&] { return record_from(part); }));
        return false;
    };
    try {
        const auto rest = Json::parse(json, take_part);
        if (!rest.is_array() || !rest.empty())
            throw core::InputError("score records: there is no list of them");
    } catch (const Json::exception& error) {
        throw core::InputError("score records: " + json_problem(error, json));
    }
}

}  // namespace ventral::io
