//! A host is set up once; what it has lost afterwards is named, and not made anew.

use data_encoding::HEXLOWER;

use super::ready::{Marks, check, file, looked_for};
use super::{Host, failed};
use postrider_disk::disk::FileError;
use postrider_home::office::{Office, Trouble};
use postrider_settings::HostSettings;

impl Host<'_> {
    /// Says what the host has lost without which it reads and sends nothing; letters are only taken into its keeping then.
    #[must_use]
    pub fn lacks(&self) -> Option<&str> {
        self.lacks.as_deref()
    }

    /// Refuses what cannot be done without the key and the secret.
    ///
    /// # Errors
    /// If one of them is missing or cannot be used.
    pub(super) fn ready(&self) -> Result<(), Trouble> {
        match &self.lacks {
            None => Ok(()),
            Some(why) => Err(Trouble::of(why.clone()).advise(
                "letters are kept, none is read or sent, and no time is claimed until it is brought back from a backup (postrider restore)",
            )),
        }
    }

    /// Makes the secret and the key of a host that is new, or finds those that it has, and returns what is to be noted of them. `anew`:
    /// even if the home has had others.
    ///
    /// # Errors
    /// If one of them is missing in a home that has had it, or cannot be used or made.
    pub fn set_up(office: &Office<'_>, anew: bool) -> Result<Marks, Trouble> {
        let settings = office.settings()?.host.clone().unwrap_or_default();
        let (root, disk) = (office.folders().host(), office.disk());
        disk.private_folder(&root).map_err(|error| failed(&root, error))?;
        let path = file(office);
        // What was there once is known by the settings, or by what the host has noted of people.
        let there = |name: &str| disk.has(&root.join(name)).map_err(|error| failed(&root, error));
        let is_used = settings.key.is_some() || settings.secret.is_some() || there("people")? || there("games")?;
        if let Err(why) = looked_for(office, &settings)?
            && is_used
            && !anew
        {
            return Err(Trouble::of(why).advise(
                "bring it back from a backup (postrider restore); `postrider host setup --anew` makes a new one: then all reply addresses \
                 that were sent, or all running games, are void",
            ));
        }
        if !disk.has(&path).map_err(|error| failed(&path, error))? {
            let made = office.random::<32>().map_err(Trouble::of)?;
            match disk.create_private(&path, format!("{}\n", HEXLOWER.encode(&made)).as_bytes()) {
                // Another run may have been faster.
                Ok(()) | Err(FileError::Exists { .. }) => {}
                Err(error) => return Err(Trouble::File(error)),
            }
        }
        let keyring = office.keyring();
        if keyring.own()?.is_none() {
            // It signs for everybody who has no key.
            let random = |bytes: &mut [u8]| office.fill(bytes);
            keyring.make(None, &random)?;
        }
        let own = keyring.own()?.ok_or_else(|| Trouble::of("the host has no key"))?;
        let unmarked = HostSettings { key: None, secret: None, ..settings };
        let key = looked_for(office, &unmarked)?.map_err(Trouble::of)?;
        Ok(Marks { key: own.public().fingerprint(), secret: check(&key) })
    }
}
