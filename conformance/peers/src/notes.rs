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
    ("surf, `send`, kept connections, by name", SURF_NAME),
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
    more than the aim already (the table's last row). Ours adds two readings of the clock, the loop, a report, and moves \
    of requests and responses that are 400 to 600 bytes each, and gives each send a task of its own. Tried, and kept: the \
    client is not wrapped where no middleware is left, and what is moved in one piece went from 8.5 kB to about 3. Tried, \
    and given up: to poll a send to a number where it is, because no name is looked up there. That came to +17 %, but a \
    server that never ends a header line keeps surf's client in one poll, so that no limit holds on it.";

const SURF_NAME: &str = "\
    surf's client blocks its thread while it looks a name up, and no limit holds on a thread that is blocked. So the name \
    is looked up before, by another thread, and then the client sends in a task of its own, as it does to a number. To do \
    without the task would give up that a call ends in time: nobody knows whether the client's lookup is as quick as ours \
    was, because nothing keeps what was found, be it from a server or from the hosts file; and a server that never ends \
    a header line keeps the client in one poll.";

pub fn of(aim: &str) -> Option<&'static str> {
    NOTES.iter().find(|(beginning, _)| aim.starts_with(beginning)).map(|(_, note)| *note)
}
