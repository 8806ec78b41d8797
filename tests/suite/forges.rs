//! What forges and build servers read: the forms of `verify --format`, and the action that uses them.

#[cfg(unix)]
mod documents;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::repository::record;
use crate::session::Session;

/// What a file may be called by a stranger who wants to say something in somebody else's name.
const STRANGE: &str = "::error file=x,line=1::<b>&\"%0A\u{202e}.pbem";

/// A session with a legal record, one with an illegal entry, one that is none, and an archive of all.
fn records() -> Session {
    let session = Session::new();
    session.write("games/legal.pbem", record(2));
    session.write("games/backwards.pbem", record(1) + "2 besiegers c4-c3 @2026-11-22T08:02:11Z\n");
    session.write(&format!("games/{STRANGE}"), "no record\n");
    session
}

fn verified(session: &Session, args: &[&str]) -> String {
    let done = session.run(&[&["verify", "--format"], args].concat());
    assert_eq!(done.code, 1, "{args:?}: {}", done.err);
    done.out
}

#[test]
#[cfg(unix)]
fn a_workflow_gets_commands_that_no_name_can_forge() {
    let session = records();
    let said = verified(&session, &["github", "games"]);
    let lines: Vec<&str> = said.lines().collect();
    let [strange, backwards, all] = lines[..] else { panic!("{said}") };
    let name = "games/%3A%3Aerror file=x%2Cline=1%3A%3A<b>&\"%250A\\u{202e}.pbem";
    assert_eq!(strange.split("::").nth(1), Some(&*format!("error file={name},line=1,col=1,title=malformed")));
    assert!(
        backwards.starts_with("::error file=games/backwards.pbem,line=11,col=13,title=T21::c4-c3: "),
        "{backwards}"
    );
    assert_eq!(all, "::error title=postrider::3 records: 1 legal, 2 refused, 0 not judged");
    let one = session.run(&["verify", "--format", "github", "games/legal.pbem"]).ok();
    assert_eq!(one, "::notice title=postrider::1 record: 1 legal, 0 refused, 0 not judged\n");
}

#[test]
#[cfg(unix)]
fn sarif_has_a_result_for_each_fault_and_the_text_of_each_rule() {
    let session = records();
    session.run(&["pack", "games", "-o", "all.jsonl.zst"]).ok();
    for (args, is_archive) in [(["sarif", "games"], false), (["sarif", "all.jsonl.zst"], true)] {
        let said = verified(&session, &args);
        let log: Value = serde_json::from_str(&said).unwrap();
        let run = &log["runs"][0];
        let results = run["results"].as_array().unwrap();
        let rules: Vec<_> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
        assert_eq!(rules, ["malformed", "T21"]);
        let place = &results[1]["locations"][0]["physicalLocation"];
        let message = results[1]["message"]["text"].as_str().unwrap();
        if is_archive {
            assert_eq!(place["artifactLocation"]["uri"], "all.jsonl.zst");
            assert!(place["region"].is_null() && message.starts_with("games/backwards.pbem:11:13: c4-c3"), "{message}");
        } else {
            assert_eq!(place["artifactLocation"]["uri"], "games/backwards.pbem");
            assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&11.into(), &13.into()));
            let uri = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            assert_eq!(uri, "games/%3A%3Aerror%20file%3Dx%2Cline%3D1%3A%3A%3Cb%3E%26%22%250A%E2%80%AE.pbem");
        }
        let described = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(described.len(), 1);
        assert_eq!(described[0]["shortDescription"]["text"], "T21 never backwards");
    }
    // What came through standard input has a place too.
    let record = fs::read(session.path("games/backwards.pbem")).unwrap();
    let piped = session.feed(&["verify", "--format", "sarif", "-"], &record);
    let log: Value = serde_json::from_str(&piped.out).unwrap();
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"stdin".into(), &11.into()),
        "{log}"
    );
    let none = session.run(&["verify", "--format", "sarif", "games/legal.pbem"]).ok();
    let log: Value = serde_json::from_str(&none).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(0));
}

#[test]
#[cfg(unix)]
fn junit_has_a_case_for_each_record_and_counts_before_them() {
    let session = records();
    let said = verified(&session, &["junit", "games"]);
    let head = "<testsuite name=\"postrider verify\" tests=\"3\" failures=\"2\" errors=\"0\" time=\"";
    assert!(said.contains(head), "{said}");
    // The times of the cases are those of the suite.
    let times = said.split(" time=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse().ok());
    let times: Vec<f64> = times.collect();
    assert!(times.len() == 4 && times[1..].iter().all(|time| *time > 0.0), "{said}");
    assert!((times[0] - times[1..].iter().sum::<f64>()).abs() < 0.000_01, "{said}");
    assert!(said.contains("name=\"games/::error file=x,line=1::&lt;b&gt;&amp;&quot;%0A\\u{202e}.pbem\""), "{said}");
    assert!(said.contains("<failure type=\"T21\" message=\"c4-c3: "), "{said}");
    assert!(said.contains("<testcase classname=\"asalto\" name=\"games/legal.pbem\" time=\""), "{said}");
    let missing = session.run(&["verify", "--format", "junit", "nowhere"]);
    assert!(missing.code == 2 && missing.out.contains("<error type=\"unjudged\""), "{}", missing.out);
}

#[test]
#[cfg(unix)]
fn the_action_judges_what_it_is_given_and_checks_a_range() {
    let session = records();
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml")).unwrap();
    let action: Value = serde_yaml::from_str(&text).unwrap();
    let steps = action["runs"]["steps"].as_array().unwrap();
    let step = |name: &str| steps.iter().find(|step| step["name"] == name).unwrap();
    // What is built or comes from the cache lies here.
    fs::create_dir_all(session.path("postrider/quick")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_postrider"), session.path("postrider/quick/postrider")).unwrap();
    let cached = step("cache")["with"]["path"].as_str().unwrap().replace("${{ runner.temp }}", "");
    assert!(session.path("").join(&cached[1..]).exists(), "{cached}");
    let run = |name: &str, paths: &str, range: &str| {
        let script = step(name)["run"].as_str().unwrap();
        // As the runner calls its shell `bash`.
        Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(session.path("games"))
            .env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR"))
            .env("GITHUB_OUTPUT", session.path("output"))
            .envs([("RUNNER_TEMP", session.path("")), ("POSTRIDER_HOME", session.path("home"))])
            .envs([("PATHS", paths), ("RANGE", range)])
            .output()
            .unwrap()
    };
    assert_eq!(run("sources", "", "").status.code(), Some(0));
    let digest = session.read("output");
    assert!(digest.starts_with("digest=") && digest.trim_end().len() == "digest=".len() + 64, "{digest}");
    let built = run("build", "", "");
    assert!(String::from_utf8_lossy(&built.stdout).starts_with("postrider "), "{built:?}");
    let done = run("verify", "legal.pbem\n\nbackwards.pbem\n", "");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("2 records: 1 legal, 1 refused") && done.status.code() == Some(1), "{said}");
    assert_eq!(run("verify", "legal.pbem", "").status.code(), Some(0));
    let checked = run("check", "", "no-such-commit..HEAD");
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.code() == Some(2) && said.contains("is not in a git repository"), "{said}");
}

/// A program of this version that is installed is taken; of another, one is built, for which there has to be cargo.
#[test]
#[cfg(unix)]
fn a_hook_takes_the_program_that_is_installed_if_it_is_of_this_version() {
    use std::os::unix::fs::PermissionsExt as _;
    let session = records();
    let hook = |path: &str| {
        let mut hook = Command::new("/bin/sh");
        hook.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/hook")).args(["verify", "games/legal.pbem"]);
        let path = format!("{}:/usr/bin:/bin", session.path(path).display());
        hook.current_dir(session.folder.path()).env("PATH", path).env("HOME", session.path("home"));
        hook.env("POSTRIDER_BUILD", session.path("build")).output().unwrap()
    };
    fs::create_dir_all(session.path("installed")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_postrider"), session.path("installed/postrider")).unwrap();
    let done = hook("installed");
    assert!(done.status.success() && String::from_utf8_lossy(&done.stdout).contains("legal"), "{done:?}");
    session.write("older/postrider", "#!/bin/sh\necho postrider 0.0.9\n");
    let built = |version: &str| {
        format!("#!/bin/sh\n[ \"$1\" != --version ] || {{ echo postrider {version}; exit; }}\necho built: \"$@\"\n")
    };
    session.write("build/quick/postrider", built(env!("CARGO_PKG_VERSION")));
    for script in ["older/postrider", "build/quick/postrider"] {
        fs::set_permissions(session.path(script), fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(String::from_utf8_lossy(&hook("older").stdout), "built: verify games/legal.pbem\n");
    // What was built of another version is built anew, for which there is no cargo here. Where that lies in a folder of the system itself, it
    // would build.
    if !["/usr/bin/cargo", "/bin/cargo"].iter().any(|cargo| Path::new(cargo).exists()) {
        let cannot = || {
            let done = hook("older");
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.code() == Some(2) && said.contains("nor cargo"), "{said}");
        };
        fs::write(session.path("build/quick/postrider"), built("0.0.9")).unwrap();
        cannot();
        fs::remove_file(session.path("build/quick/postrider")).unwrap();
        cannot();
    }
}
