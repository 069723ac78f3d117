#include "core/utf8.hpp"

#include <string>

#include <catch2/catch.hpp>

using ventral::core::first_not_utf8;
using ventral::core::is_utf8;

TEST_CASE("text of one to four bytes a character is UTF-8, up to the last code point") {
    for (const auto* text : {"", "stimulus", "M\xC3\xBCller", "\xE2\x82\xAC", "\xED\x9F\xBF",
                             "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
        CHECK(is_utf8(text));
    CHECK(is_utf8(std::string(1, '\0')));
}

TEST_CASE("what is no code point is found where it begins") {
    CHECK(first_not_utf8("M\xFCller") == 1);         // Latin-1
    CHECK(first_not_utf8("ab\xC3") == 2);            // cut short
    CHECK(first_not_utf8("\xE2\x82x") == 0);         // no continuation
    CHECK(first_not_utf8("\x80") == 0);              // a continuation alone
    CHECK(first_not_utf8("\xC0\xAF") == 0);          // '/' in two bytes
    CHECK(first_not_utf8("\xE0\x80\xAF") == 0);      // '/' in three
    CHECK(first_not_utf8("\xED\xA0\x80") == 0);      // a surrogate
    CHECK(first_not_utf8("\xF4\x90\x80\x80") == 0);  // above U+10FFFF
    CHECK(first_not_utf8("\xFF\xFE") == 0);
    CHECK_FALSE(first_not_utf8("plain"));
}
