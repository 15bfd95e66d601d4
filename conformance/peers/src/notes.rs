//! For aims that are not met: what was tried, and what stands in the way. The figures of the run are the report's own;
//! those here were counted when something was tried.

/// How an aim's name begins, and the note. The first that fits is shown, and only while the aim is not met.
const NOTES: &[(&str, &str)] = &[
    ("schedule: instructions", SCHEDULE),
    ("six outcomes and five resumes: instructions", MACHINE),
    ("Retry-After, digits", DIGITS),
    ("`run`, happy GET, ", RUN),
    ("`send`, happy GET, ", SEND),
    ("`send-shared`, happy GET, ", SEND),
    ("future of `run`", RUN_FUTURE),
    ("future of `send", SEND_FUTURE),
    ("`budget`, 2 worker threads", BUDGET),
    ("`send`, 2 worker threads", THREADS),
    ("`send-shared`, 2 worker threads", THREADS),
    ("`run`, 2 worker threads", THREADS),
    ("`send`, in backoff", BACKOFF),
    ("`send-shared`, in backoff", BACKOFF),
    ("`run`, in backoff", BACKOFF),
    ("`send`, 503 then 200", ZERO_DELAY),
    ("`send-shared`, 503 then 200", ZERO_DELAY),
    ("`run`, 503 then 200", ZERO_DELAY),
    ("surf, `send`, ", SURF),
];

const SCHEDULE: &str = "\
- In the way: the default draws 10 % up or down, which is a multiplication by a share and two limits more for each delay
  than full jitter, which is what most peers draw; the table has ours with that.
";

const MACHINE: &str = "\
- In the way: each outcome is judged by the table, then by each limit in its order, and each wait is drawn. With every kind
  of jitter and of budget the order is the same, and no step of it can be left out.
";

const DIGITS: &str = "\
- In the way: ours reads the value's bytes for blanks, commas and a fraction as well, and its result depends on all of them,
  where `str::parse` has three digits and nothing to find out. The table has the instructions, too.
";

const RUN: &str = "\
- In the way: the aim leaves 325 instructions. Counted in the program of `.ci/counted`, a call written by hand, for a GET
  alone, with two readings of the clock and the machine's two steps, takes 650; the same through the core's loop 820; ours
  1,080, and up to 370 more that are the allocator's: it is asked as often as without us, and finds its heap in another
  order. A reading of the clock is 128, nearly all in std and tokio, and the machine 200. The rest is what a call may have
  besides (settings, a cancellation, a budget, a report, a policy of one's own, a recorder), each asked about once and
  dropped once; and a response of 136 bytes is moved seven times, about 20 instructions each.
- Kept, down from 1,550: no second reading of the clock for an answer whose time nobody asks for (128); one question whether
  anybody has a say in an answer (250); what an answer does not need is out of line (90); sends without a future of ours
  around them (20).
- Of no use: the machine's steps inlined, the loop's cold arms marked as cold, errors judged inside of the poll, no
  cancellation.
- Given up: a way past the machine for an answer that needs no decision, because then two places decide.
";

const SEND: &str = "\
- In the way: the request has to be kept. reqwest's `try_clone`, with the dropping of the copy, takes 1,430 instructions of
  the 1,900 that the aim leaves, and four allocations. 940 of them, and three allocations, are there because it writes the
  timeout into the new request's extensions, and then replaces these by a copy of the old ones. The request, of 264 bytes,
  is moved eight times, which takes 300. The rest is as in `run`.
- Given up: to copy the request part by part, which takes 810 less, and would not be enough. reqwest shows nobody a request's
  extensions, and keeps there what a request says of its own. All sends but the last would go out without what a later
  reqwest, or a request that was made of one of the crate http, has there, and nobody would be told.
- Of no use: to reach the extensions through a request of the crate http, which takes 2,180.
";

const RUN_FUTURE: &str = "\
- In the way: beside the user's future there are 184 bytes of policy, settings, method and URL, 96 of tokio's timer and 56 of
  the machine; the rest are the arguments of nested futures, which the compiler keeps twice.
";

const SEND_FUTURE: &str = "\
- In the way: the request and its client take 304 bytes, policy and settings 120, the machine with tokio's timer and the
  send 344, and what a call counts, with the compiler's own, the rest.
";

const THREADS: &str = "\
- In the way: what a call takes beside its sends. The processor's time is as much over bare's as the instructions are in \"A
  GET that is answered at once\", and the same with a shared `Retry` as with a policy for each call. So the reference counts
  and the counter that calls share do not disturb each other, and this aim is met when those of that section are. The time
  by the clock is less over bare's, because it has the server's in it.
- Of no use: pieces of 1, 4 and 16 calls, and ratios of medians, of lower quartiles and of trimmed means: none scatters less
  in the same time. What does is more rounds, and two pieces as the baseline.
";

const BUDGET: &str = "\
- In the way, beside what is said of the others: each call finds its origin's budget by the text before the path, and tells
  it of the answer under a lock that all calls to the origin share.
";

const BACKOFF: &str = "\
- In the way: beside the task and the request a call holds 328 bytes, the record of its last eight attempts (296) and a
  generator (32). tokio rounds a task up to a multiple of 128 bytes.
";

const ZERO_DELAY: &str = "\
- In the way: instructions, which the table has, and which the time follows. There are no more system calls than in two bare
  requests, no timer, and no connection is lost (none in 3,200 retries, on one, two and four threads). Of 3,900 that `run`
  took, 1,090 are those of every call, 510 the machine's judgement of two replies, with a seeded generator; 420 the record
  and the look for Retry-After; 390 three readings of the clock; 150 the mark by which a retry layer around this one knows
  that it has done its work; 750 the allocator's, which is asked twice more and finds its heap in another order. The rest
  are moves. `send` copies the request twice, which takes 2,900 more.
- Kept: a status is let go without a box and a body read off in place (300); of a response only the body is taken for that
  (240); no clock is read after a wait that was over (110), nor for an answer after a retry (400); Retry-After is looked up
  once (90).
- reqwest's own retry takes less than two requests, because it sends again below most of what a client does for each.
";

const SURF: &str = "\
- In the way: a middleware of the request that keeps a copy of it and does nothing else, which is what surf makes a retry be,
  takes more than the aim already (the table's last row). Ours adds about 1,500 instructions for the loop, the machine and
  what they ask and tell, 1,000 for moves of requests and responses of 350 to 650 bytes, 800 for five allocations, 250 for a
  copy of the client, which surf takes away with each send, and 200 for two readings of the clock.
- Kept: a send is polled where the call is, if nothing may end it early (9,000 less, and more where there is a name); no
  report and no mark where nobody asks; the response goes through the loop in a box; the request goes out as it came; no
  allocation is above 1,032 bytes, where one takes 400 to 900 instructions and not 150.
- Of no use: a box around the whole call, and to poll surf's request builder itself, which makes a box as well.
- Given up: to poll a send where it is that may be ended early, to an address or after a lookup of ours. A server that never
  ends a header line keeps surf's client in one poll, and nobody knows how long the client's own lookup takes.
";

pub fn of(aim: &str) -> &'static str {
    NOTES.iter().find(|(beginning, _)| aim.starts_with(beginning)).map_or("- Not looked into yet.\n", |(_, note)| *note)
}
