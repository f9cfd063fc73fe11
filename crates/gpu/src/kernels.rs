//! The kernels: their sources, and the PTX compiled from them.
//!
//! `cargo xtask gpu --compile` writes the PTX files with NVRTC. Each begins with a hash of its
//! source, so that a test without NVRTC notices an outdated file.

use xxhash_rust::xxh3::xxh3_64;

/// A program for a device: source files that are compiled as one, for one target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// The name of its PTX file.
    pub name: &'static str,
    parts: &'static [&'static str],
    options: &'static [&'static str],
    /// The oldest devices that it runs on.
    arch: &'static str,
    ptx: &'static str,
    /// The most registers and spilled register bytes in any of its functions.
    pub limits: &'static [(&'static str, u32, u32)],
}

const TYPES: &str = include_str!("../kernels/types.cuh");

const SPACE: &[&str] = &[
    TYPES,
    include_str!("../kernels/digits.cuh"),
    include_str!("../kernels/word_maps.cuh"),
    include_str!("../kernels/space.cu"),
];

impl Kernel {
    /// Whole spaces with two columns.
    pub const SPACE_2: Self = Self {
        name: "space_2",
        parts: SPACE,
        options: &["--define-macro=COLUMNS=2"],
        arch: "compute_70",
        ptx: include_str!("../kernels/ptx/space_2.ptx"),
        limits: &[("plan", 32, 0), ("step", 48, 0)],
    };

    /// Whole spaces with three columns.
    pub const SPACE_3: Self = Self {
        name: "space_3",
        options: &["--define-macro=COLUMNS=3"],
        ptx: include_str!("../kernels/ptx/space_3.ptx"),
        limits: &[("plan", 32, 0), ("step", 40, 0)],
        ..Self::SPACE_2
    };

    /// Whole spaces with four columns.
    pub const SPACE_4: Self = Self {
        name: "space_4",
        options: &["--define-macro=COLUMNS=4"],
        ptx: include_str!("../kernels/ptx/space_4.ptx"),
        limits: &[("plan", 32, 0), ("step", 80, 0)],
        ..Self::SPACE_2
    };

    /// The pattern databases of the 24-puzzle.
    pub const PATTERNS_24: Self = Self {
        name: "patterns_24",
        parts: &[TYPES, include_str!("../kernels/patterns24.cu")],
        options: &[],
        arch: "compute_70",
        ptx: include_str!("../kernels/ptx/patterns_24.ptx"),
        limits: &[("layer", 32, 0), ("pack", 32, 0)],
    };

    /// The search of the 24-puzzle.
    pub const SEARCH_24: Self = Self {
        name: "search_24",
        parts: &[
            TYPES,
            include_str!("../kernels/board24.cuh"),
            include_str!("../kernels/nodes24.cuh"),
            include_str!("../kernels/frontier24.cu"),
            include_str!("../kernels/search24.cu"),
        ],
        ptx: include_str!("../kernels/ptx/search_24.ptx"),
        limits: &[("expand", 48, 0), ("fill_pool", 48, 0), ("find", 32, 0), ("search", 128, 0)],
        ..Self::PATTERNS_24
    };

    /// The same with a board table, which needs an instruction that only newer devices have.
    pub const SEARCH_24_NEW: Self = Self {
        name: "search_24_new",
        arch: "compute_90",
        ptx: include_str!("../kernels/ptx/search_24_new.ptx"),
        ..Self::SEARCH_24
    };

    /// Beam searches.
    pub const BEAM: Self = Self {
        name: "beam",
        parts: &[TYPES, include_str!("../kernels/beam.cu")],
        ptx: include_str!("../kernels/ptx/beam.ptx"),
        limits: &[("generate", 80, 0), ("count_up", 40, 0), ("find_bar", 32, 0), ("take", 40, 0)],
        ..Self::PATTERNS_24
    };

    /// Many 15-puzzles in parallel.
    pub const BATCH_15: Self = Self {
        name: "batch_15",
        parts: &[TYPES, include_str!("../kernels/batch15.cu")],
        ptx: include_str!("../kernels/ptx/batch_15.ptx"),
        limits: &[("unpack", 32, 0), ("start", 48, 0), ("search", 80, 0)],
        ..Self::PATTERNS_24
    };

    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::SPACE_2,
        Self::SPACE_3,
        Self::SPACE_4,
        Self::PATTERNS_24,
        Self::SEARCH_24,
        Self::SEARCH_24_NEW,
        Self::BEAM,
        Self::BATCH_15,
    ];

    /// The PTX, without the first line.
    pub(crate) fn ptx(self) -> &'static str {
        self.ptx.split_once('\n').map_or("", |(_, ptx)| ptx)
    }

    fn source(self) -> String {
        self.parts.concat()
    }

    /// The first line of the PTX file.
    fn heading(self) -> String {
        let of = [self.source().as_str(), &self.options.concat(), self.arch].join("\n");
        format!(
            "// made by cargo xtask gpu --compile of the sources with the hash {:016x}",
            xxh3_64(of.as_bytes())
        )
    }

    /// Whether the PTX was made of the present sources.
    pub fn is_up_to_date(self) -> bool {
        self.ptx.lines().next() == Some(&self.heading())
    }
}

/// Compiles a kernel with NVRTC. Returns the contents of its PTX file, or `None` if there is no
/// NVRTC on this machine.
///
/// # Errors
/// Fails with the messages of the compiler.
pub fn compile(kernel: Kernel) -> Result<Option<String>, String> {
    #[expect(unsafe_code, reason = "a library of the system is loaded")]
    // SAFETY: loading NVRTC runs its initialisers only.
    let is_present = unsafe { cudarc::nvrtc::sys::is_culib_present() };
    if !is_present {
        return Ok(None);
    }
    let mut options: Vec<String> = vec!["--std=c++17".into(), "-default-device".into()];
    options.extend(kernel.options.iter().map(ToString::to_string));
    let options = cudarc::nvrtc::CompileOptions {
        name: Some(kernel.name.into()),
        arch: Some(kernel.arch),
        options,
        ..Default::default()
    };
    match cudarc::nvrtc::compile_ptx_with_opts(kernel.source(), options) {
        Ok(ptx) => {
            Ok(Some(format!("{}\n{}", kernel.heading(), ptx.to_src().trim_end_matches('\0'))))
        }
        Err(cudarc::nvrtc::CompileError::CompileError { log, .. }) => {
            Err(log.to_string_lossy().into_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}
