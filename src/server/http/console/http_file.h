/*
 * http_file.h - replies with the files of the web console
 */
#ifndef SOTTO_HTTP_FILE_H
#define SOTTO_HTTP_FILE_H

#include "server/http/http_request.h"

/* Replies with the file at this path, compressed if the client accepts that, or with a problem. */
void sotto_http_find_file(struct sotto_request *r, const char *method, const char *path);

#endif
