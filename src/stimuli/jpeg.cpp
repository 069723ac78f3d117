#include "stimuli/jpeg.hpp"

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdio>

#include <jpeglib.h>

#include "core/errors.hpp"
#include "stimuli/c_call.hpp"

namespace ventral::stimuli {
namespace {

struct Errors {
    jpeg_error_mgr manager{};
    std::jmp_buf jump{};
    std::array<char, JMSG_LENGTH_MAX> message{};
};

[[noreturn]] void fail(j_common_ptr codec) {
    auto& errors = *static_cast<Errors*>(codec->client_data);
    codec->err->format_message(codec, errors.message.data());
    std::longjmp(errors.jump, 1);
}

void ignore_message(j_common_ptr) {}

jpeg_error_mgr* report_to(Errors& errors) {
    jpeg_std_error(&errors.manager);
    errors.manager.error_exit = fail;
    errors.manager.output_message = ignore_message;
    return &errors.manager;
}

/// libjpeg would go on with grey pixels.
boolean fail_truncated(j_decompress_ptr codec) {
    auto& errors = *static_cast<Errors*>(codec->client_data);
    std::snprintf(errors.message.data(), errors.message.size(), "the file is truncated");
    std::longjmp(errors.jump, 1);
}

[[noreturn]] void refuse(const Errors& errors, const std::string& path) {
    throw core::InputError(path + ": cannot be decoded as JPEG (" + errors.message.data() +
                           ") restore the file");
}

struct Decompressor {
    Decompressor() {
        codec.err = report_to(errors);
        codec.client_data = &errors;
    }
    Decompressor(const Decompressor&) = delete;
    Decompressor& operator=(const Decompressor&) = delete;
    ~Decompressor() { jpeg_destroy_decompress(&codec); }

    Errors errors;
    jpeg_decompress_struct codec{};
};

struct Compressor {
    Compressor() {
        codec.err = report_to(errors);
        codec.client_data = &errors;
    }
    Compressor(const Compressor&) = delete;
    Compressor& operator=(const Compressor&) = delete;
    ~Compressor() { jpeg_destroy_compress(&codec); }

    Errors errors;
    jpeg_compress_struct codec{};
};

void read_header(Decompressor& decompressor, std::span<const std::uint8_t> bytes) {
    auto* codec = &decompressor.codec;
    jpeg_create_decompress(codec);
    jpeg_mem_src(codec, bytes.data(), bytes.size());
    codec->src->fill_input_buffer = fail_truncated;
    jpeg_read_header(codec, TRUE);
}

Image empty_image(const jpeg_decompress_struct& codec, const std::string& path) {
    if (codec.num_components != 1 && codec.num_components != 3)
        throw core::InputError(path + ": is a JPEG of " + std::to_string(codec.num_components) +
                               " channels (1 or 3 are supported) convert it to RGB");
    Image image{codec.image_width,
                codec.image_height,
                codec.num_components == 1 ? PixelMode::grey : PixelMode::rgb,
                {},
                {},
                path};
    check_size(image.width, image.height, path);
    image.pixels.resize(image.width * image.height * channels(image.mode));
    return image;
}

void read_pixels(jpeg_decompress_struct& codec, std::uint8_t* pixels) {
    codec.out_color_space = codec.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&codec);
    const auto row_bytes =
        std::size_t{codec.output_width} * static_cast<std::size_t>(codec.output_components);
    while (codec.output_scanline < codec.output_height) {
        JSAMPROW row = pixels + codec.output_scanline * row_bytes;
        jpeg_read_scanlines(&codec, &row, 1);
    }
    jpeg_finish_decompress(&codec);
}

/// Above any JPEG of 4:2:0, so that libjpeg never replaces the buffer by one of its own.
std::size_t largest_encoding(const Image& image) {
    return 3 * (image.width + 16) * (image.height + 16) + 4096;
}

void write_pixels(jpeg_compress_struct& codec, const Image& image) {
    const bool colour = image.mode == PixelMode::rgb;
    codec.image_width = static_cast<JDIMENSION>(image.width);
    codec.image_height = static_cast<JDIMENSION>(image.height);
    codec.input_components = colour ? 3 : 1;
    codec.in_color_space = colour ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(&codec);
    jpeg_start_compress(&codec, TRUE);
    const auto row_bytes = image.width * channels(image.mode);
    while (codec.next_scanline < codec.image_height) {
        // libjpeg takes a pointer to non-const and only reads.
        auto* row =
            const_cast<std::uint8_t*>(image.pixels.data()) + codec.next_scanline * row_bytes;
        jpeg_write_scanlines(&codec, &row, 1);
    }
    jpeg_finish_compress(&codec);
}

}  // namespace

Image decode_jpeg(std::span<const std::uint8_t> bytes, const std::string& path) {
    Decompressor decompressor;
    auto& errors = decompressor.errors;
    if (!completes(errors.jump, [&] { read_header(decompressor, bytes); })) refuse(errors, path);
    auto image = empty_image(decompressor.codec, path);
    auto* pixels = image.pixels.data();
    if (!completes(errors.jump, [&] { read_pixels(decompressor.codec, pixels); }))
        refuse(errors, path);
    return image;
}

std::vector<std::uint8_t> encode_jpeg(const Image& image) {
    const auto mode = image.mode;
    if (mode != PixelMode::rgb && mode != PixelMode::grey && mode != PixelMode::one_bit)
        throw core::InputError(image.path + ": cannot be written as JPEG (its mode is " +
                               name_of(mode) + ") give it a name that ends in .png");
    Compressor compressor;
    std::vector<std::uint8_t> bytes(largest_encoding(image));
    unsigned char* buffer = bytes.data();
    unsigned long size = bytes.size();
    if (!completes(compressor.errors.jump, [&] {
            jpeg_create_compress(&compressor.codec);
            jpeg_mem_dest(&compressor.codec, &buffer, &size);
            write_pixels(compressor.codec, image);
        }))
        throw core::InputError(image.path + ": cannot be written as JPEG (" +
                               compressor.errors.message.data() + ")");
    assert(buffer == bytes.data());
    bytes.resize(size);
    return bytes;
}

}  // namespace ventral::stimuli
