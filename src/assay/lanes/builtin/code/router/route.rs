//! Which handler a message goes to.

use std::collections::HashMap;

/// Longest topic name that is accepted, in bytes.
pub const MAX_TOPIC_LENGTH: usize = 255;

/// How urgent a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    Low,
    Normal,
    Urgent,
}

/// One rule: messages of a topic go to a handler.
#[derive(Debug, Clone)]
pub struct Route {
    pub topic: String,
    pub handler: String,
    pub priority: Priority,
}

/// Anything that can tell whether a topic is meant.
pub trait TopicMatcher {
    fn matches(&self, topic: &str) -> bool;
}

/// Matches every topic below a prefix, such as `orders.` for `orders.created`.
pub struct PrefixMatcher {
    prefix: String,
}

impl TopicMatcher for PrefixMatcher {
    fn matches(&self, topic: &str) -> bool {
        topic.starts_with(&self.prefix)
    }
}

/// Matches with `*` for one segment of a topic.
pub struct WildcardMatcher {
    segments: Vec<String>,
}

impl TopicMatcher for WildcardMatcher {
    /// A star stands for exactly one segment between two dots.
    fn matches(&self, topic: &str) -> bool {
        let parts: Vec<&str> = topic.split('.').collect();
        parts.len() == self.segments.len()
            && parts.iter().zip(&self.segments).all(|(part, wanted)| wanted == "*" || wanted == part)
    }
}

/// All routes by topic.
#[derive(Default)]
pub struct RouteTable {
    routes: HashMap<String, Route>,
}

impl RouteTable {
    pub fn insert(&mut self, route: Route) -> Option<Route> {
        self.routes.insert(route.topic.clone(), route)
    }

    /// The route of a topic, or the default one when nobody asked for it.
    pub fn resolve(&self, topic: &str) -> Option<&Route> {
        self.routes.get(topic).or_else(|| self.routes.get("default"))
    }
}

/// Reads `topic -> handler` as it stands in the routing file.
pub fn parse_route(line: &str) -> Option<Route> {
    let (topic, handler) = line.split_once("->")?;
    let topic = topic.trim();
    if topic.is_empty() || topic.len() > MAX_TOPIC_LENGTH {
        return None;
    }
    Some(Route { topic: topic.to_string(), handler: handler.trim().to_string(), priority: Priority::Normal })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_an_arrow_is_no_route() {
        assert!(parse_route("orders.created").is_none());
    }
}
