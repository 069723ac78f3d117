#include "leaderboard/raw_assemblies.hpp"

#include <map>
#include <numeric>
#include <optional>

#include "core/errors.hpp"
#include "core/product.hpp"
#include "io/journal/read_journal.hpp"
#include "io/journal/score_json.hpp"
#include "leaderboard/group_name.hpp"
#include "leaderboard/record_facts.hpp"

namespace ventral::leaderboard {
namespace {

/// Names of the dimensions; an early record does not state them.
std::vector<std::string> dimension_names(const core::ScoreRecord& record) {
    if (!record.raw_dims.empty()) return record.raw_dims;
    if (record.raw_shape.size() == 1) return {"neuroid"};
    return {"split", "neuroid"};
}

std::vector<core::Dimension> dimensions(const core::ScoreRecord& record) {
    const auto names = dimension_names(record);
    std::vector<core::Dimension> dims;
    for (std::size_t d = 0; d < names.size(); ++d) dims.push_back({names[d], record.raw_shape[d]});
    return dims;
}

bool is_readable_shape(const core::ScoreRecord& record) {
    const auto& shape = record.raw_shape;
    return !shape.empty() && shape.size() == dimension_names(record).size() &&
           record.raw->count == core::product(shape);
}

core::Coordinate split_numbers(std::size_t count) {
    std::vector<std::int64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return {"split", "split", numbers};
}

std::map<std::string, core::Attribute> attributes(const core::ScoreRecord& record) {
    std::map<std::string, core::Attribute> all{{"model", record.model},
                                               {"benchmark", record.benchmark},
                                               {"layer", record.layer},
                                               {"key", record.key}};
    if (record.value) all["value"] = *record.value;
    if (record.error) all["error"] = *record.error;
    if (record.ceiling) all["ceiling"] = record.ceiling->value;
    return all;
}

/// Adds the labels that fit; false if one did not.
bool add_labels(core::Assembly& assembly, const std::vector<core::Coordinate>& labels) {
    bool all_fit = true;
    for (const auto& coordinate : labels) {
        const bool fits = core::has_dimension(assembly, coordinate.dim) &&
                          core::value_count(coordinate.values) ==
                              core::dimension_size(assembly, coordinate.dim) &&
                          coordinate.name != "split" && coordinate.name != assembly.name;
        if (fits) assembly.coordinates.push_back(coordinate);
        all_fit = all_fit && fits;
    }
    return all_fit;
}

/// The raw values of one journal's scores.
class RawValues {
public:
    RawValues(const std::string& folder, io::JournalArrays& arrays)
        : folder_(folder), arrays_(arrays) {}

    std::optional<std::vector<double>> find(const core::ScoreRecord& record) {
        auto values = arrays_.read(folder_, *record.raw);
        return values ? values : second_copy(record);
    }

private:
    /// Of a score that was fitted again, because those of the first time are lost.
    std::optional<std::vector<double>> second_copy(const core::ScoreRecord& record) {
        if (!places_) read_places();
        for (const auto& place : (*places_)[record.key])
            if (place.count == record.raw->count)
                if (auto values = arrays_.read(folder_, place)) return values;
        return std::nullopt;
    }

    void read_places() {
        auto& places = places_.emplace();
        io::for_each_line(folder_, [&](const auto& line) {
            try {
                const auto record = io::score_record_from_json(line.json);
                if (record.raw) places[record.key].push_back(*record.raw);
            } catch (const core::InputError&) {
                // No score, or warned of when the records were read.
            }
        });
    }

    std::string folder_;
    io::JournalArrays& arrays_;
    std::optional<std::map<std::string, std::vector<core::ArrayPlace>>> places_;  ///< by key
};

/// Those of all journals of a night.
class RawValuesOfNight {
public:
    explicit RawValuesOfNight(const Night& night) : night_(night) {}

    std::optional<std::vector<double>> find(const core::ScoreRecord& record) {
        const auto folder = night_.journal_of.find(record.key);
        if (folder == night_.journal_of.end() || !is_readable_shape(record)) return std::nullopt;
        return of_.try_emplace(folder->second, folder->second, arrays_).first->second.find(record);
    }

private:
    const Night& night_;
    io::JournalArrays arrays_;
    std::map<std::string, RawValues> of_;  ///< by the journal's folder
};

}  // namespace

std::vector<std::string> for_each_raw_assembly(
    const Night& night, const std::function<void(const core::Assembly&)>& take) {
    std::vector<std::string> warnings;
    std::set<std::string> taken;
    RawValuesOfNight raw_values(night);
    for (const auto& record : night.records) {
        if (!record.raw) continue;
        auto values = raw_values.find(record);
        if (!values) {
            warnings.push_back(score_name(record) + ": its raw values are missing or damaged");
            continue;
        }
        core::Assembly assembly{group_name(record, taken),
                                dimensions(record),
                                std::move(*values),
                                {},
                                attributes(record)};
        if (core::has_dimension(assembly, "split"))
            assembly.coordinates.push_back(split_numbers(record.raw_shape[0]));
        const auto labels = night.labels.find(record.raw_labels);
        if (labels == night.labels.end() && !record.raw_labels.empty())
            warnings.push_back(score_name(record) +
                               ": the labels of its raw values are missing or damaged");
        if (labels != night.labels.end() && !add_labels(assembly, labels->second))
            warnings.push_back(score_name(record) + ": some labels do not fit its raw values");
        take(assembly);
    }
    return warnings;
}

}  // namespace ventral::leaderboard
