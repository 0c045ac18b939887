// SPDX-License-Identifier: MIT
// Names as the libraries' own sources have them; none is of a recording.
#include "analysis/timeline/names/work_names.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(WorkNames, CommunicationOfLibraries) {
  for (const char* name : {"ncclDevKernel_Generic(ncclDevComm*)",
                           "ncclKernel_AllReduce_RING_LL_Sum_float",
                           "void NCCLsomething",
                           "nccl AllGather by copy engines",
                           "mscclKernel_Sum_half_Simple_true",
                           "oneccl_allreduce_large_bfloat16",
                           "hcom_allReduce__123_0",
                           "hcom_send_",
                           "nvshmem_barrier_on_stream_kernel",
                           "void nvshmemi_transfer_rma_nbi<(threadgroup_t)1>(int)",
                           "barrier_on_stream_kernel_threadgroup(int)",
                           "rocshmem_barrier_all_kernel",
                           "ishmem_barrier_all",
                           "void deep_ep::internode_ll::dispatch<false, true, 3, 7168>(void*, float*, int*)",
                           "void deep_ep::internode_ll::combine<true, 7168, 9, 3>(void*, void*)",
                           "void deep_ep::intranode::notify_dispatch<8>(int const*, int*)",
                           "_ZN7deep_ep9intranode7combineI13__nv_bfloat16EEvPT_",
                           "void uccl::internode::cached_notify<8>(int)",
                           "hybrid_ep::dispatch_kernel<int>(int)",
                           "mori::moe::EpDispatchIntraNodeKernel",
                           "_ZN4mori3moe24EpCombineInterNodeKernelI6__halfEEvi",
                           "EpDispatchInterNodeKernel_bf16",
                           "void pplx::dispatchKernel<8>(int)",
                           "void userbuffers_fp16_sum_inplace_gpu_rw_ag<4>(int, int)"}) {
    EXPECT_TRUE(is_communication(name)) << name;
  }
}

TEST(WorkNames, CommunicationOfEnginesAndCompilers) {
  for (const char* name :
       {"void vllm::cross_device_reduce_1stage<half, 8>(vllm::RankData*)", "triton_all_reduce_kernel",
        "void (anonymous namespace)::multimem_one_shot_all_reduce_kernel<float>(float*)",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(int)",
        "void tensorrt_llm::kernels::oneShotAllReduceKernel<half>(int)",
        "void moeAllToAllKernel(tensorrt_llm::kernels::MoeCommParams)", "moeA2ADispatchKernel<int>",
        "aiter::allgather_lastdim<float>(float*)", "void quickreduce::allreduce_prototype_twoshot<int>(int)",
        "all-reduce.1", "reduce-scatter-start.3", "collective-permute-done", "ragged-all-to-all.2"}) {
    EXPECT_TRUE(is_communication(name)) << name;
  }
}

TEST(WorkNames, ComputationThatSoundsAlike) {
  for (const char* name : {"triton_poi_fused_add_all_reduce_bitwise_and_0",
                           "triton_red_fused_all_reduce_mean_2",
                           "hipMemcpy",
                           "ncc",
                           "triton_",
                           "",
                           "void flash::flash_fwd_splitkv_combine_kernel<int>(int)",
                           "flash_attn_combine",
                           "void groupnorm_kernel_dispatch_up<float>(float*)",
                           "void moe::dispatch_tokens<8>(int*)",
                           "moe_combine_kernel",
                           "void deep_ep::layout::get_dispatch_layout<256>(int)",
                           "hybrid_ep::scan<int>(int)",
                           "index_put_kernel",
                           "void gemm<ncclDataType_t, deep_ep::internode::Tag>(allreduce::Params)",
                           "finish_memory_kernel",
                           "void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*> >(int)",
                           "scatter_reduce_kernel",
                           "memory_mori_like",
                           "void at::native::(anonymous namespace)::distribution<int>(int)",
                           "_ZN2at6native6kernelEv",
                           "_Z999999999999999999999a",
                           "_Z",
                           "<",
                           "a>b",
                           "("}) {
    EXPECT_FALSE(is_communication(name)) << name;
  }
}

TEST(WorkNames, CopiesToAndFromTheHost) {
  for (const char* name : {"Memcpy HtoD (Pinned -> Device)", "CopyDeviceToHost", "CUDA memcpy Unified Host-to-Device",
                           "[CUDA memcpy Device-to-Host]", "MEMORY_COPY_HOST_TO_DEVICE", "CUDA memcpy Host-to-Array"}) {
    EXPECT_TRUE(crosses_to_host(name)) << name;
  }
  for (const char* name :
       {"Memcpy DtoD (Device -> Device)", "CUDA memcpy Device-to-Device", "CopyDeviceToDevice", ""}) {
    EXPECT_FALSE(crosses_to_host(name)) << name;
  }
}

TEST(WorkNames, Migrations) {
  EXPECT_TRUE(is_migration("[CUDA Unified Memory memcpy HtoD]"));
  EXPECT_FALSE(is_migration("[CUDA memcpy HtoD]"));
}

}  // namespace
}  // namespace aaco
