//! Charts as SVG for the documentation.
//!
//! A README is read on a white and on a dark page, and an image in it cannot know on which. So the
//! ground is left transparent, and every colour is of middle lightness: a contrast of at least 3 to
//! both, what WCAG 2.1 asks of graphics.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Axes and text.
const INK: RGBColor = RGBColor(0x73, 0x7b, 0x86);
const FONT: &str = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
/// Pixels of a line of text.
const LINE: i32 = 16;
/// In the backend's unit, which is 1.24 of a pixel.
const TEXT: f64 = 16.0;
const TITLE: f64 = 19.0;

/// What stands out.
pub(crate) const ACCENT: RGBColor = RGBColor(0xe0, 0x52, 0x0c);
/// What it is compared with.
pub(crate) const OTHERS: [RGBColor; 8] = [
    RGBColor(0x3b, 0x82, 0xf6),
    RGBColor(0x8b, 0x5c, 0xf6),
    RGBColor(0x0d, 0x94, 0x88),
    RGBColor(0x5b, 0x8f, 0x0e),
    RGBColor(0xc1, 0x3f, 0xd6),
    RGBColor(0xa1, 0x6b, 0x07),
    RGBColor(0x84, 0x8b, 0x96),
    RGBColor(0x02, 0x84, 0xc7),
];

/// A line of a chart; `x` is a size in bytes.
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) colour: RGBColor,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A bar of a chart.
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
}

/// Throughput in GB/s over the size of a message, one labelled line each, the first one heavy.
pub(crate) fn throughput(title: &str, lines: &[Line]) -> Result<String> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let sizes = || points().map(|point| point.0);
    let (least, most) = (sizes().fold(f64::MAX, f64::min), sizes().fold(0.0, f64::max));
    let top = points().map(|point| point.1).fold(0.0, f64::max) * 1.05;
    let ticks: Vec<_> = (0..32).map(|n| f64::from(1u32 << n)).collect();
    let ticks = ticks.iter().step_by(2).copied().filter(|tick| (least..=most).contains(tick));

    draw(880, 460, |root| {
        caption(root, title)?;
        let x = (least..most).log_scale().with_key_points(ticks.collect());
        let mut chart = ChartBuilder::on(root)
            .margin_top(40)
            .margin_left(12)
            .margin_right(190)
            .margin_bottom(8)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(x, 0.0..top)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(INK.mix(0.3))
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .label_style((FONT, TEXT).into_font().color(&INK))
            .x_labels(32)
            .x_label_formatter(&|&size| bytes(size))
            .x_desc("bytes of message")
            .y_desc("GB/s")
            .draw()?;
        // The heavy one last, so that it is on top.
        for (i, line) in lines.iter().enumerate().rev() {
            let style = line.colour.stroke_width(if i == 0 { 4 } else { 2 });
            chart.draw_series(LineSeries::new(line.points.iter().copied(), style))?;
            let radius = if i == 0 { 4 } else { 3 };
            let dot = |&point| Circle::new(point, radius, line.colour.filled());
            chart.draw_series(line.points.iter().map(dot))?;
        }
        let ends = lines.iter().filter_map(|line| line.points.last());
        let ends: Vec<_> = ends.map(|point| chart.backend_coord(point)).collect();
        let heights = apart(&ends.iter().map(|end| end.1).collect::<Vec<_>>());
        for ((line, end), y) in lines.iter().zip(ends).zip(heights) {
            let middle = Pos::new(HPos::Left, VPos::Center);
            let style = (FONT, TEXT).into_font().color(&line.colour).pos(middle);
            root.draw_text(&line.label, &style, (end.0 + 12, y))?;
        }
        Ok(())
    })
}

/// How many times as fast, a bar each, from the top down. A rule marks "no difference".
pub(crate) fn times(title: &str, bars: &[Bar]) -> Result<String> {
    let most = bars.iter().map(|bar| bar.value).fold(1.0, f64::max) * 1.1;
    let height = 24 * bars.len() as u32 + 70;
    draw(880, height, |root| {
        caption(root, title)?;
        let mut chart = ChartBuilder::on(root)
            .margin_top(40)
            .margin_right(20)
            .margin_bottom(8)
            .x_label_area_size(26)
            .y_label_area_size(250)
            .build_cartesian_2d(0.0..most, 0.0..1.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .bold_line_style(INK.mix(0.3))
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .label_style((FONT, TEXT).into_font().color(&INK))
            .x_label_formatter(&|times| format!("{times}"))
            .draw()?;
        let plane = chart.plotting_area();
        let (width, rows) = plane.get_pixel_range();
        let pixel =
            |times: f64| width.start + (times / most * f64::from(width.end - width.start)) as i32;
        let step = f64::from(rows.end - rows.start) / bars.len() as f64;
        for (i, bar) in bars.iter().enumerate() {
            let middle = rows.start + (step * (i as f64 + 0.5)) as i32;
            let corners = [(pixel(0.0), middle - 7), (pixel(bar.value), middle + 7)];
            root.draw(&Rectangle::new(corners, ACCENT.filled()))?;
            let text = |h_pos| {
                let anchor = Pos::new(h_pos, VPos::Center);
                (FONT, TEXT).into_font().color(&INK).pos(anchor)
            };
            root.draw_text(&bar.label, &text(HPos::Right), (width.start - 8, middle))?;
            let value = format!("{:.2}", bar.value);
            root.draw_text(&value, &text(HPos::Left), (pixel(bar.value) + 6, middle))?;
        }
        let rule = vec![(pixel(1.0), rows.start), (pixel(1.0), rows.end)];
        root.draw(&PathElement::new(rule, INK))?;
        Ok(())
    })
}

type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(width: u32, height: u32, with: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String> {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
    with(&root).and_then(|()| Ok(root.present()?)).map_err(|error| anyhow!("chart: {error}"))?;
    drop(root);
    Ok(svg)
}

fn caption(root: &Area<'_>, title: &str) -> Drawn {
    let style = (FONT, TITLE, FontStyle::Bold).into_font().color(&INK);
    Ok(root.draw_text(title, &style, (12, 10))?)
}

/// Where labels go that want to be at `wanted`: as near to it as leaves each a line of its own.
fn apart(wanted: &[i32]) -> Vec<i32> {
    let mut order: Vec<_> = (0..wanted.len()).collect();
    order.sort_by_key(|&i| wanted[i]);
    // Runs of labels that touch; each is centred on what its members want.
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let start = |run: &[usize]| {
        let offsets = run.iter().zip(0..).map(|(&i, n)| wanted[i] - n * LINE);
        offsets.sum::<i32>() / run.len() as i32
    };
    for i in order {
        let mut run = vec![i];
        while let Some(above) =
            runs.pop_if(|above| start(above) + above.len() as i32 * LINE > start(&run))
        {
            run.splice(0..0, above);
        }
        runs.push(run);
    }
    let mut places = vec![0; wanted.len()];
    for run in runs {
        for (&i, n) in run.iter().zip(0..) {
            places[i] = start(&run) + n * LINE;
        }
    }
    places
}

/// A size as it is on an axis.
fn bytes(size: f64) -> String {
    let size = size as u64;
    if size >= 1024 && size.is_multiple_of(1024) {
        format!("{} KiB", size / 1024)
    } else {
        size.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_overlap() {
        assert_eq!(apart(&[100, 300, 200]), [100, 300, 200]);
        let places = apart(&[100, 102, 98, 300]);
        assert_eq!(places[3], 300);
        assert!(places[2] + LINE <= places[0] && places[0] + LINE <= places[1]);
    }

    #[test]
    fn charts_name_what_they_show() {
        let line = |label: &str| Line {
            label: label.to_owned(),
            colour: ACCENT,
            points: vec![(16.0, 0.1), (65536.0, 2.5)],
        };
        let svg = throughput("Sealing", &[line("first"), line("second")]).unwrap();
        for text in ["Sealing", "first", "second", "64 KiB", "GB/s"] {
            assert!(svg.contains(text), "{text}");
        }
        let svg = times("Worth", &[Bar { label: "age".to_owned(), value: 2.5 }]).unwrap();
        assert!(svg.contains("age") && svg.contains("2.50"));
        let bars: Vec<_> = (0..30)
            .map(|i| Bar { label: format!("program {i}"), value: 0.94 + 0.36 * f64::from(i) })
            .collect();
        assert!(times("Many", &bars).unwrap().contains("program 29"));
    }
}
