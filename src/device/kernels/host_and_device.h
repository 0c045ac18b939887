// SPDX-License-Identifier: MIT
// Before a function of which there is one copy for the host and every kind of kernel, so that all give the same bits.
#pragma once

#if defined(__CUDACC__) || defined(__HIP__)
#define AACO_HOST_AND_DEVICE __host__ __device__
#else
#define AACO_HOST_AND_DEVICE
#endif
