//! The result of attribution, sorted and named.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use cyclescope_image::SourceLine;
use cyclescope_units::{Address, Cycles, Instructions};

use super::code::{FunctionId, Slot};
use super::tree::{Node, ROOT};
use super::{ASLEEP, Attribution, BETWEEN, Class, NOBODY, Who};

/// Instructions, and cycles with those in which nothing retired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Instructions retired.
    pub instructions: Instructions,
    /// Cycles.
    pub cycles: Cycles,
}

impl Cost {
    const fn new(instructions: u64, cycles: u64) -> Self {
        Self { instructions: Instructions::new(instructions), cycles: Cycles::new(cycles) }
    }

    /// Adds another.
    pub fn add(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.cycles += other.cycles;
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), |mut sum, cost| {
            sum.add(cost);
            sum
        })
    }
}

/// What one function took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCost {
    /// Its name, demangled; in parentheses what is no function: `(asleep)`, `(exception SysTick)`.
    pub name: String,
    /// Where it begins, if it is one.
    pub address: Option<Address>,
    /// How often it was entered: called, jumped to from another one, or begun with.
    pub calls: u64,
    /// By itself.
    pub own: Cost,
    /// With what it called, each instruction once however it recurses; exceptions taken meanwhile do not count.
    pub total: Cost,
}

/// What one path of calls took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathCost {
    /// The functions, outermost first.
    pub functions: Vec<Arc<str>>,
    /// How often it was taken.
    pub calls: u64,
    /// The last function by itself.
    pub own: Cost,
    /// With what it called.
    pub total: Cost,
}

/// What the instructions of one source line took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The line, the innermost where code is inlined; none for instructions without one, and where nothing retired.
    pub line: Option<SourceLine>,
    /// What it took.
    pub cost: Cost,
}

/// What one function took where it is inlined into another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineCost {
    /// The inlined function.
    pub name: String,
    /// The function that holds its code.
    pub into: String,
    /// By itself.
    pub own: Cost,
    /// With what is inlined into it in turn.
    pub total: Cost,
}

/// What one kind of instruction took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassCost {
    /// The kind; in parentheses where nothing retired.
    pub name: String,
    /// What it took.
    pub cost: Cost,
}

/// What one caller's calls of a helper took: memcpy and its kin, and what compilers call for arithmetic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallCost {
    /// The helper.
    pub helper: String,
    /// Who called it.
    pub caller: String,
    /// How often.
    pub calls: u64,
    /// With what it called in turn.
    pub total: Cost,
}

/// What one instruction took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionCost {
    /// Where it is.
    pub pc: Address,
    /// The function that it is in.
    pub function: Arc<str>,
    /// Its kind.
    pub class: Class,
    /// How often it retired, and its cycles.
    pub cost: Cost,
}

/// Whose every instruction and cycle was.
///
/// Each list's own costs sum to `total`, exactly; all are sorted by cycles, greatest first, and then by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// How often the span was counted.
    pub occurrences: u64,
    /// Instructions, and the cycles from the spans' first events to their last.
    pub total: Cost,
    /// By function.
    pub functions: Vec<FunctionCost>,
    /// By path of calls.
    pub paths: Vec<PathCost>,
    /// By source line. One row without a line if the image has no line tables.
    pub lines: Vec<LineCost>,
    /// By inlined function; these are parts of the functions, and do not sum to the total.
    pub inlined: Vec<InlineCost>,
    /// By kind of instruction.
    pub classes: Vec<ClassCost>,
    /// Helpers by who called them; these are parts as well.
    pub helpers: Vec<CallCost>,
    /// By instruction, in order of addresses; where nothing retired there is none.
    pub instructions: Vec<InstructionCost>,
}

/// Names what was counted.
pub(super) fn account(counted: &Attribution<'_>, exceptions: &[(u16, &str)]) -> Account {
    let names: Vec<Arc<str>> = counted.who.iter().map(|who| name(who, exceptions)).collect();
    let nodes = counted.tree.nodes();
    let totals = totals(nodes);
    let slots = counted.code.counted(&counted.runs);
    let retired: Cost = slots.iter().map(|(_, slot)| own_of_slot(slot)).sum();
    let total = Cost::new(counted.instructions, counted.elapsed);
    let idle = Cost { cycles: total.cycles.saturating_sub(retired.cycles), ..Cost::default() };
    let (lines, inlined) = by_source(counted, &slots, &names, idle);
    Account {
        occurrences: counted.occurrences,
        total,
        functions: by_function(nodes, &totals, &names, &counted.who),
        paths: by_path(nodes, &totals, &names),
        lines,
        inlined,
        classes: by_class(nodes, &slots, &names, &counted.who),
        helpers: by_helper(nodes, &totals, &names),
        instructions: slots
            .iter()
            .map(|(pc, slot)| InstructionCost {
                pc: *pc,
                function: names[slot.function as usize].clone(),
                class: slot.kind.class,
                cost: own_of_slot(slot),
            })
            .collect(),
    }
}

/// Names the paths.
pub(super) fn paths(counted: &Attribution<'_>, exceptions: &[(u16, &str)]) -> Vec<PathCost> {
    let names: Vec<Arc<str>> = counted.who.iter().map(|who| name(who, exceptions)).collect();
    let nodes = counted.tree.nodes();
    by_path(nodes, &totals(nodes), &names)
}

fn name(who: &Who, exceptions: &[(u16, &str)]) -> Arc<str> {
    match who {
        Who::Function(_, name) => name.clone(),
        Who::Nameless => "(no symbol)".into(),
        Who::Exception(number) => match exceptions.iter().find(|(known, _)| known == number) {
            Some((_, name)) => format!("(exception {name})").into(),
            None => format!("(exception {number})").into(),
        },
        Who::Asleep => "(asleep)".into(),
        Who::Between => "(between instructions)".into(),
        Who::Nobody => "(outside)".into(),
    }
}

fn own_of_slot(slot: &Slot) -> Cost {
    Cost::new(slot.instructions, slot.cycles)
}

fn own(node: &Node) -> Cost {
    Cost::new(node.instructions, node.cycles)
}

/// Each path with all that it called.
fn totals(nodes: &[Node]) -> Vec<Cost> {
    let mut totals: Vec<Cost> = nodes.iter().map(own).collect();
    for index in (1..nodes.len()).rev() {
        let total = totals[index];
        totals[nodes[index].parent as usize].add(total);
    }
    totals
}

/// The functions on the way to the root, the path's own first.
fn upwards(nodes: &[Node], path: usize) -> impl Iterator<Item = FunctionId> {
    let parent = move |path: &usize| Some(nodes[*path].parent as usize).filter(|parent| *parent != ROOT as usize);
    std::iter::successors(Some(path).filter(|path| *path != ROOT as usize), parent).map(|path| nodes[path].function)
}

fn happened(node: &Node, total: Cost) -> bool {
    node.calls > 0 || total != Cost::default()
}

fn by_function(nodes: &[Node], totals: &[Cost], names: &[Arc<str>], who: &[Who]) -> Vec<FunctionCost> {
    let mut functions: Vec<FunctionCost> = (0..who.len())
        .map(|id| FunctionCost {
            name: names[id].to_string(),
            address: match &who[id] {
                Who::Function(address, _) => Some(Address::new(*address)),
                _ => None,
            },
            calls: 0,
            own: Cost::default(),
            total: Cost::default(),
        })
        .collect();
    for (path, node) in nodes.iter().enumerate() {
        let function = &mut functions[node.function as usize];
        function.calls += node.calls;
        function.own.add(own(node));
        if upwards(nodes, path).skip(1).all(|outer| outer != node.function) {
            function.total.add(totals[path]);
        }
    }
    functions.remove(NOBODY as usize);
    functions.retain(|function| function.calls > 0 || function.total != Cost::default());
    functions.sort_by(|a, b| {
        b.own.cycles.cmp(&a.own.cycles).then_with(|| a.name.cmp(&b.name)).then_with(|| a.address.cmp(&b.address))
    });
    functions
}

fn by_path(nodes: &[Node], totals: &[Cost], names: &[Arc<str>]) -> Vec<PathCost> {
    let mut paths: Vec<PathCost> = (1..nodes.len())
        .filter(|path| happened(&nodes[*path], totals[*path]))
        .map(|path| {
            let mut functions: Vec<Arc<str>> =
                upwards(nodes, path).map(|function| names[function as usize].clone()).collect();
            functions.reverse();
            PathCost { functions, calls: nodes[path].calls, own: own(&nodes[path]), total: totals[path] }
        })
        .collect();
    paths.sort_by(|a, b| b.own.cycles.cmp(&a.own.cycles).then_with(|| a.functions.cmp(&b.functions)));
    paths
}

fn by_source(
    counted: &Attribution<'_>,
    slots: &[(Address, Slot)],
    names: &[Arc<str>],
    idle: Cost,
) -> (Vec<LineCost>, Vec<InlineCost>) {
    let mut lines: BTreeMap<Option<SourceLine>, Cost> = BTreeMap::new();
    let mut inlined: BTreeMap<(String, FunctionId), (Cost, Cost)> = BTreeMap::new();
    for (pc, slot) in slots {
        let frames = counted.image.frames(*pc);
        let line = frames.first().and_then(|frame| frame.line.clone()).or_else(|| counted.image.source_line(*pc));
        let line = line.map(|line| SourceLine { column: None, ..line });
        lines.entry(line).or_default().add(own_of_slot(slot));
        let mut seen: Vec<&str> = Vec::new();
        for (depth, frame) in frames.iter().enumerate().take(frames.len().saturating_sub(1)) {
            let Some(function) = frame.function.as_deref() else { continue };
            let (own, total) = inlined.entry((function.to_owned(), slot.function)).or_default();
            if depth == 0 {
                own.add(own_of_slot(slot));
            }
            if !seen.contains(&function) {
                seen.push(function);
                total.add(own_of_slot(slot));
            }
        }
    }
    if idle != Cost::default() {
        lines.entry(None).or_default().add(idle);
    }
    let mut lines: Vec<LineCost> = lines.into_iter().map(|(line, cost)| LineCost { line, cost }).collect();
    // Stable: equal ones stay in the order of their lines.
    lines.sort_by_key(|line| std::cmp::Reverse(line.cost.cycles));
    let mut inlined: Vec<InlineCost> = inlined
        .into_iter()
        .map(|((name, into), (own, total))| InlineCost { name, into: names[into as usize].to_string(), own, total })
        .collect();
    inlined.sort_by(|a, b| {
        b.total.cycles.cmp(&a.total.cycles).then_with(|| a.name.cmp(&b.name)).then_with(|| a.into.cmp(&b.into))
    });
    (lines, inlined)
}

fn by_class(nodes: &[Node], slots: &[(Address, Slot)], names: &[Arc<str>], who: &[Who]) -> Vec<ClassCost> {
    let mut classes = [Cost::default(); Class::ALL.len()];
    for (_, slot) in slots {
        classes[slot.kind.class as usize].add(own_of_slot(slot));
    }
    let mut rows: Vec<ClassCost> =
        Class::ALL.iter().zip(classes).map(|(class, cost)| ClassCost { name: class.name().to_owned(), cost }).collect();
    let idle = |is: &dyn Fn(FunctionId) -> bool| -> Cost {
        // Handlers have paths of their own below those of exceptions.
        nodes.iter().filter(|node| is(node.function)).map(own).sum()
    };
    let exceptions = idle(&|id| matches!(who[id as usize], Who::Exception(_)));
    rows.push(ClassCost { name: "(exception entry and return)".to_owned(), cost: exceptions });
    for id in [ASLEEP, BETWEEN] {
        rows.push(ClassCost { name: names[id as usize].to_string(), cost: idle(&|other| other == id) });
    }
    rows.retain(|row| row.cost != Cost::default());
    rows.sort_by(|a, b| b.cost.cycles.cmp(&a.cost.cycles).then_with(|| a.name.cmp(&b.name)));
    rows
}

fn by_helper(nodes: &[Node], totals: &[Cost], names: &[Arc<str>]) -> Vec<CallCost> {
    let helper: Vec<bool> = names.iter().map(|name| is_helper(name)).collect();
    let is = |path: usize| helper[nodes[path].function as usize];
    let mut calls: HashMap<(FunctionId, FunctionId), (u64, Cost)> = HashMap::new();
    for (path, node) in nodes.iter().enumerate().skip(1) {
        let caller = node.parent as usize;
        if is(path) && !is(caller) && happened(node, totals[path]) {
            let (count, total) = calls.entry((node.function, nodes[caller].function)).or_default();
            *count += node.calls;
            total.add(totals[path]);
        }
    }
    let mut calls: Vec<CallCost> = calls
        .into_iter()
        .map(|((helper, caller), (calls, total))| CallCost {
            helper: names[helper as usize].to_string(),
            caller: names[caller as usize].to_string(),
            calls,
            total,
        })
        .collect();
    calls.sort_by(|a, b| {
        b.total.cycles.cmp(&a.total.cycles).then_with(|| a.helper.cmp(&b.helper)).then_with(|| a.caller.cmp(&b.caller))
    });
    calls
}

/// Whether compilers call the function by themselves: copies and fills of memory, and arithmetic that the core lacks
/// (the Arm run-time ABI's `__aeabi_…`, libgcc's and compiler-rt's `__udivsi3` and the like).
fn is_helper(name: &str) -> bool {
    const MEMORY: [&str; 6] = ["memcpy", "memmove", "memset", "memcmp", "memclr", "bcmp"];
    const PREFIXES: [&str; 7] =
        ["compiler_builtins::", "__aeabi_", "__gnu_", "__riscv_save", "__riscv_restore", "__tablejump", "__prologue_"];
    /// Modes of libgcc's names: quarter, half, single, double and tetra integers, single and double floats.
    const MODES: [&str; 8] = ["qi", "hi", "psi", "si", "di", "ti", "sf", "df"];
    let plain = name.strip_prefix("__").unwrap_or(name);
    MEMORY.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || plain.len() < name.len()
            && plain.ends_with(|c: char| c.is_ascii_digit())
            && MODES.iter().any(|mode| plain.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(mode))
}

#[cfg(test)]
mod tests {
    use super::is_helper;

    #[test]
    fn helpers_are_known_by_their_names() {
        for name in
            ["memcpy", "__aeabi_memcpy4", "__udivsi3", "__mulhi3", "__udivmodqi4", "__muldf3", "__aeabi_uidivmod"]
        {
            assert!(is_helper(name), "{name}");
        }
        for name in ["main", "memory", "my_memcpy", "udivsi3", "__libc_init_array", "app::memcpy2", "__vector_1"] {
            assert!(!is_helper(name), "{name}");
        }
    }
}
