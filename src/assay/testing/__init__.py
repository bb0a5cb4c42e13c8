"""Gates, regressions and cases as tests: the plugin for pytest."""
