"""Variables that widely used programs read, by the beginning that their own variables share."""

from __future__ import annotations

from unstuck.facts.record import Record, record


@record()
class ProgramVariables(Record):
    """The variables of one program. start: what they all begin with. Others of that beginning exist as well:
    a name that is missing here is not wrong. source: the page that lists them.
    """

    program: str
    start: str
    names: tuple[str, ...]
    source: str


def _name(start: str, ends: str) -> tuple[str, ...]:
    return tuple(f"{start}{end}" for end in ends.split())


PROGRAM_VARIABLES: tuple[ProgramVariables, ...] = (
    ProgramVariables(
        "Airflow",
        "AIRFLOW__",
        _name(
            "AIRFLOW__",
            "CORE__EXECUTOR CORE__FERNET_KEY CORE__DAGS_FOLDER CORE__LOAD_EXAMPLES CORE__PARALLELISM"
            " DATABASE__SQL_ALCHEMY_CONN CELERY__BROKER_URL CELERY__RESULT_BACKEND WEBSERVER__SECRET_KEY"
            " WEBSERVER__BASE_URL LOGGING__REMOTE_LOGGING LOGGING__BASE_LOG_FOLDER",
        ),
        "Airflow documentation, Configuration Reference",
    ),
    ProgramVariables(
        "Keycloak",
        "KC_",
        _name(
            "KC_",
            "DB DB_URL DB_URL_HOST DB_URL_DATABASE DB_URL_PORT DB_USERNAME DB_PASSWORD DB_SCHEMA HOSTNAME"
            " HOSTNAME_STRICT HTTP_ENABLED HTTP_PORT HTTPS_PORT HTTPS_CERTIFICATE_FILE"
            " HTTPS_CERTIFICATE_KEY_FILE HTTPS_KEY_STORE_FILE HTTPS_KEY_STORE_PASSWORD PROXY PROXY_HEADERS"
            " CACHE CACHE_STACK HEALTH_ENABLED METRICS_ENABLED LOG_LEVEL BOOTSTRAP_ADMIN_USERNAME"
            " BOOTSTRAP_ADMIN_PASSWORD",
        ),
        "Keycloak documentation, All configuration",
    ),
    ProgramVariables(
        "Grafana",
        "GF_",
        _name(
            "GF_",
            "DATABASE_TYPE DATABASE_HOST DATABASE_NAME DATABASE_USER DATABASE_PASSWORD DATABASE_URL"
            " DATABASE_SSL_MODE SECURITY_ADMIN_USER SECURITY_ADMIN_PASSWORD SECURITY_SECRET_KEY"
            " SERVER_ROOT_URL SERVER_DOMAIN SERVER_HTTP_PORT PATHS_CONFIG PATHS_DATA PATHS_LOGS PATHS_PLUGINS"
            " PATHS_PROVISIONING INSTALL_PLUGINS LOG_LEVEL LOG_MODE",
        ),
        "Grafana documentation, Configure Grafana",
    ),
    ProgramVariables(
        "MySQL",
        "MYSQL_",
        _name(
            "MYSQL_",
            "ROOT_PASSWORD ROOT_PASSWORD_FILE ROOT_HOST DATABASE USER PASSWORD PASSWORD_FILE"
            " ALLOW_EMPTY_PASSWORD RANDOM_ROOT_PASSWORD ONETIME_PASSWORD INITDB_SKIP_TZINFO HOST PORT",
        ),
        "docker-library/docs mysql",
    ),
    ProgramVariables(
        "MariaDB",
        "MARIADB_",
        _name(
            "MARIADB_",
            "ROOT_PASSWORD ROOT_PASSWORD_HASH ROOT_HOST DATABASE USER PASSWORD PASSWORD_HASH"
            " ALLOW_EMPTY_ROOT_PASSWORD RANDOM_ROOT_PASSWORD AUTO_UPGRADE",
        ),
        "docker-library/docs mariadb",
    ),
    ProgramVariables(
        "PostgreSQL",
        "POSTGRES_",
        _name(
            "POSTGRES_",
            "PASSWORD PASSWORD_FILE USER DB INITDB_ARGS INITDB_WALDIR HOST_AUTH_METHOD HOST PORT",
        ),
        "docker-library/docs postgres",
    ),
    ProgramVariables(
        "RabbitMQ",
        "RABBITMQ_",
        _name(
            "RABBITMQ_",
            "DEFAULT_USER DEFAULT_PASS DEFAULT_VHOST ERLANG_COOKIE NODENAME USE_LONGNAME CONFIG_FILE"
            " ADVANCED_CONFIG_FILE ENABLED_PLUGINS_FILE MNESIA_BASE LOG_BASE NODE_PORT",
        ),
        "RabbitMQ documentation, Configuration, supported environment variables",
    ),
    ProgramVariables(
        "MinIO",
        "MINIO_",
        _name(
            "MINIO_",
            "ROOT_USER ROOT_PASSWORD ROOT_USER_FILE ROOT_PASSWORD_FILE VOLUMES SERVER_URL"
            " BROWSER_REDIRECT_URL REGION_NAME PROMETHEUS_AUTH_TYPE",
        ),
        "MinIO documentation, Environment Variables",
    ),
    ProgramVariables(
        "Spring Boot",
        "SPRING_",
        _name(
            "SPRING_",
            "APPLICATION_NAME PROFILES_ACTIVE CONFIG_IMPORT CONFIG_LOCATION CONFIG_ADDITIONAL_LOCATION"
            " DATASOURCE_URL DATASOURCE_USERNAME DATASOURCE_PASSWORD DATASOURCE_DRIVER_CLASS_NAME"
            " DATA_REDIS_HOST DATA_REDIS_PORT DATA_REDIS_PASSWORD DATA_MONGODB_URI KAFKA_BOOTSTRAP_SERVERS"
            " RABBITMQ_HOST RABBITMQ_PORT RABBITMQ_USERNAME RABBITMQ_PASSWORD RABBITMQ_VIRTUAL_HOST"
            " JPA_HIBERNATE_DDL_AUTO FLYWAY_URL LIQUIBASE_URL",
        ),
        "Spring Boot documentation, Common Application Properties",
    ),
    ProgramVariables(
        "Vault",
        "VAULT_",
        _name(
            "VAULT_",
            "ADDR API_ADDR CLUSTER_ADDR CACERT CAPATH CLIENT_CERT CLIENT_KEY NAMESPACE SKIP_VERIFY TOKEN"
            " LOCAL_CONFIG DEV_ROOT_TOKEN_ID LOG_LEVEL",
        ),
        "Vault documentation, Environment variables",
    ),
    ProgramVariables(
        "Celery",
        "CELERY_",
        _name("CELERY_", "BROKER_URL RESULT_BACKEND CONFIG_MODULE APP TASK_ALWAYS_EAGER"),
        "Celery documentation, Configuration and defaults",
    ),
    ProgramVariables(
        "OpenTelemetry",
        "OTEL_",
        _name(
            "OTEL_",
            "SERVICE_NAME RESOURCE_ATTRIBUTES EXPORTER_OTLP_ENDPOINT EXPORTER_OTLP_PROTOCOL"
            " EXPORTER_OTLP_HEADERS EXPORTER_OTLP_CERTIFICATE TRACES_EXPORTER METRICS_EXPORTER LOGS_EXPORTER"
            " TRACES_SAMPLER PROPAGATORS",
        ),
        "OpenTelemetry specification, Environment Variable Specification",
    ),
)
