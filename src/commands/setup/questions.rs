//! The questions of `postrider setup`, each with what `?` says of it.

use super::ask::Asked;

pub(super) const NAME: Asked = Asked(
    "Your name, as your opponents see it",
    "It stands in the records and letters of your games. Any name will do, but opponents know you by it.",
);
pub(super) const EMAIL: Asked = Asked(
    "Your mail address",
    "Your letters come from it, and answers go to it. In a record it says which side is yours. Without one you can play by exchanging files.",
);
pub(super) const GAMES: Asked = Asked(
    "The folder of your games",
    "Each game is a text file in it, ID.pbem. It is made if it is not there, and you may name your games by their ids everywhere.",
);

pub(super) const OUT: Asked = Asked(
    "How do your letters go out?",
    "Each entry goes to your opponent as a letter with the record in it. A mail server (SMTP) needs your login; a folder or your mail \
     program needs nothing, and you send each letter yourself. You can change it later.",
);
pub(super) const OUT_FOLDER: Asked = Asked(
    "The folder",
    "Each letter becomes a file ID.NUMBER.eml in it, which mail programs open. You send it from there.",
);
pub(super) const OUT_MAILDIR: Asked = Asked(
    "The Maildir for your letters",
    "Each letter becomes a message in its folder `new`, which is made if it is not there. A program that watches it, or your mail program, \
     sends it.",
);
pub(super) const COMMAND: Asked = Asked(
    "The program, with its first arguments",
    "It gets each letter on standard input, and `-i -f FROM -- TO` as its last arguments, as sendmail does: `msmtp -a home`, for example.",
);
pub(super) const REMOTE: Asked = Asked(
    "The remote of the repository",
    "The name of the remote that you and your opponent share, such as `origin`. `-` takes that of the branch that is checked out. \
     `postrider git setup` prepares the repository of your games.",
);
pub(super) const TAKES: Asked = Asked(
    "The server that takes letters",
    "Your provider names it as the server for outgoing mail, or SMTP: smtp.example.org, for example.",
);
pub(super) const ENCRYPTED: Asked = Asked(
    "How is the connection encrypted: starttls, implicit or none?",
    "`implicit` encrypts from the first byte (ports 465 and 993), `starttls` after a greeting (ports 587 and 143). `none` is only for a \
     server on this machine.",
);
pub(super) const PORT: Asked =
    Asked("The port", "Your provider names it beside the server. What is offered is the usual one.");
pub(super) const USER: Asked = Asked(
    "Your user name there",
    "Usually it is your mail address; `-` for a server that takes letters without a login.",
);
pub(super) const PASSWORD: Asked = Asked(
    "Where is the password? A command that prints it (`pass show mail/ada`), or $NAME of an environment variable",
    "The password itself is never written into the settings. The command is run without a shell, its words separated by spaces, each time \
     mail is sent or fetched, and its first line is the password.",
);

pub(super) const IN: Asked = Asked(
    "How do letters come in?",
    "`postrider play` fetches your opponents' letters from there. A mailbox on a server (IMAP) is only read: nothing in it is changed. \
     A Maildir or mbox is what mail programs on this machine keep their mail in.",
);
pub(super) const IN_PATH: Asked =
    Asked("The Maildir or mbox", "The folder with `new` and `cur` in it, or the file, in which your mail arrives.");
pub(super) const MAILBOX_AT: Asked = Asked(
    "The server with your mailbox",
    "Your provider names it as the server for incoming mail, or IMAP: imap.example.org, for example.",
);
pub(super) const MAILBOX: Asked = Asked(
    "The mailbox",
    "INBOX is where mail arrives. If a filter moves the letters of your games elsewhere, name that folder.",
);
