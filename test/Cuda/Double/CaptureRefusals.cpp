//===- CaptureRefusals.cpp - Calls that may not be captured ---------------===//
//
//     cuda-captures CASE     makes a mistake during a capture and prints the
//                            driver's error code; without CASE it makes none
//                            and succeeds
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <initializer_list>

static int say(CUresult result) {
  printf("code %d\n", static_cast<int>(result));
  return 0;
}

int main(int argc, char **argv) {
  auto makes = [&](const char *name) {
    return argc > 1 && !strcmp(argv[1], name);
  };
  CUcontext context;
  CUstream origin, other;
  CUevent forked, joined, outside, seen;
  CUdeviceptr memory;
  CUgraph graph;
  CUgraphExec made;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  cuStreamCreate(&origin, CU_STREAM_NON_BLOCKING);
  cuStreamCreateWithPriority(&other, CU_STREAM_NON_BLOCKING, -5);
  for (CUevent *event : {&forked, &joined, &outside, &seen})
    cuEventCreate(event, CU_EVENT_DISABLE_TIMING);
  cuMemAlloc(&memory, 512);
  cuEventRecord(outside, other);
  if (makes("external-outside"))
    cuEventRecordWithFlags(seen, other, CU_EVENT_RECORD_EXTERNAL);

  cuStreamBeginCapture(origin, makes("unsafe")
                                   ? CU_STREAM_CAPTURE_MODE_GLOBAL
                                   : CU_STREAM_CAPTURE_MODE_RELAXED);
  if (makes("unsafe"))
    return say(cuMemAlloc(&memory, 512));
  cuMemsetD8Async(memory, 0, 256, origin);
  cuEventRecord(forked, origin);
  if (makes("captured"))
    return say(cuEventSynchronize(forked));
  if (makes("merge")) {
    cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_RELAXED);
    return say(cuStreamWaitEvent(other, forked, CU_EVENT_WAIT_DEFAULT));
  }
  cuStreamWaitEvent(other, forked, CU_EVENT_WAIT_DEFAULT);
  if (makes("isolation"))
    return say(cuStreamWaitEvent(other, outside, CU_EVENT_WAIT_DEFAULT));
  if (makes("invalidated")) {
    cuStreamWaitEvent(other, outside, CU_EVENT_WAIT_DEFAULT);
    return say(cuMemsetD8Async(memory, 0, 256, origin));
  }
  cuStreamWaitEvent(other, outside, CU_EVENT_WAIT_EXTERNAL);
  cuMemsetD8Async(memory + 256, 0, 256, other);
  if (makes("two-records"))
    cuEventRecordWithFlags(seen, origin, CU_EVENT_RECORD_EXTERNAL);
  if (makes("own-wait"))
    cuStreamWaitEvent(origin, seen, CU_EVENT_WAIT_EXTERNAL);
  cuEventRecordWithFlags(seen, other, CU_EVENT_RECORD_EXTERNAL);
  if (makes("unmatched"))
    return say(cuStreamEndCapture(other, &graph));
  cuEventRecord(joined, other);
  if (!makes("unjoined"))
    cuStreamWaitEvent(origin, joined, CU_EVENT_WAIT_DEFAULT);
  if (CUresult result = cuStreamEndCapture(origin, &graph))
    return say(result);
  if (makes("again"))
    return say(cuStreamWaitEvent(origin, joined, CU_EVENT_WAIT_DEFAULT));
  cuGraphInstantiate(
      &made, graph,
      makes("priorities") ? 0 : CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
  cuGraphDestroy(graph);
  cuGraphLaunch(made, origin);
  cuEventSynchronize(seen);
  puts("all is well");
  return 0;
}
