//! The workspace as cargo describes it: where configuration is, and how cargo names what is analysed.

use std::path::PathBuf;

use cargo_metadata::{Metadata, Target};

use crate::report::CargoTarget;

/// A workspace.
#[derive(Debug)]
pub(super) struct Project {
    /// Its root.
    pub root: PathBuf,
    /// What cargo says of it.
    pub metadata: Metadata,
}

impl Project {
    /// The workspace that cargo described.
    pub fn new(metadata: Metadata) -> Project {
        Project { root: metadata.workspace_root.clone().into(), metadata }
    }

    /// The members' manifests, with the names of their crates.
    pub fn manifests(&self) -> Vec<(PathBuf, Vec<String>)> {
        let packages = self.metadata.packages.iter();
        packages
            .map(|package| {
                (package.manifest_path.clone().into(), package.targets.iter().map(crate_name).collect())
            })
            .collect()
    }

    /// Cargo's words for a crate of that name, of that kind if there are several.
    pub fn target(&self, name: &str, kind: &str) -> Option<CargoTarget> {
        let targets = self
            .metadata
            .packages
            .iter()
            .flat_map(|package| package.targets.iter().map(move |target| (package, target)));
        let named = targets.filter(|(_, target)| crate_name(target) == name);
        let of_kind = |target: &Target| target.kind.iter().any(|own| own.to_string() == kind);
        let (package, target) = named.max_by_key(|(_, target)| of_kind(target))?;
        Some(CargoTarget {
            package_id: package.id.repr.clone(),
            manifest_path: package.manifest_path.to_string(),
            name: target.name.clone(),
            kinds: target.kind.iter().map(ToString::to_string).collect(),
            crate_types: target.crate_types.iter().map(ToString::to_string).collect(),
            src_path: target.src_path.to_string(),
            edition: target.edition.to_string(),
        })
    }
}

fn crate_name(target: &Target) -> String {
    target.name.replace('-', "_")
}
