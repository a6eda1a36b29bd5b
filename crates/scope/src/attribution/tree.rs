//! The tree of call paths.

use rustc_hash::FxHashMap;

use super::code::FunctionId;

/// A path by its index.
pub(super) type PathId = u32;

/// The path without any function.
pub(super) const ROOT: PathId = 0;

/// The most distinct paths, and the most bytes of all paths' names together (a result names each path in full). Above
/// either limit, new paths start at the root again. The limits bound memory for hostile guests and recursion.
const MOST_PATHS: usize = 1 << 18;
const MOST_BYTES: usize = 1 << 26;

/// A function, and the one that jumped there.
type Step = (FunctionId, FunctionId);

/// Bytes for a name beside its text.
const NAME: usize = 32;

/// One function at the end of one call path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) function: FunctionId,
    pub(super) parent: PathId,
    /// The function that jumped here; the root's where none did.
    pub(super) jumped: FunctionId,
    pub(super) calls: u64,
    pub(super) instructions: u64,
    pub(super) cycles: u64,
    /// Bytes of the path's full name.
    bytes: usize,
    /// The child that was used last.
    latest: (Step, PathId),
}

/// All paths. A path's index is greater than its parent's.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Bytes of each function's name, by its number. Functions without an entry have short names.
    names: Vec<usize>,
    /// Bytes of all paths' names together.
    bytes: usize,
    /// The function of the root.
    nothing: FunctionId,
    children: FxHashMap<(PathId, Step), PathId>,
}

impl Tree {
    /// Returns a tree with the root, whose function is `nothing`.
    pub(super) fn new(nothing: FunctionId) -> Self {
        let (nodes, names) = (Vec::new(), Vec::new());
        let mut tree = Self { nodes, names, bytes: 0, nothing, children: FxHashMap::default() };
        tree.add((nothing, nothing), ROOT);
        tree
    }

    /// Sets the length in bytes of the name of `function`, which is in no path yet.
    pub(super) fn name(&mut self, function: FunctionId, bytes: usize) {
        self.names.resize(function as usize + 1, 0);
        self.names[function as usize] = bytes;
    }

    fn add(&mut self, (function, jumped): Step, parent: PathId) -> PathId {
        let id = self.nodes.len() as PathId;
        let length = |function: FunctionId| self.names.get(function as usize).copied().unwrap_or(0);
        let name = NAME + length(function) + length(jumped);
        let bytes = self.nodes.get(parent as usize).map_or(0, |parent| parent.bytes + name);
        self.bytes += bytes;
        self.nodes.push(Node {
            function,
            parent,
            jumped,
            calls: 0,
            instructions: 0,
            cycles: 0,
            bytes,
            latest: ((FunctionId::MAX, FunctionId::MAX), ROOT),
        });
        id
    }

    #[inline(always)]
    pub(super) fn node(&mut self, path: PathId) -> &mut Node {
        &mut self.nodes[path as usize]
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the path of `function` called from the end of `path`.
    pub(super) fn child(&mut self, path: PathId, function: FunctionId) -> PathId {
        self.step(path, (function, self.nothing))
    }

    /// Returns the path of `function` in the place of the last function of `path`, reached by a jump from the function
    /// `jumped`.
    pub(super) fn jump(&mut self, path: PathId, function: FunctionId, jumped: FunctionId) -> PathId {
        self.step(self.nodes[path as usize].parent, (function, jumped))
    }

    fn step(&mut self, path: PathId, step: Step) -> PathId {
        let (latest, id) = self.nodes[path as usize].latest;
        if latest == step {
            return id;
        }
        let known = self.children.get(&(path, step)).copied();
        let id = match known {
            Some(id) => id,
            None if self.is_full() && (path, step.1) != (ROOT, self.nothing) => return self.child(ROOT, step.0),
            None => {
                let id = self.add(step, path);
                self.children.insert((path, step), id);
                id
            }
        };
        self.nodes[path as usize].latest = (step, id);
        id
    }

    fn is_full(&self) -> bool {
        self.nodes.len() >= MOST_PATHS || self.bytes >= MOST_BYTES
    }

    /// Returns `path` with `function` in the place of its last function.
    pub(super) fn sibling(&mut self, path: PathId, function: FunctionId) -> PathId {
        self.child(self.nodes[path as usize].parent, function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_the_names_in_them_are_bounded() {
        let mut deep = Tree::new(0);
        let mut path = ROOT;
        for call in 0..1_000_000 {
            path = deep.child(path, call % 7 + 1);
        }
        assert!(deep.bytes < MOST_BYTES + 100_000, "{}", deep.bytes);
        assert!(deep.nodes().len() < 3_000, "{}", deep.nodes().len());
        let mut long = Tree::new(0);
        long.name(1, 4_096);
        let mut path = ROOT;
        for _ in 0..1_000_000 {
            path = long.child(path, 1);
        }
        assert!(long.nodes().len() < 200, "{}", long.nodes().len());
        let mut jumps = Tree::new(0);
        for jump in 1..1_000_000 {
            jumps.jump(ROOT, jump % 1_000, jump % 997 + 1);
        }
        assert!(jumps.nodes().len() <= MOST_PATHS + 1_000, "{}", jumps.nodes().len());
        let mut wide = Tree::new(0);
        for function in 1..1_000_000 {
            let path = wide.child(ROOT, function % 1_000);
            wide.child(path, function);
        }
        assert!(wide.nodes().len() <= MOST_PATHS + 1_000_000, "one a function at the root");
        assert!(wide.nodes().iter().skip(MOST_PATHS).all(|node| node.parent == ROOT));
    }

    #[test]
    fn a_path_is_the_same_however_it_is_found() {
        let mut tree = Tree::new(0);
        let first = tree.child(ROOT, 1);
        let second = tree.child(first, 2);
        assert_eq!(tree.child(first, 3), tree.sibling(second, 3));
        let jumped = tree.jump(second, 3, 2);
        assert_ne!(jumped, tree.child(first, 3), "a jump there is no call");
        assert_eq!((jumped, tree.nodes()[jumped as usize].parent), (tree.jump(second, 3, 2), first));
        assert_eq!(tree.child(first, 2), second);
        assert_eq!((tree.nodes()[second as usize].bytes, tree.bytes), (2 * NAME, (1 + 2 + 2 + 2) * NAME));
    }
}
