//! The page as a folder of files, for any static file host. The folder includes the program as a
//! module.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::json;
use taquin_lab::{Course, Listing};

use crate::page::FILES;

/// The modules of the page without a server.
#[derive(Clone, Debug)]
pub struct Modules {
    /// The module that answers every request.
    pub whole: Cow<'static, [u8]>,
    /// A small one that the page loads before it: see [`taquin::IS_FIRST`].
    pub first: Option<Cow<'static, [u8]>>,
}

impl Modules {
    /// The modules that this program was built with, if any.
    pub fn built_in() -> Option<Self> {
        #[cfg(has_module)]
        return Some(Self {
            whole: include_bytes!("../module/taquin.wasm").into(),
            first: Some(include_bytes!("../module/first.wasm").into()),
        });
        #[cfg(not(has_module))]
        None
    }
}

/// The names of the modules' files.
const WHOLE: &str = "taquin.wasm";
const FIRST: &str = "first.wasm";

/// The files that only this page has.
const OWN: [(&str, &str); 6] = [
    ("local.js", include_str!("../page/local.js")),
    ("program.js", include_str!("../page/program.js")),
    ("storage.js", include_str!("../page/storage.js")),
    ("worker.js", include_str!("../page/worker.js")),
    ("sw.js", include_str!("../page/sw.js")),
    ("manifest.webmanifest", include_str!("../page/manifest.webmanifest")),
];

/// The page compiles its module, and starts two scripts of its own. Otherwise it is the same as on
/// the server. A static file host sets no headers, so this is in the page.
const HEAD: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; \
    connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; require-trusted-types-for 'script'; trusted-types taquin\">\n\
    <meta name=\"referrer\" content=\"no-referrer\">\n\
    <link rel=\"manifest\" href=\"manifest.webmanifest\">\n\
    <link rel=\"modulepreload\" href=\"local.js\"><link rel=\"modulepreload\" href=\"program.js\">\
    <link rel=\"modulepreload\" href=\"storage.js\">\n";

/// Returns the files of the page, by their names.
///
/// ```
/// let modules = taquin_web::Modules { whole: b"a module".into(), first: None };
/// let files = taquin_web::site(&modules);
/// assert!(files.iter().any(|(name, _)| *name == "index.html"));
/// ```
pub fn site(modules: &Modules) -> Vec<(&'static str, Cow<'_, [u8]>)> {
    let mut files: Vec<(&str, Cow<'_, [u8]>)> = vec![(WHOLE, (&*modules.whole).into())];
    files.extend(modules.first.iter().map(|first| (FIRST, (&**first).into())));
    files.extend(FILES.iter().map(|(name, _, text)| (*name, text.as_bytes().into())));
    files.extend(OWN.iter().map(|(name, text)| (*name, text.as_bytes().into())));
    // The lists that the page begins with, available before the module is compiled.
    for (name, list) in
        [("methods.json", json!(Listing::new())), ("courses.json", json!(Course::built_in()))]
    {
        files.push((name, list.to_string().into_bytes().into()));
    }
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    let version = format!("const VERSION = \"taquin-{:016x}\";", hasher.finish());
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).chain(["./"]).collect();
    let first = modules.first.as_ref().map(|_| format!(" data-first=\"{FIRST}\""));
    let first = first.unwrap_or_default();
    for (name, text) in &mut files {
        let edited = match *name {
            "index.html" => String::from_utf8_lossy(text)
                .replace(
                    "<html lang=\"en\">",
                    &format!("<html lang=\"en\" data-module=\"{WHOLE}\"{first}>"),
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
