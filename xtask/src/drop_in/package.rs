//! Published packages, fetched through cargo.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::programs::LeftOut;
use crate::workspace::{cargo, shown, target};

/// Where everything of this verb lies.
pub(super) fn scratch() -> PathBuf {
    target().join("drop-in")
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// What cargo knows of a package.
#[derive(Deserialize)]
pub(super) struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
    features: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    rename: Option<String>,
    req: String,
    kind: Option<String>,
    target: Option<String>,
    features: Vec<String>,
    uses_default_features: bool,
}

/// Has cargo fetch a package. It is left where cargo keeps its sources.
pub(super) fn fetch(name: &str, version: &str) -> Result<Package> {
    let directory = scratch().join("fetch").join(format!("{name}-{version}"));
    let manifest = format!(
        "[workspace]\n\n[package]\nname = \"fetch\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n\
         [dependencies]\n{name} = {{ version = \"={version}\", default-features = false }}\n"
    );
    write(&directory.join("Cargo.toml"), manifest)?;
    write(&directory.join("lib.rs"), "")?;
    let is_it = |package: &Package| package.name == name && package.version == version;
    metadata(&directory, &[])?.into_iter().find(is_it).context("cargo did not fetch the package")
}

/// The package in `directory`.
pub(super) fn local(directory: &Path) -> Result<Package> {
    let manifest = directory.join("Cargo.toml");
    let is_it = |package: &Package| package.manifest_path == manifest;
    metadata(directory, &["--no-deps"])?.into_iter().find(is_it).context("cargo does not know it")
}

fn metadata(directory: &Path, flags: &[&str]) -> Result<Vec<Package>> {
    let mut command = cargo(&["metadata", "--format-version", "1"]);
    command.current_dir(directory).args(flags);
    let output = command.output().context("cannot run cargo metadata")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} failed: {errors}", shown(&command));
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    Ok(metadata.packages)
}

impl Package {
    /// The names of its features.
    pub(super) fn features(&self) -> impl Iterator<Item = &str> {
        self.features.keys().map(String::as_str)
    }

    fn directory(&self) -> &Path {
        self.manifest_path.parent().expect("a manifest lies in a directory")
    }

    /// A copy of the whole package, to run its own tests in. Its lock file is left behind: it may
    /// hold older versions than the stand-ins'.
    pub(super) fn copy(&self) -> Result<PathBuf> {
        let copy = self.fresh_copy_directory()?;
        copy_tree(self.directory(), &copy)?;
        let lock = copy.join("Cargo.lock");
        if lock.exists() {
            fs::remove_file(lock)?;
        }
        // As published, but for this: it is no member of the workspace around it.
        let manifest = copy.join("Cargo.toml");
        let mut text = fs::read_to_string(&manifest)?;
        if !text.contains("[workspace]") {
            text.push_str("\n[workspace]\n");
            fs::write(&manifest, text)?;
        }
        Ok(copy)
    }

    /// Takes a test function out of a copy of the package.
    pub(super) fn leave_out(copy: &Path, test: &LeftOut) -> Result<()> {
        println!("  without {} in {}: {}", test.function, test.file, test.reason);
        let path = copy.join(test.file);
        let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
        let function = format!("fn {}(", test.function);
        ensure!(text.matches(&function).count() == 1, "{function} is not in {}", path.display());
        fs::write(&path, text.replace(&function, &format!("#[cfg(any())]\n{function}")))?;
        Ok(())
    }

    /// Its integration tests in a package that depends on it, with its features under the same
    /// names.
    pub(super) fn tests_alone(&self) -> Result<PathBuf> {
        let copy = self.fresh_copy_directory()?;
        copy_tree(&self.directory().join("tests"), &copy.join("tests"))?;
        write(&copy.join("lib.rs"), "")?;
        write(&copy.join("Cargo.toml"), self.tests_manifest())?;
        Ok(copy)
    }

    fn tests_manifest(&self) -> String {
        let Self { name, version, .. } = self;
        let mut text = format!(
            "[workspace]\n\n[package]\nname = \"{name}-suite\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
             [lib]\npath = \"lib.rs\"\n\n[dependencies]\n\
             {name} = {{ version = \"={version}\", default-features = false }}\n\n\
             [dev-dependencies]\n"
        );
        // Tests may also use what the package itself depends on.
        let is_dev = |dependency: &&Dependency| dependency.kind.as_deref() == Some("dev");
        let dev: Vec<_> = self.dependencies.iter().filter(is_dev).collect();
        let own = self.dependencies.iter().filter(|dependency| {
            let everywhere = dependency.kind.is_none() && dependency.target.is_none();
            everywhere && dev.iter().all(|dev| dev.name != dependency.name)
        });
        for dependency in dev.iter().copied().chain(own) {
            let Dependency { name, rename, req, features, uses_default_features, .. } = dependency;
            let key = rename.as_deref().unwrap_or(name);
            writeln!(
                text,
                "{key} = {{ package = {name:?}, version = {req:?}, features = {features:?}, \
                 default-features = {uses_default_features} }}"
            )
            .expect("writing to a string");
        }
        text.push_str("\n[features]\n");
        for feature in self.features.keys().filter(|feature| *feature != "default") {
            writeln!(text, "{feature} = [\"{name}/{feature}\"]").expect("writing to a string");
        }
        text
    }

    fn fresh_copy_directory(&self) -> Result<PathBuf> {
        let copy = scratch().join("src").join(format!("{}-{}", self.name, self.version));
        if copy.exists() {
            fs::remove_dir_all(&copy).with_context(|| format!("{}", copy.display()))?;
        }
        Ok(copy)
    }
}

fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    let parent = path.parent().expect("a file lies in a directory");
    fs::create_dir_all(parent).with_context(|| format!("{}", parent.display()))?;
    fs::write(path, text).with_context(|| format!("{}", path.display()))
}

/// Copies a file, or a directory with all that is in it.
pub(super) fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    if from.is_file() {
        let text = fs::read(from).with_context(|| format!("{}", from.display()))?;
        return write(to, &text);
    }
    fs::create_dir_all(to).with_context(|| format!("{}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("{}", from.display()))? {
        let entry = entry?;
        copy_tree(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
