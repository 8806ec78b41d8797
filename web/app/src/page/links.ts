// Addresses that open a letter in a mail program.

/** The longest address that opens a letter in every mail program, in characters. */
export const LONGEST_LINK = 1800;

export const mail_link = (to: string, subject: string, body: string): string =>
  `mailto:${encodeURIComponent(to).replace(/%40/g, "@")}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body.replace(/\r?\n/g, "\r\n"))}`;
