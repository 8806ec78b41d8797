//! Pictures: what is drawn, how large they are, and that nothing hidden is visible.

use std::path::{Path, PathBuf};

use crate::session::Session;
use crate::terminal;
use postrider_board::picture;
use postrider_board::picture::{Look, Options, Picture};
use postrider_kernel::scene::{Board, Face, Scene, Trace, square};
use postrider_kernel::{Side, Viewer};
use postrider_referee::desk::scenes::scenes;
use postrider_referee::verdict::{Opened, verify};

/// The examples that are legal, with their names: the game's, and the file's.
fn examples() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in std::fs::read_dir(root).expect("examples").map(|entry| entry.expect("an entry").path()) {
        if folder.is_dir() {
            found.extend(std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()));
        }
    }
    found.sort();
    let records = found.into_iter().filter(|path| path.extension().is_some_and(|end| end == "pbem"));
    let read = records.map(|path| {
        let part = |part: Option<&std::ffi::OsStr>| part.expect("a name").to_string_lossy().into_owned();
        let name = format!("{}/{}", part(path.parent().and_then(Path::file_name)), part(path.file_stem()));
        (name, std::fs::read(path).expect("a record"))
    });
    read.filter(|(_, bytes)| verify(bytes).errors.is_empty()).collect()
}

fn all(record: &[u8]) -> Vec<Scene> {
    let mut opened = Opened::new(record).expect("a record");
    let mut list = Vec::new();
    let take = |_, scene| list.push(scene);
    scenes(&mut opened, (0, u32::MAX), Viewer::Public, |_| Ok::<(), ()>(()), |_| true, take).expect("scenes");
    list
}

fn example(name: &str) -> Vec<Scene> {
    let (_, record) = examples().into_iter().find(|(other, _)| other == name).expect("an example");
    all(&record)
}

/// The scenes of every example at its beginning, in the middle and at its end.
fn moments() -> Vec<(String, Scene)> {
    let mut list = Vec::new();
    for (name, record) in examples() {
        let all = all(&record);
        for at in [0, all.len() / 2, all.len() - 1] {
            list.push((format!("{name} {at}"), all[at].clone()));
        }
    }
    assert!(list.len() > 40);
    list
}

/// The pieces of a scene on the board and on the shelves, by the names of their drawings.
fn pieces(scene: &Scene) -> Vec<String> {
    let name = |piece: postrider_kernel::scene::Piece| format!("{}-{}", piece.kind, piece.side.index() + 1);
    let mut names = Vec::new();
    match &scene.board {
        Board::Points(board) => names.extend(board.points.iter().filter_map(|point| point.piece.map(name))),
        Board::Cells(board) => {
            for cell in &board.cells {
                names.extend(cell.piece.iter().chain(&cell.aboard).chain(&cell.above).map(|piece| name(*piece)));
                names.extend(cell.challenger.map(|(piece, _)| name(piece)));
            }
        }
        Board::Blocks(_) | Board::Bricks(_) => {}
    }
    for item in scene.shelves.iter().flat_map(|shelf| &shelf.items) {
        if let Face::Piece(piece) = item.face {
            names.extend(std::iter::repeat_n(name(piece), item.count as usize));
        }
    }
    names.sort();
    names
}

#[test]
fn every_piece_is_drawn_once() {
    for (name, scene) in moments() {
        let picture = Picture::of(&scene, &Options::default());
        let list = picture.list();
        let wanted = pieces(&scene);
        let mut drawn: Vec<String> = Vec::new();
        for placed in &list.items {
            if let picture::list::What::Symbol(number) = placed.what {
                let symbol = &list.symbols[number].name;
                // Drawings at 36 per cent are in the key below the board, which names each kind once.
                if placed.scale != 36 && wanted.contains(symbol) {
                    drawn.push(symbol.clone());
                }
            }
        }
        drawn.sort();
        assert_eq!(drawn, wanted, "{name}");
    }
}

/// What `postrider_board::picture` has no drawing for is drawn as a draughtsman, and two such kinds of one side would look alike.
#[test]
fn no_two_kinds_of_piece_look_alike() {
    for (name, scene) in moments() {
        let picture = Picture::of(&scene, &Options::default());
        let symbols = &picture.list().symbols;
        for (nth, symbol) in symbols.iter().enumerate() {
            let alike = symbols[..nth].iter().find(|other| other.shapes == symbol.shapes);
            assert!(
                alike.is_none(),
                "{name}: {} is drawn as {alike:?}; drawings are in crates/board/src/picture/pieces.rs",
                symbol.name
            );
        }
    }
}

#[test]
fn nothing_is_drawn_outside_the_picture() {
    for (name, scene) in moments() {
        for from in Side::BOTH {
            let picture = Picture::of(&scene, &Options { from, ..Options::default() });
            let list = picture.list();
            for placed in &list.items {
                for shape in list.shapes(placed) {
                    let [left, top, right, bottom] = shape.path.bounds().expect("a path");
                    for (x, y) in [(left, top), (right, top), (left, bottom), (right, bottom)] {
                        let (x, y) = match placed.turn % 4 {
                            0 => (x, y),
                            1 => (-y, x),
                            2 => (-x, -y),
                            _ => (y, -x),
                        };
                        let (x, y) = (placed.at.0 + x * placed.scale / 100, placed.at.1 + y * placed.scale / 100);
                        assert!((0..=list.width).contains(&x) && (0..=list.height).contains(&y), "{name}: {x} {y}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_words_name_every_occupied_place() {
    for (name, scene) in moments() {
        let words = scene.words();
        let places: Vec<String> = match &scene.board {
            Board::Points(board) => {
                let taken = board.points.iter().filter(|point| point.piece.is_some());
                taken.map(|point| square(point.file, point.rank)).collect()
            }
            Board::Cells(board) => {
                let taken = board.cells.iter().filter(|cell| cell.piece.is_some() || !cell.above.is_empty());
                taken.map(|cell| square(cell.file, cell.rank)).collect()
            }
            Board::Blocks(board) => board.blocks.iter().map(|block| square(block.file, block.rank)).collect(),
            Board::Bricks(bricks) => bricks
                .iter()
                .flat_map(|brick| {
                    std::iter::once(brick.code.clone()).chain(brick.units.iter().map(|unit| unit.name.clone()))
                })
                .collect(),
        };
        for place in places {
            assert!(words.contains(&place), "{name}: {place} is not in\n{words}");
        }
    }
}

#[test]
fn what_an_entry_did_is_marked() {
    let marks = |scene: &Scene| {
        let list = scene.marks.iter().map(|mark| {
            format!(
                "{}{}",
                match mark.trace {
                    Trace::From => "-",
                    Trace::To => "+",
                    Trace::Taken => "x",
                },
                mark.place
            )
        });
        list.collect::<Vec<_>>().join(" ")
    };
    let asalto = example("asalto/fifteen-captures");
    assert_eq!(marks(&asalto[0]), "");
    assert_eq!(marks(&asalto[1]).matches('+').count(), 2, "the placement of both defenders");
    assert!(asalto.iter().any(|scene| marks(scene).contains('x')), "captures");
    for name in
        ["assideum/the-portal-at-the-gate", "assassyn/drawn-by-repetition", "subsume/counted-out", "asalto/open-game"]
    {
        let all = example(name);
        let marked = all.iter().filter(|scene| !scene.marks.is_empty()).count();
        assert!(marked * 10 >= all.len() * 6, "{name}: {marked} of {}", all.len());
    }
}

#[test]
fn hidden_parts_change_no_byte() {
    let mut sealed = 0;
    for (name, record) in examples() {
        let mut opened = Opened::new(&record).expect("a record");
        opened.replay(u32::MAX);
        if opened.table.seals().is_none() {
            continue;
        }
        sealed += 1;
        for viewer in [Viewer::Public, Viewer::Side(Side::First), Viewer::Side(Side::Second)] {
            // Without a secret, everyone sees the same.
            let scene = opened.table.view(viewer);
            let public = opened.table.view(Viewer::Public);
            let draw = |scene: &Scene| Picture::of(scene, &Options::default()).svg("");
            assert_eq!(draw(&scene), draw(&public), "{name}");
        }
    }
    assert!(sealed >= 3);
}

#[test]
fn pictures_are_small_and_the_same_each_time() {
    for (name, scene) in moments() {
        let picture = Picture::of(&scene, &Options::default());
        let svg = picture.svg("A game");
        let bricks = matches!(scene.board, Board::Bricks(_));
        assert!(svg.len() <= if bricks { 48 << 10 } else { 14 << 10 }, "{name}: {} bytes of SVG", svg.len());
        assert!(svg.contains("role=\"img\"") && svg.contains("<title id=\"title\">A game</title>"), "{name}");
        assert!(
            svg.contains("<desc id=\"desc\">") && !svg.contains("<text") && !svg.contains("http://www.w3.org/1999"),
            "{name}"
        );
        assert_eq!(svg, Picture::of(&scene, &Options::default()).svg("A game"), "{name}");
    }
}

/// The pixels of a PNG as red, green and blue.
fn pixels(png: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("pixels");
    assert_eq!(info.color_type, png::ColorType::Rgb, "it is opaque");
    bytes.truncate(info.buffer_size());
    (info.width, info.height, bytes)
}

#[test]
fn pixels_show_the_pieces_in_their_places() {
    let scenes = example("asalto/fifteen-captures");
    let picture = Picture::of(&scenes[1], &Options::default());
    let png = picture.png(480).expect("a picture");
    let (width, height, bytes) = pixels(&png);
    let list = picture.list();
    assert_eq!(width, 480);
    assert_eq!(height, (list.height as u32 * 480).div_ceil(list.width as u32));
    for look in [Look::Colour, Look::Dark, Look::Print] {
        let picture = Picture::of(&scenes[1], &Options { look, ..Options::default() });
        let (.., other) = pixels(&picture.png(480).expect("a picture"));
        assert!(look == Look::Colour || other != bytes, "looks differ");
        // Beside its centre, each piece is filled with the ink of its side.
        let mut seen = 0;
        for placed in &picture.list().items {
            let picture::list::What::Symbol(number) = placed.what else { continue };
            let name = &picture.list().symbols[number].name;
            let ink = match name.as_str() {
                "besieger-1" => picture::list::Ink::First,
                "defender-2" => picture::list::Ink::Second,
                _ => continue,
            };
            if placed.scale < 80 {
                continue;
            }
            seen += 1;
            let at = |units: i32| units as u32 * 480 / list.width as u32;
            let (x, y) = (at(placed.at.0 + 10), at(placed.at.1 + 10));
            let start = ((y * width + x) * 3) as usize;
            let want = look.colour(ink);
            for (have, want) in other[start..start + 3].iter().zip(want) {
                assert!(have.abs_diff(want) <= 1, "{name} at {x} {y}: {have} {want}");
            }
        }
        assert_eq!(seen, 26);
    }
    assert_eq!(picture.png(480), Some(png));
    assert_eq!((picture.png(63), picture.png(5000)), (None, None));
}

#[test]
fn an_animation_has_a_picture_an_entry() {
    let scenes = example("asalto/fifteen-captures");
    let pictures: Vec<_> = scenes.iter().map(|scene| Picture::of(scene, &Options::default())).collect();
    let bytes = picture::gif(&pictures, 240, 100).expect("an animation");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = options.read_info(bytes.as_slice()).expect("a GIF");
    let mut count = 0;
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        assert!(frame.width > 0 && frame.height > 0 && frame.delay >= 100);
        count += 1;
    }
    assert_eq!(count, scenes.len());
    assert!(picture::gif(&[], 240, 100).is_none());
}

/// The pixels that an animation shows one after the other.
fn shown(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = options.read_info(bytes).expect("a GIF");
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut pixels = vec![0; width * height];
    let mut all = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        for (at, pixel) in frame.buffer.iter().enumerate() {
            let (x, y) = (at % usize::from(frame.width), at / usize::from(frame.width));
            if Some(*pixel) != frame.transparent {
                pixels[(y + usize::from(frame.top)) * width + x + usize::from(frame.left)] = *pixel;
            }
        }
        all.push(pixels.clone());
    }
    all
}

#[test]
fn a_picture_of_an_animation_is_the_same_whatever_comes_before_it() {
    for name in [
        "asalto/fifteen-captures",
        "assideum/the-portal-at-the-gate",
        "assassyn/open-game",
        "subsume/a-city-built-and-lost",
        "mission-combat/open-game",
    ] {
        let scenes = example(name);
        let pictures: Vec<_> = scenes.iter().take(40).map(|scene| Picture::of(scene, &Options::default())).collect();
        let count = pictures.len();
        let forth = shown(&picture::gif(&pictures, 300, 100).expect("an animation"));
        assert_eq!(forth.len(), count);
        // Neighbours have most in common, and what is far apart has little: that is painted as a whole.
        for step in [count - 1, 7, 11, 13] {
            let order: Vec<_> = (0..count).map(|nth| (nth * step) % count).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if !sorted.iter().copied().eq(0..count) {
                continue;
            }
            let others: Vec<_> = order.iter().map(|nth| pictures[*nth].clone()).collect();
            let others = shown(&picture::gif(&others, 300, 100).expect("an animation"));
            for (nth, other) in order.iter().zip(&others) {
                assert!(forth[*nth] == *other, "{name}: picture {nth} with step {step}");
            }
        }
    }
}

#[test]
fn a_board_is_turned_for_the_second_side() {
    let scene = &example("assideum/the-portal-at-the-gate")[0];
    let [first, second] = Side::BOTH.map(|from| Picture::of(scene, &Options { from, ..Options::default() }));
    let king = |picture: &Picture, name: &str| {
        let list = picture.list();
        let of = |placed: &&picture::list::Placed| matches!(placed.what, picture::list::What::Symbol(number) if list.symbols[number].name == name);
        list.items.iter().find(of).expect("a Commander").at.1
    };
    assert!(king(&first, "commander-1") > king(&first, "commander-2"));
    assert!(king(&second, "commander-1") < king(&second, "commander-2"));
}

#[test]
fn the_pictures_of_all_games_are_as_they_were_looked_at() {
    for (name, at) in [
        ("asalto/one-jump-too-few", 4),
        ("assideum/a-siege-without-end", 3),
        ("assassyn/drawn-by-repetition", 5),
        ("subsume/a-city-built-and-lost", 8),
    ] {
        let scenes = example(name);
        let name = name.rsplit('/').next().expect("a name");
        let picture = Picture::of(&scenes[at.min(scenes.len() - 1)], &Options::default());
        insta::assert_snapshot!(format!("picture of {name}"), picture.svg(name));
    }
}

#[test]
fn a_name_in_a_picture_cannot_turn_the_direction_of_writing() {
    let scenes = example("asalto/walled-in");
    let options = Options { from: Side::First, look: Look::Colour, marks: true };
    let picture = Picture::of(scenes.last().expect("a scene"), &options);
    for sign in
        "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{61c}".chars()
    {
        let svg = picture.svg(&format!("Ada{sign} against Bob"));
        assert!(!svg.contains(sign), "{sign:?}");
        assert!(svg.contains(&format!("Ada{} against Bob", sign.escape_unicode())), "{sign:?}");
    }
}

#[test]
fn pixels_are_not_written_to_a_terminal() {
    let session = Session::new();
    for format in ["png", "gif"] {
        let args = [
            "picture",
            "--game",
            "asalto",
            "--position",
            ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b",
            "--format",
            format,
        ];
        let Some((code, shown)) = terminal::drive(&session, (24, 100), &args, &[]) else { return };
        assert_eq!(code, 2, "{shown}");
        assert!(shown.contains("is not for the screen") && shown.contains(&format!("-o board.{format}")), "{shown}");
    }
}
