#include "isa.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"

namespace ventral::jobs {
namespace {

struct Isa {
    const char* name;
    const char* blas_core;
    const char* torch_capability;  ///< null: as it chooses itself, which is AVX2 in Debian's 1.13
    const char* one_dnn;
};

constexpr std::array sets = {Isa{"avx2", "Haswell", "avx2", "AVX2"},
                             Isa{"avx512", "SkylakeX", nullptr, "AVX512_CORE"}};

/// What follows --isa, with "=" or as the next argument; empty if there is none.
std::string_view option_of(char** arguments) {
    constexpr std::string_view option = "--isa=";
    for (char** each = arguments + 1; *arguments && *each; ++each) {
        const std::string_view text = *each;
        if (text == "--isa") return each[1] ? each[1] : "";
        if (text.starts_with(option)) return text.substr(option.size());
    }
    return {};
}

/// The value of the variable; empty if it has none.
std::string_view environment_isa() {
    const char* name = std::getenv(stats::isa_variable);
    return name ? name : "";
}

const Isa* find(std::string_view name) {
    const auto* const found =
        std::find_if(sets.begin(), sets.end(), [&](const Isa& isa) { return name == isa.name; });
    return found == sets.end() ? nullptr : found;
}

bool set_variable(const char* name, const char* value) {
    const char* now = std::getenv(name);
    if (now && std::string_view(now) == value) return false;
    return setenv(name, value, 1) == 0;
}

}  // namespace

void add_isa_option(CLI::App& app) {
    app.add_option(
           "--isa",
           "avx2 or avx512: the instruction set of all numerics, for the same bits on nodes "
           "of several kinds (default: VENTRAL_ISA, else the best that the processor has)")
        ->type_name("TEXT")
        ->check(CLI::IsMember({"avx2", "avx512"}));
}

bool pin_isa(char** arguments) {
    const auto option = option_of(arguments);
    const Isa* isa = find(option.empty() ? environment_isa() : option);
    if (!isa) return false;
    bool changed = set_variable(stats::isa_variable, isa->name);
    changed |= set_variable(stats::blas_core_variable, isa->blas_core);
    if (isa->torch_capability)
        changed |= set_variable("ATEN_CPU_CAPABILITY", isa->torch_capability);
    changed |= set_variable("ONEDNN_MAX_CPU_ISA", isa->one_dnn);
    return changed;
}

void require_pinned_isa(const std::string& asked) {
    const std::string pinned(environment_isa());
    if (pinned != asked && !asked.empty())
        throw core::InputError("--isa: the program could not start itself again with " + asked +
                               " (/proc is not mounted?) mount it");
    const std::string place = !asked.empty()    ? "--isa"
                              : !pinned.empty() ? stats::isa_variable
                                                : stats::blas_core_variable;
    if (!stats::blas_core_fits_processor())
        throw core::InputError(place + ": OpenBLAS would run " + stats::blas_core() +
                               " kernels (this processor has no AVX-512) choose those of avx2, " +
                               "or other nodes");
    if (pinned.empty()) return;
    const Isa* isa = find(pinned);
    if (!isa)
        throw core::InputError(place + ": '" + pinned + "' is no instruction set, choose avx2 or " +
                               "avx512, or unset it");
    if (stats::blas_core() == isa->blas_core) return;
    throw core::InputError(place + ": " + pinned + " is not what OpenBLAS runs (" +
                           stats::blas_core() + " kernels: this processor or library has no " +
                           isa->blas_core + " ones) choose avx2, or other nodes");
}

}  // namespace ventral::jobs
