"""Input from others: names, files, servers, clients."""

from scripts.accept.area import Area, Check

_PYTEST = ("scripts/in_venv.sh", "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider")

AREA = Area(
    name="hostile-names",
    title="No name that somebody else wrote becomes a command",
    promises=(
        "Hostile names, servers, files, askers and tenants: each finding of the review is a test that was "
        "red before it was mended."
    ),
    checks=(
        Check(
            "commands of all causes, formats and languages",
            (*_PYTEST, "tests/contract/test_commands.py", "tests/contract/test_command_templates.py"),
        ),
        Check(
            "credentials, passwords and files",
            (
                *_PYTEST,
                "tests/kube/test_in_the_clear.py",
                "tests/kube/test_passwords.py",
                "tests/api/test_output_file.py",
            ),
        ),
        Check("hostile servers", (*_PYTEST, "tests/kube/test_large_answers.py", "tests/kube/test_client.py")),
        Check(
            "redaction of a corpus, and of another tenant's lines",
            (*_PYTEST, "tests/redact", "tests/agent/test_tenancy.py"),
        ),
        Check("the agent's small parts", (*_PYTEST, "tests/agent")),
        Check(
            (
                "findings of a second reader: paths, selectors, realms, guards, secrets in messages, long "
                "names, commands to a pipeline"
            ),
            (
                *_PYTEST,
                "tests/kube/test_paths.py",
                "tests/kube/test_pulls.py",
                "tests/kube/test_probe_guard.py",
                "tests/kube/test_probe.py",
                "tests/masking",
                "tests/contract/test_long_names.py",
                "tests/render/test_visible.py",
                "tests/render/test_pages.py",
                "tests/api/test_node_access.py",
                "tests/node/test_recorded.py",
            ),
        ),
        Check(
            "on a real cluster: names that its server takes, a flood of probes, one-shot Pods, tokens",
            (
                "scripts/repeat.sh",
                "1",
                "tests/e2e/test_names.py",
                "tests/e2e/test_agent_flood.py",
                "tests/e2e/test_one_shot.py",
                "tests/e2e/test_agent_rights.py",
                "tests/e2e/test_agent.py",
            ),
        ),
    ),
)
