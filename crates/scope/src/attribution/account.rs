//! The result of attribution, sorted and with names.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use cyclescope_image::SourceLine;
use cyclescope_machine::units::{Address, Cycles, Instructions};

use super::code::{FunctionId, Slot};
use super::role::Role;
use super::tree::{Node, ROOT};
use super::{ASLEEP, Attribution, BETWEEN, Class, CostOwner, NOBODY};

/// Instructions, and cycles including those in which nothing retired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Instructions retired.
    pub instructions: Instructions,
    /// Cycles, including those in which nothing retired.
    pub cycles: Cycles,
}

impl Cost {
    const fn new(instructions: u64, cycles: u64) -> Self {
        Self { instructions: Instructions::new(instructions), cycles: Cycles::new(cycles) }
    }

    /// Adds another cost.
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

/// The cost of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCost {
    /// The demangled name. Names in parentheses are no functions: `(asleep)`, `(exception SysTick)`.
    pub name: String,
    /// The function's address; `None` for names in parentheses.
    pub address: Option<Address>,
    /// The number of entries: by a call, by a jump from another function, or at the start of the count.
    pub calls: u64,
    /// The function without its callees.
    pub own: Cost,
    /// The function with its callees. Recursion counts each instruction once. Exceptions taken meanwhile do not count.
    pub total: Cost,
}

/// A function of a path that was reached by a jump: a tail call. The function that jumped is in no path for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Jump {
    /// The function's index in its path.
    pub at: usize,
    /// The function that jumped.
    pub from: Arc<str>,
}

/// The cost of one call path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathCost {
    /// The functions, outermost first; before them the core, such as `core 0`, of a part with several.
    pub functions: Vec<Arc<str>>,
    /// Those of them that were reached by a jump instead of a call, outermost first.
    pub jumps: Vec<Jump>,
    /// The number of times the path was entered; 0 for a core's own.
    pub calls: u64,
    /// The last function without its callees.
    pub own: Cost,
    /// The last function with its callees.
    pub total: Cost,
}

/// The cost of the instructions of one source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The line, the innermost one for inlined code. `None` for instructions without a line and for cycles in which
    /// nothing retired.
    pub line: Option<SourceLine>,
    /// Cost of the line.
    pub cost: Cost,
}

/// The cost of one function inlined into another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineCost {
    /// The inlined function.
    pub name: String,
    /// The function that contains its code.
    pub into: String,
    /// The inlined code without what is inlined into it.
    pub own: Cost,
    /// The inlined code with what is inlined into it.
    pub total: Cost,
}

impl PathCost {
    /// Returns the names of the path's functions, those that were reached by a jump behind the function that jumped:
    /// `copy_in ↪ memcpy`.
    pub fn names(&self) -> Vec<Arc<str>> {
        let mut names = self.functions.clone();
        for jump in &self.jumps {
            if let Some(name) = names.get_mut(jump.at) {
                *name = format!("{} ↪ {name}", jump.from).into();
            }
        }
        names
    }
}

/// The cost of one class of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassCost {
    /// The class; a name in parentheses for cycles in which nothing retired.
    pub name: String,
    /// Cost of the class.
    pub cost: Cost,
}

/// The cost of one caller's calls of a helper: memcpy and similar functions, and the compiler's arithmetic routines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallCost {
    /// The helper.
    pub helper: String,
    /// The calling function, or the one that jumped.
    pub caller: String,
    /// Tells if the caller jumped: the helper returns to the caller's own caller.
    pub jumped: bool,
    /// The number of calls.
    pub calls: u64,
    /// The helper with its callees.
    pub total: Cost,
}

/// The cost of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionCost {
    /// The instruction's address.
    pub pc: Address,
    /// The function that contains it.
    pub function: Arc<str>,
    /// Its class.
    pub class: Class,
    /// Its retirements and cycles.
    pub cost: Cost,
}

/// All instructions and cycles of a span, by owner.
///
/// The own costs of each list sum to `total` exactly, if the list's comment says nothing else. Lists are sorted by
/// cycles, greatest first, then by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The number of cores whose costs are added up.
    pub cores: usize,
    /// The number of occurrences of the span.
    pub occurrences: u64,
    /// Instructions, and cycles from the first events of the spans to their last; of a part with several cores, of all of them.
    pub total: Cost,
    /// Cost by function.
    pub functions: Vec<FunctionCost>,
    /// Cost by call path.
    pub paths: Vec<PathCost>,
    /// Cost by source line. Instructions without line tables share one entry without a line.
    pub lines: Vec<LineCost>,
    /// Cost by inlined function. These are parts of `functions` and do not sum to the total.
    pub inlined: Vec<InlineCost>,
    /// Cost by class.
    pub classes: Vec<ClassCost>,
    /// Cost of helpers by caller. These are parts of `functions` and do not sum to the total.
    pub helpers: Vec<CallCost>,
    /// Cost by instruction, in order of addresses, without cycles in which nothing retired.
    pub instructions: Vec<InstructionCost>,
    /// Cost of instructions outside the image's code whose addresses are not told apart, because there are more than
    /// 262,144 of them. They are in all lists but `instructions`, as code without a symbol or line.
    pub elsewhere: Cost,
}

/// The name of sleep among functions and classes.
const SLEEP: &str = "(asleep)";

impl Account {
    /// Returns the cycles that the core was asleep.
    pub fn asleep(&self) -> Cycles {
        let sleep = self.functions.iter().find(|function| function.address.is_none() && function.name == SLEEP);
        sleep.map_or(Cycles::ZERO, |sleep| sleep.own.cycles)
    }

    /// Returns the account of the time awake: the same without sleep. Its lists sum to its own total.
    #[must_use]
    pub fn awake(&self) -> Self {
        let asleep = self.asleep();
        let mut awake = self.clone();
        for sleep in self.paths.iter().filter(|path| is_sleep(path)) {
            let core = &sleep.functions[..sleep.functions.len() - 1];
            for path in awake.paths.iter_mut().filter(|path| !core.is_empty() && path.functions == core) {
                path.total.cycles = path.total.cycles.saturating_sub(sleep.own.cycles);
            }
        }
        awake.total.cycles = awake.total.cycles.saturating_sub(asleep);
        awake.functions.retain(|function| function.address.is_some() || function.name != SLEEP);
        awake.paths.retain(|path| !is_sleep(path));
        awake.classes.retain(|class| class.name != SLEEP);
        if let Some(none) = awake.lines.iter_mut().find(|line| line.line.is_none()) {
            none.cost.cycles = none.cost.cycles.saturating_sub(asleep);
        }
        awake.lines.retain(|line| line.line.is_some() || line.cost != Cost::default());
        awake.lines.sort_by_key(|line| std::cmp::Reverse(line.cost.cycles));
        awake
    }
}

/// Tells if `path` is sleep, which nobody calls and which calls nobody.
fn is_sleep(path: &PathCost) -> bool {
    let sleeps = match path.functions.as_slice() {
        [only] | [_, only] => **only == *SLEEP,
        _ => false,
    };
    sleeps && path.own.instructions == Instructions::ZERO
}

/// Adds up the accounts of the cores of a machine. Each core is the root of its paths.
pub(super) fn joined(cores: Vec<Account>) -> Account {
    let mut all = Account { cores: cores.len(), ..Account::default() };
    for (core, one) in cores.into_iter().enumerate() {
        let core: Arc<str> = format!("core {core}").into();
        all.occurrences = all.occurrences.max(one.occurrences);
        all.total.add(one.total);
        all.elsewhere.add(one.elsewhere);
        let is_root = |path: &&PathCost| path.functions.len() == 1;
        let total = one.paths.iter().filter(is_root).map(|path| path.total).sum();
        let root = PathCost { functions: vec![core.clone()], jumps: Vec::new(), calls: 0, own: Cost::default(), total };
        all.paths.push(root);
        all.paths.extend(one.paths.into_iter().map(|mut path| {
            path.functions.insert(0, core.clone());
            path.jumps.iter_mut().for_each(|jump| jump.at += 1);
            path
        }));
        all.functions.extend(one.functions);
        all.lines.extend(one.lines);
        all.inlined.extend(one.inlined);
        all.classes.extend(one.classes);
        all.helpers.extend(one.helpers);
        all.instructions.extend(one.instructions);
    }
    all.functions = merged(
        all.functions,
        |one| (one.name.clone(), one.address),
        |sum, one| {
            sum.calls += one.calls;
            sum.own.add(one.own);
            sum.total.add(one.total);
        },
    );
    all.functions.sort_by_key(|one| std::cmp::Reverse(one.own.cycles));
    all.paths.sort_by(|a, b| {
        let names = || a.functions.cmp(&b.functions).then_with(|| a.jumps.cmp(&b.jumps));
        b.own.cycles.cmp(&a.own.cycles).then_with(names)
    });
    all.lines = merged(all.lines, |one| one.line.clone(), |sum, one| sum.cost.add(one.cost));
    all.lines.sort_by_key(|one| std::cmp::Reverse(one.cost.cycles));
    all.inlined = merged(
        all.inlined,
        |one| (one.name.clone(), one.into.clone()),
        |sum, one| {
            sum.own.add(one.own);
            sum.total.add(one.total);
        },
    );
    all.inlined.sort_by_key(|one| std::cmp::Reverse(one.total.cycles));
    all.classes = merged(all.classes, |one| one.name.clone(), |sum, one| sum.cost.add(one.cost));
    all.classes.sort_by_key(|one| std::cmp::Reverse(one.cost.cycles));
    all.helpers = merged(
        all.helpers,
        |one| (one.helper.clone(), one.caller.clone(), one.jumped),
        |sum, one| {
            sum.calls += one.calls;
            sum.total.add(one.total);
        },
    );
    all.helpers.sort_by_key(|one| std::cmp::Reverse(one.total.cycles));
    all.instructions = merged(all.instructions, |one| one.pc, |sum, one| sum.cost.add(one.cost));
    all
}

/// Adds up the rows of each key, in the order of the keys.
fn merged<T, K: Ord>(rows: Vec<T>, key: impl Fn(&T) -> K, add: impl Fn(&mut T, T)) -> Vec<T> {
    let mut sums: BTreeMap<K, T> = BTreeMap::new();
    for row in rows {
        match sums.entry(key(&row)) {
            Entry::Vacant(place) => {
                place.insert(row);
            }
            Entry::Occupied(mut sum) => add(sum.get_mut(), row),
        }
    }
    sums.into_values().collect()
}

/// Converts the counters to an account with names.
pub(super) fn account(counted: &Attribution<'_>, exceptions: &[(u16, &str)]) -> Account {
    let names: Vec<Arc<str>> = counted.owners.iter().map(|owner| name(owner, exceptions)).collect();
    let nodes = counted.tree.nodes();
    let totals = totals(nodes);
    let (slots, beyond) = counted.code.counted(&counted.runs);
    let elsewhere = beyond.as_ref().map(own_of_slot).unwrap_or_default();
    let retired: Cost = slots.iter().map(|(_, slot)| own_of_slot(slot)).chain([elsewhere]).sum();
    let total = Cost::new(counted.instructions, counted.elapsed);
    let idle = Cost { cycles: total.cycles.saturating_sub(retired.cycles), ..Cost::default() };
    let mut without_line = idle;
    without_line.add(elsewhere);
    let (lines, inlined) = by_source(counted, &slots, &names, without_line);
    Account {
        cores: 1,
        occurrences: counted.occurrences,
        total,
        functions: by_function(nodes, &totals, &names, &counted.owners),
        paths: by_path(nodes, &totals, &names),
        lines,
        inlined,
        classes: by_class(nodes, &slots, elsewhere, &names, &counted.owners),
        helpers: by_helper(nodes, &totals, &names, &counted.owners),
        instructions: slots
            .iter()
            .map(|(pc, slot)| InstructionCost {
                pc: *pc,
                function: names[slot.function as usize].clone(),
                class: slot.kind.class,
                cost: own_of_slot(slot),
            })
            .collect(),
        elsewhere,
    }
}

/// Converts the counters to call paths with names.
pub(super) fn paths(counted: &Attribution<'_>, exceptions: &[(u16, &str)]) -> Vec<PathCost> {
    let names: Vec<Arc<str>> = counted.owners.iter().map(|owner| name(owner, exceptions)).collect();
    let nodes = counted.tree.nodes();
    by_path(nodes, &totals(nodes), &names)
}

fn name(owner: &CostOwner, exceptions: &[(u16, &str)]) -> Arc<str> {
    match owner {
        CostOwner::Function(_, name, _) => name.clone(),
        CostOwner::Nameless => "(no symbol)".into(),
        CostOwner::Exception(number) => match exceptions.iter().find(|(known, _)| known == number) {
            Some((_, name)) => format!("(exception {name})").into(),
            None => format!("(exception {number})").into(),
        },
        CostOwner::Asleep => SLEEP.into(),
        CostOwner::Between => "(between instructions)".into(),
        CostOwner::Nobody => "(outside)".into(),
    }
}

fn own_of_slot(slot: &Slot) -> Cost {
    Cost::new(slot.instructions, slot.cycles)
}

fn own(node: &Node) -> Cost {
    Cost::new(node.instructions, node.cycles)
}

/// Returns the cost of each path with its callees.
fn totals(nodes: &[Node]) -> Vec<Cost> {
    let mut totals: Vec<Cost> = nodes.iter().map(own).collect();
    for index in (1..nodes.len()).rev() {
        let total = totals[index];
        totals[nodes[index].parent as usize].add(total);
    }
    totals
}

/// Iterates over the nodes from the end of `path` to the root, which is left out.
fn upwards(nodes: &[Node], path: usize) -> impl Iterator<Item = &Node> {
    let parent = move |path: &usize| Some(nodes[*path].parent as usize).filter(|parent| *parent != ROOT as usize);
    std::iter::successors(Some(path).filter(|path| *path != ROOT as usize), parent).map(|path| &nodes[path])
}

fn happened(node: &Node, total: Cost) -> bool {
    node.calls > 0 || total != Cost::default()
}

fn by_function(nodes: &[Node], totals: &[Cost], names: &[Arc<str>], owners: &[CostOwner]) -> Vec<FunctionCost> {
    let mut functions: Vec<FunctionCost> = (0..owners.len())
        .map(|id| FunctionCost {
            name: names[id].to_string(),
            address: match &owners[id] {
                CostOwner::Function(address, ..) => Some(Address::new(*address)),
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
        if upwards(nodes, path).skip(1).all(|outer| outer.function != node.function) {
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
                upwards(nodes, path).map(|node| names[node.function as usize].clone()).collect();
            functions.reverse();
            let steps = upwards(nodes, path).zip((0..functions.len()).rev());
            let jumps = steps.filter(|(node, _)| node.jumped != NOBODY);
            let mut jumps: Vec<Jump> =
                jumps.map(|(node, at)| Jump { at, from: names[node.jumped as usize].clone() }).collect();
            jumps.reverse();
            PathCost { functions, jumps, calls: nodes[path].calls, own: own(&nodes[path]), total: totals[path] }
        })
        .collect();
    paths.sort_by(|a, b| {
        let names = || a.functions.cmp(&b.functions).then_with(|| a.jumps.cmp(&b.jumps));
        b.own.cycles.cmp(&a.own.cycles).then_with(names)
    });
    paths
}

fn by_source(
    counted: &Attribution<'_>,
    slots: &[(Address, Slot)],
    names: &[Arc<str>],
    without_line: Cost,
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
    if without_line != Cost::default() {
        lines.entry(None).or_default().add(without_line);
    }
    let mut lines: Vec<LineCost> = lines.into_iter().map(|(line, cost)| LineCost { line, cost }).collect();
    // The sort is stable: lines of equal cost stay in their order.
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

fn by_class(
    nodes: &[Node],
    slots: &[(Address, Slot)],
    elsewhere: Cost,
    names: &[Arc<str>],
    owners: &[CostOwner],
) -> Vec<ClassCost> {
    let mut classes = [Cost::default(); Class::ALL.len()];
    classes[Class::Unknown as usize].add(elsewhere);
    for (_, slot) in slots {
        classes[slot.kind.class as usize].add(own_of_slot(slot));
    }
    let mut rows: Vec<ClassCost> =
        Class::ALL.iter().zip(classes).map(|(class, cost)| ClassCost { name: class.name().to_owned(), cost }).collect();
    let idle = |is: &dyn Fn(FunctionId) -> bool| -> Cost {
        // A handler has a path of its own below the path of its exception.
        nodes.iter().filter(|node| is(node.function)).map(own).sum()
    };
    let exceptions = idle(&|id| matches!(owners[id as usize], CostOwner::Exception(_)));
    rows.push(ClassCost { name: "(exception entry and return)".to_owned(), cost: exceptions });
    for id in [ASLEEP, BETWEEN] {
        rows.push(ClassCost { name: names[id as usize].to_string(), cost: idle(&|other| other == id) });
    }
    rows.retain(|row| row.cost != Cost::default());
    rows.sort_by(|a, b| b.cost.cycles.cmp(&a.cost.cycles).then_with(|| a.name.cmp(&b.name)));
    rows
}

fn by_helper(nodes: &[Node], totals: &[Cost], names: &[Arc<str>], owners: &[CostOwner]) -> Vec<CallCost> {
    let is = |path: usize| {
        let owner = &owners[nodes[path].function as usize];
        matches!(owner, CostOwner::Function(.., Role::Helper))
    };
    let mut calls: HashMap<(FunctionId, FunctionId, bool), (u64, Cost)> = HashMap::new();
    for (path, node) in nodes.iter().enumerate().skip(1) {
        let caller = node.parent as usize;
        if is(path) && !is(caller) && happened(node, totals[path]) {
            let jumped = node.jumped != NOBODY;
            let caller = if jumped { node.jumped } else { nodes[caller].function };
            let (count, total) = calls.entry((node.function, caller, jumped)).or_default();
            *count += node.calls;
            total.add(totals[path]);
        }
    }
    let mut calls: Vec<CallCost> = calls
        .into_iter()
        .map(|((helper, caller, jumped), (calls, total))| CallCost {
            helper: names[helper as usize].to_string(),
            caller: names[caller as usize].to_string(),
            jumped,
            calls,
            total,
        })
        .collect();
    calls.sort_by(|a, b| {
        let names =
            || a.helper.cmp(&b.helper).then_with(|| a.caller.cmp(&b.caller)).then_with(|| a.jumped.cmp(&b.jumped));
        b.total.cycles.cmp(&a.total.cycles).then_with(names)
    });
    calls
}
