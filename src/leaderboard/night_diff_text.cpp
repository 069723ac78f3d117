#include "leaderboard/night_diff_text.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "io/text/json_number.hpp"
#include "leaderboard/cell_text.hpp"
#include "leaderboard/record_facts.hpp"

namespace ventral::leaderboard {
namespace {

using Json = nlohmann::ordered_json;

const core::ScoreRecord& subject(const ScoreChange& change) {
    return change.now ? *change.now : *change.before;
}

std::optional<double> difference(const ScoreChange& change) {
    if (!change.before || !change.now || !change.before->value || !change.now->value)
        return std::nullopt;
    return *change.now->value - *change.before->value;
}

std::string value_text(const core::ScoreRecord& record) {
    const bool has_value = record.value && record.status == core::ScoreStatus::scored;
    return has_value ? rounded(record.value) : core::name_of(record.status);
}

std::string values_text(const ScoreChange& change) {
    if (!change.before) return value_text(*change.now);
    if (!change.now) return "was " + value_text(*change.before);
    auto text = value_text(*change.before) + " -> " + value_text(*change.now);
    const auto step = difference(change);
    if (!step || std::isnan(*step)) return text;
    return text + (*step == 0 ? " (the same)"
                              : " (" + std::string(*step > 0 ? "+" : "") + rounded(step) + ")");
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string line(const ScoreChange& change) {
    auto kind = name_of(change.kind);
    kind.resize(std::max(kind.size(), std::size_t{12}), ' ');
    if (change.kind == ChangeKind::other_bits) return kind + "  " + change.reason + "\n";
    const auto reason = first_line(change.reason);
    return kind + "  " + score_name(subject(change)) + ": " + values_text(change) +
           (reason.empty() ? "" : ", " + reason) + "\n";
}

Json number_or_null(const std::optional<double>& value) {
    return value ? io::json_number(*value) : nullptr;
}

Json side(const std::optional<core::ScoreRecord>& record) {
    if (!record) return nullptr;
    return {{"version", record->version},
            {"status", core::name_of(record->status)},
            {"value", number_or_null(record->value)},
            {"key", record->key}};
}

Json change_json(const ScoreChange& change) {
    const auto& record = subject(change);
    Json json = {{"kind", name_of(change.kind)},  {"model", record.model},
                 {"benchmark", record.benchmark}, {"layer", record.layer},
                 {"before", side(change.before)}, {"now", side(change.now)}};
    if (const auto step = difference(change)) json["difference"] = io::json_number(*step);
    json["same_key"] = change.before && change.now && change.before->key == change.now->key;
    json["reason"] = change.reason;
    return json;
}

/// "1 changed, 2 new; 7 as before".
std::string summary(const NightDiff& diff) {
    std::string text;
    for (const auto kind : change_kinds)
        if (const auto number = count(diff, kind))
            core::add_part(text, std::to_string(number) + " " + name_of(kind));
    text +=
        (text.empty() ? "nothing changed; " : "; ") + std::to_string(diff.unchanged) + " as before";
    if (diff.still_failed > 0)
        text += " (" + std::to_string(diff.still_failed) + " of them failed)";
    return text;
}

}  // namespace

std::string night_diff_text(const NightDiff& diff, const std::string& earlier) {
    std::string text = "Since " + earlier + "\n";
    for (const auto& change : diff.changes) text += "  " + line(change);
    return text + "  " + summary(diff) + "\n";
}

std::string night_diff_json(const NightDiff& diff, const std::string& earlier) {
    Json json = {{"since", earlier}, {"counts", Json::object()}, {"changes", Json::array()}};
    for (const auto kind : change_kinds) json["counts"][name_of(kind)] = count(diff, kind);
    json["counts"]["unchanged"] = diff.unchanged;
    json["counts"]["still failed"] = diff.still_failed;
    for (const auto& change : diff.changes) json["changes"].push_back(change_json(change));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ventral::leaderboard
