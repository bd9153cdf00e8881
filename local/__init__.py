"""The laptop: the real handlers behind a small gateway, and the engines that they need."""
