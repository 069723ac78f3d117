#pragma once
/// @file
/// The Gram matrix of a layer on disk: the checkpoint from which a killed unit goes on, without
/// network and activations.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ventral::io {

/// What is kept of the n×p activations X of a layer: with μ the mean row and Xc = X − 1μᵀ, K = Xc
/// Xcᵀ and the rest that rebuilds uncentred products.
struct GramCheckpoint {
    std::size_t rows = 0;      ///< n
    std::size_t features = 0;  ///< p
    /// Lower triangle of K row by row, n(n+1)/2; empty where the features stand for it.
    std::vector<double> packed;
    std::vector<double> centred_times_mean;  ///< n: Xc μ
    double mean_squared = 0;                 ///< μᵀμ
    std::vector<double> row_sums;            ///< n
    std::vector<double> row_extremes;        ///< 2n: least and largest entry of each row of X
    /// Xc itself, n × p column by column, where p < n (then it is smaller than K); else empty.
    std::vector<double> centred_features;
};

/// Writes one file, durably (it is whole or not there). Throws `OutputError` with the path if it
/// cannot be written and `std::invalid_argument` if the sizes of the members contradict `rows`.
void write_gram(const std::string& path, const std::string& key,
                const std::map<std::string, std::string>& provenance, const GramCheckpoint& gram);

/// The checkpoint, bit for bit; nothing if there is no such file. If the file is damaged (every
/// array has a CRC), of another format version or made for another key, a warning is logged and
/// there is nothing either: it is computed again.
std::optional<GramCheckpoint> read_gram(const std::string& path, const std::string& key);

}  // namespace ventral::io
