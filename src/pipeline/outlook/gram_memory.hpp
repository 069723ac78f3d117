#pragma once
/// @file
/// What a Gram, and what it is made of, takes of memory: for plans.

namespace ventral::pipeline {

/// What one layer set's parts in the same time bins are fitted to. In bytes unless said otherwise.
struct GramSize {
    double rows, features;

    bool is_narrow() const;
    /// None where features stand for it.
    double kernel() const;
    /// The features themselves, which are kept beside the Gram where they are few.
    double few_features() const;
    double reduced() const;
    /// In values.
    double slab() const;
    /// Values of the slabs that are read at once.
    double slabs_at_once(double value_bytes) const;
    double scratch() const;
    /// Few features by rows, and what their Gram is built in.
    double multiplying() const;
    /// Of the kernel, with the diagonal.
    double triangle() const;
    /// On disk: the lower triangle and the few features.
    double file() const { return triangle() + few_features(); }
    /// A copy of these, and the one that is being written again.
    double checkpoint() const;
};

/// Of some rows of a Gram, `own`: a part of it, or made for them.
double gathered_kernel(const GramSize& gram, const GramSize& own);

}  // namespace ventral::pipeline
