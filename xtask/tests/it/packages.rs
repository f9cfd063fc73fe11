//! Each crate can be packaged, with nothing in it from outside its folder, and declares nothing
//! that it does not use.

use std::path::{Component, Path};

use crate::workspace::{Package, cargo, metadata, packages, path, sources, words};

/// Crates that are not published.
const PRIVATE: [&str; 3] = ["taquin-py", "xtask", "taquin-wasm"];

#[test]
fn every_dependency_is_used() {
    let mut unused = Vec::new();
    for Package { name, folder, dependencies, .. } in packages() {
        let files = |folders: &[&str]| -> Vec<String> {
            let all = folders.iter().flat_map(|inside| sources(&folder.join(inside)));
            all.map(|(_, text)| text).collect()
        };
        let code = files(&["src"]);
        let tests = files(&["src", "tests", "examples", "benches"]);
        for dependency in dependencies {
            let module = dependency.name.replace('-', "_");
            let where_used = if dependency.is_dev { &tests } else { &code };
            if !where_used.iter().any(|text| words(text).any(|word| word == module)) {
                unused.push(format!("{name}: {}", dependency.name));
            }
        }
    }
    assert!(unused.is_empty(), "declared and not used:\n{}", unused.join("\n"));
}

#[test]
fn sources_include_nothing_from_outside_their_crate() {
    let mut outside = Vec::new();
    for Package { name, folder, .. } in packages() {
        if PRIVATE.contains(&name.as_str()) {
            continue;
        }
        for (file, text) in sources(&folder.join("src")) {
            for include in ["include_str!(\"", "include_bytes!(\"", "#[path = \""] {
                for rest in text.split(include).skip(1) {
                    let included = rest.split('"').next().unwrap();
                    let inside = file.parent().unwrap().strip_prefix(&folder).unwrap();
                    if depth(&inside.join(included)).is_none() {
                        outside.push(format!("{}: {included}", file.display()));
                    }
                }
            }
        }
    }
    assert!(outside.is_empty(), "{}", outside.join("\n"));
}

/// How deep a relative path is below its start, if it never leaves it.
fn depth(path: &Path) -> Option<usize> {
    path.components().try_fold(0_usize, |depth, component| match component {
        Component::ParentDir => depth.checked_sub(1),
        Component::Normal(_) => Some(depth + 1),
        _ => Some(depth),
    })
}

#[test]
fn every_crate_can_be_packaged() {
    let mut cargo = cargo();
    cargo.args(["package", "--workspace", "--no-verify", "--allow-dirty", "--offline"]);
    cargo.args(PRIVATE.iter().flat_map(|name| ["--exclude", name]));
    cargo.arg("--target-dir").arg(concat!(env!("CARGO_TARGET_TMPDIR"), "/packages"));
    let output = cargo.output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{words}");
    // Tests stay here: they read files of the repository.
    let is_fine = |line: &str| !line.contains("warning:") || line.contains("ignoring test");
    assert!(words.lines().all(is_fine), "{words}");
    for Package { name, manifest, .. } in packages() {
        let is_private = manifest.lines().any(|line| line == "publish = false");
        assert_eq!(is_private, PRIVATE.contains(&name.as_str()), "{name}");
        assert!(is_private || words.contains(&format!("Packaging {name} v")), "{name}\n{words}");
    }
}

/// Git ignores the modules, so only the list of included files brings them into the package.
#[test]
fn the_packaged_page_has_the_modules_that_were_built() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("module-package");
    let _ = std::fs::remove_dir_all(&folder);
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    let web = std::fs::read_to_string(path("crates/web/Cargo.toml")).unwrap();
    let include = web.lines().find(|line| line.starts_with("include = ")).unwrap();
    let manifest =
        format!("[package]\nname = \"packed\"\nversion = \"0.1.0\"\n{include}\n[workspace]\n");
    write("Cargo.toml", &manifest);
    write("src/lib.rs", "");
    let ignored = std::fs::read_to_string(path("crates/web/module/.gitignore")).unwrap();
    write("module/.gitignore", &ignored);
    let names = ["module/first.wasm", "module/taquin.wasm"];
    for name in names {
        write(name, "a module");
    }
    let in_folder = |command: &mut std::process::Command| {
        let output = command.current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    in_folder(std::process::Command::new("git").args(["init", "--quiet"]));
    let list = in_folder(cargo().args(["package", "--list", "--allow-dirty", "--offline"]))
        .replace('\\', "/");
    for name in names {
        assert!(list.lines().any(|line| line == name), "{name}:\n{list}");
    }
    // The build embeds the same files.
    let build = std::fs::read_to_string(path("crates/web/build.rs")).unwrap();
    assert!(names.iter().all(|name| build.contains(name.trim_start_matches("module/"))), "{build}");
}

#[test]
fn every_published_crate_describes_itself() {
    let mut wrong = Vec::new();
    for package in metadata(&["--no-deps"])["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        if PRIVATE.contains(&name) {
            continue;
        }
        let given = |field: &str| package[field].as_str().is_some_and(|text| !text.is_empty());
        let count = |field: &str| package[field].as_array().unwrap().len();
        let fields =
            ["description", "repository", "homepage", "documentation", "readme", "license"];
        wrong.extend(
            fields.iter().filter(|field| !given(field)).map(|field| format!("{name}: {field}")),
        );
        if count("authors") == 0 {
            wrong.push(format!("{name}: authors"));
        }
        if !(1..=5).contains(&count("keywords")) || !(1..=5).contains(&count("categories")) {
            wrong.push(format!("{name}: 1 to 5 keywords and categories"));
        }
        if package["metadata"]["docs"]["rs"].is_null() {
            wrong.push(format!("{name}: how docs.rs builds it"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_addresses_of_the_project_are_in_one_place() {
    let manifest = std::fs::read_to_string(path("Cargo.toml")).unwrap();
    let addresses = ["repository", "homepage"].map(|field| {
        let start = format!("{field} = \"");
        let line = manifest.lines().find_map(|line| line.strip_prefix(&start)).unwrap();
        line.trim_end_matches('"').trim_start_matches("https://").to_owned()
    });
    let files =
        std::process::Command::new("git").args(["ls-files"]).current_dir(path(".")).output();
    let files = String::from_utf8(files.unwrap().stdout).unwrap();
    let has_address = |file: &&str| {
        let bytes = std::fs::read(path(file)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        addresses.iter().any(|address| text.contains(address))
    };
    let others: Vec<&str> =
        files.lines().filter(|file| *file != "Cargo.toml").filter(has_address).collect();
    assert!(others.is_empty(), "{addresses:?} are also in {}", others.join(", "));
}
