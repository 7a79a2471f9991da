//! Types, bounds and signatures of rustdoc's JSON as text, without what does not matter: where a
//! bound is written, by which path a type is named, what an argument is called.

use serde_json::Value;

/// Keys that hold identities, not meaning.
const IGNORED: [&str; 4] = ["id", "is_synthetic", "default_unsafe", "has_body"];

/// Any type, path or value.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Object(map) if map.contains_key("path") => {
            let path = map["path"].as_str().unwrap_or_default();
            let name = path.rsplit("::").next().unwrap_or_default();
            match map.get("args") {
                Some(args) if !args.is_null() => format!("{name}{}", arguments(args)),
                _ => name.to_owned(),
            }
        }
        Value::Object(map) if map.len() == 1 => {
            let (kind, inner) = map.iter().next().expect("one entry");
            match kind.as_str() {
                "resolved_path" | "generic" | "primitive" | "type" | "lifetime" => text(inner),
                "borrowed_ref" => {
                    let mutable = if inner["is_mutable"] == true { "mut " } else { "" };
                    format!("&{mutable}{}", text(&inner["type"]))
                }
                "qualified_path" => {
                    let own = format!("{}::{}", text(&inner["self_type"]), text(&inner["name"]));
                    // `Self::Type`, with or without the trait that it is of.
                    own.replace("Self::", "")
                }
                _ => format!("{kind}({})", text(inner)),
            }
        }
        Value::Object(map) => {
            let fields = map.iter().filter(|(key, _)| !IGNORED.contains(&key.as_str()));
            let fields = fields.map(|(key, value)| format!("{key}: {}", text(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Array(values) => {
            format!("[{}]", values.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        Value::String(string) => string.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// `<A, B>` of a path. Lifetimes are left out: they are inferred everywhere in these interfaces.
fn arguments(args: &Value) -> String {
    let Some(args) = args.get("angle_bracketed") else { return text(args) };
    let types = args["args"].as_array().into_iter().flatten();
    let types = types.filter(|arg| arg.get("lifetime").is_none()).map(text);
    let constraints = args["constraints"].as_array().into_iter().flatten().map(|constraint| {
        format!("{} = {}", text(&constraint["name"]), text(&constraint["binding"]))
    });
    let all: Vec<_> = types.chain(constraints).collect();
    if all.is_empty() { String::new() } else { format!("<{}>", all.join(", ")) }
}

/// The traits of a list of bounds, sorted.
pub(super) fn bounds(bounds: &Value) -> Vec<String> {
    let bounds = bounds.as_array().into_iter().flatten();
    let mut traits: Vec<_> = bounds
        .map(|bound| match bound.get("trait_bound") {
            Some(bound) => format!("{}{}", modifier(bound), text(&bound["trait"])),
            None => text(bound),
        })
        .collect();
    traits.sort();
    traits
}

fn modifier(bound: &Value) -> &str {
    if bound["modifier"] == "maybe" { "?" } else { "" }
}

/// Parameters with their defaults, and every condition on its own, wherever it is written.
pub(super) fn generics(generics: &Value) -> String {
    let mut names = Vec::new();
    let mut conditions = Vec::new();
    for param in generics["params"].as_array().into_iter().flatten() {
        let name = text(&param["name"]);
        if let Some(kind) = param["kind"].get("type") {
            let default = &kind["default"];
            conditions
                .extend(bounds(&kind["bounds"]).iter().map(|bound| format!("{name}: {bound}")));
            names.push(if default.is_null() {
                name
            } else {
                format!("{name} = {}", text(default))
            });
        } else if param["kind"].get("const").is_some() {
            names.push(format!("const {name}"));
        }
    }
    for predicate in generics["where_predicates"].as_array().into_iter().flatten() {
        if let Some(predicate) = predicate.get("bound_predicate") {
            let of = text(&predicate["type"]);
            let bounds = bounds(&predicate["bounds"]);
            conditions.extend(bounds.iter().map(|bound| format!("{of}: {bound}")));
        } else {
            conditions.push(text(predicate));
        }
    }
    conditions.sort();
    let names = if names.is_empty() { String::new() } else { format!("<{}>", names.join(", ")) };
    if conditions.is_empty() {
        return names;
    }
    format!("{names} where {}", conditions.join(", "))
}

/// Generics, types of the arguments and of the result.
pub(super) fn signature(function: &Value) -> String {
    let inputs = function["sig"]["inputs"].as_array().into_iter().flatten();
    let inputs: Vec<_> = inputs.map(|input| text(&input[1])).collect();
    let header = &function["header"];
    let marks: Vec<_> = ["is_const", "is_unsafe", "is_async"]
        .into_iter()
        .filter(|mark| header[mark] == true)
        .collect();
    format!(
        "{}({}) -> {} {}",
        generics(&function["generics"]),
        inputs.join(", "),
        text(&function["sig"]["output"]),
        marks.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn place_of_a_bound_is_no_difference() {
        let bound =
            json!([{"trait_bound": {"trait": {"path": "a::Rounds", "id": 7, "args": null}}}]);
        let inline = json!({"params": [{"name": "R", "kind": {"type": {"bounds": bound, "default": null}}}],
            "where_predicates": []});
        let apart = json!({"params": [{"name": "R", "kind": {"type": {"bounds": [], "default": null}}}],
            "where_predicates": [{"bound_predicate": {"type": {"generic": "R"}, "bounds": bound}}]});
        assert_eq!(generics(&inline), "<R> where R: Rounds");
        assert_eq!(generics(&apart), generics(&inline));
    }

    #[test]
    fn types() {
        let array = json!({"resolved_path": {"path": "x::Array", "id": 1, "args": {"angle_bracketed":
            {"args": [{"type": {"primitive": "u8"}}], "constraints": []}}}});
        let reference =
            json!({"borrowed_ref": {"lifetime": "'a", "is_mutable": true, "type": array}});
        assert_eq!(text(&reference), "&mut Array<u8>");
    }
}
