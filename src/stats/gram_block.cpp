#include "stats/gram_block.hpp"

#include <algorithm>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "stats/large_pages.hpp"

namespace ventral::stats {
namespace {

std::span<std::byte> map_memory(std::size_t bytes) {
    void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) throw std::bad_alloc();
    const std::span<std::byte> memory(static_cast<std::byte*>(start), bytes);
    prefer_large_pages(memory);
    return memory;
}

}  // namespace

GramBlock::GramBlock(std::size_t rows, std::size_t features)
    : mapped_(map_memory(gram_sizes(rows, features).total() * sizeof(double))),
      kept_bytes_(gram_sizes(rows, features).kept() * sizeof(double)),
      memory_(
          gram_memory({reinterpret_cast<double*>(mapped_.data()), mapped_.size() / sizeof(double)},
                      rows, features)) {}

void GramBlock::touch() const {
    // An older system refuses, and gives the memory as it is used.
    madvise(mapped_.data(), mapped_.size(), MADV_POPULATE_WRITE);
}

void GramBlock::drop_scratch() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t kept = std::min((kept_bytes_ + page - 1) / page * page, mapped_.size());
    const auto scratch = mapped_.subspan(kept);
    if (!scratch.empty()) munmap(scratch.data(), scratch.size());
    mapped_ = mapped_.first(kept);
    for (auto* parts : {&memory_.panels, &memory_.means, &memory_.row_parts})
        for (auto& part : *parts) part = {};
}

GramBlock::~GramBlock() { munmap(mapped_.data(), mapped_.size()); }

}  // namespace ventral::stats
