//! Requests that nobody can send.

use conformance::server::Reply;

use crate::row::{Row, never};
use crate::scene::{Place, Scene, http1};

pub(crate) fn rows() -> Vec<Row> {
    let unsent = |name, scene: fn(&Place) -> Scene| Row::new(name, scene, never());
    vec![
        unsent("a scheme that is not HTTP's", |place| ok(place).url(format!("example+test://127.0.0.1{}", place.path))),
        unsent("a header value with a line break", |place| ok(place).request(|request| request.header("x", "a\nb"))),
        unsent("a header name with a space", |place| ok(place).request(|request| request.header("x y", "a"))),
    ]
}

fn ok(place: &Place) -> Scene {
    http1(Reply::status(200))(place)
}
