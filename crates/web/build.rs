//! Embeds the module of the page without a server, where it has been built.

fn main() {
    println!("cargo::rerun-if-changed=module");
    println!("cargo::rustc-check-cfg=cfg(has_module)");
    if std::path::Path::new("module/taquin.wasm").is_file() {
        println!("cargo::rustc-cfg=has_module");
    }
}
