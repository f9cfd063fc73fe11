//! Embeds the modules of the page without a server, if they have been built.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=module");
    println!("cargo::rustc-check-cfg=cfg(has_module)");
    if ["taquin.wasm", "first.wasm"].iter().all(|name| Path::new("module").join(name).is_file()) {
        println!("cargo::rustc-cfg=has_module");
    }
}
