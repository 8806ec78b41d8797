# Dovecot Pigeonhole: letters of games go through postrider and into a folder of their own.
# The plugin sieve_extprograms must be enabled, and `postrider-receive` (beside this file) must be in sieve_pipe_bin_dir:
#
#     plugin {
#       sieve_plugins = sieve_extprograms
#       sieve_extensions = +vnd.dovecot.pipe
#       sieve_pipe_bin_dir = /usr/local/lib/dovecot/sieve-pipe
#     }
# The folder is made when its first letter comes.
require ["vnd.dovecot.pipe", "copy", "fileinto", "mailbox"];

if header :contains "subject" "[pbem]" {
    pipe :copy :try "postrider-receive";
    fileinto :create "games";
}
