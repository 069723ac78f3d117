#include "stimuli/decode_png.hpp"

#include <array>
#include <cstdio>
#include <cstring>

#include <png.h>

#include "core/errors.hpp"
#include "stimuli/c_call.hpp"

namespace ventral::stimuli {
namespace {

struct Reader {
    explicit Reader(std::span<const std::uint8_t> bytes) : unread(bytes) {}
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() { png_destroy_read_struct(&png, &header, nullptr); }

    png_structp png = nullptr;
    png_infop header = nullptr;
    std::span<const std::uint8_t> unread;
    std::jmp_buf jump{};
    std::array<char, 120> message{};
};

[[noreturn]] void fail(png_structp png, png_const_charp text) {
    auto& reader = *static_cast<Reader*>(png_get_error_ptr(png));
    std::snprintf(reader.message.data(), reader.message.size(), "%s", text);
    std::longjmp(reader.jump, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void take_bytes(png_structp png, png_bytep to, std::size_t count) {
    auto& reader = *static_cast<Reader*>(png_get_io_ptr(png));
    if (count > reader.unread.size()) png_error(png, "the file is truncated");
    std::memcpy(to, reader.unread.data(), count);
    reader.unread = reader.unread.subspan(count);
}

[[noreturn]] void refuse(const Reader& reader, const std::string& path) {
    throw core::InputError(path + ": cannot be decoded as PNG (" + reader.message.data() +
                           ") restore the file");
}

PixelMode mode_of(int colour_type, int depth) {
    switch (colour_type) {
        case PNG_COLOR_TYPE_GRAY_ALPHA:
            return PixelMode::grey_alpha;
        case PNG_COLOR_TYPE_RGB:
            return PixelMode::rgb;
        case PNG_COLOR_TYPE_RGB_ALPHA:
            return PixelMode::rgba;
        case PNG_COLOR_TYPE_PALETTE:
            return PixelMode::palette;
        default:
            return depth == 1 ? PixelMode::one_bit : PixelMode::grey;
    }
}

void read_header(Reader& reader) {
    reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, fail, ignore_warning);
    if (reader.png) reader.header = png_create_info_struct(reader.png);
    if (!reader.header) return;
    png_set_read_fn(reader.png, &reader, take_bytes);
    png_set_benign_errors(reader.png, 1);
    png_set_crc_action(reader.png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    // An index beyond the palette is not an error to PIL.
    png_set_check_for_invalid_index(reader.png, -1);
    png_read_info(reader.png, reader.header);
}

/// PIL starts from a ramp of greys and overwrites what the file defines.
std::vector<Colour> palette_of(const Reader& reader) {
    std::vector<Colour> palette(256);
    for (std::size_t i = 0; i < 256; ++i) palette[i].fill(static_cast<std::uint8_t>(i));
    png_colorp colours = nullptr;
    int count = 0;
    png_get_PLTE(reader.png, reader.header, &colours, &count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
        palette[i] = {colours[i].red, colours[i].green, colours[i].blue};
    return palette;
}

Image empty_image(const Reader& reader, const std::string& path) {
    const auto depth = png_get_bit_depth(reader.png, reader.header);
    if (depth == 16)
        throw core::InputError(path + ": has 16 bits a channel (8 are supported) convert it");
    Image image{png_get_image_width(reader.png, reader.header),
                png_get_image_height(reader.png, reader.header),
                mode_of(png_get_color_type(reader.png, reader.header), depth),
                {},
                {},
                path};
    check_size(image.width, image.height, path);
    if (image.mode == PixelMode::palette) image.palette = palette_of(reader);
    image.pixels.resize(image.width * image.height * channels(image.mode));
    return image;
}

void one_byte_a_channel(Reader& reader) {
    if (png_get_color_type(reader.png, reader.header) == PNG_COLOR_TYPE_PALETTE)
        png_set_packing(reader.png);
    else if (png_get_bit_depth(reader.png, reader.header) < 8)
        png_set_expand_gray_1_2_4_to_8(reader.png);
    png_set_interlace_handling(reader.png);
    png_read_update_info(reader.png, reader.header);
}

void read_pixels(Reader& reader, std::span<png_bytep> rows, std::size_t row_bytes) {
    one_byte_a_channel(reader);
    if (png_get_rowbytes(reader.png, reader.header) != row_bytes)
        png_error(reader.png, "rows of unexpected length");
    png_read_image(reader.png, rows.data());
    png_read_end(reader.png, nullptr);
}

}  // namespace

Image decode_png(std::span<const std::uint8_t> bytes, const std::string& path) {
    Reader reader(bytes);
    if (!completes(reader.jump, [&] { read_header(reader); }) || !reader.header)
        refuse(reader, path);
    auto image = empty_image(reader, path);
    const auto row_bytes = image.width * channels(image.mode);
    std::vector<png_bytep> rows(image.height);
    for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = image.pixels.data() + y * row_bytes;
    if (!completes(reader.jump, [&] { read_pixels(reader, rows, row_bytes); }))
        refuse(reader, path);
    return image;
}

}  // namespace ventral::stimuli
