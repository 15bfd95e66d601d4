//! Spans and events as a tree of text, in the order in which they began.
#![allow(dead_code, reason = "each test takes what it needs")]

use core::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

/// What was seen since it began.
pub(crate) struct Tree {
    nodes: Nodes,
    _guard: Option<DefaultGuard>,
}

#[derive(Clone, Default)]
struct Nodes(Arc<Mutex<Vec<Node>>>);

/// A span or an event.
struct Node {
    parent: Option<usize>,
    metadata: &'static Metadata<'static>,
    fields: Fields,
    is_open: bool,
}

impl Tree {
    /// With spans and events of this level, and of graver ones, on this thread.
    pub(crate) fn begin(level: Level) -> Self {
        let nodes = Nodes::default();
        let guard = tracing::subscriber::set_default(nodes.at(level));
        Self { nodes, _guard: Some(guard) }
    }

    /// The same on every thread of this process, for as long as it lives: to be called once.
    pub(crate) fn everywhere(level: Level) -> Self {
        let nodes = Nodes::default();
        tracing::subscriber::set_global_default(nodes.at(level)).expect("there is no other");
        Self { nodes, _guard: None }
    }

    /// Forgets what was seen. No span may be open.
    pub(crate) fn clear(&self) {
        let mut nodes = self.nodes.lock();
        assert!(nodes.iter().all(|node| !node.is_open), "a span is open");
        nodes.clear();
    }

    /// Whether all spans have ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.nodes.lock().iter().all(|node| !node.is_open)
    }

    /// A line a span or event, indented by its depth, with those fields that `is_shown`.
    pub(crate) fn text(&self, is_shown: impl Fn(&str) -> bool) -> String {
        let nodes = self.nodes.lock();
        let mut text = String::new();
        nodes.write(None, 0, &is_shown, &mut text).expect("a string takes all");
        text
    }

    /// The name, target and level of each span and event.
    pub(crate) fn metadata(&self) -> Vec<&'static Metadata<'static>> {
        self.nodes.lock().iter().map(|node| node.metadata).collect()
    }
}

trait Write {
    fn write(&self, parent: Option<usize>, depth: usize, shown: &dyn Fn(&str) -> bool, to: &mut String) -> fmt::Result;
}

impl Write for [Node] {
    fn write(&self, parent: Option<usize>, depth: usize, shown: &dyn Fn(&str) -> bool, to: &mut String) -> fmt::Result {
        for (index, node) in self.iter().enumerate().filter(|(_, node)| node.parent == parent) {
            let name = if node.metadata.is_span() { node.metadata.name() } else { "event" };
            write!(to, "{:1$}{name}", "", 2 * depth)?;
            for (name, value) in node.fields.0.iter().filter(|(name, _)| shown(name)) {
                write!(to, " {name}={value}")?;
            }
            to.push_str(if node.is_open { " (open)\n" } else { "\n" });
            self.write(Some(index), depth + 1, shown, to)?;
        }
        Ok(())
    }
}

#[derive(Default)]
struct Fields(Vec<(&'static str, String)>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name(), value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push((field.name(), format!("{value:?}")));
    }
}

/// The place of a span's node, kept with the span.
struct Place(usize);

impl Nodes {
    fn at(&self, level: Level) -> impl Subscriber + Send + Sync {
        Registry::default().with(self.clone().with_filter(LevelFilter::from_level(level)))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Node>> {
        self.0.lock().expect("no test panics in here")
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Nodes {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).expect("the span is there");
        let parent = span.parent().and_then(|parent| parent.extensions().get::<Place>().map(|place| place.0));
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let mut nodes = self.lock();
        span.extensions_mut().insert(Place(nodes.len()));
        nodes.push(Node { parent, metadata: attributes.metadata(), fields, is_open: true });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let span = context.span(id).expect("the span is there");
        if let (Some(Place(place)), nodes) = (span.extensions().get::<Place>(), &mut *self.lock()) {
            values.record(&mut nodes[*place].fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let parent = context.event_span(event);
        let parent = parent.and_then(|parent| parent.extensions().get::<Place>().map(|place| place.0));
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.lock().push(Node { parent, metadata: event.metadata(), fields, is_open: false });
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let span = context.span(&id).expect("the span is there");
        if let (Some(Place(place)), nodes) = (span.extensions().get::<Place>(), &mut *self.lock()) {
            nodes[*place].is_open = false;
        }
    }
}
