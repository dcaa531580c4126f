/*
 * sotto/local.h - local differential privacy on the server: everything
 *
 * Reports come from sotto/client.h.  Design a collection, state its privacy,
 * collect, merge, decode.  Arguments and formulas: src/local/protocol/local.md.
 */
#ifndef SOTTO_LOCAL_H
#define SOTTO_LOCAL_H

#include "sotto/client.h"
#include "sotto/client_compat.h"
#include "sotto/local_aggregate.h"
#include "sotto/local_associate.h"
#include "sotto/local_chromium.h"
#include "sotto/local_collect.h"
#include "sotto/local_decode.h"
#include "sotto/local_design.h"
#include "sotto/local_discover.h"
#include "sotto/local_estimate.h"
#include "sotto/local_google.h"
#include "sotto/local_ngrams.h"
#include "sotto/local_plan.h"
#include "sotto/local_privacy.h"
#include "sotto/local_rappor.h"
#include "sotto/local_simulate.h"

#endif
