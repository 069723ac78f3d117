#include "config/readout_params.hpp"

#include <algorithm>
#include <cstdint>

#include "config/json_params.hpp"
#include "core/errors.hpp"
#include "models/readouts/imagenet_classes.hpp"

namespace ventral::config {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t most_iterations = 1'000'000;

void only(const std::string& key, const Json& value, const std::string& known) {
    if (value != known) refuse_param(key, "\"" + known + "\" (nothing else is supported)");
}

bool is_list_of_text(const Json& value) {
    return value.is_array() && !value.empty() &&
           std::all_of(value.begin(), value.end(),
                       [](const Json& each) { return each.is_string(); });
}

std::vector<std::string> labels(const Json& value) {
    if (value == "imagenet") return {};
    if (!is_list_of_text(value)) refuse_param("choice_labels", "a list of labels, or \"imagenet\"");
    auto texts = value.get<std::vector<std::string>>();
    for (const auto& label : texts) models::imagenet_indices(label);
    return texts;
}

/// A stimulus_id, which may be a number, as `core::texts` has it.
std::string id_text(const Json& id) {
    if (!id.is_string() && !id.is_number())
        refuse_param("triplets", "a list of lists of three stimulus_id");
    if (id.is_number_float()) return core::text(std::vector<double>{id.get<double>()}, 0);
    return id.is_string() ? id.get<std::string>() : id.dump();
}

std::vector<models::Triplet> triplets(const Json& value) {
    const bool good = value.is_array() && !value.empty() &&
                      std::all_of(value.begin(), value.end(), [](const Json& triplet) {
                          return triplet.is_array() && triplet.size() == models::Triplet{}.size();
                      });
    if (!good) refuse_param("triplets", "a list of lists of three stimulus_id");
    std::vector<models::Triplet> triplets(value.size());
    for (std::size_t t = 0; t < value.size(); ++t)
        std::transform(value[t].begin(), value[t].end(), triplets[t].begin(), id_text);
    return triplets;
}

models::Similarity similarity(const Json& value) {
    if (value != "dot" && value != "cosine")
        refuse_param("similarity_measure", "\"dot\" or \"cosine\"");
    return value == "dot" ? models::Similarity::dot : models::Similarity::cosine;
}

MemberReaders own_readers(const std::string& readout, ReadoutParams& params) {
    if (readout == "label")
        return {{"choice_labels", [&](const Json& v) { params.choice_labels = labels(v); }}};
    if (readout == "odd_one_out")
        return {{"triplets", [&](const Json& v) { params.triplets = triplets(v); }},
                {"similarity_measure", [&](const Json& v) { params.similarity = similarity(v); }}};
    auto& logistic = params.logistic;
    return {{"C", [&](const Json& v) { logistic.c = positive_number("C", v); }},
            {"tol", [&](const Json& v) { logistic.tolerance = positive_number("tol", v); }},
            {"max_iter",
             [&](const Json& v) {
                 logistic.most_iterations =
                     static_cast<std::size_t>(whole_number("max_iter", v, 1, most_iterations));
             }},
            {"solver", [](const Json& v) { only("solver", v, "newton-cg"); }},
            {"multi_class", [](const Json& v) { only("multi_class", v, "multinomial"); }}};
}

MemberReaders readers_of(const std::string& readout, ReadoutParams& params) {
    auto readers = own_readers(readout, params);
    readers["upcast_to_float64"] = [&](const Json& parts) {
        if (!parts.is_array()) refuse_param("upcast_to_float64", "a list of parts");
        params.in_float64 = !parts.empty();
    };
    return readers;
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
    ReadoutParams params;
    core::naming(place, [&] {
        read_members(parse_params(params_json), "the parameters of " + readout,
                     readers_of(readout, params));
    });
    return params;
}

}  // namespace ventral::config
