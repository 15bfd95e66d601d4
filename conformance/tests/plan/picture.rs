//! The picture.

use std::fs;

use crate::program::{Scratch, printed};

fn drawn(arguments: &[&str]) -> String {
    let scratch = Scratch::new();
    let path = scratch.path("plan.svg");
    printed(&[arguments, &["--svg", &path]].concat());
    fs::read_to_string(path).expect("it is written")
}

#[test]
fn the_same_words_draw_the_same_picture() {
    let arguments = ["--jitter=decorrelated", "--max-retries=6", "--total-timeout=60s"];
    assert_eq!(drawn(&arguments), drawn(&arguments));
    assert_ne!(drawn(&arguments), drawn(&["api"]));
}

#[test]
fn axes_and_lines_have_names_and_units() {
    let svg = drawn(&["api", "--total-timeout=10s"]);
    for words in [
        ">time since the call began (s)<",
        ">send<",
        ">length of the wait (s)<",
        ">% of clients per 100 ms<",
        ">earliest to latest<",
        ">mean<",
        ">total limit, 10 s<",
    ] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(drawn(&["microservice"]).contains("total limit: 180 s, beyond the picture"));
    assert!(drawn(&["none"]).contains("one send, no retries"));
}

#[test]
fn two_plans_have_one_scale() {
    let svg = drawn(&["--diff", "api", "microservice"]);
    assert_eq!(svg.matches(">time since the call began (s)<").count(), 2, "{svg}");
    assert!(svg.contains("width=\"1440\""));
}
