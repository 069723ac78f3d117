#include "leaderboard/score_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "leaderboard/cell_text.hpp"

namespace ventral::leaderboard {
namespace {

/// The scores of one model and layer, by benchmark.
struct GridRow {
    TextRow names;
    std::map<std::string, const core::ScoreRecord*> cells;

    double mean() const {
        double sum = 0;
        int count = 0;
        for (const auto& [benchmark, record] : cells) {
            if (!record->value || std::isnan(*record->value)) continue;
            sum += *record->value;
            ++count;
        }
        return count ? sum / count : -std::numeric_limits<double>::infinity();
    }
};

/// Rows in alphabetical order; nothing if two records belong into one cell.
std::optional<std::vector<GridRow>> grid_rows(const Records& records) {
    std::map<TextRow, GridRow> rows;
    for (const auto* record : records) {
        const TextRow names{record->model, record->layer};
        auto& row = rows[names];
        row.names = names;
        if (!row.cells.emplace(benchmark_text(*record), record).second) return std::nullopt;
    }
    std::vector<GridRow> list;
    for (auto& [names, row] : rows) list.push_back(std::move(row));
    return list;
}

/// The one ceiling of each benchmark; nothing if there is none or a benchmark has two.
std::optional<TextRow> ceiling_row(const Records& records, const std::set<std::string>& columns) {
    std::map<std::string, std::set<std::string>> ceilings;
    for (const auto* record : records)
        if (record->ceiling) ceilings[benchmark_text(*record)].insert(ceiling_text(*record));
    if (ceilings.empty()) return std::nullopt;
    TextRow row{"ceiling", ""};
    for (const auto& column : columns) {
        const auto& texts = ceilings[column];
        if (texts.size() > 1) return std::nullopt;
        row.push_back(texts.empty() ? "-" : *texts.begin());
    }
    return row;
}

}  // namespace

std::optional<std::vector<TextRow>> score_grid(const Records& records) {
    auto rows = grid_rows(records);
    if (!rows) return std::nullopt;
    std::stable_sort(rows->begin(), rows->end(), [](const auto& left, const auto& right) {
        return left.mean() > right.mean();
    });
    std::set<std::string> columns;
    for (const auto* record : records) columns.insert(benchmark_text(*record));

    std::vector<TextRow> grid{{"model", "layer"}};
    grid.front().insert(grid.front().end(), columns.begin(), columns.end());
    for (const auto& row : *rows) {
        grid.push_back(row.names);
        for (const auto& column : columns) {
            const auto cell = row.cells.find(column);
            grid.back().push_back(cell == row.cells.end() ? "-" : score_text(*cell->second));
        }
    }
    if (auto ceilings = ceiling_row(records, columns)) grid.push_back(std::move(*ceilings));
    return grid;
}

std::vector<TextRow> score_list(const Records& records) {
    std::vector<TextRow> rows{{"model", "benchmark", "layer", "score", "raw", "ceiling", "status"}};
    for (const auto* record : records)
        rows.push_back({record->model, benchmark_text(*record), record->layer,
                        rounded(record->value, record->error), rounded(record->raw_value),
                        ceiling_text(*record), core::name_of(record->status)});
    return rows;
}

}  // namespace ventral::leaderboard
