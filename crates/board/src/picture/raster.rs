//! A display list as pixels, each an index into a palette.

use std::collections::HashMap;

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Point, PremultipliedColorU8, Stroke as Pen,
    StrokeDash, Transform,
};

use super::list::{Ink, List, Path, Placed, Shape, Step};
use super::look::{Colour, Look};
use super::repaint::{Area, is_same, repaint};

/// The most colours in a pixel picture, apart from the one that stands for unchanged pixels.
const COLOURS: usize = 16;

/// Pixels, each an index into the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Raster {
    /// The width in pixels.
    pub width: u16,
    /// The height in pixels.
    pub height: u16,
    pub palette: Vec<Colour>,
    /// The pixels, row by row.
    pub pixels: Vec<u8>,
}

/// Paints a picture as pixels; `width` is in pixels. Returns `None` if it is too large to paint.
#[must_use]
pub(crate) fn paint(list: &List, look: Look, width: u16) -> Option<Raster> {
    let painted = Painted::new(&[list], look, width)?;
    let (palette, numbers) = painted.palette(look);
    let mut pixels = painted.blank();
    painted.frames.first()?.iter().for_each(|span| span.paint(&numbers, &mut pixels));
    Some(Raster { width: painted.width, height: painted.height, palette, pixels })
}

/// A colour of 16 steps per channel: what cannot be told apart is the same.
type Coarse = u16;

/// How many coarse colours there are.
const COARSE: usize = 1 << 12;

fn coarse([red, green, blue]: Colour) -> Coarse {
    let of = |channel: u8| Coarse::from(channel >> 4);
    of(red) << 8 | of(green) << 4 | of(blue)
}

/// Returns the colour in the middle of those that are the same.
fn colour(coarse: Coarse) -> Colour {
    [coarse >> 8, coarse >> 4, coarse].map(|channel| u8::try_from(channel & 15).unwrap_or(0) * 17)
}

/// Neighbouring pixels in a row that differ from the picture before.
struct Changed {
    /// The number of the first of them, row by row.
    at: usize,
    colours: Vec<Coarse>,
}

impl Changed {
    /// Writes them as indices into a palette.
    fn paint(&self, numbers: &[u8], pixels: &mut [u8]) {
        let pixels = pixels.get_mut(self.at..).unwrap_or_default();
        for (pixel, colour) in pixels.iter_mut().zip(&self.colours) {
            *pixel = numbers.get(usize::from(*colour)).copied().unwrap_or(0);
        }
    }
}

/// Pictures that were painted one after the other, each as what changed: of a long animation all pixels would be gigabytes.
struct Painted {
    width: u16,
    height: u16,
    frames: Vec<Vec<Changed>>,
    /// How many pixels of each coarse colour all pictures have.
    counts: Vec<u64>,
}

impl Painted {
    /// Paints pictures. One smaller than the others has background beside and below it. Returns `None` if one is too large to paint.
    fn new(lists: &[&List], look: Look, width: u16) -> Option<Self> {
        let units = lists.iter().map(|list| list.width).max().filter(|units| *units > 0)?;
        let tall = lists.iter().map(|list| list.height).max()?;
        let height =
            u16::try_from((i64::from(tall) * i64::from(width) + i64::from(units) - 1) / i64::from(units)).ok()?;
        // Whole numbers of this size are exact as `f32`.
        #[expect(clippy::cast_precision_loss)]
        let scale = f32::from(width) / units as f32;
        let put = |pixmap: &mut Pixmap, list: &List, placed: &Placed| {
            let transform = transform(placed, scale);
            list.shapes(placed).iter().for_each(|shape| paint_shape(pixmap, shape, transform, look));
        };
        let size = [usize::from(width), usize::from(height)];
        let first = lists.first()?;
        // The board, which all of them have in common, is painted once.
        let common = lists.iter().map(|list| alike(first, list)).min().unwrap_or(0);
        let mut board = Pixmap::new(u32::from(width), u32::from(height))?;
        let [red, green, blue] = look.colour(Ink::Paper);
        board.fill(Color::from_rgba8(red, green, blue, 255));
        first.items.iter().take(common).for_each(|placed| put(&mut board, first, placed));
        let mut board = Some(board);
        let mut painted = Self { width, height, frames: Vec::new(), counts: vec![0; COARSE] };
        let mut before: Option<(&List, Pixmap)> = None;
        let mut here = vec![0_u64; COARSE];
        for (nth, list) in lists.iter().enumerate() {
            let anew = before.as_ref().and_then(|(old, pixmap)| {
                let anew = repaint(old, list, common, |list, placed| area(list, placed, scale, size))?;
                (anew.pixels() < size[0] * size[1] / 2).then_some((anew, pixmap))
            });
            let is_last = nth + 1 == lists.len();
            let mut pixmap = match &anew {
                Some((_, pixmap)) => (*pixmap).clone(),
                // A board that nothing else is painted on need not be copied.
                None if is_last => board.take()?,
                None => board.clone()?,
            };
            match anew {
                Some((anew, _)) => {
                    let board = board.as_ref()?;
                    anew.areas.iter().for_each(|area| clear(&mut pixmap, board, *area));
                    let items = anew.items.iter().filter_map(|nth| list.items.get(*nth));
                    items.for_each(|placed| put(&mut pixmap, list, placed));
                }
                None => list.items.iter().skip(common).for_each(|placed| put(&mut pixmap, list, placed)),
            }
            let mut frame = Vec::new();
            for y in 0..usize::from(height) {
                let row = y * usize::from(width)..(y + 1) * usize::from(width);
                let new = pixmap.pixels().get(row.clone()).unwrap_or_default();
                let old = before.as_ref().and_then(|(_, before)| before.pixels().get(row.clone()));
                let (from, to) = match old {
                    Some(old) if old == new => continue,
                    Some(old) => {
                        let differs = |(new, old): (_, _)| new != old;
                        let from = new.iter().zip(old).position(differs).unwrap_or(0);
                        (from, new.iter().zip(old).rposition(differs).map_or(new.len(), |last| last + 1))
                    }
                    None => (0, new.len()),
                };
                let of = |pixels: &[PremultipliedColorU8]| -> Vec<Coarse> {
                    let pixels = pixels.get(from..to).unwrap_or_default();
                    pixels.iter().map(|pixel| coarse([pixel.red(), pixel.green(), pixel.blue()])).collect()
                };
                let colours = of(new);
                for colour in old.map(of).unwrap_or_default() {
                    here[usize::from(colour) % COARSE] -= 1;
                }
                for colour in &colours {
                    here[usize::from(*colour) % COARSE] += 1;
                }
                frame.push(Changed { at: row.start + from, colours });
            }
            painted.frames.push(frame);
            painted.counts.iter_mut().zip(&here).for_each(|(all, here)| *all += here);
            before = Some((list, pixmap));
        }
        Some(painted)
    }

    /// The colours of all pictures, and the index for each coarse colour.
    fn palette(&self, look: Look) -> (Vec<Colour>, Vec<u8>) {
        let used = (0..).zip(&self.counts).filter(|(_, count)| **count > 0);
        let counts = used.map(|(coarse, count)| (colour(coarse), *count)).collect();
        let (palette, numbers) = palette(&counts, look);
        let number = |coarse: Coarse| numbers.get(&colour(coarse)).copied().unwrap_or(0);
        (palette, (0..).take(COARSE).map(number).collect())
    }

    /// As many pixels as a picture has.
    fn blank(&self) -> Vec<u8> {
        vec![0; usize::from(self.width) * usize::from(self.height)]
    }
}

/// How many elements two pictures have in common before the first in which they differ.
fn alike(one: &List, other: &List) -> usize {
    let same = |(a, b): &(&Placed, &Placed)| is_same((one, a), (other, b));
    one.items.iter().zip(&other.items).take_while(same).count()
}

/// Where an element is in a picture of this size: no pixel outside is touched by painting it.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn area(list: &List, placed: &Placed, scale: f32, [width, height]: [usize; 2]) -> Area {
    let transform = transform(placed, scale);
    let own = placed.scale as f32 / 100.0 * scale;
    let (mut least, mut most) = ((f32::MAX, f32::MAX), (f32::MIN, f32::MIN));
    for shape in list.shapes(placed) {
        // The ends and corners of lines are round, and edges are smoothed.
        let margin = 2.0 + shape.stroke.map_or(0.0, |stroke| stroke.width as f32 / 20.0 * own.abs());
        let mut add = |x: i32, y: i32| {
            let mut point = Point::from_xy(x as f32, y as f32);
            transform.map_point(&mut point);
            least = (least.0.min(point.x - margin), least.1.min(point.y - margin));
            most = (most.0.max(point.x + margin), most.1.max(point.y + margin));
        };
        for step in &shape.path.0 {
            match *step {
                Step::Move(x, y) | Step::Line(x, y) => add(x, y),
                // A curve lies within its points.
                Step::Quad(a, b, x, y) => {
                    add(a, b);
                    add(x, y);
                }
                Step::Cubic(a, b, c, d, x, y) => {
                    add(a, b);
                    add(c, d);
                    add(x, y);
                }
                Step::Close => {}
            }
        }
    }
    let within = |at: f32, size: usize| (at.max(0.0) as usize).min(size);
    Area {
        left: within(least.0.floor(), width),
        top: within(least.1.floor(), height),
        right: within(most.0.ceil(), width),
        bottom: within(most.1.ceil(), height),
    }
}

/// Puts the board back in an area.
fn clear(pixmap: &mut Pixmap, board: &Pixmap, area: Area) {
    let width = pixmap.width() as usize;
    for y in area.top..area.bottom {
        let row = y * width + area.left..y * width + area.right;
        if let (Some(here), Some(there)) = (pixmap.pixels_mut().get_mut(row.clone()), board.pixels().get(row)) {
            here.copy_from_slice(there);
        }
    }
}

/// The palette: first the inks, then the most frequent colours; and the index for each coarse colour.
fn palette(counts: &HashMap<Colour, u64>, look: Look) -> (Vec<Colour>, HashMap<Colour, u8>) {
    let mut palette: Vec<Colour> = Vec::new();
    let mut numbers: HashMap<Colour, u8> = HashMap::new();
    for ink in Ink::ALL {
        let colour = look.colour(ink);
        let key = self::colour(coarse(colour));
        if counts.contains_key(&key) && !numbers.contains_key(&key) {
            numbers.insert(key, u8::try_from(palette.len()).unwrap_or(0));
            palette.push(colour);
        }
    }
    let mut others: Vec<(Colour, u64)> = counts.iter().map(|(colour, count)| (*colour, *count)).collect();
    others.sort_unstable_by_key(|(colour, count)| (std::cmp::Reverse(*count), *colour));
    for (colour, _) in others {
        if numbers.contains_key(&colour) {
            continue;
        }
        let near = nearest(&palette, colour);
        if palette.len() < COLOURS && near.is_none_or(|(_, far)| far > 2500) {
            numbers.insert(colour, u8::try_from(palette.len()).unwrap_or(0));
            palette.push(colour);
        } else if let Some((at, _)) = near {
            numbers.insert(colour, u8::try_from(at).unwrap_or(0));
        }
    }
    (palette, numbers)
}

/// The nearest colour of a palette, and the square of its distance.
fn nearest(palette: &[Colour], colour: Colour) -> Option<(usize, u32)> {
    let far = |one: &Colour| one.iter().zip(colour).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum::<u32>();
    palette.iter().map(far).enumerate().min_by_key(|(at, far)| (*far, *at))
}

#[expect(clippy::cast_precision_loss)]
fn transform(placed: &Placed, scale: f32) -> Transform {
    let own = placed.scale as f32 / 100.0 * scale;
    let (x, y) = (placed.at.0 as f32 * scale, placed.at.1 as f32 * scale);
    match placed.turn % 4 {
        0 => Transform::from_row(own, 0.0, 0.0, own, x, y),
        1 => Transform::from_row(0.0, own, -own, 0.0, x, y),
        2 => Transform::from_row(-own, 0.0, 0.0, -own, x, y),
        _ => Transform::from_row(0.0, -own, own, 0.0, x, y),
    }
}

#[expect(clippy::cast_precision_loss)]
fn paint_shape(pixmap: &mut Pixmap, shape: &Shape, transform: Transform, look: Look) {
    let Some(path) = build(&shape.path) else { return };
    let paint = |ink: Ink| {
        let mut paint = Paint::default();
        let [red, green, blue] = look.colour(ink);
        paint.set_color_rgba8(red, green, blue, 255);
        paint
    };
    if let Some(ink) = shape.fill {
        pixmap.fill_path(&path, &paint(ink), FillRule::Winding, transform, None);
    }
    if let Some(stroke) = shape.stroke {
        let pen = Pen {
            width: stroke.width as f32 / 10.0,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            dash: stroke.dash.and_then(|(dash, gap)| StrokeDash::new(vec![dash as f32, gap as f32], 0.0)),
            ..Pen::default()
        };
        pixmap.stroke_path(&path, &paint(stroke.ink), &pen, transform, None);
    }
}

#[expect(clippy::cast_precision_loss)]
fn build(path: &Path) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    let f = |number: i32| number as f32;
    for step in &path.0 {
        match *step {
            Step::Move(x, y) => builder.move_to(f(x), f(y)),
            Step::Line(x, y) => builder.line_to(f(x), f(y)),
            Step::Quad(a, b, x, y) => builder.quad_to(f(a), f(b), f(x), f(y)),
            Step::Cubic(a, b, c, d, x, y) => builder.cubic_to(f(a), f(b), f(c), f(d), f(x), f(y)),
            Step::Close => builder.close(),
        }
    }
    builder.finish()
}

/// Writes pixels as a PNG with a palette.
#[must_use]
pub(crate) fn png(raster: &Raster) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, u32::from(raster.width), u32::from(raster.height));
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(raster.palette.concat());
    // Half a letter's cost would be the packing of its pictures as small as they can get, which is 4 % smaller.
    encoder.set_deflate_compression(png::DeflateCompression::Level(5));
    encoder.set_filter(png::Filter::NoFilter);
    let few = raster.palette.len() <= 16;
    encoder.set_depth(if few { png::BitDepth::Four } else { png::BitDepth::Eight });
    let mut writer = encoder.write_header().ok()?;
    if few {
        // Two pixels per byte, the left one in the upper half; each row begins with a filter byte.
        let pair = |pair: &[u8]| pair.first().map_or(0, |left| left << 4) | pair.get(1).copied().unwrap_or(0);
        let lines = raster.pixels.chunks(usize::from(raster.width));
        let mut packed = Vec::with_capacity(raster.pixels.len() / 2 + usize::from(raster.height));
        lines.for_each(|line| packed.extend(line.chunks(2).map(pair)));
        writer.write_image_data(&packed).ok()?;
    } else {
        writer.write_image_data(&raster.pixels).ok()?;
    }
    writer.finish().ok()?;
    Some(out)
}

/// Writes pictures as an endlessly looping animated GIF with this width in pixels. Each is shown for `delay` hundredths of a second, the
/// last one three times as long. For all but the first, only the part that changed is written.
#[must_use]
pub(crate) fn gif(lists: &[&List], look: Look, width: u16, delay: u16) -> Option<Vec<u8>> {
    let painted = Painted::new(lists, look, width)?;
    let (palette, numbers) = painted.palette(look);
    let clear = u8::try_from(palette.len()).ok()?;
    let mut colours = palette.concat();
    colours.extend([0, 0, 0]);
    let mut out = Vec::new();
    let mut encoder = gif::Encoder::new(&mut out, painted.width, painted.height, &colours).ok()?;
    encoder.set_repeat(gif::Repeat::Infinite).ok()?;
    let mut before: Option<Raster> = None;
    for (number, frame) in painted.frames.iter().enumerate() {
        let mut pixels = before.as_ref().map_or_else(|| painted.blank(), |before| before.pixels.clone());
        frame.iter().for_each(|span| span.paint(&numbers, &mut pixels));
        let raster = Raster { width: painted.width, height: painted.height, palette: Vec::new(), pixels };
        let [left, top, right, bottom] =
            before.as_ref().map_or([0, 0, raster.width, raster.height], |old| changed(old, &raster));
        let mut buffer = Vec::with_capacity(usize::from(right - left) * usize::from(bottom - top));
        for y in top..bottom {
            let start = usize::from(y) * usize::from(raster.width);
            let span = start + usize::from(left)..start + usize::from(right);
            let new = raster.pixels.get(span.clone())?;
            match before.as_ref().and_then(|old| old.pixels.get(span)) {
                Some(old) => buffer.extend(new.iter().zip(old).map(|(new, old)| if new == old { clear } else { *new })),
                None => buffer.extend_from_slice(new),
            }
        }
        let last = number + 1 == painted.frames.len();
        let written = gif::Frame {
            left,
            top,
            width: right - left,
            height: bottom - top,
            delay: if last { delay.saturating_mul(3) } else { delay },
            transparent: before.as_ref().map(|_| clear),
            dispose: gif::DisposalMethod::Keep,
            buffer: buffer.into(),
            ..gif::Frame::default()
        };
        encoder.write_frame(&written).ok()?;
        before = Some(raster);
    }
    drop(encoder);
    Some(out)
}

/// The part of a picture that differs from another one; one pixel if they are the same.
fn changed(old: &Raster, new: &Raster) -> [u16; 4] {
    let mut part: Option<[u16; 4]> = None;
    let lines = new.pixels.chunks(usize::from(new.width)).zip(old.pixels.chunks(usize::from(old.width)));
    for ((new, old), y) in lines.zip(0_u16..) {
        if new == old {
            continue;
        }
        let differs = |(new, old): (&u8, &u8)| new != old;
        let Some(left) = new.iter().zip(old).position(differs) else { continue };
        let right = new.iter().zip(old).rposition(differs).unwrap_or(left) + 1;
        let (left, right) = (u16::try_from(left).unwrap_or(0), u16::try_from(right).unwrap_or(u16::MAX));
        part = Some(match part {
            None => [left, y, right, y + 1],
            Some([l, t, r, _]) => [l.min(left), t, r.max(right), y + 1],
        });
    }
    part.unwrap_or([0, 0, 1, 1])
}
