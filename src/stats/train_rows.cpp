#include "stats/train_rows.hpp"

namespace ventral::stats {
namespace {

std::vector<char> membership(const std::vector<Eigen::Index>& rows, Eigen::Index size) {
    std::vector<char> member(static_cast<std::size_t>(size), 0);
    for (const auto row : rows) member[static_cast<std::size_t>(row)] = 1;
    return member;
}

std::vector<Eigen::Index> rows_with(const std::vector<char>& is_train, bool wanted) {
    std::vector<Eigen::Index> rows;
    for (std::size_t i = 0; i < is_train.size(); ++i)
        if ((is_train[i] != 0) == wanted) rows.push_back(static_cast<Eigen::Index>(i));
    return rows;
}

}  // namespace

TrainRows::TrainRows(const FoldRows& fold, Eigen::Index rows)
    : fold_(fold),
      is_train_(membership(fold.train, rows)),
      are_few_(2 * fold.train.size() <= is_train_.size()),
      fewer_(rows_with(is_train_, are_few_)) {}

void TrainRows::centre(Vector& v) const {
    v.array() -= sum(as_span(entries_of(v, fold_.train))) / static_cast<double>(fold_.train.size());
}

void TrainRows::keep(Vector& v) const {
    if (!are_few_) {
        for (const auto row : fewer_) v(row) = 0.0;
        return;
    }
    for (Eigen::Index i = 0; i < v.size(); ++i)
        if (!is_train_[static_cast<std::size_t>(i)]) v(i) = 0.0;
}

}  // namespace ventral::stats
