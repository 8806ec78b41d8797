//! What the user types to keep others from a file.

use std::path::Path;

use postrider_kernel::text::shell_word;

/// The fix for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Others may do nothing with it any more.
    Close,
    /// Others may no longer write to it.
    KeepFromWriting,
    /// It is not everybody's to write to any more.
    KeepAllFromWriting,
    /// It becomes the user's.
    TakeOver,
}

/// Returns the command for this.
pub fn remedy(remedy: Remedy, path: &Path) -> String {
    if cfg!(windows) { on_windows(remedy, path) } else { on_unix(remedy, path) }
}

fn on_unix(remedy: Remedy, path: &Path) -> String {
    let word = shell_word(&path.to_string_lossy());
    match remedy {
        Remedy::Close => format!("chmod go= {word}"),
        Remedy::KeepFromWriting => format!("chmod go-w {word}"),
        Remedy::KeepAllFromWriting => format!("chmod o-w {word}"),
        Remedy::TakeOver => format!("sudo chown -R \"$(id -u)\" {word}"),
    }
}

/// In either shell of Windows. No path holds quotation marks there.
fn on_windows(remedy: Remedy, path: &Path) -> String {
    let path = path.display();
    match remedy {
        Remedy::TakeOver => format!("takeown /f \"{path}\""),
        // What the folder hands down goes, and what was given to everybody, to all who log in, and to all users; the owner keeps everything.
        Remedy::Close | Remedy::KeepFromWriting | Remedy::KeepAllFromWriting => {
            format!("icacls \"{path}\" /inheritance:r /grant:r *S-1-3-4:F /remove:g *S-1-1-0 *S-1-5-11 *S-1-5-32-545")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_typed_names_the_file_as_one_word() {
        let path = Path::new("/home/ada/my keys/own.pem");
        assert_eq!(on_unix(Remedy::Close, path), "chmod go= '/home/ada/my keys/own.pem'");
        assert_eq!(on_unix(Remedy::KeepFromWriting, path), "chmod go-w '/home/ada/my keys/own.pem'");
        assert_eq!(on_unix(Remedy::KeepAllFromWriting, path), "chmod o-w '/home/ada/my keys/own.pem'");
        assert_eq!(on_unix(Remedy::TakeOver, path), "sudo chown -R \"$(id -u)\" '/home/ada/my keys/own.pem'");
        let path = Path::new(r"C:\Users\Ada Quill\own.pem");
        assert!(on_windows(Remedy::Close, path).starts_with(r#"icacls "C:\Users\Ada Quill\own.pem" /inheritance:r "#));
        assert_eq!(on_windows(Remedy::TakeOver, path), r#"takeown /f "C:\Users\Ada Quill\own.pem""#);
    }
}
