// Repaired: `block_in_place` around the look-up, on a multi-thread runtime.
//! Serves map tiles from several directories, the first that has the tile wins.
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use tokio::net::TcpListener;

#[derive(Clone, Copy)]
struct TileKey {
    zoom: u8,
    column: u32,
    row: u32,
}

trait TileSource: Send + Sync {
    fn load(&self, key: TileKey) -> Option<(&'static str, Bytes)>;
}

/// A directory of files `zoom/column/row.png` or `.webp`.
struct TileDir {
    root: PathBuf,
    deepest: u8,
}

const FORMATS: [(&str, &str); 2] = [("webp", "image/webp"), ("png", "image/png")];

impl TileSource for TileDir {
    fn load(&self, key: TileKey) -> Option<(&'static str, Bytes)> {
        if key.zoom > self.deepest {
            return None;
        }
        let folder = self.root.join(key.zoom.to_string()).join(key.column.to_string());
        FORMATS.iter().find_map(|&(extension, mime)| {
            let image = fs::read(folder.join(format!("{}.{extension}", key.row)));
            image.ok().map(|image| (mime, Bytes::from(image)))
        })
    }
}

/// The grey square for everything that is at sea.
struct Sea {
    tile: Bytes,
}

impl TileSource for Sea {
    fn load(&self, key: TileKey) -> Option<(&'static str, Bytes)> {
        (key.zoom < 6).then(|| ("image/png", self.tile.clone()))
    }
}

struct Atlas {
    sources: Vec<Box<dyn TileSource>>,
}

impl Atlas {
    fn find(&self, key: TileKey) -> Option<(&'static str, Bytes)> {
        self.sources.iter().find_map(|source| source.load(key))
    }
}

async fn tile(State(atlas): State<Arc<Atlas>>, Path((zoom, column, row)): Path<(u8, u32, u32)>) -> Response {
    let key = TileKey { zoom, column, row };
    let found = tokio::task::block_in_place(|| atlas.find(key));
    match found {
        Some((mime, image)) => ([(header::CONTENT_TYPE, mime)], image).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 4)]
async fn main() -> anyhow::Result<()> {
    let atlas = Atlas {
        sources: vec![
            Box::new(TileDir { root: "/srv/tiles/roads".into(), deepest: 18 }),
            Box::new(TileDir { root: "/srv/tiles/relief".into(), deepest: 12 }),
            Box::new(Sea { tile: Bytes::from_static(b"\x89PNG") }),
        ],
    };
    let app = Router::new().route("/{zoom}/{column}/{row}", get(tile)).with_state(Arc::new(atlas));
    axum::serve(TcpListener::bind("127.0.0.1:8090").await?, app).await?;
    Ok(())
}
