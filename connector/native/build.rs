//! Compiles the checksum of the sources into the extension: Python refuses one of other sources.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=Cargo.toml");
    println!("cargo:rustc-env=SOURCES={}", checksum(&folder)?);
    Ok(())
}

/// Returns the CRC-32 of the manifest and of the sources in the order of their names.
fn checksum(folder: &Path) -> io::Result<u32> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder.join("src"))?
        .map(|entry| entry.map(|found| found.path()))
        .collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    files.insert(0, folder.join("Cargo.toml"));
    let mut crc = u32::MAX;
    for file in files {
        for byte in fs::read(file)? {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = crc >> 1 ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
            }
        }
    }
    Ok(!crc)
}
