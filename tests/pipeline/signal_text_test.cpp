#include "pipeline/watch/signal_text.hpp"

#include <string>

#include <catch2/catch.hpp>

using ventral::pipeline::SignalText;

TEST_CASE("texts and numbers are put together, numbers to a tenth") {
    SignalText text;
    text << "no progress for " << 1800.04 << " s, " << 0.26 << ", " << 100000.0;
    CHECK(text.view() == "no progress for 1800 s, 0.3, 100000");
}

TEST_CASE("what is too long is cut, and nothing more is added") {
    SignalText text;
    const std::string all(1000, 'a');
    text << all << all << "b" << 1.0;
    CHECK(text.view() == std::string(1024, 'a'));
}

TEST_CASE("a number without end in sight is many") {
    CHECK((SignalText() << 1e300).view() == "many");
}
