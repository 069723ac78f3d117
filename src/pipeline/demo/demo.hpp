#pragma once
/// @file
/// `ventral demo`: a small, complete, synthetic data set with models of known truth.

#include <string>

namespace ventral::pipeline {

/// Writes, under `folder`: data/ (640 images of shapes, their table, and recordings of a simulated
/// brain of four regions), models/ (a designed network and its twin with random weights),
/// datasets/, benchmarks/ and run.toml, which scores every layer of both. Neuroids of a region are
/// mixes of units of one layer of the designed network: that layer's score is 1 up to the error of
/// fitting, and scores fall with the distance from it. The same on every machine but for rounding.
///
/// Does nothing if the same demo is there already and whole; one that is unfinished, or lacks a
/// file, is written anew. Throws `InputError` if a file cannot be written or is not as the demo
/// wrote it, or if `folder` is not empty and no demo's.
void write_demo(const std::string& folder);

}  // namespace ventral::pipeline
