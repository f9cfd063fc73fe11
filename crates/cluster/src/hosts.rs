//! The processes, and the addresses where they listen.

use crate::slurm;

/// The port of a process if none is given.
pub const PORT: u16 = 21_007;

/// The most processes.
const MAX_PROCESSES: usize = 1 << 12;

/// Processes, by their addresses, and which of them this one is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts {
    pub(crate) addresses: Vec<String>,
    pub(crate) process: usize,
}

/// The longest name of a host, in bytes (RFC 1035).
const MAX_NAME_BYTES: usize = 253;

/// A list of processes that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum HostsError {
    #[error("no process is listed")]
    Empty,
    #[error("there are more than {MAX_PROCESSES} processes")]
    TooMany,
    #[error("line {line}: '{text}' is not HOST or HOST:PORT")]
    Line { line: usize, text: String },
    #[error("'{0}' appears twice")]
    Twice(String),
    #[error("there are {processes} processes, numbered from 0, and no process {process}")]
    Process { process: usize, processes: usize },
    #[error("{0} is not set")]
    Variable(&'static str),
    #[error("{name} is '{value}'")]
    Value { name: &'static str, value: String },
    /// Slurm has distributed the tasks otherwise.
    #[error("task {process} should be on {expected}, and is on {found}")]
    Distribution { process: usize, expected: String, found: String },
}

impl Hosts {
    /// Reads the addresses of all processes, one per line: `HOST` or `HOST:PORT`. Ignores empty
    /// lines and text behind `#`.
    ///
    /// # Errors
    /// Fails if a line is invalid, if an address appears twice, or if this process is not listed.
    pub fn read(text: &str, process: usize) -> Result<Self, HostsError> {
        let mut addresses = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.split('#').next().unwrap_or("").trim();
            if !text.is_empty() {
                let wrong = || HostsError::Line { line, text: taquin_tiles::excerpt(text) };
                addresses.push(address(text).ok_or_else(wrong)?);
            }
        }
        Self::new(addresses, process)
    }

    /// Returns the processes of a Slurm step, from its environment variables.
    ///
    /// # Errors
    /// Fails if one is missing or invalid.
    pub fn of_slurm(variable: impl Fn(&str) -> Option<String>) -> Result<Self, HostsError> {
        let (addresses, process) = slurm::processes(variable)?;
        Self::new(addresses, process)
    }

    pub(crate) fn new(addresses: Vec<String>, process: usize) -> Result<Self, HostsError> {
        let processes = addresses.len();
        let mut sorted = addresses.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|two| two[0] == two[1]) {
            return Err(HostsError::Twice(twice[0].clone()));
        }
        match processes {
            0 => Err(HostsError::Empty),
            1..=MAX_PROCESSES if process < processes => Ok(Self { addresses, process }),
            1..=MAX_PROCESSES => Err(HostsError::Process { process, processes }),
            _ => Err(HostsError::TooMany),
        }
    }

    /// Returns the number of processes.
    pub fn processes(&self) -> usize {
        self.addresses.len()
    }

    /// Returns which of them this process is.
    pub const fn process(&self) -> usize {
        self.process
    }

    /// Returns the name of a process in messages.
    pub(crate) fn name(&self, process: usize) -> String {
        format!("process {process} ({})", self.addresses[process])
    }
}

/// Returns an address with a port, if the text is one.
fn address(text: &str) -> Option<String> {
    let is_name = |name: &str| {
        let usual = |c: char| c.is_ascii_alphanumeric() || "-._%".contains(c);
        (1..=MAX_NAME_BYTES).contains(&name.len()) && name.chars().all(usual)
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    // The address of IPv6 is in brackets.
    if let Some(rest) = text.strip_prefix('[') {
        let (inside, port) = rest.split_once(']')?;
        inside.parse::<std::net::Ipv6Addr>().ok()?;
        return match port.strip_prefix(':') {
            None if port.is_empty() => Some(format!("{text}:{PORT}")),
            Some(port) if is_port(port) => Some(text.to_owned()),
            _ => None,
        };
    }
    match text.split_once(':') {
        None => is_name(text).then(|| format!("{text}:{PORT}")),
        Some((name, port)) => (is_name(name) && is_port(port)).then(|| text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_an_address_in_each_line() {
        let text = "# two machines\nn1\n\n n2:4000 # the other\n[::1]\n[fe80::1]:9\n10.0.0.7\n";
        let hosts = Hosts::read(text, 1).unwrap();
        assert_eq!(
            hosts.addresses,
            ["n1:21007", "n2:4000", "[::1]:21007", "[fe80::1]:9", "10.0.0.7:21007"]
        );
        assert_eq!(hosts.name(1), "process 1 (n2:4000)");
        let wrong = |text: &str, process| Hosts::read(text, process).unwrap_err().to_string();
        assert_eq!(wrong("", 0), "no process is listed");
        assert_eq!(wrong("a\nb c\n", 0), "line 2: 'b c' is not HOST or HOST:PORT");
        for text in ["a:", "a:0", "a:70000", ":1", "a:b:1", "[::1", "[x]:1", "[::1]x", "a/b"] {
            assert!(wrong(text, 0).starts_with("line 1: "), "{text}");
        }
        assert!(wrong(&"7".repeat(3_000_000), 0).len() < 300);
        assert_eq!(wrong("a\nb\na:21007", 0), "'a:21007' appears twice");
        assert_eq!(wrong("a\nb", 2), "there are 2 processes, numbered from 0, and no process 2");
        let many: String = (0..5000).map(|i| i.to_string() + "\n").collect();
        assert_eq!(wrong(&many, 0), "there are more than 4096 processes");
    }
}
