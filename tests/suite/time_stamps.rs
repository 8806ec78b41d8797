//! Time stamps (RFC 3161) from an authority that `openssl ts` plays on this machine: made, checked, and false in every
//! way.

use std::process::Command;

use crate::session::Session;
use crate::signing::{both, signed, with_both};

/// An authority with its own certificates, in the folder of a session; `asks` is the program that asks it.
pub struct Authority {
    pub session: Session,
}

const CONFIGURATION: &str = "[tsa]
default_tsa = one
[one]
serial = serial
signer_cert = tsa.pem
certs = ca.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
[req]
distinguished_name = name
prompt = no
[name]
CN = an authority of a test
[ca]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
[root]
default_ca = one_root
[one_root]
database = index
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
serial = next
default_md = sha256
policy = any
x509_extensions = stamps
default_crl_days = 30
[any]
commonName = supplied
[stamps]
basicConstraints = CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
";

impl Authority {
    /// None where there is no openssl.
    pub fn new() -> Option<Self> {
        let authority = Self { session: Session::new() };
        if Command::new("openssl").arg("version").output().is_err() {
            eprintln!("**** SKIPPED: there is no openssl here, so nothing is stamped. ****");
            return None;
        }
        let session = &authority.session;
        session.write("tsa.cnf", CONFIGURATION);
        session.write("serial", "01\n");
        session.write("tsa.sh", "cat >query && exec openssl ts -reply -queryfile query -config tsa.cnf\n");
        for (ca, subject) in [("ca", "/CN=a root"), ("other", "/CN=another root")] {
            let (key, cert) = (format!("{ca}.key"), format!("{ca}.pem"));
            authority.openssl(&[
                "req",
                "-x509",
                "-config",
                "tsa.cnf",
                "-extensions",
                "ca",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-keyout",
                &key,
                "-out",
                &cert,
                "-subj",
                subject,
                "-days",
                "30",
            ]);
        }
        authority.openssl(&[
            "req", "-new", "-config", "tsa.cnf", "-newkey", "rsa:2048", "-nodes", "-keyout", "tsa.key", "-out",
            "tsa.csr",
        ]);
        authority.openssl(&[
            "x509",
            "-req",
            "-in",
            "tsa.csr",
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-set_serial",
            "7",
            "-extfile",
            "tsa.cnf",
            "-extensions",
            "stamps",
            "-out",
            "tsa.pem",
            "-days",
            "30",
        ]);
        Some(authority)
    }

    fn openssl(&self, arguments: &[&str]) {
        let output =
            Command::new("openssl").args(arguments).current_dir(self.session.path(".")).output().expect("openssl");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn stamp(&self, file: &str) -> crate::session::Done {
        self.session.run(&["stamp", file, "--authorities", "ca.pem", "--", "sh", "tsa.sh"])
    }
}

/// A record with times, of which the last is this one.
pub fn record(last: &str) -> String {
    let text = with_both(&["1 defenders place c6 e6 @2026-11-20T10:15:00Z", &format!("2 besiegers c4-c5 @{last}")]);
    signed(&text, both)
}

#[test]
fn a_record_is_stamped_and_the_stamp_is_checked() {
    let Some(authority) = Authority::new() else { return };
    let session = &authority.session;
    session.write("game.pbem", record("2026-11-20T11:00:00Z"));
    let before = session.read("game.pbem");
    let said = session.run(&["verify", "--stamps", "ca.pem", "game.pbem"]);
    assert!(said.code == 3 && said.out.contains("there is no time stamp in it"), "{}", said.out);
    let done = authority.stamp("game.pbem");
    assert!(done.code == 0 && done.err.contains("entry 2 stamped at "), "{}", done.err);
    let stamped = session.read("game.pbem");
    assert!(stamped.starts_with(&before) && stamped[before.len()..].starts_with("# stamp 2 "), "{stamped}");
    session.run(&["verify", "game.pbem"]).ok();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time").as_secs();
    let year = format!("stamped: entry 2, and all before it, existed at {}", 1970 + now / 31_556_952);
    let verified = session.run(&["verify", "--stamps", "ca.pem", "game.pbem"]);
    // If this machine's clock is earlier than the entries' times, the stamp contradicts them.
    assert!(verified.out.contains(&year[9..]), "{}{}", verified.out, verified.err);
    // A remark survives canonical form, and the verdict never depends on it.
    session.run(&["fmt", "--check", "game.pbem"]).ok();
}

#[test]
fn a_stamp_of_something_else_or_by_an_unknown_authority_is_not_valid() {
    let Some(authority) = Authority::new() else { return };
    let session = &authority.session;
    let good = record("2001-01-01T11:00:00Z").replace("2026-11-20T10:15:00Z", "2001-01-01T10:15:00Z");
    let good = signed(
        &good.lines().filter(|line| !line.starts_with("  ~")).fold(String::new(), |text, line| text + line + "\n"),
        both,
    );
    session.write("game.pbem", &good);
    authority.stamp("game.pbem").ok();
    let stamped = session.read("game.pbem");
    let verified = session.run(&["verify", "--stamps", "ca.pem", "game.pbem"]).ok();
    assert!(verified.contains("stamped: entry 2, and all before it, existed at "), "{verified}");
    let fails = |record: &str, authorities: &str, why: &str| {
        session.write("other.pbem", record);
        let done = session.run(&["verify", "--stamps", authorities, "other.pbem"]);
        assert!(done.code == 3 && done.out.contains(why), "{why}: {}{}", done.out, done.err);
        // Unless asked to, the program ignores it.
        session.run(&["verify", "other.pbem"]).ok();
    };
    fails(&stamped, "other.pem", "the stamp of entry 2 does not hold");
    fails(&stamped.replace("# stamp 2 ", "# stamp 1 "), "ca.pem", "the stamp of entry 1 does not hold");
    fails(&stamped.replace("# stamp 2 ", "# stamp 3 "), "ca.pem", "a stamp is of entry 3, which is not there");
    fails(&stamped.replace("# stamp 2 ", "# stamp 2 AAAA"), "ca.pem", "the stamp of entry 2 does not hold");
    fails(&stamped.replace("# stamp 2 ", "# stamp two "), "ca.pem", "a remark is not a stamp");
    // A different past with the same stamp.
    let other = signed(
        &with_both(&["1 defenders place c7 e7 @2001-01-01T10:15:00Z", "2 besiegers c4-c5 @2001-01-01T11:00:00Z"]),
        both,
    );
    let remark = stamped.lines().last().expect("a remark");
    fails(&format!("{other}{remark}\n"), "ca.pem", "the stamp of entry 2 does not hold");
    // An authority that is not vouched for, a program that fails, one that prints something else: nothing is written.
    for (arguments, why) in [
        (&["--authorities", "other.pem", "--", "sh", "tsa.sh"][..], "is not a valid stamp of entry 2"),
        (&["--authorities", "ca.pem", "--", "false"], "has ended with"),
        (&["--authorities", "ca.pem", "--", "echo", "yes"], "is not a valid stamp of entry 2"),
        (&["--authorities", "ca.pem", "--", "no-such-program"], "no-such-program"),
    ] {
        session.write("game.pbem", &good);
        let said = session.run(&[&["stamp", "game.pbem"][..], arguments].concat()).fails(2);
        assert!(said.contains(why), "{said}");
        assert_eq!(session.read("game.pbem"), good);
    }
}

#[test]
fn a_stamp_shows_a_time_that_was_set_ahead() {
    let Some(authority) = Authority::new() else { return };
    let session = &authority.session;
    session.write("game.pbem", record("2096-11-20T11:00:00Z"));
    authority.stamp("game.pbem").ok();
    let verified = session.run(&["verify", "--stamps", "ca.pem", "game.pbem"]);
    assert!(verified.code == 3, "{}", verified.out);
    assert!(verified.out.contains("entry 2 says 2096-11-20T11:00:00Z, and already existed at "), "{}", verified.out);
}

#[test]
fn evidence_tells_when_each_copy_was_stamped() {
    let Some(authority) = Authority::new() else { return };
    let session = &authority.session;
    for (file, entry) in [("one.pbem", "2 besiegers c4-c5"), ("two.pbem", "2 besiegers d4-d5")] {
        session.write(file, signed(&with_both(&["1 defenders place c6 e6", entry]), both));
    }
    authority.stamp("one.pbem").ok();
    let done = session.run(&["evidence", "--stamps", "ca.pem", "one.pbem", "two.pbem"]);
    assert!(
        done.code == 1 && done.out.contains("besiegers have signed two different entries 2"),
        "{}{}",
        done.out,
        done.err
    );
    let (_, stamps) = done.out.rsplit_once("\none.pbem\n").expect("the stamps of the copies");
    assert!(
        stamps.starts_with("  entry 2, and all before it, existed at ")
            && stamps.contains("two.pbem\n  there is no time stamp in it"),
        "{stamps}"
    );
}

#[test]
fn a_stamp_is_judged_at_its_own_time_and_lists_of_revoked_certificates_count() {
    let Some(authority) = Authority::new() else { return };
    let session = &authority.session;
    // A certificate that is good for some seconds.
    session.write("index", "");
    session.write("next", "21\n");
    let end = chrono::Utc::now() + chrono::TimeDelta::seconds(6);
    let day = end.date_naive();
    let until = end.format("%Y%m%d%H%M%SZ").to_string();
    let root = ["ca", "-batch", "-config", "tsa.cnf", "-name", "one_root"];
    let issue = ["-in", "tsa.csr", "-out", "tsa.pem", "-notext", "-startdate", "20200101000000Z", "-enddate", &until];
    authority.openssl(&[&root[..], &issue].concat());
    let text = with_both(&["1 defenders place c6 e6 @2001-01-01T10:15:00Z", "2 besiegers c4-c5 @2001-01-01T11:00:00Z"]);
    session.write("game.pbem", signed(&text, both));
    authority.stamp("game.pbem").ok();
    let holds = |authorities: &str| {
        let done = session.run(&["verify", "--json", "--stamps", authorities, "game.pbem"]);
        let report: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
        (
            done.code,
            report["stamps"][0]["holds"].as_str().expect("a word").to_owned(),
            report["stamps"][0]["expired"].clone(),
        )
    };
    let fresh = holds("ca.pem");
    while chrono::Utc::now() <= end + chrono::TimeDelta::seconds(1) {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    // On a machine that was too slow the certificate had expired before.
    assert!(fresh.1 == "yes" || chrono::Utc::now() > end + chrono::TimeDelta::seconds(5), "{fresh:?}");
    assert_eq!(holds("ca.pem"), (0, "if its key was not lost".to_owned(), day.to_string().into()));
    let verified = session.run(&["verify", "--stamps", "ca.pem", "game.pbem"]).ok();
    let told = format!("the authority's certificate expired on {day}; holds if its key was not lost since");
    assert!(verified.contains(&told), "{verified}");
    // By another authority it never holds, whatever the time.
    assert_eq!(holds("other.pem").1, "no");
    for (revoked, expected) in [(false, "if its key was not lost"), (true, "no")] {
        if revoked {
            authority.openssl(&[&root[..], &["-revoke", "tsa.pem"]].concat());
        }
        authority.openssl(&[&root[..], &["-gencrl", "-out", "list.pem"]].concat());
        session.write("with.pem", session.read("ca.pem") + &session.read("list.pem"));
        assert_eq!(holds("with.pem").1, expected);
    }
    #[cfg(unix)]
    nothing_is_concluded_from_an_openssl_that_was_killed(session, &verified);
}

/// Kills each call of openssl in turn. `verified`: what is said if none is killed.
#[cfg(unix)]
fn nothing_is_concluded_from_an_openssl_that_was_killed(session: &Session, verified: &str) {
    use crate::programs;
    use crate::repository::done;

    let found = Command::new("sh").args(["-c", "command -v openssl"]).output().expect("a shell").stdout;
    let found = String::from_utf8(found).expect("a path");
    let dying = "#!/bin/sh\necho call >> calls\n[ \"$(wc -l < calls)\" -ne \"$AT\" ] || kill -9 $$\nexec ";
    programs::write(&session.path("dying/openssl"), format!("{dying}{} \"$@\"\n", found.trim()));
    let killed = |at: u32| {
        session.write("calls", "");
        let mut command = session.command(&["verify", "--stamps", "ca.pem", "game.pbem"]);
        let path = format!("{}:{}", session.path("dying").display(), std::env::var("PATH").unwrap_or_default());
        done(command.env("PATH", path).env("AT", at.to_string()))
    };
    assert_eq!(killed(0).out, verified);
    let calls = session.read("calls").lines().count();
    assert!(calls > 4, "{calls}");
    for at in 1..=u32::try_from(calls).expect("a number") {
        let done = killed(at);
        let said = format!("{}{}", done.out, done.err);
        assert_eq!(done.code, 2, "call {at}: {said}");
        assert!(
            said.contains("openssl was ended") && said.contains("signal: 9 (SIGKILL)") && said.contains("try again"),
            "call {at}: {said}"
        );
    }
}
