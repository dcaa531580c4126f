/* The version, and a digest of the sources that both sides of the socket are made of (Makefile). */
#include "central/engine/worker/worker_message.h"

#ifndef SOTTO_ENGINE_DIGEST
#define SOTTO_ENGINE_DIGEST "unknown"
#endif

const char sotto_worker_build[] = SOTTO_VERSION " (" SOTTO_ENGINE_DIGEST ")";
