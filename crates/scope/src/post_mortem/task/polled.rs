//! The running task of Embassy and RTIC, by the functions in a backtrace.
//!
//! Functions have their names of the symbol table (`app::__blink_task::{{closure}}`) or of the debug information
//! (`poll<app::__blink_task::{async_fn_env#0}>`).

use cyclescope_image::Image;

use crate::backtrace::{Backtrace, Call, Level};

/// The function of Embassy that polls one task: `embassy_executor::raw::TaskStorage<F>::poll`, which tasks call by a pointer.
const TASK_STORAGE: &str = "embassy_executor::raw::TaskStorage<";

/// The ends of a coroutine's name behind its function's.
const COROUTINES: [&str; 5] =
    ["::{async_fn_env#", "::{async_block_env#", "::{{closure}}", "::{closure#", "::{coroutine_env#"];

/// Names the innermost task in `backtrace`, if an executor runs one.
pub(super) fn running(image: &Image, backtrace: &Backtrace) -> Option<String> {
    let mut levels = backtrace.levels.as_slice();
    loop {
        // The levels up to an exception are of one handler, or of the code that none interrupted.
        let end = levels.iter().position(|level| matches!(level, Level::Exception { .. }));
        let (own, rest) = levels.split_at(end.unwrap_or(levels.len()));
        let calls: Vec<&Call> =
            own.iter().filter_map(|level| if let Level::Call(call) = level { Some(call) } else { None }).collect();
        if let Some(task) = embassy(image, &calls).or_else(|| end.and_then(|_| rtic(&calls))) {
            return Some(task);
        }
        levels = rest.get(1..)?;
    }
}

/// Names the task that Embassy polls nearest in `calls`.
fn embassy(image: &Image, calls: &[&Call]) -> Option<String> {
    let symbol = |call: &Call| image.function_at(call.pc).map(|symbol| symbol.display_name());
    let is_poll =
        |call: &&Call| symbol(call).is_some_and(|name| name.contains(TASK_STORAGE) && name.ends_with("::poll"));
    let level = calls.iter().position(is_poll)?;
    let around = calls[..=level].iter().rev().flat_map(|call| names(call).rev());
    let path = symbol(calls[level]).into_iter().chain(around).find_map(coroutine)?;
    Some(format!("`{}`, a task of Embassy", task_of_embassy(path)))
}

/// The name that the user gave the task: `#[embassy_executor::task] async fn blink` becomes `__blink_task`, and `main` of
/// `#[embassy_executor::main]` becomes the task `__embassy_main`.
pub(crate) fn task_of_embassy(path: &str) -> &str {
    let task = path.split("::").find_map(|segment| segment.strip_prefix("__")?.strip_suffix("_task"));
    match task {
        Some("__embassy_main") => "main",
        Some(task) if !task.is_empty() => task,
        _ => path.rsplit("::").next().unwrap_or(path),
    }
}

/// Names the task of RTIC whose interrupt handler `calls` are. The handler calls `rtic::export::run` with a closure or the
/// function `exec`, which calls the task or, in a dispatcher of RTIC 2, polls it.
fn rtic(calls: &[&Call]) -> Option<String> {
    let names: Vec<&str> = calls.iter().flat_map(|call| names(call)).collect();
    let run = names.iter().rposition(|name| is_run(name))?;
    let mut inwards = names[..run].iter().rev().copied().peekable();
    inwards.peek().filter(|name| is_between(name))?;
    let first = inwards.find(|name| !is_between(name))?;
    let handler = names.get(run + 1).map(|name| last(name));
    let within = handler.map(|handler| format!(" in {handler}")).unwrap_or_default();
    let polls = first.starts_with("poll<") || first.contains("::AsyncTaskExecutor<") && first.ends_with("::poll");
    if polls {
        let path = coroutine(first).or_else(|| coroutine(inwards.next()?))?;
        return Some(format!("`{}`, a software task of RTIC{within}", last(path)));
    }
    let name = last(first);
    let plain = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (plain && name != "new").then(|| format!("`{name}`, a task of RTIC{within}"))
}

fn is_run(name: &str) -> bool {
    let generic = || name.strip_prefix("run<").is_some_and(|of| of == "fn()>" || of.contains("::{closure_env#"));
    name.starts_with("rtic::export::run") || generic()
}

/// Tells if `name` is of what RTIC makes between its `run` and the task.
fn is_between(name: &str) -> bool {
    let closure = name.starts_with("{closure#") || name.ends_with("::{{closure}}");
    closure || name.starts_with("call_once<") || name.ends_with("FnOnce::call_once") || last(name) == "exec"
}

/// The functions of a level, the innermost first.
fn names(call: &Call) -> impl DoubleEndedIterator<Item = &str> {
    call.frames.iter().filter_map(|frame| frame.function.as_deref())
}

/// The path of the function whose coroutine `name` tells of, if it does.
pub(crate) fn coroutine(name: &str) -> Option<&str> {
    let end = COROUTINES.iter().filter_map(|mark| name.find(mark)).min()?;
    let path = name[..end].rsplit(['<', ' ', ',', '&', '(']).next()?;
    (!path.is_empty()).then_some(path)
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use cyclescope_image::Frame;
    use cyclescope_machine::units::Address;

    use super::*;

    /// The task of RTIC in levels of these functions, the innermost first.
    fn of(levels: &[&[&str]]) -> Option<String> {
        let frame = |name: &&str| Frame { function: Some((*name).to_owned()), line: None };
        let call = |functions: &&[&str]| Call {
            pc: Address::new(0x100),
            frames: functions.iter().map(frame).collect(),
            guessed: false,
        };
        let calls: Vec<Call> = levels.iter().map(call).collect();
        rtic(&calls.iter().collect::<Vec<_>>())
    }

    #[test]
    fn tasks_of_rtic_are_what_the_handler_runs_or_polls() {
        let run = "run<app::app::EXTI0::{closure_env#0}>";
        let software = "`blink`, a software task of RTIC in EXTI0";
        let poll = "poll<app::app::blink::{async_fn_env#0}>";
        assert_eq!(of(&[&["{async_fn#0}", poll, "{closure#0}", run, "EXTI0"]]).as_deref(), Some(software));
        // Named by the symbol table alone.
        let levels: [&[&str]; 5] = [
            &["app::app::blink::{{closure}}"],
            &["rtic::export::executor::AsyncTaskExecutor<F>::poll"],
            &["app::app::EXTI0::{{closure}}"],
            &["rtic::export::run"],
            &["EXTI0"],
        ];
        assert_eq!(of(&levels).as_deref(), Some(software));
        // RTIC 1, and tasks bound to interrupts: a call.
        let plain = Some("`on_button`, a task of RTIC in EXTI0");
        assert_eq!(of(&[&["set_low", "on_button", "{closure#0}", run, "EXTI0"]]).as_deref(), plain);
        let exec = ["on_button", "exec", "call_once<fn(), ()>", "run<fn()>", "EXTI0"];
        assert_eq!(of(&[&exec]).as_deref(), plain);
        assert_eq!(of(&[&["set_low"], &["app::app::on_button"], &["{closure#0}", run, "EXTI0"]]).as_deref(), plain);
    }

    #[test]
    fn a_handler_of_rtic_between_its_tasks_is_in_none() {
        let run = "run<app::app::EXTI0::{closure_env#0}>";
        for inner in
            [&["write"][..], &["new", "{closure#0}"], &["is_running<app::app::blink::{async_fn_env#0}>", "{closure#0}"]]
        {
            assert_eq!(of(&[&[inner, &[run, "EXTI0"]].concat()]), None, "{inner:?}");
        }
        assert_eq!(of(&[&["blink", "EXTI0"]]), None);
    }

    #[test]
    fn tasks_of_embassy_have_the_names_that_the_user_gave() {
        for (path, task) in [
            ("app::__blink_task", "blink"),
            ("app::__count_task::__count_task_inner_function", "count"),
            ("app::____embassy_main_task::____embassy_main_task_inner_function", "main"),
            ("app::own_future", "own_future"),
            ("__task", "__task"),
        ] {
            assert_eq!(task_of_embassy(path), task);
        }
    }

    #[test]
    fn coroutines_are_known_in_both_tables() {
        for (name, path) in [
            ("<embassy_executor::raw::TaskStorage<app::__blink_task::{closure#0}>>::poll", Some("app::__blink_task")),
            ("poll<app::app::blink::{async_fn_env#0}>", Some("app::app::blink")),
            ("app::__blink_task::{{closure}}", Some("app::__blink_task")),
            ("{async_fn#0}", None),
            ("poll<::{async_fn_env#0}>", None),
            ("main", None),
        ] {
            assert_eq!(coroutine(name), path, "{name}");
        }
    }
}
