"""Every word of the interface, in both languages; causes and stages have their own words."""

from __future__ import annotations

from typing import Literal, get_args

from unstuck.diagnosis.text import NO_TEXT, Messages, Text, join_texts, same_in_both

say = Messages(__name__)

Lang = Literal["en", "zh"]
LANGS: tuple[Lang, ...] = get_args(Lang)

MARKS = {"fine": "✓", "progressing": "…", "held": "‖", "stuck": "✗", "unknown": "?"}
# A healthy object with a cause.
BUT = "!"
STAGE_MARKS = {"done": "✓", "not-done": "✗", "unknown": "?", "later": "·"}

WORDS: dict[str, Text] = {
    # labels at the left
    "proven": say("proven"),
    "likely": say("likely"),
    "why": say("WHY"),
    "fix": say("FIX"),
    "dont": say("DON'T"),
    "next": say("NEXT"),
    "owner_unknown": say("whose it is, nobody knows here"),
    "proof": say("PROOF"),
    "says": say("SAYS"),
    "stages": say("STEPS"),
    "column_who": say("Who"),
    "column_why": say("Why"),
    "column_since": say("Since"),
    "not_seen": say("UNSEEN"),
    "seen": say("seen"),
    "undecided": say("undecided between"),
    "possible": say("possible"),
    "decide": say("decide"),
    "unseen": say("not seen"),
    "part_events": say("events"),
    "part_lease": say("lease"),
    "part_log": say("log"),
    "part_keys": say("keys"),
    "help": say("help"),
    "do_not": say("do not"),
    "or": say("or"),
    "held": say("held on purpose"),
    "held_cordoned": say("cordoned"),
    "held_suspended": say("suspended"),
    "held_scaled": say("scaled to 0"),
    "asked_there": say.template("run first: the command for {who}, below"),
    "or_else": say("or "),
    "to_be_sure": say("to be sure: "),
    "but": say(", but there is a problem"),
    "colon": say(": "),
    "comma": say(", "),
    # The separator of names, which differs in Chinese.
    "list_comma": join_texts((NO_TEXT, NO_TEXT)),
    "dash": say(" — "),
    "semicolon": say("; "),
    "way_agent": say("the agent"),
    "way_ssh": same_in_both("ssh"),
    "way_probe": say("the Pod that looks"),
    # sentences and their parts
    "more": say.template("and {n} more"),
    "folded": say.template("+ {what}"),
    "on_demand": say(": --all"),
    "n_rows": say.template("{n} more of the evidence"),
    "n_steps": say.template("{n} more to do"),
    "n_notes": say.template("{n} more notes"),
    "n_follows": say.template("{n} more that follow from it"),
    "n_next": say.template("{n} other ways to ask"),
    "n_says": say.template("{n} more messages"),
    "one_placing": say("where it could run"),
    "n_less": say.template("{n} less likely causes"),
    "one_less": say("1 less likely cause"),
    "one_rows": say("1 more of the evidence"),
    "one_steps": say("1 more to do"),
    "one_notes": say("1 more note"),
    "one_follows": say("1 more that follows from it"),
    "one_next": say("1 other way to ask"),
    "one_says": say("1 more message"),
    "more_causes": say.template("+ {n} more: {ids} (--all)"),
    "on_a_node": say.template(", on node {node}"),
    "many": say.template("{n} {kind}s {owner}: {names}"),
    "many_unnamed": say.template("{n} unnamed {kind}s ({file}, lines {lines})"),
    "and_more": say.template("{names} and {n} more"),
    "steps_done": say.template("{n} of {of} steps done"),
    "then_stages": say("then: "),
    "affects": say("affects "),
    # possible causes
    "possible_only": say("possible, not confirmed: "),
    "also": say("ALSO"),
    "one_of": say.template("not decided; something speaks for each of {n}:"),
    "fits": say.template("not decided; the {n} most common that fit:"),
    "all_that_fit": say.template("not decided; these {n} fit what was seen:"),
    "less_likely": say.template("+ {n} less likely"),
    "unknown_why": say.template("not known: too little was seen to tell {n} possible causes apart"),
    "areas": say("by area: "),
    "no_rule_here": say.template("no rule covers these words; causes that remain open: {n}"),
    "last": say.template("last {span} ago"),
    "ago": say.template("{span} ago"),
    "said": say.template("a message says: {error}"),
    "since": say.template("since {time}"),
    "on": say.template("on {node}: "),
    "source": say("in the owner's manifest: "),
    "on_the_node": say("on the node: "),
    "on_that_node": say("on the node that this came from: "),
    "your_paste": say("your paste"),
    "put_for": say.template("replace {word} with {how}"),
    "undo": say("undo: "),
    "verify": say("then") + say(": "),
    "at_node": say.template(" (node {node})"),
    "seen_on": say.template("seen on {who}"),
    "seen_on_more": say.template("seen on {who} and {n} more"),
    "no_cause": say.template(
        "No known cause matches what was seen; {n} were ruled out. unstuck … --explain shows each."
    ),
    "nothing": say("No problems found."),
    "nothing_else": say("Nothing else is wrong: what is known was left out."),
    # placing of a waiting Pod
    "at_nodes": say("NODES"),
    "flaw": say("FLAW"),
    "changed": say("CHANGED"),
    "opens": say("OPENS"),
    "held_by": say("HELD BY"),
    "preemption": say("PREEMPT"),
    "open_here": say("OPEN"),
    "differs": say("DIFFERS"),
    "scheduler_differs": say(
        "the scheduler's last words give other reasons than the objects as they were read: one of the two "
        "is out of date"
    ),
    "fits_now": say.template("it fits now on {names}: the scheduler retries within 5 min"),
    "no_nodes": say("the cluster has no nodes"),
    "n_of": say.template("{n} of {nodes}: "),
    "more_groups": say.template("{n} more Nodes for {groups} other sets of reasons: -o json"),
    "opening": say.template("{change}: fits on {n} ({names})"),
    "like": say.template("{change}: {names}"),
    "holds_some": say.template("{amount} in {pods} Pods"),
    "holds_pods": say.template("{pods} Pods"),
    "of_nobody": say.template("Pods of no controller in {namespace}: "),
    # reasons for open questions
    "not-asked": say("not asked"),
    "denied": say("not allowed"),
    "timeout": say("no answer in time"),
    "unreachable": say("cannot be reached"),
    "too-large": say("the answer is too large"),
    "not-offered": say("not offered here"),
    # risks
    "none": say("no risk"),
    "reversible": say("reversible"),
    "loses-data": say("LOSES DATA"),
    "disrupts": say("DISRUPTS"),
    # scan
    "scan_incident": say.template("{n} incident"),
    "scan_object": say.template("{n} object"),
    "scan_incidents": say.template("{n} incidents"),
    "scan_objects": say.template("{n} objects"),
    "alike_count": say.template(" ({n} more look alike)"),
    "dot": same_in_both(" · "),
    "not-starting": say("NOT STARTING"),
    "crashing": say("CRASHING"),
    "not-going-away": say("NOT GOING AWAY"),
    "nodes": say("NODES"),
    "other": say("OTHER"),
    "n_of_kind": say.template("{n} {kind}"),
    "others": say.template(" +{n} more"),
    "perhaps": say.template("possible, not confirmed: {title}"),
    "no_rule": say.template("“{quote}”: no rule knows this"),
    "more_incidents": say.template("… {n} more: --members"),
    "more_elsewhere": say.template("… {n} more: -o json"),
    "open_one": say.template("open one: unstuck why @{n}"),
    "every": say.template("every {span}"),
    "looking": say("looking …"),
    "counted": say.template("{pods} Pods, {ill} look ill …"),
    "keys": say("q quit   ⏎ why   / filter   m members"),
    "keys_short": same_in_both("q ⏎ / m"),
    "keys_opened": say("q back"),
    "round_failed": say.template("no scan at {why}"),
    "filtered_out": say("no incident has these words"),
    "went": say.template("gone {span} ago"),
    "not_seen_now": say.template("not seen any more; less could be seen {span} ago"),
    "all_members": say("all members: -m"),
    "with_ids": say("causes by id: -o wide"),
    "and_alike": say.template(" (+{n} alike)"),
    "alike": say("look alike, not read"),
    "scan_fine": say("nothing is stuck"),
    "scan_none_seen": say("nothing that could be seen is stuck"),
    "left_out": say("left out"),
    "scan_starting": say.template("{n} still starting"),
    "scan_going": say.template("{n} still terminating"),
    "incidents": say("incidents"),
    "open": say("open"),
    "members": say("members"),
    "closer": say("closer"),
    # verify
    "rests_on": say.template("judged again by unstuck {tool} from {n} facts about {who}, as of {at}"),
    "without_each": say("Each of these is needed; in front stands what would be left without it:"),
    "without_none": say("It does not rest on any single fact."),
    "follows_not": say.template("{claimed} does not follow from these facts"),
    "follows_other": say.template("{claimed} is not what follows from these facts, but {told}"),
    # explain
    "state": say("state"),
    "gate": say("its stage"),
    "applies": say("applies"),
    "necessary": say("necessary"),
    "decisive": say("decisive"),
    "supporting": say("supporting"),
    "against": say("against"),
    "yes": say("yes"),
    "no": say("no"),
    "not_known": say("unknown"),
    "assumed": say("attributed by assumption"),
    "asks": say.template("asks {what}"),
    "ruled_out": say("ruled out"),
    "judged_undecided": say("undecided"),
    "judged_possible": say("possible"),
    "understood": say.template("understood as {form}: {where}"),
    "again": say.template("passed over, as it stands elsewhere word for word: {where}"),
    "missed": say.template("not understood: {where}"),
}


def word(key: str, lang: Lang, **values: object) -> str:
    """Return one word or sentence of the interface with its values filled in."""
    text = in_lang(WORDS[key], lang)
    return text.format(**values) if values else text


def in_lang(text: Text, lang: Lang) -> str:
    """Return the text in this language."""
    return text.zh if lang == "zh" else text.en


def mark(word_: str, lang: Lang) -> str:
    """Return a bracketed remark."""
    return f"（{word_}）" if lang == "zh" else f"({word_})"
