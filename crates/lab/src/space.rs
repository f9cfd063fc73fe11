//! The methods by which a space other than the puzzle is searched.

use taquin::{Algorithm, Method, MethodError, MethodSyntax};

/// The methods by which a space can be searched.
pub(crate) struct SpaceMethods {
    pub(crate) algorithms: &'static [Algorithm],
    pub(crate) heuristics: &'static [&'static str],
    /// Whether a step is one of the four directions, so that their order is a field.
    pub(crate) has_moves: bool,
}

impl SpaceMethods {
    /// Reads a method, if it is one of these.
    pub(crate) fn read(&self, text: &str) -> Result<Method, MethodError> {
        let syntax = MethodSyntax::new(text)?;
        let named = |algorithm: &&Algorithm| algorithm.name() == syntax.name;
        let Some(algorithm) = self.algorithms.iter().find(named) else {
            let known = self.algorithms.iter().map(|algorithm| algorithm.name());
            let others = self.algorithms.iter().flat_map(|algorithm| algorithm.other_names());
            return Err(syntax.unknown(syntax.name, "method", known, others));
        };
        if let Some(argument) = syntax.argument.filter(|_| algorithm.row().takes_heuristic)
            && !self.heuristics.contains(&argument)
        {
            let known = self.heuristics.iter().copied();
            return Err(syntax.unknown(argument, "heuristic", known, []));
        }
        if let Some((field, _)) = syntax.fields.iter().find(|(field, _)| *field == "moves")
            && !self.has_moves
        {
            let known = algorithm.row().policy_fields.iter().copied();
            return Err(syntax.unknown(field, "field", known, []));
        }
        text.parse()
    }
}
