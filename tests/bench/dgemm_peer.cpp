#include "dgemm_peer.hpp"

#include <algorithm>
#include <vector>

#include <cblas.h>

#include "core/seconds_since.hpp"

namespace ventral::bench {
namespace {

constexpr int edge = 1536;
constexpr int rounds = 6;

struct Product {
    std::vector<double> a = std::vector<double>(edge * edge, 0.5);
    std::vector<double> b = std::vector<double>(edge * edge, 0.25);
    std::vector<double> c = std::vector<double>(edge * edge, 0.0);

    void run() {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, edge, edge, edge, 1.0, a.data(), edge,
                    b.data(), edge, 0.0, c.data(), edge);
    }
};

}  // namespace

double best_dgemm_rate(core::Workers& workers) {
    std::vector<Product> products(workers.threads());
    double best = 0;
    for (int round = 0; round < rounds; ++round) {
        const double seconds = core::seconds_taken([&] {
            workers.parallel_for(products.size(), [&](std::size_t w) { products[w].run(); });
        });
        const double flops = 2.0 * edge * edge * edge * static_cast<double>(products.size());
        best = std::max(best, flops / seconds);
    }
    return best;
}

}  // namespace ventral::bench
