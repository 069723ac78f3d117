#include "stats/gram_block.hpp"

#include <new>

#include <sys/mman.h>

namespace ventral::stats {
namespace {

std::span<std::byte> map_memory(std::size_t bytes) {
    void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) throw std::bad_alloc();
    madvise(start, bytes, MADV_HUGEPAGE);  // only advice: small pages do as well
    return {static_cast<std::byte*>(start), bytes};
}

}  // namespace

GramBlock::GramBlock(std::size_t rows, std::size_t features)
    : mapped_(map_memory(gram_sizes(rows, features).total() * sizeof(double))),
      memory_(
          gram_memory({reinterpret_cast<double*>(mapped_.data()), mapped_.size() / sizeof(double)},
                      rows, features)) {}

GramBlock::~GramBlock() { munmap(mapped_.data(), mapped_.size()); }

}  // namespace ventral::stats
