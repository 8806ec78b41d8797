# Dovecot Pigeonhole, as the sieve script of the mailbox of the host: each letter is handed to the program, and kept in the mailbox for as long
# as you like. The plugin sieve_extprograms must be enabled, and `postrider-host` (beside this file) be in sieve_pipe_bin_dir.
require ["vnd.dovecot.pipe", "copy"];

pipe :copy "postrider-host";
