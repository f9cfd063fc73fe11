//! A priority that grows piece by piece during the search.

use crate::policy::{Phi, Policy};
use crate::space::Cost;

/// The priority of [`Phi::PwXdp`] or [`Phi::PwXup`]: linear in g and h between rays of equal g / h.
///
/// Each new greatest g / h adds a piece. The line of priority 1 continues to its ray with the least
/// weight that can still keep to the bound, or with the greatest one. All numbers are rounded to 32
/// bits, as in the program that the counts are compared with.
pub(super) struct Pieces {
    bound: f64,
    is_least: bool,
    parts: Vec<Piece>,
    /// Where the line of priority 1 ends: the h and the g of a point.
    end: (f32, f32),
}

struct Piece {
    /// The greatest g / h of its nodes.
    slope: f32,
    weight: f32,
    scale: f32,
}

impl Pieces {
    /// Returns the pieces of a policy, if its priority has them.
    pub(super) fn of(policy: &Policy) -> Option<Self> {
        policy.has_pieces().then(|| Self {
            bound: policy.weight.into(),
            is_least: policy.phi == Phi::PwXdp,
            parts: Vec::new(),
            end: (1.0, 0.0),
        })
    }

    /// Adds a piece that ends at a slope, unless the priority is defined there.
    pub(super) fn extend(&mut self, slope: f32) {
        if slope <= self.parts.last().map_or(0.0, |piece| piece.slope) {
            return;
        }
        let (x, y) = self.end;
        let weight = match slope.is_infinite() {
            true => ((self.bound - f64::from(y)) / f64::from(x)) as f32,
            false => self.next_weight(slope),
        };
        let scale = 1.0 / (y + weight * x);
        let x = 1.0 / (scale * (slope + weight));
        self.end = (x, x * slope);
        self.parts.push(Piece { slope, weight, scale });
    }

    /// Returns the weight of the piece that ends at a slope.
    fn next_weight(&self, slope: f32) -> f32 {
        let (x, y) = self.end;
        let greatest = 2.0 * self.bound - 1.0;
        // The weight of the line to the point where the ray meets another line.
        let to = |divisor: f64| {
            let point_x = (self.bound / divisor) as f32;
            let point_y = (f64::from(slope) * self.bound / divisor) as f32;
            (point_x, (point_y - y) / (x - point_x))
        };
        let weight = if self.is_least {
            to(f64::from(slope) + greatest).1.max(1.0)
        } else {
            match to(f64::from(slope + 1.0)) {
                (point_x, weight) if point_x < x => weight.min(greatest as f32),
                _ => greatest as f32,
            }
        };
        if weight.is_finite() { weight } else { greatest as f32 }
    }

    /// Returns an integer that is ordered as the priority: its bits. A priority is never negative.
    pub(super) fn rank(&self, g: Cost, h: Cost) -> u64 {
        let slope = slope(g.into(), h);
        let piece = self.parts.partition_point(|piece| piece.slope < slope);
        let priority = match self.parts.get(piece) {
            Some(piece) => piece.scale * (g as f32 + piece.weight * h as f32),
            None if g == 0 => h as f32,
            None => f32::INFINITY,
        };
        priority.to_bits().into()
    }
}

/// Returns g / h; without both, 0.
pub(super) fn slope(g: u64, h: Cost) -> f32 {
    if g == 0 { 0.0 } else { g as f32 / h as f32 }
}
