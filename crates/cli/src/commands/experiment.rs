//! `taquin experiment`.

mod run;
mod submit;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use taquin::excerpt;
use taquin_experiment::{
    ExperimentState, ExperimentStore, ExperimentStoreError, ExportError, ExportFormat, MethodState,
    Plan, is_store,
};

use crate::columns::Columns;
use crate::failure::{CommandResult, Failure};
use crate::output::{
    BOLD, PLAIN, check_writable, count, print, print_json, replace_file, replace_file_by, say,
    seconds, thousands, wrapped,
};
use crate::pictures::{Format, picture};

/// Run, resume and report many searches
///
/// A plan is a file that names puzzles, methods and limits. Each result is saved to a store, one
/// SQLite file, as soon as it is known. You can stop or kill an experiment, start it again, and
/// spread it over processes and machines. Finished runs are never repeated.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin experiment new > plan.toml             an example, with comments
  taquin experiment run plan.toml               run it; the store is plan.sqlite
  taquin experiment status                      show the progress
  taquin experiment report                      HTML, Markdown, LaTeX, PDF
  taquin experiment export > runs.csv
  taquin experiment run --instances courses -m ucs -m astar --store small.sqlite
  taquin experiment run plan.toml --shard 3/8 --store part3.sqlite
  taquin experiment merge all.sqlite part*.sqlite
  taquin experiment submit plan.toml --local 2  processes here, or on Slurm")]
pub(crate) struct ExperimentArgs {
    #[command(subcommand)]
    command: Experiment,
}

#[derive(Subcommand, Debug)]
enum Experiment {
    New(NewArgs),
    Run(run::RunArgs),
    Submit(submit::SubmitArgs),
    Status(StatusArgs),
    Report(ReportArgs),
    Export(ExportArgs),
    Merge(MergeArgs),
}

/// Write an example plan with comments
#[derive(Parser, Debug)]
struct NewArgs {
    /// File, which must not exist [default: standard output]
    file: Option<PathBuf>,
}

/// Show the progress of an experiment
///
/// You can also name a folder that 'taquin experiment submit' made.
#[derive(Parser, Debug)]
struct StatusArgs {
    #[command(flatten)]
    store: StoreArg,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Make tables and charts of the results
///
/// Writes report.html, a page that needs no other file, report.md, report.tex, and every chart as
/// SVG, PNG and PDF with its data as CSV.
#[derive(Parser, Debug)]
struct ReportArgs {
    #[command(flatten)]
    store: StoreArg,
    /// Folder to write to [default: STORE-report, next to the store]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the report in LaTeX (booktabs) instead of writing files
    #[arg(long, conflicts_with = "out")]
    latex: bool,
    /// Print the report as one JSON object instead of writing files
    #[arg(long, conflicts_with_all = ["out", "latex"])]
    json: bool,
    /// Method to compare the others with, puzzle by puzzle [default: the first]
    #[arg(long, value_name = "METHOD")]
    baseline: Option<String>,
}

/// Write every finished run for other programs
#[derive(Parser, Debug)]
struct ExportArgs {
    #[command(flatten)]
    store: StoreArg,
    /// csv or jsonl
    #[arg(long, default_value = "csv", value_name = "FORMAT")]
    format: ExportFormat,
    /// Include runs that the plan no longer has
    #[arg(long, alias = "all")]
    stale: bool,
    /// Write to a file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Join stores, for instance from several machines
#[derive(Parser, Debug)]
struct MergeArgs {
    /// Store to join the others to; it is created if it does not exist
    into: PathBuf,
    /// Other stores, which are not changed
    #[arg(required = true)]
    from: Vec<PathBuf>,
}

/// The store argument.
#[derive(clap::Args, Debug)]
pub(crate) struct StoreArg {
    /// Store, or its plan [default: the .sqlite store written last, in this folder or one below]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
}

pub(crate) fn run(args: &ExperimentArgs) -> CommandResult {
    match &args.command {
        Experiment::New(args) => new(args),
        Experiment::Run(args) => run::run(args),
        Experiment::Submit(args) => submit::run(args),
        Experiment::Status(args) => status(args),
        Experiment::Report(args) => report(args),
        Experiment::Export(args) => export(args),
        Experiment::Merge(args) => merge(args),
    }
}

fn new(args: &NewArgs) -> CommandResult {
    let Some(path) = &args.file else {
        print(Plan::EXAMPLE)?;
        return Ok(0);
    };
    if path.exists() {
        return Err(Failure::input(format!("{}: exists already", path.display()))
            .hint("choose another name, or remove the file"));
    }
    replace_file(path, |out| out.write_all(Plan::EXAMPLE.as_bytes()))?;
    say(&format!("{}: edit it, then run 'taquin experiment run {0}'", path.display()));
    Ok(0)
}

impl StoreArg {
    /// Opens the store that was named, or else the one written last.
    pub(crate) fn open(&self) -> Result<ExperimentStore, Failure> {
        let path = match &self.store {
            Some(path) if path.extension() == Some(OsStr::new("toml")) => store_of(path),
            Some(path) => path.clone(),
            None => {
                let path = latest().ok_or_else(|| {
                    Failure::input("no store in this folder or one below")
                        .hint("name one, or make one with 'taquin experiment run PLAN'")
                })?;
                say(&format!("store: {}", path.display()));
                path
            }
        };
        Ok(ExperimentStore::open(&path)?)
    }
}

/// Returns the store of a plan, if no other is named.
pub(crate) fn store_of(plan: &Path) -> PathBuf {
    plan.with_extension("sqlite")
}

/// Returns the store that was written last, in this folder or one below.
fn latest() -> Option<PathBuf> {
    let inside = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let here = inside(Path::new(""));
    let here = if here.is_empty() { inside(Path::new(".")) } else { here };
    let below: Vec<PathBuf> =
        here.iter().filter(|path| path.is_dir()).flat_map(|folder| inside(folder)).collect();
    let written = |path: &PathBuf| {
        // The latest results may still be in the log.
        let log = path.with_extension("sqlite-wal");
        [path, &log].iter().filter_map(|file| fs::metadata(file).ok()?.modified().ok()).max()
    };
    // Names first: reading other files could block.
    let named = |path: &PathBuf| path.extension() == Some(OsStr::new("sqlite")) && path.is_file();
    let stores = here.into_iter().chain(below).filter(|path| named(path) && is_store(path));
    stores
        .max_by_key(written)
        .map(|path| path.strip_prefix(".").map_or_else(|_| path.clone(), Path::to_path_buf))
}

fn status(args: &StatusArgs) -> CommandResult {
    let tasks = args.store.store.as_deref().map(submit::stores).unwrap_or_default();
    let state = match tasks.is_empty() {
        false => submit::state(&tasks)?,
        true => args.store.open()?.state()?,
    };
    match args.json {
        true => print_json(&state)?,
        false => print(&described(&state))?,
    }
    Ok(0)
}

/// A number about a method's runs.
type Count = fn(&MethodState) -> u64;

fn described(state: &ExperimentState) -> String {
    let total = state.total();
    let methods: Vec<&MethodState> = state.methods.iter().chain([&total]).collect();
    // A limit that ended no run has no column.
    let counts: [(&str, Count); 6] = [
        ("solved", |method| method.solved),
        ("optimal", |method| method.optimal),
        ("time limit", |method| method.time),
        ("memory limit", |method| method.memory),
        ("node limit", |method| method.nodes),
        ("other", |method| method.others),
    ];
    let shown: Vec<_> =
        (0..).zip(counts).filter(|(at, (_, of))| *at < 2 || of(&total) > 0).collect();
    let headings = shown.iter().map(|(_, (heading, _))| *heading);
    let headings: Vec<&str> =
        ["", "finished"].into_iter().chain(headings).chain(["seconds"]).collect();
    let row = |method: &&MethodState| {
        let finished = format!("{} of {}", thousands(method.finished), thousands(method.runs));
        let cells = shown.iter().map(|(_, (_, of))| match of(method) {
            0 => "-".to_owned(),
            count => thousands(count),
        });
        let before = [method.name.clone(), finished];
        before.into_iter().chain(cells).chain([seconds(method.seconds)]).collect::<Vec<_>>()
    };
    let layout = format!("l{}", "r".repeat(headings.len() - 1));
    let mut text = match state.title.as_str() {
        "" => String::new(),
        title => format!("{BOLD}{title}{PLAIN}\n"),
    };
    text += &Columns::new(&layout).headings(headings).rows(methods.iter().map(row)).text();
    if state.processes > 0 {
        let running = count(state.running, "run", "runs");
        let processes = count(state.processes, "process", "processes");
        let _ = writeln!(text, "{processes} running, with {running}");
    }
    text += &kept(state.earlier).map_or_else(String::new, |kept| wrapped(&(kept + "\n"), 0));
    text
}

/// Reports the runs that another plan has left in the store.
fn kept(earlier: u64) -> Option<String> {
    let runs = count(earlier, "run of another plan is", "runs of other plans are");
    let kept = || format!("{runs} kept: 'taquin experiment export --stale' has them");
    (earlier > 0).then(kept)
}

fn report(args: &ReportArgs) -> CommandResult {
    let store = args.store.open()?;
    store.verify()?;
    let state = store.state()?;
    let names: Vec<&str> = state.methods.iter().map(|method| method.name.as_str()).collect();
    if let Some(name) = args.baseline.as_deref().filter(|name| !names.contains(name)) {
        return Err(Failure::input(format!("the store has no method '{}'", excerpt(name)))
            .hint(format!("its methods are {}", names.join(", "))));
    }
    let report = store.report(args.baseline.as_deref())?;
    if args.json {
        print_json(&report.json())?;
        return Ok(0);
    }
    if args.latex {
        print(&report.latex())?;
        return Ok(0);
    }
    let folder = args.out.clone().unwrap_or_else(|| {
        let stem = store.path().file_stem().unwrap_or_default().to_string_lossy();
        store.path().with_file_name(format!("{stem}-report"))
    });
    fs::create_dir_all(&folder).map_err(|error| Failure::unwritable(&folder, &error))?;
    let mut written = 0;
    let mut write = |name: &str, bytes: &[u8]| {
        written += 1;
        replace_file(&folder.join(name), |out| out.write_all(bytes))
    };
    for chart in report.charts() {
        let (name, svg) = (chart.name, chart.svg());
        for format in [Format::Svg, Format::Png, Format::Pdf] {
            write(&format!("{name}.{}", format.ending()), &picture(&svg, format)?)?;
        }
        write(&format!("{name}.csv"), chart.csv().as_bytes())?;
    }
    write("report.md", report.markdown().as_bytes())?;
    write("report.tex", report.latex().as_bytes())?;
    write("report.html", report.html().as_bytes())?;
    say(&format!("wrote {} to {}", count(written, "file", "files"), folder.display()));
    print(&format!("{}\n", folder.join("report.html").display()))?;
    Ok(0)
}

fn export(args: &ExportArgs) -> CommandResult {
    let store = args.store.open()?;
    store.verify()?;
    let written = match &args.out {
        None => store.export(args.format, args.stale, &mut io::stdout().lock())?,
        Some(path) => {
            check_writable(path)?;
            let export = |file: &mut File| {
                let mut out = BufWriter::new(file);
                let written = store.export(args.format, args.stale, &mut out)?;
                out.flush()?;
                Ok(written)
            };
            replace_file_by(path, export).map_err(|error| match error {
                ExportError::Output(error) => Failure::unwritable(path, &error),
                error => error.into(),
            })?
        }
    };
    let runs = count(written, "run", "runs");
    say(&args
        .out
        .as_ref()
        .map_or_else(|| runs.clone(), |path| format!("wrote {runs} to {}", path.display())));
    Ok(0)
}

fn merge(args: &MergeArgs) -> CommandResult {
    // Nothing is made of a store that does not exist.
    if let Some(missing) = args.from.iter().find(|path| !path.exists()) {
        return Err(ExperimentStoreError::Missing(missing.clone()).into());
    }
    let mut store = ExperimentStore::create(&args.into)?;
    store.verify()?;
    let mut different = 0;
    for path in &args.from {
        let merged = match store.merge(path) {
            Err(error @ ExperimentStoreError::Itself(_)) => {
                say(&format!("{error}; skipped"));
                continue;
            }
            merged => merged?,
        };
        let new = count(merged.added, "new run", "new runs");
        say(&format!("{}: {new}, {} known", path.display(), thousands(merged.known)));
        different += merged.different;
    }
    match different {
        0 => Ok(0),
        _ => {
            let runs = count(different, "run differs", "runs differ");
            say(&format!("{runs} between two stores; the first result was kept"));
            Ok(1)
        }
    }
}
