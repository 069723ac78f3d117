#include <thread>

#include <catch2/catch.hpp>

#include "models/recording/recorder.hpp"
#include "models/small_recorder.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral::models;
using namespace ventral::test;

TEST_CASE("threads that record at once get the bits of one thread") {
    const ScriptedModule net{
        "Net",
        "def forward(self, x):\n"
        "  for i in range(3):\n"
        "    x = torch.relu_(torch.conv2d(x, self.kernel, None, [1, 1], [1, 1]))\n"
        "  return x\n",
        {{"kernel", {8, 8, 3, 3}, ramp(8 * 8 * 9)}},
        {},
        ""};
    const LayerRecorder recorder(reloaded(net, MemoryLayout::channels_last), {"logits"});
    const auto batch = ramp(4 * 8 * 16 * 16);
    const BatchShape shape{4, 8, 16, 16};
    const auto alone = recorder.record(batch, shape)[0].values;
    std::vector<int> equal(4, 0);
    std::vector<std::thread> threads;
    for (auto& count : equal)
        threads.emplace_back([&] {
            for (int i = 0; i < 10; ++i) count += recorder.record(batch, shape)[0].values == alone;
        });
    for (auto& thread : threads) thread.join();
    CHECK(equal == std::vector<int>(4, 10));
}

TEST_CASE("what a network stores in itself is gone with the pass, whichever way it is stored") {
    const auto network = reloaded({"Net",
                                   "def forward(self, x):\n"
                                   "  self.count = self.count + 1\n"
                                   "  self.sum.add_(self.count)\n"
                                   "  self.part.forward(x)\n"
                                   "  return x + self.sum * 10 + self.part.seen * 100\n",
                                   {{"count", {1}, {0}}, {"sum", {1}, {2}}},
                                   {{"part",
                                     "def forward(self, x):\n"
                                     "  self.seen[0] = self.seen[0] + 1\n"
                                     "  return self.seen\n",
                                     {{"seen", {1}, {4}}},
                                     {},
                                     ""}},
                                   ""});
    // 10 (2 + 1) + 100 (4 + 1) more than the images, each time.
    const Values first{531, 528, 533, 526};
    CHECK(recorded(network, "logits") == first);
    CHECK(recorded(network, "logits") == first);
    const LayerRecorder recorder(network, {"logits"});
    recorder.record(two_images, two_shape);
    CHECK(recorder.record(two_images, two_shape)[0].values == first);
}

TEST_CASE("random numbers of a pass follow from its images, whatever runs beside it") {
    const ScriptedModule net{"Net",
                             "def forward(self, x):\n"
                             "  for step in range(50):\n"
                             "    x = torch.dropout(x + torch.rand_like(x), 0.1, True)\n"
                             "  return x + torch.randn_like(x)\n",
                             {},
                             {},
                             ""};
    const LayerRecorder recorder(reloaded(net), {"logits"});
    const BatchShape shape{2, 1, 8, 8};
    const auto values_of = [&](float first) {
        auto images = ramp(2 * 8 * 8);
        images[0] = first;
        return recorder.record(images, shape)[0].values;
    };
    const std::vector<Values> alone = {values_of(0), values_of(1), values_of(2), values_of(3)};
    CHECK(alone[0].back() != alone[1].back());
    std::vector<int> equal(alone.size(), 0);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < equal.size(); ++i)
        threads.emplace_back([&, i] {
            for (int again = 0; again < 20; ++again)
                equal[i] += values_of(static_cast<float>(i)) == alone[i];
        });
    for (auto& thread : threads) thread.join();
    CHECK(equal == std::vector<int>(alone.size(), 20));
}

TEST_CASE("random numbers of a layer are the same whichever layers are recorded") {
    const auto network = reloaded(
        {"Net",
         "def forward(self, x):\n"
         "  left = self.left.forward(x)\n"
         "  if bool(x.sum() < 1000):\n"
         "    x = x + torch.zeros_like(x).normal_()\n"
         "  return left + self.right.forward(x)\n",
         {},
         {leaf("left", "x + torch.rand_like(x)"), leaf("right", "x + torch.randn_like(x)")},
         ""});
    const auto both = LayerRecorder(network, {"left", "right"}).record(two_images, two_shape);
    CHECK(recorded(network, "left") == both[0].values);
    CHECK(recorded(network, "right") == both[1].values);
    CHECK(recorded(network, "right") == recorded(network, "right"));
    CHECK(both[1].values != two_images);
}

TEST_CASE("threads do not see what another one's pass stores in the network") {
    const ScriptedModule cell{"Net",
                              "def forward(self, x):\n"
                              "  self.h = torch.zeros_like(x)\n"
                              "  for step in range(200):\n"
                              "    self.h = self.h + x\n"
                              "  return self.h\n",
                              {{"h", {1}, {0}}},
                              {},
                              ""};
    const LayerRecorder recorder(reloaded(cell), {"logits"});
    std::vector<int> equal(4, 0);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < equal.size(); ++i)
        threads.emplace_back([&, i] {
            const auto k = static_cast<float>(i);
            for (int again = 0; again < 20; ++again)
                equal[i] += recorder.record(Values{k, 0, 1, k}, two_shape)[0].values ==
                            Values{200 * k, 0, 200, 200 * k};
        });
    for (auto& thread : threads) thread.join();
    CHECK(equal == std::vector<int>(4, 20));
}
