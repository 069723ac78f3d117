#include "config/readout_params.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "io/json_problem.hpp"
#include "models/imagenet_classes.hpp"

namespace ventral::config {
namespace {

using Json = nlohmann::json;
using Readers = std::map<std::string, std::function<void(const Json&)>>;

[[noreturn]] void wrong_parameter(const std::string& key, const std::string& what) {
    throw core::InputError("'" + key + "' must be " + what);
}

double positive(const std::string& key, const Json& value) {
    if (!value.is_number() || !(value.get<double>() > 0)) wrong_parameter(key, "a number above 0");
    return value.get<double>();
}

std::size_t count(const std::string& key, const Json& value) {
    constexpr std::int64_t most = 1'000'000;
    const bool fits = value.is_number_integer() && value.get<std::int64_t>() >= 1 &&
                      value.get<std::int64_t>() <= most;
    if (!fits)
        wrong_parameter(key, "a whole number of at least 1 and at most " + std::to_string(most));
    return value.get<std::size_t>();
}

void only(const std::string& key, const Json& value, const std::string& known) {
    if (value != known) wrong_parameter(key, "\"" + known + "\" (nothing else is supported)");
}

bool is_list_of_text(const Json& value) {
    return value.is_array() && !value.empty() &&
           std::all_of(value.begin(), value.end(),
                       [](const Json& each) { return each.is_string(); });
}

std::vector<std::string> labels(const Json& value) {
    if (value == "imagenet") return {};
    if (!is_list_of_text(value))
        wrong_parameter("choice_labels", "a list of labels, or \"imagenet\"");
    auto texts = value.get<std::vector<std::string>>();
    for (const auto& label : texts) models::imagenet_indices(label);
    return texts;
}

/// A stimulus_id, which may be a number, as `core::texts` has it.
std::string id_text(const Json& id) {
    if (!id.is_string() && !id.is_number())
        wrong_parameter("triplets", "a list of lists of three stimulus_id");
    if (id.is_number_float()) return core::text(std::vector<double>{id.get<double>()}, 0);
    return id.is_string() ? id.get<std::string>() : id.dump();
}

std::vector<models::Triplet> triplets(const Json& value) {
    const bool good = value.is_array() && !value.empty() &&
                      std::all_of(value.begin(), value.end(), [](const Json& triplet) {
                          return triplet.is_array() && triplet.size() == models::Triplet{}.size();
                      });
    if (!good) wrong_parameter("triplets", "a list of lists of three stimulus_id");
    std::vector<models::Triplet> triplets(value.size());
    for (std::size_t t = 0; t < value.size(); ++t)
        std::transform(value[t].begin(), value[t].end(), triplets[t].begin(), id_text);
    return triplets;
}

models::Similarity similarity(const Json& value) {
    if (value != "dot" && value != "cosine")
        wrong_parameter("similarity_measure", "\"dot\" or \"cosine\"");
    return value == "dot" ? models::Similarity::dot : models::Similarity::cosine;
}

Readers own_readers(const std::string& readout, ReadoutParams& params) {
    if (readout == "label")
        return {{"choice_labels", [&](const Json& v) { params.choice_labels = labels(v); }}};
    if (readout == "odd_one_out")
        return {{"triplets", [&](const Json& v) { params.triplets = triplets(v); }},
                {"similarity_measure", [&](const Json& v) { params.similarity = similarity(v); }}};
    auto& logistic = params.logistic;
    return {{"C", [&](const Json& v) { logistic.c = positive("C", v); }},
            {"tol", [&](const Json& v) { logistic.tolerance = positive("tol", v); }},
            {"max_iter", [&](const Json& v) { logistic.most_iterations = count("max_iter", v); }},
            {"solver", [](const Json& v) { only("solver", v, "newton-cg"); }},
            {"multi_class", [](const Json& v) { only("multi_class", v, "multinomial"); }}};
}

Readers readers_of(const std::string& readout, ReadoutParams& params) {
    auto readers = own_readers(readout, params);
    readers["upcast_to_float64"] = [&](const Json& parts) {
        if (!parts.is_array()) wrong_parameter("upcast_to_float64", "a list of parts");
        params.in_float64 = !parts.empty();
    };
    return readers;
}

Json parse_parameters(const std::string& text) {
    try {
        return Json::parse(text.empty() ? "{}" : text);
    } catch (const Json::exception& error) {
        throw core::InputError("not JSON (" + io::json_problem(error, text) + ")");
    }
}

ReadoutParams read_object(const std::string& readout, const Json& object) {
    if (!object.is_object()) wrong_parameter("the parameters", "an object");
    ReadoutParams params;
    const auto readers = readers_of(readout, params);
    std::vector<std::string> known;
    for (const auto& [key, reader] : readers) known.push_back(key);
    for (const auto& [key, value] : object.items()) {
        const auto reader = readers.find(key);
        if (reader == readers.end())
            throw core::InputError("readout " + readout + " has no parameter '" + key + "'" +
                                   core::near_names(key, known));
        reader->second(value);
    }
    return params;
}

}  // namespace

std::vector<std::string> readout_names() { return {"label", "odd_one_out", "probabilities"}; }

ReadoutParams readout_params(const std::string& readout, const std::string& params_json,
                             const std::string& place) {
    const auto names = readout_names();
    if (std::find(names.begin(), names.end(), readout) == names.end())
        throw core::InputError("unknown readout '" + readout + "'" +
                               core::near_names(readout, names) +
                               " (there are label, odd_one_out and probabilities)");
    try {
        return read_object(readout, parse_parameters(params_json));
    } catch (const core::InputError& error) {
        throw core::InputError(place + ": " + error.what());
    }
}

}  // namespace ventral::config
