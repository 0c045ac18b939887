// SPDX-License-Identifier: MIT
// The part of the CUDA and HIP runtimes that our host code uses, under one name: gpuMalloc is cudaMalloc or hipMalloc.
// What the two do differently is not here but in gpu/cuda and gpu/hip. The lockstep build has no runtime, only the two
// types.
#pragma once

#if defined(AACO_LOCKSTEP)
using gpuStream_t = void*;
using gpuError_t = int;
#else

#if defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime_api.h>
#define AACO_VENDOR(name) hip##name
#else
#include <cuda_runtime.h>
#define AACO_VENDOR(name) cuda##name
#endif

#define gpuDeviceAttribute_t AACO_VENDOR(DeviceAttribute_t)
#define gpuError_t AACO_VENDOR(Error_t)
#define gpuEvent_t AACO_VENDOR(Event_t)
#define gpuGraph_t AACO_VENDOR(Graph_t)
#define gpuGraphExec_t AACO_VENDOR(GraphExec_t)
#define gpuGraphNode_t AACO_VENDOR(GraphNode_t)
#define gpuGraphNodeType AACO_VENDOR(GraphNodeType)
#define gpuStreamCaptureMode AACO_VENDOR(StreamCaptureMode)
#define gpuStream_t AACO_VENDOR(Stream_t)

#define gpuSuccess AACO_VENDOR(Success)
#define gpuErrorNoDevice AACO_VENDOR(ErrorNoDevice)
#define gpuErrorNotSupported AACO_VENDOR(ErrorNotSupported)
#define gpuErrorPeerAccessAlreadyEnabled AACO_VENDOR(ErrorPeerAccessAlreadyEnabled)
#define gpuErrorStreamCaptureInvalidated AACO_VENDOR(ErrorStreamCaptureInvalidated)
#define gpuEventDisableTiming AACO_VENDOR(EventDisableTiming)
#define gpuGraphNodeTypeKernel AACO_VENDOR(GraphNodeTypeKernel)
#define gpuMemcpyDefault AACO_VENDOR(MemcpyDefault)
#define gpuStreamCaptureModeRelaxed AACO_VENDOR(StreamCaptureModeRelaxed)
#define gpuStreamCaptureModeThreadLocal AACO_VENDOR(StreamCaptureModeThreadLocal)
#define gpuStreamNonBlocking AACO_VENDOR(StreamNonBlocking)

#define gpuDeviceCanAccessPeer AACO_VENDOR(DeviceCanAccessPeer)
#define gpuDeviceEnablePeerAccess AACO_VENDOR(DeviceEnablePeerAccess)
#define gpuDeviceGetAttribute AACO_VENDOR(DeviceGetAttribute)
#define gpuDeviceGetStreamPriorityRange AACO_VENDOR(DeviceGetStreamPriorityRange)
#define gpuDeviceSynchronize AACO_VENDOR(DeviceSynchronize)
#define gpuDriverGetVersion AACO_VENDOR(DriverGetVersion)
#define gpuEventCreateWithFlags AACO_VENDOR(EventCreateWithFlags)
#define gpuEventDestroy AACO_VENDOR(EventDestroy)
#define gpuEventElapsedTime AACO_VENDOR(EventElapsedTime)
#define gpuEventRecord AACO_VENDOR(EventRecord)
#define gpuEventSynchronize AACO_VENDOR(EventSynchronize)
#define gpuFree AACO_VENDOR(Free)
#define gpuGetDeviceCount AACO_VENDOR(GetDeviceCount)
#define gpuGetErrorName AACO_VENDOR(GetErrorName)
#define gpuGetErrorString AACO_VENDOR(GetErrorString)
#define gpuGetLastError AACO_VENDOR(GetLastError)
#define gpuGraphDestroy AACO_VENDOR(GraphDestroy)
#define gpuGraphExecDestroy AACO_VENDOR(GraphExecDestroy)
#define gpuGraphGetNodes AACO_VENDOR(GraphGetNodes)
#define gpuGraphInstantiateWithFlags AACO_VENDOR(GraphInstantiateWithFlags)
#define gpuGraphLaunch AACO_VENDOR(GraphLaunch)
#define gpuGraphNodeGetType AACO_VENDOR(GraphNodeGetType)
#define gpuMalloc AACO_VENDOR(Malloc)
#define gpuMemGetInfo AACO_VENDOR(MemGetInfo)
#define gpuMemcpyAsync AACO_VENDOR(MemcpyAsync)
#define gpuMemsetAsync AACO_VENDOR(MemsetAsync)
#define gpuRuntimeGetVersion AACO_VENDOR(RuntimeGetVersion)
#define gpuSetDevice AACO_VENDOR(SetDevice)
#define gpuStreamBeginCapture AACO_VENDOR(StreamBeginCapture)
#define gpuStreamCreateWithPriority AACO_VENDOR(StreamCreateWithPriority)
#define gpuStreamDestroy AACO_VENDOR(StreamDestroy)
#define gpuStreamEndCapture AACO_VENDOR(StreamEndCapture)
#define gpuStreamSynchronize AACO_VENDOR(StreamSynchronize)
#define gpuStreamWaitEvent AACO_VENDOR(StreamWaitEvent)
#define gpuThreadExchangeStreamCaptureMode AACO_VENDOR(ThreadExchangeStreamCaptureMode)

#endif
