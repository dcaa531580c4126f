/*
 * http_inside.h - what the HTTP server is, for the files of this folder
 */
#ifndef SOTTO_HTTP_INSIDE_H
#define SOTTO_HTTP_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/http/http_counts.h"
#include "server/http/http_library.h"
#include "server/http/http_options.h"
#include "server/http/http_watch.h"

/* Bytes of bodies, all together. */
#define SOTTO_HELD_MAX ((size_t)512 << 20)

struct sotto_http {
	struct sotto_http_options options;
	struct sotto_mhd mhd;
	struct MHD_Daemon *daemon;
	int listener;
	unsigned short port;
	char *cert, *key;
	struct sotto_watch watch;
	struct sotto_http_counts counts;
	atomic_size_t held; /* bytes of bodies */
	pthread_mutex_t policy_lock; /* held while the policy's file is replaced */
	pthread_mutex_t events_lock;
	struct sotto_events *events; /* the streams that are open */
};

#endif
