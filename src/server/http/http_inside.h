/*
 * http_inside.h - the state of the HTTP server, for the files of this folder
 */
#ifndef SOTTO_HTTP_INSIDE_H
#define SOTTO_HTTP_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/http/http_counts.h"
#include "server/http/http_library.h"
#include "server/http/http_options.h"
#include "server/http/http_route.h"
#include "server/work/work_share.h"
#include "server/http/guard/http_watch.h"

struct sotto_http {
	struct sotto_http_options options;
	struct sotto_mhd mhd;
	struct MHD_Daemon *daemon;
	int listener;
	unsigned short port;
	char *cert, *key;
	struct sotto_watch watch;
	struct sotto_http_counts counts;
	struct sotto_shares held; /* bytes of request bodies, by address */
	atomic_size_t in_work; /* requests that are not answered yet */
	pthread_mutex_t policy_lock; /* held while the policy's file is replaced */
	pthread_mutex_t events_lock;
	struct sotto_events *events; /* the open streams */
};

#endif
