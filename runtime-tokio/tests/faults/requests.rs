//! Requests that nobody can send, and redirects that nobody can follow.

use conformance::server::Reply;
use futures_util::stream;
use reqwest::Body;
use retry_core::ErrorKind::Validation;
use retry_core::Reached::MaybeSent;

use crate::row::{Expected, Row, never, once};
use crate::scene::{Place, Scene, http1};

pub(crate) fn rows() -> Vec<Row> {
    let to = |name, location: &'static [u8], expected| {
        let reply = Reply::status(302).header("Location", location);
        Row::new(name, http1(reply), expected)
    };
    let unsent = |name, scene: fn(&Place) -> Scene| Row::new(name, scene, never());
    vec![
        unsent("a URL without a host", |place| ok(place).url("http://")),
        unsent("a URL that is relative", |place| ok(place).url(place.path)),
        unsent("a URL that is longer than HTTP allows", |place| {
            let scene = ok(place);
            let url = format!("{}{}", scene.url, "x".repeat(70_000));
            scene.url(url)
        }),
        unsent("a scheme that is not HTTP's", |place| {
            ok(place).url(place.of(&format!("ftp://example.test{}", place.path)))
        }),
        unsent("a URL without its scheme", |place| {
            ok(place).url(format!("{}example.test{}", place.userinfo, place.path))
        }),
        unsent("http where the client takes https only", |place| ok(place).client(|client| client.https_only(true))),
        unsent("a header value with a line break", |place| ok(place).request(|request| request.header("x", "a\nb"))),
        unsent("a header name with a space", |place| ok(place).request(|request| request.header("x y", "a"))),
        unsent("a body that cannot be built", |place| {
            ok(place).request(|request| request.json(&std::collections::HashMap::from([(vec![1], 2)])))
        }),
        to("a redirect in a circle", b"/again", WRONG.requests(11)),
        to("a redirect to a scheme that is not HTTP's", b"ftp://user:hunter2@example.test/?token=hunter2", WRONG),
        Row::new("a redirect to http where the client takes https only", https_only, WRONG),
        Row::new("the caller's own body fails", failing_body, WRONG),
    ]
}

const WRONG: Expected = once(Validation, MaybeSent);

fn ok(place: &Place) -> Scene {
    http1(Reply::status(200))(place)
}

fn https_only(place: &Place) -> Scene {
    let reply = Reply::status(302).header("Location", "http://user:hunter2@example.test/?token=hunter2");
    crate::scene::tls(conformance::server::Tls::Good, reply)(place).client(|client| client.https_only(true))
}

/// A stream that fails after its first bytes, when the request is on its way.
fn failing_body(place: &Place) -> Scene {
    let scene = ok(place);
    scene.request(|request| {
        let chunks = stream::unfold(0, |n| async move {
            match n {
                0 => Some((Ok("the first bytes"), 1)),
                _ => {
                    // The bytes before are written while this waits.
                    for _ in 0..256 {
                        tokio::task::yield_now().await;
                    }
                    Some((Err("the disk is full"), 2))
                }
            }
        });
        // A GET has no body by itself: hyper leaves it away unless a header says that there is one.
        request.header("Transfer-Encoding", "chunked").body(Body::wrap_stream(chunks))
    })
}
