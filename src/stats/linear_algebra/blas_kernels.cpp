#include "stats/linear_algebra/blas_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <cblas.h>
#include <sys/mman.h>
#include <xmmintrin.h>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "core/seconds_since.hpp"

#ifndef VENTRAL_COMPILE_FLAGS
#error "VENTRAL_COMPILE_FLAGS comes from src/stats/CMakeLists.txt"
#endif

// OpenBLAS exports these and declares them nowhere.
extern "C" {
void* blas_memory_alloc(int position);
void blas_memory_free(void* buffer);
// Only where it was built for more than one processor.
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
}

namespace ventral::stats {
namespace {

/// Cores of OpenBLAS whose kernels use at least AVX2 or AVX-512.
constexpr std::array avx512_cores = {"SkylakeX", "Cooperlake", "Sapphirerapids"};
constexpr std::array avx2_cores = {"Haswell", "Zen"};

template <std::size_t N>
bool contains(const std::array<const char*, N>& names, const std::string& name) {
    return std::any_of(names.begin(), names.end(), [&](const char* each) { return name == each; });
}

bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}

}  // namespace

bool may_use_avx512() {
    const char* pinned = std::getenv(isa_variable);
    return has_avx512() && !(pinned && std::string_view(pinned) == "avx2");
}

std::string blas_core() { return openblas_get_corename(); }

bool blas_core_fits_processor() { return has_avx512() || !contains(avx512_cores, blas_core()); }

std::string blas_version() {
    const std::string config = openblas_get_config();
    return config.substr(0, config.find(' ', config.find(' ') + 1));
}

std::optional<std::string> stronger_blas_core() {
    const std::string core = blas_core();
    if (contains(avx512_cores, core)) return std::nullopt;
    if (contains(avx2_cores, core)) return std::nullopt;
    if (has_avx512()) return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
    return std::nullopt;
}

std::optional<std::string> stronger_core_to_come() {
    if (!gotoblas_dynamic_init || !gotoblas_dynamic_quit) return std::nullopt;
    __builtin_cpu_init();
    gotoblas_dynamic_init();
    auto stronger = stronger_blas_core();
    gotoblas_dynamic_quit();
    return stronger;
}

void require_blas_memory(std::size_t threads) {
    constexpr std::size_t buffer = std::size_t{160} << 20;  // of OpenBLAS 0.3 on x86: 128 MiB
    void* memory = mmap(nullptr, threads * buffer, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        throw core::InputError("memory: the process may not take " +
                               core::bytes_text(static_cast<double>(threads * buffer)) +
                               " more for matrix products (a limit of the shell or of the job) "
                               "raise it: ulimit -v or -d");
    munmap(memory, threads * buffer);
}

void take_blas_memory(std::size_t threads) {
    constexpr std::size_t most = 64;  // OpenBLAS has no room to note down many more
    std::vector<void*> buffers(std::min(threads, most));
    for (auto& buffer : buffers) buffer = blas_memory_alloc(0);
    for (auto* buffer : buffers) blas_memory_free(buffer);
}

double dgemm_rate(core::Workers& workers, int products) {
    constexpr int edge = 512;
    const std::vector<double> a(edge * edge, 0.5);
    std::vector<std::vector<double>> results(workers.threads(), std::vector<double>(edge * edge));
    const auto multiply = [&](int times) {
        workers.parallel_for(results.size(), [&](std::size_t w) {
            for (int i = 0; i < times; ++i)
                cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, edge, edge, edge, 1.0,
                            a.data(), edge, a.data(), edge, 0.0, results[w].data(), edge);
        });
    };
    multiply(1);
    const double seconds = core::seconds_taken([&] { multiply(products); });
    return 2.0 * edge * edge * edge * products * static_cast<double>(results.size()) / seconds;
}

std::string numerics_fingerprint() {
    std::string cpu;
    if (__builtin_cpu_supports("avx2")) cpu += " avx2";
    if (__builtin_cpu_supports("fma")) cpu += " fma";
    if (may_use_avx512()) cpu += " avx512";
    return "cpu" + cpu + "; " + blas_version() + " " + blas_core() +
           "; " VENTRAL_COMPILE_FLAGS "; mxcsr " + std::to_string(_mm_getcsr() & 0xffc0U);
}

}  // namespace ventral::stats
