//! Finds libpail: the folder that PAIL_LIB_DIR names, or what pkg-config says, or what the linker finds by itself.
use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=PAIL_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if let Ok(folder) = env::var("PAIL_LIB_DIR") {
        println!("cargo:rustc-link-search=native={}", folder);
    } else if let Ok(output) = Command::new("pkg-config").args(["--libs-only-L", "pail"]).output() {
        if output.status.success() {
            for folder in String::from_utf8_lossy(&output.stdout).split_whitespace() {
                println!("cargo:rustc-link-search=native={}", folder.trim_start_matches("-L"));
            }
        }
    }
    println!("cargo:rustc-link-lib=dylib=pail");
}
