//! A store of points.

use std::fmt;

/// The most points a store takes.
pub const LIMIT: usize = 100;
static NAME: &str = "store";
type Pair = (i32, i32);

/// A place.
#[derive(Debug, Clone)]
pub struct Point<T> {
    x: T,
}

pub enum Shape {
    Circle(f64),
    Square,
}

pub trait Area {
    const SIDES: u32;
    /// In square metres.
    fn area(&self) -> f64;
    fn double(&self) -> f64 {
        2.0 * self.area()
    }
}

impl<T> Point<T> {
    const ORIGIN: i32 = 0;

    /// Makes one.
    pub fn new(x: T) -> Self {
        fn check() {}
        check();
        Point { x }
    }
}

impl fmt::Display for Point<i32> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.x)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "shape")
    }
}

macro_rules! point {
    ($x:expr) => {
        Point::new($x)
    };
}

mod inner {
    pub fn helper() {}
}

mod elsewhere;

extern "C" {
    fn abs(x: i32) -> i32;
}

#[cfg(test)]
mod tests {
    #[test]
    fn makes_one() {}
}
