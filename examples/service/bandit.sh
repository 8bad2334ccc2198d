#!/bin/sh
# A private bandit as a command, in POSIX shell and awk. Its noise cannot be seeded from outside.
#
#     privcheck audit --command "sh examples/service/bandit.sh" --epsilon 1 --arms 2 --horizon 4
#
# It plays every arm once, publishes each reward with Laplace noise, and plays the arm with the larger noisy reward from
# then on. A reward in [0, 1] enters one publication, so noise of scale 1 / epsilon makes it epsilon-DP. With an argument,
# say 0.25, the noise has a quarter of that scale: a mistake for an audit to find.

awk=awk
case $(awk -W version 2>&1 </dev/null) in mawk*) awk="awk -W interactive" ;; esac # mawk reads ahead otherwise

exec $awk -v factor="${1:-1}" -v seed="$(od -An -N4 -tu4 /dev/urandom)" '
function number(name) {
    match($0, "\"" name "\": *-?[0-9.eE+-]+")
    found = substr($0, RSTART, RLENGTH)
    sub(/.*: */, "", found)
    return found + 0
}
function exponential() { return -log(1 - rand()) }
function reply(text) { print text; fflush() }

BEGIN { srand(seed % 2147483647) }
/"op": *"start"/ {
    arms = number("arms"); scale = factor / number("epsilon"); round = 0
    reply("{\"ok\": true}")
}
/"op": *"select"/ {
    arm = round
    if (round >= arms) {
        arm = 0
        for (other = 1; other < arms; other++) if (noisy[other] > noisy[arm]) arm = other
    }
    reply("{\"action\": " arm "}")
}
/"op": *"update"/ {
    if (round < arms) noisy[number("action")] = number("reward") + scale * (exponential() - exponential())
    round++
    reply("{\"ok\": true}")
}
/"op": *"end"/ { reply("{\"ok\": true}") }
'
