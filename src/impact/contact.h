// SPDX-License-Identifier: Apache-2.0
// Bodies and contacts come from src/contact.
#pragma once
#include "carom/impact.h"
#include "contact/inertia.h"
