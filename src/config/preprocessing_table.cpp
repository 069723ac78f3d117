#include "config/preprocessing_table.hpp"

#include <array>
#include <cstddef>
#include <vector>

#include "core/errors.hpp"

namespace ventral::config {
namespace {

std::size_t read_pixels(const Value& value) {
    return static_cast<std::size_t>(
        value.integer(1, static_cast<std::int64_t>(stimuli::max_pixels)));
}

void read_resize(stimuli::Preprocessing& preprocessing, const Value& value) {
    if (!value.is_list()) {
        preprocessing.resize = read_pixels(value);
        return;
    }
    const auto sides = value.list();
    if (sides.size() != 2) value.fail("'resize' is the short side or [height, width]");
    preprocessing.resize_exact = {read_pixels(sides[0]), read_pixels(sides[1])};
}

stimuli::Interpolation read_interpolation(const Value& value) {
    using enum stimuli::Interpolation;
    return choice_of(value, std::vector{box, bilinear, bicubic, lanczos, nearest});
}

enum class Sign { any, positive };

std::array<float, 3> read_channels(const Value& value, Sign sign) {
    const auto entries = value.list();
    std::array<float, 3> channels{};
    if (entries.size() != channels.size()) value.fail("three numbers are wanted, one per channel");
    for (std::size_t i = 0; i < channels.size(); ++i)
        channels[i] = static_cast<float>(sign == Sign::positive ? entries[i].positive_number()
                                                                : entries[i].number());
    return channels;
}

}  // namespace

stimuli::Preprocessing read_preprocessing(const Value& value) {
    using Backend = stimuli::Preprocessing::Backend;
    stimuli::Preprocessing preprocessing;
    auto table = value.table();
    if (const auto backend = table.find("backend"))
        preprocessing.backend =
            backend->choice({"pil", "tensor"}) == "pil" ? Backend::pil : Backend::tensor;
    if (const auto resize = table.find("resize")) read_resize(preprocessing, *resize);
    if (const auto crop = table.find("crop")) preprocessing.crop = read_pixels(*crop);
    if (const auto interpolation = table.find("interpolation"))
        preprocessing.interpolation = read_interpolation(*interpolation);
    if (const auto mean = table.find("mean")) preprocessing.mean = read_channels(*mean, Sign::any);
    if (const auto deviation = table.find("std"))
        preprocessing.standard_deviation = read_channels(*deviation, Sign::positive);
    table.finish();
    try {
        stimuli::check(preprocessing);
    } catch (const core::InputError& error) {
        table.fail(error.what());
    }
    return preprocessing;
}

}  // namespace ventral::config
