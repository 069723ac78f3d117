#include "models/network/network.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "models/network/random_operators.hpp"
#include "models/recording/recorder.hpp"
#include "support/shared.hpp"
#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using ventral::core::InputError;
using namespace ventral::models;
using namespace ventral::test;

namespace {

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

ScriptedModule scaling(std::vector<float> factors) {
    return {"Scaling",
            "def forward(self, x):\n  return torch.flatten(x, 1) * self.factors\n",
            {{"factors", {static_cast<std::int64_t>(factors.size())}, factors}},
            {},
            ""};
}

std::vector<float> outputs(const Network& network) {
    const LayerRecorder recorder(network, {output_layer});
    return recorder.record(std::vector<float>{1, 1, 1, 1}, {1, 1, 2, 2})[0].values;
}

}  // namespace

TEST_CASE("weights of another floating-point type become float32") {
    const TemporaryFolder folder;
    const auto path = folder.file("scaling.ts");
    for (const auto type : {WeightType::float32, WeightType::float16, WeightType::float64}) {
        save_network(scaling({0.5F, -2, 3, 0.25F}), path, type);
        CHECK(outputs(Network::load(path)) == std::vector<float>{0.5F, -2, 3, 0.25F});
    }
}

TEST_CASE("a network of float32 parameters computes in double where its code does") {
    const TemporaryFolder folder;
    const auto path = folder.file("precise.ts");
    auto precise = scaling({1, 1, 1, 1});
    precise.weights.push_back({"shift", {1}, {1e8F}, true, WeightType::float64});
    // 7 is float64: in float32 nothing is left of 1 beside 1e8.
    precise.forward =
        "def forward(self, x):\n"
        "  y = torch.to(torch.flatten(x, 1) * self.factors, 7) + self.shift\n"
        "  return y - self.shift\n";
    save_network(precise, path);
    CHECK(outputs(Network::load(path)) == std::vector<float>{1, 1, 1, 1});
}

TEST_CASE("code that asks for the type of converted weights, or for another device, gets its own") {
    const TemporaryFolder folder;
    const auto path = folder.file("scaling.ts");
    auto root = scaling({0.5F, -2, 3, 0.25F});
    // 5 is half precision. As a trace has them that was made on a GPU.
    root.forward =
        "def forward(self, x):\n"
        "  y = torch.to(torch.flatten(x, 1), dtype=5)\n"
        "  z = torch.zeros([1, 4], dtype=5, layout=0, device=torch.device(\"cuda:0\"))\n"
        "  y = torch.to(y, torch.device(\"cuda:1\")) + z\n"
        "  return torch.matmul(y, torch.diag(self.factors))\n";
    save_network(root, path, WeightType::float16);
    CHECK(outputs(Network::load(path)) == std::vector<float>{0.5F, -2, 3, 0.25F});
}

TEST_CASE("a traced convolution may use neither TF32 nor the fastest kernel of the day") {
    const TemporaryFolder folder;
    const auto path = folder.file("traced.ts");
    save_network(
        {"Traced",
         "def forward(self, x):\n"
         "  return torch._convolution(x, self.filters, None, [1, 1], [0, 0], [1, 1], False, "
         "[0, 0], 1, True, False, True, True)\n",
         {{"filters", {1, 1, 1, 1}, {2}}},
         {},
         ""},
        path);
    const auto network = Network::load(path);
    const std::map<std::string, bool> wanted = {{"transposed", false},
                                                {"benchmark", false},
                                                {"deterministic", true},
                                                {"cudnn_enabled", true},
                                                {"allow_tf32", false}};
    CHECK(switches_of(network, "aten::_convolution") == wanted);
    CHECK(outputs(network) == std::vector<float>{2, 2, 2, 2});
}

TEST_CASE("products that the code asks for in half precision, which CPUs lack, are float32") {
    const TemporaryFolder folder;
    const auto path = folder.file("scaling.ts");
    auto root = scaling({0.5F, -2, 3, 0.25F});
    // As a trace under autocast; 5 is half precision, 6 float32.
    root.forward =
        "def forward(self, x):\n"
        "  y = torch.to(torch.flatten(x, 1), 5)\n"
        "  return torch.to(torch.matmul(y, torch.to(torch.diag(self.factors), 5)), 6)\n";
    save_network(root, path);
    CHECK(outputs(Network::load(path)) == std::vector<float>{0.5F, -2, 3, 0.25F});
    // Half precision that CPUs can compute in stays: the nearest of 0.1 there is 0.0999755859375.
    root.weights[0].values = {0.1F, 1, 1, 1};
    root.forward =
        "def forward(self, x):\n"
        "  return torch.flatten(x, 1) * torch.to(self.factors, 5)\n";
    save_network(root, path);
    CHECK(outputs(Network::load(path))[0] == 0.0999755859375F);
}

TEST_CASE("the network's own output is its last layer") {
    const TemporaryFolder folder;
    const auto path = folder.file("scaling.ts");
    save_network(scaling({1, 2, 3, 4}), path);
    CHECK(Network::load(path).layers() == std::vector<std::string>{"logits"});
}

TEST_CASE("files that are no TorchScript network are named with a reason of one line") {
    const TemporaryFolder folder;
    const auto path = folder.file("weights.ts");
    CHECK_THROWS_WITH(Network::load(path), path + ": no such file of weights");
    write(path, "garbage");
    CHECK_THROWS_WITH(Network::load(path), StartsWith(path + ": not a TorchScript file"));
    if (const auto state = shared_path("data/models/squeezenet1_0_imagenet.pth")) {
        CHECK_THROWS_WITH(Network::load(*state),
                          StartsWith(*state + ": not a TorchScript network") &&
                              Contains("torch.jit.save") && !Contains("\n"));
    } else {
        WARN("a file of torch.save is not tried: no data/models in VENTRAL_SHARED");
    }
}

TEST_CASE("batch normalisation that always takes the statistics of the batch is found") {
    const TemporaryFolder folder;
    const auto path = folder.file("network.ts");
    const auto found = [&](const std::string& training) {
        save_network({"Net",
                      "def forward(self, x):\n"
                      "  y = torch.batch_norm(x, None, None, None, None, " +
                          training +
                          ", 0.1, 0.1, False)\n"
                          "  if self.training:\n"
                          "    y = torch.batch_norm(x, None, None, None, None, True, 0.1, 0.1, "
                          "False)\n"
                          "  return y\n",
                      {},
                      {},
                      ""},
                     path);
        return operators_on_batches(Network::load(path).module());
    };
    CHECK(found("True") == std::vector<std::string>{"batch_norm"});
    CHECK(found("not self.training") == std::vector<std::string>{"batch_norm"});
    CHECK(found("False").empty());
    CHECK(found("self.training").empty());
}

TEST_CASE("operators that always draw random numbers are found, those of training are not") {
    const TemporaryFolder folder;
    const auto path = folder.file("network.ts");
    const auto random = [&](const std::string& code) {
        save_network({"Net", "def forward(self, x):\n" + code + "  return x\n", {}, {}, ""}, path);
        return random_operators(Network::load(path).module());
    };
    CHECK(random("  x = torch.dropout(x, 0.5, False)\n").empty());
    CHECK(random("  x = torch.dropout(x, 0.5, self.training)\n").empty());
    CHECK(random("  if self.training:\n    x = torch.rand_like(x)\n").empty());
    CHECK(random("  x = torch.dropout(x, 0.5, True) + torch.feature_dropout(x, 0.5, True)\n") ==
          std::vector<std::string>{"dropout", "feature_dropout"});
    CHECK(random("  x = torch.dropout(x, 0., True)\n").empty());
    // As attention drops.
    const std::string decided = "  p = 0.5\n  if CONDITION:\n    p = 0.\n";
    const auto attention = [&](const std::string& condition) {
        auto code = decided;
        code.replace(code.find("CONDITION"), 9, condition);
        return random(code + "  x = torch.dropout(x, p, True)\n");
    };
    CHECK(attention("not self.training").empty());
    CHECK(attention("self.training") == std::vector<std::string>{"dropout"});
    CHECK(random("  x = x + torch.rand_like(x)\n") == std::vector<std::string>{"rand_like"});
    // As torch.nn.functional, which hands on what its caller says of training.
    const std::string function =
        "  return x\n"
        "def drop(self, x, training: bool):\n"
        "  if training:\n    x = x + torch.bernoulli(x)\n"
        "  return torch.dropout(x, 0.5, training)\n"
        "def other(self, x):\n";
    CHECK(random("  x = self.drop(x, True)\n" + function) ==
          std::vector<std::string>{"bernoulli", "dropout"});
    CHECK(random("  x = self.drop(x, self.training)\n" + function).empty());
    CHECK(random("  return x\n"
                 "def sample(self, x):\n"
                 "  x = x + torch.rand_like(x)\n")
              .empty());  // forward does not call it
    const auto recurrent = [&](const std::string& dropout) {
        return random("  w: List[Tensor] = []\n  x = torch.gru(x, x, w, False, 2, " + dropout +
                      ", True, False, True)[0]\n");
    };
    CHECK(recurrent("0.5") == std::vector<std::string>{"gru"});
    CHECK(recurrent("0.0").empty());
    CHECK(random("  x = torch.batch_norm(x, None, None, None, None, False, 0.1, 0.1, False)\n")
              .empty());
}

TEST_CASE("a module without forward and an unknown device are refused") {
    const TemporaryFolder folder;
    const auto path = folder.file("weights.ts");
    save_network({"Net", "def backward(self, x):\n  return x\n", {}, {}, ""}, path);
    CHECK_THROWS_WITH(Network::load(path), path + ": not a network (it has no method forward)");
}

TEST_CASE("a network file with any bit flipped or its end cut off loads as it was or is refused") {
    const TemporaryFolder folder;
    const auto path = folder.file("scaling.ts");
    save_network(scaling({1, 2, 3, 4}), path);
    const auto whole = read(path);
    std::mt19937 random(7);
    int refused = 0;
    for (int mutation = 0; mutation < 50; ++mutation) {
        auto bytes = whole;
        const auto position = random() % whole.size();
        if (mutation % 2 == 0)
            bytes.resize(position);
        else
            bytes[position] = static_cast<char>(bytes[position] ^ (1 << (random() % 8)));
        write(path, bytes);
        std::vector<float> values{1, 2, 3, 4};
        try {
            values = outputs(Network::load(path));
        } catch (const InputError& error) {
            CHECK_THAT(error.what(), StartsWith(path + ": ") && !Contains("\n"));
            ++refused;
        }
        // Padding and dates may change without harm, but never what is computed.
        CHECK(values == std::vector<float>{1, 2, 3, 4});
    }
    CHECK(refused >= 25);
}
