{{- define "unstuck.notes" -}}
{{- $policies := include "unstuck.policies" . -}}
{{- $agent := include "unstuck.agent" . -}}
{{- $version := .Capabilities.KubeVersion.Version -}}
{{- if and .Values.agent.enabled (not $agent) -}}
No agent is installed: Kubernetes {{ $version }} cannot hold it to its own node (that needs 1.30, for the node in a bound token
and for ValidatingAdmissionPolicy). unstuck reaches nodes through --ssh or --here.
With --set agent.withoutPolicy=true it is installed all the same, and then nothing is enforced of this:
{{ else if and $agent (not $policies) -}}
WARNING: the agent runs without policies on Kubernetes {{ $version }}. Nothing is enforced of this:
{{ end }}
{{- if and .Values.agent.enabled (not $policies) }}
  - an agent answers for its own node only (one stolen token can answer for all)
  - a probe names who asks, and is asked about a Pod only by who may get that Pod (give the Role asker to nobody whom you do not
    trust with every node)
  - an agent deletes probes and reports of its own node only
  - agent Pods come from their DaemonSet only (keep others from creating Pods in {{ .Release.Namespace }})
{{ end }}
{{- if $agent -}}
The agent runs on every node (DaemonSet {{ .Release.Namespace }}/unstuck-agent). If its Pods are refused with "violates PodSecurity":
  kubectl label namespace {{ .Release.Namespace }} pod-security.kubernetes.io/enforce=privileged
Do not restart agents during an incident: one that is deleted on a sick node is not replaced.
{{ if ne .Release.Namespace "unstuck-system" -}}
unstuck looks for it in the Namespace unstuck-system; this is {{ .Release.Namespace }}.
{{ end }}
{{- end }}
{{- if not (or .Values.access.readers .Values.access.askers .Values.access.nodeAskers) -}}
Nobody was given rights by this release; see access.readers, access.askers and access.nodeAskers.
{{ end }}
{{- if .Values.access.readers -}}
{{- if .Values.reader.secrets -}}
Readers may get single Secrets, with their values (--set reader.secrets=false takes that away).
{{ else -}}
Readers may not read Secrets: that one or its keys are missing is at most likely.
{{ end }}
{{- end }}
{{- end }}

{{- define "unstuck.notes.zh" -}}
{{- $policies := include "unstuck.policies" . -}}
{{- $agent := include "unstuck.agent" . -}}
{{- $version := .Capabilities.KubeVersion.Version -}}
{{- if and .Values.agent.enabled (not $agent) -}}
未安装 agent：Kubernetes {{ $version }} 无法保证 agent 只代表自己所在的节点（需要 1.30：绑定令牌中的节点信息和 ValidatingAdmissionPolicy）。
unstuck 可以通过 --ssh 或 --here 查看节点。
使用 --set agent.withoutPolicy=true 仍可安装，但以下各项均不受强制：
{{ else if and $agent (not $policies) -}}
警告：agent 在 Kubernetes {{ $version }} 上运行，没有策略约束。以下各项均不受强制：
{{ end }}
{{- if and .Values.agent.enabled (not $policies) }}
  - agent 只为自己的节点作答（一个被盗的令牌即可代表所有节点作答）
  - 查询写明提问者，且只有能 get 该 Pod 的人才能查询它（不要把 Role asker 授予任何您不愿让其查看所有节点的人）
  - agent 只删除自己节点的查询和报告
  - agent 的 Pod 只来自其 DaemonSet（不要让他人在 {{ .Release.Namespace }} 中创建 Pod）
{{ end }}
{{- if $agent -}}
agent 运行在每个节点上（DaemonSet {{ .Release.Namespace }}/unstuck-agent）。若其 Pod 因 "violates PodSecurity" 被拒绝：
  kubectl label namespace {{ .Release.Namespace }} pod-security.kubernetes.io/enforce=privileged
故障期间不要重启 agent：在有故障的节点上，被删除的 agent 不会得到替换。
{{ if ne .Release.Namespace "unstuck-system" -}}
unstuck 在 Namespace unstuck-system 中寻找它；此处为 {{ .Release.Namespace }}。
{{ end }}
{{- end }}
{{- if not (or .Values.access.readers .Values.access.askers .Values.access.nodeAskers) -}}
此 release 未向任何人授权；参见 access.readers、access.askers 和 access.nodeAskers。
{{ end }}
{{- if .Values.access.readers -}}
{{- if .Values.reader.secrets -}}
读者可以 get 单个 Secret 及其值（--set reader.secrets=false 可取消）。
{{ else -}}
读者不能读取 Secret：某个 Secret 或其键缺失最多判定为 likely。
{{ end }}
{{- end }}
{{- end }}
