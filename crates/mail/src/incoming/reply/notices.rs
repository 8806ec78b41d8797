//! What companies put above and below the letters of their people: warnings of strangers, what is confidential, and the like. It is known by
//! the things of which it speaks, because each company words it anew.

use std::collections::HashSet;

use super::marks::{is_decoration, is_quoted, is_rule};
use crate::understand::has_notation;

/// How a line begins that a mail program puts above a letter.
const BEGINNINGS: &[&str] = &[
    "you don't often get e",
    "some people who received this message don't often get email",
    "sie erhalten nicht oft",
    "sie erhalten nicht häufig",
    "vous n'obtenez pas souvent",
    "vous ne recevez pas souvent",
    "no suele recibir correo",
    "no recibe con frecuencia",
    "non si ricevono spesso",
    "non ricevi spesso",
    "não costuma receber",
    "você não costuma receber",
    "u ontvangt niet vaak",
    "je ontvangt niet vaak",
    "du får inte ofta",
    "du får ikke ofte",
    "et saa usein",
    "nie często otrzymujesz",
    "nedostáváte často",
    "nechodí vám často",
    "вы нечасто получаете",
    "ви нечасто отримуєте",
    "şu kişiden sık e-posta",
    "nem gyakran kap",
    "please consider the environment",
    "think before you print",
    "bitte denken sie an die umwelt",
    "bitte prüfen sie, ob diese mail",
    "pensez à l'environnement",
    "afin de contribuer au respect de l'environnement",
    "virus-free",
    "virenfrei",
    "sans virus",
    "libre de virus",
    "no virus found in",
    "this email has been checked for viruses",
    "this email has been scanned",
    "diese e-mail wurde von avast",
    "this message was sent from outside",
    "this email was sent from outside",
    "this email originated from outside",
    "this message originated from outside",
    "this sender is from outside",
    "diese e-mail kommt von außerhalb",
    "diese nachricht kommt von außerhalb",
    "cet e-mail provient de l'extérieur",
    "to unsubscribe from this",
    "you received this message because",
    "you are receiving this",
    "yahoo mail: search",
];
/// What only such lines hold.
const HOLDS: &[&str] = &[
    "aka.ms/learnaboutsenderidentification",
    "からのメールを受け取る頻度は",
    "通常不会收到来自",
    "不常收到來自",
    "자주 받지 않습니다",
    "avast.com",
];
/// The words with which a warning begins.
const LABELS: &[&str] = &[
    "caution",
    "warning",
    "external",
    "ext",
    "externer",
    "externe",
    "extern",
    "externo",
    "esterno",
    "ekstern",
    "attention",
    "notice",
    "important",
    "disclaimer",
    "confidential",
    "confidentiality",
    "achtung",
    "vorsicht",
    "hinweis",
    "warnung",
    "avertissement",
    "prudence",
    "precaución",
    "atención",
    "aviso",
    "advertencia",
    "attenzione",
    "avviso",
    "atenção",
    "cuidado",
    "waarschuwing",
    "opgelet",
    "let op",
    "varning",
    "advarsel",
    "obs",
    "varoitus",
    "huomio",
    "uwaga",
    "ostrzeżenie",
    "upozornění",
    "varování",
    "upozornenie",
    "figyelem",
    "figyelmeztetés",
    "atenție",
    "внимание",
    "осторожно",
    "увага",
    "dikkat",
    "uyarı",
    "προσοχή",
    "注意",
    "警告",
    "外部",
    "社外",
    "提醒",
    "주의",
    "경고",
    "zewnętrzn",
    "külső",
    "vnější",
    "внешн",
    "vertraulich",
    "vertraulichkeitshinweis",
    "[external",
    "[extern",
    "[ext",
];
/// Of what a warning, or a note on what is confidential, speaks: the beginnings of words.
const STRONG: &[&str] = &[
    // English
    "caution",
    "warning",
    "outside",
    "external",
    "organi",
    "sender",
    "click",
    "attachment",
    "recogni",
    "suspicious",
    "phish",
    "confiden",
    "privileg",
    "recipient",
    "addressee",
    "intended",
    "unauthori",
    "disclos",
    "distribut",
    "prohibit",
    "disseminat",
    "delete",
    "destroy",
    "notify",
    "private",
    "virus",
    "liab",
    "environment",
    "print",
    "legally",
    "originat",
    "secur",
    "password",
    "malicious",
    "malware",
    "stranger",
    "disregard",
    "contents",
    "copying",
    "entity",
    "proprietary",
    // German
    "vertraulich",
    "empfänger",
    "absender",
    "adressat",
    "lösch",
    "vernicht",
    "irrtüm",
    "unbefugt",
    "weitergabe",
    "anhäng",
    "anlage",
    "extern",
    "vorsicht",
    "achtung",
    "unternehmen",
    "klick",
    "umwelt",
    "rechtlich",
    "geschützt",
    // French, Spanish, Portuguese, Italian
    "destinatair",
    "expéditeur",
    "supprim",
    "détru",
    "pièces",
    "externe",
    "cliqu",
    "prudence",
    "entreprise",
    "destinat",
    "remitente",
    "elimin",
    "borr",
    "adjunt",
    "enlac",
    "externo",
    "precauc",
    "haga",
    "remetente",
    "apag",
    "anexo",
    "esterno",
    "mittente",
    "cancell",
    "distrugg",
    "allegat",
    "riservat",
    "attenzione",
    "clicc",
    "sigil",
    "cuidado",
    // Dutch, Scandinavian languages, Finnish
    "vertrouwelijk",
    "geadresseerde",
    "ontvanger",
    "afzender",
    "verwijder",
    "vernietig",
    "bijlage",
    "waarschuw",
    "fortrolig",
    "konfidenti",
    "mottag",
    "modtag",
    "mottak",
    "avsänd",
    "afsend",
    "avsend",
    "radera",
    "slett",
    "slet",
    "bilag",
    "vedhæft",
    "vedlegg",
    "varning",
    "advarsel",
    "ekstern",
    "klikk",
    "luottamuks",
    "vastaanott",
    "lähettäj",
    "poist",
    "liitte",
    "ulkopuol",
    "varoitus",
    // Polish, Czech, Slovak, Hungarian, Romanian, Turkish
    "poufn",
    "adresat",
    "odbiorc",
    "nadawc",
    "usun",
    "usuń",
    "załącz",
    "zewnętrzn",
    "ostrzeż",
    "uwaga",
    "důvěrn",
    "příjemc",
    "adresát",
    "odesíl",
    "smaž",
    "vymaž",
    "přílo",
    "externí",
    "upozorn",
    "dôvern",
    "príjemc",
    "odosiel",
    "vymaz",
    "príloh",
    "bizalm",
    "címzett",
    "feladó",
    "töröl",
    "melléklet",
    "külső",
    "figyel",
    "confidenț",
    "expeditor",
    "șterge",
    "atașament",
    "gizli",
    "alıcı",
    "gönderen",
    "siliniz",
    "dikkat",
    "uyarı",
    // Russian, Ukrainian, Greek
    "конфиден",
    "получател",
    "отправител",
    "адресат",
    "удалит",
    "уничтож",
    "вложен",
    "внешн",
    "внимание",
    "ссылк",
    "конфіден",
    "одержувач",
    "відправник",
    "видал",
    "εμπιστευτικ",
    "παραλήπτη",
    "αποστολέα",
    "διαγρά",
    // Languages without spaces between words
    "機密",
    "宛先",
    "受信者",
    "送信者",
    "削除",
    "添付",
    "社外",
    "外部",
    "注意",
    "機密",
    "机密",
    "保密",
    "收件人",
    "发件人",
    "删除",
    "附件",
    "警告",
    "寄件者",
    "刪除",
    "链接",
    "連結",
    "기밀",
    "수신",
    "발신",
    "삭제",
    "첨부",
    "외부",
    "주의",
];
/// Of what they speak too, as people do.
const WEAK: &[&str] = &[
    "email",
    "e-mail",
    "mail",
    "message",
    "letter",
    "open",
    "know",
    "link",
    "file",
    "error",
    "content",
    "information",
    "tell",
    "nachricht",
    "inform",
    "fehler",
    "öffne",
    "öffnen",
    "kenn",
    "courriel",
    "erreur",
    "ouvr",
    "mensaje",
    "correo",
    "abr",
    "mensagem",
    "messaggio",
    "apr",
    "bericht",
    "open",
    "meddeland",
    "meddelelse",
    "åpn",
    "öppn",
    "viesti",
    "wiadomo",
    "zpráv",
    "správ",
    "üzenet",
    "mesaj",
    "сообщен",
    "письм",
    "откр",
    "if",
    "not",
    "wenn",
    "nicht",
    "alone",
    "only",
    "somebody",
    "please",
    "bitte",
    "safe",
];
/// Words of one who speaks of himself, as no company does.
const SELF: &[&str] = &[
    "i'm", "i'll", "i've", "i'd", "my", "ich", "mein", "meine", "mir", "mich", "j'ai", "yo", "ik", "jag", "jeg", "я",
    "мой", "ben",
];
/// The most lines of a notice.
const MOST: usize = 40;

/// How many of the next lines are a notice that no person wrote; 0 if none is there.
pub(super) fn length(lines: &[String]) -> usize {
    // Lines above and below it, as of a frame.
    let frame = lines.iter().take(2).take_while(|line| is_rule(line) || is_decoration(line)).count();
    let rest = lines.get(frame..).unwrap_or_default();
    let mut seen = Seen::default();
    for line in rest.iter().take(MOST) {
        // The words of the writer may begin right below.
        if line.is_empty() || is_quoted(line) || is_rule(line) || has_notation(line) || !seen.add(line) {
            break;
        }
    }
    if !seen.is_notice() {
        return 0;
    }
    let below = rest.get(seen.lines).is_some_and(|line| frame > 0 && (is_rule(line) || is_decoration(line)));
    frame + seen.lines + usize::from(below)
}

/// Whether somebody says "I" in a line: the small letter is another word in other languages.
fn has_i(line: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric()).any(|word| word == "I")
}

/// What was seen of a paragraph.
#[derive(Default)]
struct Seen {
    lines: usize,
    words: usize,
    strong: HashSet<&'static str>,
    weak: HashSet<&'static str>,
    is_labelled: bool,
    is_known: bool,
}

impl Seen {
    /// Adds a line, unless somebody speaks of himself in it.
    fn add(&mut self, line: &str) -> bool {
        let text = line.to_lowercase().replace('\u{2019}', "'");
        let text = text.trim_matches(|c: char| c.is_whitespace() || "*_-=#~|!<>\"\u{26a0}\u{fe0f}".contains(c));
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '-');
        let words: Vec<&str> = text.split(|c: char| !is_letter(c)).filter(|word| !word.is_empty()).collect();
        if self.lines == 0 {
            self.is_known = BEGINNINGS.iter().any(|start| text.starts_with(start));
            self.is_labelled = LABELS.iter().any(|label| {
                let behind = text.strip_prefix(label);
                behind.is_some_and(|rest| !label.is_ascii() || !rest.starts_with(|c: char| c.is_alphanumeric()))
            });
        }
        self.is_known |= HOLDS.iter().any(|part| text.contains(part));
        if !self.is_known && (words.iter().any(|word| SELF.contains(word)) || has_i(line)) {
            return false;
        }
        let has = |stem: &&&'static str| {
            let is_spaced = stem.chars().all(|c| u32::from(c) < 0x2e80);
            if is_spaced {
                words.iter().any(|word| word.split('\'').any(|part| part.starts_with(**stem)))
            } else {
                text.contains(**stem)
            }
        };
        self.strong.extend(STRONG.iter().filter(has));
        self.weak.extend(WEAK.iter().filter(has));
        self.words += words.len();
        self.lines += 1;
        true
    }

    fn is_notice(&self) -> bool {
        let (strong, weak) = (self.strong.len(), self.weak.len());
        let speaks_of_it = match self.is_labelled {
            // "EXTERNAL", "[EXT]", "CAUTION: external e-mail"
            true => {
                self.words <= 4 && strong + weak + 1 >= self.words
                    || strong >= 2 && strong + weak >= 3
                    || strong >= 1 && weak >= 3
            }
            false => strong >= 3,
        };
        self.lines > 0 && (self.is_known || speaks_of_it)
    }
}
