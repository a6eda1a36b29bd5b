//! The tree of call paths.

use std::collections::HashMap;

use super::code::FunctionId;

/// A path by its index.
pub(super) type PathId = u32;

/// Where nothing called.
pub(super) const ROOT: PathId = 0;

/// The most paths that are told apart; beyond, new ones begin at the root again. A bound for hostile guests.
const MOST_PATHS: usize = 1 << 18;

/// One function, as called along one path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) function: FunctionId,
    pub(super) parent: PathId,
    pub(super) calls: u64,
    pub(super) instructions: u64,
    pub(super) cycles: u64,
    /// The child that was looked for last.
    latest: (FunctionId, PathId),
}

/// All paths. A path's index is greater than its parent's.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    children: HashMap<(PathId, FunctionId), PathId>,
}

impl Tree {
    /// With the root, which stands for `nothing`.
    pub(super) fn new(nothing: FunctionId) -> Self {
        let mut tree = Self { nodes: Vec::new(), children: HashMap::new() };
        tree.add(nothing, ROOT);
        tree
    }

    fn add(&mut self, function: FunctionId, parent: PathId) -> PathId {
        let id = self.nodes.len() as PathId;
        self.nodes.push(Node {
            function,
            parent,
            calls: 0,
            instructions: 0,
            cycles: 0,
            latest: (FunctionId::MAX, ROOT),
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

    /// `function` as called at the end of `path`.
    pub(super) fn child(&mut self, path: PathId, function: FunctionId) -> PathId {
        let (latest, id) = self.nodes[path as usize].latest;
        if latest == function {
            return id;
        }
        let known = self.children.get(&(path, function)).copied();
        let id = match known {
            Some(id) => id,
            None if path != ROOT && self.nodes.len() >= MOST_PATHS => return self.child(ROOT, function),
            None => {
                let id = self.add(function, path);
                self.children.insert((path, function), id);
                id
            }
        };
        self.nodes[path as usize].latest = (function, id);
        id
    }

    /// `function` in the place of the last one of `path`.
    pub(super) fn sibling(&mut self, path: PathId, function: FunctionId) -> PathId {
        self.child(self.nodes[path as usize].parent, function)
    }
}
