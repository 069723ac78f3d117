#include "stats/linear_algebra/row_table.hpp"

#include <cblas.h>

#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

void multiply_into(RowTable<float>& out, CBLAS_TRANSPOSE of_a, const RowTable<float>& a,
                   CBLAS_TRANSPOSE of_b, const RowTable<float>& b) {
    const auto inner = of_a == CblasTrans ? a.rows() : a.cols();
    cblas_sgemm(CblasRowMajor, of_a, of_b, blas_size(out.rows()), blas_size(out.cols()),
                blas_size(inner), 1.0F, a.data(), blas_size(a.cols()), b.data(),
                blas_size(b.cols()), 0.0F, out.data(), blas_size(out.cols()));
}

void multiply_into(RowTable<double>& out, CBLAS_TRANSPOSE of_a, const RowTable<double>& a,
                   CBLAS_TRANSPOSE of_b, const RowTable<double>& b) {
    const auto inner = of_a == CblasTrans ? a.rows() : a.cols();
    cblas_dgemm(CblasRowMajor, of_a, of_b, blas_size(out.rows()), blas_size(out.cols()),
                blas_size(inner), 1.0, a.data(), blas_size(a.cols()), b.data(), blas_size(b.cols()),
                0.0, out.data(), blas_size(out.cols()));
}

void multiply_into(RowTable<float>& out, const RowTable<float>& a, std::span<const float> x) {
    cblas_sgemv(CblasColMajor, CblasTrans, blas_size(a.cols()), blas_size(a.rows()), 1.0F, a.data(),
                blas_size(a.cols()), x.data(), 1, 0.0F, out.data(), 1);
}

void multiply_into(RowTable<double>& out, const RowTable<double>& a, std::span<const double> x) {
    cblas_dgemv(CblasColMajor, CblasTrans, blas_size(a.cols()), blas_size(a.rows()), 1.0, a.data(),
                blas_size(a.cols()), x.data(), 1, 0.0, out.data(), 1);
}

void upper_products_into(RowTable<float>& out, const RowTable<float>& a) {
    cblas_ssyrk(CblasRowMajor, CblasUpper, CblasNoTrans, blas_size(a.rows()), blas_size(a.cols()),
                1.0F, a.data(), blas_size(a.cols()), 0.0F, out.data(), blas_size(out.cols()));
}

void upper_products_into(RowTable<double>& out, const RowTable<double>& a) {
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, blas_size(a.rows()), blas_size(a.cols()),
                1.0, a.data(), blas_size(a.cols()), 0.0, out.data(), blas_size(out.cols()));
}

}  // namespace

double inner_product(std::span<const double> a, std::span<const double> b) {
    return cblas_ddot(static_cast<int>(a.size()), a.data(), 1, b.data(), 1);
}

float inner_product(std::span<const float> a, std::span<const float> b) {
    return cblas_sdot(static_cast<int>(a.size()), a.data(), 1, b.data(), 1);
}

template <typename Real>
RowTable<Real> product(const RowTable<Real>& a, const RowTable<Real>& b) {
    RowTable<Real> out = RowTable<Real>::Zero(a.rows(), b.cols());
    multiply_into(out, CblasNoTrans, a, CblasNoTrans, b);
    return out;
}

template <typename Real>
RowTable<Real> product_of_transposed(const RowTable<Real>& a, const RowTable<Real>& b) {
    RowTable<Real> out = RowTable<Real>::Zero(a.cols(), b.cols());
    multiply_into(out, CblasTrans, a, CblasNoTrans, b);
    return out;
}

template <typename Real>
RowTable<Real> product_with_transposed(const RowTable<Real>& a, const RowTable<Real>& b) {
    RowTable<Real> out = RowTable<Real>::Zero(a.rows(), b.rows());
    multiply_into(out, CblasNoTrans, a, CblasTrans, b);
    return out;
}

template <typename Real>
RowTable<Real> product_with_vector(const RowTable<Real>& a, std::span<const Real> x) {
    RowTable<Real> out = RowTable<Real>::Zero(a.rows(), 1);
    multiply_into(out, a, x);
    return out;
}

template <typename Real>
RowTable<Real> product_with_itself(const RowTable<Real>& a) {
    RowTable<Real> out = RowTable<Real>::Zero(a.rows(), a.rows());
    upper_products_into(out, a);
    out.template triangularView<Eigen::StrictlyLower>() = out.transpose();
    return out;
}

template RowTable<float> product(const RowTable<float>&, const RowTable<float>&);
template RowTable<double> product(const RowTable<double>&, const RowTable<double>&);
template RowTable<float> product_of_transposed(const RowTable<float>&, const RowTable<float>&);
template RowTable<double> product_of_transposed(const RowTable<double>&, const RowTable<double>&);
template RowTable<float> product_with_transposed(const RowTable<float>&, const RowTable<float>&);
template RowTable<double> product_with_transposed(const RowTable<double>&, const RowTable<double>&);
template RowTable<float> product_with_vector(const RowTable<float>&, std::span<const float>);
template RowTable<double> product_with_vector(const RowTable<double>&, std::span<const double>);
template RowTable<float> product_with_itself(const RowTable<float>&);
template RowTable<double> product_with_itself(const RowTable<double>&);

}  // namespace ventral::stats
