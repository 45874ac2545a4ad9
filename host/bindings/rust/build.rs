// SPDX-License-Identifier: Apache-2.0
//! Finds libpail: in the folder that PAIL_LIB_DIR names, where pkg-config says, or in a folder that the linker reads by itself.
use std::env;
use std::path::Path;
use std::process::{exit, Command};

const FOLDERS: [&str; 5] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];

fn has_library(folder: &Path) -> bool {
    ["libpail.so", "libpail.dylib", "libpail.dll.a", "libpail.a"].iter().any(|name| folder.join(name).exists())
}

/// One sentence in place of what a linker says.
fn missing(what: &str) -> ! {
    eprintln!("{}: the environment variable PAIL_LIB_DIR is to name the folder of libpail.so (Debian: libpail-dev and pkg-config)", what);
    exit(1)
}

fn main() {
    for name in ["PAIL_LIB_DIR", "PKG_CONFIG_PATH", "LIBRARY_PATH"] {
        println!("cargo:rerun-if-env-changed={}", name);
    }
    println!("cargo:rustc-link-lib=dylib=pail");
    if env::var_os("DOCS_RS").is_some() {
        return; // nothing is linked there
    }
    if let Some(folder) = env::var_os("PAIL_LIB_DIR") {
        let folder = Path::new(&folder);
        if !has_library(folder) {
            missing(&format!("libpail is not in {}", folder.display()));
        }
        println!("cargo:rustc-link-search=native={}", folder.display());
        return;
    }
    if let Ok(output) = Command::new("pkg-config").args(["--libs-only-L", "pail"]).output() {
        if output.status.success() {
            for folder in String::from_utf8_lossy(&output.stdout).split_whitespace() {
                println!("cargo:rustc-link-search=native={}", folder.trim_start_matches("-L"));
            }
            return;
        }
    }
    let listed = env::var_os("LIBRARY_PATH").unwrap_or_default();
    if !env::split_paths(&listed).any(|folder| has_library(&folder)) && !FOLDERS.iter().any(|folder| has_library(Path::new(folder))) {
        missing("libpail was not found");
    }
}
