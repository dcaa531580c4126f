/*
 * http_library.h - libmicrohttpd, loaded when a server is started
 *
 * It loads a TLS library too; a program that only asks one question should not wait for that.
 */
#ifndef SOTTO_HTTP_LIBRARY_H
#define SOTTO_HTTP_LIBRARY_H

#include <microhttpd.h>

#include "sotto/status.h"

#define SOTTO_MHD_LIST(X)                                                                      \
	X(MHD_start_daemon)                                                                    \
	X(MHD_stop_daemon)                                                                     \
	X(MHD_quiesce_daemon)                                                                  \
	X(MHD_suspend_connection)                                                              \
	X(MHD_resume_connection)                                                               \
	X(MHD_queue_response)                                                                  \
	X(MHD_create_response_from_buffer)                                                     \
	X(MHD_create_response_from_callback)                                                   \
	X(MHD_add_response_header)                                                             \
	X(MHD_destroy_response)                                                                \
	X(MHD_lookup_connection_value)                                                         \
	X(MHD_get_connection_values)                                                           \
	X(MHD_get_connection_info)

struct sotto_mhd {
	void *handle;
#define SOTTO_MHD_MEMBER(name) __typeof__(name) *name;
	SOTTO_MHD_LIST(SOTTO_MHD_MEMBER)
#undef SOTTO_MHD_MEMBER
};

/* Fails: SOTTO_EMISSING; err says what to install. */
SOTTO_MUST_CHECK enum sotto_status sotto_mhd_load(struct sotto_mhd *l, struct sotto_error *err);

#endif
