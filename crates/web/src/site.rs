//! The page as a folder of files, for any host of static files: the program is with it as a module.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::json;
use taquin_lab::{Course, Listing};

use crate::page::FILES;

/// The module that this program was built with, if there was one.
pub fn module() -> Option<&'static [u8]> {
    #[cfg(has_module)]
    return Some(include_bytes!("../module/taquin.wasm"));
    #[cfg(not(has_module))]
    None
}

/// The name of the module's file.
const MODULE: &str = "taquin.wasm";

/// The files that only this page has.
const OWN: [(&str, &str); 5] = [
    ("local.js", include_str!("../page/local.js")),
    ("storage.js", include_str!("../page/storage.js")),
    ("worker.js", include_str!("../page/worker.js")),
    ("sw.js", include_str!("../page/sw.js")),
    ("manifest.webmanifest", include_str!("../page/manifest.webmanifest")),
];

/// The page compiles its module, and starts two scripts of its own; otherwise as the server has it. A
/// host of static files sets no headers, so this is in the page.
const HEAD: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; \
    connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; require-trusted-types-for 'script'; trusted-types taquin\">\n\
    <meta name=\"referrer\" content=\"no-referrer\">\n\
    <link rel=\"manifest\" href=\"manifest.webmanifest\">\n";

/// Returns the files of the page, by their names.
///
/// ```
/// let files = taquin_web::site(b"a module");
/// assert!(files.iter().any(|(name, _)| *name == "index.html"));
/// ```
pub fn site(module: &[u8]) -> Vec<(&'static str, Cow<'_, [u8]>)> {
    let mut files: Vec<(&str, Cow<'_, [u8]>)> = vec![(MODULE, module.into())];
    files.extend(FILES.iter().map(|(name, _, text)| (*name, text.as_bytes().into())));
    files.extend(OWN.iter().map(|(name, text)| (*name, text.as_bytes().into())));
    // The lists that the page begins with: they are there before the module is compiled.
    for (name, list) in
        [("methods.json", json!(Listing::new())), ("courses.json", json!(Course::built_in()))]
    {
        files.push((name, list.to_string().into_bytes().into()));
    }
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    let version = format!("const VERSION = \"taquin-{:016x}\";", hasher.finish());
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).chain(["./"]).collect();
    for (name, text) in &mut files {
        let edited = match *name {
            "index.html" => String::from_utf8_lossy(text)
                .replace(
                    "<html lang=\"en\">",
                    &format!("<html lang=\"en\" data-module=\"{MODULE}\">"),
                )
                .replace(
                    "<meta charset=\"utf-8\">\n",
                    &format!("<meta charset=\"utf-8\">\n{HEAD}"),
                ),
            "sw.js" => {
                let kept = names.iter().filter(|name| **name != "sw.js").collect::<Vec<_>>();
                String::from_utf8_lossy(text)
                    .replace("const VERSION = \"\";", &version)
                    .replace("([]);", &format!("({});", json!(kept)))
            }
            _ => continue,
        };
        *text = edited.into_bytes().into();
    }
    files
}
