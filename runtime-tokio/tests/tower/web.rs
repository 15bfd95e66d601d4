//! axum at the other end of the network, and at the end of the stack.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::routing::{get as on_get, put};
use http_body_util::{BodyExt, Full};
use tower::{ServiceBuilder, ServiceExt};

use crate::common::guarded;
use crate::stack::{client, get, post, report, retry, send, text};

/// A server that is busy twice, and how often it was asked.
fn app() -> (Router, Arc<AtomicUsize>) {
    async fn page(State(asked): State<Arc<AtomicUsize>>) -> Result<String, StatusCode> {
        match asked.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => Err(StatusCode::SERVICE_UNAVAILABLE),
            count => Ok(format!("answer {}", count + 1)),
        }
    }
    async fn echo(State(asked): State<Arc<AtomicUsize>>, body: String) -> Result<String, StatusCode> {
        page(State(asked)).await.map(|_| body)
    }
    let asked = Arc::new(AtomicUsize::new(0));
    (Router::new().route("/page", on_get(page)).route("/echo", put(echo)).with_state(Arc::clone(&asked)), asked)
}

#[tokio::test]
async fn a_server_of_axums_is_asked_until_it_answers() {
    let (app, asked) = app();
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    let service = ServiceBuilder::new().layer(retry().0).service(client());
    let response = send(&service, get(format!("{url}/page"))).await.unwrap();
    assert_eq!((report(&response).attempts(), text(response).await.as_str()), (3, "answer 3"));
    asked.store(0, Ordering::Relaxed);
    let mut request = post(format!("{url}/echo"), "the same each time");
    *request.method_mut() = http::Method::PUT;
    assert_eq!(text(send(&service, request).await.unwrap()).await, "the same each time");
    assert_eq!(asked.load(Ordering::Relaxed), 3);
    server.abort();
}

/// A `Router` takes axum's own body, which cannot be copied: it is made of one that can, for each attempt.
#[tokio::test]
async fn a_router_is_a_service_at_the_end_of_the_stack() {
    let (app, asked) = app();
    let service = ServiceBuilder::new()
        .layer(retry().0)
        .map_request(|request: Request<Full<bytes::Bytes>>| request.map(Body::new))
        .service(app);
    let request = Request::put("/echo").body(Full::from("the same each time")).unwrap();
    let response = guarded(service.oneshot(request)).await.unwrap();
    assert_eq!((report(&response).attempts(), asked.load(Ordering::Relaxed)), (3, 3));
    let body = guarded(response.into_body().collect()).await.unwrap().to_bytes();
    assert_eq!(body, "the same each time");
}
