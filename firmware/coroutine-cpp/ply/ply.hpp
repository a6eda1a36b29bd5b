// Everything but the renderers, which only programs that print profiles need.
#ifndef PLY_PLY_HPP
#define PLY_PLY_HPP

#include "channel.hpp"
#include "clock.hpp"
#include "coroutine.hpp"
#include "profiler.hpp"
#include "scheduler.hpp"

#endif
