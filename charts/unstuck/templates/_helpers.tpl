{{/* The labels of every object. */}}
{{- define "unstuck.labels" -}}
app.kubernetes.io/name: unstuck
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* "yes" where the server knows the node of a bound token and has ValidatingAdmissionPolicies of v1: from 1.30. */}}
{{- define "unstuck.policies" -}}
{{- if semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version }}yes{{ end }}
{{- end }}

{{/* "yes" where the agent and its objects are installed. */}}
{{- define "unstuck.agent" -}}
{{- if and .Values.agent.enabled (or (include "unstuck.policies" .) .Values.agent.withoutPolicy) }}yes{{ end }}
{{- end }}

{{/* The user name of the agent's ServiceAccount. */}}
{{- define "unstuck.agentUser" -}}
system:serviceaccount:{{ .Release.Namespace }}:agent
{{- end }}

{{- define "unstuck.image" -}}
{{- required "image: which image the agent runs must be said, e.g. --set image=registry.example/unstuck-agent@sha256:… (images/agent/build.sh makes it). For the read rights alone: --set agent.enabled=false" .Values.image }}
{{- end }}
