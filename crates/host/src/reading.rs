//! Texts are tried as entries with the keys that the host has for the side that is due.

use postrider_home::keys::Keys;
use postrider_home::office::{Office, Trouble};
use postrider_home::own_game::OwnGame;
use postrider_kernel::Viewer;
use postrider_mail::understand::{Judge, Piece, Place, Trial, pieces, places, trial};
use postrider_referee::desk::{Desk, EntryRequest, Refusal};
use postrider_referee::record::Time;

/// Tries texts at a desk; nothing is sealed, signed or noted by it.
pub(super) struct Trying<'t, 'a> {
    desk: &'t Desk<'a>,
    keys: Keys<'t>,
    time: Time,
    /// What is missing, or could not be read, with which the texts were to be tried: it says nothing of them.
    trouble: Option<Trouble>,
}

impl<'t, 'a> Trying<'t, 'a> {
    pub(super) fn new(office: &'t Office<'t>, desk: &'t Desk<'a>, name: &str, time: Time) -> Result<Self, Trouble> {
        Ok(Self {
            desk,
            keys: Keys::to_move(&OwnGame::new(office, &desk.opened.header.id), &desk.opened, name, true, false)?,
            time,
            trouble: None,
        })
    }

    /// Ends the trying: says what was missing or could not be read, and whether the disk was to blame.
    pub(super) fn ended(self) -> Option<(Trouble, bool)> {
        self.trouble.map(|trouble| (trouble, self.keys.passing))
    }
}

impl Judge for Trying<'_, '_> {
    fn judge(&mut self, text: &str) -> Trial {
        // A trial seals differently each time.
        let sealed = self.desk.opened.table.seals().is_some();
        let request = EntryRequest { actions: text, message: None, time: self.time, time_asked: false };
        let entered = self.desk.actions(&request, &mut self.keys);
        let entered = entered.map_err(|refusal| match refusal {
            Refusal::Lost(why) => {
                self.trouble = Some(why.clone().into());
                Refusal::Lost(why)
            }
            Refusal::NotSigned(why) => {
                self.trouble = Some(Trouble::of(why.why.clone()));
                Refusal::NotSigned(why)
            }
            refusal => refusal,
        });
        trial(entered.map(|actions| if sealed { text.to_owned() } else { actions }))
    }

    fn places(&self) -> Vec<Place> {
        places(&self.desk.opened.table.view(Viewer::Public).board)
    }

    fn pieces(&self) -> Vec<Piece> {
        pieces(self.desk.opened.table.view(Viewer::Public))
    }

    fn is_stepwise(&self) -> bool {
        self.desk.opened.header.info.stepwise
    }

    fn next(&mut self, begun: &str) -> Vec<String> {
        let table = &self.desk.opened.table;
        let next = table.read(begun).and_then(|typed| typed.next());
        next.map(|next| next.actions).unwrap_or_default()
    }
}
