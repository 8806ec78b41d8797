use super::*;
use crate::words::Meaning;

/// The lines that programs write above a quotation, each as it is before it is broken.
const ATTRIBUTIONS: &str = include_str!("../../../../../tests/data/replies/attributions.txt");

fn lines(form: Form, text: &str) -> Vec<String> {
    own_lines(&Text { text: text.to_owned(), form }).into_iter().filter(|line| !line.is_empty()).collect()
}

/// Says what is wrong with each text of which something else is the writer's own.
fn wrong<'t>(cases: impl IntoIterator<Item = (String, &'t [&'t str])>) {
    let found = |(text, expected): (String, &[&str])| {
        let found = own(&text);
        (found != expected).then(|| format!("{text:?}: {found:?}, not {expected:?}"))
    };
    let wrong: Vec<String> = cases.into_iter().filter_map(found).collect();
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

fn own(text: &str) -> Vec<String> {
    lines(Form::Fixed, text)
}

/// A line as programs break it: as it is, at a width, before its last bracket, or after each word.
fn broken(line: &str) -> Vec<String> {
    let mut list = vec![line.to_owned(), line.trim_end_matches([':', '：']).to_owned() + "\n:"];
    for width in [60, 30] {
        let mut text = String::new();
        let mut used = 0;
        for word in line.split(' ') {
            let length = word.chars().count();
            if used > 0 {
                let breaks = used + 1 + length > width;
                text.push(if breaks { '\n' } else { ' ' });
                used = if breaks { 0 } else { used + 1 };
            }
            text.push_str(word);
            used += length;
        }
        if text.lines().count() <= 6 {
            list.push(text);
        }
    }
    list.extend(
        ["<", ">:", "> "]
            .iter()
            .filter(|mark| line.contains(**mark) && !line.starts_with('>'))
            .map(|mark| line.replacen(mark, &if *mark == "<" { "<\n".to_owned() } else { format!("\n{mark}") }, 1)),
    );
    list.dedup();
    list
}

#[test]
fn no_line_above_a_quotation_is_the_writers_own_wherever_it_is_broken_and_wherever_the_reply_stands() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in ATTRIBUTIONS.lines() {
        for (nth, above) in broken(line).into_iter().enumerate() {
            let without_colon = above.trim_end_matches([':', '：', ' ']).to_owned();
            let has_date = above.contains("2026") && above.contains('@');
            let forms = if has_date { vec![above.clone(), without_colon] } else { vec![above.clone()] };
            for above in forms {
                let texts = [
                    (format!("c4-c5\n{above}\n> d4-d5\n"), &["c4-c5"][..]),
                    (format!("OK!\n\n{above}\nd4-d5\n"), &["OK!"]),
                    (format!("{above}\n> d4-d5\n\nc4-c5\n"), &["c4-c5"]),
                    (format!("c4-c5\n\n{above}\n\n> d4-d5\n> x\n"), &["c4-c5"]),
                    (format!("Hello!\n\n{above}\n\n> d4-d5\n\nc4-c5\n\n> e4-e5\n"), &["Hello!", "c4-c5"]),
                    (format!("c4-c5\n\n{above}\n\nd4-d5\n"), &["c4-c5"]),
                ];
                for (text, expected) in texts.into_iter().take(if nth == 0 { 6 } else { 3 }) {
                    count += 1;
                    let found = own(&text);
                    if found != expected {
                        wrong.push(format!("{text:?}: {found:?}"));
                    }
                }
            }
        }
    }
    assert!(count > 5_000, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn below_the_line_that_names_an_old_letter_nothing_is_the_writers_own() {
    let separators = Meaning::OldLetter.words().iter().flat_map(|phrase| {
        let upper = phrase.chars().next().map_or_else(String::new, |first| first.to_uppercase().to_string());
        let phrase = upper + &phrase.chars().skip(1).collect::<String>();
        [
            format!("-----{phrase}-----"),
            format!("----- {phrase} -----"),
            format!("-- {phrase} --"),
            format!("-------- {} --------", phrase.to_uppercase()),
            format!("*-------- {phrase} --------*"),
            format!("*----- {phrase} -----*"),
            format!("** {phrase} **"),
            format!("=== {phrase} ==="),
            format!("________ {phrase} ________"),
            format!("------------------ {phrase} ------------------"),
            format!("\u{2014}\u{2014} {phrase} \u{2014}\u{2014}"),
            format!("{phrase}:"),
            format!("*{phrase}:*"),
            phrase.clone(),
        ]
    });
    wrong(separators.flat_map(|line| {
        [
            (format!("OK!\n\n{line}\nd4-d5\n"), &["OK!"][..]),
            (format!("c4-c5\n{line}\n\nFrom: Bram Post\n\nd4-d5\n"), &["c4-c5"]),
            (format!("{line}\n\nd4-d5\n"), &[]),
            (format!("{line}\nFrom: Bram Post\nSubject: x\n\n> d4-d5\n\nc4-c5\n"), &["c4-c5"]),
        ]
    }));
}

#[test]
fn below_the_header_of_an_old_letter_nothing_is_the_writers_own() {
    let headers = [
        "From: Bram Post\nSent: Saturday, 21 November 2026\nTo: Ada",
        "From: Bram Post <bram@example.net>",
        "*From:* Bram Post <bram@example.net>\n*Sent:* Saturday",
        "**From:** Bram Post\n**Sent:** Saturday",
        "*De :* Bram <bram@example.net>\n*Envoyé :* samedi\n*À :* Ada",
        "De : Bram Post [mailto:bram@example.net]\nEnvoyé : samedi 21 novembre 2026 11:15\nÀ : Ada\nObjet : x",
        "Von: Bram Post\nGesendet: Samstag, 21. November 2026 11:15\nAn: Ada\nBetreff: x",
        "Gesendet: Samstag, 21. November 2026 um 11:15 Uhr\nVon: \"Bram Post\" <bram@example.net>\nAn: Ada\nBetreff: x",
        "Fra: Bram Post\nSendt: 21. november 2026 11:15\nTil: Ada\nEmne: x",
        "Från: Bram Post\nSkickat: den 21 november 2026 11:15\nTill: Ada\nÄmne: x",
        "Lähettäjä: Bram Post\nLähetetty: lauantai 21. marraskuuta 2026\nVastaanottaja: Ada\nAihe: x",
        "Van: Bram Post\nVerzonden: zaterdag 21 november 2026\nAan: Ada\nOnderwerp: x",
        "Da: Bram Post\nInviato: sabato 21 novembre 2026\nA: Ada\nOggetto: x",
        "Od: Bram Post\nWysłano: sobota, 21 listopada 2026\nDo: Ada\nTemat: x",
        "Od: Bram Post\nOdesláno: sobota 21. listopadu 2026\nKomu: Ada\nPředmět: x",
        "Feladó: Bram Post\nElküldve: 2026. november 21.\nCímzett: Ada\nTárgy: x",
        "От: Bram Post\nОтправлено: 21 ноября 2026 г.\nКому: Ada\nТема: x",
        "Від: Bram Post\nНадіслано: 21 листопада 2026\nКому: Ada\nТема: x",
        "Από: Bram Post\nΣτάλθηκε: Σάββατο\nΠρος: Ada\nΘέμα: x",
        "Kimden: Bram Post\nGönderildi: 21 Kasım 2026\nKime: Ada\nKonu: x",
        "מאת: Bram Post\nנשלח: שבת\nאל: Ada\nנושא: x",
        "من: Bram Post\nتم الإرسال: السبت\nإلى: Ada\nالموضوع: x",
        "差出人: Bram Post\n送信日時: 2026年11月21日 11:15\n宛先: Ada\n件名: x",
        "差出人：Bram Post\n送信日時：2026年11月21日",
        "发件人：Bram Post <bram@example.net>\n日期：2026年11月21日 11:15\n收件人：Ada\n主题：x",
        "发件人: \"Bram Post\" <bram@example.net>;\n发送时间: 2026年11月21日(星期六) 11:15",
        "寄件者: Bram Post\n日期: 2026年11月21日\n收件者: Ada\n主旨: x",
        "보낸 사람: Bram Post\n보낸 날짜: 2026년 11월 21일\n받는 사람: Ada\n제목: x",
        "Subject: Re: x\nDate: Sat, 21 Nov 2026 11:15:43 +0100\nTo: Ada",
        "Date: Sat, 21 Nov 2026 11:15:43 +0100\nTo: ada@example.org",
        "To: ada@example.org\nSubject: x",
        "Betreff: x\nDatum: 21.11.2026",
        "Expéditeur: Bram Post",
        "Remitente: Bram Post",
        "Mittente: Bram Post",
        "Nadawca: Bram Post",
    ];
    wrong(headers.into_iter().flat_map(|header| {
        [
            (format!("OK!\n\n{header}\n\nd4-d5\n"), &["OK!"][..]),
            (format!("c4-c5\n{header}\n\nd4-d5\n"), &["c4-c5"]),
            (format!("{header}\n\n> d4-d5\n\nc4-c5\n"), &["c4-c5"]),
        ]
    }));
    for own_words in ["My move: c4-c5", "From: c4-c5", "To: c5, from: c4", "Note: I shall be away on 21 Nov 2026."] {
        assert_eq!(own(own_words), [own_words]);
    }
}

#[test]
fn what_phones_and_programs_sign_with_is_not_the_writers_own() {
    let signs = [
        "Sent from my iPhone",
        "Sent from my iPad.",
        "Sent from my Samsung Galaxy smartphone.",
        "Sent from Mail for Windows 10",
        "Sent from Outlook for Android",
        "Get Outlook for iOS",
        "Get Outlook for iOS<https://aka.ms/o0ukef>",
        "Sent from Yahoo Mail on Android",
        "Sent from Yahoo Mail for iPhone",
        "Sent with Proton Mail secure email.",
        "Sent from Proton Mail for iOS",
        "Sent via BlackBerry from T-Mobile",
        "Sent from my Android device with K-9 Mail. Please excuse my brevity.",
        "Sent from my mobile device",
        "*Sent from my iPhone*",
        "Von meinem iPhone gesendet",
        "Von meinem iPad gesendet",
        "Gesendet von meinem iPhone",
        "Gesendet von Mail für Windows 10",
        "Gesendet von Outlook für Android",
        "Von Yahoo Mail auf Android gesendet",
        "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
        "Von meinem Samsung Galaxy Smartphone gesendet.",
        "Outlook für iOS beziehen",
        "Holen Sie sich Outlook für Android",
        "Envoyé de mon iPhone",
        "Envoyé depuis mon iPad",
        "Envoyé de mon téléphone Samsung",
        "Envoyé à partir d'Outlook pour Android",
        "Télécharger Outlook pour iOS",
        "Enviado desde mi iPhone",
        "Enviado desde Correo para Windows 10 de Outlook",
        "Enviado desde mi móvil",
        "Obtener Outlook para Android",
        "Enviado do meu iPhone",
        "Enviado do meu telemóvel",
        "Obter o Outlook para iOS",
        "Inviato da iPhone",
        "Inviato dal mio iPad",
        "Scarica Outlook per Android",
        "Verzonden vanaf mijn iPhone",
        "Verstuurd vanaf mijn iPad",
        "Skickat från min iPhone",
        "Sendt fra min iPhone",
        "Sendt fra min iPad",
        "Lähetetty iPhonesta",
        "Lähetetty puhelimesta",
        "Odesláno z iPhonu",
        "Odesláno z mobilu",
        "Odoslané z iPhonu",
        "Wysłane z iPhone'a",
        "Wysłano z iPhone'a",
        "Wysłane z telefonu",
        "Отправлено с iPhone",
        "Отправлено из мобильной Почты Mail.ru",
        "Отправлено из мобильной Яндекс.Почты",
        "Надіслано з iPhone",
        "iPhone'umdan gönderildi",
        "iPhone\u{2019}umdan gönderildi",
        "Samsung telefonumdan gönderildi",
        "Στάλθηκε από το iPhone μου",
        "Trimis de pe iPhone-ul meu",
        "iPhone-ról küldve",
        "Elküldve az iPhone-omról",
        "Küldve az iPhone-omról",
        "Poslano s mog iPhonea",
        "Изпратено от моя iPhone",
        "Saadetud minu iPhone'ist",
        "Išsiųsta iš mano iPhone",
        "נשלח מה-iPhone שלי",
        "أرسلت من الـ iPhone",
        "تم الإرسال من الـ iPhone",
        "iPhoneから送信",
        "iPadから送信",
        "私のiPhoneから送信",
        "スマートフォンから送信",
        "从我的 iPhone 发送",
        "发自我的iPhone",
        "发自我的手机",
        "發自我的 iPhone",
        "從我的iPhone傳送",
        "나의 iPhone에서 보냄",
        "내 휴대폰에서 보냄",
        "Dikirim dari iPhone saya",
        "Gửi từ iPhone của tôi",
        "ส่งจาก iPhone ของฉัน",
    ];
    wrong(signs.into_iter().flat_map(|sign| {
        [
            (format!("c4-c5\n\n{sign}\n"), &["c4-c5"][..]),
            (format!("c4-c5\n{sign}"), &["c4-c5"]),
            (format!("c4-c5 {sign}"), &["c4-c5"]),
            (format!("OK!\n\n{sign}\n\nd4-d5\n"), &["OK!"]),
            (format!("{sign}\n\nOn Monday Bram wrote:\n> d4-d5\n\nc4-c5\n"), &["c4-c5"]),
        ]
    }));
    for words in [
        "I sent you a mail yesterday",
        "Sent from Berlin, where it rains",
        "My phone is broken",
        "Sent from a desk, which is much easier than with that mobile",
        "I do not use Outlook",
    ] {
        assert_eq!(own(words), [words]);
    }
}

#[test]
fn what_companies_add_is_not_the_writers_own() {
    let notices = [
        "CAUTION: this letter came from outside. Do not open files of people whom you do not know.",
        "CAUTION: This email originated from outside of the organization. Do not click links or open attachments unless you recognize the sender and know the content is safe.",
        "CAUTION: External email. Do not click links or open attachments if you were not expecting it.",
        "[EXTERNAL]",
        "*** EXTERNAL EMAIL ***",
        "EXTERNAL SENDER",
        "[EXTERNAL EMAIL] DO NOT CLICK links or attachments unless you recognize the sender.",
        "This message was sent from outside the company by someone with a display name matching a user in your organization.",
        "WARNING: This message is from an external sender. If you are not sure, do not open attachments.",
        "ACHTUNG: Diese E-Mail stammt von einem externen Absender. Öffnen Sie keine Anhänge, wenn Sie den Absender nicht kennen.",
        "ATTENTION : ce courriel provient de l'extérieur. Ne cliquez pas sur les liens si vous ne connaissez pas l'expéditeur.",
        "PRECAUCIÓN: este correo es externo. No haga clic en enlaces si no conoce al remitente.",
        "ATTENZIONE: messaggio esterno. Non aprire gli allegati se non conosci il mittente.",
        "LET OP: deze e-mail komt van buiten. Klik niet op links en open geen bijlagen als u de afzender niet kent.",
        "UWAGA: wiadomość zewnętrzna. Nie otwieraj załączników, jeśli nie znasz nadawcy.",
        "ВНИМАНИЕ: внешнее письмо. Не открывайте вложения, если не знаете отправителя.",
        "注意：外部からのメールです。添付ファイルを開かないでください。",
        "You don't often get email from ada@example.org. Learn why this is important<https://aka.ms/LearnAboutSenderIdentification>",
        "You don\u{2019}t often get email from ada@example.org. Learn why this is important",
        "Some people who received this message don't often get email from ada@example.org. Learn why this is important",
        "Sie erhalten nicht oft eine E-Mail von ada@example.org. Erfahren Sie, warum dies wichtig ist",
        "Vous n'obtenez pas souvent d'e-mail à partir de ada@example.org. Pourquoi c'est important",
        "This letter may hold private matter meant for its addressee alone. If you are somebody else, please tell the sender and delete it.",
        "This email and any files transmitted with it are confidential and intended solely for the use of the individual or entity to whom they are addressed. If you have received this email in error please notify the sender.",
        "If you are not the intended recipient, you must not disclose, copy or use this message; please delete it and notify the sender.",
        "Diese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der richtige Adressat sind, informieren Sie bitte den Absender und vernichten Sie diese Mail.",
        "Ce message est confidentiel. Si vous n'êtes pas le destinataire, merci d'en avertir l'expéditeur et de le supprimer.",
        "Este mensaje es confidencial. Si no es usted el destinatario, avise al remitente y elimínelo.",
        "Questo messaggio è riservato al destinatario. Se non lo siete, avvisate il mittente e cancellatelo.",
        "Dit bericht is vertrouwelijk en alleen voor de geadresseerde. Als u dat niet bent, verwijder het en waarschuw de afzender.",
        "Ta wiadomość jest poufna. Jeśli nie jesteś adresatem, powiadom nadawcę i usuń ją.",
        "Это сообщение конфиденциально. Если вы не адресат, сообщите отправителю и удалите его.",
        "このメールには機密情報が含まれます。宛先でない場合は送信者に連絡し、削除してください。",
        "此邮件包含机密信息。如果您不是收件人，请通知发件人并删除。",
        "Please consider the environment before printing this e-mail.",
        "Virus-free. www.avast.com",
    ];
    wrong(notices.into_iter().flat_map(|notice| {
        let texts = [
            format!("{notice}\n\nc4-c5\n\nAda\n"),
            format!("{notice}\nc4-c5\n\nAda\n"),
            format!("________________________________\n{notice}\n________________________________\n\nc4-c5\n\nAda\n"),
            format!("-----\n{notice}\n-----\nc4-c5\n\nAda\n"),
            format!("*****\n{notice}\n*****\n\nc4-c5\n\nAda\n"),
            format!("c4-c5\n\nAda\n\n{notice}\n"),
            format!("c4-c5\n\nAda\n\n{}\n", notice.replace(". ", ".\n")),
            format!("c4-c5\n\nAda\n\n________________________________\n\n{notice}\n"),
        ];
        texts.map(|text| (text, &["c4-c5", "Ada"][..]))
    }));
    for words in [
        "Attention: the gate is open",
        "Caution: my son may play for me",
        "I did not open your attachment, sender unknown, delete it please",
        "Please tell me if you are not well.",
        "Sorry, this was the wrong file. Please delete it.",
        "Warning! Now comes my attack",
    ] {
        assert_eq!(own(words), [words]);
    }
}

#[test]
fn the_lines_that_are_the_writers_own_are_found() {
    for (text, expected) in [
        ("c4-c5\n\nOn Monday Bram wrote:\n> d4-d5\n", &["c4-c5"][..]),
        ("Hi Bram,\n\nc4-c5\n-- \nAda\n", &["Hi Bram,", "c4-c5"]),
        ("Hello!\r\nc4-c5\r\nhow is the weather?\r\n", &["Hello!", "c4-c5", "how is the weather?"]),
        ("> place c6 e6\n> more\n\nc4-c5\n", &["c4-c5"]),
        ("On Sat, 21 Nov 2026 at 10:15, Bram Post\n<bram@example.net> wrote:\n> d4-d5\n\nc4-c5\n", &["c4-c5"]),
        ("Am Samstag schrieb Bram:\n> d4-d5\nc4-c5", &["c4-c5"]),
        ("Em seg., 23 de nov. de 2026 às 11:00, Bram\n<bram@example.net> escreveu:\n\n> d4-d5\n\nc4-c5", &["c4-c5"]),
        ("c4-c5\nBram wrote at 11:00:\n> d4-d5\n", &["c4-c5"]),
        ("My move:\nc4-c5\n", &["My move:", "c4-c5"]),
        ("My move: c4-c5\n", &["My move: c4-c5"]),
        ("c6-d6;\nhuff d6\n", &["c6-d6; huff d6"]),
        (
            "2 besiegers c4-c5 {On Monday\n\nBram wrote:\n[pbem] a}\n\nOn Monday Bram wrote:\n> x\n",
            &["2 besiegers c4-c5 {On Monday Bram wrote: [pbem] a}"],
        ),
        ("c4-c5\n-----Original Message-----\nFrom: Bram\nd4-d5\n", &["c4-c5"]),
        (
            "c4-c5\n\nVon: Bram Post\nGesendet: Montag, 23. November 2026 11:00\nAn: Ada\nBetreff: x\n\nd4-d5",
            &["c4-c5"],
        ),
        ("c4-c5\n\n差出人: Bram\n送信日時: 2026年11月23日 11:00\n宛先: Ada\n\nd4-d5", &["c4-c5"]),
        ("c4-c5\n2026年11月23日(月) 11:00 Bram Post <bram@example.net>:\n\nd4-d5", &["c4-c5"]),
        ("c4-c5\n\u{202b}בתאריך יום ב׳, 23 בנוב׳ 2026 ב-11:00 מאת Bram <bram@example.net>:\u{202c}\nd4-d5", &["c4-c5"]),
        ("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nc4-c5\n-----BEGIN PGP SIGNATURE-----\n\nabc", &["c4-c5"]),
        ("BP> d4-d5\nc4-c5", &["c4-c5"]),
        ("c4->c5", &["c4->c5"]),
    ] {
        assert_eq!(lines(Form::Fixed, text), expected, "{text}");
    }
}

#[test]
fn quoted_signed_or_forwarded_text_is_not_the_writers_own() {
    for text in [
        "",
        "\n\n",
        "> c4-c5\n> d4-d5\n",
        "-- \nc4-c5\n",
        "-----Original Message-----\nc4-c5\n",
        "________________________________\nFrom: Bram\nc4-c5",
        "From: Bram\nSent: Monday, 23 November 2026\nTo: Ada\n\nc4-c5\n",
        "*De :* Bram <bram@example.net>\n*Envoyé :* lundi\n*À :* Ada\nc4-c5\n",
        "On Monday Bram wrote:\n\nc4-c5\n",
        "Am Montag, 23. Nov. 2026 um 11:00 Uhr schrieb Bram\n<bram@example.net>:\n\nc4-c5\n",
    ] {
        assert_eq!(lines(Form::Fixed, text), <[&str; 0]>::default(), "{text}");
    }
}

#[test]
fn what_stands_after_a_sign_of_quoting_is_not_the_writers_own() {
    for sign in "> | » › ＞ ❯ ≫ ┃ ➤ │ ║ ▌ ▎ ｜ ❱ ▶ ► ▸ ⟩ 》 〉 ﹥ ¦ ➢ ➜ ⋙ ┆ ❘".split(' ')
    {
        for text in [format!("{sign} c4-c5\n"), format!("{sign}{sign} c4-c5"), format!(" {sign}c4-c5")] {
            assert_eq!(lines(Form::Fixed, &text), <[&str; 0]>::default(), "{text}");
        }
    }
    assert_eq!(lines(Form::Fixed, "BP\u{ff1e} d4-d5\nc4-c5"), ["c4-c5"]);
    // These stand before moves too.
    for own in ["→ c4-c5", "- c4-c5", "* c4-c5", "• c4-c5", "1. c4-c5", "c4→c5", "c4 ➔ c5", "e6×c4"] {
        assert_eq!(lines(Form::Fixed, own), [own]);
    }
}

#[test]
fn flowed_lines_are_joined_and_their_stuffing_goes() {
    assert_eq!(lines(Form::Flowed(false), "c6-d6; \nhuff d6\n"), ["c6-d6; huff d6"]);
    assert_eq!(lines(Form::Flowed(true), "place c6 \n e6\n"), ["place c6e6"]);
    assert_eq!(lines(Form::Flowed(false), "> c4-c5 \n c4-c5\n-- \nAda"), ["c4-c5"]);
    assert_eq!(lines(Form::Fixed, "c6-d6; \nhuff d6\n"), ["c6-d6; huff d6"]);
}

#[test]
fn paragraphs_stay_apart() {
    let text =
        Text { text: "\nHi Bram,\n\n\nc4-c5\nso\n\n> x\n\nAda\n\n-- \nA. Quill\n".to_owned(), form: Form::Fixed };
    assert_eq!(own_lines(&text), ["Hi Bram,", "", "c4-c5", "so", "", "Ada"]);
}

#[test]
fn a_copy_of_the_programs_letter_is_not_the_writers_own() {
    let letter = "Ada Quill,\n\nthis letter is about your game of Asalto by mail with Bram Post (game\nasalto-x). Entry 1, by the defenders: \
                  place c6 e6\nIt is your turn (besiegers): a move.\n\nLegal entries  b4-c5 | b5-c5\n";
    for (text, expected) in [
        (format!("c4-c5\n\n{letter}"), &["c4-c5"][..]),
        (format!("I resign.\n{letter}"), &["I resign."]),
        (format!("What is a huff?\n\nSent from my iPhone\n\n{letter}"), &["What is a huff?"]),
        (format!("OK\n\n{}", letter.replace("Ada Quill,\n\nthis", "This")), &["OK"]),
        (format!("OK\n\n{}", letter.replace('\n', " ")), &["OK"]),
    ] {
        assert_eq!(own(&text), expected, "{text}");
    }
}

#[test]
fn lines_that_stood_together_in_an_earlier_letter_are_a_quotation_without_any_mark() {
    let earlier: Vec<String> = "It is your turn.\n\nc4-c5\nd4-d5\n".lines().map(str::to_owned).collect();
    let own = |text: &str| own_lines_beside(&Text { text: text.to_owned(), form: Form::Fixed }, &earlier);
    // A move may be made twice.
    assert_eq!(own("c4-c5\n"), ["c4-c5"]);
    assert_eq!(own("d4-d5\nc4-c5\n"), ["d4-d5", "c4-c5"]);
    assert_eq!(own("It is  your turn.\nc4-c5\n\nd4-d5\n\nb4-c5\n"), ["b4-c5"]);
    assert_eq!(own("b4-c5\nc4-c5\nd4-d5\n"), ["b4-c5"]);
}

#[test]
fn links_that_programs_put_behind_words_are_left_out() {
    assert_eq!(
        own("draw a; play x@RP<mailto:x@RP>; play y@YA<mailto:y@YA>; end"),
        ["draw a; play x@RP; play y@YA; end"]
    );
    assert_eq!(own("play x@RP[mailto:x@RP]\n(https://example.org) c4-c5 <b>"), ["play x@RP", "c4-c5 <b>"]);
}

#[test]
fn words_below_a_signature_are_nobodys_up_to_a_quotation() {
    assert_eq!(own("Hi\n-- \nAda\nc4-c5\n"), ["Hi"]);
    assert_eq!(own("Hi\n-- \nAda\n\nOn Monday Bram wrote:\n> d4-d5\n\nc4-c5\n"), ["Hi", "c4-c5"]);
}

#[test]
fn a_reply_behind_its_words_on_one_line_with_what_names_the_old_letter_is_read() {
    let line = "c4-c5 On Sat, 21 Nov 2026 at 11:15, Bram Post <bram@example.net> wrote:";
    assert_eq!(own(&format!("{line}\n> d4-d5\n")), ["c4-c5"]);
    assert_eq!(own(&format!("{line}\nd4-d5\n")), ["c4-c5"]);
    assert_eq!(own("On Monday I shall be away.\nc4-c5"), ["On Monday I shall be away.", "c4-c5"]);
}

#[test]
fn the_end_of_a_quoted_line_that_was_broken_is_quoted() {
    let long = "> The entries that are legal now are as many as the fingers of one hand:";
    assert_eq!(own(&format!("{long}\nd4-d5\n> so choose.\n\nc4-c5\n")), ["c4-c5"]);
    // What stands below a short one is an answer.
    assert_eq!(own("> Your move?\nc4-c5\n> How are you?\nFine.\n"), ["c4-c5", "Fine."]);
    assert_eq!(own(&format!("{long}\nc4-c5\n")), ["c4-c5"]);
}

/// A letter as the program writes it.
const LETTER: &str = "Ada Quill,\n\nthis letter is about your game of Asalto by mail with Bram Post (game\nasalto-x). Entry 1, by the defenders: \
     place c6 e6\nIt is your turn (besiegers): a move.\n\nLegal entries  b4-c5 | b5-c5\n\nasalto-x  Asalto\nbesiegers Ada Quill - defenders Bram \
     Post\n\n7           o...o...o           7\n6           o...D...o           6\n\nWrite your move on the first line, or ask what you want to \
     know.\nIf you do not want to play, say so.\n";

#[test]
fn what_is_marked_is_a_quotation_whatever_it_looks_like_and_ends_where_the_marks_end() {
    let quoted: String = LETTER.lines().map(|line| format!("> {line}\n")).collect();
    let subject =
        "> Subject: Re: [pbem] asalto-x #1 place c6 e6\n> -----BEGIN PBEM ENTRIES-----\n> On Monday Ada wrote:\n";
    for above in ["On Sat, 21 Nov 2026 at 11:15, Bram Post <bram@example.net> wrote:\n", ""] {
        for text in [
            format!("{above}{quoted}\nc4-c5\n"),
            format!("{above}{quoted}{subject}\nc4-c5\n"),
            format!("{above}{subject}{quoted}\nc4-c5\n\n{quoted}"),
            format!("{above}{quoted}\nc4-c5\n\n{quoted}"),
            format!("{above}{}\nc4-c5\n", quoted.replace("> ", "| ")),
        ] {
            assert_eq!(own(&text), ["c4-c5"], "{text}");
        }
    }
}

#[test]
fn what_stands_below_a_copy_of_a_letter_is_read_and_what_stands_in_it_is_not_certain() {
    let earlier: Vec<String> = LETTER.lines().map(str::to_owned).collect();
    let text = |text: &str| Text { text: text.to_owned(), form: Form::Fixed };
    let broken = LETTER.replace(" by mail with", "\nby mail with").replace(" on the first", "\non the first");
    for (copy, above) in
        [(LETTER, ""), (&broken, ""), (LETTER, "On Sat, 21 Nov 2026 at 11:15, Bram Post <bram@example.net> wrote:\n\n")]
    {
        let below = text(&format!("{above}{copy}\nHi Bram,\nb4-c5\n\nAda\n"));
        assert_eq!(own_lines_beside(&below, &earlier), ["Hi Bram,", "b4-c5", "", "Ada"]);
        // Nothing of a letter that is cut off is taken for its writer's.
        let cut = copy.replace("If you do not want to play, say so.\n", "");
        assert!(own_lines_beside(&text(&format!("{above}{cut}\nb4-c5\n")), &earlier).is_empty());
        let within = copy.replace("\nLegal entries", "\nb4-c5\n\nLegal entries");
        let within = text(&format!("{above}{within}"));
        assert!(own_lines_beside(&within, &earlier).is_empty());
        assert_eq!(lines_in_copy(&within, &earlier), ["b4-c5"]);
        assert!(lines_in_copy(&text(&format!("{above}{copy}")), &earlier).is_empty());
        let early = text(&format!("{above}{}", copy.replace(" Bram Post (game\n", " Bram Post (game\n\nb4-c5\n\n")));
        assert_eq!(lines_in_copy(&early, &earlier), ["b4-c5"]);
        assert!(
            lines_in_copy(&text(&format!("{above}{}", copy.replace("asalto-x)", "asalto-y)"))), &earlier).is_empty()
        );
    }
    // Another letter says nothing.
    let other: Vec<String> = LETTER.lines().map(|line| line.chars().rev().collect()).collect();
    assert!(lines_in_copy(&text(&format!("{LETTER}\nb4-c5\n")), &other).is_empty());
    assert!(own_lines_beside(&text(&format!("{LETTER}\nb4-c5\n")), &other).is_empty());
}

#[test]
fn a_name_that_wrote_without_a_colon_or_a_date_stands_above_what_somebody_else_wrote() {
    let names = ["On Thu, Bram Post wrote", "The Mill wrote", "Bram Post writes", "Am Do. schrieb Bram", "Bram wrote"];
    wrong(names.into_iter().flat_map(|name| {
        [
            (format!("OK!\n\n{name}\n\nd4-d5\n"), &["OK!"][..]),
            (format!("c4-c5\n\n{name}\nd4-d5\n"), &["c4-c5"]),
            (format!("{name}\n> d4-d5\n\nc4-c5\n"), &["c4-c5"]),
        ]
    }));
    wrong([
        ("I wrote\nc4-c5\n".to_owned(), &["I wrote", "c4-c5"][..]),
        ("Thanks for what you wrote\nc4-c5\n".to_owned(), &["Thanks for what you wrote", "c4-c5"]),
    ]);
}

#[test]
fn a_forwarded_letter_of_which_only_the_header_is_marked_is_not_the_writers_own() {
    wrong([
        ("Begin forwarded message:\n> From: Bram <bram@example.net>\nd4-d5\n".to_owned(), &[][..]),
        (
            "OK!\n\nBegin forwarded message:\n\n> From: Bram <bram@example.net>\n> Date: 21 Nov 2026\n\nd4-d5\n"
                .to_owned(),
            &["OK!"],
        ),
        ("Begin forwarded message:\n> From: Bram <bram@example.net>\n>\n> d4-d5\n\nc4-c5\n".to_owned(), &["c4-c5"]),
    ]);
}

#[test]
fn of_a_long_reply_as_many_lines_are_passed_on_as_there_is_room_for_with_those_between_paragraphs() {
    for paragraph in 1..=4 {
        let lines: Vec<&str> = vec!["That was close."; paragraph];
        let text = Text { text: format!("{}\n\n", lines.join("\n")).repeat(300), form: Form::Fixed };
        let count = own_lines(&text).len();
        assert!((MAX_OWN - 1..=MAX_OWN).contains(&count), "paragraphs of {paragraph}: {count} lines");
    }
}

#[test]
fn a_sentence_that_names_nobody_is_no_line_above_a_quotation() {
    for line in [
        "A letter with one of these on its first line, or in its subject, does what it says:",
        "In the end this is what my brother said:",
        "On second thoughts, here is what I wrote:",
        "Le coup qu'il a écrit :",
        "A continuación lo que mi hermano escribió:",
        "Am besten ist, was er schrieb:",
    ] {
        assert_eq!(own(&format!("{line}\n\nc4-c5\n")), [line, "c4-c5"]);
    }
    for line in ["On Saturday Bram wrote:", "Le samedi 21 novembre bram a écrit :", "Am Samstag schrieb Bram:"] {
        assert_eq!(own(&format!("{line}\n\nc4-c5\n")), [""; 0], "{line}");
    }
}

#[test]
fn what_is_quoted_with_an_odd_mark_is_not_the_writers_own() {
    for mark in [":", "%", "}", "]", "~", "!", "$", "&", "/", "=", "#", "\u{a7}", "\u{ac}"] {
        let text = format!("c4-c5\n\n{mark} Hello Ada,\n{mark}\n{mark} d4-d5\n{mark} e4-e5\n");
        assert_eq!(own(&text), ["c4-c5"], "{mark}");
    }
    // A list of somebody's own, and a line that begins oddly.
    for text in ["- c4-c5\n- d4-d5\n- e4-e5", "* one\n* two\n* three", "# c4-c5", ": c4-c5\n: d4-d5"] {
        assert_eq!(own(text), text.lines().collect::<Vec<_>>());
    }
}
