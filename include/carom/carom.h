// SPDX-License-Identifier: Apache-2.0
// Carom in one include: the capabilities of the core library, which needs nothing but libm.
#pragma once
#include "carom/base.h"
#include "carom/billiards.h"
#include "carom/contact.h"
#include "carom/derivative.h"
#include "carom/impact.h"
#include "carom/judge.h"
#include "carom/pile.h"
#include "carom/plan.h"
#include "carom/reflect.h"
#include "carom/rod.h"
#include "carom/shape.h"
#include "carom/world.h"
