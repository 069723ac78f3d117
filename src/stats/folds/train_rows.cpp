#include "stats/folds/train_rows.hpp"

namespace ventral::stats {

TrainRows::TrainRows(const FoldRows& fold, Eigen::Index rows)
    : fold_(fold),
      is_train_(marks_of(fold.train, rows)),
      are_few_(2 * fold.train.size() <= is_train_.size()),
      fewer_(are_few_ ? marked_rows(is_train_) : unmarked_rows(is_train_)) {}

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
