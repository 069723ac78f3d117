#include "leaderboard/leaderboard_text.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "core/text.hpp"
#include "leaderboard/aligned_columns.hpp"
#include "leaderboard/cell_text.hpp"
#include "leaderboard/hints.hpp"
#include "leaderboard/model_ranking.hpp"
#include "leaderboard/parent_tree.hpp"
#include "leaderboard/record_facts.hpp"
#include "leaderboard/score_grid.hpp"

namespace ventral::leaderboard {
namespace {

std::string table(const Records& records, std::size_t indent, std::size_t width) {
    if (const auto grid = score_grid(records)) {
        auto text = aligned_columns(*grid, indent);
        if (widest_line(text) <= width) return text;
    }
    return aligned_columns(score_list(records), indent);
}

std::string tree_text(const ParentNode& node, std::size_t indent, std::size_t width) {
    std::string text;
    if (!node.records.empty()) text += table(node.records, indent, width);
    for (const auto& [name, child] : node.children)
        text += std::string(indent, ' ') + name + "\n" + tree_text(child, indent + 2, width);
    return text;
}

/// Benchmarks without a parent stand below a name as well where others have one.
std::string whole_tree(ParentNode root, std::size_t width) {
    if (!root.records.empty() && !root.children.empty()) {
        const auto own = std::exchange(root.records, {});
        auto& records = root.children["(no parent)"].records;
        records.insert(records.end(), own.begin(), own.end());
    }
    return tree_text(root, 2, width);
}

/// Where there is more than one grid shows.
std::string ranking_lines(const ModelRanking& ranking) {
    if (ranking.models.size() < 2 || ranking.benchmarks < 2) return "";
    std::vector<TextRow> rows{{"rank", "model", "average"}};
    rows.front().insert(rows.front().end(), ranking.parents.begin(), ranking.parents.end());
    rows.front().emplace_back("missing");
    for (const auto& ranked : ranking.models) {
        rows.push_back({ranked.average ? std::to_string(rows.size()) : "-", ranked.model,
                        rounded(ranked.average)});
        for (const auto& mean : ranked.means) rows.back().push_back(rounded(mean));
        rows.back().push_back(std::to_string(ranked.missing) + " of " +
                              std::to_string(ranking.benchmarks));
    }
    return aligned_columns(rows, 2);
}

std::string indented_lines(const std::string& text) {
    std::string result = "    ";
    for (const char character : text) {
        result += character;
        if (character == '\n') result += "    ";
    }
    return result + "\n";
}

/// Scores of one reason stand together above it.
std::string failures(const std::vector<core::ScoreRecord>& records) {
    std::vector<std::string> reasons;  // in order of first appearance
    std::map<std::string, std::string> scores_of;
    for (const auto& record : records) {
        if (!record.failure) continue;
        auto& scores = scores_of[record.failure->reason];
        if (scores.empty()) reasons.push_back(record.failure->reason);
        scores +=
            "  " + score_name(record) + ": " + core::name_of(record.failure->failure_class) + "\n";
    }
    std::string text;
    for (const auto& reason : reasons) text += scores_of.at(reason) + indented_lines(reason);
    return text;
}

std::string hint_lines(const std::vector<core::ScoreRecord>& records) {
    std::string text;
    for (const auto& hint : hints(records)) text += "  " + hint + "\n";
    return text;
}

/// What the scores' values are.
std::string normalisation_text(const std::vector<core::ScoreRecord>& records) {
    std::set<std::string> names;
    for (const auto& record : records)
        if (record.status == core::ScoreStatus::scored && !record.normalisation.empty())
            names.insert(record.normalisation);
    return names.empty() ? "" : "; normalisation: " + core::joined(names);
}

std::string counts(const std::vector<core::ScoreRecord>& records) {
    auto text = core::counted(records.size(), "score");
    std::string separator = ": ";
    for (const auto status : {core::ScoreStatus::scored, core::ScoreStatus::not_applicable,
                              core::ScoreStatus::failed, core::ScoreStatus::pending}) {
        std::size_t count = 0;
        for (const auto& record : records) count += record.status == status;
        if (count == 0) continue;
        text += separator + std::to_string(count) + " " + core::name_of(status);
        separator = ", ";
    }
    return text + normalisation_text(records) + "\n";
}

std::string slice_lines(const std::vector<core::ScoreRecord>& records) {
    std::vector<TextRow> rows{{"model", "benchmark", "layer", "slice", "score", "raw", "ceiling"}};
    for (const auto& record : records)
        for (const auto& slice : record.slices)
            rows.push_back({record.model, benchmark_text(record), record.layer, slice.name,
                            rounded(slice.value, slice.error), rounded(slice.raw_value),
                            rounded(slice.ceiling, slice.ceiling_error)});
    return rows.size() == 1 ? "" : aligned_columns(rows, 2);
}

std::string section(const std::string& title, const std::string& lines) {
    return lines.empty() ? "" : title + "\n" + lines + "\n";
}

}  // namespace

std::string leaderboard_text(const Night& night, std::size_t width) {
    Records committed, others;
    for (const auto& record : night.records)
        (record.committed ? committed : others).push_back(&record);
    const auto tree = parent_tree(committed);
    return section("Ranking (averages of the committed layers' scores; a missing one counts as 0)",
                   ranking_lines(rank_models(night.records))) +
           section("Leaderboard (score ± error; layers that the models commit to)",
                   whole_tree(tree, width)) +
           section("Other layers (which the model does not commit to the region)",
                   others.empty() ? "" : aligned_columns(score_list(others), 2)) +
           section("Slices (scores that are vectors; above stand their means)",
                   slice_lines(night.records)) +
           section("Failed", failures(night.records)) +
           section("Hints", hint_lines(night.records)) + counts(night.records);
}

}  // namespace ventral::leaderboard
