"""Words of clouds' SDKs in a program without credentials."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "cloud-credentials-missing",
        words(
            r"(?P<reason>NoCredentialProviders: no valid providers in chain|Unable to locate credentials|NoCredentialsError\b|\bno EC2 (?:IMDS|instance) role found"
            r"|Unable to load (?:AWS )?credentials from any (?:of the providers|provider) in the chain|static credentials are empty|failed to refresh cached credentials(?=, (?:no|failed to retrieve))"
            r"|Could not load credentials from any providers)"
            r"|(?P<reason_2>[Cc]ould not find default credentials|Could not automatically determine credentials|Your default credentials were not found"
            r"|The Application Default Credentials are not available)"
            r"|(?P<reason_3>DefaultAzureCredential(?: authentication failed|:? (?:failed|\*\*\*) to (?:acquire|retrieve) a token)|(?:Environment|ManagedIdentity|WorkloadIdentity)Credential authentication (?:failed|unavailable)"
            r"|no client ID specified\. Check pod configuration)"
            r"|(?P<reason_4>an IAM role must be associated with service account) (?P<name>[a-z0-9.-]{1,253}) \(namespace: (?P<namespace>[a-z0-9-]{1,63})\)"
        ),
        (
            *(
                "NoCredential",
                "locate credentials",
                " role found",
                "credentials from any",
                "cached credentials",
                "static credentials",
            ),
            *("default credentials", "determine credentials", "Default Credentials", "AzureCredential"),
            *("Credential authentication", "no client ID specified", "an IAM role must be associated"),
        ),
        (
            Seen(
                "AWS SDK for Go",
                "1–2",
                "aws/credentials/chain_provider.go, credentials/ec2rolecreds/provider.go",
            ),
            Seen("botocore", "1", "exceptions.py (NoCredentialsError)"),
            Seen("AWS SDK for Java", "1–2", "AwsCredentialsProviderChain.java"),
            Seen("golang.org/x/oauth2", "0", "google/default.go"),
            Seen("google-auth", "1–2", "google/auth/_default.py"),
            Seen("Azure SDK for Go", "1", "sdk/azidentity"),
            Seen("external-secrets", "0.5–0.19", "pkg/provider/aws/auth/auth.go (errMissingSAK)"),
        ),
        (
            Example(
                "NoCredentialProviders: no valid providers in chain. Deprecated.",
                "cloud-credentials-missing reason=NoCredentialProviders: no valid providers in chain",
            ),
            Example(
                "operation error S3: GetObject, get identity: get credentials: failed to refresh cached credentials, no EC2 IMDS role found",
                "cloud-credentials-missing reason=failed to refresh cached credentials",
            ),
            Example(
                "operation error SNS: GetTopicAttributes, failed to sign request: failed to retrieve credentials: static credentials are empty",
                "cloud-credentials-missing reason=static credentials are empty",
            ),
            Example(
                "unable to create session: an IAM role must be associated with service account vault-reader (namespace: tools)",
                "cloud-credentials-missing name=vault-reader namespace=tools reason=an IAM role must be associated with service account",
            ),
            Example(
                "botocore.exceptions.NoCredentialsError: Unable to locate credentials",
                "cloud-credentials-missing reason=NoCredentialsError",
            ),
            Example(
                "google: could not find default credentials. See https://cloud.google.com/docs/authentication",
                "cloud-credentials-missing reason=could not find default credentials",
            ),
            Example(
                "DefaultAzureCredential: failed to acquire a token.",
                "cloud-credentials-missing reason=DefaultAzureCredential: failed to acquire a token",
            ),
        ),
        own=True,
    ),
)
