//! The shells: the script for each, what it passes on, and how it reads the answer.

use std::ffi::OsStr;
use std::path::Path;

use super::Candidate;

/// Finds the possible values for the last of some words.
type Candidates<'a> = &'a dyn Fn(&[String]) -> Vec<Candidate>;
use crate::cli::hints::quoted;
use postrider_kernel::text::shell as words;
use postrider_kernel::text::shell::{Quote, Word};

/// A shell that completes by asking the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Shell {
    Bash,
    Zsh,
    Fish,
}

const BASH: &str = r#"_postrider() {
    # The point in the line counts bytes.
    local word LC_ALL=C
    COMPREPLY=()
    while IFS= read -r word; do
        [[ -n $word ]] && COMPREPLY+=("$word")
    done <<<"$(COMPLETE=bash PROGRAM -- "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)"
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/=] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _postrider postrider 2>/dev/null || complete -F _postrider postrider
"#;

const ZSH: &str = r#"#compdef postrider
_postrider() {
    local line value shown
    local -a ended ended_shown open open_shown
    for line in "${(@f)$(COMPLETE=zsh PROGRAM -- "${(@)words[1,CURRENT-1]}" "$QIPREFIX$PREFIX" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        value=${line%%$'\t'*}
        shown=$value
        [[ $line == *$'\t'* ]] && shown="$value  -- ${line#*$'\t'}"
        if [[ $value == *[/=] ]]; then
            open+=("$value")
            open_shown+=("$shown")
        else
            ended+=("$value")
            ended_shown+=("$shown")
        fi
    done
    local found=1
    (( $#ended )) && compadd -V postrider -d ended_shown -a ended && found=0
    (( $#open )) && compadd -S '' -V postrider -d open_shown -a open && found=0
    return found
}
if [[ ${funcstack[1]} == _postrider ]]; then
    _postrider "$@"
else
    compdef _postrider postrider
fi
"#;

const FISH: &str = "complete --keep-order --exclusive --command postrider --arguments '(COMPLETE=fish PROGRAM -- \
                    (commandline --current-process --tokenize --cut-at-cursor) \
                    (commandline --current-token --cut-at-cursor) 2>/dev/null)'\n";

impl Shell {
    /// Returns the shell with this name, or at this path, as in `$SHELL`.
    pub(super) fn named(name: &OsStr) -> Option<Self> {
        match Path::new(name).file_name()?.to_str()? {
            "bash" => Some(Self::Bash),
            "zsh" => Some(Self::Zsh),
            "fish" => Some(Self::Fish),
            _ => None,
        }
    }

    /// Returns the script with which the shell asks this program.
    pub(super) fn script(self, program: &str) -> String {
        let program = words::escaped(program, Quote::None);
        match self {
            Self::Bash => BASH.replace("PROGRAM", &program),
            Self::Zsh => ZSH.replace("PROGRAM", &program),
            // Here the command is inside single quotes.
            Self::Fish => FISH.replace("PROGRAM", &program.replace('\\', "\\\\").replace('\'', "\\'")),
        }
    }

    /// Returns the answer to what the shell passed on.
    pub(super) fn answer(self, asked: &[String], candidates: Candidates<'_>) -> String {
        match self {
            Self::Bash => bash(asked, candidates),
            Self::Zsh => with_help(&asked.iter().map(|word| words::unquoted(word)).collect::<Vec<_>>(), candidates),
            Self::Fish => {
                // Only the word under the cursor still has its quotes.
                let mut words = asked.to_vec();
                if let Some(last) = words.last_mut() {
                    *last = words::unquoted(last);
                }
                with_help(&words, candidates)
            }
        }
    }
}

/// One candidate per line, followed by a tab and its description; the shell adds the quotes it needs.
fn with_help(words: &[String], candidates: Candidates<'_>) -> String {
    let line = |one: Candidate| match one.help {
        Some(help) => format!("{}\t{help}\n", one.value),
        None => format!("{}\n", one.value),
    };
    candidates(words).into_iter().map(line).collect()
}

/// bash passes the line up to the cursor, and the part of the last word that it replaces, which begins after a `=`, a
/// `:` or an open quote. It inserts a candidate unchanged.
fn bash(asked: &[String], candidates: Candidates<'_>) -> String {
    let [line, replaced] = asked else { return String::new() };
    let mut words = words::split(line);
    // The command may be preceded by a variable set for it alone.
    let is_variable = |word: &Word| word.text.split_once('=').is_some_and(|(name, _)| !name.contains(['/', '-', ' ']));
    while words.len() > 1 && words.first().is_some_and(is_variable) {
        words.remove(0);
    }
    let Some(last) = words.last().cloned() else { return String::new() };
    let raw = line.get(last.start..).unwrap_or_default();
    let kept = raw.strip_suffix(replaced.as_str()).unwrap_or_default();
    let open = words::split(kept).pop().unwrap_or_default();
    let texts: Vec<String> = words.into_iter().map(|word| word.text).collect();
    let values = candidates(&texts).into_iter().filter_map(|one| one.value.strip_prefix(&open.text).map(str::to_owned));
    let values: Vec<String> = values.collect();
    let written: Vec<String> = values.iter().map(|value| words::escaped(value, open.quote)).collect();
    // The common prefix of the candidates is inserted, so either all have quotes or none.
    let some_quoted = written.iter().any(|value| value.starts_with('\''));
    let all = written.into_iter().zip(values).map(|(written, value)| match open.quote {
        Quote::None if some_quoted && !written.starts_with('\'') => quoted(&value) + "\n",
        _ => written + "\n",
    });
    all.collect()
}
