//! The terminal: taken at the start, and given back however the game ends.

use std::io::{self, BufWriter, Stdout, stdout};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Once};

use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::force_color_output;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::prelude::CrosstermBackend;
use ratatui::{Frame, Terminal};

/// Whether the terminal is ours.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether a signal asks the program to end.
static IS_INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether any thread has panicked.
static HAS_PANICKED: AtomicBool = AtomicBool::new(false);

/// The terminal while the game has it: raw, on the alternate screen, with mouse.
#[derive(Debug)]
pub struct Screen {
    /// It shows the cursor when it is dropped, and panics if the terminal has been closed;
    /// [`give_back`] does more.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
}

impl Screen {
    /// Takes the terminal. A panic on any thread gives it back before its message is printed, and
    /// SIGINT, SIGTERM, SIGHUP and SIGQUIT ask the game to end.
    ///
    /// # Errors
    /// Fails if there is no terminal.
    pub fn open() -> io::Result<Self> {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let message = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                HAS_PANICKED.store(true, SeqCst);
                give_back();
                message(panic);
            }));
            // The themes decide about colours.
            force_color_output(true);
            // Another handler of this process ends it in its own way.
            drop(ctrlc::set_handler(|| IS_INTERRUPTED.store(true, SeqCst)));
            #[cfg(unix)]
            drop(signal_hook::flag::register(
                signal_hook::consts::SIGQUIT,
                Arc::clone(&IS_INTERRUPTED),
            ));
        });
        take()?;
        // If the next step fails, the terminal is given back as well.
        let terminal = Terminal::new(CrosstermBackend::new(output())).inspect_err(|_| give_back());
        Ok(Self { terminal: ManuallyDrop::new(terminal?) })
    }

    /// Draws a frame; only changes are written.
    ///
    /// # Errors
    /// Fails if the terminal cannot be written.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(render).map(drop)
    }

    /// Gives the terminal to the shell until it resumes the game.
    ///
    /// # Errors
    /// Fails if the terminal cannot be taken again.
    pub fn suspend(&mut self) -> io::Result<()> {
        #[cfg(unix)]
        {
            use rustix::process::{Signal, kill_current_process_group};
            give_back();
            kill_current_process_group(Signal::TSTP)?;
            take()?;
            // Ignores what is on the screen, and draws everything.
            *self.terminal = Terminal::new(CrosstermBackend::new(output()))?;
        }
        Ok(())
    }

    /// Returns whether a signal asks the game to end, or the terminal has been closed.
    pub fn is_interrupted() -> bool {
        IS_INTERRUPTED.load(SeqCst) || is_closed()
    }

    /// Returns whether a thread has panicked; its message has been printed.
    pub fn has_panicked() -> bool {
        HAS_PANICKED.load(SeqCst)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Returns whether the other end of the terminal is gone.
fn is_closed() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let output = stdout();
        let mut terminal = [PollFd::new(&output, PollFlags::empty())];
        let has_answer = poll(&mut terminal, Some(&Timespec::default())).is_ok();
        has_answer && terminal[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
    }
    #[cfg(not(unix))]
    false
}

/// The output, with space for a frame: one call writes it, so that no frame is seen in part.
fn output() -> BufWriter<Stdout> {
    BufWriter::with_capacity(1 << 18, stdout())
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    IS_TAKEN.store(true, SeqCst);
    let on = (EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste, Hide);
    execute!(stdout(), on.0, on.1, on.2, on.3).inspect_err(|_| give_back())
}

/// Gives the terminal back, once. A terminal that is gone needs nothing.
fn give_back() {
    if IS_TAKEN.swap(false, SeqCst) {
        let off = (DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, Show);
        drop(execute!(stdout(), off.0, off.1, off.2, off.3));
        drop(disable_raw_mode());
    }
}
