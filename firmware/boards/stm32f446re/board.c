/* Nucleo-F446RE. Nothing but the kit runs on it, which sets its board up by itself (firmware/kit/boards). */
