//! The public items of a crate, each as a line that is the same for the same item.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use super::canonical::{bounds, generics, signature, text};

/// Traits that say nothing about an interface: the compiler's own.
const INTERNAL: [&str; 2] = ["Freeze", "StructuralPartialEq"];

/// A crate's interface.
pub(super) struct Listing {
    pub(super) lines: BTreeSet<String>,
}

impl Listing {
    /// Reads what rustdoc wrote.
    pub(super) fn of(document: &Value) -> Result<Self> {
        let index = document.get("index").context("rustdoc's JSON has no index")?;
        let mut walk = Walk { index, lines: BTreeSet::new() };
        let root = walk.item(&document["root"]).context("rustdoc's JSON has no root")?;
        walk.module(root, "crate");
        Ok(Self { lines: walk.lines })
    }
}

struct Walk<'a> {
    index: &'a Value,
    lines: BTreeSet<String>,
}

impl<'a> Walk<'a> {
    fn item(&self, id: &Value) -> Option<&'a Value> {
        self.index.get(id.to_string())
    }

    fn items(&self, ids: &Value) -> Vec<&'a Value> {
        ids.as_array().into_iter().flatten().filter_map(|id| self.item(id)).collect()
    }

    fn line(&mut self, line: String) {
        self.lines.insert(line);
    }

    fn module(&mut self, module: &Value, path: &str) {
        for item in self.items(&module["inner"]["module"]["items"]) {
            self.public(item, path, item["name"].as_str());
        }
    }

    /// An item that is reached as `path::name`.
    fn public(&mut self, item: &Value, path: &str, name: Option<&str>) {
        let Some((kind, inner)) = item["inner"].as_object().and_then(|inner| inner.iter().next())
        else {
            return;
        };
        if kind == "use" {
            return self.reexport(inner, path);
        }
        let Some(name) = name else { return };
        let path = format!("{path}::{name}");
        match kind.as_str() {
            "module" => self.module(item, &path),
            "function" => self.line(format!("fn {path}{}", signature(inner))),
            "constant" => self.line(format!("const {path}: {}", text(&inner["type"]))),
            "type_alias" => self.line(format!("type {path} = {}", text(&inner["type"]))),
            "trait" => {
                let bounds = bounds(&inner["bounds"]).join(" + ");
                self.line(format!("trait {path}{}: {bounds}", generics(&inner["generics"])));
                for item in self.items(&inner["items"]) {
                    self.associated(item, &path);
                }
            }
            _ => {
                self.line(format!("{kind} {path}{}", generics(&inner["generics"])));
                for variant in self.items(&inner["variants"]) {
                    self.line(format!("variant {path}::{}", text(&variant["name"])));
                }
                for item in self.items(&inner["impls"]) {
                    self.implementation(&item["inner"]["impl"], &path);
                }
            }
        }
    }

    fn reexport(&mut self, inner: &Value, path: &str) {
        let name = inner["name"].as_str();
        match self.item(&inner["id"]) {
            Some(item) => self.public(item, path, name),
            // Of another crate: the name and where it ends up are what counts.
            None => self.line(format!("use {path}::{}", name.unwrap_or_default())),
        }
    }

    /// An item in a trait, an inherent implementation or the implementation of a trait.
    fn associated(&mut self, item: &Value, of: &str) {
        let name = item["name"].as_str().unwrap_or_default();
        let inner = &item["inner"];
        if let Some(function) = inner.get("function") {
            self.line(format!("fn {of}::{name}{}", signature(function)));
        } else if let Some(constant) = inner.get("assoc_const") {
            self.line(format!("const {of}::{name}: {}", text(&constant["type"])));
        } else if let Some(alias) = inner.get("assoc_type") {
            let bounds = bounds(&alias["bounds"]).join(" + ");
            self.line(format!("type {of}::{name}: {bounds} = {}", text(&alias["type"])));
        }
    }

    fn implementation(&mut self, inner: &Value, path: &str) {
        if !inner["blanket_impl"].is_null() {
            return;
        }
        let target = text(&inner["for"]);
        if inner["trait"].is_null() {
            for item in self.items(&inner["items"]) {
                if item["visibility"] == "public" {
                    self.associated(item, &target);
                }
            }
            return;
        }
        let name = text(&inner["trait"]);
        if INTERNAL.contains(&name.as_str()) {
            return;
        }
        let not = if inner["is_negative"] == true { "!" } else { "" };
        // An automatic trait's conditions follow from the fields, which are private.
        let conditions = if inner["is_synthetic"] == true {
            String::new()
        } else {
            generics(&inner["generics"])
        };
        self.line(format!("impl {not}{name} for {path}: {target}{conditions}"));
        for item in self.items(&inner["items"]) {
            // Methods are the trait's; associated types and constants are the implementation's.
            if item["inner"].get("function").is_none() {
                self.associated(item, &format!("<{target} as {name}>"));
            }
        }
    }
}
