#include "stats/pls/pls_power_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ventral::stats {

PlsPowerIteration::PlsPowerIteration(const PackedSymmetric& g)
    : size_(g.size()), pass_{g.make_vector(), g.make_vector()}, last_pass_(pass_) {}

/// Divides w by the sum of its norm and `beside_norm`.
bool PlsPowerIteration::normalise(double beside_norm) {
    const double square = dot(pass_.b.span(), pass_.g_b.span());
    if (!(square > 0) || !std::isfinite(square)) return false;
    const double norm = std::sqrt(square);
    const double s = norm + beside_norm;
    for (double& value : pass_.b.span()) value /= s;
    for (double& value : pass_.g_b.span()) value /= s;
    pass_.square = (norm / s) * (norm / s);
    return true;
}

bool PlsPowerIteration::start_with_target(const PackedSymmetric& g, Eigen::Index target,
                                          double beside_norm) {
    pass_.knows_b = true;
    std::fill_n(pass_.b.data(), pass_.b.size(), 0.0);
    pass_.b.data()[target] = 1.0;
    g.multiply(pass_.b, pass_.g_b);
    return normalise(beside_norm);
}

void PlsPowerIteration::start_with_product(const Vector& product, double square) {
    pass_.knows_b = false;
    pass_.square = square;
    std::copy_n(product.data(), product.size(), pass_.g_b.data());
}

/// The next pass, from G b of the last. False if it breaks down.
bool PlsPowerIteration::advance(const PackedSymmetric& g) {
    std::swap(pass_, last_pass_);
    const auto old_g = last_pass_.g_b.span();
    double largest = 0;
    for (const double value : old_g) largest = std::max(largest, std::abs(value));
    if (!(largest > 0)) return false;
    for (std::size_t j = 0; j < old_g.size(); ++j) pass_.b.data()[j] = old_g[j] / largest;
    pass_.knows_b = true;
    g.multiply(pass_.b, pass_.g_b);
    return normalise();
}

/// |w − w_old|², for which the numbers of the last pass are given up.
double PlsPowerIteration::change() {
    // (b − b_old)ᵀ G (b − b_old), or wᵀw − 2 wᵀw_old + w_oldᵀw_old where b_old is not known.
    const auto b = pass_.b.span();
    const auto g = pass_.g_b.span();
    const auto old_b = last_pass_.b.span();
    const auto old_g = last_pass_.g_b.span();
    if (!last_pass_.knows_b)
        return (dot(b, g) - dot(b, old_g)) + (last_pass_.square - dot(b, old_g));
    for (std::size_t j = 0; j < b.size(); ++j) {
        old_b[j] = b[j] - old_b[j];
        old_g[j] = g[j] - old_g[j];
    }
    return dot(old_b, old_g);
}

/// Later passes than the first need no eps: there the reference's norm of Xᵀu / uᵀu is the part of
/// Y's variance that t explains, or more, whatever the scales.
bool PlsPowerIteration::converge(const PackedSymmetric& g, PlsFold& fit) {
    for (std::size_t pass = 2; pass <= pls_max_passes; ++pass) {
        if (!advance(g)) return false;
        fit.passes.back() = pass;
        const double changed = change();
        fit.stop_margin =
            std::min(fit.stop_margin, std::abs(changed - pls_tolerance) / pls_tolerance);
        if (changed < pls_tolerance) break;
    }
    return true;
}

}  // namespace ventral::stats
