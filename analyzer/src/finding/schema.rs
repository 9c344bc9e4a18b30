//! The JSON schema of the parts of a finding that are defined elsewhere.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::ir::SourcePlace;

impl JsonSchema for SourcePlace {
    fn schema_name() -> Cow<'static, str> {
        "SourcePlace".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let count = |description: &str| json_schema!({ "description": description, "type": "integer", "format": "uint32", "minimum": 0 });
        json_schema!({
            "description": "A place in a source file. Lines and columns count from 1, columns in characters; the end is exclusive.",
            "type": "object",
            "properties": {
                "file": { "description": "Path as the compiler (or the command line) named it.", "type": "string" },
                "line": count("First line."),
                "column": count("First column."),
                "end_line": count("Last line."),
                "end_column": count("Column behind the last character."),
            },
            "required": ["file", "line", "column", "end_line", "end_column"],
        })
    }
}
