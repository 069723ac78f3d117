# Every outside library, found once. The reasons for the odd ones: Debian's own CMake and pkg-config
# files of the MPI builds of HDF5 and netCDF name wrong folders.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.1 REQUIRED COMPONENTS C CXX)
find_package(Threads REQUIRED)

set(HDF5_PREFER_PARALLEL ON)
set(HDF5_NO_FIND_PACKAGE_CONFIG_FILE ON)
find_package(HDF5 1.10.2 REQUIRED COMPONENTS C HL)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "ventral needs a parallel HDF5, found ${HDF5_C_LIBRARIES}")
endif()
find_package(NetCDFMPI 4.7 REQUIRED)

find_package(Boost 1.74 REQUIRED CONFIG COMPONENTS serialization)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(OpenBLAS REQUIRED)
find_path(LAPACKE_INCLUDE_DIR lapacke.h REQUIRED)
find_library(LAPACKE_LIBRARY lapacke REQUIRED)
add_library(ventral_blas INTERFACE)
target_include_directories(ventral_blas SYSTEM INTERFACE ${OpenBLAS_INCLUDE_DIRS} ${LAPACKE_INCLUDE_DIR})
target_link_libraries(ventral_blas INTERFACE ${LAPACKE_LIBRARY} ${OpenBLAS_LIBRARIES})

# Nothing here is compiled for GPUs, whatever a libtorch with CUDA asks about the one of this machine.
set(TORCH_CUDA_ARCH_LIST 9.0)
find_package(Torch 1.13 REQUIRED)
# libstdc++ first: PyTorch's own builds of libtorch bring parts of another one, std::filesystem among them, which fail here.
add_library(ventral_torch INTERFACE)
target_link_libraries(ventral_torch INTERFACE stdc++ torch)
find_package(CLI11 2.1 REQUIRED)
find_package(tomlplusplus 3.0 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
# It has a CMake package from 1.15 on only.
find_package(PkgConfig REQUIRED)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate>=1.14)
