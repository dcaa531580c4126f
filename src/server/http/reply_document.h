/*
 * reply_document.h - lets the library write a document (sotto/answer.h) into a reply
 */
#ifndef SOTTO_REPLY_DOCUMENT_H
#define SOTTO_REPLY_DOCUMENT_H

#include "server/http/json_reply.h"
#include "sotto/answer.h"

struct sotto_document sotto_reply_document(struct sotto_json *j);

#endif
