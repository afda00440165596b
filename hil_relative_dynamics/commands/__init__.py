"""What each `hil` command does; one module a command, `main(options) -> exit status`."""
