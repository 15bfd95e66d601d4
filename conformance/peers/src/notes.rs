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
    Tried in the program of `.ci/counted`, where a call costs 1,070 more than bare: one written by hand for a GET alone, \
    with one clock reading before its send and one after it, the machine's two steps and nothing else, costs 650; the \
    same through the core's loop 820. A reading of the clock is 128 of these, nearly all of them in std and tokio, so the \
    aim's 325 would leave 70 to 200 for the machine, which takes 200. The other 400 between that loop and ours are what a \
    call may have besides: settings of its own, a cancellation, a budget, a report, a custom policy, a recorder; each is \
    asked about once and dropped once. What took it down from 1,550: no second reading of the clock for an answer whose \
    time nobody asks for (128); one question whether anybody has a say in an answer, before all that is made for those who \
    do (250); the parts of the result's making that an answer does not need put out of line (90); bodies read by a sender \
    around the sender (10, and 110 of `send`); sends that are polled without a future of ours around them (20). Tried, and \
    of no use: the machine's steps inlined (no less here, and 100 more for a whole call), the cold arms of the loop marked \
    as cold, the reply of a send that was cut made inside of the poll, the judgement of an error there, cancellation left \
    out. What is left to gain is in moves: a response of 136 bytes is moved seven times, about 20 instructions each, where \
    the compiler takes it out of one future's result and puts it into another's. Given up: a way past the machine for an \
    answer that needs no decision, because then two places decide.";

const SEND: &str = "\
    The request has to be kept for a retry. reqwest's `try_clone` takes 1,430 instructions with the dropping of the \
    copy, of the 1,900 that the aim leaves for all, and four allocations. 940 of them, and three allocations, are \
    because it writes the timeout among the new request's extensions, of which it then makes a copy of the old ones: \
    written after that, or only where there is a timeout, it would take 490. Tried, and given up: to copy the parts \
    one by one. That made `send` 810 cheaper, and so would not have been enough by itself. reqwest shows nobody a \
    request's extensions, and they are where it keeps what a request says of its own: the timeout of today, which can \
    be asked for, and whatever later ones can say. All but the last send would go out without that, in silence. \
    Whether a request has another field could be told by its size when ours is compiled, but the extensions are one \
    pointer whatever is in them. Tried, and dearer than `try_clone`: to get at them by the one way out that there is, \
    a conversion to a request of the crate http, with a short URL in place of its own (2,180). Beside the copy, `send` \
    takes 530 more than `run`: the request, of 264 bytes, is moved eight times more on its way, which takes 300 of \
    them. The rest is as in `run`.";

const RUN_FUTURE: &str = "\
    Beside the user's future there are 184 bytes of policy, settings, method and URL, 96 of tokio's timer and 56 of the \
    machine; the rest are the arguments of nested futures, which the compiler keeps twice.";

const SEND_FUTURE: &str = "\
    Of 904 bytes the request and its client take 304, policy and settings 120, the generator, the record's place and \
    what a call counts 96, and the machine with tokio's timer and the send 344; the copy of the request is not among \
    them, because it is made where the client takes it over.";

const THREADS: &str = "\
    What calls share are reference counts and, of a `Retry`, a counter of calls, and neither is seen: the processor's \
    time, in which threads that disturb each other would show, is as much over bare's as the first table's \
    instructions are, and the same with a shared `Retry` as with a policy for each call. On a busy machine it was +4.9 \
    % for `send` and +5.0 % with a shared `Retry`, +2.4 % for `run`, and -0.3 % for bare over itself, each within half \
    a percent. So this aim is met when those of the first table are. The time by the clock has the server's in it, \
    which does the same for all: that makes it less. Tried: pieces of 1, 4 and 16 calls a task, and ratios of medians, \
    of lower quartiles and of trimmed means instead of the median of ratios: none scatters less in the same time. What \
    does is more rounds, and the geometric mean of two pieces as the baseline.";

const BUDGET: &str = "\
    Beside what is said of the others: each call finds its origin's budget by the text before the path, and tells it of \
    the answer under a lock that all calls to the origin share.";

const BACKOFF: &str = "\
    Beside the task and the request a call holds 328 bytes: the record of its last eight attempts, 296, made at its \
    first failure, and a generator, 32. It was 448: the record was not packed, and a status that was let go was kept \
    as a failure, in 88 bytes of its own. tokio rounds a task up to a multiple of 128 bytes.";

const ZERO_DELAY: &str = "\
    The time follows the instructions, which the table has. Looked for, and not there: there are as many system calls \
    as in two bare requests, so no wake-up more; no timer is made, and no connection is lost (none in 3,200 retries, \
    with one, two and four worker threads, where the body comes with its head), because the body is there when it is \
    first asked for. Counted in the program of `.ci/counted`, `run` takes 3,940 more than two bare requests, which \
    take 116,400. 1,090 of them are what every call takes; 510 the machine's judgement of two replies, 190 of that for \
    a seeded generator and a word of it; 390 three more readings of the clock, when the 503 came, for the record, and \
    when its wait was over; 420 the record and the look for Retry-After; 150 the mark by which a retry layer around \
    this one knows that it has done its work. Reading the body off costs what reading it costs. 700 to 800 are the \
    allocator's, which is asked twice more and searches longer for the client's own large pieces: it finds its heap in \
    another order (with a record of one attempt, 48 bytes, it takes 140 more, and not less). The rest are moves. \
    `send` copies the request twice, which takes 2,900 more. Tried, and kept: a status is let go without a box, and a \
    body is read off in place (300, two allocations); of a response only its body is taken over for that (240); no \
    clock is read after a wait that was over already (110), nor for the record of an answer that nobody asks about \
    (400); Retry-After is looked up once (90). reqwest's own retry takes less than two requests, because it sends \
    again below most of what a client does for each.";

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
