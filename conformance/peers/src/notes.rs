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
    The default draws 10 % up or down, which is a multiplication by a share and two limits more for each delay than full \
    jitter, which is what most peers draw: see the table for ours with that.";

const MACHINE: &str = "\
    Each outcome is judged by the table, then by each limit in its order, and each wait is drawn; with every kind of jitter \
    and of budget the order is the same, and no step of it can be left out.";

const DIGITS: &str = "\
    The table has the instructions, too. Ours reads the value's bytes for blanks, commas and a fraction as well, and its \
    result depends on all of them, where `str::parse` has three digits and nothing to find out.";

const RUN: &str = "\
    Two readings of the clock with their arithmetic take about 250 instructions, 200 of them in std and tokio, which \
    leaves about 90 of what the aim allows for all else. The machine's step, its end and the making of the result take \
    about 220. Most of the rest are moves: a response of 136 bytes goes through each future on the way, and the compiler \
    does not put the moves together. Polls are not what it takes: there are as many as without retries. Tried, and kept: \
    a report only where it is asked for, no question to a custom policy that is not there, one timer beside what it cuts, \
    a future less for each send, and whether a request may go out again asked where the answer is needed. Tried, and of no \
    use: other orders of the matches on the result, and taking the response out before the send is dropped. Tried, and \
    given up: a way past the machine for an answer that needs no decision. It was cheaper, but then two places decide, and \
    a budget is not told of every answer. To come below +2 % the core's loop would have to hand replies over in place, or \
    to read the clock once.";

const SEND: &str = "\
    The request has to be kept for a retry. reqwest's `try_clone` takes about 1,100 instructions and four allocations, and \
    dropping what was kept 200. About half of the copy is because it writes the timeout among the new request's \
    extensions, of which it then makes a copy of the old ones: written after that, or only where there is a timeout, it \
    would cost three allocations and an estimated 700 instructions less, for all who copy requests. The request, of 264 \
    bytes, is moved about seven times before it goes out. The rest is as in `run`. Tried, and given up: to copy the request \
    field by field. That was cheaper, but it would silently lose whatever a later reqwest adds to its requests.";

const RUN_FUTURE: &str = "\
    Beside the user's future there are 184 bytes of policy, settings, method and URL, 96 of tokio's timer and 56 of the \
    machine; the rest are the arguments of nested futures, which the compiler keeps twice.";

const SEND_FUTURE: &str = "\
    It has the request and its copy in it, and reqwest's own future; the rest is as in `run`.";

const THREADS: &str = "\
    Both threads of the client and the server have two cores between them, so this figure has in it all that runs on the \
    machine besides; its middle half says how much. What a call takes more than bare is the first table's, and what \
    calls share is reference counts and, of a `Retry`, a counter of calls. A quiet machine has to say more.";

const BUDGET: &str = "\
    Beside what is said of the others: each call finds its origin's budget by the text before the path, and tells it of \
    the answer under a lock that all calls to the origin share.";

const BACKOFF: &str = "\
    tokio rounds a task up to a multiple of 128 bytes, and the record of a call's attempts, made at its first failure, \
    takes 448.";

const ZERO_DELAY: &str = "\
    The retry itself makes no timer; what it takes is a copy of the request, the step of the machine, and the record that \
    is made at the first failure.";

const SURF: &str = "\
    A middleware of the request that keeps a copy of it and does nothing else, which is what surf makes a retry be, takes \
    more than the aim already (the table's last row). Of what ours adds to it, about 1,500 instructions are the loop, the \
    machine and the two sides of it, 1,000 are moves of requests and responses of 350 to 650 bytes each, 800 are five \
    allocations, 250 are a copy of the client, which surf takes away with each send (surf-retry copies it, too), and 200 \
    are two readings of the clock. Tried, and kept: a send is polled where the call is, if nothing may end it early (9,000 \
    instructions less, and more where there is a name); the end of surf's stack is called, and not the client anew; there \
    is no report, and no mark on the response, where nobody asks for one; a response goes through the loop in a box, the \
    request goes out as it came, and its URL's text is copied once; and each allocation is small: above 1,032 bytes one \
    costs 400 to 900 instructions, below about 150. Tried, and of no use: a box around the whole call, and to poll surf's \
    request builder as the future that it is, which makes a box as well. What would break a promise: to poll a send where \
    it is that may be ended, be it to a number, be it after a lookup of ours. A server that never ends a header line keeps \
    surf's client in one poll, and nobody knows whether the client's own lookup is as quick as ours was. Not done: to keep \
    no text of the URL, 250 instructions, because then an error of a middleware around ours would not say which request it \
    is of.";

pub fn of(aim: &str) -> Option<&'static str> {
    NOTES.iter().find(|(beginning, _)| aim.starts_with(beginning)).map(|(_, note)| *note)
}
