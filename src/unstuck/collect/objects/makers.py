"""Declares the kinds whose controllers write a Secret or ConfigMap: the field that names it, with the
source.
"""

from __future__ import annotations

import re

from unstuck.facts.record import Record, record


@record()
class MakerKind(Record):
    """kind: as a Ref has it. makes: kinds that its controller writes. name: the field with their name; if it
    is empty, its own name.

    each: fields of a list's rows below `name`, for an object with several. made: a pattern for the rest of a
    created object's name after `name`, for an object with several; "" if the names are equal.
    """

    kind: str
    makes: tuple[str, ...]
    name: tuple[str, ...]
    source: str
    each: tuple[str, ...] = ()
    made: str = ""

    def makes_named(self, own: str, name: str) -> bool:
        """Tell whether an object with this `name` creates an object of that name."""
        if not self.made:
            return own == name
        return bool(own) and name.startswith(own) and bool(re.fullmatch(self.made, name[len(own) :]))


_SECRET = ("Secret",)
MAKERS: tuple[MakerKind, ...] = (
    MakerKind(
        "ExternalSecret.external-secrets.io",
        _SECRET,
        ("spec", "target", "name"),
        "external-secrets apis/externalsecrets/v1",
    ),
    MakerKind(
        "SealedSecret.bitnami.com",
        _SECRET,
        ("spec", "template", "metadata", "name"),
        "sealed-secrets pkg/apis/sealedsecrets/v1alpha1",
    ),
    MakerKind(
        "Certificate.cert-manager.io", _SECRET, ("spec", "secretName"), "cert-manager pkg/apis/certmanager/v1"
    ),
    *(
        MakerKind(
            f"{kind}.secrets.hashicorp.com",
            _SECRET,
            ("spec", "destination", "name"),
            "vault-secrets-operator api/v1beta1",
        )
        for kind in ("VaultStaticSecret", "VaultDynamicSecret", "VaultPKISecret", "HCPVaultSecretsApp")
    ),
    MakerKind(
        "SecretProviderClass.secrets-store.csi.x-k8s.io",
        _SECRET,
        ("spec", "secretObjects"),
        "secrets-store-csi-driver apis/v1",
        ("secretName",),
    ),
    MakerKind("OnePasswordItem.onepassword.com", _SECRET, (), "onepassword-operator api/v1"),
    MakerKind(
        "InfisicalSecret.secrets.infisical.com",
        _SECRET,
        ("spec", "managedSecretReference", "secretName"),
        "infisical k8s-operator",
    ),
    MakerKind(
        "DopplerSecret.secrets.doppler.com",
        _SECRET,
        ("spec", "managedSecret", "name"),
        "doppler kubernetes-operator api/v1alpha1",
    ),
    MakerKind(
        "KafkaUser.kafka.strimzi.io",
        _SECRET,
        (),
        "strimzi-kafka-operator api: the Secret has the user's name",
    ),
    MakerKind(
        "ObjectBucketClaim.objectbucket.io",
        ("Secret", "ConfigMap"),
        (),
        "kube-object-storage lib-bucket-provisioner",
    ),
    *(
        MakerKind(kind, _SECRET, ("metadata", "name"), source, made=made)
        for kind, made, source in (
            (
                "Cluster.postgresql.cnpg.io",
                r"-(?:app|superuser|ca|server|replication)",
                "cloudnative-pg api/v1/cluster_funcs.go",
            ),
            (
                "PostgresCluster.postgres-operator.crunchydata.com",
                r"-(?:pguser-.+|cluster-cert)",
                "crunchy postgres-operator internal/naming",
            ),
            (
                "Elasticsearch.elasticsearch.k8s.elastic.co",
                r"-es-(?:elastic-user|http-certs-public|http-certs-internal)",
                "cloud-on-k8s pkg/controller/common/name",
            ),
            ("RabbitmqCluster.rabbitmq.com", r"-default-user", "rabbitmq cluster-operator internal/resource"),
            (
                "Kafka.kafka.strimzi.io",
                r"-(?:cluster-ca-cert|clients-ca-cert|cluster-ca|clients-ca)",
                "strimzi-kafka-operator operator-common AbstractModel",
            ),
            (
                "MongoDBCommunity.mongodbcommunity.mongodb.com",
                r"-.+-.+",
                "mongodb-kubernetes-operator api/v1",
            ),
            ("Keycloak.k8s.keycloak.org", r"-initial-admin", "keycloak operator KeycloakAdminSecret"),
            ("Vault.vault.banzaicloud.com", r"-(?:unseal-keys|tls)", "bank-vaults pkg/sdk"),
        )
    ),
    MakerKind(
        "Bundle.trust.cert-manager.io", ("ConfigMap", "Secret"), (), "trust-manager pkg/apis/trust/v1alpha1"
    ),
)
