//! `taquin serve`: its start, its size and its end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::run::{folder, processor_time, run, taquin};

/// The program, serving.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(arguments: &[&str]) -> Self {
        let mut child = taquin()
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        let serving = Self { child, address };
        assert!(serving.get("/api/status").starts_with("HTTP/1.1 200"));
        serving
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// Asks it to end, as a system does.
    fn terminate(&mut self) -> std::process::ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_starts_at_once_and_ends_when_asked() {
    let mut serving = Serving::start(&[]);
    // Processor time, which does not depend on what else the machine does.
    if let Some(used) = processor_time(serving.child.id()) {
        assert!(used < Duration::from_secs(1), "{used:?}");
    }
    assert_eq!(serving.terminate().code(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn it_is_small_while_nobody_asks() {
    let serving = Serving::start(&[]);
    for path in ["/", "/app.js", "/style.css", "/api/methods", "/api/courses"] {
        assert!(serving.get(path).starts_with("HTTP/1.1 200"), "{path}");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", serving.child.id())).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kilobytes: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 30_000, "{kilobytes} kB");
}

#[test]
fn a_port_that_is_taken_is_said() {
    let serving = Serving::start(&[]);
    let port = serving.address.rsplit(':').next().unwrap();
    let ran = run(&["serve", "--port", port]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("can't listen on port"), "{}", ran.err);
    assert!(ran.err.contains("--port 0"), "{}", ran.err);
}

#[test]
fn what_public_means_is_said() {
    let mut serving = Serving::start(&["--public"]);
    serving.terminate();
    let mut words = String::new();
    serving.child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    assert!(words.contains("password"), "{words}");
}

#[test]
fn the_page_without_a_server_is_a_folder_of_files() {
    let folder = folder("page");
    let (module, out) = (folder.join("module"), folder.join("new/site"));
    let [module, out] = [&module, &out].map(|path| path.to_str().unwrap());
    let page = || run(&["page", "--out", out, "--module", module]);
    assert_eq!(page().code, Some(2), "there is no module");
    std::fs::write(module, "no module").unwrap();
    let refused = page();
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("the module is not WebAssembly"), "{}", refused.err);
    assert!(!folder.join("new").exists(), "nothing is written");
    std::fs::write(module, b"\0asm and so on").unwrap();
    // Twice: a site is replaced.
    for _ in 0..2 {
        assert_eq!(page().code, Some(0));
    }
    let file = |name: &str| std::fs::read_to_string(folder.join("new/site").join(name)).unwrap();
    assert!(file("index.html").contains("data-module=\"taquin.wasm\""));
    assert!(file("index.html").contains("'wasm-unsafe-eval'"));
    let kept = file("sw.js");
    for entry in std::fs::read_dir(folder.join("new/site")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "sw.js" || kept.contains(&format!("\"{name}\"")), "{name}");
    }
}

#[test]
fn the_page_has_the_built_in_module_or_says_how_to_build_one() {
    let out = folder("page-built-in").join("site");
    let ran = run(&["page", "--out", out.to_str().unwrap()]);
    match taquin_web::Modules::built_in() {
        Some(_) => assert!(ran.code == Some(0) && out.join("first.wasm").exists(), "{}", ran.err),
        None => {
            assert_eq!(ran.code, Some(2), "{}", ran.err);
            assert!(ran.err.contains("without the page's WebAssembly module"), "{}", ran.err);
            assert!(ran.err.contains("cargo xtask page"), "{}", ran.err);
            assert!(!out.exists(), "nothing is written");
        }
    }
}

#[test]
fn a_proxy_on_another_machine_needs_public() {
    let refused = run(&["serve", "--port", "0", "--behind-proxy", "127.0.0.1,192.0.2.1"]);
    assert_eq!(refused.code, Some(2));
    let said = refused.err;
    assert!(said.contains("192.0.2.1") && said.contains("--public"), "{said}");
    let mut serving = Serving::start(&["--behind-proxy", "127.0.0.1"]);
    assert!(serving.get("/api/status").contains("\"jobs_each\":4"), "the limits of --public");
    assert_eq!(serving.terminate().code(), Some(0));
}
