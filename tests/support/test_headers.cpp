// What CMake links where only the headers precompiled for the tests are wanted.
int main() {}
