//! docs/terminal.svg: the moving picture of the README, from real commands in a terminal of 80 columns.
//!
//! The commands run in a pseudo terminal, one after the other in a scratch folder; their output, as a terminal shows it in the
//! end, becomes lines of an SVG that CSS types, shows and scrolls. There is no script in it. What is printed depends on no
//! clock, so that `--check` runs the same commands and compares.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use portable_pty::{CommandBuilder, NativePtySystem, PtySize, PtySystem};

use super::results::program;

/// The picture.
const PICTURE: &str = "docs/terminal.svg";

/// The columns of the terminal.
const COLUMNS: u16 = 80;
/// The lines that the picture shows at once.
const SHOWN: usize = 26;
/// The most lines that one command may print.
const MOST: u16 = 200;

/// The commands, which follow one another in one folder.
const COMMANDS: [&[&str]; 4] = [
    &["image", "button-freertos-interrupt-3-stm32c031c6", "--out", "fw.elf"],
    &[
        "measure",
        "fw.elf",
        "--chip",
        "stm32c031c6",
        "--for",
        "1s",
        "--guest-output",
        "none",
        "--stimulus",
        "presses 3 of PC13 low from 100ms gap 50ms..90ms seed 1",
        "--span",
        "heard=pin:PC13:edge..symbol:cyclescope_button_runs",
    ],
    &["profile", "fw.elf", "--chip", "stm32c031c6", "--for", "1s", "--top", "6", "--by", "function"],
    &["size", "fw.elf", "--top", "6"],
];

/// The width of a letter and the height of a line, in the picture's units.
const LETTER: f64 = 7.83;
const LINE: f64 = 17.0;

/// A line of the terminal: runs of text with their colour.
type Line = Vec<(String, Colour)>;

/// The colours that the picture has, as names of its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colour {
    Plain,
    Strong,
    Faint,
    Numbered(u8),
}

impl Colour {
    fn class(self) -> String {
        match self {
            Self::Plain => String::new(),
            Self::Strong => " class=\"b\"".to_owned(),
            Self::Faint => " class=\"f\"".to_owned(),
            Self::Numbered(number) => format!(" class=\"c{number}\""),
        }
    }
}

/// A command as it was typed, and what it printed.
struct Scene {
    typed: String,
    printed: Vec<Line>,
}

/// Makes the picture, or with `check` fails where the commands print something else.
pub(super) fn refresh(root: &Path, check: bool) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("no scratch folder")?;
    let scenes = COMMANDS.iter().map(|command| scene(root, command, folder.path()));
    let new = drawn(&scenes.collect::<anyhow::Result<Vec<_>>>()?);
    let old = std::fs::read_to_string(root.join(PICTURE)).unwrap_or_default();
    if old == new {
        println!("{PICTURE} is up to date");
    } else if check {
        bail!("{PICTURE} shows what the commands no longer print: run `cargo xtask docs --results picture`");
    } else {
        std::fs::write(root.join(PICTURE), new).with_context(|| format!("{PICTURE} cannot be written"))?;
        println!("{PICTURE} written");
    }
    Ok(())
}

/// Runs one command.
fn scene(root: &Path, arguments: &[&str], folder: &Path) -> anyhow::Result<Scene> {
    let size = PtySize { rows: MOST, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
    let pair = NativePtySystem::default().openpty(size).context("there is no pseudo terminal")?;
    let mut command = CommandBuilder::new(program(root)?);
    command.args(arguments);
    command.cwd(folder);
    for (name, value) in [("TERM", "xterm-256color"), ("COLUMNS", "80")] {
        command.env(name, value);
    }
    for name in ["NO_COLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let mut child = pair.slave.spawn_command(command).context("the command cannot be run")?;
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader()?;
    let mut screen = vt100::Parser::new(MOST, COLUMNS, 0);
    let mut bytes = [0; 4096];
    // A terminal whose programs have ended fails with EIO on Linux.
    while let Ok(count @ 1..) = reader.read(&mut bytes) {
        screen.process(&bytes[..count]);
    }
    ensure!(child.wait()?.success(), "`cyclescope {}` failed: {}", arguments.join(" "), screen.screen().contents());
    Ok(Scene { typed: typed(arguments), printed: lines(screen.screen()) })
}

/// A command as one types it.
fn typed(arguments: &[&str]) -> String {
    let quoted = |word: &&str| if word.contains(' ') { format!("'{word}'") } else { (*word).to_owned() };
    format!("cyclescope {}", arguments.iter().map(quoted).collect::<Vec<_>>().join(" "))
}

/// The lines of `screen` up to the last that is not empty.
fn lines(screen: &vt100::Screen) -> Vec<Line> {
    let mut all: Vec<Line> = (0..MOST).map(|row| line(screen, row)).collect();
    while all.last().is_some_and(Vec::is_empty) {
        all.pop();
    }
    all
}

fn line(screen: &vt100::Screen, row: u16) -> Line {
    let mut runs: Line = Vec::new();
    for column in 0..COLUMNS {
        let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else { continue };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let colour = match cell.fgcolor() {
            vt100::Color::Idx(number) => Colour::Numbered(number % 8),
            _ if cell.dim() => Colour::Faint,
            _ if cell.bold() => Colour::Strong,
            _ => Colour::Plain,
        };
        match runs.last_mut() {
            Some((known, last)) if *last == colour => known.push_str(text),
            _ => runs.push((text.to_owned(), colour)),
        }
    }
    while let Some((text, _)) = runs.last_mut() {
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            break;
        }
        runs.pop();
    }
    runs
}

/// Text for SVG.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The lines that a command takes at the prompt, broken at words.
fn prompt(typed: &str) -> Vec<String> {
    let mut lines = vec!["$".to_owned()];
    for word in typed.split(' ') {
        let room = usize::from(COLUMNS) - 2;
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= room => *line += &format!(" {word}"),
            _ => lines.push(format!("    {word}")),
        }
    }
    let last = lines.len() - 1;
    lines.iter_mut().take(last).for_each(|line| line.push_str(" \\"));
    lines
}

/// The scenes as a picture.
fn drawn(scenes: &[Scene]) -> String {
    let mut rows = String::new();
    let mut moves: Vec<(f64, usize)> = Vec::new();
    let (mut time, mut count) = (0.5, 0);
    let mut shows: Vec<f64> = Vec::new();
    for scene in scenes {
        for line in prompt(&scene.typed) {
            shows.push(time);
            rows += &row(count, &[(line.clone(), Colour::Strong)]);
            // A hand that types.
            time += 0.025 * line.chars().count() as f64;
            count += 1;
        }
        time += 0.4;
        for line in &scene.printed {
            shows.push(time);
            rows += &row(count, line);
            time += 0.03;
            count += 1;
        }
        moves.push((time, count));
        count += 1;
        shows.push(time);
        time += 3.5;
    }
    let whole = time + 1.5;
    let mut style = String::new();
    // Each line appears at its time, and stays until the picture begins anew.
    for (index, at) in shows.iter().enumerate() {
        let share = 100.0 * at / whole;
        style += &format!("@keyframes l{index}{{0%,{share:.2}%{{opacity:0}}{:.2}%,100%{{opacity:1}}}}", share + 0.01);
        style += &format!("#l{index}{{animation:l{index} {whole:.1}s step-end infinite}}");
    }
    let mut scroll = String::from("@keyframes s{0%{transform:none}");
    for (index, (at, lines)) in moves.iter().enumerate() {
        let begin = if index == 0 { 0.0 } else { moves[index - 1].0 + 3.0 };
        let up = lines.saturating_sub(SHOWN) as f64 * LINE;
        scroll += &format!(
            "{:.2}%,{:.2}%{{transform:translateY(-{up}px)}}",
            100.0 * begin.max(at - 1.0) / whole,
            100.0 * (at + 3.0) / whole
        );
    }
    scroll += "}";
    let (width, height) = (f64::from(COLUMNS) * LETTER + 32.0, SHOWN as f64 * LINE + 32.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"img\" aria-label=\"cyclescope in a terminal: an image is written, its answer to a button is measured, its size shown\">\n\
         <style>{STYLE}\n{style}\n{scroll}#s{{animation:s {whole:.1}s linear infinite}}\n\
         @media (prefers-reduced-motion:reduce){{#s,#s *{{animation:none!important}}}}</style>\n\
         <rect class=\"g\" x=\".5\" y=\".5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"8\"/>\n\
         <clipPath id=\"p\"><rect x=\"0\" y=\"12\" width=\"{width:.0}\" height=\"{:.0}\"/></clipPath>\n\
         <g clip-path=\"url(#p)\"><g id=\"s\">\n{rows}</g></g>\n</svg>\n",
        width - 1.0,
        height - 1.0,
        height - 24.0,
    )
}

/// Colours on light paper and on dark.
const STYLE: &str = "text{font:13px ui-monospace,'SF Mono','Cascadia Mono','DejaVu Sans Mono',monospace;white-space:pre;fill:#1b1e24}\
    .g{fill:#fcfcfb;stroke:#d5d8dd}.b{font-weight:700}.f{fill:#596070}.c1{fill:#b3263a}.c2{fill:#0f7048}.c3{fill:#8a5a00}\
    .c4{fill:#0b62c4}.c5{fill:#a3378c}.c6{fill:#0b6b80}.c0,.c7{fill:#596070}\
    @media (prefers-color-scheme:dark){text{fill:#e6e8ec}.g{fill:#14161a;stroke:#2c3139}.f,.c0,.c7{fill:#a0a8b5}.c1{fill:#ff8391}\
    .c2{fill:#4fd0a6}.c3{fill:#e0c04a}.c4{fill:#6fb0ff}.c5{fill:#e58ad0}.c6{fill:#7fd5e8}}";

fn row(index: usize, line: &[(String, Colour)]) -> String {
    let y = 28.0 + index as f64 * LINE;
    let mut column = 0;
    let mut runs = String::new();
    for (text, colour) in line {
        let length = text.chars().count();
        let (x, wide) = (16.0 + column as f64 * LETTER, length as f64 * LETTER);
        // Whatever font there is, columns stand where they stood.
        runs += &format!(
            "<tspan x=\"{x:.1}\" textLength=\"{wide:.1}\" lengthAdjust=\"spacingAndGlyphs\"{}>{}</tspan>",
            colour.class(),
            escaped(text)
        );
        column += length;
    }
    format!("<text id=\"l{index}\" xml:space=\"preserve\" y=\"{y:.0}\">{runs}</text>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_becomes_runs_of_one_colour_and_a_picture_without_scripts() {
        let mut parser = vt100::Parser::new(MOST, COLUMNS, 0);
        parser.process("\x1b[1mname\x1b[0m  \x1b[32m5 <\x1b[0m\r\n\r\nlast".as_bytes());
        let printed = lines(parser.screen());
        let run = |text: &str, colour| (text.to_owned(), colour);
        assert_eq!(printed.len(), 3);
        assert_eq!(
            printed[0],
            [run("name", Colour::Strong), run("  ", Colour::Plain), run("5 <", Colour::Numbered(2))]
        );
        let svg = drawn(&[Scene { typed: "cyclescope list".to_owned(), printed }]);
        assert!(svg.contains("5 &lt;") && svg.contains("@keyframes l0{") && !svg.contains("<script"), "{svg}");
        assert!(svg.contains("prefers-color-scheme:dark") && svg.contains("prefers-reduced-motion"), "{svg}");
        assert_eq!(svg.matches("<text ").count(), 4, "the command and three lines");
    }

    #[test]
    fn commands_are_broken_at_words_to_the_terminal() {
        let long = typed(&[
            "measure",
            "fw.elf",
            "--stimulus",
            "presses 3 of PC13 low from 100ms gap 50ms..90ms seed 1 and more of it",
        ]);
        let lines = prompt(&long);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= usize::from(COLUMNS)), "{lines:?}");
        assert!(lines[0].starts_with("$ cyclescope measure") && lines[0].ends_with(" \\"));
        assert!(long.contains("--stimulus 'presses 3"));
    }
}
