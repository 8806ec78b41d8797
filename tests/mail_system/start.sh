#!/usr/bin/env bash
# A real mail system for tests, on loopback only: Postfix takes letters in, Dovecot keeps the mailboxes.
#   start.sh FOLDER SMTP SMTPS IMAP IMAPS     makes FOLDER, starts both on these ports, and returns when they answer
#   stop.sh FOLDER                            ends both by their process ids
# SMTP and IMAP want STARTTLS, SMTPS and IMAPS are TLS from the first byte. The users are ada@localhost, bram@localhost and games@localhost
# with the passwords ada-pw, bram-pw and games-pw; letters to games+anything@localhost reach the last. FOLDER/ca.pem is the authority that vouches for the servers. No letter leaves the machine.
# Needs root, and Debian's postfix, dovecot-imapd, dovecot-lmtpd and openssl.
set -euo pipefail
mkdir -p "$1"
cd "$1"
folder=$PWD
smtp=$2 smtps=$3 imap=$4 imaps=$5
mkdir -p certificates dovecot/run mailboxes postfix/etc postfix/data postfix/spool
# Postfix and Dovecot drop their rights and still have to reach what is theirs.
chmod 755 "$folder" postfix postfix/etc

curve='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
# shellcheck disable=SC2086 # the options are words of their own
openssl req -x509 $curve -days 30 -subj '/CN=authority for tests' -keyout certificates/ca.key -out ca.pem 2>/dev/null
# shellcheck disable=SC2086
openssl req $curve -subj '/CN=localhost' -keyout certificates/server.key -out certificates/server.csr 2>/dev/null
openssl x509 -req -in certificates/server.csr -CA ca.pem -CAkey certificates/ca.key -CAcreateserial -days 30 \
    -extfile <(echo 'subjectAltName=DNS:localhost,IP:127.0.0.1') -out certificates/server.pem 2>/dev/null

getent passwd vmail >/dev/null || useradd --system --no-create-home --shell /usr/sbin/nologin vmail
chown -R vmail mailboxes
printf '%s@localhost:{PLAIN}%s-pw\n' ada ada bram bram games games >dovecot/users

cat >dovecot/dovecot.conf <<END
protocols = imap lmtp
listen = 127.0.0.1
base_dir = $folder/dovecot/run
state_dir = $folder/dovecot/run
log_path = $folder/dovecot/log
ssl = required
ssl_cert = <$folder/certificates/server.pem
ssl_key = <$folder/certificates/server.key
disable_plaintext_auth = yes
mail_location = maildir:$folder/mailboxes/%n
first_valid_uid = 1
passdb {
  driver = passwd-file
  args = $folder/dovecot/users
}
userdb {
  driver = static
  args = uid=vmail gid=nogroup home=$folder/mailboxes/%n
}
service imap-login {
  inet_listener imap {
    port = $imap
  }
  inet_listener imaps {
    port = $imaps
    ssl = yes
  }
}
service lmtp {
  unix_listener $folder/postfix/spool/private/deliver {
    mode = 0666
  }
}
service auth {
  unix_listener $folder/postfix/spool/private/login {
    mode = 0666
  }
}
END

cat >postfix/etc/main.cf <<END
compatibility_level = 3.6
queue_directory = $folder/postfix/spool
data_directory = $folder/postfix/data
maillog_file = $folder/postfix/log
maillog_file_prefixes = $folder
multi_instance_enable = no
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = localhost
mynetworks =
mydestination =
virtual_mailbox_domains = localhost
virtual_transport = lmtp:unix:private/deliver
default_transport = error:no letter leaves this machine
message_size_limit = 40000000
recipient_delimiter = +
smtpd_tls_security_level = encrypt
smtpd_tls_cert_file = $folder/certificates/server.pem
smtpd_tls_key_file = $folder/certificates/server.key
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = private/login
smtpd_recipient_restrictions = permit_sasl_authenticated, reject
END
cat >postfix/etc/master.cf <<END
127.0.0.1:$smtp inet n - n - - smtpd
127.0.0.1:$smtps inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
showq unix n - n - - showq
postlog unix-dgram n - n - 1 postlogd
END
chown postfix postfix/data

# Postfix makes the spool in which Dovecot's sockets lie.
postfix -c "$folder/postfix/etc" start >postfix/started 2>&1 </dev/null
dovecot -c "$folder/dovecot/dovecot.conf" >dovecot/started 2>&1 </dev/null
for port in "$smtp" "$smtps" "$imap" "$imaps"; do
    tries=100
    until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        tries=$((tries - 1))
        if [ "$tries" -eq 0 ]; then
            echo "nothing answers on port $port:" >&2
            tail -n 20 postfix/started postfix/log dovecot/started dovecot/log >&2 || true
            exit 1
        fi
        sleep 0.1
    done
done
