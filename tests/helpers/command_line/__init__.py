"""What tests of commands share: suites, runs in this process, answers of pages."""
