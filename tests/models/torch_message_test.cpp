#include "models/runtime/torch_message.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using ventral::models::throw_torch_failure;
using ventral::models::torch_message;

TEST_CASE("a plain message is its first line") {
    CHECK(torch_message("file not found\nException raised from load at x.cpp:7") ==
          "file not found");
    CHECK(torch_message("\n  indented  \nmore") == "indented");
    CHECK(torch_message("").empty());
}

TEST_CASE("bytes that are no text are replaced, and a long message is cut") {
    CHECK(torch_message(std::string("no version \x01\xff\0, or", 18)) == "no version ???, or");
    CHECK(torch_message(std::string(1000, 'x')) == std::string(300, 'x') + "...");
}

TEST_CASE("what a GPU fails in may be done another time, what a network fails in may not") {
    using namespace ventral;
    const std::string failed = "net.ts: forward failed";
    CHECK_THROWS_AS(throw_torch_failure(failed, "CUDA error: an illegal memory access"),
                    core::TransientError);
    CHECK_THROWS_WITH(throw_torch_failure(failed, "mat1 and mat2", " see --crop"),
                      "net.ts: forward failed (mat1 and mat2) see --crop");
    try {
        throw_torch_failure(failed, "mat1 and mat2");
    } catch (const std::exception& error) {
        CHECK(core::failure_class_of(error) == core::FailureClass::deterministic);
    }
    try {
        throw_torch_failure(failed, "CUDA error: out of memory");
    } catch (const std::exception& error) {
        CHECK(core::failure_class_of(error) == core::FailureClass::out_of_memory);
    }
}

TEST_CASE("of an interpreter's trace the raised error is kept, not the trace") {
    CHECK(torch_message("The following operation failed in the TorchScript interpreter.\n"
                        "Traceback of TorchScript (most recent call last):\n"
                        "  File \"code/net.py\", line 3: RuntimeError: in the source\n"
                        "RuntimeError: mat1 and mat2 shapes cannot be multiplied\n\n") ==
          "mat1 and mat2 shapes cannot be multiplied");
    CHECK(torch_message("Trace\nbuiltins.ValueError: needs 224 pixels\n") == "needs 224 pixels");
    CHECK(torch_message("Trace\nValueError: outer\nAssertionError: inner\n") == "inner");
}
