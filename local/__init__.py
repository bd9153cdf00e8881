"""The laptop: the real handlers behind a small gateway, with engines that need no account."""
