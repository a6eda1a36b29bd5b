//! A value that is owned or borrowed mutably.

use std::ops::{Deref, DerefMut};

/// An owned value or a mutable borrow.
pub(crate) enum Held<'t, T> {
    Lent(&'t mut T),
    Own(T),
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Lent(target) => target,
            Self::Own(target) => target,
        }
    }
}

impl<T> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Self::Lent(target) => target,
            Self::Own(target) => target,
        }
    }
}
