//! What a service or a server says, and is not so.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};
use http_body_util::Empty;
use retry_core::{ErrorKind, NonIdempotent, Policy};
use runtime_tokio::{Budgets, Ratio, Retry};
use tower::{BoxError, Layer, service_fn};

use crate::common::SkipTimer;
use crate::stack::{get, report, retry, send};

/// A text proves nothing: a server may have written it.
#[tokio::test]
async fn a_text_is_no_proof_that_nothing_was_sent() {
    let texts = ["dns error", "client error (UserUnsupportedVersion)", "invalid URL, scheme is missing"];
    for text in texts {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        CALLS.store(0, Ordering::Relaxed);
        let inner = service_fn(move |_: Request<_>| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            async move { Err::<Response<Empty<Bytes>>, BoxError>(text.into()) }
        });
        let policy = retry().0.policy().edit().non_idempotent(NonIdempotent::WhenUnsent).build().unwrap();
        let mut request = get("http://localhost/");
        *request.method_mut() = Method::POST;
        let error = send(&Retry::new(policy).layer(inner), request).await.unwrap_err();
        assert_eq!((error.attempts(), CALLS.load(Ordering::Relaxed)), (1, 1), "{text}");
    }
}

/// Each layer has a policy of its own, so the outer one may have made sends before the inner one did.
#[tokio::test]
async fn sends_of_both_layers_are_counted() {
    let statuses = |statuses: &[u16]| {
        let policy = retry().0.policy().edit().statuses(statuses).build().unwrap();
        Retry::with_timer(policy, SkipTimer::default())
    };
    for ends_in_failure in [false, true] {
        let calls = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&calls);
        let inner = service_fn(move |_: Request<_>| {
            let status = if seen.fetch_add(1, Ordering::Relaxed) == 0 { 503 } else { 500 };
            let reset = ends_in_failure && status == 500;
            async move {
                match reset {
                    true => Err(BoxError::from(std::io::Error::from(std::io::ErrorKind::ConnectionReset))),
                    false => Ok(Response::builder().status(status).body(Empty::<Bytes>::new())?),
                }
            }
        });
        let stack = statuses(&[500, 503]).layer(statuses(&[500]).layer(inner));
        let attempts = match send(&stack, get("http://localhost/")).await {
            Ok(response) => report(&response).attempts(),
            Err(error) => error.attempts(),
        };
        assert_eq!((attempts, calls.load(Ordering::Relaxed)), (5, 5), "fails: {ends_in_failure}");
    }
}

#[tokio::test]
async fn a_request_without_room_for_a_header_is_refused() {
    let mut full = HeaderMap::new();
    for number in 0_u32.. {
        let name = HeaderName::try_from(format!("x-{number}")).unwrap();
        if full.try_insert(name, HeaderValue::from(number)).is_err() {
            break;
        }
    }
    let inner = service_fn(|_: Request<_>| async { Ok::<_, BoxError>(Response::new(Empty::<Bytes>::new())) });
    let (retry, _) = retry();
    let counting = retry.clone().retry_count_header(HeaderName::from_static("x-retry-count"));
    for (retry, has_key) in [(retry, true), (counting, false)] {
        let mut request = get("http://localhost/");
        *request.headers_mut() = full.clone();
        if has_key {
            retry.call().settings().idempotency_key("order-7").attach(request.extensions_mut());
        }
        let error = send(&retry.layer(inner), request).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Validation, 0), "{error}");
    }
}

/// What has a host has its own budget, whatever its scheme and path.
#[tokio::test]
async fn budgets_of_odd_urls() {
    let budgets = Budgets::per_origin(Ratio::default);
    let inner = service_fn(|_: Request<_>| async { Ok::<_, BoxError>(Response::new(Empty::<Bytes>::new())) });
    let stack = Retry::new(Policy::API).budget(budgets.clone()).layer(inner);
    for uri in ["http://svc.1/a?x", "http://h:99999/a", "lb://users/a"] {
        send(&stack, get(uri)).await.unwrap();
    }
    for (url, is_met) in [
        ("http://svc.1/b?y", true),
        ("http://svc.2/b?y", false),
        ("http://h:99999/b", true),
        ("lb://users/b", true),
        ("lb://orders/a", false),
    ] {
        assert_eq!(budgets.level(url).is_some(), is_met, "{url}");
    }
}
