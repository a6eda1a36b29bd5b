//! A value that is owned or borrowed mutably.

use std::ops::{Deref, DerefMut};

/// An owned value or a mutable borrow.
pub(crate) enum MaybeOwned<'t, T> {
    Borrowed(&'t mut T),
    Owned(T),
}

impl<T> Deref for MaybeOwned<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(target) => target,
            Self::Owned(target) => target,
        }
    }
}

impl<T> DerefMut for MaybeOwned<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Self::Borrowed(target) => target,
            Self::Owned(target) => target,
        }
    }
}
