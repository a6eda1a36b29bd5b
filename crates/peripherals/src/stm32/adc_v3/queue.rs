//! The queue of contexts of an injected group (RM0351, RM0440, "Queue of context for injected conversions").

/// Up to two values of JSQR: that in force, and the one that follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Queue {
    contexts: [u32; 2],
    count: u8,
    /// The context in force has been converted and stays until there is another one.
    used: bool,
}

impl Queue {
    /// The context in force.
    pub(super) fn context(&self) -> Option<u32> {
        (self.count > 0).then_some(self.contexts[0])
    }

    /// Takes a context; returns false if there is no place.
    pub(super) fn push(&mut self, context: u32) -> bool {
        if self.used || self.count == 0 {
            *self = Self { contexts: [context, 0], count: 1, used: false };
            return true;
        }
        if self.count > 1 {
            return false;
        }
        self.contexts[1] = context;
        self.count = 2;
        true
    }

    /// The context in force has been converted; without another one it stays if `keeps`.
    pub(super) fn finish(&mut self, keeps: bool) {
        if self.count > 1 {
            *self = Self { contexts: [self.contexts[1], 0], count: 1, used: false };
        } else if keeps {
            self.used = true;
        } else {
            *self = Self::default();
        }
    }

    /// The group was stopped: nothing, or if `keeps` the context in force, stays.
    pub(super) fn flush(&mut self, keeps: bool) {
        if keeps {
            self.count = self.count.min(1);
        } else {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_follow_each_other() {
        let mut queue = Queue::default();
        assert_eq!(queue.context(), None);
        assert!(queue.push(1) && queue.push(2) && !queue.push(3));
        assert_eq!(queue.context(), Some(1));
        queue.finish(true);
        assert_eq!(queue.context(), Some(2));
        queue.finish(true);
        assert_eq!(queue.context(), Some(2), "the last one stays");
        assert!(queue.push(4));
        assert_eq!(queue.context(), Some(4), "and makes place at once");
        queue.finish(false);
        assert_eq!(queue.context(), None);
        assert!(queue.push(5) && queue.push(6));
        queue.flush(true);
        queue.finish(false);
        assert_eq!(queue.context(), None, "what followed is lost");
    }
}
