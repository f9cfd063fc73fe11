//! The facts that two processes compare before any data flows.
//!
//! ```text
//! connecting                                   listening
//!     |-- hello: version, task, who, random ------>|
//!     |<----- hello, or "refused" and hello -------|
//!     |-- proof of the secret -------------------->|
//!     |<----------- proof, or "refused" -----------|
//! ```
//!
//! A proof is the keyed hash (`BLAKE2b`, RFC 7693) of both hellos. Each has a random number, so a
//! proof is invalid in another conversation; the secret itself is never sent. Without a secret the
//! key is empty.

use std::io::{self, Read, Write};

use blake2b_simd::{Hash, Params};

use crate::frame;

/// The facts that all processes have to agree on.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// The version of the program, and how it writes numbers.
    pub(crate) version: String,
    /// The task, in words.
    pub(crate) task: String,
    pub(crate) processes: usize,
    pub(crate) secret: Option<Secret>,
}

/// A secret that all processes share.
#[derive(Clone)]
pub struct Secret(Hash);

impl Secret {
    /// Makes a key from a file's content.
    pub fn new(content: &[u8]) -> Self {
        Self(Params::new().hash_length(64).hash(content))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// The purpose of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Channel {
    /// It notices the end of a process.
    Control,
    /// The data of timely.
    Data,
}

/// The sender and the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Call {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) channel: Channel,
}

/// How a handshake ended without agreement.
#[derive(Debug)]
pub(crate) enum Disagreement {
    /// The other side has gone, or is not a process of this kind.
    NoAnswer,
    /// It is one, and is refused.
    Refused { process: usize, reason: String },
}

impl From<io::Error> for Disagreement {
    fn from(_: io::Error) -> Self {
        Self::NoAnswer
    }
}

const MAGIC: &str = "taquin-cluster 1";
const REFUSED: &str = "refused";
const WRONG_SECRET: &str = "the secrets differ";

/// The first message of a side.
struct Hello {
    version: String,
    task: String,
    processes: usize,
    call: Call,
    has_secret: bool,
}

impl Hello {
    fn text(terms: &Terms, call: Call) -> io::Result<String> {
        let mut nonce = [0; 16];
        getrandom::fill(&mut nonce).map_err(io::Error::other)?;
        let Terms { version, task, processes, secret } = terms;
        let Call { from, to, channel } = call;
        let (channel, has_secret) = (channel as u8, u8::from(secret.is_some()));
        let nonce = u128::from_be_bytes(nonce);
        Ok(format!(
            "{MAGIC}\n{version}\n{task}\n{processes}\n{from}\n{to}\n{channel}\n{has_secret}\n{nonce:x}"
        ))
    }

    fn read(text: &str) -> io::Result<Self> {
        let fields: Vec<&str> = text.split('\n').collect();
        let read = || {
            let [MAGIC, version, task, processes, from, to, channel, has_secret, _] = fields[..]
            else {
                return None;
            };
            let channel = match channel {
                "0" => Channel::Control,
                "1" => Channel::Data,
                _ => return None,
            };
            Some(Self {
                version: version.to_owned(),
                task: task.to_owned(),
                processes: processes.parse().ok()?,
                call: Call { from: from.parse().ok()?, to: to.parse().ok()?, channel },
                has_secret: has_secret == "1",
            })
        };
        read().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a taquin process"))
    }

    /// Returns the difference from this process's terms.
    fn difference(&self, terms: &Terms) -> Option<String> {
        let Self { version, task, processes, has_secret, .. } = self;
        if *version != terms.version {
            return Some(format!("it is {version}, and this is {}", terms.version));
        }
        if *task != terms.task {
            return Some(format!("its task is {task}, and this one's {}", terms.task));
        }
        if *processes != terms.processes {
            let own = terms.processes;
            return Some(format!("it is one of {processes} processes, and this is one of {own}"));
        }
        match (has_secret, &terms.secret) {
            (true, None) => Some("it has a secret, and this one has none".to_owned()),
            (false, Some(_)) => Some("it has no secret, and this one has".to_owned()),
            _ => None,
        }
    }
}

/// Returns the proof of the secret. The two sides have different ones.
fn proof(terms: &Terms, side: &str, hellos: [&str; 2]) -> Hash {
    let key = terms.secret.as_ref().map_or(&[][..], |secret| secret.0.as_bytes());
    let mut state = Params::new().hash_length(32).key(key).to_state();
    for part in [side, hellos[0], hellos[1]] {
        state.update(&(part.len() as u64).to_be_bytes()).update(part.as_bytes());
    }
    state.finalize()
}

/// Returns whether a proof is the expected one. Takes the same time wherever they differ.
fn is_proof(text: &str, expected: &Hash) -> bool {
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    let byte = |two: &[u8; 2]| Some((digit(&two[0])? * 16 + digit(&two[1])?) as u8);
    let bytes: Option<Vec<u8>> = text.as_bytes().as_chunks().0.iter().map(byte).collect();
    bytes.is_some_and(|bytes| *expected == bytes[..])
}

/// Introduces this process to one that it has connected to.
pub(crate) fn introduce(
    stream: &mut (impl Read + Write),
    terms: &Terms,
    call: Call,
) -> Result<(), Disagreement> {
    let refused = |reason: String| Disagreement::Refused { process: call.to, reason };
    let own = Hello::text(terms, call)?;
    frame::send(stream, &own)?;
    let answer = frame::receive(stream)?;
    let is_refused = answer == REFUSED;
    let text = if is_refused { frame::receive(stream)? } else { answer };
    let other = Hello::read(&text)?;
    if let Some(reason) = other.difference(terms) {
        return Err(refused(reason));
    }
    if is_refused || other.call != call {
        return Err(refused(format!("it is not waiting for process {}", call.from)));
    }
    frame::send(stream, &proof(terms, "connecting", [&own, &text]).to_hex())?;
    match is_proof(&frame::receive(stream)?, &proof(terms, "listening", [&own, &text])) {
        true => Ok(()),
        false => Err(refused(WRONG_SECRET.to_owned())),
    }
}

/// Answers a process that has connected to this one, `process`. Returns its number.
pub(crate) fn answer(
    stream: &mut (impl Read + Write),
    terms: &Terms,
    process: usize,
) -> Result<Call, Disagreement> {
    let text = frame::receive(stream)?;
    let other = Hello::read(&text)?;
    let Call { from, to, .. } = other.call;
    let own = Hello::text(terms, other.call)?;
    let difference = other.difference(terms).or_else(|| {
        (to != process || from <= process || from >= terms.processes)
            .then(|| format!("it takes this process {process} for process {to}"))
    });
    if let Some(reason) = difference {
        frame::send(stream, REFUSED)?;
        frame::send(stream, &own)?;
        return Err(Disagreement::Refused { process: from, reason });
    }
    frame::send(stream, &own)?;
    let found = frame::receive(stream)?;
    if !is_proof(&found, &proof(terms, "connecting", [&text, &own])) {
        frame::send(stream, REFUSED)?;
        return Err(Disagreement::Refused { process: from, reason: WRONG_SECRET.to_owned() });
    }
    frame::send(stream, &proof(terms, "listening", [&text, &own]).to_hex())?;
    Ok(other.call)
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    use super::*;

    fn terms(secret: Option<&str>) -> Terms {
        Terms {
            version: "taquin 1.0".to_owned(),
            task: "enumerate 3x3".to_owned(),
            processes: 3,
            secret: secret.map(|text| Secret::new(text.as_bytes())),
        }
    }

    const CALL: Call = Call { from: 2, to: 1, channel: Channel::Data };

    /// The results of both sides: the connecting one, then the listening one.
    fn both(connecting: &Terms, listening: Terms) -> [Result<Call, String>; 2] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let other = thread::spawn(move || {
            answer(&mut listener.accept().unwrap().0, &listening, 1).map_err(words)
        });
        let own = introduce(&mut stream, connecting, CALL).map(|()| CALL).map_err(words);
        [own, other.join().unwrap()]
    }

    fn words(disagreement: Disagreement) -> String {
        match disagreement {
            Disagreement::NoAnswer => "no answer".to_owned(),
            Disagreement::Refused { process, reason } => format!("{process}: {reason}"),
        }
    }

    #[test]
    fn processes_with_the_same_terms_agree() {
        for secret in [None, Some("open sesame")] {
            assert_eq!(both(&terms(secret), terms(secret)), [Ok(CALL), Ok(CALL)]);
        }
    }

    #[test]
    fn two_versions_refuse_each_other() {
        let newer = Terms { version: "taquin 2.0".to_owned(), ..terms(None) };
        let refused = [
            Err("1: it is taquin 2.0, and this is taquin 1.0".to_owned()),
            Err("2: it is taquin 1.0, and this is taquin 2.0".to_owned()),
        ];
        assert_eq!(both(&terms(None), newer), refused);
    }

    #[test]
    fn other_tasks_and_numbers_are_refused() {
        let task = Terms { task: "enumerate 3x4".to_owned(), ..terms(None) };
        let reason = "1: its task is enumerate 3x4, and this one's enumerate 3x3";
        assert_eq!(both(&terms(None), task)[0], Err(reason.to_owned()));
        let more = Terms { processes: 4, ..terms(None) };
        let reason = "2: it is one of 3 processes, and this is one of 4";
        assert_eq!(both(&terms(None), more)[1], Err(reason.to_owned()));
    }

    #[test]
    fn a_wrong_secret_is_refused_on_both_sides() {
        let wrong = both(&terms(Some("a")), terms(Some("b")));
        assert_eq!(wrong, [1, 2].map(|process| Err(format!("{process}: {WRONG_SECRET}"))));
        let none = both(&terms(None), terms(Some("b")));
        assert_eq!(none[0], Err("1: it has a secret, and this one has none".to_owned()));
        assert_eq!(none[1], Err("2: it has no secret, and this one has".to_owned()));
    }

    #[test]
    fn an_answer_of_another_conversation_proves_nothing() {
        let terms = terms(Some("a"));
        let [one, other] = [(); 2].map(|()| Hello::text(&terms, CALL).unwrap());
        assert_ne!(one, other);
        let sides = ["connecting", "listening"];
        let proofs = sides.map(|side| proof(&terms, side, [&one, &other]));
        assert_ne!(proofs[0], proofs[1]);
        assert_ne!(proofs[0], proof(&terms, sides[0], [&other, &one]));
    }

    #[test]
    fn strangers_are_not_answered() {
        for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\0\0\0\x02hi", b"\xff\xff\xff\xff", b""] {
            let mut stream = io::Cursor::new(bytes.to_vec());
            let refused = answer(&mut stream, &terms(None), 1);
            assert!(matches!(refused, Err(Disagreement::NoAnswer)));
            assert_eq!(stream.into_inner(), bytes, "nothing was sent");
        }
    }
}
